"""All or nothing: write under a temporary name, then rename."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from geomdp.errors import GeomdpError

#: Bytes that are written and removed again before anything is drawn, to see that there is room.
ROOM = 1 << 22


@contextmanager
def new_folder(target: str | Path, room: int = 0) -> Iterator[Path]:
    """Yield the path of a folder to make; it becomes ``target`` if all goes well.

    Whoever draws noise opens this first: that the name is free, that the folder above can be
    written to and that it has ``room`` bytes is then settled before the first bit is drawn.

    Examples
    --------
    >>> target = Path(tempfile.mkdtemp()) / "release"
    >>> with new_folder(target) as folder:
    ...     folder.mkdir()
    ...     _ = (folder / "a.txt").write_text("a")
    ...     target.exists()
    False
    >>> sorted(file.name for file in target.parent.rglob("*"))
    ['a.txt', 'release']
    """
    target = Path(target)
    require_absent(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(dir=target.parent, prefix=".partial-"))
    folder = partial / target.name
    try:
        _require_room(folder, room)
        yield folder
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    _rename(folder, target)
    shutil.rmtree(partial, ignore_errors=True)


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
        raise GeomdpError(
            f"{str(target)!r} cannot be made any more; all is written in {str(folder)!r}: move it, "
            "and do not start again, which would spend the budget twice."
        ) from error


def require_absent(target: Path) -> None:
    """Refuse to write over anything.

    Examples
    --------
    >>> require_absent(Path("no-such-folder"))
    """
    if target.exists() or target.is_symlink():
        raise GeomdpError(f"{str(target)!r} exists; choose a new name.")


def write_whole(target: str | Path, text: str) -> None:
    """Write a text file under a temporary name and rename it.

    Examples
    --------
    >>> target = Path(tempfile.mkdtemp()) / "plan.json"
    >>> write_whole(target, "{}")
    >>> target.read_text()
    '{}'
    """
    target = Path(target)
    partial = target.with_name(f".{target.name}.partial")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def write_new(target: str | Path, text: str) -> None:
    """Write a text file whole, and never over another one.

    Examples
    --------
    >>> target = Path(tempfile.mkdtemp()) / "plan.json"
    >>> write_new(target, "{}")
    >>> write_new(target, "[]")
    Traceback (most recent call last):
    geomdp.errors.GeomdpError: '...plan.json' exists; choose a new name.
    >>> target.read_text()
    '{}'
    """
    target = Path(target)
    require_absent(target)
    target.touch(exist_ok=False)  # from here on the name is ours, whoever else writes
    try:
        write_whole(target, text)
    except BaseException:
        target.unlink(missing_ok=True)
        raise
