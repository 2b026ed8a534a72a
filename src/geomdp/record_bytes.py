"""Records as bytes, the same whatever file or precision they came in: to recognise them again."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.typing import Array


def bytes_of(chunk: Any) -> Iterator[bytes]:
    """Yield the bytes of each record. Total: what is no record is taken as it stands.

    >>> len(set(bytes_of(np.array([[0.0, 1.0], [-0.0, 1.0], [2.0, 3.0]]))))
    2
    """
    try:
        array = np.asarray(chunk)
    except (TypeError, ValueError):  # records of different shapes
        array = np.empty(0, dtype=object)
    if array.dtype.kind in "biufc":
        yield from (row.tobytes() for row in _doubles(array).reshape(len(array), -1))
        return
    for record in chunk:
        yield _one(record)


def _one(record: Any) -> bytes:
    if isinstance(record, str | Path):
        return _file(Path(record))
    if hasattr(record, "vertices") and hasattr(record, "faces"):
        return _doubles(np.asarray(record.vertices)).tobytes() + _doubles(record.faces).tobytes()
    try:
        return _doubles(np.asarray(record)).tobytes()
    except (TypeError, ValueError, OverflowError):
        return repr(record).encode()


def _file(path: Path) -> bytes:
    """Return a mesh file's surface, in whatever format, or the bytes of a file that holds none."""
    from geomdp.surfaces import read_surface

    try:
        return _one(read_surface(path))
    except (GeomdpError, OSError):
        return path.read_bytes() if path.is_file() else b""


def _doubles(array: Any) -> Array:
    """Return numbers in one form: complex as pairs, one zero, one NaN, little-endian."""
    numbers = np.ascontiguousarray(array)
    with np.errstate(all="ignore"):
        if numbers.dtype.kind == "c":
            numbers = numbers.astype(np.complex128)[..., None].view(np.float64)
        numbers = numbers.astype("<f8") + 0.0  # -0 becomes 0
    numbers[np.isnan(numbers)] = np.nan
    return numbers
