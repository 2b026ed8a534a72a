"""Frames carried by isometries: how far coordinates of logs are off."""

import numpy as np
import pytest
from spaces_exact import exact

from geomdp import intervals
from geomdp.spaces import SPD, Euclidean, Hyperbolic, PlanarShapes, Sphere

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


@pytest.mark.parametrize("seed", range(3))
def test_float_coordinates_err_less_than_the_wrapped_mechanism_grants(space, seed):
    """Against the same formulas in intervals, from the same floats taken as exact points."""
    radius = reach(space) / 2
    center = points(space, 1, 20 + seed, reach(space))[0]
    near = space.canonical(space.move(center, points(space, 4, 30 + seed, radius)))
    floats = space.frame_log(center, near)
    with intervals.precision(400):
        ideal = intervals.to_floats(space.frame_log(exact(space, center), exact(space, near)))
    error = np.max(np.linalg.norm(floats - ideal, axis=1))
    assert error <= 4 * space.log_rounding(center, radius)
