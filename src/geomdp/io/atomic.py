"""All or nothing: write under a temporary name, then rename."""

import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from geomdp.errors import GeomdpError

#: Bytes that are written and removed again before anything is drawn, to see that there is room.
ROOM = 1 << 22
#: Name of a folder while it is written: whoever finds it after a kill knows what it is.
UNFINISHED = "unfinished"
#: How the name of a file ends while it is written.
PARTIAL = ".partial"


@contextmanager
def new_folder(target: str | Path, room: int = 0) -> Iterator[Path]:
    """Yield the path of a folder to make; it becomes ``target`` if all goes well.

    Whoever draws noise opens this first: that the name is free, that the folder above can be
    written to and that it has ``room`` bytes is then settled before the first bit is drawn.
    """
    target = Path(target)
    require_absent(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(dir=target.parent, prefix=".partial-"))
    folder = partial / f"{UNFINISHED}{''.join(target.suffixes)}"
    try:
        _require_room(folder, room)
        yield folder
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    _rename(folder, target)
    shutil.rmtree(partial, ignore_errors=True)


def require_folder(target: Path) -> None:
    """Refuse a file whose folder is not there: it may be a slip, so it is not made."""
    if not target.parent.is_dir():
        raise GeomdpError(
            f"There is no folder {str(target.parent)!r} to write {target.name!r} into; make it, or "
            "choose another."
        )


def _require_room(folder: Path, room: int) -> None:
    """Make the folder and fill it, which fails as the release would; then take it away again."""
    folder.mkdir()
    (folder / "room").write_bytes(bytes(room))
    shutil.rmtree(folder)


def _rename(folder: Path, target: Path) -> None:
    """Give a finished folder its name, and lose nothing if somebody else took it meanwhile."""
    try:
        require_absent(target)
        folder.replace(target)
    except (GeomdpError, OSError) as error:
        kept = folder.replace(folder.with_name(target.name))
        raise GeomdpError(
            f"{str(target)!r} cannot be made any more; all is written in {str(kept)!r}: move it, "
            "and do not start again, which would spend the budget twice."
        ) from error
    sync_one(target.parent)


def sync(path: Path) -> None:
    """Have the disk keep a file or folder, and all in it, before anything else is done."""
    if path.is_dir() and not path.is_symlink():
        for inside in path.iterdir():
            if not inside.is_symlink():
                sync(inside)
    sync_one(path)


def sync_one(path: Path) -> None:
    """Have the disk keep one file, or the names in one folder."""
    elsewhere = os.name != "posix"
    if elsewhere and path.is_dir():  # folders cannot be opened there
        return
    # Windows flushes no file that is open for reading alone.
    handle = os.open(path, os.O_RDWR if elsewhere else os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def require_absent(target: Path) -> None:
    """Refuse to write over anything."""
    if target.exists() or target.is_symlink():
        raise GeomdpError(f"{str(target)!r} exists; choose a new name.")


def write_whole(target: str | Path, text: str | bytes) -> None:
    """Write a file under a temporary name and rename it."""
    target = Path(target)
    # Under a name that nobody can guess, and new: what others put there is not written through.
    partial = target.with_name(f".{secrets.token_hex(8)}{PARTIAL}")
    handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(text.encode("utf-8") if isinstance(text, str) else text)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def write_new(target: str | Path, text: str) -> None:
    """Write a text file whole, and never over another one."""
    target = Path(target)
    require_absent(target)
    target.touch(exist_ok=False)  # from here on the name is ours, whoever else writes
    try:
        write_whole(target, text)
    except BaseException:
        target.unlink(missing_ok=True)
        raise
