"""Landmarks in space: the log by one decomposition, singular records, and what a chart refuses."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

import geomdp as dp
from geomdp.errors import InvalidBallError, MechanismRefusedError
from geomdp.testing import check_door, check_space, search_neighbours

SPACES = [dp.SizeAndShape(6), dp.Shapes(6), dp.SizeAndShape(5, 2), dp.Shapes(5, 2)]
EACH = pytest.mark.parametrize("space", SPACES, ids=lambda space: space.spec)


def some_landmarks(n, k=6, m=3, spread=0.2, seed=0):
    rng = np.random.default_rng(seed)
    template = np.random.default_rng(99).standard_normal((k, m))
    return template + spread * rng.standard_normal((n, k, m))


def a_ball(space, radius=0.8):
    return dp.Ball(space, some_landmarks(1, space.landmarks, space.m, 0.0)[0], radius)


@EACH
def test_properties(space):
    check_space(space)


@EACH
def test_hostile_records_become_points_of_the_ball(space):
    check_door(space, 60)


@EACH
def test_position_and_orientation_do_not_count(space):
    ball, records = a_ball(space), some_landmarks(10, space.landmarks, space.m)
    turns = np.linalg.qr(np.random.default_rng(1).standard_normal((10, space.m, space.m)))[0]
    turns[..., 0] *= np.linalg.det(turns)[:, None]
    moved = records @ turns + 7.0
    logs = [dp.TangentMean(ball).admit(x).records for x in (records, moved)]
    np.testing.assert_allclose(*logs, atol=1e-13)
    mirrored = dp.TangentMean(ball).admit(records * ([1] * (space.m - 1) + [-1])).records
    assert np.max(np.abs(mirrored - logs[0])) > 0.1


def test_size_counts_in_one_and_not_in_the_other():
    records = some_landmarks(3)
    for space, same in ((dp.Shapes(6), True), (dp.SizeAndShape(6), False)):
        p, q = space.require(records), space.require(3 * records)
        assert bool(np.all(space.dist(p, q) < 1e-7)) is same


def test_distances_by_search_over_all_rotations():
    """A minimiser that knows no singular values, from many starts."""
    x, y = some_landmarks(2, spread=1.0, seed=2)
    x, y = x - x.mean(axis=0), y - y.mean(axis=0)

    def gap(v):
        return np.linalg.norm(Rotation.from_rotvec(v).apply(x) - y)

    starts = np.random.default_rng(3).uniform(-np.pi, np.pi, (12, 3))
    best = min(minimize(gap, v, tol=1e-10).fun for v in starts)
    space = dp.SizeAndShape(6)
    assert float(space.dist(x, y)) == pytest.approx(best, abs=1e-7)
    cosine = (np.sum(x**2) + np.sum(y**2) - best**2) / 2 / np.linalg.norm(x) / np.linalg.norm(y)
    shapes = dp.Shapes(6)
    assert float(shapes.dist(*shapes.require([x, y]))) == pytest.approx(np.arccos(cosine), abs=1e-7)


def test_shapes_in_the_plane_are_those_of_kendalls_space():
    records = some_landmarks(8, 5, 2, 0.6)
    chart, plane = dp.Shapes(5, 2), dp.PlanarShapes(5)
    np.testing.assert_allclose(
        chart.dist(chart.require(records[0]), chart.require(records)),
        plane.dist(plane.require(records[0]), plane.require(records)),
        atol=1e-12,
    )


def test_the_tangent_mean_of_size_and_shape_is_a_procrustes_mean_step():
    """Mean of the fitted records, as geomorph and others take it in one step from a reference."""
    ball, records = a_ball(dp.SizeAndShape(6), 5.0), some_landmarks(30)
    mean = dp.TangentMean(ball)
    found = mean.estimate(mean.encode(records))
    fitted = []
    for record in records:
        x = record - record.mean(axis=0)
        turn, _ = Rotation.align_vectors(ball.center, x)
        fitted.append(turn.apply(x))
    np.testing.assert_allclose(found, np.mean(fitted, axis=0), atol=1e-12)


@EACH
def test_the_adversary_attains_the_sensitivity_and_no_more(space):
    worst = search_neighbours(dp.TangentMean(a_ball(space, 0.3)), n=4, steps=4)
    assert 0.99 < worst.share <= 1


@pytest.mark.parametrize("space", SPACES[:2], ids=lambda space: space.spec)
@pytest.mark.parametrize("mechanism", ["auto", "laplace", "kng", "wrapped-laplace"])
def test_what_needs_curvature_is_refused_in_one_sentence(space, mechanism):
    asked = dp.FrechetMean(a_ball(space))
    with pytest.raises(MechanismRefusedError) as told:
        dp.plan(asked, n=50, budget=dp.Pure(1), mechanism=mechanism)
    said = str(told.value)
    assert said.startswith(f"{space.spec} is a chart")
    assert said.count(".") == 1
    with pytest.raises(InvalidBallError, match="is a chart"):
        asked.sensitivity(50, "sharp")


@pytest.mark.parametrize(
    ("space", "budget"), [(SPACES[0], dp.GDP(2)), (SPACES[1], dp.Pure(2)), (SPACES[3], dp.GDP(2))]
)
def test_means_and_moments_are_released(space, budget):
    ball, records = a_ball(space), some_landmarks(600, space.landmarks, space.m, 0.05)
    for statistic in (dp.TangentMean(ball), dp.Moments(ball)):
        release = dp.plan(statistic, n=600, budget=budget).release(records)
        assert np.all(np.isfinite(release.value))
    mean = dp.plan(dp.TangentMean(ball), n=600, budget=budget).release(records).value
    assert space.contains(mean)
    assert float(space.dist(ball.center, mean)) < 0.3


def test_a_ball_is_found_privately():
    space = dp.SizeAndShape(6)
    records = some_landmarks(4000, spread=0.02)
    prior = dp.TangentMean(a_ball(space, 3.0))
    release = dp.plan(dp.Refined(prior), n=4000, budget=dp.GDP(2)).release(records)
    assert float(space.dist(a_ball(space).center, release.value)) < 0.1


@pytest.mark.parametrize(
    "center", [np.outer(np.arange(6.0), [1, 2, 3]), np.ones((6, 3)), np.zeros((6, 3))]
)
def test_a_centre_on_a_line_is_refused(center):
    with pytest.raises(InvalidBallError, match="lie on a line or coincide"):
        dp.Ball(dp.SizeAndShape(6), center, 1.0)
    flat = some_landmarks(1)[0] * [1, 1, 0]
    assert dp.Ball(dp.SizeAndShape(6), flat, 1.0).space.dim == 12
