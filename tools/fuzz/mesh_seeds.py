"""Small meshes in GIFTI and VTK files, and arrays in MATLAB files, to start from."""

import base64
import gzip
import io
import struct
import zlib
from functools import cache
from random import Random

import numpy as np
from tools.fuzz.mutations import damage, damage_text

_POINTS = np.eye(3, dtype="<f4")
_CORNERS = np.array([0, 1, 2], dtype="<i4")
VTK = (
    b"# vtk DataFile Version 3.0\nmesh\nASCII\nDATASET POLYDATA\nPOINTS 4 float\n0 0 0 1 0 0\n"
    b"1 1 0 0 1 0\nPOLYGONS 2 8\n3 0 1 2\n3 0 2 3\n"
)
VTK_OFFSETS = (
    b"# vtk DataFile Version 5.1\nmesh\nASCII\nDATASET POLYDATA\nPOINTS 4 double\n0 0 0 1 0 0\n"
    b"1 1 0 0 1 0\nPOLYGONS 2 4\nOFFSETS vtktypeint64\n0 4\nCONNECTIVITY vtktypeint64\n0 1 2 3\n"
)


@cache
def binary_vtk() -> bytes:
    """Return an older file whose numbers are binary."""
    cells = np.array([3, 0, 1, 2], dtype=">i4").tobytes()
    head = b"# vtk DataFile Version 3.0\nmesh\nBINARY\nDATASET POLYDATA\nPOINTS 3 float\n"
    return head + np.eye(3, dtype=">f4").tobytes() + b"\nPOLYGONS 1 4\n" + cells + b"\n"


def gifti(encoding: str) -> bytes:
    """Return a surface of one triangle."""
    parts = []
    for intent, kind, array in (
        ("POINTSET", "FLOAT32", _POINTS),
        ("TRIANGLE", "INT32", _CORNERS.reshape(1, 3)),
    ):
        packed = array.tobytes()
        if encoding == "GZipBase64Binary":
            packed = zlib.compress(packed)
        data = base64.b64encode(packed).decode()
        if encoding == "ASCII":
            data = " ".join(map(str, array.reshape(-1).tolist()))
        parts.append(
            f'<DataArray Intent="NIFTI_INTENT_{intent}" DataType="NIFTI_TYPE_{kind}" '
            f'ArrayIndexingOrder="RowMajorOrder" Dimensionality="2" Dim0="{len(array)}" Dim1="3" '
            f'Encoding="{encoding}" Endian="LittleEndian"><Data>{data}</Data></DataArray>'
        )
    return f'<?xml version="1.0"?><GIFTI Version="1.0">{"".join(parts)}</GIFTI>'.encode()


def vtp(form: str, packed: bool) -> bytes:
    """Return a piece of PolyData of one triangle."""
    arrays = {"points": _POINTS, "connectivity": _CORNERS, "offsets": _CORNERS[:1] + 3}
    blocks = {name: _block(array.tobytes(), packed) for name, array in arrays.items()}
    offsets = dict(zip(blocks, np.cumsum([0, *map(len, blocks.values())]).tolist(), strict=False))

    def node(name: str) -> str:
        kind = "Float32" if name == "points" else "Int32"
        text = "" if form == "appended" else blocks[name].decode()
        if form == "ascii":
            text = " ".join(map(str, arrays[name].reshape(-1).tolist()))
        place = f' offset="{offsets[name]}"' if form == "appended" else ""
        return f'<DataArray type="{kind}" Name="{name}" format="{form}"{place}>{text}</DataArray>'

    how = ' compressor="vtkZLibDataCompressor"' if packed else ""
    tail = b"".join(blocks.values()).decode() if form == "appended" else ""
    ends = f'<AppendedData encoding="base64">_{tail}</AppendedData>' if tail else ""
    inside = "".join(map(node, ("connectivity", "offsets")))
    return (
        f'<VTKFile type="PolyData" byte_order="LittleEndian" header_type="UInt32"{how}><PolyData>'
        f'<Piece NumberOfPoints="3" NumberOfPolys="1"><Points>{node("points")}</Points>'
        f"<Polys>{inside}</Polys></Piece></PolyData>{ends}</VTKFile>"
    ).encode()


def _block(data: bytes, packed: bool) -> bytes:
    if not packed:
        return base64.b64encode(struct.pack("<I", len(data)) + data)
    inside = zlib.compress(data)
    head = struct.pack("<4I", 1, len(data), 0, len(inside))
    return base64.b64encode(head) + base64.b64encode(inside)


@cache
def mat(packed: bool) -> bytes:
    """Return arrays of numbers and texts as MATLAB writes them."""
    from scipy.io import savemat

    stream = io.BytesIO()
    points = np.array([[0.0, 0.0, 1.0], [0.6, 0.0, 0.8], [0.0, 0.6, 0.8], [0.8, 0.0, 0.6]])
    names = np.array(["a", "bc", "d", "e"], dtype=object)
    savemat(stream, {"points": points, "sex": names, "s": {"x": 1}}, do_compression=packed)
    return stream.getvalue()


def mat_repacked(rng: Random) -> bytes:
    """Return a MATLAB file whose compressed arrays are damaged inside."""
    data = mat(False)
    inside = zlib.compress(damage(rng, data[128:400], 0), 1)
    return data[:128] + struct.pack("<II", 15, len(inside)) + inside


def gzipped_table(rng: Random) -> bytes:
    """Return a gzipped table that is damaged inside, or outside."""
    table = damage_text(rng, b"x,y,z\n0,0,1\n0.6,0,0.8\n")
    whole = gzip.compress(table, 1, mtime=0)
    return whole if rng.random() < 0.7 else damage(rng, whole, 10)
