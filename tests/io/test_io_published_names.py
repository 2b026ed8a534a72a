"""Names in a released folder are never somebody's data."""

import csv
import io

import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import InvalidRecordError
from geomdp.io import Choices, read_records, write_value
from geomdp.io.cells import cannot_be_data, is_number, published_names
from geomdp.io.writing import value_file_agrees

SPHERE = dp.FrechetMean(dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5))
VALUE = np.array([0.0, 0.6, 0.8])


def written_header(tmp_path, text, choices=None):
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    read = read_records(tmp_path / "a.csv", SPHERE, choices)
    write_value(VALUE, tmp_path, read, SPHERE, "lower")
    assert value_file_agrees(tmp_path / "value.csv", VALUE, SPHERE)
    return (tmp_path / "value.csv").read_text().splitlines()[0]


# As a person, a program or a spreadsheet writes numbers, gaps and dates.
DATA = (
    *("12345678", "-0.5", "+1", "1e-3", "1E5", ".5", "5.", "0x1F", "1_000", "1 000", "1,000.5"),
    *(
        "0,5",
        "12%",
        "50 %",
        "−3",
        "１２",
        "٣",
        "½",
        "²",
        "(12)",
        "$12",
        "12 kg",
        "<0.5",
        "> 3",
        "~1",
    ),
    *("'12'", '"12"', "’000123", "1/3", "2026-01-31", "31.1.2026", "12:30", "3+2j", "一"),
    *("", " ", "\t", "-", "--", ".", "?", "*", "NA", "na", "N/A", "n.a.", "<NA>", "#N/A", "#NUM!"),
    *(
        "NaN",
        "-nan",
        "1.#IND",
        "inf",
        "-Inf",
        "Infinity",
        "∞",
        "null",
        "NULL",
        "none",
        "None",
        "nil",
    ),
    *("missing", "MISSING", "unknown", "true", "False", "Error", "#VALUE!", "#NAME?"),
)


@pytest.mark.parametrize("cell", DATA)
def test_a_first_row_with_a_cell_that_may_be_data_is_no_header(tmp_path, cell):
    assert not cannot_be_data(cell)
    stream = io.StringIO()
    rows = [["12.345678", cell, "87.654321"], ["0", "0", "1"]]
    csv.writer(stream, lineterminator="\n").writerows(rows)
    if is_number(cell):  # the row is a record
        header = written_header(tmp_path, stream.getvalue())
        assert header == "column 1,column 2,column 3"
    else:
        with pytest.raises(InvalidRecordError, match=r"first line .* header line"):
            written_header(tmp_path, stream.getvalue())
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows([["x", cell, "z"], ["0", "0", "1"]])
    (tmp_path / "b.csv").write_text(stream.getvalue(), encoding="utf-8")
    with pytest.raises(InvalidRecordError, match="first line"):
        read_records(tmp_path / "b.csv", SPHERE)


@pytest.mark.parametrize(
    "name", ["x", "t_xx", "V1", "p[0]", "_x", "% fat", "Höhe", "β", "高さ", "info", "value", "x.1"]
)
def test_ordinary_names_are_names(name):
    assert cannot_be_data(name)
    assert published_names((name,)) == (name,)


def test_a_header_is_published_and_a_bare_table_gets_neutral_names(tmp_path):
    assert written_header(tmp_path, "north,east,down\n0,0,1\n") == "north,east,down"
    (tmp_path / "value.csv").unlink()
    assert written_header(tmp_path, "0,0,1\n0,1,0\n") == "column 1,column 2,column 3"


def test_columns_chosen_by_name_settle_what_the_first_line_is(tmp_path):
    text = "id,x,y,z,2026\n7,0,0,1,5\n8,0,1,0,6\n"
    choices = Choices(columns=("x", "y", "z"))
    assert written_header(tmp_path, text, choices) == "x,y,z"
    for columns in (("*",), ("x", "y", "2026")):
        with pytest.raises(InvalidRecordError, match="first line"):
            read_records(tmp_path / "a.csv", SPHERE, Choices(columns=columns))


@pytest.mark.parametrize(
    "names",
    [
        ("12345678", "y"),
        ("P12345678", "y"),
        ("id 12.75", "y"),
        ("x", "x"),
        ("x\n1", "y"),
        ("x" * 65, "y"),
        ("NA", "y"),
        ("", "y"),
    ],
)
def test_names_that_may_be_data_become_neutral(names):
    assert published_names(names) == ("column 1", "column 2")


@pytest.mark.parametrize(
    "name", ["12345678", "P12345678", "NA", "a/b", "..", "file", "allow_pickle"]
)
def test_names_of_arrays_in_npz(tmp_path, name):
    import zipfile

    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive, archive.open(f"{name}.npy", "w") as f:
        np.lib.format.write_array(f, np.tile([0.0, 0.0, 1.0], (4, 1)))
    read = read_records(tmp_path / "a.npz", SPHERE)
    write_value(VALUE, tmp_path, read, SPHERE, "lower")
    assert value_file_agrees(tmp_path / "value.npz", VALUE, SPHERE)
    with np.load(tmp_path / "value.npz") as archive:
        assert archive.files == [name if name in ("file", "allow_pickle", "a/b") else "column 1"]


@pytest.mark.parametrize("names", [("12345678", "b", "c"), ("0", "1", "2")])
def test_names_of_columns_in_parquet(tmp_path, names):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pyarrow.table(dict(zip(names, [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]], strict=True)))
    parquet.write_table(table, tmp_path / "a.parquet")
    read = read_records(tmp_path / "a.parquet", SPHERE)
    write_value(VALUE, tmp_path, read, SPHERE, "lower")
    held = parquet.read_schema(tmp_path / "value.parquet").names
    assert held == ["column 1", "column 2", "column 3"]
    assert value_file_agrees(tmp_path / "value.parquet", VALUE, SPHERE)
