"""Meshes in VTK files: the older text and binary ones (.vtk), and the XML ones (.vtp)."""

import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geomdp.surfaces.mesh.xml_formats import (
    Node,
    decoded,
    numbers_in,
    parse_xml,
    require_plausible_size,
    unpacked,
)
from geomdp.typing import Floats, Indices

Mesh = tuple[Floats, Indices]

_LEGACY_TYPES = {
    **{"float": "f4", "double": "f8", "int": "i4", "vtktypeint64": "i8", "long": "i8"},
    **{"unsigned_int": "u4", "vtktypeint32": "i4"},
}
_XML_TYPES = {
    **{"Float32": "f4", "Float64": "f8", "Int32": "i4", "Int64": "i8"},
    **{"UInt32": "u4", "UInt64": "u8", "UInt8": "u1", "Int8": "i1"},
}


def read_vtk(path: Path) -> Mesh:
    """Read a data set of type POLYDATA with POINTS and POLYGONS; all else is passed over."""
    legacy = _Legacy(path.read_bytes())
    return legacy.points, legacy.triangles


class _Legacy:
    """A walk through an older VTK file."""

    def __init__(self, data: bytes) -> None:
        self._data, self._place = data, 0
        head = [self._line() for _ in range(3)]
        if not head[0].startswith("# vtk DataFile Version"):
            raise ValueError("no VTK header")
        self._binary = head[2].strip().upper() == "BINARY"
        self.points: Floats = np.empty((0, 3))
        self.triangles: Indices = np.empty((0, 3), dtype=np.int64)
        found = set[str]()
        while (words := self._words()) and found != {"POINTS", "POLYGONS"}:
            keyword = words[0].upper()
            if keyword == "DATASET" and words[1].upper() != "POLYDATA":
                raise ValueError(f"a data set of type {words[1]} is no surface of POLYDATA")
            if keyword == "POINTS":
                self.points = self._numbers(3 * int(words[1]), words[2]).reshape(-1, 3)
                found.add(keyword)
            elif keyword == "POLYGONS":
                self.triangles = self._polygons(int(words[1]), int(words[2]))
                found.add(keyword)
            elif keyword == "TRIANGLE_STRIPS":
                raise ValueError("triangle strips are not read: export triangles")
        if found != {"POINTS", "POLYGONS"}:
            raise ValueError("it has no POINTS or no POLYGONS")
        self.points = self.points.astype(np.float64)

    def _polygons(self, count: int, size: int) -> Indices:
        before = self._place
        words = self._words()
        if words and words[0].upper() == "OFFSETS":  # since version 5.1
            offsets = self._numbers(count, words[1])
            words = self._words()
            if not words or words[0].upper() != "CONNECTIVITY":
                raise ValueError("OFFSETS without CONNECTIVITY")
            return triangles_of(self._numbers(size, words[1]), offsets[1:])
        self._place = before
        corners, ends, place = list[int](), list[int](), 0
        flat = self._numbers(size, "int").tolist()
        while place < size and len(ends) < count:
            many = max(flat[place], 0)
            corners += flat[place + 1 : place + 1 + many]
            ends.append(len(corners))
            place += 1 + many
        if len(ends) != count:
            raise ValueError(f"{count} polygons are announced and {len(ends)} are there")
        return triangles_of(np.array(corners, dtype=np.int64), np.array(ends, dtype=np.int64))

    def _numbers(self, count: int, kind: str) -> NDArray[Any]:
        dtype = np.dtype(">" + _LEGACY_TYPES[kind.lower()])
        if count < 0 or count > len(self._data):
            raise ValueError(f"{count} numbers do not fit into the file")
        if not self._binary:
            words: list[str] = []
            while len(words) < count and self._place < len(self._data):
                words += self._line().split()
            if len(words) != count:
                raise ValueError(f"{count} numbers are announced and {len(words)} are there")
            return np.array(words, dtype=dtype.newbyteorder("="))
        end = self._place + count * dtype.itemsize
        if end > len(self._data):
            raise ValueError(f"{count} numbers are announced and fewer are there")
        numbers = np.frombuffer(self._data[self._place : end], dtype)
        self._place = end
        return numbers.astype(dtype.newbyteorder("="))

    def _line(self) -> str:
        end = self._data.find(b"\n", self._place)
        end = len(self._data) if end < 0 else end
        line = self._data[self._place : end].decode("latin-1")
        self._place = end + 1
        return line

    def _words(self) -> list[str]:
        """Return the next line that is not empty, as words; nothing at the end."""
        while self._place < len(self._data):
            words = self._line().split()
            if words:
                return words
        return []


def triangles_of(connectivity: NDArray[Any], ends: NDArray[Any]) -> Indices:
    """Return triangles from the corners of all polygons and where each ends, as fans."""
    if not len(ends) or ends[-1] != len(connectivity) or np.any(np.diff(ends, prepend=0) < 3):
        raise ValueError("its polygons have fewer corners than announced")
    fans = [
        [connectivity[start], connectivity[k], connectivity[k + 1]]
        for start, end in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True)
        for k in range(start + 1, end - 1)
    ]
    return np.array(fans, dtype=np.int64)


def read_vtp(path: Path) -> Mesh:
    """Read one piece of PolyData: its points, and its polygons as triangles."""
    data = path.read_bytes()
    document, appended = _without_appended(data)
    root = parse_xml(document)
    if root.name != "VTKFile" or root.attributes.get("type") != "PolyData":
        raise ValueError("it is no VTK file of PolyData")
    pieces = root.all("Piece")
    if len(pieces) != 1:
        raise ValueError(f"it has {len(pieces)} pieces where a surface has one")
    piece, blocks = pieces[0], _Blocks(root, appended)
    if int(piece.attributes.get("NumberOfStrips", 0)):
        raise ValueError("triangle strips are not read: export triangles")
    points = blocks.values(piece.all("Points")[0].all("DataArray")[0]).reshape(-1, 3)
    named = {n.attributes.get("Name"): n for n in piece.all("Polys")[0].all("DataArray")}
    corners, ends = (blocks.values(named[name]) for name in ("connectivity", "offsets"))
    return points.astype(np.float64), triangles_of(corners, ends)


def _without_appended(data: bytes) -> tuple[bytes, bytes]:
    """Return the document without its appended data, which may be raw, and those data."""
    start = data.find(b"<AppendedData")
    if start < 0:
        return data, b""
    mark = data.find(b"_", start)
    end = data.rfind(b"</AppendedData>")
    if mark < 0 or end < mark:
        raise ValueError("its appended data are cut short")
    return data[: mark + 1] + data[end:], data[mark + 1 : end]


class _Blocks:
    """Arrays of an XML file, wherever and however it keeps them."""

    def __init__(self, root: Node, appended: bytes) -> None:
        entries = root.attributes
        self._order = ">" if entries.get("byte_order") == "BigEndian" else "<"
        self._head = _XML_TYPES[entries.get("header_type", "UInt32")]
        compressor = entries.get("compressor", "")
        if compressor not in ("", "vtkZLibDataCompressor"):
            raise ValueError(f"data packed by {compressor} are not read: export them with zlib")
        self._packed, self._appended = bool(compressor), appended
        nodes = root.all("AppendedData")
        self._raw = bool(nodes) and nodes[0].attributes.get("encoding") == "raw"

    def values(self, node: Node) -> NDArray[Any]:
        """Return the numbers of an array."""
        dtype, form = _XML_TYPES[node.attributes["type"]], node.attributes.get("format", "ascii")
        if form == "ascii":
            return numbers_in(node.text, dtype)
        if form == "binary":
            content = self._content(node.text.strip().encode(), raw=False)
        elif form == "appended":
            offset = int(node.attributes["offset"])
            content = self._content(self._appended[max(offset, 0) :], self._raw)
        else:
            raise ValueError(f"an array has the format {form}")
        return np.frombuffer(content, self._order + dtype)

    def _content(self, data: bytes, raw: bool) -> bytes:
        width = np.dtype(self._head).itemsize
        if not self._packed:
            (size,) = self._counts(data, 1, raw)
            return _part(data, raw, 0, width + size)[width:]
        (blocks,) = self._counts(data, 1, raw)
        if blocks > len(data):
            raise ValueError(f"{blocks} blocks do not fit into the file")
        _, full, last, *sizes = self._counts(data, 3 + blocks, raw)
        head = width * (3 + blocks)
        # The header is encoded by itself, and the blocks behind it together.
        start = head if raw else 4 * -(-head // 3)
        packed = _part(data[start:], raw, 0, sum(sizes))
        require_plausible_size(full * (blocks - 1) + (last or full), len(packed))
        parts, place = [], 0
        for i, size in enumerate(sizes):
            whole = last if i == blocks - 1 and last else full
            parts.append(unpacked(packed[place : place + size], whole))
            place += size
        return b"".join(parts)

    def _counts(self, data: bytes, count: int, raw: bool) -> tuple[int, ...]:
        dtype = np.dtype(self._order + self._head)
        head = _part(data, raw, 0, count * dtype.itemsize)
        return tuple(int(n) for n in np.frombuffer(head, dtype))


def _part(data: bytes, raw: bool, start: int, size: int) -> bytes:
    """Return so many bytes of data that may be written in base64."""
    if size < 0 or size > len(data):
        raise struct.error(f"{size} bytes are announced and {len(data)} are there")
    part = data[:size] if raw else decoded(data[: 4 * -(-size // 3)].decode("ascii"))[:size]
    if len(part) != size:
        raise ValueError(f"{size} bytes are announced and {len(part)} are there")
    return part[start:]
