"""Files of FreeSurfer: surfaces (``lh.white``), and a number a vertex (``lh.thickness``, mgh, mgz).

Small readers of their own, as for GIFTI: every length is held against the bytes that are there
before memory is taken.
"""

import gzip
import math
import struct
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from geomdp.runtime.limits import require_plausible
from geomdp.typing import Floats, Indices

#: How the files of surfaces end, by what FreeSurfer calls them.
SURFACES = (".white", ".pial", ".inflated", ".orig", ".smoothwm", ".midthickness")
#: How files of a number a vertex end.
CURVATURES = (".thickness", ".curv", ".sulc", ".area", ".volume")
VOLUMES = (".mgh", ".mgz")
_TRIANGLES, _CURVATURE = b"\xff\xff\xfe", b"\xff\xff\xff"
#: Bytes before the numbers of an mgh file, and how these are stored, by their code.
_MGH_HEAD, _MGH_TYPES = 284, {0: ">u1", 1: ">i4", 3: ">f4", 4: ">i2"}


def read_freesurfer(path: Path) -> tuple[Floats, Indices]:
    """Read vertices, in millimetres as they stand, and triangles."""
    data = path.read_bytes()
    ends = data.find(b"\n\n")  # of the line that says who made it
    if data[:3] != _TRIANGLES or ends < 0:
        raise ValueError("it does not begin as a FreeSurfer surface of triangles")
    vertices, triangles = struct.unpack_from(">ii", data, ends + 2)
    start = ends + 10
    require_held(12 * (vertices + triangles), len(data) - start, min(vertices, triangles))
    points = np.frombuffer(data, ">f4", 3 * vertices, start).reshape(-1, 3)
    faces = np.frombuffer(data, ">i4", 3 * triangles, start + 12 * vertices).reshape(-1, 3)
    return points.astype(np.float64), faces.astype(np.int64)


def read_curvature(path: Path) -> NDArray[np.float64]:
    """Read one number a vertex."""
    data = path.read_bytes()
    if data[:3] != _CURVATURE:
        raise ValueError("it does not begin as FreeSurfer's file of a number a vertex")
    vertices, _, each = struct.unpack_from(">iii", data, 3)
    if each != 1:
        raise ValueError(f"it has {each} numbers a vertex where one is read")
    require_held(4 * vertices, len(data) - 15, vertices)
    return np.frombuffer(data, ">f4", vertices, 15).astype(np.float64)


def read_mgh(path: Path) -> NDArray[np.float64]:
    """Read the numbers of a volume with one column: a number a vertex."""
    with path.open("rb") as plain:
        packed = plain.read(2) == b"\x1f\x8b"
    stream: BinaryIO
    with gzip.open(path) if packed else path.open("rb") as stream:  # type: ignore[assignment]
        head = stream.read(_MGH_HEAD)
        version, *shape, kind = struct.unpack_from(">6i", head)
        if version != 1 or kind not in _MGH_TYPES or min(shape) < 1:
            raise ValueError(f"version {version}, type {kind} and shape {shape} are not read")
        size = math.prod(shape) * np.dtype(_MGH_TYPES[kind]).itemsize
        require_plausible(path, size)
        data = stream.read(size)
    require_held(size, len(data), size)
    if math.prod(shape) != max(shape):
        raise ValueError(f"it is a volume of {shape}, and no number a vertex")
    return np.frombuffer(data, _MGH_TYPES[kind]).astype(np.float64)


def require_held(announced: int, held: int, least: int) -> None:
    """Refuse numbers that are not there."""
    if least < 1 or announced > held:
        raise ValueError(f"{announced} bytes of numbers are announced and {held} are there")
