"""Records as bytes, the same whatever file or precision they came in: to recognise them again."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from geomdp.errors import InvalidRecordError
from geomdp.spaces.rows import each, numbers, plain
from geomdp.typing import Array

#: Binary digits of a double that do not count: all but the 24 of a float32. A matrix that is
#: symmetric but for its last digits is then its triangle, and 0.1 the same in single precision.
LEFT = 53 - 24


def bytes_of(chunk: Any, left: int = LEFT) -> Iterator[bytes]:
    """Yield the bytes of each record, which is read as a release reads it. Total.

    Numbers in one form, so that the same ones are the same in an array, a list or a frame. How many
    a record has counts, and not how they are arranged: rows of a file have no arrangement. What is
    no record is taken as it stands. ``left`` are the last binary digits that do not count: 0 where
    it must be seen that a record changed at all.
    """
    whole = plain(chunk)
    if whole is not None:
        yield from (row.tobytes() for row in _canonical(whole, left))
        return
    yield from (_one(record, left) for record in each(chunk))


def _one(record: Any, left: int) -> bytes:
    try:
        return _file(record, left) if isinstance(record, str | Path) else _content(record, left)
    except Exception:  # whatever it does, or holds: itself, more than fits in memory
        return _kind(record)


def _content(record: Any, left: int) -> bytes:
    """Return the numbers of a surface or an array; what is none, part by part and by its name."""
    if hasattr(record, "vertices") and hasattr(record, "faces"):
        return _joined(_content(part, left) for part in (record.vertices, record.faces))
    if _is_pair(record):
        return _joined(_content(part, left) for part in record)
    try:
        return _canonical(numbers(record), left).tobytes()
    except InvalidRecordError:
        pass
    if isinstance(record, list | tuple) or (isinstance(record, np.ndarray) and record.ndim):
        return _joined(_content(part, left) for part in record)
    try:
        return f"{type(record).__name__} {record!r}".encode(errors="replace")
    except Exception:  # whatever an object does when it is asked for its name
        return _kind(record)


def _kind(record: Any) -> bytes:
    return type(record).__name__.encode(errors="replace")


def _is_pair(record: Any) -> bool:
    """Tell times and values of a curve from an array of both."""
    arrays = isinstance(record, tuple) and all(isinstance(x, list | np.ndarray) for x in record)
    return arrays and len(record) == 2


def _joined(parts: Iterable[bytes]) -> bytes:
    """Join with lengths, so that no other parts give the same bytes."""
    return b"".join(len(part).to_bytes(8, "little") + part for part in parts)


def _file(name: str | Path, left: int) -> bytes:
    """Return a mesh file's surface, in whatever format; else its bytes; else the name itself."""
    from geomdp.surfaces import read_surface

    try:
        if not Path(name).is_file():  # nor a pipe or a device, which may have no end
            return _content(str(name), left)
    except (OSError, ValueError):  # a text that is no name of a file
        return _content(str(name), left)
    try:
        return _content(read_surface(name), left)
    except Exception:  # whatever the file holds
        pass
    try:
        return Path(name).read_bytes()
    except OSError:  # not for us
        return _content(str(name), left)


def _canonical(array: Array, left: int) -> Array:
    """Return doubles in one form: rounded, complex as pairs, one zero, one NaN, little-endian."""
    found = np.ascontiguousarray(array)
    if found.dtype.kind == "c":
        found = found[..., None].view(np.float64)
    with np.errstate(all="ignore"):
        found = found.astype("<f8")  # a copy
    found[np.isnan(found)] = np.nan
    bits = found.view("<u8")
    bits += (1 << left) >> 1  # half of the last digit that counts; a carry is the next exponent
    bits &= ~np.uint64((1 << left) - 1)
    found += 0.0  # -0 becomes 0
    return found
