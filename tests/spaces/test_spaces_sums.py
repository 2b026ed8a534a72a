"""Sums of logs by closed forms: what a solver walks by, against the logs one by one."""

import numpy as np
import pytest

import geomdp as dp
from geomdp.spaces import linalg, spd_small

RNG = np.random.default_rng(0)


def matrices(k, condition, n=200, gap=1.0):
    """Matrices of this condition number, two eigenvalues ``gap`` apart relatively."""
    turn, _ = np.linalg.qr(RNG.normal(size=(n, k, k)))
    values = np.geomspace(1.0, condition, k) / np.sqrt(condition)
    if k == 3:
        values[1] = values[0] * (1 + gap)
    x = (turn * values) @ np.swapaxes(turn, 1, 2)
    return (x + np.swapaxes(x, 1, 2)) / 2


def error(x):
    """Largest error of the closed form of one logarithm, and whether it was used."""
    k = x.shape[-1]
    rows = spd_small.upper_rows(x - np.eye(k), np.eye(k))
    exact = linalg.logm(x)
    wide = spd_small.log1p_sum(rows, None)[1]
    gaps = [
        np.abs(spd_small.log1p_sum(rows[:, [i]], None)[0] - exact[i]).max()
        for i in np.flatnonzero(~wide)
    ]
    return max(gaps, default=0.0), wide


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("condition", [1.0, 1 + 1e-9, 2.0, 25.0])
@pytest.mark.parametrize("gap", [0.0, 1e-12, 1e-8, 1e-3, 0.5])
def test_closed_form_of_narrow_matrices(k, condition, gap):
    if k == 3 and 1 + gap > condition:
        gap = 0.0
    found, wide = error(matrices(k, condition, gap=gap))
    assert not wide.any()
    assert found < 1e-12


@pytest.mark.parametrize("k", [2, 3])
def test_wide_matrices_are_left_to_decompositions(k):
    mixed = np.concatenate([matrices(k, 5.0, 20), matrices(k, 1e4, 3), matrices(k, 1e9, 2)])
    assert error(mixed)[1].tolist() == [False] * 20 + [True] * 5
    space = dp.SPD(k)
    shares = RNG.uniform(size=len(mixed))
    for share in (None, shares):
        weighted = space.log(np.eye(k), mixed)
        weighted = weighted if share is None else share[:, None, None] * weighted
        np.testing.assert_allclose(
            space.log_sum(np.eye(k), mixed, share), np.sum(weighted, axis=0), atol=1e-10
        )


class LongLog(dp.Sphere):
    def log(self, p, q):
        return 1.5 * super().log(p, q)


def test_a_log_of_its_own_does_not_inherit_sums():
    space, points = LongLog(2), np.eye(3)
    assert not space.fast_sums
    np.testing.assert_allclose(
        space.log_sum(points[0], points), np.sum(space.log(points[0], points), axis=0)
    )


class ShiftedPlane(dp.Euclidean):
    def exp(self, p, v):
        return p + v


def test_maps_of_its_own_are_not_taken_for_linear():
    assert dp.Euclidean(2).linear
    assert not ShiftedPlane(2).linear


def test_another_flat_map_drops_the_sums_of_its_parent():
    """The closed form of log-Euclidean sums is that of its own logarithm."""

    class Doubled(type(dp.SPD(2, metric="log-euclidean"))):
        def flat(self, x):
            return 2 * super().flat(x)

    space, points = Doubled(2), np.array([np.diag([2.0, 1.0]), np.diag([3.0, 1.0])])
    expected = 2 * np.diag([np.log(6), 0.0])
    np.testing.assert_allclose(space.log_sum(np.eye(2), points), expected, atol=1e-12)
