"""Arrays inside XML files, within bounds: what GIFTI and VTK files share."""

import base64
import math
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.parsers import expat

import numpy as np
from numpy.typing import NDArray

from geomdp.runtime.limits import LARGEST_RATIO
from geomdp.typing import Floats, Indices


@dataclass
class Node:
    """An element: its name, its attributes, its text, and the elements inside."""

    name: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    children: list["Node"] = field(default_factory=list)

    def all(self, name: str) -> list["Node"]:
        """Return the elements of this name anywhere inside, in the order of the file."""
        found = []
        for child in self.children:
            found += ([child] if child.name == name else []) + child.all(name)
        return found


#: Elements within elements, of which files of meshes have a handful, and elements in all.
_DEEPEST, _MOST = 50, 10_000
#: Bytes that are unpacked from however few.
_ALWAYS_UNPACKED = 1 << 22


def parse_xml(data: bytes) -> Node:
    """Parse a document; one that declares entities is refused: they can grow without bound."""
    root = Node("")
    stack, seen = [root], [0]
    parser = expat.ParserCreate()
    texts: list[list[str]] = [[]]

    def start(name: str, attributes: dict[str, str]) -> None:
        seen[0] += 1
        if len(stack) > _DEEPEST or seen[0] > _MOST:
            raise ValueError("it has too many elements, or nests them too deeply")
        node = Node(name, attributes)
        stack[-1].children.append(node)
        stack.append(node)
        texts.append([])

    def end(_: str) -> None:
        stack.pop().text = "".join(texts.pop())

    def characters(text: str) -> None:
        texts[-1].append(text)

    def refuse(*_: object) -> None:
        raise ValueError("it declares entities")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    parser.EntityDeclHandler = refuse
    parser.Parse(data, True)
    return root.children[0]


def require_plausible_size(size: int, packed: int) -> None:
    """Refuse content that so few bytes cannot hold."""
    if size > max(_ALWAYS_UNPACKED, LARGEST_RATIO * packed):
        raise ValueError(f"{packed} bytes announce {size} unpacked")


def unpacked(data: bytes, size: int, wbits: int = 15) -> bytes:
    """Decompress what must come to ``size`` bytes, and no more."""
    require_plausible_size(size, len(data))
    inside = zlib.decompressobj(wbits).decompress(data, size + 1)
    if len(inside) != size:
        raise ValueError(f"{size} bytes were announced, and another number unpacked")
    return inside


def decoded(text: str) -> bytes:
    """Decode base64, whatever blanks are in it."""
    return base64.b64decode("".join(text.split()), validate=True)


def numbers_in(text: str, dtype: str) -> NDArray[Any]:
    """Read numbers written as text."""
    return np.array(text.split(), dtype=dtype)


# --- Meshes in GIFTI files: the points and the triangles of a surface of the brain.

_TYPES = {
    "NIFTI_TYPE_UINT8": "u1",
    "NIFTI_TYPE_INT32": "i4",
    "NIFTI_TYPE_FLOAT32": "f4",
    "NIFTI_TYPE_FLOAT64": "f8",
}
_POINTS, _TRIANGLES = "NIFTI_INTENT_POINTSET", "NIFTI_INTENT_TRIANGLE"


def read_gifti(path: Path) -> tuple[Floats, Indices]:
    """Read the one array of points and the one of triangles."""
    arrays = parse_xml(path.read_bytes()).all("DataArray")
    points, triangles = (_the_one(arrays, intent) for intent in (_POINTS, _TRIANGLES))
    return _values(points).astype(np.float64), _values(triangles).astype(np.int64)


def gifti_text(vertices: Floats, faces: Indices) -> str:
    """Say points and triangles as numbers in text, with all digits."""
    arrays = ((_POINTS, "FLOAT64", vertices), (_TRIANGLES, "INT32", faces))
    return _XML.format(count=len(arrays), arrays="".join(_array_text(*one) for one in arrays))


def _array_text(intent: str, kind: str, rows: Floats | Indices) -> str:
    data = "\n".join(" ".join(map(repr, row)) for row in rows.tolist())
    return (
        f'<DataArray Intent="{intent}" DataType="NIFTI_TYPE_{kind}" Dimensionality="2" '
        f'Dim0="{len(rows)}" Dim1="3" ArrayIndexingOrder="RowMajorOrder" Encoding="ASCII" '
        f'Endian="LittleEndian" ExternalFileName="" ExternalFileOffset=""><Data>{data}</Data>'
        "</DataArray>\n"
    )


_XML = """<?xml version="1.0" encoding="UTF-8"?>
<GIFTI Version="1.0" NumberOfDataArrays="{count}">
{arrays}</GIFTI>
"""


def read_gifti_overlay(path: Path) -> NDArray[np.float64]:
    """Read the one array of a number a vertex."""
    arrays = parse_xml(path.read_bytes()).all("DataArray")
    if len(arrays) != 1:
        raise ValueError(f"it has {len(arrays)} arrays where a number a vertex is one")
    values = _values(arrays[0])
    if values.size != max(values.shape, default=0):
        raise ValueError(f"its array has shape {values.shape}, and no number a vertex")
    return values.reshape(-1).astype(np.float64)


def write_gifti_overlay(path: Path, values: NDArray[np.float64]) -> None:
    """Write a number a vertex, with all digits."""
    data = base64.b64encode(values.astype("<f8").tobytes()).decode()
    path.write_text(_OVERLAY.format(count=values.size, data=data), encoding="utf-8")


_OVERLAY = """<?xml version="1.0" encoding="UTF-8"?>
<GIFTI Version="1.0" NumberOfDataArrays="1">
<DataArray Intent="NIFTI_INTENT_NONE" DataType="NIFTI_TYPE_FLOAT64"
 Dimensionality="1" Dim0="{count}" ArrayIndexingOrder="RowMajorOrder" Encoding="Base64Binary"
 Endian="LittleEndian" ExternalFileName="" ExternalFileOffset=""><Data>{data}</Data></DataArray>
</GIFTI>
"""


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
