"""Files as people have them: encodings, commas, blocks, MATLAB, meshes of the brain."""

import base64
import codecs
import gzip
import zlib

import numpy as np
import pytest
from scipy.io import savemat
from tools.fuzz import mesh_seeds

import geomdp as dp
from geomdp.errors import InvalidRecordError
from geomdp.io import FORMATS, Choices, read_records, text_rows, write_value
from geomdp.io.causes import suspicions
from geomdp.io.shapes import order_of
from geomdp.io.writing import value_file_agrees
from geomdp.surfaces import procedural_face, read_surface

SPHERE = dp.FrechetMean(dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5))
SPD = dp.FrechetMean(dp.Ball(dp.SPD(3), center=np.eye(3), radius=2.0))
CENTRE = np.array([[0.0, 0.0], [1.0, 0.4], [0.2, 1.0]])
SHAPES = dp.FrechetMean(dp.Ball(dp.PlanarShapes(3), center=CENTRE, radius=0.2))
POINTS = np.array([[0, 0, 1], [0.6, 0, 0.8]])
TRIANGLES = np.stack([CENTRE, CENTRE + 0.1 * np.eye(3)[:, :2]])


def refused(path, statistic=SPHERE, **choices):
    with pytest.raises(InvalidRecordError) as caught:
        read_records(path, statistic, Choices(**choices))
    return str(caught.value)


@pytest.mark.parametrize(
    ("encoding", "mark", "named"),
    [
        ("utf-16-le", codecs.BOM_UTF16_LE, "UTF-16"),
        ("utf-16-be", codecs.BOM_UTF16_BE, "UTF-16"),
        ("utf-32-le", codecs.BOM_UTF32_LE, "UTF-32"),
        ("utf-16-le", b"", "UTF-16LE"),
    ],
)
@pytest.mark.parametrize("keep", [False, True])
def test_wide_encodings_are_named(tmp_path, encoding, mark, named, keep):
    (tmp_path / "a.csv").write_bytes(mark + "x,y,z\n0,0,1\n".encode(encoding))
    sentence = refused(tmp_path / "a.csv", keep_unparsable=keep)
    assert f"is in {named}" in sentence
    assert ("as Excel's 'Unicode text' is" in sentence) == (named != "UTF-32")
    assert "save it as CSV UTF-8" in sentence


def test_latin_1_is_named_with_the_line(tmp_path):
    (tmp_path / "a.csv").write_bytes("site,x,y,z\nA,0,0,1\nMálaga,0,0,1\n".encode("latin-1"))
    sentence = refused(tmp_path / "a.csv", keep=("site",))
    assert "line 3 has the byte 0xe1, as files in Latin-1" in sentence
    (tmp_path / "a.tps").write_bytes("LM=1\n0 0\nID=Málaga\n".encode("latin-1"))
    assert "as files in Latin-1" in refused(tmp_path / "a.tps", SHAPES)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("keep", [False, True])
def test_lines_end_as_on_any_machine(tmp_path, end, keep):
    path = tmp_path / "a.csv"
    path.write_bytes(end.join(["x,y,z", "0,0,1", "0.6,0,0.8", ""]).encode())
    read = read_records(path, SPHERE, Choices(keep_unparsable=keep))
    assert np.array_equal(read.points, POINTS)


def test_the_header_alone_says_how_lines_end(tmp_path):
    """Else an odd record would change how the others are read."""
    path = tmp_path / "a.csv"
    path.write_bytes(b"x,y,z\n0,0,1\n0.6\r,0,0.8\n")
    read = read_records(path, SPHERE, Choices(keep_unparsable=True))
    assert len(read.points) == 2
    assert np.array_equal(read.points[0], POINTS[0])


def test_gzipped_tables_within_bounds(tmp_path, monkeypatch):
    whole = gzip.compress(b"x,y,z\n0,0,1\n0.6,0,0.8\n")
    (tmp_path / "a.csv.gz").write_bytes(whole)
    np.testing.assert_array_equal(read_records(tmp_path / "a.csv.gz", SPHERE).points, POINTS)
    (tmp_path / "a.csv.gz").write_bytes(whole[:-12])
    assert "is cut short" in refused(tmp_path / "a.csv.gz")
    monkeypatch.setattr(text_rows, "ALWAYS_UNPACKED", 1000)
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"x,y,z\n" + b"0,0,1\n" * 10**5))
    assert "unpacks to more than" in refused(tmp_path / "a.csv.gz")


def test_decimal_commas(tmp_path):
    rows = "site;x;y;z\nNo 1,5;0;0;1\n2,5;0,6;-0,0e0;,8\n"
    (tmp_path / "a.csv").write_text(rows)
    sentence = refused(tmp_path / "a.csv", keep=("site",))
    assert "'0,6' is not a number; write --decimal ," in sentence
    read = read_records(tmp_path / "a.csv", SPHERE, Choices(keep=("site",), decimal=","))
    np.testing.assert_array_equal(read.points, POINTS)
    assert read.columns["site"].tolist()[0] == "No 1,5"
    (tmp_path / "bare.csv").write_text("0,0;0,0;1,0\n0,6;0,0;0,8\n")
    bare = read_records(tmp_path / "bare.csv", SPHERE, Choices(decimal=","))
    np.testing.assert_array_equal(bare.points, POINTS)


@pytest.mark.parametrize("mark", ["NA", "", "n/a", "."])
def test_gaps_are_told_with_the_way_out(tmp_path, mark):
    (tmp_path / "a.csv").write_text(f"x1,y1,x2,y2,x3,y3\n0,0,1,0,{mark},1\n")
    assert "leave the record out or fill the gap" in refused(tmp_path / "a.csv", SHAPES)


@pytest.mark.parametrize(
    "names",
    ["x0,x1,x2,y0,y1,y2", "X1;X2;X3;Y1;Y2;Y3", "lm_x_1,lm_x_2,lm_x_3,lm_y_1,lm_y_2,lm_y_3"],
)
def test_landmarks_in_blocks_are_known_by_their_header(tmp_path, names):
    mark = ";" if ";" in names else ","
    rows = [mark.join(map(repr, one.T.reshape(-1).tolist())) for one in TRIANGLES]
    (tmp_path / "a.csv").write_text("\n".join([names, *rows]) + "\n")
    read = read_records(tmp_path / "a.csv", SHAPES)
    np.testing.assert_array_equal(read.points, TRIANGLES)
    write_value(SHAPES.ball.center, tmp_path, read, SHAPES, "lower")
    header = (tmp_path / "value.csv").read_text().split("\n")[0].split(",")
    assert header == [names.split(mark)[i] for i in (0, 3, 1, 4, 2, 5)]
    assert value_file_agrees(tmp_path / "value.csv", SHAPES.ball.center, SHAPES)


def test_a_layout_that_cannot_be_told_is_asked_for(tmp_path):
    flat = TRIANGLES.transpose(0, 2, 1).reshape(2, 6)
    np.save(tmp_path / "a.npy", flat)
    sentence = refused(tmp_path / "a.npy", SHAPES)
    assert "write --layout pairs or --layout blocks" in sentence
    read = read_records(tmp_path / "a.npy", SHAPES, Choices(layout="blocks"))
    np.testing.assert_array_equal(read.points, TRIANGLES)
    pairs = TRIANGLES.reshape(2, 6)
    np.save(tmp_path / "b.npy", pairs)
    read = read_records(tmp_path / "b.npy", SHAPES, Choices(layout="pairs"))
    np.testing.assert_array_equal(read.points, TRIANGLES)
    np.save(tmp_path / "c.npy", TRIANGLES)  # its shape tells
    np.testing.assert_array_equal(read_records(tmp_path / "c.npy", SHAPES).points, TRIANGLES)


@pytest.mark.parametrize("names", ["a b c d", "x1 x2 x3 x4", "x1 y1 x1 y1", "ax1 ay1 bx2 by2"])
def test_names_that_do_not_tell(names):
    assert order_of(names.split()) is None


def test_specimens_in_3d_are_skipped_and_said(tmp_path):
    plane = "LM=3\n0 0\n1 0.4\n0.2 1\nID=a\n"
    space = "LM3=2\n0 0 0\n1 1 1\nID=b\n"
    (tmp_path / "a.tps").write_text(plane + space + plane.replace("ID=a", "ID=c"))
    read = read_records(tmp_path / "a.tps", SHAPES, Choices(keep=("id",)))
    assert read.columns["id"].tolist() == ["a", "c"]
    assert read.notes == ("a.tps: 1 specimens in 3D (LM3=) are skipped",)
    (tmp_path / "a.tps").write_text(space)
    assert "1 specimens in 3D (LM3=), which this plan skips" in refused(tmp_path / "a.tps", SHAPES)


def test_axial_directions_and_coded_gaps_are_told():
    axes = np.array([[0, 0, 1.0], [0, 0, -1.0], [0, 0.6, 0.8]])
    (said,) = suspicions(axes, SPHERE)
    assert "1 of 3 directions point away from the centre, as axial data do" in said
    assert not list(suspicions(np.abs(axes), SPHERE))
    assert not list(suspicions(-np.abs(axes), SPHERE)), "all on the far side: no axes"
    shapes = TRIANGLES.copy()
    assert not list(suspicions(shapes, SHAPES))
    shapes[1, 2] = -1
    (said,) = suspicions(shapes, SHAPES)
    assert "record 1 has landmark 3 at (-1, -1)" in said


TENSORS = np.stack([np.eye(3) * s for s in (1.0, 2.0, 3.0, 4.0)])


def mat(path, **arrays):
    savemat(path, arrays, do_compression=True)
    return path


def test_matlab_files_with_records_along_either_axis(tmp_path):
    last = mat(
        tmp_path / "a.mat", T=np.moveaxis(TENSORS, 0, -1), sex=np.array(list("mfmf"), object)
    )
    read = read_records(last, SPD, Choices(keep=("sex",)))
    np.testing.assert_array_equal(read.points, TENSORS)
    assert read.columns["sex"].tolist() == ["m", "f", "m", "f"]
    first = mat(tmp_path / "b.mat", T=TENSORS, age=np.arange(4.0), more={"a": 1})
    read = read_records(first, SPD, Choices(keep=("age",)))
    np.testing.assert_array_equal(read.points, TENSORS)
    assert read.columns["age"].tolist() == ["0", "1", "2", "3"]
    both = mat(tmp_path / "c.mat", T=TENSORS[:3])
    assert "may lie along its first axis or its last" in refused(both, SPD)
    assert "one entry for each" in refused(
        mat(tmp_path / "d.mat", T=TENSORS, age=np.arange(5.0)), SPD, keep=("age",)
    )


def test_a_value_comes_back_in_a_matlab_file(tmp_path):
    read = read_records(mat(tmp_path / "a.mat", T=TENSORS), SPD)
    value = np.array([[2.0, 0.1, 0], [0.1, 1, 0], [0, 0, 1]])
    write_value(value, tmp_path, read, SPD, "lower")
    assert value_file_agrees(tmp_path / "value.mat", value, SPD)
    assert not value_file_agrees(tmp_path / "value.mat", value + 1e-15, SPD)
    assert read.format is FORMATS["mat"]


def test_matlab_files_that_cannot_be_read(tmp_path, monkeypatch):
    whole = mat(tmp_path / "a.mat", T=TENSORS).read_bytes()
    for name, data, said in (
        ("cut", whole[:-9], "is cut short"),
        ("hdf", b"\x89HDF\r\n\x1a\n" + b"\0" * 200, "version 7.3; save it with: save(..., '-v7')"),
        ("old", b"\0" * 200, "is cut short or not a valid mat file"),
    ):
        (tmp_path / f"{name}.mat").write_bytes(data)
        assert said in refused(tmp_path / f"{name}.mat", SPD)
    monkeypatch.setattr("geomdp.io.mat_files.ALWAYS_READ", 1000)
    mat(tmp_path / "bomb.mat", T=np.ones((10**5, 3, 3)))
    assert "unpacks to more than" in refused(tmp_path / "bomb.mat", SPD)


MESHES = {
    **{f"{kind}.gii": mesh_seeds.gifti(kind) for kind in ("ASCII", "Base64Binary")},
    "packed.gii": mesh_seeds.gifti("GZipBase64Binary"),
    "binary.vtk": mesh_seeds.binary_vtk(),
    **{
        f"{form}-{packed}.vtp": mesh_seeds.vtp(form, packed)
        for form in ("ascii", "binary", "appended")
        for packed in (False, True)
    },
}


@pytest.mark.parametrize("name", MESHES)
def test_meshes_in_gifti_and_vtk(tmp_path, name):
    (tmp_path / name).write_bytes(MESHES[name])
    surface = read_surface(tmp_path / name)
    np.testing.assert_array_equal(surface.vertices, np.eye(3))
    assert surface.faces.tolist() == [[0, 1, 2]]
    (tmp_path / name).write_bytes(MESHES[name][: 2 * len(MESHES[name]) // 3])
    with pytest.raises(InvalidRecordError, match="is cut short"):
        read_surface(tmp_path / name)


@pytest.mark.parametrize("data", [mesh_seeds.VTK, mesh_seeds.VTK_OFFSETS])
def test_polygons_become_fans(tmp_path, data):
    (tmp_path / "a.vtk").write_bytes(data)
    assert read_surface(tmp_path / "a.vtk").faces.tolist() == [[0, 1, 2], [0, 2, 3]]


def test_a_gifti_file_of_nibabel(tmp_path):
    nibabel = pytest.importorskip("nibabel")
    face, stored = procedural_face(1), []
    for array, intent in ((face.vertices.astype("f4"), "POINTSET"), (face.faces, "TRIANGLE")):
        kind = "float32" if intent == "POINTSET" else "int32"
        stored.append(
            nibabel.gifti.GiftiDataArray(
                array.astype(kind), intent=f"NIFTI_INTENT_{intent}", datatype=kind
            )
        )
    nibabel.save(nibabel.gifti.GiftiImage(darrays=stored), tmp_path / "a.surf.gii")
    read = read_surface(tmp_path / "a.surf.gii")
    np.testing.assert_allclose(read.vertices, face.vertices, atol=1e-6)
    np.testing.assert_array_equal(read.faces, face.faces)


def test_bombs_in_meshes_are_refused(tmp_path):
    entities = b'<!DOCTYPE a [<!ENTITY x "y">]><GIFTI>&x;</GIFTI>'
    (tmp_path / "a.gii").write_bytes(entities)
    with pytest.raises(InvalidRecordError, match="declares entities"):
        read_surface(tmp_path / "a.gii")
    points = np.eye(3, dtype="<f4").tobytes()
    data = mesh_seeds.gifti("GZipBase64Binary")
    small, large = (base64.b64encode(zlib.compress(d)) for d in (points, bytes(10**6)))
    (tmp_path / "b.gii").write_bytes(data.replace(small, large))
    with pytest.raises(InvalidRecordError, match="another number unpacked"):
        read_surface(tmp_path / "b.gii")


def test_a_released_shape_is_written_upright_and_verified(tmp_path):
    read = read_records(_landmarks(tmp_path), SHAPES)
    centre = SHAPES.ball.center
    value = np.exp(2.5j) * (centre + 0.05 * np.array([1, -1j, 1j - 1]))
    value /= np.linalg.norm(value)
    write_value(value, tmp_path, read, SHAPES, "lower")
    row = (tmp_path / "value.csv").read_text().split()[1].split(",")
    written = np.array(row, dtype=float).reshape(3, 2) @ [1, 1j]
    assert np.angle(np.vdot(centre, written)) == pytest.approx(0, abs=1e-12)
    assert SHAPES.space.dist(written, value) < 1e-7
    np.testing.assert_allclose(written, SHAPES.space.align(value, to=centre), atol=1e-12)
    assert value_file_agrees(tmp_path / "value.csv", value, SHAPES)
    assert not value_file_agrees(tmp_path / "value.csv", centre, SHAPES)


def _landmarks(folder):
    rows = "\n".join(",".join(map(repr, one.reshape(-1).tolist())) for one in TRIANGLES)
    (folder / "a.csv").write_text(f"x1,y1,x2,y2,x3,y3\n{rows}\n")
    return folder / "a.csv"
