"""Correlation matrices: the off-diagonal logarithm, its inverse, and what floats resolve."""

import numpy as np
import pytest
import scipy.linalg
from scipy.optimize import root

import geomdp as dp
from geomdp import intervals
from geomdp.errors import MechanismRefusedError
from geomdp.spaces.correlation import MOST_STEPS, _condition_bound, from_off_log, hollowed
from geomdp.testing import check_space, search_neighbours


def hollow(n, k, spread, seed=0):
    a = spread * np.random.default_rng(seed).standard_normal((n, k, k))
    return np.triu(a, 1) + np.swapaxes(np.triu(a, 1), 1, 2)


def some_correlations(n, k, seed=0):
    """Correlations of short series that share a signal, as connectomes are."""
    rng = np.random.default_rng(seed)
    series = rng.standard_normal((n, 8 * k, k)) + rng.standard_normal((n, 8 * k, 1))
    return np.array([np.corrcoef(s.T) for s in series])


def test_two_variables_are_fishers_z():
    r = np.linspace(-0.99, 0.99, 21)
    x = np.array([[[1.0, c], [c, 1.0]] for c in r])
    np.testing.assert_allclose(
        dp.Correlation(2).coordinates(x)[:, 0], np.sqrt(2) * np.arctanh(r), atol=1e-13
    )


@pytest.mark.parametrize(("k", "spread"), [(3, 0.3), (5, 0.5), (12, 0.3), (40, 0.1)])
def test_the_inverse_is_exact_to_rounding(k, spread):
    a = hollow(4, k, spread)
    c = from_off_log(a)
    assert np.all(np.diagonal(c, axis1=1, axis2=2) == 1)
    np.testing.assert_array_equal(c, np.swapaxes(c, 1, 2))
    for one, logs in zip(c, a, strict=True):
        np.testing.assert_allclose(hollowed(scipy.linalg.logm(one)), logs, atol=2e-13)


def test_the_inverse_agrees_with_another_solver():
    (a,) = hollow(1, 4, 0.8, seed=3)
    solved = root(lambda x: np.diag(scipy.linalg.expm(a + np.diag(x))) - 1, np.zeros(4), tol=1e-13)
    np.testing.assert_allclose(
        from_off_log(a), scipy.linalg.expm(a + np.diag(solved.x)), atol=1e-11
    )


def test_each_matrix_is_solved_by_itself():
    """Spread-out neighbours take more steps; the digits of the others do not know."""
    spreads = (0.1, 0.1, 1.0, 3.0, 8.0, 20.0)
    a = np.concatenate([*(hollow(1, 6, s, seed=i) for i, s in enumerate(spreads))])
    a = np.concatenate([a, np.full((1, 6, 6), np.nan)])
    together = from_off_log(a)
    for i in range(len(a)):
        np.testing.assert_array_equal(from_off_log(a[i : i + 1])[0], together[i])


@pytest.mark.parametrize("size", [1.0, 30.0, 1e4, 1e300, np.inf, np.nan])
def test_whatever_is_drawn_becomes_a_matrix_with_ones(size):
    with np.errstate(all="ignore"):
        c = from_off_log(hollow(3, 5, 1.0) * size)
    assert np.all(np.isfinite(c))
    assert np.all(np.diagonal(c, axis1=1, axis2=2) == 1)
    assert np.max(np.abs(c)) <= 1 + 1e-12


def test_intervals_hold_the_solution():
    a = hollow(2, 4, 1.0, seed=5)
    with intervals.precision(160):
        enclosed = from_off_log(intervals.from_floats(a))
    assert max(float(entry.rad()) for entry in enclosed.flat) < 1e-40
    np.testing.assert_allclose(intervals.to_floats(enclosed), from_off_log(a), atol=1e-14)
    with intervals.precision(500):
        finer = from_off_log(intervals.from_floats(a))
        assert np.all(intervals.elementwise(lambda x, y: x.contains(y), enclosed, finer))


def test_condition_numbers_stay_below_their_bounds():
    rng = np.random.default_rng(6)
    for k in (2, 3, 8):
        space = dp.Correlation(k)
        for length in (0.3, 1.0, 3.0):
            v = rng.standard_normal((40, space.dim))
            v *= length / np.linalg.norm(v, axis=1, keepdims=True)
            v[:4] = length * np.eye(space.dim)[0]
            conditions = np.linalg.cond(space.point(v))
            assert np.max(conditions) <= _condition_bound(k, length)
            if length < 1:  # the bound along the way, from the identity
                assert np.max(conditions) <= (1 - length / np.sqrt(2)) ** -2


def test_what_is_no_correlation_is_told():
    space = dp.Correlation(3)
    good = some_correlations(1, 3)[0]
    for bad, reason in [
        (4 * good, "standard deviations"),
        (np.ones((3, 3)), "positive definite"),
        (good + np.triu(np.full((3, 3), 0.1), 1), "symmetric"),
    ]:
        assert reason in space.contains(bad).reason
    typed = good.round(7) * (1 + 1e-7)
    assert np.all(np.diagonal(space.require(typed)) == 1)


def test_mean_of_the_space_is_the_mean_of_the_entries_and_2r_over_n_is_attained():
    space = dp.Correlation(5)
    records = some_correlations(30, 5)
    logs = np.mean([hollowed(scipy.linalg.logm(c)) for c in records], axis=0)
    found = dp.frechet_mean(space, records).point
    np.testing.assert_allclose(hollowed(scipy.linalg.logm(found)), logs, atol=1e-12)
    worst = search_neighbours(dp.TangentMean(dp.Ball(space, np.eye(5), 2.0)), n=4, steps=3)
    assert worst.share > 0.999


def test_records_order_of_variables_does_not_matter():
    space, order = dp.Correlation(6), np.random.default_rng(7).permutation(6)
    p, q = some_correlations(2, 6)
    turned = space.dist(p[np.ix_(order, order)], q[np.ix_(order, order)])
    assert float(turned) == pytest.approx(float(space.dist(p, q)), rel=1e-12)


@pytest.mark.parametrize("statistic", [dp.TangentMean, dp.FrechetMean, dp.Moments])
def test_noise_that_makes_matrices_singular_is_refused_in_the_plan(statistic):
    """At k = 40 a standard deviation of 3 of the logarithm's entries, but not one of 1."""
    asked = statistic(dp.Ball(dp.Correlation(40), np.eye(40), 2.0))

    def plan(sd):
        mu = 2 * 2.0 / (50 * np.sqrt(2) * sd)  # coordinates have sqrt(2) times that
        return dp.plan(asked, n=50, budget=dp.GDP(round(mu, 6)), mechanism="tangent-gaussian")

    with pytest.raises(MechanismRefusedError, match="singular in floating point"):
        plan(3.0)
    assert plan(1.0).calibration.scale == pytest.approx(np.sqrt(2), rel=1e-3)


def test_laplace_noise_is_refused_as_well():
    asked = dp.FrechetMean(dp.Ball(dp.Correlation(20), np.eye(20), 2.0))
    for mechanism in ("laplace", "wrapped-laplace"):
        with pytest.raises(MechanismRefusedError, match="singular in floating point"):
            dp.plan(asked, n=5, budget=dp.Pure(1), mechanism=mechanism)


@pytest.mark.slow
def test_every_property_of_more_variables():
    check_space(dp.Correlation(4))
    assert MOST_STEPS > 100
