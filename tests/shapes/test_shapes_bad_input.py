"""Bad shapes and outlines are refused with one sentence each, before any noise is drawn."""

import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import InvalidBallError, InvalidRecordError, MechanismRefusedError
from geomdp.shapes import crossing_edges, require_outline, resample_outline, smooth_shapes

SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
BOW_TIE = SQUARE[[0, 2, 1, 3]]
SPACE = dp.PlanarShapes(4)
RECORDS = SQUARE + 0.05 * np.random.default_rng(0).normal(size=(10, 4, 2))
RAGGED = [*RECORDS[:9], SQUARE[:3]]
COINCIDING = np.where(np.arange(10)[:, None, None] == 3, 1.0, RECORDS)
MISSING = np.where(np.arange(80).reshape(10, 4, 2) == 26, np.nan, RECORDS)


@pytest.mark.parametrize(
    ("records", "message"),
    [
        (COINCIDING, "Record 4: all its landmarks coincide"),
        (RECORDS[:, :3], "each shape has 3 landmarks, not 4"),
        (RAGGED, r"Record 10: it is an array of shape \(3, 2\)"),
        (RECORDS.transpose(0, 2, 1), r"second last axis .* shape \(10, 2, 4\)"),
        (RECORDS.transpose(1, 0, 2), "for 10 records, but there are 4"),
        (MISSING, "Record 4: it has a missing or infinite entry"),
    ],
    ids=["degenerate", "count", "ragged", "axes", "records second", "missing"],
)
def test_a_release_explains_bad_records(records, message):
    plan = dp.plan(dp.FrechetMean(dp.Ball(SPACE, SQUARE, 0.2)), n=10, budget=dp.Pure(1))
    with pytest.raises(InvalidRecordError, match=message):
        plan.release(records)


@pytest.mark.parametrize(
    ("center", "message"),
    [
        (np.ones((4, 2)), "all its landmarks coincide"),
        (SQUARE[:3], "3 landmarks, not 4"),
        (SQUARE.T, "second last axis"),
        (np.where(SQUARE == 1, np.nan, SQUARE), "missing or infinite"),
    ],
)
def test_a_ball_explains_bad_centres(center, message):
    with pytest.raises(InvalidBallError, match=message):
        dp.Ball(SPACE, center, 0.2)


@pytest.mark.parametrize("factor", [1.0, 1.2])
def test_radius_at_or_above_the_limits(factor):
    with pytest.raises(InvalidBallError, match=r"stay below 0\.523598775598"):
        dp.Ball(SPACE, SQUARE, factor * np.pi / 6)
    ball = dp.Ball(SPACE, SQUARE, factor * np.pi / 8)
    with pytest.raises(MechanismRefusedError, match=r"kng needs a radius below 0\.392699"):
        dp.plan(dp.FrechetMean(ball), n=100, budget=dp.Pure(1), mechanism="kng")


def test_radius_below_the_limits():
    ball = dp.Ball(SPACE, SQUARE, 0.99 * np.pi / 6)
    assert (
        dp.plan(dp.FrechetMean(ball), n=100, budget=dp.Pure(1), mechanism="laplace").mechanism
        == "laplace"
    )
    ball = dp.Ball(SPACE, SQUARE, 0.99 * np.pi / 8)
    assert (
        dp.plan(dp.FrechetMean(ball), n=100, budget=dp.Pure(1), mechanism="kng").mechanism == "kng"
    )


@pytest.mark.parametrize("check", [require_outline, lambda points: resample_outline(points, 8)])
def test_outlines_that_cross_themselves_are_refused_by_edge(check):
    sentence = "crosses itself: the edge from vertex 0 meets the edge from vertex 2 "
    with pytest.raises(InvalidRecordError, match=sentence):
        check(BOW_TIE)
    lopsided = [[0, 0], [4, 0], [4, 4], [1, -1], [0, 4]]  # with an area
    with pytest.raises(InvalidRecordError, match="from vertex 0 meets the edge from vertex 2 "):
        check(lopsided)


def test_edges_are_counted_in_the_array_given():
    doubled = np.repeat(BOW_TIE, 2, axis=0)
    assert crossing_edges(doubled) == (1, 5)
    with pytest.raises(InvalidRecordError, match="from vertex 1 meets the edge from vertex 5 "):
        require_outline(doubled)


@pytest.mark.parametrize("points", [SQUARE, SQUARE[::-1], 1e6 + SQUARE, 1e-9 * SQUARE])
def test_simple_outlines_pass_unchanged(points):
    assert np.array_equal(require_outline(points), points)


def test_outlines_with_missing_landmarks_or_swapped_axes_are_refused():
    with pytest.raises(InvalidRecordError, match="missing or infinite"):
        require_outline(np.where(SQUARE == 1, np.nan, SQUARE))
    with pytest.raises(InvalidRecordError, match="order of the axes"):
        require_outline(SQUARE.T)


def test_landmarks_and_released_shapes_may_cross():
    ball = dp.Ball(SPACE, BOW_TIE, 0.2)  # landmarks need no order
    assert SPACE.contains(ball.center)
    assert SPACE.contains(smooth_shapes(ball.center, 0.01))


def test_one_crossing_is_found_on_a_long_outline_traced_on_pixels():
    side = np.arange(1500.0)
    zero, top = np.zeros_like(side), np.full_like(side, 1500.0)
    sides = [(side, zero), (top, side), (1500 - side, top), (zero, 1500 - side)]
    pixels = np.concatenate([np.stack(one, axis=-1) for one in sides])
    assert crossing_edges(pixels) is None
    pixels[700] += [0.3, 900.0]  # a spike that stays inside
    assert crossing_edges(pixels) is None
    pixels[700, 1] = 1700.0  # and now reaches through the opposite side
    assert crossing_edges(pixels) == (699, 3799)
