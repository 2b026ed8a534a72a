"""Compositions and the sphere: there and back, zeros, and sentences for what is wrong."""

import numpy as np
import pytest

from geomdp.errors import InvalidRecordError
from geomdp.spaces import Sphere, composition_to_sphere, sphere_to_composition

SHARES = np.random.default_rng(0).dirichlet(np.ones(5), size=20)


def test_square_roots_lie_on_the_sphere_and_come_back():
    points = composition_to_sphere(SHARES)
    assert Sphere(4).contains(points)
    np.testing.assert_allclose(sphere_to_composition(points), SHARES, atol=1e-15)


def test_zeros_and_pure_compositions_are_fine():
    points = composition_to_sphere([[1.0, 0.0, 0.0], [0.0, 0.5, 0.5]])
    assert Sphere(2).dist(points[0], points[1]) == pytest.approx(np.pi / 2)


def test_distances_are_those_of_bhattacharyya():
    points = composition_to_sphere(SHARES[:2])
    expected = np.arccos(np.sum(np.sqrt(SHARES[0] * SHARES[1])))
    assert Sphere(4).dist(points[0], points[1]) == pytest.approx(expected)


def test_a_released_point_outside_the_positive_part_is_a_composition():
    shares = sphere_to_composition([-0.6, 0.0, 0.8])
    assert shares.sum() == pytest.approx(1.0)
    assert shares.min() >= 0


@pytest.mark.parametrize(
    ("shares", "message"),
    [
        ([[0.5, 0.5], [0.7, 0.7]], "Composition 1 does not add up to 1"),
        ([1.2, -0.2], "negative share"),
        ([np.nan, 1.0], "missing"),
        ([1.0], "at least 2 parts"),
        (["a", "b"], "numbers"),
        (3.0, "at least 2 parts"),
    ],
)
def test_bad_compositions(shares, message):
    with pytest.raises(InvalidRecordError, match=message):
        composition_to_sphere(shares)


def test_bad_points():
    with pytest.raises(InvalidRecordError, match="unit sphere"):
        sphere_to_composition([1.0, 1.0])
    with pytest.raises(InvalidRecordError, match="unit sphere"):
        sphere_to_composition([np.nan, 1.0])
