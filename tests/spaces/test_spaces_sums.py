"""Sums of logs by closed forms: what a solver walks by, against the logs one by one."""

import numpy as np
import pytest

import geomdp as dp
from geomdp.spaces.numerics import decompositions, pieces, spd_small

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
    exact = decompositions.logm(x)
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


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("k", [2, 3, 4])
def test_matrices_on_all_cores_change_no_bit(monkeypatch, count, k):
    space, x = dp.SPD(k), matrices(k, 50.0, 41)
    x[7] *= 1e5  # a wide one
    x[8:13] = [1e150 * np.eye(k), 1e-150 * np.eye(k), x[0], x[0] * (1 + 1e-9), 1e-5 * x[1]]
    v = space.log(x[0], x)
    whole = v, space.exp(x[0], 0.1 * v), space.dist(x[0], x)
    monkeypatch.setattr(pieces, "MATRIX_NUMBERS", 25)
    monkeypatch.setattr("os.cpu_count", lambda: count)
    again = space.log(x[0], x), space.exp(x[0], 0.1 * v), space.dist(x[0], x)
    alone = [
        (space.log(x[0], q), space.exp(x[0], 0.1 * u), space.dist(x[0], q))
        for q, u in zip(x[:, None], v[:, None], strict=True)
    ]
    for one, other, rows in zip(whole, again, zip(*alone, strict=True), strict=True):
        np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(one, np.concatenate(rows))


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize(("condition", "allowed"), [(1.0, 1e-14), (50.0, 1e-13), (1e6, 1e-9)])
def test_small_matrices_entry_by_entry_are_those_one_by_one(k, condition, allowed):
    """One matrix is left to LAPACK: nearly equal ones, narrow ones and wide ones agree."""
    space, x = dp.SPD(k), matrices(k, condition, 9)
    x[3:6] = x[0] * (1 + np.array([1e-6, 1e-9, 1e-12]))[:, None, None]
    for p in (x[0], 1e-3 * x[0]):
        many, v = space.log(p, x), 0.3 * space.log(p, x)
        assert many.shape == x.shape
        np.testing.assert_array_equal(many, np.swapaxes(many, 1, 2))
        for i, q in enumerate(x):
            one, size = space.log(p, q), float(space.dist(p, q))
            assert float(space.norm(p, many[i] - one)) <= allowed * size
            assert abs(float(space.dist(p, x)[i]) - size) <= allowed * size
            assert float(space.dist(space.exp(p, v)[i], space.exp(p, v[i]))) <= max(allowed, 1e-13)


@pytest.mark.parametrize("k", [2, 3])
def test_small_matrices_of_wide_spectra_keep_the_digits_of_singular_values(k):
    space, x = dp.SPD(k), np.concatenate([matrices(k, 1e10, 4), matrices(k, 10.0, 3)])
    many = space.log(np.eye(k), x)
    for i, q in enumerate(x):
        np.testing.assert_allclose(many[i], space.log(np.eye(k), q), atol=1e-12)
    each = [space.dist(np.eye(k), q) for q in x]
    np.testing.assert_allclose(space.dist(np.eye(k), x), each, rtol=1e-13)


def test_small_matrices_count_by_their_symmetric_part():
    space, x = dp.SPD(3), matrices(3, 5.0, 4)
    skew = np.triu(np.ones((3, 3)), 1)
    tilted = x + 1e-3 * (skew - skew.T)
    np.testing.assert_allclose(space.log(x[0], tilted), space.log(x[0], x), atol=1e-15)
    np.testing.assert_allclose(space.exp(x[0], tilted), space.exp(x[0], x), rtol=1e-14)


def test_threads_keep_what_the_caller_says_of_overflow_and_raise_what_fails(monkeypatch):
    monkeypatch.setattr(pieces, "MATRIX_NUMBERS", 25)
    space, x = dp.SPD(3), matrices(3, 50.0, 40)
    v = 1e5 * space.log(x[0], x)
    with np.errstate(all="ignore"):
        assert not np.all(np.isfinite(space.exp(x[0], v)))
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        space.exp(x[0], v)
    x[33, 1, 1] = np.nan
    with pytest.raises(np.linalg.LinAlgError):
        space.dist(x[0], x)


@pytest.mark.parametrize("metric", ["affine", "log-euclidean"])
def test_a_rough_mean_is_a_start_and_never_a_result(metric):
    space, x = dp.SPD(3, metric=metric), matrices(3, 20.0, 300)
    shares = RNG.uniform(size=300)
    rough = space.rough_mean(x, shares / np.sum(shares))
    np.testing.assert_allclose(rough, np.average(x, axis=0, weights=shares))
    found = dp.frechet_mean(space, x, weights=shares)
    first = dp.frechet_mean(space, x, weights=shares, start=x[0])
    assert found.gradient_norm <= 1e-10
    assert space.dist(found.point, first.point) < 1e-9
    assert space.dist(found.point, rough) > 1e-3
    assert space.rough_mean(1e308 * np.ones((3, 3, 3))) is None


def test_another_flat_map_drops_the_sums_of_its_parent():
    """The closed form of log-Euclidean sums is that of its own logarithm."""

    class Doubled(type(dp.SPD(2, metric="log-euclidean"))):
        def flat(self, x):
            return 2 * super().flat(x)

    space, points = Doubled(2), np.array([np.diag([2.0, 1.0]), np.diag([3.0, 1.0])])
    expected = 2 * np.diag([np.log(6), 0.0])
    np.testing.assert_allclose(space.log_sum(np.eye(2), points), expected, atol=1e-12)
