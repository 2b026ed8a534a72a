"""Axes without polarity: a vector and its opposite are one point, wherever they stand."""

import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import GeomdpError
from geomdp.readings import UnitVectors
from geomdp.testing import check_door, check_space


@pytest.mark.parametrize("dim", [1, 2, 3, 5])
def test_axes_keep_what_is_relied_on(dim):
    check_space(dp.Axes(dim))


def test_no_record_escapes_the_door():
    check_door(dp.Axes(2))


def test_a_vector_and_its_opposite_are_one_point():
    space = dp.Axes(3)
    x, y = np.linalg.qr(np.random.default_rng(0).standard_normal((4, 4)))[0][:2]
    near = (x + 0.3 * y) / np.hypot(1, 0.3)
    np.testing.assert_array_equal(space.canonical(x), space.canonical(-x))
    np.testing.assert_allclose(space.dist(x, -near), np.arctan(0.3))
    np.testing.assert_allclose(space.log(x, -near), space.log(x, near))
    assert space.dist(x, y) == pytest.approx(np.pi / 2)
    raw = np.array([[0.0, 0.0, -2.0], [0.0, -3.0, 4.0]])
    read = dp.Axes(2).require(UnitVectors().points(raw))
    np.testing.assert_allclose(read, [[0.0, 0.0, 1.0], [0.0, -0.6, 0.8]])


def test_no_axis_without_a_dimension():
    with pytest.raises(GeomdpError, match="at least 1"):
        dp.Axes(0)
