"""Balls: clipping is exact, record by record, and bad balls are refused in a sentence."""

import numpy as np
import pytest

from geomdp import intervals
from geomdp.errors import InvalidBallError, InvalidRecordError
from geomdp.spaces import SPD, Ball, Euclidean, Hyperbolic, PlanarShapes, Sphere, largest_radius

SPACES = [
    Sphere(1),
    Sphere(2),
    Sphere(5, curvature=4.0),
    SPD(1),
    SPD(3),
    SPD(3, metric="log-euclidean"),
    Euclidean(4),
    Hyperbolic(3),
    PlanarShapes(3),
    PlanarShapes(5),
]


@pytest.fixture(params=SPACES, ids=lambda space: space.spec)
def space(request):
    return request.param


def points(space, n, seed, radius):
    rng = np.random.default_rng(seed)
    v = rng.normal(size=(n, space.dim))
    v *= radius * rng.uniform(0.05, 1.0, (n, 1)) / np.linalg.norm(v, axis=-1, keepdims=True)
    return space.canonical(space.exp(space.origin(np.zeros(1)), space.from_frame(v)))


def ball_of(space, share=0.4):
    center = points(space, 1, 3, min(0.4, space.injectivity_radius / 4))[0]
    return Ball(space, center=center, radius=share * min(largest_radius(space), 2.0))


def records_of(space, ball, n=60):
    return space.canonical(space.move(ball.center, points(space, n, 4, 2.4 * ball.radius)))


def proved_distances(ball, x):
    """Distances from the centre in intervals of 200 bits, of the points that floats stand for."""
    space = ball.space
    center = space.canonical(intervals.from_floats(ball.center))
    return space.dist(center, space.canonical(intervals.from_floats(x)))


def test_clipped_records_are_never_beyond_the_radius(space):
    ball = ball_of(space)
    records = records_of(space, ball)
    clipped = ball.clip(records)
    moved = np.asarray(space.dist(records, clipped)) > 1e-9
    assert 5 < moved.sum() < 55
    with intervals.precision(200):
        distances = proved_distances(ball, clipped)
        assert np.all(intervals.less(distances, ball.radius))
        # Not needlessly far inside either.
        assert np.all(intervals.less(ball.radius * (1 - 1e-9) - distances[moved], 0.0))


def test_clipping_moves_along_the_geodesic_from_the_centre(space):
    ball = ball_of(space)
    records = records_of(space, ball)
    clipped = ball.clip(records)
    before = space.dist(ball.center, records)
    after = space.dist(ball.center, clipped)
    np.testing.assert_allclose(after, np.minimum(before, ball.radius), rtol=1e-9)
    np.testing.assert_allclose(after + space.dist(clipped, records), before, atol=1e-7)


def test_points_inside_are_kept_bit_for_bit(space):
    ball = ball_of(space)
    records = space.require(records_of(space, ball))
    inside = space.dist(ball.center, records) < ball.radius * (1 - 1e-6)
    assert 5 < inside.sum() < 55
    kept = ball.clip(records)[inside]
    np.testing.assert_array_equal(kept, space.require(records)[inside])


def test_clipping_one_record_does_not_depend_on_the_others(space):
    ball = ball_of(space)
    records = records_of(space, ball)
    clipped = ball.clip(records)
    order = np.random.default_rng(5).permutation(len(records))
    np.testing.assert_array_equal(ball.clip(records[order]), clipped[order])
    np.testing.assert_array_equal(np.concatenate([ball.clip(x[None]) for x in records]), clipped)
    np.testing.assert_array_equal(ball.clip(records[7:19]), clipped[7:19])


def test_clipping_twice_changes_nothing_but_rounding(space):
    ball = ball_of(space)
    once = ball.clip(records_of(space, ball))
    np.testing.assert_allclose(ball.clip(once), once, rtol=0, atol=2e-15 * np.max(np.abs(once)))


def test_clipping_leaves_the_records_alone(space):
    ball = ball_of(space)
    records = records_of(space, ball)
    copy = records.copy()
    ball.clip(records)
    np.testing.assert_array_equal(records, copy)


def test_one_record_and_none(space):
    ball = ball_of(space)
    one = records_of(space, ball)[0]
    np.testing.assert_array_equal(ball.clip(one), ball.clip(one[None])[0])
    assert ball.clip(one[None][:0]).shape == (0, *space.point_shape)


def test_what_is_no_point_becomes_the_centre(space):
    ball = ball_of(space)
    records = records_of(space, ball)
    clipped = ball.clip(records)
    records[3] = np.nan
    clipped[3] = ball.center
    np.testing.assert_array_equal(ball.clip(records), clipped)


def test_clip_refuses_another_shape(space):
    ball = ball_of(space)
    with pytest.raises(InvalidRecordError, match=r"shape|landmarks"):
        ball.clip(np.ones((3, 7, 11)))


def test_centre_is_read_only(space):
    ball = ball_of(space)
    with pytest.raises(ValueError, match="read-only"):
        ball.center[...] = 0


def test_radius_must_be_covered_by_the_theory(space):
    center = space.origin(np.zeros(1))
    for radius in (0, -1, float("nan"), float("inf"), largest_radius(space), "wide", None, [1, 2]):
        with pytest.raises(InvalidBallError, match="radius"):
            Ball(space, center=center, radius=radius)


@pytest.mark.parametrize(
    ("space", "limit"),
    [
        (Sphere(2), np.pi / 3),
        (Sphere(2, curvature=4.0), np.pi / 6),
        (Sphere(1), np.pi / 2),
        (PlanarShapes(5), np.pi / 6),
        (SPD(3), np.inf),
        (Hyperbolic(2), np.inf),
    ],
    ids=str,
)
def test_largest_radius(space, limit):
    assert largest_radius(space) == pytest.approx(limit, rel=1e-15)


@pytest.mark.parametrize(
    ("space", "center", "message"),
    [
        (Sphere(2), [0.0, 0.0, 2.0], "centre .* norm differs"),
        (Sphere(2), [np.nan, 0.0, 1.0], "missing"),
        (Sphere(2), [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]], "one point of shape"),
        (Sphere(2), [0.0, 1.0], "shape"),
        (Sphere(2), "north", "centre"),
        (SPD(2), [[1.0, 2.0], [2.0, 1.0]], "not positive definite"),
        (Hyperbolic(2), [1.0, 0.0, 0.0], "last coordinate"),
        (PlanarShapes(3), np.ones((3, 2)), "landmarks coincide"),
    ],
)
def test_centre_must_be_one_point(space, center, message):
    with pytest.raises(InvalidBallError, match=message):
        Ball(space, center=center, radius=0.1)


@pytest.mark.parametrize(
    ("space", "center", "radius"),
    [
        (SPD(2), np.eye(2), 30.0),
        (SPD(2), np.diag([1.0, 1e15]), 4.0),
        (Hyperbolic(2), np.array([0.0, 0.0, 1.0]), 40.0),
        (Euclidean(1), np.array([1e20]), 1.0),
        (Sphere(2), np.array([0.0, 0.0, 1.0]), 1e-15),
    ],
    ids=str,
)
def test_balls_that_floats_cannot_resolve(space, center, radius):
    with pytest.raises(InvalidBallError, match="floating-point"):
        Ball(space, center=center, radius=radius)
