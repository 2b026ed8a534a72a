"""Frames are read by the names of their columns, as tables are, each record by itself."""

import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import InvalidRecordError
from geomdp.io import Choices, read_frame, read_records

pandas = pytest.importorskip("pandas")

TENSORS = dp.FrechetMean(dp.Ball(dp.SPD(3), center=np.eye(3), radius=2.0))
CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.7]])
SHAPES = dp.FrechetMean(dp.Ball(dp.PlanarShapes(4), center=CORNERS, radius=0.3))
SPACE = dp.TangentMean(dp.Ball(dp.SizeAndShape(4, 3), np.c_[CORNERS, [0, 0, 0, 1.0]], 1.0))
UPPER = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]


def tensors(count=20):
    half = 0.2 * np.random.default_rng(0).standard_normal((count, 3, 3))
    return half @ half.transpose(0, 2, 1) + np.eye(3)


def of_tensors(points, letters="xyz", unit=""):
    columns = {f"D{letters[i]}{letters[j]}{unit}": points[:, i, j] for i, j in UPPER}
    return pandas.DataFrame(columns | {"sex": ["f", "m"] * (len(points) // 2)})


@pytest.mark.parametrize(("letters", "unit"), [("xyz", ""), ("123", " [mm2/s]")])
def test_columns_of_a_tensor_tell_their_order(tmp_path, letters, unit):
    points = tensors()
    frame, choices = of_tensors(points, letters, unit), Choices(columns=("D*",), keep=("sex",))
    loaded = read_frame(frame, TENSORS, choices)
    np.testing.assert_array_equal(loaded.points, points)
    assert loaded.columns["sex"].tolist() == ["f", "m"] * 10
    frame.to_csv(tmp_path / "a.csv", index=False)
    read = read_records(tmp_path / "a.csv", TENSORS, choices)
    np.testing.assert_array_equal(read.points, loaded.points)
    plan = dp.plan(TENSORS, n={"f": 10, "m": 10}, budget=dp.Pure(500))
    released = plan.release(dp.Records(loaded.points, group=loaded.columns["sex"]))
    assert dp.SPD(3).dist(released.value["f"], dp.frechet_mean(dp.SPD(3), points[::2]).point) < 0.3


def test_an_order_that_nothing_tells_is_asked_for():
    frame = of_tensors(tensors()).drop(columns="sex")
    frame.columns = list("abcdef")
    with pytest.raises(InvalidRecordError, match="nothing tells in which order"):
        read_frame(frame, TENSORS)
    found = read_frame(frame, TENSORS, Choices(triangle="upper"))
    np.testing.assert_array_equal(found.points, tensors())
    with pytest.raises(InvalidRecordError, match="hand other records in as arrays"):
        read_frame(tensors(), TENSORS)
    with pytest.raises(InvalidRecordError, match="the frame has no column 'sexe'"):
        read_frame(of_tensors(tensors()), TENSORS, Choices(keep=("sexe",)))


@pytest.mark.parametrize(("asked", "axes"), [(SHAPES, "xy"), (SPACE, "xyz")])
def test_a_landmark_a_row(asked, axes):
    rng, k = np.random.default_rng(1), 4
    data = asked.record_shape.as_real(np.asarray(asked.ball.center)) + rng.normal(
        0, 0.05, (6, k, len(axes))
    )
    rows = [
        {
            "specimen": f"s{9 - i}",
            "landmark": j + 1,
            "side": "left",
            **dict(zip(axes, data[i, j], strict=True)),
        }
        for i in range(6)
        for j in rng.permutation(k).tolist()
    ]
    frame = pandas.DataFrame(rows)
    loaded = read_frame(frame, asked, Choices(keep=("side",)))
    np.testing.assert_array_equal(loaded.points, data)
    assert loaded.columns["side"].tolist() == ["left"] * 6
    short = read_frame(frame.drop(index=5), asked, Choices(keep=("side",)))
    np.testing.assert_array_equal(np.isnan(short.points).any(axis=(1, 2)), np.arange(6) == 1)
    np.testing.assert_array_equal(np.delete(short.points, 1, 0), np.delete(data, 1, 0))


def test_one_odd_cell_spoils_its_record_alone():
    points, frame = tensors(), of_tensors(tensors()).astype(object)
    for row, cell in enumerate(["lost", None, pandas.NA, 1j, 10**400, object(), "7"]):
        frame.iloc[row, 0] = cell
    found = read_frame(frame, TENSORS, Choices(columns=("D*",))).points
    np.testing.assert_array_equal(found[7:], points[7:])
    assert found[6, 0, 0] == 7.0
    assert not np.isfinite(found[:6, 0, 0]).any()
