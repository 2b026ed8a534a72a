"""What a file may claim about its own size, checked before memory is taken for it."""

from pathlib import Path

from geomdp.errors import InvalidRecordError

#: Content up to this many bytes is read however small its file is.
ALWAYS_READ = 1 << 30
#: Beyond that, content this many times larger than its file is taken for damaged or hostile.
LARGEST_RATIO = 100
#: Files from so many bytes on are not read as a whole, where their format can do without.
LARGE_BYTES = 1 << 28


def is_large(path: Path) -> bool:
    """Tell whether a file, or all files of a folder, are too large to be read as a whole.

    >>> is_large(Path(__file__))
    False
    """
    files = path.rglob("*") if path.is_dir() else (path,)
    return sum(file.stat().st_size for file in files if file.is_file()) >= LARGE_BYTES


def require_plausible(path: Path, claimed: int, always: int | None = None) -> None:
    """Refuse a compressed file whose content would be implausibly large.

    Content of up to ``always`` bytes is read however small its file is; by default a gigabyte.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.npz"
    >>> _ = path.write_bytes(b"small")
    >>> require_plausible(path, 10**6)
    >>> require_plausible(path, 10**12)
    Traceback (most recent call last):
    geomdp.errors.InvalidRecordError: a.npz holds 5 bytes and announces 1000000000000; ...
    """
    held = path.stat().st_size
    if claimed > max(ALWAYS_READ if always is None else always, LARGEST_RATIO * held):
        raise InvalidRecordError(
            f"{path.name} holds {held} bytes and announces {claimed}; it is damaged, or store it "
            "without compression."
        )
