"""FreeSurfer's surfaces and overlays, and GIFTI overlays, as nibabel writes them; hostile ones."""

import gzip
import struct

import numpy as np
import pytest
from typer.testing import CliRunner

import geomdp as dp
from geomdp.cli import app
from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.io import Choices, read_records
from geomdp.io.overlay_folders import read_overlay
from geomdp.surfaces import read_surface

nibabel = pytest.importorskip("nibabel")

VERTICES = 42
KINDS = ("lh.thickness", "lh.mgh", "lh.mgz", "lh.shape.gii", "lh.func.gii")


def thickness(seed, count=VERTICES):
    return np.random.default_rng(seed).uniform(2, 3, count).astype(np.float32)


def write(path, values):
    """Write as nibabel does."""
    name = path.name
    if name.endswith(".gii"):
        array = nibabel.gifti.GiftiDataArray(values, intent="NIFTI_INTENT_SHAPE")
        nibabel.save(nibabel.gifti.GiftiImage(darrays=[array]), path)
    elif name.endswith((".mgh", ".mgz")):
        nibabel.save(nibabel.MGHImage(values.reshape(-1, 1, 1), np.eye(4)), path)
    else:
        nibabel.freesurfer.write_morph_data(path, values)


def run(*arguments, code=0):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result


def test_a_surface_of_freesurfer_is_read_as_nibabel_writes_it(tmp_path):
    points = np.random.default_rng(0).standard_normal((5, 3)).astype(np.float32)
    faces = np.array([[0, 1, 2], [2, 3, 4]])
    nibabel.freesurfer.write_geometry(tmp_path / "lh.white", points, faces, "made up")
    surface = read_surface(tmp_path / "lh.white")
    np.testing.assert_array_equal(surface.vertices, points)
    np.testing.assert_array_equal(surface.faces, faces)


@pytest.mark.parametrize("kind", KINDS)
def test_a_mean_thickness_vertex_by_vertex(tmp_path, monkeypatch, kind):
    monkeypatch.chdir(tmp_path)
    people = [thickness(i) for i in range(12)]
    for i, values in enumerate(people):
        (tmp_path / f"data/sub-{i:02}").mkdir(parents=True)
        write(tmp_path / f"data/sub-{i:02}/{kind}", values)
    (tmp_path / "data/participants.tsv").write_text("participant_id\tage\nsub-00\t20\n")
    ball = ("--center", "2.5", "--radius", 1, "--n", 12, "--mu", 500)
    run("plan", "--space", "euclidean:1", "--voxels", VERTICES, *ball, "--out", "plan.json")
    run("check", "plan.json", "data")
    run("release", "plan.json", "data", "--out", "mean")
    run("verify", "mean")
    value = dp.load_release("mean").value.reshape(-1)
    np.testing.assert_allclose(value, np.mean(people, axis=0), atol=0.05)
    np.testing.assert_array_equal(read_overlay(tmp_path / "mean/value.shape.gii"), value)
    seen = nibabel.load(tmp_path / "mean/value.shape.gii").darrays[0].data
    np.testing.assert_array_equal(seen, value)
    write(tmp_path / "mean/value.shape.gii", thickness(0))
    assert "does not hold the value" in run("verify", "mean", code=3).stderr


def test_a_vector_a_person_with_units_changed(tmp_path):
    (tmp_path / "data").mkdir()
    for i in range(3):
        write(tmp_path / f"data/sub-{i}.sulc", thickness(i))
    ball = dp.Ball(dp.Euclidean(VERTICES), np.full(VERTICES, 2.5), 5.0)
    found = read_records(tmp_path / "data", dp.TangentMean(ball), Choices(keep=("sub",)))
    np.testing.assert_array_equal(found.points, [thickness(i) for i in range(3)])
    assert found.columns["sub"].tolist() == ["sub-0", "sub-1", "sub-2"]


def asked(count=VERTICES):
    return dp.MapMean(dp.Ball(dp.Euclidean(1), center=[2.5], radius=1.0), voxels=count)


def test_one_bad_file_is_an_invalid_record_or_refused(tmp_path):
    (tmp_path / "data").mkdir()
    for i in range(4):
        write(tmp_path / f"data/sub-{i}.curv", thickness(i, VERTICES + (i == 2)))
    (tmp_path / "data/sub-1.curv").write_bytes(b"")
    with pytest.raises(InvalidRecordError, match=r"sub-1\.curv is cut short"):
        read_records(tmp_path / "data", asked())
    found = read_records(tmp_path / "data", asked(), Choices(keep_unparsable=True))
    assert np.isnan(found.points).all(axis=(1, 2)).tolist() == [False, True, True, False]
    np.testing.assert_array_equal(found.points[3, :, 0], thickness(3))
    assert "43 vertices where the plan says 42" in found.notes[1]


def hostile(folder):
    """Files that claim more than they hold, and files of something else."""
    ones = struct.pack(">iii", 1 << 30, 0, 1)
    head = struct.pack(">7i", 1, 1 << 30, 1, 1, 1, 3, 0).ljust(284, b"\0")
    whole = folder / "a.mgh"
    write(whole, thickness(0))
    files = {
        "empty.thickness": b"",
        "many.thickness": b"\xff\xff\xff" + ones + bytes(40),
        "less.thickness": b"\xff\xff\xff" + struct.pack(">iii", -5, 0, 1) + bytes(40),
        "three.curv": b"\xff\xff\xff" + struct.pack(">iii", 4, 0, 3) + bytes(48),
        "text.sulc": b"0.5\n" * VERTICES,
        "many.mgh": head + bytes(40),
        "many.mgz": gzip.compress(head + bytes(1 << 20)),
        "cut.mgh": whole.read_bytes()[:300],
        "image.mgh": struct.pack(">7i", 1, 3, 3, 3, 1, 3, 0).ljust(284, b"\0") + bytes(108),
        "odd.mgh": struct.pack(">7i", 1, 42, 1, 1, 1, 9, 0).ljust(284, b"\0") + bytes(999),
        "none.shape.gii": b"<GIFTI></GIFTI>",
        "bomb.shape.gii": b'<!DOCTYPE a [<!ENTITY b "c">]><GIFTI>&b;</GIFTI>',
    }
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return files


def test_hostile_overlays_are_refused_in_a_sentence(tmp_path):
    for name in hostile(tmp_path):
        with pytest.raises(InvalidRecordError, match=r"not a valid|announces") as told:
            read_overlay(tmp_path / name)
        assert name in str(told.value)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xff\xfemade\n\n" + struct.pack(">ii", 1 << 30, 1 << 30) + bytes(40),
        b"\xff\xff\xfemade\n\n" + struct.pack(">ii", -3, 4) + bytes(40),
        b"\xff\xff\xfemade\n\n"
        + struct.pack(">ii", 3, 1)
        + bytes(36)
        + struct.pack(">3i", 0, 1, 9),
        b"\xff\xff\xffmade\n\n" + struct.pack(">ii", 3, 1) + bytes(48),
    ],
)
def test_hostile_surfaces_are_refused(tmp_path, content):
    (tmp_path / "lh.pial").write_bytes(content)
    with pytest.raises(GeomdpError, match=r"lh\.pial"):
        read_surface(tmp_path / "lh.pial")
