import sys

import numpy as np
import pytest
from surfaces_meshes import spherical_cap

from geomdp.errors import InvalidRecordError
from geomdp.surfaces.mesh.meshio import TEXTS, as_read, read_surface, write_surface
from geomdp.surfaces.mesh.surface import Surface
from geomdp.surfaces.mesh.topology import require_disk

CAP = spherical_cap(6)[0]


def write_any(path, binary=True):
    """Write CAP in any readable format, by another program where we do not write it ourselves."""
    trimesh = pytest.importorskip("trimesh")
    mesh = trimesh.Trimesh(CAP.vertices, CAP.faces, process=False)
    if path.suffix == ".npz":
        np.savez(path, vertices=CAP.vertices, faces=CAP.faces)
    elif path.suffix in (".obj", ".glb"):
        write_surface(CAP, path)
    elif path.suffix == ".ply":
        mesh.export(path, encoding="binary" if binary else "ascii")
    else:
        mesh.export(path, file_type="stl" if binary and path.suffix == ".stl" else None)
    if path.suffix == ".stl" and not binary:
        mesh.export(path, file_type="stl_ascii")
    return path


ALL = [(kind, True) for kind in ("obj", "ply", "stl", "off", "glb", "npz")]
ALL += [("ply", False), ("stl", False)]


@pytest.mark.parametrize(("kind", "binary"), ALL)
def test_a_file_gives_the_surface_back(tmp_path, kind, binary):
    found = read_surface(write_any(tmp_path / f"cap.{kind}", binary))
    assert found.name == f"cap.{kind}"
    assert len(found.vertices) == len(CAP.vertices)
    assert len(require_disk(found)) == 36
    tolerance = 0 if kind in ("obj", "npz") else 1e-7
    np.testing.assert_allclose(
        found.vertices[found.faces], CAP.vertices[CAP.faces], rtol=0, atol=tolerance
    )
    if kind != "stl":
        np.testing.assert_array_equal(found.faces, CAP.faces)


@pytest.mark.parametrize("kind", TEXTS)
def test_what_is_written_as_text_comes_back_with_all_its_digits(tmp_path, kind):
    surface = Surface(CAP.vertices / 3, CAP.faces)
    write_surface(surface, tmp_path / f"cap{kind}")
    found, same = read_surface(tmp_path / f"cap{kind}"), as_read(surface, kind)
    np.testing.assert_array_equal(found.vertices, same.vertices)
    np.testing.assert_array_equal(found.faces, same.faces)
    np.testing.assert_array_equal(found.vertices[found.faces], surface.vertices[surface.faces])


def test_other_programs_read_what_is_written_as_text(tmp_path):
    trimesh, nibabel = pytest.importorskip("trimesh"), pytest.importorskip("nibabel")
    for kind in (".ply", ".off", ".obj"):
        write_surface(CAP, tmp_path / f"cap{kind}")
        found = trimesh.load_mesh(tmp_path / f"cap{kind}", process=False)
        np.testing.assert_array_equal(found.vertices, CAP.vertices)
    write_surface(CAP, tmp_path / "cap.gii")
    points, triangles = (one.data for one in nibabel.load(tmp_path / "cap.gii").darrays)
    np.testing.assert_array_equal(points, CAP.vertices)
    np.testing.assert_array_equal(triangles, CAP.faces)


@pytest.mark.parametrize("fraction", [0.0, 0.02, 0.4, 0.7, 0.9, 0.995])
@pytest.mark.parametrize(("kind", "binary"), ALL)
def test_a_file_cut_short_is_named(tmp_path, kind, binary, fraction):
    path = write_any(tmp_path / f"cap.{kind}", binary)
    content = path.read_bytes()
    path.write_bytes(content[: int(fraction * len(content))])
    with pytest.raises(InvalidRecordError, match=rf"cap\.{kind}.*cut short.*again"):
        read_surface(path)


def test_polygons_and_texture_seams_of_obj_keep_the_surface_whole(tmp_path):
    path = tmp_path / "quads.obj"
    path.write_text(
        "o quads\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0 1.0\nv 2 1 0\nvt 0 0\nvt 1 1\n"
        "f 1/1 2/1/1 3//1 4/2\nf -5/2 -2/1 -1/1 -4/1\n"
    )
    surface = read_surface(path)
    assert surface.faces.tolist() == [[0, 1, 2], [0, 2, 3], [1, 4, 5], [1, 5, 2]]
    assert len(require_disk(surface)) == 6


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("face.fbx", b"", r"face\.fbx: \.fbx is not a known mesh format; convert"),
        ("face.obj", b"v 0 0 0\nv 1 x 0\n", "line 2 is 'v 1 x 0'"),
        ("face.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", "numbered 0 to 2"),
        ("face.obj", b"v 0 0 0\nv 1 0 0\nv 0 nan 0\nf 1 2 3\n", "'face.obj' has 1 vertices .*NaN"),
        ("face.ply", b"hello", r"cannot read face\.ply"),
    ],
)
def test_bad_files_are_named(tmp_path, name, content, sentence):
    pytest.importorskip("trimesh")
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InvalidRecordError, match=sentence):
        read_surface(tmp_path / name)


def test_a_missing_file_array_or_ending_is_named(tmp_path):
    with pytest.raises(InvalidRecordError, match="no such file"):
        read_surface(tmp_path / "none.obj")
    np.savez(tmp_path / "half.npz", vertices=CAP.vertices)
    with pytest.raises(InvalidRecordError, match=r"half\.npz.*no array named faces"):
        read_surface(tmp_path / "half.npz")
    with pytest.raises(InvalidRecordError, match=r"ends in \.obj, \.ply, \.off"):
        write_surface(CAP, tmp_path / "cap.vtk")


def test_without_trimesh_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "trimesh", None)
    (tmp_path / "cap.ply").write_bytes(b"ply\n")
    with pytest.raises(InvalidRecordError, match=r"cap\.ply need trimesh.*geomdp\[surfaces\]"):
        read_surface(tmp_path / "cap.ply")
    write_surface(CAP, tmp_path / "cap.obj")
    np.testing.assert_array_equal(read_surface(tmp_path / "cap.obj").vertices, CAP.vertices)


def test_a_glb_file_with_fewer_vertices_than_its_faces_name(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    corners = np.vstack([np.zeros(3), np.eye(3)])
    data = trimesh.Trimesh(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3]]).export(file_type="glb")
    assert data.count(b'"count":4') == 1
    (tmp_path / "a.glb").write_bytes(data.replace(b'"count":4', b'"count":3'))
    with pytest.raises(InvalidRecordError, match=r"vertex index 0 to 3"):
        read_surface(tmp_path / "a.glb")
