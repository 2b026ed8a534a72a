"""A quoted cell may hold lines that name other persons: such a file is refused as a whole."""

import gzip

import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import InvalidRecordError
from geomdp.io import Choices, read_records, text_rows
from geomdp.io.loading import format_of, open_parts

PLANE = dp.TangentMean(dp.Ball(dp.Euclidean(2), np.zeros(2), 1.0))
SHAPES = dp.TangentMean(
    dp.Ball(dp.PlanarShapes(3), center=[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], radius=0.2)
)
PERSONS = Choices(columns=("x", "y"), keep=("person",), persons=("person",), keep_unparsable=True)
#: A note of the first person, valid csv, whose lines speak of the second one.
NOTE = '"\np2,,1,0\np2,,1,0\np1,"'


def table(path, note):
    text = f"person,note,x,y\np1,{note},0.1,0\n" + "".join(f"p{i},ok,0,0\n" for i in range(2, 9))
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz"])
@pytest.mark.parametrize("note", [NOTE, '"open', 'five "', 'a"b,"c'])
def test_a_quote_that_stays_open_is_refused_where_persons_are_read(tmp_path, name, note):
    path = table(tmp_path / name, note)
    with pytest.raises(InvalidRecordError, match=f"Line 2 of {name} opens a quotation mark"):
        read_records(path, PLANE, PERSONS)


def test_workers_refuse_it_and_name_its_line_in_a_later_part(tmp_path, monkeypatch):
    monkeypatch.setattr(text_rows, "PART_BYTES", 20)
    path = table(tmp_path / "a.csv", "ok")
    path.write_bytes(path.read_bytes() + b'p9,"open,0,0\n')
    with pytest.raises(InvalidRecordError, match=r"Line 10 of a.csv opens"):
        open_parts(format_of(path, PERSONS, PLANE), path, PERSONS, PLANE)


def test_a_kept_column_may_name_persons_unless_it_is_said_not_to(tmp_path):
    path = table(tmp_path / "a.csv", NOTE)
    asked = Choices(columns=("x", "y"), keep=("person",), keep_unparsable=True)
    with pytest.raises(InvalidRecordError, match="opens a quotation mark"):
        read_records(path, PLANE, asked)
    said = Choices(columns=("x", "y"), keep=("person",), persons=(), keep_unparsable=True)
    assert len(read_records(path, PLANE, said).points) == 11  # the plan counts the lines


@pytest.mark.parametrize("note", ['"said ""no"", and left"', '""', f'"{"z" * 200_000}"', '"a"\r'])
def test_quotes_that_are_closed_in_their_line_are_cells(tmp_path, note):
    path = table(tmp_path / "a.csv", note)
    read = read_records(path, PLANE, PERSONS)
    assert read.columns["person"].tolist() == [f"p{i}" for i in range(1, 9)]
    assert read.points[0].tolist() == [0.1, 0.0] or "\r" in note


def test_landmarks_one_a_row_are_lines_of_a_specimen(tmp_path):
    rows = [f"{who},{i},{i % 2},{i // 2},ok" for who in "ab" for i in (1, 2, 3)]
    rows[0] = 'a,1,1,0,"\nb,1,0,0,"'
    (tmp_path / "a.csv").write_text("\n".join(["specimen,landmark,x,y,note", *rows]) + "\n")
    choices = Choices(columns=("x", "y"), keep_unparsable=True)
    with pytest.raises(InvalidRecordError, match=r"Line 2 of a.csv opens a quotation mark"):
        read_records(tmp_path / "a.csv", SHAPES, choices)
