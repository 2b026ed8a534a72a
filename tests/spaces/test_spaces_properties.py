"""One suite of properties for every space, on NumPy and on array-api-strict arrays."""

from dataclasses import replace

import array_api_strict
import numpy as np
import pytest

from geomdp.spaces import SPD, Correlation, Euclidean, Hyperbolic, PlanarShapes, Rotations, Sphere
from geomdp.testing import Samples, check_space
from geomdp.testing.space import OF_ARRAYS, PROPERTIES

SPACES = [
    Sphere(1),
    Sphere(2),
    Sphere(5, curvature=4.0),
    SPD(1),
    SPD(2),
    SPD(3),
    SPD(4),
    SPD(3, metric="log-euclidean"),
    Euclidean(1),
    Euclidean(4),
    Hyperbolic(1),
    Hyperbolic(3),
    PlanarShapes(3),
    PlanarShapes(5),
    Rotations(),
    Correlation(2),
]
EACH = pytest.mark.parametrize("space", SPACES, ids=lambda space: space.spec)


@EACH
@pytest.mark.parametrize("check", PROPERTIES, ids=lambda check: check.__name__)
def test_property(space, check):
    check_space(space, properties=(check,))


@EACH
def test_properties_of_arrays_of_another_library(space):
    check_space(space, properties=OF_ARRAYS, xp=array_api_strict)


@pytest.mark.parametrize(
    ("space", "plane", "k"),
    [
        (SPD(2), (0, 2), 0.0),
        (SPD(3), (3, 4), -0.125),
        (PlanarShapes(5), (0, 3), 4.0),
        (PlanarShapes(5), (0, 1), 1.0),
        (Sphere(5, curvature=4.0), (1, 3), 4.0),
        (Hyperbolic(3), (0, 2), -1.0),
    ],
    ids=str,
)
def test_curvature_of_a_plane(space, plane, k):
    """The curvature read off a small triangle, so that the bounds are known to be attained."""
    t = 0.02
    origin = space.origin(np.zeros(1))
    frame = np.eye(space.dim)[list(plane)]
    if space == SPD(2):  # diag(1, -1) and the off-diagonal direction have the extreme curvature
        frame, k = np.array([[1.0, -1.0, 0.0], [0.0, 0.0, np.sqrt(2)]]) / np.sqrt(2), -0.5
    a, b = (space.exp(origin, space.from_frame(t * e)) for e in frame)
    # For a right angle d^2 = 2 t^2 - k t^4 / 3 + O(t^6).
    measured = 3 * (2 * t**2 - float(space.dist(a, b)) ** 2) / t**4
    assert measured == pytest.approx(k, abs=5e-3)


def test_symmetric_results_are_exactly_symmetric():
    for space in (SPD(3), SPD(4), SPD(3, metric="log-euclidean")):
        p, q = (Samples(space).points(20, seed) for seed in (1, 2))
        v = space.log(p, q)
        for x in (v, space.exp(p, v), space.move(p, q), space.transport(p, q, v)):
            assert np.array_equal(x, np.swapaxes(x, -1, -2))
        back = space.point(space.coordinates(p))
        assert np.array_equal(back, np.swapaxes(back, -1, -2))


def test_spaces_of_equal_settings_are_equal():
    for space in SPACES:
        assert space == replace(space)
        assert hash(space) == hash(replace(space))
        assert [other for other in SPACES if other == space] == [space]
