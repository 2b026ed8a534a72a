"""Arrays as NumPy stores them, in files and archives: what a header claims is checked first."""

import io
import math
import zipfile
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geomdp.runtime.limits import read_as, require_plausible

#: Bytes that the header of an array may take, as NumPy itself allows.
LONGEST_HEADER = 10_000
#: Bytes that say how long a header is, by version of the format.
_LENGTHS = {(1, 0): 2, (2, 0): 4}


class Head(NamedTuple):
    """What the header of an array says."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]


def read_array(stream: IO[bytes], available: int) -> NDArray[Any]:
    """Read an array of a stream that holds this many bytes more, claims checked beforehand."""
    start = stream.tell()
    head = read_head(stream)
    if head.dtype.hasobject:
        raise ValueError("it holds Python objects, which could run code and are not loaded")
    claimed, left = math.prod(head.shape) * head.dtype.itemsize, available - stream.tell() + start
    if any(length < 0 for length in head.shape) or claimed > left:
        raise ValueError(f"its header announces {claimed} bytes and {left} are there")
    stream.seek(start)
    return np.asarray(np.lib.format.read_array(stream, allow_pickle=False))


def read_head(stream: IO[bytes]) -> Head:
    """Read the header of an array."""
    version = np.lib.format.read_magic(stream)
    if version not in _LENGTHS:
        raise ValueError(f"version {version} of the format is not for arrays of numbers")
    stated = stream.read(_LENGTHS[version])
    length = int.from_bytes(stated, "little")
    if length > LONGEST_HEADER:  # before it is read
        raise ValueError(f"its header announces {length} bytes of its own")
    readers = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }
    shape, _, dtype = readers[version](io.BytesIO(stated + stream.read(length)))
    return Head(shape, dtype)


def read_npz_heads(path: Path) -> dict[str, Head]:
    """Read the headers of all arrays of an archive."""
    heads = {}
    with read_as(path, "npz"), zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            _require_deflated(info)
            with archive.open(info) as stream:
                heads[info.filename.removesuffix(".npy")] = read_head(stream)
    return heads


def read_npz_arrays(path: Path, names: set[str]) -> dict[str, NDArray[Any]]:
    """Read the arrays with these names; an archive of implausible size is refused."""
    arrays = {}
    with read_as(path, "npz"), zipfile.ZipFile(path) as archive:
        members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
        require_plausible(path, sum(members[name].file_size for name in names))
        for name in names:
            _require_deflated(members[name])
            with archive.open(members[name]) as stream:
                arrays[name] = read_array(stream, members[name].file_size)
    return arrays


def _require_deflated(info: zipfile.ZipInfo) -> None:
    """Refuse an array that is packed as NumPy does not: other ways take memory by what they say."""
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(f"{info.filename[:40]!r} is packed in another way than by NumPy")
