"""Valid files to start from, made on the spot: nothing here is anybody's data."""

import io
import json
import struct
import zipfile
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from tools.fuzz.mutations import ODD_NUMBERS, damage, damage_document, damage_text

POINTS = np.array([[0.0, 0.0, 1.0], [0.6, 0.0, 0.8], [0.0, 0.6, 0.8]])
TENSORS = np.stack([np.eye(3), 2 * np.eye(3), np.diag([1.0, 2.0, 3.0])])
TRIANGLES = np.random.default_rng(0).standard_normal((3, 3, 2))

_DTYPES = (
    *("<f8", ">f8", "<f4", "<f2", "<i8", "<u1", "|b1", "<c16", "|O", "<U3", "|S4", "|V8", "<M8[s]"),
    *("<f16", "<m8", "[('a', '<f8')]", "x", "<f9999999", "<U99999999"),
)
_SHAPES = (
    *("(3, 3)", "(3,)", "()", "(0, 3)", "(3, 0)", "(9,)", "(3, 3, 3)", "(-1, 3)", "(3, -3)"),
    *("(1000000000000,)", "(4294967296, 4294967296)", "(9223372036854775807, 2)", "(3, 3, 1)"),
    *(
        "(True, 3)",
        "3",
        "[3, 3]",
        "(3.0, 3)",
        "None",
        "(" + "1," * 65 + ")",
        "(3, 18446744073709551616)",
    ),
)


class Bomb:
    """Unpickling it leaves a trace that the contract looks for."""

    exploded = False

    def __reduce__(self) -> tuple[Callable[[], None], tuple[()]]:
        return (explode, ())


def explode() -> None:
    """Tell that a pickle was loaded."""
    Bomb.exploded = True


def npy(array: np.ndarray) -> bytes:
    """Return the bytes of an npy file; object arrays are pickled, as an attacker would."""
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=True)
    return stream.getvalue()


def npy_with_header(rng: Random) -> bytes:
    """Return an npy file whose header is well formed and may lie."""
    body = POINTS.tobytes()[: rng.choice((72, 72, 64, 8, 0))]
    dtype, shape = rng.choice(_DTYPES), rng.choice(_SHAPES)
    described = dtype if dtype.startswith("[") else repr(dtype)
    order = rng.choice(("False", "True", "False", "1"))
    text = f"{{'descr': {described}, 'fortran_order': {order}, 'shape': {shape}, }}\n".encode()
    if rng.random() < 0.1:
        return b"\x93NUMPY\x02\x00" + struct.pack("<I", len(text)) + text + body
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + body


@cache
def objects() -> bytes:
    """Return an npy file with a pickle in it that would run code."""
    return npy(np.array([Bomb(), Bomb(), Bomb()], dtype=object))


def npz(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return an archive of members that need not be arrays."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data, compress_type=method)
    return stream.getvalue()


def npz_of_odd_members(rng: Random) -> bytes:
    """Return a sound archive of damaged, lying, huge, pickled or oddly named members."""
    odd = rng.choice(
        (
            npy_with_header(rng),
            damage(rng, npy(POINTS), 6),
            npy(POINTS)[: rng.randrange(200)],
            objects(),
            npy(POINTS.astype(rng.choice(("f4", "c16", "i8", "U5", "S3")))),
        )
    )
    name = rng.choice(
        (
            "points",
            "file",
            "allow_pickle",
            "12345678",
            "",
            "../up",
            "a/b",
            "x" * 300,
            "NA",
            "ä",
            "\n",
        )
    )
    members = {f"{name}{rng.choice(('.npy', ''))}": odd}
    if rng.random() < 0.5:
        members["sex.npy"] = npy(np.array(rng.choice((["a", "b", "c"], [1.0, np.nan, np.inf], []))))
    return npz(members, rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)))


def csv_table(rng: Random) -> bytes:
    """Return a table with odd cells, headers, ends of lines and quotes."""
    mark, end = rng.choice(",,;\t"), rng.choice(("\n", "\n", "\r\n", "\r", "\n\n"))
    width = rng.choice((3, 3, 3, 4, 1))
    header = [rng.choice(("x", "y", "z", "sex", "t_xx", "NA", "1", "0.5")) for _ in range(width)]
    rows = [header] if rng.random() < 0.7 else []
    for _ in range(rng.randrange(5)):
        cells = [f"{rng.uniform(-1, 1):.3g}" for _ in range(width)]
        if rng.random() < 0.5:
            cells[rng.randrange(width)] = rng.choice(ODD_NUMBERS)
        if rng.random() < 0.1:
            cells = cells * 2
        rows.append(cells)
    return end.join(mark.join(row) for row in rows).encode()


WIDE = b"x0,x1,x2,y0,y1,y2\n0,1,0.2,0,0.4,1\n0,1,0.3,0,0.5,1\n"
LONG = b"specimen,landmark,x,y,site\n" + b"".join(
    f"leaf{i},{j + 1},{x!r},{y!r},{'ab'[i % 2]}\n".encode()
    for i, points in enumerate(TRIANGLES.tolist())
    for j, (x, y) in enumerate(points)
)
NTS = b'"remark\n1 3L 6 1 -999 dim=2\na b c\n' + b"0 0 1 0 0.1 0.9\n" * 3
#: A number a vertex, and a surface of one triangle, as FreeSurfer writes them.
THICKNESS = b"\xff\xff\xff" + struct.pack(">iii3f", 3, 0, 1, 2.0, 2.5, 3.0)
WHITE = b"\xff\xff\xfemade\n\n" + struct.pack(">ii9f3i", 3, 1, *POINTS.flat, 0, 1, 2)
MGH = struct.pack(">7i", 1, 3, 1, 1, 1, 3, 0).ljust(284, b"\0") + struct.pack(">3f", 2, 2.5, 3)
#: Taxa by samples, as QIIME writes them.
OTU = b"# remark\n#OTU ID\ta\tb\tc\n" + b"one\t1\t2\t3\ntwo\t0\t2\t5\nall\t9\t0\t1\n"
TPS = b"".join(
    b"LM=3\n%sIMAGE=a%d.jpg\nID=s%d\nSCALE=1.5\n"
    % ("".join(f"{x!r} {y!r}\n" for x, y in points).encode(), i, i % 2)
    for i, points in enumerate(TRIANGLES.tolist())
)
OBJ = (
    b"# counts 4 4\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
    b"vt 0 0\nf 1 3 2\nf 1/1 2/1 4/1\nf 2//1 3//1 4//1\nf -4 -1 -2\n"
)
OFF = b"OFF\n4 4 6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n"
PLY = (
    b"ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
    b"property float z\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n"
    b"0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n"
)
STL_TEXT = (
    b"solid s\n"
    + b"facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n"
    b"endfacet\n" * 2 + b"endsolid s\n"
)
STL = b"\0" * 80 + struct.pack("<I", 2) + struct.pack("<12fH", *range(12), 0) * 2


@cache
def binary_ply() -> bytes:
    """Return the same mesh in binary."""
    header = PLY.partition(b"end_header\n")[0].replace(b"ascii", b"binary_little_endian")
    body = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "<f4").tobytes()
    faces = ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2))
    return header + b"end_header\n" + body + b"".join(struct.pack("<B3i", 3, *f) for f in faces)


@cache
def glb() -> bytes:
    """Return the same mesh as binary glTF."""
    import trimesh

    mesh = trimesh.Trimesh(np.vstack([np.zeros(3), np.eye(3)]), [[0, 2, 1], [0, 1, 3], [1, 2, 3]])
    return bytes(mesh.export(file_type="glb"))


def glb_with_sound_lengths(rng: Random) -> bytes:
    """Return binary glTF whose document is damaged and whose lengths fit again."""
    data = glb()
    length = int.from_bytes(data[12:16], "little")
    document = damage_document(rng, json.loads(data[20 : 20 + length]))
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    chunk = struct.pack("<I", len(text)) + b"JSON" + text
    body = chunk + data[20 + length :]
    return data[:8] + struct.pack("<I", 12 + len(body)) + body


@cache
def parquet(kind: str) -> bytes:
    """Return a parquet file of columns, of lists, or with nulls and texts."""
    import pyarrow
    import pyarrow.parquet

    columns: dict[str, dict[str, Any]] = {
        "columns": {"x": POINTS[:, 0], "y": POINTS[:, 1], "z": POINTS[:, 2]},
        "lists": {"points": POINTS.tolist()},
        "nulls": {"x": [0.0, None, 1.0], "y": ["a", "b", None], "z": [1, 2, 3]},
        "odd": {"12345678": [0.0, 1.0], "": [1.0, 2.0], "NA": [True, False]},
        "ragged": {"points": [[1.0], [1.0, 2.0], None]},
    }
    stream = io.BytesIO()
    compression = "none" if kind in ("columns", "nulls") else "snappy"
    pyarrow.parquet.write_table(pyarrow.table(columns[kind]), stream, compression=compression)
    return stream.getvalue()


@cache
def nifti(components: int = 6) -> bytes:
    """Return the bytes of a small field of tensors."""
    import nibabel

    field = TENSORS if components == 9 else TENSORS[:, *np.tril_indices(3)]
    shape = (3, 1, 1, 3, 3) if components == 9 else (3, 1, 1, 6)
    return bytes(nibabel.Nifti1Image(field.reshape(shape), np.eye(4)).to_bytes())


def nifti_with_header(rng: Random) -> bytes:
    """Return a field whose header keeps its signature and lies elsewhere."""
    held = bytearray(nifti(rng.choice((6, 9))))
    for _ in range(rng.choice((1, 1, 2, 3))):
        kind = rng.randrange(5)
        if kind == 0:  # dim: number of axes and lengths, 16-bit
            value = rng.choice((0, 1, 3, 6, 7, 9, -1, 32767, -32768))
            struct.pack_into("<h", held, 40 + 2 * rng.randrange(8), value)
        elif kind == 1:  # datatype and bits
            code = rng.choice((0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1536, 2304, -1, 768))
            struct.pack_into("<h", held, rng.choice((70, 72)), code)
        elif kind == 2:  # offset, slope, intercept
            value = rng.choice((0.0, 352.0, 1e30, -1.0, float("nan"), float("inf"), 353.0, 1e9))
            struct.pack_into("<f", held, rng.choice((108, 112, 116)), value)
        elif kind == 3:  # number of extension bytes
            held[348:352] = rng.choice((b"\1\0\0\0", b"\xff" * 4, b"\0" * 4))
        else:
            held[rng.randrange(4, len(held))] = rng.randrange(256)
    held[0:4], held[344:348] = struct.pack("<i", 348), b"n+1\0"
    return bytes(held)


@cache
def image(kind: str) -> bytes:
    """Return a small image."""
    from PIL import Image

    pixels = np.random.default_rng(0).integers(0, 256, (8, 8), dtype=np.uint8)
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, kind)
    return stream.getvalue()


def png_with_sound_checksums(rng: Random) -> bytes:
    """Return a png whose chunks are damaged and whose checksums fit again."""
    data, parts, place = image("png"), [], 8
    while place < len(data):
        length = int.from_bytes(data[place : place + 4], "big")
        body = data[place + 4 : place + 8 + length]
        if rng.random() < 0.4:
            body = body[:4] + damage(rng, body[4:])
            if body[:4] == b"IHDR" and rng.random() < 0.3:
                size = rng.choice((0, 1, 2**31 - 1, 65535, 8))
                body = b"IHDR" + struct.pack(">I", size) + body[8:]
        parts.append(struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body)))
        place += 12 + length
    return data[:8] + b"".join(parts)


@cache
def plans() -> tuple[Any, ...]:
    """Return plans of several kinds as documents."""
    import geomdp as dp

    sphere = dp.FrechetMean(dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5))
    flat = dp.FrechetMean(dp.Ball(dp.Euclidean(2), center=[0, 0], radius=1.0))
    made = [
        dp.plan(sphere, n=20, budget=dp.Pure(5), mechanism="laplace"),
        dp.plan(flat, n=20, budget=dp.GDP(1)),
        dp.plan(dp.Summary(dp.Sphere(2), 0.01), budget=dp.Pure(1)),
        dp.plan(flat, n=20, budget=dp.Approximate(1, "1e-6")),
        dp.plan(flat, n={"a": 3, "b": 4}, budget=dp.Pure(3)),
        *_single_plans(),
        dp.plan(dp.Refined(flat), n=50, budget=dp.Pure(9)),
    ]
    return tuple(json.loads(json.dumps(one.to_json())) for one in made)


def _single_plans() -> list[Any]:
    """Return plans of many statistics, spaces and readings, quick to make again."""
    import geomdp as dp
    from geomdp.curves import FunctionMean, Matern

    plane = dp.Ball(dp.Euclidean(2), center=[0, 0], radius=1.0)
    shares = dp.Ball(dp.Sphere(2), center=np.sqrt([0.5, 0.3, 0.2]), radius=0.3)
    pose = dp.Product(dp.Rotations(), dp.Euclidean(1), weights=(1.0, 0.5))
    placed = dp.Ball(pose, center=[0, 0, 0, 1.0, 0], radius=0.3)
    known: Any = {"mechanism": "tangent-gaussian", "budget": dp.GDP(9), "n": 20}
    return [
        dp.plan(voxel_map(), **known),
        dp.plan(dp.TangentMean(shares), reading=dp.readings.Compositions(), **known),
        dp.plan(dp.TangentMean(placed), names=["pose", "place"], **known),
        dp.plan(dp.Moments(plane), **known),
        dp.plan(dp.Regression(plane, {"age": (20.0, 90.0), "sex": ("f", "m")}), **known),
        dp.plan(dp.TangentMean(dp.Ball(dp.Correlation(2), np.eye(2), 0.5)), **known),
        dp.plan(FunctionMean(np.zeros(5), 1.0, Matern(0.5), 0.1), **known),
    ]


@cache
def voxel_map() -> Any:
    """Return the mean map of the tensors of :func:`nifti`, two of its three voxels."""
    import geomdp as dp
    from geomdp.statistics.map_mean import VoxelGrid

    grid = VoxelGrid(np.array([True, False, True]).reshape(3, 1, 1), np.eye(4))
    ball = dp.Ball(dp.SPD(3, metric="log-euclidean"), center=np.eye(3), radius=2.0)
    return dp.MapMean(ball, grid.count, grid=grid)


@cache
def release_files() -> tuple[dict[str, bytes], ...]:
    """Return the files of releases, by name."""
    import tempfile

    import geomdp as dp

    flat = dp.FrechetMean(dp.Ball(dp.Euclidean(2), center=[0, 0], radius=1.0))
    plain = [dp.plan(flat, n=20, budget=dp.Pure(5)), dp.plan(flat, n=20, budget=dp.GDP(1))]
    # Not regression, whose records have covariates beside them.
    made_of = [one for one in _single_plans() if one.statistic.tag != "regression"]
    found = []
    for made in (*plain, *made_of):
        records = np.stack([_raw_record(made)] * 20)
        with tempfile.TemporaryDirectory() as folder:
            made.release(records).save(Path(folder) / "out")
            files = (Path(folder) / "out").iterdir()
            found.append({f.name: f.read_bytes() for f in files if f.suffix != ".html"})
    return tuple(found)


def _raw_record(plan: Any) -> np.ndarray:
    """Return a public record as files have it."""
    record = np.asarray(plan.statistic.public_record)
    return record if plan.reading is None else np.asarray(plan.reading.value(record))


@cache
def balls() -> tuple[Any, ...]:
    """Return balls as documents."""
    import geomdp as dp

    plane = dp.Ball(dp.Euclidean(2), [0.0, 1.0], 0.5, source="a paper")
    tensors = dp.Ball(dp.SPD(2), np.eye(2), 1.0)
    shaped = dp.Ball(dp.Euclidean(2), [0.0, 0.0], 1.0, form=np.diag([1.0, 0.25]))
    return tuple(json.loads(json.dumps(ball.to_json())) for ball in (plane, tensors, shaped))


def budget_text(rng: Random) -> bytes:
    """Return the text of a number, more or less."""
    text = rng.choice(
        (*ODD_NUMBERS, "1", "0.1", "1e-6", "3/7", "1e5000", "1e-5000", "1e-999999999")
    )
    return damage_text(rng, text.encode()) if rng.random() < 0.6 else text.encode()


#: Short names of spaces begin like this.
FAMILIES = (
    *("euclidean", "hyperbolic", "planar-shapes", "spd", "sphere", "rotations", "correlation"),
    *("size-and-shape", "shapes", "product", "product:sphere:2+euclidean:1*0.5"),
)


def spec_text(rng: Random) -> bytes:
    """Return the short name of a space, more or less."""
    family = rng.choice(FAMILIES)
    parts = [
        rng.choice((*ODD_NUMBERS, "log-euclidean", "affine", "2"))
        for _ in range(rng.choice((1, 1, 2, 3)))
    ]
    return ":".join([family, *parts]).encode()
