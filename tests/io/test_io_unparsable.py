"""Cells that are no numbers: refused, or NaN in their own record and no other."""

import gzip
import io
import zipfile
from dataclasses import replace

import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import GeomdpError
from geomdp.io import Choices, read_records
from geomdp.runtime.npy_format import read_array

SPHERE = dp.FrechetMean(dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5))
SHAPES = dp.FrechetMean(
    dp.Ball(dp.PlanarShapes(3), center=[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], radius=0.2)
)
KEEP = Choices(keep_unparsable=True)
GOOD = ["0,0,1", "0.6,0,0.8", "0,0.6,0.8"]


def read_csv(tmp_path, middle, choices=KEEP):
    lines = ["x,y,z", GOOD[0], middle, GOOD[2]]
    (tmp_path / "a.csv").write_bytes("\n".join(lines).encode("utf-8", "surrogateescape"))
    return read_records(tmp_path / "a.csv", SPHERE, choices)


@pytest.mark.parametrize(
    "line",
    [
        *("0,NA,1", "0,,1", "0,two,1", "0,0", "0,0,1,5", '0,"0,1', "\x00,1,2", "0,\udcff,1"),
        *("0,1/2,1", "0,0\u2028,x", f"0,{'1' * 200_000}x,1"),
    ],
)
def test_a_row_of_a_table_spoils_itself_alone(tmp_path, line):
    with pytest.raises(GeomdpError):
        read_csv(tmp_path, line, Choices())
    read = read_csv(tmp_path, line)
    np.testing.assert_array_equal(read.points[[0, 2]], [[0, 0, 1], [0, 0.6, 0.8]])
    assert np.isnan(read.points[1]).any()
    assert len(read.notes) == 1
    assert "row 3" in read.notes[0]


def test_only_the_cell_is_lost_and_a_short_row_altogether(tmp_path):
    np.testing.assert_array_equal(read_csv(tmp_path, "0.6,NA,0.8").points[1], [0.6, np.nan, 0.8])
    assert np.isnan(read_csv(tmp_path, "0.6,0.8").points[1]).all()


def test_labels_of_a_short_row_are_missing_not_guessed(tmp_path):
    (tmp_path / "a.csv").write_text("x,y,z,sex\n0,0,1,a\n0,1,b\n")
    read = read_records(tmp_path / "a.csv", SPHERE, Choices(keep=("sex",), keep_unparsable=True))
    assert read.columns["sex"].tolist() == ["a", ""]


def test_a_table_needs_a_header_when_any_record_may_be_damaged(tmp_path):
    (tmp_path / "a.csv").write_text("\n".join(GOOD))
    with pytest.raises(GeomdpError, match="add a header line"):
        read_records(tmp_path / "a.csv", SPHERE, KEEP)


def long_rows(middle):
    rows = {s: [f"{s},{j},{j % 2},{j // 2}" for j in (1, 2, 3)] for s in ("first", "third")}
    return "\n".join(["specimen,landmark,x,y", *rows["first"], *middle, *rows["third"]])


@pytest.mark.parametrize(
    "middle",
    [
        ["m,1,1,0", "m,2,0,1"],
        ["m,1,1,0", "m,2,0,1", "m,2,1,1"],
        ["m,1,1,0", "m,2,0,1", "m,three,1,1"],
        ["m,1,1,0", "m,2,NA,1", "m,3,1,1"],
        ["m,1,1,0", "m,2,0,1", "m,3,1,1", "m,4,1,1"],
    ],
)
def test_a_specimen_spoils_itself_alone(tmp_path, middle):
    (tmp_path / "a.csv").write_text(long_rows(middle))
    with pytest.raises(GeomdpError):
        read_records(tmp_path / "a.csv", SHAPES)
    read = read_records(tmp_path / "a.csv", SHAPES, KEEP).points
    np.testing.assert_array_equal(read[[0, 2]], [[[1, 0], [0, 1], [1, 1]]] * 2)
    assert np.isnan(read[1]).any()


@pytest.mark.parametrize(
    ("last", "sex"),
    [("m,3,1,1", "f"), ("m,3,1", "f"), ("m,3,1,1,", "f"), ("m,3,1,1,x", ""), ("m", "f")],
)
def test_a_label_of_a_specimen_is_what_its_lines_agree_on(tmp_path, last, sex):
    rows = [row + ",f" for row in long_rows([]).split("\n")[1:]]
    middle = ["m,1,1,0,f", "m,2,0,1,f", last]
    lines = ["specimen,landmark,x,y,sex", *rows[:3], *middle, *rows[3:]]
    (tmp_path / "a.csv").write_text("\n".join(lines))
    with pytest.raises(GeomdpError):
        read_records(tmp_path / "a.csv", SHAPES, Choices(keep=("sex",)))
    read = read_records(tmp_path / "a.csv", SHAPES, replace(KEEP, keep=("sex",)))
    assert read.columns["sex"].tolist() == ["f", sex, "f"]
    np.testing.assert_array_equal(read.points[[0, 2]], [[[1, 0], [0, 1], [1, 1]]] * 2)


@pytest.mark.parametrize(
    "middle",
    [
        "LM=2\n0 0\n1 0\n",
        "LM=3\n0 0\n1 0\n",
        "LM=4\n0 0\n1 0\n2 0\n3 0\n",
        "LM=three\n0 0\n1 0\n2 0\n",
        "LM=-1\n0 0\n",
        f"LM={'9' * 5000}\n0 0\n",
        "LM=3\n0 0\n1 NA\n2 0\n",
        "LM=3\n0 0\n1 1 1\n2 0\n",
        "LM=\n",
    ],
)
def test_a_block_of_a_tps_file_spoils_itself_alone(tmp_path, middle):
    whole = "LM=3\n1 0\n0 1\n1 1\nID=a\n"
    (tmp_path / "a.tps").write_text(whole + middle + whole)
    with pytest.raises(GeomdpError):
        read_records(tmp_path / "a.tps", SHAPES)
    read = read_records(tmp_path / "a.tps", SHAPES, KEEP)
    np.testing.assert_array_equal(read.points[[0, 2]], [[[1, 0], [0, 1], [1, 1]]] * 2)
    assert np.isnan(read.points[1]).any()
    assert "specimen 2" in read.notes[0]


@pytest.mark.parametrize("bad", [None, "no"])
def test_gaps_in_parquet(tmp_path, bad):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    y = ["0", bad, "0.5"] if isinstance(bad, str) else [0.0, bad, 0.5]
    table = pyarrow.table({"x": [0.0, 0.1, 0.2], "y": y, "z": [1, 2, 3]})
    parquet.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(GeomdpError):
        read_records(tmp_path / "a.parquet", SPHERE)
    read = read_records(tmp_path / "a.parquet", SPHERE, KEEP)
    np.testing.assert_array_equal(read.points, [[0, 0, 1], [0.1, np.nan, 2], [0.2, 0.5, 3]])
    assert read.notes == ("a.parquet, row 2: an entry is not a number",)


def test_lists_of_another_length_and_missing_labels_in_parquet(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    lists = [[0.0, 0.0, 1.0], [1.0], None, [0.0, 0.6, 0.8]]
    table = pyarrow.table({"t": lists, "sex": ["a", None, "b", "a"]})
    parquet.write_table(table, tmp_path / "a.parquet")
    choices = Choices(keep=("sex",), keep_unparsable=True)
    read = read_records(tmp_path / "a.parquet", SPHERE, choices)
    gap = [np.nan] * 3
    np.testing.assert_array_equal(read.points, [[0, 0, 1], gap, gap, [0, 0.6, 0.8]])
    assert read.columns["sex"].tolist() == ["a", "", "b", "a"]


def test_texts_and_missing_labels_in_numpy_files(tmp_path):
    np.savez(tmp_path / "a.npz", t=np.array([["0", "0", "1"], ["0", "NA", "1"]]), who=[1.0, np.nan])
    with pytest.raises(GeomdpError, match="numbers are needed"):
        read_records(tmp_path / "a.npz", SPHERE)
    choices = Choices(keep=("who",), keep_unparsable=True)
    read = read_records(tmp_path / "a.npz", SPHERE, choices)
    np.testing.assert_array_equal(read.points, [[0, 0, 1], [0, np.nan, 1]])
    assert read.columns["who"].tolist() == ["1", ""]
    assert "row 2" in read.notes[0]


def test_images_are_described_each_by_itself(tmp_path):
    image = pytest.importorskip("PIL.Image")
    from geomdp.images import Descriptors, covariance_descriptors

    mean = dp.FrechetMean(dp.Ball(dp.SPD(9, metric="log-euclidean"), np.eye(9), 9.0))
    rng = np.random.default_rng(0)
    pixels = [rng.integers(0, 256, (size, size), dtype=np.uint8) for size in (9, 8, 8)]
    for i, one in enumerate(pixels):
        image.fromarray(one).save(tmp_path / f"{i}.png")
    (tmp_path / "1.png").write_bytes((tmp_path / "1.png").read_bytes()[:50])
    with pytest.raises(GeomdpError):
        read_records(tmp_path, mean)
    read = read_records(tmp_path, mean, replace(KEEP, reading=Descriptors(8, 8)))
    np.testing.assert_array_equal(read.points[2], covariance_descriptors(pixels[2][None])[0])
    assert np.isnan(read.points[:2]).all()
    assert "0.png has 9 x 9 pixels" in read.notes[0]
    assert "1.png" in read.notes[1]
    with pytest.raises(GeomdpError, match="eta"):
        Descriptors(8, 8, eta=-1.0)


@pytest.mark.parametrize("odd", ["floats", "unreadable"])
@pytest.mark.parametrize("by_parts", [False, True])
def test_images_of_a_subject_count_by_their_own_type(tmp_path, odd, by_parts):
    """A file of floats, or a damaged one, made images of all other subjects brighter than 1."""
    from geomdp.images import Descriptors, covariance_descriptors
    from geomdp.io.loading import open_parts
    from geomdp.io.subject_folders import Subjects

    mean = dp.FrechetMean(dp.Ball(dp.SPD(5, metric="log-euclidean"), np.eye(5), 9.0))
    pixels = np.random.default_rng(0).integers(0, 256, (3, 8, 8), dtype=np.uint8)
    for i, one in enumerate(pixels):
        np.save(tmp_path / f"{i}.npy", one)
    np.save(tmp_path / "1.npy", pixels[1] / 255.0)
    if odd == "unreadable":
        (tmp_path / "1.npy").write_bytes(b"no array")
    reading = Descriptors(8, 8)
    choices = replace(KEEP, reading=reading)
    if by_parts:
        _, parts, _ = open_parts(Subjects(), tmp_path, choices, mean)
        raw = np.concatenate([parts.read(number) for number in range(len(parts.sizes))])
    else:
        raw = read_records(tmp_path, mean, choices).points
    found = reading.points(raw, (8, 8))
    expected = covariance_descriptors(pixels)
    others = [0, 2] if odd == "unreadable" else [0, 1, 2]
    np.testing.assert_array_equal(found[others], expected[others])
    assert np.isnan(found[1]).any() == (odd == "unreadable")


def npy_claiming(shape, dtype="'<f8'"):
    header = f"{{'descr': {dtype}, 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(72)


@pytest.mark.parametrize(
    "shape", ["(1000000000000, 3)", "(4611686018427387904, 4)", "(-3, -3)", "(3.0, 3)", "(10, 1)"]
)
def test_arrays_that_claim_more_than_their_file_holds(tmp_path, shape):
    (tmp_path / "a.npy").write_bytes(npy_claiming(shape))
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("points.npy", npy_claiming(shape))
    for name in ("a.npy", "a.npz"):
        with pytest.raises(GeomdpError, match=r"not a valid|holds no array"):
            read_records(tmp_path / name, SPHERE)


@pytest.mark.parametrize("shape", ["(1000000000000, 3)", "(4611686018427387904, 4)", "(-3, -3)"])
def test_the_claim_is_checked_before_memory_is_taken(shape):
    data = npy_claiming(shape)
    with pytest.raises(ValueError, match="its header announces"):
        read_array(io.BytesIO(data), len(data))


def test_headers_that_are_no_python(tmp_path):
    for text in ("'<f8', (", '"' * 3, "b'", "[('a', '<f8'"):
        (tmp_path / "a.npy").write_bytes(npy_claiming("(3, 3)", text))
        with pytest.raises(GeomdpError, match="not a valid npy"):
            read_records(tmp_path / "a.npy", SPHERE)


def test_content_far_larger_than_its_file(tmp_path, monkeypatch):
    nibabel = pytest.importorskip("nibabel")
    monkeypatch.setattr("geomdp.runtime.limits.ALWAYS_READ", 1000)
    monkeypatch.setattr("geomdp.io.nifti_files.ALWAYS_AN_IMAGE", 1000)
    np.savez_compressed(tmp_path / "a.npz", points=np.zeros((100_000, 3)))
    field = io.BytesIO(nibabel.Nifti1Image(np.zeros((100, 100, 9, 6)), np.eye(4)).to_bytes())
    (tmp_path / "a.nii.gz").write_bytes(gzip.compress(field.getvalue()))
    tensors = dp.FrechetMean(dp.Ball(dp.SPD(3), center=np.eye(3), radius=2.0))
    for name, statistic in (("a.npz", SPHERE), ("a.nii.gz", tensors)):
        with pytest.raises(GeomdpError, match="announces"):
            read_records(tmp_path / name, statistic)


def test_repeated_columns_in_parquet(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pyarrow.table([[0.0], [0.0], [1.0]], names=["x", "x", "z"])
    parquet.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(GeomdpError, match="several columns named 'x'"):
        read_records(tmp_path / "a.parquet", SPHERE)


def test_names_in_parquet_that_are_no_text(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    file = tmp_path / "a.parquet"
    parquet.write_table(pyarrow.table({"northing": [0.0], "y": [0.0], "z": [1.0]}), file)
    file.write_bytes(file.read_bytes().replace(b"northing", b"\xff\xfe\xfdhing"))
    with pytest.raises(GeomdpError, match="not a valid parquet"):
        read_records(file, SPHERE)


def test_a_file_that_does_not_fit_into_memory(tmp_path, monkeypatch):
    np.save(tmp_path / "a.npy", np.zeros((3, 3)))

    def full(*_):
        raise MemoryError

    monkeypatch.setattr("geomdp.io.loading.as_records", full)
    with pytest.raises(GeomdpError, match="does not fit into memory"):
        read_records(tmp_path / "a.npy", SPHERE)


def beside(tmp_path, row, **said):
    """Read three records with the table about them, whose second row is this one."""
    np.save(tmp_path / "a.npy", np.tile([0.0, 0.0, 1.0], (3, 1)))
    (tmp_path / "about.csv").write_bytes(b"age,note\n1,a\n" + row + b"\n3,c\n")
    choices = Choices(keep=("age",), labels=tmp_path / "about.csv", **said)
    return read_records(tmp_path / "a.npy", SPHERE, choices).columns["age"].tolist()


@pytest.mark.parametrize(
    ("row", "age"),
    [
        *((b'2,"b', "2"), (b"2,\xff", "2"), (b"2", "2"), (b"2,\0", "2"), (b"2,b,c", "2")),
        *((b"2," + b"z" * 200_000, "2"), (b"", ""), (b'"2,b', "2,b")),
    ],
)
def test_a_row_of_the_table_beside_spoils_itself_alone(tmp_path, row, age):
    found = beside(tmp_path, row, keep_unparsable=True, persons=())
    assert found == ["1", age, "3"]


def test_the_table_beside_must_close_its_quotes_where_persons_are_read(tmp_path):
    for said in ({}, {"persons": ("age",)}):
        with pytest.raises(GeomdpError, match=r"Line 3 of about\.csv opens a quotation mark"):
            beside(tmp_path, b'2,"b', keep_unparsable=True, **said)
    with pytest.raises(GeomdpError):
        beside(tmp_path, b'2,"b')
