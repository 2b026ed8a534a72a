"""Reading and writing triangle meshes: obj, ply, stl, off, glb, npz, GIFTI, VTK."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError, reason_of
from geomdp.io.limits import require_plain_file
from geomdp.io.npy_format import read_npz_arrays, read_npz_heads
from geomdp.surfaces.mesh.completeness import require_complete
from geomdp.surfaces.mesh.gifti_format import read_gifti
from geomdp.surfaces.mesh.obj_format import read_obj, write_obj
from geomdp.surfaces.mesh.surface import Surface
from geomdp.surfaces.mesh.vtk_format import read_vtk, read_vtp

READABLE = (".obj", ".ply", ".stl", ".off", ".glb", ".npz", ".gii", ".vtk", ".vtp")
WRITABLE = (".obj", ".ply", ".glb")

#: Formats that repeat a vertex for each triangle or texture seam: equal positions become one.
UNSHARED = (".stl", ".glb")

Mesh = tuple[NDArray[np.float64], NDArray[np.int64]]


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


def write_surface(surface: Surface, path: str | Path) -> None:
    """Write a mesh as obj (text, all digits), or as ply or glb (binary, single precision).

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
    if kind == ".obj":
        write_obj(path, surface.vertices, surface.faces)
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
