"""Reading and writing triangle meshes: obj, ply, stl, off, glb, npz, GIFTI, VTK, FreeSurfer."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from geomdp.errors import InvalidRecordError, reason_of
from geomdp.runtime.limits import require_plain_file
from geomdp.runtime.npy_format import read_npz_arrays, read_npz_heads
from geomdp.serial import parse_json
from geomdp.surfaces.mesh.freesurfer_format import SURFACES, read_freesurfer
from geomdp.surfaces.mesh.surface import Surface
from geomdp.surfaces.mesh.vtk_format import read_vtk, read_vtp
from geomdp.surfaces.mesh.xml_formats import gifti_text, read_gifti
from geomdp.typing import Floats, Indices

# --- Wavefront obj as far as geometry goes: vertices and polygons, exact numbers, stable order.
# Read here rather than by a general library, which would split vertices along texture seams and
# so cut the surface open.

#: First line of our own files: the counts that let a reader notice a file cut short.
COUNTS = "# counts"


def read_obj(path: Path) -> tuple[Floats, Indices]:
    r"""Vertices and triangles; polygons become fans, negative indices count from the end."""
    vertices: list[list[float]] = []
    faces: list[list[int]] = []
    expected: list[int] | None = None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        word, _, rest = line.strip().partition(" ")
        try:
            if line.startswith(COUNTS):
                expected = [int(count) for count in line[len(COUNTS) :].split()]
            elif word == "v":
                x, y, z = (float(part) for part in rest.split()[:3])
                vertices.append([x, y, z])
            elif word == "f":
                faces += _fan(rest, len(vertices))
        except ValueError as error:
            raise InvalidRecordError(f"line {number} is {line.strip()[:60]!r}") from error
    if not vertices or not faces:
        raise InvalidRecordError(f"it has {len(vertices)} vertices and {len(faces)} triangles")
    if expected is not None and expected != [len(vertices), len(faces)]:
        raise InvalidRecordError(f"it has {len(faces)} triangles and announces {expected[-1:]}")
    return np.array(vertices), np.array(faces)


def _obj_text(vertices: Floats, faces: Indices) -> str:
    """Say vertices with all their digits, so that reading gives the same numbers back."""
    head = f"{COUNTS} {len(vertices)} {len(faces)}\n"
    return head + _lines(vertices, "v ") + _lines(faces + 1, "f ")


# --- The other formats that are written as text, with all digits too: a released mesh is written
# again to be verified, and text can be compared across machines, whose last digits differ.


def _lines(rows: Floats | Indices, before: str = "") -> str:
    return "".join(f"{before}{' '.join(map(repr, row))}\n" for row in rows.tolist())


def _ply_text(vertices: Floats, faces: Indices) -> str:
    places = "".join(f"property double {one}\n" for one in "xyz")
    return (
        f"ply\nformat ascii 1.0\nelement vertex {len(vertices)}\n{places}"
        f"element face {len(faces)}\nproperty list uchar int vertex_indices\nend_header\n"
        f"{_lines(vertices)}{_lines(faces, '3 ')}"
    )


def _off_text(vertices: Floats, faces: Indices) -> str:
    return f"OFF\n{len(vertices)} {len(faces)} 0\n{_lines(vertices)}{_lines(faces, '3 ')}"


def _stl_text(vertices: Floats, faces: Indices) -> str:
    """Say each triangle by itself; normals follow from the order of its corners."""
    facets = "".join(
        f"facet normal 0 0 0\nouter loop\n{_lines(corners, 'vertex ')}endloop\nendfacet\n"
        for corners in vertices[faces]
    )
    return f"solid surface\n{facets}endsolid surface\n"


def _fan(corners: str, count: int) -> list[list[int]]:
    """Triangles of a polygon from ``v``, ``v/vt`` or ``v/vt/vn`` entries, counted from one."""
    given = [int(corner.split("/")[0]) for corner in corners.split()]
    indices = [index - 1 if index > 0 else count + index for index in given]
    if len(indices) < 3:
        raise ValueError("a face needs three corners")
    return [[indices[0], indices[k], indices[k + 1]] for k in range(1, len(indices) - 1)]


# --- Does a mesh file hold all that its header announces?
# Parsers often read a stump in silence.


def require_complete(path: Path) -> None:
    r"""Compare an off, ply, stl or glb file with its own announcement; other formats pass."""
    check = {".off": _off, ".ply": _ply, ".stl": _stl, ".glb": _glb}.get(path.suffix.lower())
    if check is not None:
        check(path.read_bytes())


def _off(content: bytes) -> None:
    lines = [line.split(b"#")[0].split() for line in content.splitlines()]
    words = [line for line in lines if line]
    if words and words[0] == [b"OFF"]:
        words = words[1:]
    counts = [int(word) for word in words[0] if word.isdigit()] if words else []
    if len(counts) < 2:
        raise InvalidRecordError("it has no line with the number of vertices and faces")
    _require_lines(sum(counts[:2]), [b" ".join(line) for line in words[1:]])


def _ply(content: bytes) -> None:
    header, end, body = content.partition(b"end_header")
    if not end:
        raise InvalidRecordError("its header does not end")
    elements = [line.split() for line in header.splitlines() if line.startswith(b"element")]
    announced = sum(int(line[2]) for line in elements)
    if announced > len(body):
        raise InvalidRecordError(f"it announces {announced} elements in {len(body)} bytes")
    if b"format ascii" in header:
        _require_lines(announced, body.split(b"\n")[1:])


def _stl(content: bytes) -> None:
    if len(content) >= 84 and len(content) == 84 + 50 * struct.unpack("<I", content[80:84])[0]:
        return
    if not content.lstrip().startswith(b"solid"):
        raise InvalidRecordError("its length is not that of the number of triangles it announces")
    if b"endsolid" not in content[-1000:]:
        raise InvalidRecordError("its last line is not 'endsolid'")


def _glb(content: bytes) -> None:
    """Add up what arrays claim: one without bytes in the file is made of zeros by its length."""
    length = struct.unpack("<I", content[12:16])[0]
    if length > len(content) - 20:
        raise InvalidRecordError("its description is cut short")
    document = parse_json(content[20 : 20 + length])
    counts = [abs(int(one["count"])) for one in document.get("accessors", ())]
    if sum(counts) > len(content):  # a number takes a byte at least
        raise InvalidRecordError(f"it announces {sum(counts)} entries in {len(content)} bytes")


def _require_lines(announced: int, lines: list[bytes]) -> None:
    found = [line.split() for line in lines if line.strip()]
    if len(found) < announced:
        raise InvalidRecordError(
            f"it announces {announced} lines of vertices and faces and has {len(found)}"
        )
    last = found[announced - 1]
    if last[0].isdigit() and len(last) < int(last[0]) + 1:
        raise InvalidRecordError("its last face is not complete")


READABLE = (".obj", ".ply", ".stl", ".off", ".glb", ".npz", ".gii", ".vtk", ".vtp", *SURFACES)
#: Formats that are written with all digits, the first where nothing says another.
TEXTS: dict[str, Callable[[Floats, Indices], str]] = {
    ".obj": _obj_text,
    ".ply": _ply_text,
    ".off": _off_text,
    ".stl": _stl_text,
    ".gii": gifti_text,
}
USUAL = next(iter(TEXTS))
WRITABLE = (*TEXTS, ".glb")

#: Formats that repeat a vertex for each triangle or texture seam: equal positions become one.
UNSHARED = (".stl", ".glb")

Mesh = tuple[Floats, Indices]


def read_surface(path: str | Path) -> Surface:
    """Read a triangle mesh; its name is the name of the file.

    Vertices keep the order of the file, so that meshes in correspondence stay so (stl and glb may
    repeat vertices: equal positions are merged). An npz file holds arrays ``vertices`` and
    ``faces``. ply, stl, off and glb need trimesh: ``pip install geomdp[surfaces]``. A file cut
    short is refused, except an obj file of another program cut between two faces: such a file
    does not say how many it should have.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "triangle.obj"
    >>> write_surface(Surface(np.eye(3), [[0, 1, 2]]), path)
    >>> read_surface(path).faces.tolist()
    [[0, 1, 2]]
    """
    path = Path(path)
    kind = path.suffix.lower()
    if kind not in READABLE:
        raise InvalidRecordError(
            f"cannot read {path.name}: {kind or 'a file without ending'} is not a known mesh "
            f"format; convert it to one of {', '.join(READABLE)}."
        )
    if not path.exists():
        raise InvalidRecordError(f"cannot read {path}: there is no such file; check the path.")
    require_plain_file(path)
    reader = _READERS.get(kind, _read_with_trimesh)
    if reader is _read_with_trimesh:
        _trimesh(path)
    try:
        vertices, faces = reader(path)
    # Parsers fail in many ways on a damaged file (struct, index, key, decode, memory errors).
    except Exception as error:
        raise InvalidRecordError(
            f"cannot read {path.name}: it is cut short or not a valid {kind} mesh "
            f"({reason_of(error)}); copy or export the file again."
        ) from error
    surface = Surface(vertices, faces, path.name)  # refuses faces of vertices that are not there
    return Surface(*_merged(surface), path.name) if kind in UNSHARED else surface


def as_read(surface: Surface, kind: str) -> Surface:
    """Return a surface as a file of this ending gives it back: some repeat vertices."""
    if kind not in UNSHARED:
        return surface
    apart = np.arange(surface.faces.size).reshape(-1, 3)
    return Surface(*_merged(Surface(surface.vertices[surface.faces.reshape(-1)], apart)))


def written_as(name: str) -> str:
    """Return how files are written beside one of this name: with its ending, where that can be."""
    ending = Path(name).suffix.lower()
    return ending if ending in TEXTS else USUAL


def write_surface(surface: Surface, path: str | Path) -> None:
    """Write a mesh as obj, ply, off, stl or GIFTI (text, all digits), or as glb (binary).

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "triangle.obj"
    >>> write_surface(Surface(np.eye(3), [[0, 1, 2]]), path)
    >>> path.exists()
    True
    """
    path = Path(path)
    kind = path.suffix.lower()
    if kind not in WRITABLE:
        raise InvalidRecordError(
            f"cannot write {path.name}: choose a file name that ends in {', '.join(WRITABLE)}."
        )
    if kind in TEXTS:
        path.write_text(TEXTS[kind](surface.vertices, surface.faces), encoding="utf-8")
        return
    mesh = _trimesh(path).Trimesh(surface.vertices, surface.faces, process=False)
    mesh.export(path)


def _read_npz(path: Path) -> Mesh:
    names = {"vertices", "faces"}
    missing = names - set(read_npz_heads(path))
    if missing:
        raise InvalidRecordError(f"no array named {' and '.join(sorted(missing))}")
    arrays = read_npz_arrays(path, names)
    return arrays["vertices"], arrays["faces"]


#: Readers of this package; all other formats are trimesh's.
_READERS: dict[str, Callable[[Path], Mesh]] = {
    ".obj": read_obj,
    ".npz": _read_npz,
    ".gii": read_gifti,
    ".vtk": read_vtk,
    ".vtp": read_vtp,
    **dict.fromkeys(SURFACES, read_freesurfer),
}


def _read_with_trimesh(path: Path) -> Mesh:
    require_complete(path)
    # As bytes, so that a file cannot name others to be opened; textures would start other decoders.
    content, kind = io.BytesIO(path.read_bytes()), path.suffix.lower()[1:]
    bare = {"skip_materials": True} if kind in ("glb", "ply") else {}
    mesh = _trimesh(path).load_mesh(content, file_type=kind, process=False, **bare)
    return np.array(mesh.vertices, dtype=np.float64), np.array(mesh.faces, dtype=np.int64)


def _trimesh(path: Path) -> Any:
    try:
        import trimesh
    except ImportError as error:
        raise InvalidRecordError(
            f"{path.suffix} files such as {path.name} need trimesh; install it with "
            "pip install 'geomdp[surfaces]', or use obj or npz."
        ) from error
    return trimesh


def _merged(surface: Surface) -> Mesh:
    """One vertex for each position, in order of first appearance."""
    vertices = surface.vertices
    _, first, inverse = np.unique(vertices, axis=0, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))
    return vertices[np.sort(first)], rank[inverse.ravel()][surface.faces]
