"""What a key has answered or published, kept for good: once for each plan and stage.

A text that stands is never replaced. Whoever is killed at any moment finds, when run again, either
nothing (then nothing had left the house) or the text that had, byte for byte.
"""

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from geomdp.errors import GeomdpError
from geomdp.io.atomic import PARTIAL, sync_one

#: What file systems say that know no second name for a file.
_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS}


class Kept:
    """The text of one kind, plan and stage in the folder beside a key."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder = folder
        self.file = folder / name

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Let no other process of this key answer meanwhile, where the system can."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (self.folder / "lock").open("a") as lock:
            try:
                import fcntl
            except ImportError:  # elsewhere the name alone decides, which nobody takes twice
                yield
                return
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._tidy()
            yield

    def read(self) -> str | None:
        """Return the text that stands; None where there is none."""
        return self.file.read_text(encoding="utf-8") if self.file.exists() else None

    def keep(self, text: str) -> str:
        """Have the disk keep a text, and return the one that stands: it may be an earlier one."""
        return put_once(self.file, text, 0o600)

    def _tidy(self) -> None:
        """Take away what a killed process began: it never left the house."""
        for begun in self.folder.glob(f".*{PARTIAL}"):
            begun.unlink()


def put_once(target: Path, text: str, mode: int = 0o644) -> str:
    """Write a text whole under a name that is free, and return the text that stands there."""
    begun = target.with_name(f".{secrets.token_hex(8)}{PARTIAL}")
    handle = os.open(begun, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        _name(begun, target)
    finally:
        with suppress(FileNotFoundError):
            begun.unlink()
    sync_one(target.parent)
    return target.read_text(encoding="utf-8")


def _name(begun: Path, target: Path) -> None:
    """Give a finished file its name, unless somebody has it."""
    try:
        os.link(begun, target)
    except FileExistsError:
        return
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if not target.exists():
            begun.replace(target)


def hand_out(text: str, out: Path) -> None:
    """Write a message where it was asked for; what lies there already must be the same."""
    out.parent.mkdir(parents=True, exist_ok=True)
    if put_once(out, text) != text:
        raise GeomdpError(
            f"{str(out)!r} exists and is something else; choose a new name. The message itself is "
            "kept beside the key: the same command hands out the same bytes."
        )
