"""Frames carried by isometries: coordinates of logs, and the way back."""

import numpy as np
import pytest

from geomdp import intervals
from geomdp.spaces import SPD, Euclidean, Hyperbolic, PlanarShapes, Sphere, linalg
from geomdp.spaces.spd_affine import AffineSPD

SPACES = [
    Sphere(1),
    Sphere(2),
    Sphere(4, curvature=4.0),
    SPD(1),
    SPD(3),
    SPD(3, metric="log-euclidean"),
    Euclidean(4),
    Hyperbolic(3),
    PlanarShapes(3),
    PlanarShapes(6),
]


@pytest.fixture(params=SPACES, ids=lambda space: space.spec)
def space(request):
    return request.param


def points(space, n, seed, size):
    v = np.random.default_rng(seed).normal(size=(n, space.dim))
    v *= size / np.linalg.norm(v, axis=1, keepdims=True)
    return space.canonical(space.exp(space.origin(np.zeros(1)), space.from_frame(v)))


def reach(space):
    return min(1.0, 0.45 * space.injectivity_radius)


def test_frame_vectors_go_there_and_back(space):
    v = np.random.default_rng(0).normal(size=(5, space.dim))
    np.testing.assert_allclose(space.to_frame(space.from_frame(v)), v, atol=1e-14)


def test_moving_back_undoes_moving(space):
    p, x = points(space, 6, 1, reach(space)), points(space, 6, 2, reach(space))
    for there, back in ((space.move, space.move_back), (space.move_back, space.move)):
        again = space.canonical(back(p, space.canonical(there(p, x))))
        assert np.all(space.dist(x, again) < 1e-13)


def test_frame_coordinates_are_those_of_an_orthonormal_frame(space):
    p, x, y = (points(space, 6, seed, reach(space) / 2) for seed in (3, 4, 5))
    u, v = space.frame_log(p, x), space.frame_log(p, y)
    expected = space.inner(p, space.log(p, x), space.log(p, y))
    np.testing.assert_allclose(np.sum(u * v, axis=-1), expected, atol=1e-12)


def test_frame_exp_inverts_frame_log(space):
    p, x = points(space, 6, 6, reach(space)), points(space, 6, 7, reach(space) / 2)
    again = space.canonical(space.frame_exp(p, space.frame_log(p, x)))
    assert np.all(space.dist(x, again) < 1e-13)


def test_one_frame_serves_a_batch(space):
    p, x = points(space, 1, 8, reach(space))[0], points(space, 6, 9, reach(space) / 2)
    together = space.frame_log(p, x)
    alone = np.stack([space.frame_log(p, x[i : i + 1])[0] for i in range(6)])
    np.testing.assert_allclose(together, alone, atol=1e-14)


@pytest.mark.parametrize("seed", range(3))
def test_float_coordinates_err_less_than_the_wrapped_mechanism_grants(space, seed):
    """Against the same formulas in intervals, from the same floats taken as exact points."""
    radius = reach(space) / 2
    center = points(space, 1, 20 + seed, reach(space))[0]
    near = space.canonical(space.move(center, points(space, 4, 30 + seed, radius)))
    floats = space.frame_log(center, near)
    with intervals.precision(400):
        exact_center = space.canonical(intervals.from_floats(center))
        exact_near = space.canonical(intervals.from_floats(near))
        if isinstance(space, AffineSPD):  # its log uses eigenvectors, which intervals do not have
            exact = space.to_frame(linalg.logm(space.move_back(exact_center, exact_near)))
        else:
            exact = space.frame_log(exact_center, exact_near)
        ideal = intervals.to_floats(exact)
    error = np.max(np.linalg.norm(floats - ideal, axis=1))
    assert error <= 4 * space.log_rounding(center, radius)
