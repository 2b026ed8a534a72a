"""Landmarks in nts files: heads with and without labels, gaps, lines that do not fit."""

import numpy as np
import pytest
from typer.testing import CliRunner

import geomdp as dp
from geomdp.cli import app
from geomdp.errors import InvalidRecordError
from geomdp.io import Choices, read_records

CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.7]])
SHAPES = dp.FrechetMean(dp.Ball(dp.PlanarShapes(4), center=CORNERS, radius=0.3))
SPACE = dp.TangentMean(dp.Ball(dp.SizeAndShape(4, 3), np.c_[CORNERS, [0, 0, 0, 1.0]], 1.0))


def specimens(count=9, dimensions=2):
    rng = np.random.default_rng(0)
    base = CORNERS if dimensions == 2 else np.c_[CORNERS, [0, 0, 0, 1.0]]
    return base + 0.05 * rng.standard_normal((count, *base.shape))


def text_of(data, head=None, labels=True, broken=False):
    count, size = len(data), data[0].size
    lines = ['"made up', head or f"1 {count}{'L' * labels} {size} 0 dim={data.shape[2]}"]
    lines += [" ".join(f"leaf{i}" for i in range(count))] * labels
    for one in data:
        cells = [repr(float(x)) for x in one.reshape(-1)]
        lines += [" ".join(cells[:3]), " ".join(cells[3:])] if broken else [" ".join(cells)]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("labels", [True, False])
@pytest.mark.parametrize("broken", [True, False])
@pytest.mark.parametrize(("asked", "dimensions"), [(SHAPES, 2), (SPACE, 3)])
def test_specimens_and_labels(tmp_path, labels, broken, asked, dimensions):
    data = specimens(9, dimensions)
    (tmp_path / "a.nts").write_text(text_of(data, None, labels, broken))
    choices = Choices(keep=("specimen",) if labels else ())
    loaded = read_records(tmp_path / "a.nts", asked, choices)
    np.testing.assert_array_equal(loaded.points, data)
    if labels:
        assert loaded.columns["specimen"].tolist() == [f"leaf{i}" for i in range(9)]


def test_gaps_are_gaps(tmp_path):
    data = specimens()
    data[2, 1, 0] = -999
    (tmp_path / "a.nts").write_text(text_of(data, "1 9L 8 1 -999 DIM=2"))
    found = read_records(tmp_path / "a.nts", SHAPES, Choices(keep_unparsable=True)).points
    assert np.argwhere(np.isnan(found)).tolist() == [[2, 1, 0]]


def test_one_bad_line_is_one_invalid_record(tmp_path):
    data = specimens()
    lines = text_of(data).split("\n")
    lines[5] += " 7"
    lines[7] = lines[7].replace("0.", "zero", 1)
    (tmp_path / "a.nts").write_text("\n".join(lines))
    found = read_records(tmp_path / "a.nts", SHAPES, Choices(keep_unparsable=True)).points
    bad = np.isnan(found).any(axis=(1, 2))
    assert bad.tolist() == [i in (2, 4) for i in range(9)]
    np.testing.assert_array_equal(found[~bad], data[~bad])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "its head '' is none such as"),
        ("2 9 8 0 dim=2\n", "is none such as '1 20L 24 0 dim=2'"),
        ("1 9 7 0 dim=2\n", "9 specimens of 7 numbers are no landmarks"),
        ("1 0 8 0 dim=2\n", "0 specimens of 8 numbers"),
        ("1 9L 8 0 dim=2\na b\n", "9 labels are announced"),
        ("1 900000000000 8 0 dim=2\n", "announces 57600000000000"),
        (text_of(specimens())[:-30], "72 numbers are announced, not"),
        (text_of(specimens()).replace("0.", "zero", 1), "is not a number"),
    ],
)
def test_what_is_no_nts_file_is_refused(tmp_path, text, sentence):
    (tmp_path / "a.nts").write_text(text)
    with pytest.raises(InvalidRecordError, match=sentence):
        read_records(tmp_path / "a.nts", SHAPES)


def test_lines_that_went_missing_are_refused_where_every_record_counts(tmp_path):
    lines = text_of(specimens()).split("\n")
    (tmp_path / "a.nts").write_text("\n".join(lines[:5] + lines[6:]))
    with pytest.raises(InvalidRecordError, match="9 are announced and 8 lines are there"):
        read_records(tmp_path / "a.nts", SHAPES, Choices(keep_unparsable=True))


def test_a_private_mean_shape_from_nts_and_back(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.nts").write_text(text_of(specimens(60)))
    center = ",".join(map(str, CORNERS.reshape(-1)))
    how = ("--radius", 0.3, "--n", 60, "--epsilon", 500, "--out", "plan.json")
    run("plan", "--space", "planar-shapes:4", "--center", center, *how)
    run("release", "plan.json", "a.nts", "--out", "mean")
    run("verify", "mean")
    back = read_records(tmp_path / "mean" / "value.nts", SHAPES).points[0]
    assert dp.PlanarShapes(4).dist(back @ [1, 1j], dp.load_release("mean").value) < 1e-7


def run(*arguments, code=0):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result
