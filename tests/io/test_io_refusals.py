"""Bad files: one clear sentence each, that names the file and the way out."""

import gzip

import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import GeomdpError
from geomdp.io import Choices, read_records
from geomdp.io.causes import with_causes

SPHERE = dp.FrechetMean(dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5))
SPD = dp.FrechetMean(dp.Ball(dp.SPD(3), center=np.eye(3), radius=2.0))
SHAPES = dp.FrechetMean(
    dp.Ball(dp.PlanarShapes(3), center=[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], radius=0.2)
)


def refused(path, statistic=SPHERE, choices=None):
    with pytest.raises(GeomdpError) as caught:
        read_records(path, statistic, choices)
    sentence = str(caught.value)
    assert sentence.endswith(".")
    assert "Traceback" not in sentence
    return sentence


@pytest.mark.parametrize("name", ["a.npy", "a.npz", "a.parquet", "a.nii", "a.nii.gz", "a.tps"])
def test_text_under_a_wrong_ending(tmp_path, name):
    pytest.importorskip("pyarrow")
    pytest.importorskip("nibabel")
    (tmp_path / name).write_text("x,y,z\n0,0,1\n")
    sentence = refused(tmp_path / name, SHAPES if name.endswith("tps") else SPD)
    assert name in sentence
    assert "valid" in sentence or "no LM= block" in sentence


@pytest.mark.parametrize("kind", ["npy", "npz", "parquet", "nii.gz", "nii"])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.95])
def test_truncated_files(tmp_path, kind, share):
    pyarrow = pytest.importorskip("pyarrow")
    nibabel = pytest.importorskip("nibabel")
    parquet = pytest.importorskip("pyarrow.parquet")
    whole = tmp_path / f"whole.{kind}"
    tensors = np.random.default_rng(0).standard_normal((400, 6))
    if kind == "npy":
        np.save(whole, tensors)
    elif kind == "npz":
        np.savez_compressed(whole, tensors=tensors)
    elif kind == "parquet":
        parquet.write_table(pyarrow.table({"t": tensors.tolist()}), whole)
    else:
        nibabel.save(nibabel.Nifti1Image(tensors.reshape(400, 1, 1, 6), np.eye(4)), whole)
    data = whole.read_bytes()
    cut = tmp_path / f"cut.{kind}"
    cut.write_bytes(data[: int(share * len(data))])
    assert "cut short" in refused(cut, SPD)


def test_truncated_tables(tmp_path):
    (tmp_path / "a.csv").write_text("x,y,z\n0,0,1\n0,1")
    assert "row 3 has 2 cells" in refused(tmp_path / "a.csv")
    (tmp_path / "empty.csv").write_text("")
    assert "is empty" in refused(tmp_path / "empty.csv")
    (tmp_path / "header.csv").write_text("x,y,z\n")
    assert "no rows" in refused(tmp_path / "header.csv")
    (tmp_path / "a.tps").write_text("LM=3\n0 0\n1 0\n")
    assert "1 landmarks of the last specimen are missing" in refused(tmp_path / "a.tps", SHAPES)


def test_binary_in_a_text_table(tmp_path):
    (tmp_path / "a.csv").write_bytes(gzip.compress(b"x,y,z\n0,0,1\n"))
    assert "not a valid text table" in refused(tmp_path / "a.csv")


def test_unknown_endings_and_paths(tmp_path):
    (tmp_path / "a.docx").write_text("")
    assert "ending that is not known" in refused(tmp_path / "a.docx")
    assert "no file or folder" in refused(tmp_path / "none.npy")
    assert "neither images nor meshes" in refused(tmp_path)


def test_missing_columns_are_named(tmp_path):
    pytest.importorskip("pyarrow")
    from geomdp.io.parquet_files import write_parquet

    (tmp_path / "a.csv").write_text("x,y,z\n0,0,1\n")
    np.savez(tmp_path / "a.npz", points=np.zeros((2, 3)))
    write_parquet(tmp_path / "a.parquet", ("x", "y", "z"), np.ones(3))
    for name in ("a.csv", "a.npz", "a.parquet"):
        assert "no column 'sex'" in refused(tmp_path / name, choices=Choices(keep=("sex",)))
        assert "no column 'w*'" in refused(tmp_path / name, choices=Choices(columns=("w*",)))
    np.save(tmp_path / "a.npy", np.zeros((2, 3)))
    assert "without columns" in refused(tmp_path / "a.npy", choices=Choices(keep=("sex",)))


@pytest.mark.parametrize(
    ("cell", "sentence"),
    [("two", "row 3, column 'y': 'two' is not a number"), ("", "column 'y': the cell is empty")],
)
def test_text_in_numbers(tmp_path, cell, sentence):
    (tmp_path / "a.csv").write_text(f"x,y,z\n0,0,1\n0,{cell},1\n")
    assert sentence in refused(tmp_path / "a.csv")


def test_text_in_the_numbers_of_other_formats(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pyarrow.table({"x": ["0", "no"], "y": [0, 1], "z": [1, 0]})
    parquet.write_table(table, tmp_path / "a.parquet")
    assert "'0' is not a number" in refused(tmp_path / "a.parquet")
    np.save(tmp_path / "a.npy", np.array([["a", "b", "c"]]))
    assert "numbers are needed" in refused(tmp_path / "a.npy")
    np.save(tmp_path / "b.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    assert "not a valid npy" in refused(tmp_path / "b.npy")


def test_mixed_shapes(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros((5, 4)))
    assert "4 numbers a record where 3 are needed" in refused(tmp_path / "a.npy")
    (tmp_path / "a.csv").write_text("a,b\n0,1\n")
    assert "the 6 of a triangle" in refused(tmp_path / "a.csv", SPD)
    (tmp_path / "a.tps").write_text("LM=3\n0 0\n1 0\n0 1\nLM=4\n0 0\n1 0\n0 1\n1 1\n")
    assert "3 and 4 landmarks" in refused(tmp_path / "a.tps", SHAPES)
    rows = "specimen,landmark,x,y\na,1,0,0\na,2,1,0\na,3,0,1\nb,1,0,0\n"
    (tmp_path / "long.csv").write_text(rows)
    assert "1 and 3 landmarks" in refused(tmp_path / "long.csv", SHAPES)
    (tmp_path / "twice.csv").write_text(rows.replace("b,1,0,0\n", "").replace("a,2", "a,1"))
    assert "each once" in refused(tmp_path / "twice.csv", SHAPES)


def test_images_of_several_sizes_or_damaged(tmp_path):
    image = pytest.importorskip("PIL.Image")
    rng = np.random.default_rng(0)
    mean = dp.FrechetMean(dp.Ball(dp.SPD(9, metric="log-euclidean"), np.eye(9), 5.0))
    for i, size in enumerate((8, 9)):
        pixels = rng.integers(0, 256, (size, size), dtype=np.uint8)
        image.fromarray(pixels).save(tmp_path / f"{i}.png")
    images = Choices(reading=dp.images.Descriptors(8, 8))
    assert "1.png has 9 x 9 pixels where the plan says 8 x 8" in refused(tmp_path, mean, images)
    data = (tmp_path / "0.png").read_bytes()
    (tmp_path / "1.png").write_bytes(data[: len(data) // 2])
    assert "1.png is cut short" in refused(tmp_path, mean, images)
    image.new("L", (8, 8), 7).save(tmp_path / "1.png")
    assert "1.png is no image to describe: it is constant" in refused(tmp_path, mean, images)
    assert "plan with --space descriptors:28x28x1" in refused(tmp_path, SPD)


def test_colour_among_grey_images_is_told(tmp_path):
    image = pytest.importorskip("PIL.Image")
    rng = np.random.default_rng(0)
    for i, shape in enumerate(((8, 8), (8, 8, 3))):
        image.fromarray(rng.integers(0, 256, shape, dtype=np.uint8)).save(tmp_path / f"{i}.png")
    for channels, told in ((1, "1.png is in colour and is taken in grey"), (3, "0.png is grey")):
        mean = dp.FrechetMean(dp.images.descriptor_ball(channels, (8, 8)))
        choices = Choices(reading=dp.images.Descriptors(8, 8, channels))
        notes = read_records(tmp_path, mean, choices).notes
        assert len(notes) == 1
        assert told in notes[0]


def test_an_image_that_announces_far_more_pixels_than_its_file_can_hold(tmp_path):
    image = pytest.importorskip("PIL.Image")
    mean = dp.FrechetMean(dp.Ball(dp.SPD(9, metric="log-euclidean"), np.eye(9), 5.0))
    # A bit a pixel, all but one alike: 35 million pixels in a file of a few kilobytes.
    large = image.new("1", (8, 35 << 17))
    large.putpixel((0, 0), 1)
    large.save(tmp_path / "a.png")
    assert (tmp_path / "a.png").stat().st_size < 10_000
    images = Choices(reading=dp.images.Descriptors(8, 8))
    assert "announces 36700160; it is damaged" in refused(tmp_path, mean, images)


def test_a_mask_of_another_grid_or_without_voxels(tmp_path):
    nibabel = pytest.importorskip("nibabel")
    for name, array in {
        "t": np.ones((2, 2, 2, 6)),
        "m": np.ones((2, 2, 3)),
        "none": np.zeros((2, 2, 2)),
        "flat": np.ones((2, 2, 2, 5)),
    }.items():
        nibabel.save(nibabel.Nifti1Image(array, np.eye(4)), tmp_path / f"{name}.nii")
    file = tmp_path / "t.nii"
    assert "The mask m.nii has shape" in refused(file, SPD, Choices(mask=tmp_path / "m.nii"))
    assert "mask is empty" in refused(file, SPD, Choices(mask=tmp_path / "none.nii"))
    assert "6 components or a 3 x 3" in refused(tmp_path / "flat.nii", SPD)


def test_a_missing_package_is_named(tmp_path, monkeypatch):
    import sys

    (tmp_path / "a.parquet").touch()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert 'pip install "geomdp[io]"' in refused(tmp_path / "a.parquet")


def test_npz_without_a_fitting_array_and_a_file_of_many_points(tmp_path):
    np.savez(tmp_path / "images.npz", images=np.zeros((5, 28, 28)))
    assert "plan on the space of its records" in refused(tmp_path / "images.npz")
    np.savez(tmp_path / "two.npz", a=np.zeros((5, 3)), b=np.zeros((5, 3)))
    assert "--column" in refused(tmp_path / "two.npz")
    np.save(tmp_path / "many.npy", np.tile([0.0, 0.0, 1.0], (5, 1)))
    sentence = refused(tmp_path / "many.npy", dp.Summary(dp.Sphere(2), 0.1))
    assert "holds 5 points where one is needed" in sentence


def test_a_hint_survives_numbers_whose_squares_overflow(tmp_path):
    """A refused record of 1e200 may still be a direction that was not normalised."""
    np.save(tmp_path / "far.npy", np.array([[0, 0, 1.0], [0, 0, 1e200]]))
    mean = dp.FrechetMean(dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5))
    loaded = read_records(tmp_path / "far.npy", mean)
    said = with_causes("Record 1 is no direction.", 1, loaded, Choices(), mean)
    assert "--normalize" in said
