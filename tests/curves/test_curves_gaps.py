"""Gaps and short curves: a penalised fit of one record, and the plan's policy for the rest."""

import numpy as np
import pytest

import geomdp as dp
from geomdp.curves import (
    CircleGrid,
    FunctionMean,
    IntervalGrid,
    Matern,
    SquaredExponential,
)
from geomdp.curves.datasets import growth_curves
from geomdp.curves.resampling import fill_gaps, fit_curve
from geomdp.errors import InvalidRecordError

FAMILY = growth_curves(40, seed=2)
MEAN = FunctionMean(FAMILY.template, 25.0, Matern(8.0), 1e-3, FAMILY.grid)


def with_gaps(share, seed=0):
    records = FAMILY.records.copy()
    records[np.random.default_rng(seed).random(records.shape) < share] = np.nan
    return records


def test_gaps_of_growth_curves_are_filled_to_a_fraction_of_a_centimetre():
    filled = with_gaps(0.3)
    assert fill_gaps(filled, FAMILY.template, FAMILY.grid, Matern(8.0)) == {}
    missing = np.isnan(with_gaps(0.3))
    assert np.abs(filled - FAMILY.records)[missing].mean() < 0.5  # cm; neighbours are 6 cm apart
    np.testing.assert_array_equal(filled[~missing], FAMILY.records[~missing])


def test_each_record_is_fitted_alone():
    records = with_gaps(0.3)
    together = MEAN.encode(records)
    for row in (0, 7):
        np.testing.assert_allclose(MEAN.encode(records[[row]])[0], together[row], atol=1e-9)
    others = with_gaps(0.6, seed=5)
    others[7] = records[7]
    np.testing.assert_allclose(MEAN.admit(others).records[7], together[7], atol=1e-9)


def test_what_is_too_short_follows_the_policy():
    records = with_gaps(0.0)
    records[3, 3:] = np.nan
    budget = {"n": 40, "budget": dp.GDP(1)}
    with pytest.raises(InvalidRecordError, match="Record 4: it has fewer than 4 samples"):
        dp.plan(MEAN, **budget).release(records)
    assert dp.plan(MEAN, **budget, invalid="public").release(records).value.shape == (17,)
    np.testing.assert_array_equal(MEAN.admit(records).records[3], 0.0)


def test_far_from_every_sample_the_fit_is_the_template():
    grid = IntervalGrid(np.linspace(0, 100, 50))
    template = np.sin(grid.points)
    found = fit_curve([0, 1, 2, 3], np.sin([0, 1, 2, 3]) + 5, template, grid, Matern(2.0))
    np.testing.assert_allclose(found[-10:], template[-10:], atol=1e-6)
    assert found[0] == pytest.approx(template[0] + 5, abs=0.2)


def test_the_fit_commutes_with_rotation_of_the_circle():
    grid, kernel = CircleGrid(8), Matern(0.7)
    times = np.sort(np.random.default_rng(1).uniform(0, 1, 12))
    values = np.random.default_rng(2).standard_normal((2, 12))
    found = fit_curve(times, values, np.zeros((2, 8)), grid, kernel)
    turned = fit_curve(times + 3.25, values, np.zeros((2, 8)), grid, kernel)
    np.testing.assert_allclose(turned, np.roll(found, 2, axis=-1), atol=1e-9)


@pytest.mark.parametrize(
    "record",
    [
        (np.zeros(6), np.ones(6)),  # all at one time
        (np.array([0.0, 1e308, -1e308, 5, 6, 7, 8]), np.full(7, 1e300)),
        (np.array([2.0, 2, 3, 4, np.inf, np.nan, 5]), np.array([1, -1, 1, 2, 3, 4, np.inf])),
        (np.linspace(2, 18, 6), 1e-320 * np.ones(6)),
    ],
)
def test_hostile_curves_become_something_finite_within_the_ball(record):
    for kernel in (Matern(8.0), SquaredExponential(50.0)):
        mean = FunctionMean(FAMILY.template, 25.0, kernel, 1e-3, FAMILY.grid)
        row = mean.admit([record]).records
        assert np.all(np.isfinite(row))
        assert np.linalg.norm(row) <= 25.0 * (1 + 1e-9)


def test_too_many_samples_are_named():
    record = (np.linspace(2, 18, 5001), np.zeros(5001))
    with pytest.raises(InvalidRecordError, match="more than 5000 samples"):
        MEAN.encode([record])
