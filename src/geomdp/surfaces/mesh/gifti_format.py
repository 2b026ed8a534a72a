"""Meshes in GIFTI files: the points and the triangles of a surface of the brain."""

import math
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geomdp.surfaces.mesh.xml_arrays import Node, decoded, numbers_in, parse_xml, unpacked

_TYPES = {
    "NIFTI_TYPE_UINT8": "u1",
    "NIFTI_TYPE_INT32": "i4",
    "NIFTI_TYPE_FLOAT32": "f4",
    "NIFTI_TYPE_FLOAT64": "f8",
}
_POINTS, _TRIANGLES = "NIFTI_INTENT_POINTSET", "NIFTI_INTENT_TRIANGLE"


def read_gifti(path: Path) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Read the one array of points and the one of triangles."""
    arrays = parse_xml(path.read_bytes()).all("DataArray")
    points, triangles = (_the_one(arrays, intent) for intent in (_POINTS, _TRIANGLES))
    return _values(points).astype(np.float64), _values(triangles).astype(np.int64)


def _the_one(arrays: list[Node], intent: str) -> Node:
    found = [array for array in arrays if array.attributes.get("Intent") == intent]
    if len(found) != 1:
        raise ValueError(f"it has {len(found)} arrays of {intent} where a surface has one")
    return found[0]


def _values(node: Node) -> NDArray[Any]:
    entries = node.attributes
    dtype = _TYPES[entries["DataType"]]
    count = int(entries["Dimensionality"])
    shape = tuple(int(entries[f"Dim{i}"]) for i in range(min(count, 6)))
    if any(n < 0 for n in shape):
        raise ValueError(f"an array has shape {shape}")
    data, encoding = node.all("Data")[0].text, entries["Encoding"]
    if encoding == "ASCII":
        flat = numbers_in(data, dtype)
    elif encoding in ("Base64Binary", "GZipBase64Binary"):
        raw = decoded(data)
        if encoding.startswith("GZip"):
            size = math.prod(shape) * np.dtype(dtype).itemsize
            raw = unpacked(raw, size, zlib.MAX_WBITS | 32)
        flat = np.frombuffer(raw, (">" if entries["Endian"].startswith("Big") else "<") + dtype)
    else:
        raise ValueError(f"data in {encoding} are not read: store them in the file itself")
    rows = entries.get("ArrayIndexingOrder", "RowMajorOrder") == "RowMajorOrder"
    return flat.reshape(shape, order="C" if rows else "F")
