"""What a file may claim about its own size, checked before memory is taken for it."""

import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from geomdp.errors import InvalidRecordError, MachinesError, reason_of

#: Content up to this many bytes is read however small its file is; as numbers it may take several
#: times as much.
ALWAYS_READ = 1 << 28
#: Beyond that, content this many times larger than its file is taken for damaged or hostile.
LARGEST_RATIO = 100
#: Files from so many bytes on are not read as a whole, where their format can do without.
LARGE_BYTES = 1 << 28


def is_large(path: Path) -> bool:
    """Tell whether a file, or all files of a folder, are too large to be read as a whole."""
    files = path.rglob("*") if path.is_dir() else (path,)
    return sum(file.stat().st_size for file in files if file.is_file()) >= LARGE_BYTES


def require_plain_file(path: Path, most: int | None = None) -> None:
    """Refuse what is no file of bytes: opening a pipe waits for ever, and a device never ends.

    A sparse file, of which the disk holds next to nothing, is refused from a gigabyte on.

    A path where nothing is passes: opening it says so. ``most`` are the bytes that it may hold.
    """
    try:
        found = path.stat()
    except (OSError, ValueError):
        return
    if not stat.S_ISREG(found.st_mode):
        kind = _KINDS.get(stat.S_IFMT(found.st_mode), "something else")
        raise InvalidRecordError(
            f"{path.name} is {kind} and no plain file; copy its content into a file."
        )
    held = getattr(found, "st_blocks", None)  # in units of 512 bytes, where a system counts them
    if held is not None and found.st_size > max(_NEVER_SPARSE, LARGEST_RATIO * 512 * held):
        raise InvalidRecordError(
            f"{path.name} claims {found.st_size} bytes, of which the disk holds {512 * held}; it "
            "is sparse or cut short: copy it again, as a whole."
        )
    if most is not None and found.st_size > most:
        raise InvalidRecordError(
            f"{path.name} has {found.st_size} bytes, more than the {most} that such a file may."
        )


#: Bytes up to which a file may be sparse: it takes no more memory than that.
_NEVER_SPARSE = 1 << 30
#: What lies where a file should.
_KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFDIR: "a folder",
}


def require_plausible(path: Path, claimed: int, always: int | None = None) -> None:
    """Refuse a compressed file whose content would be implausibly large.

    Content of up to ``always`` bytes is read however small its file is; by default
    :data:`ALWAYS_READ`.
    """
    held = path.stat().st_size
    if claimed > max(ALWAYS_READ if always is None else always, LARGEST_RATIO * held):
        raise InvalidRecordError(
            f"{path.name} holds {held} bytes and announces {claimed}; it is damaged, or store it "
            "without compression."
        )


@contextmanager
def read_as(path: Path, kind: str) -> Iterator[None]:
    """Read a plain file of a kind; whatever fails says that it is damaged, in one sentence.

    Readers fail in many ways on a damaged file: errors of their own, of values, types, keys, zip,
    struct, unicode. What was refused in a sentence stays as it is.
    """
    require_plain_file(path)
    try:
        yield
    except (InvalidRecordError, MachinesError):
        raise
    except MemoryError:
        raise too_large(path) from None
    except Exception as error:
        raise damaged(path, kind, error) from error


def too_large(path: Path) -> InvalidRecordError:
    """Say that memory does not suffice for a file."""
    return InvalidRecordError(
        f"{path.name} does not fit into memory; give smaller records, or use a larger machine."
    )


def damaged(path: Path, kind: str, error: Exception) -> InvalidRecordError:
    """Say that a file cannot be read as what its name promises."""
    return InvalidRecordError(
        f"{path.name} is cut short or not a valid {kind} file ({reason_of(error)}); copy or export "
        "it again."
    )
