"""Covariance function and principal components of curves, for the price of the mean."""

from dataclasses import replace

import numpy as np
import pytest

import geomdp as dp
from geomdp.curves import FunctionMean, FunctionMoments, Matern
from geomdp.curves.datasets import growth_curves
from geomdp.errors import GeomdpError
from geomdp.plans.release import Release
from geomdp.releases.estimates import function_moments_of
from geomdp.releases.verification.values import on_grid

FAMILY = growth_curves(2000, seed=8)
CURVES = FunctionMean(FAMILY.template, 25.0, Matern(8.0), grid=FAMILY.grid)
ASKED = FunctionMoments(CURVES)


def estimate(plan, records, seed=0):
    value = plan.simulate(records, 1, seed)[0]
    return function_moments_of(Release(plan, value, {}))


def test_the_pair_costs_what_the_mean_does_and_the_plan_comes_back(tmp_path):
    made = dp.plan(ASKED, n=2000, budget=dp.GDP(1))
    alone = dp.plan(CURVES, n=2000, budget=dp.GDP(1))
    assert made.scale == pytest.approx(alone.scale, rel=1e-8)
    made.save(tmp_path / "plan.json")
    again = dp.load_plan(tmp_path / "plan.json")
    assert again.to_json() == made.to_json()
    release = again.release(FAMILY.records, folder=tmp_path / "moments")
    assert on_grid(again, release.value) is True
    assert function_moments_of(dp.load_release(tmp_path / "moments")).mean.shape == (17,)


def test_no_pair_of_neighbours_moves_farther_than_the_sensitivity():
    asked = FunctionMoments(replace(CURVES, terms=4))
    rng = np.random.default_rng(1)
    moved = []
    for _ in range(100):
        rows = rng.standard_normal((2, 4)) * rng.choice([1.0, 50.0], (2, 1))
        rows = asked.encode(asked.functions.decode(10 * rows))
        ends = [asked.mean_coordinates(np.stack([row, 0 * row])) for row in rows]
        moved.append(np.linalg.norm((ends[0] - ends[1]) / asked.noise_profile))
    opposite = asked.encode(asked.functions.decode(np.array([[99.0, 0, 0, 0], [-99.0, 0, 0, 0]])))
    ends = [asked.mean_coordinates(np.stack([row, 0 * row])) for row in opposite]
    worst = np.linalg.norm((ends[0] - ends[1]) / asked.noise_profile)
    bound = asked.sensitivity(2).value
    assert max(moved) <= bound
    assert worst == pytest.approx(bound, rel=1e-9)


def test_with_hardly_any_noise_it_is_the_covariance_of_the_curves():
    plan = dp.plan(FunctionMoments(replace(CURVES, terms=10)), n=2000, budget=dp.GDP(10_000))
    found = estimate(plan, FAMILY.records)
    expected = np.cov(FAMILY.records.T, bias=True)
    assert np.abs(found.covariance - expected).max() < 0.03 * expected.max()
    np.testing.assert_allclose(found.deviation, FAMILY.records.std(axis=0), rtol=0.1)
    first = found.principal_components()[0]
    weights = FAMILY.grid.weights
    assert np.sum(weights * first.function**2) == pytest.approx(1.0, rel=1e-6)
    scores = (FAMILY.records - FAMILY.records.mean(axis=0)) @ (weights * first.function)
    assert scores.std() == pytest.approx(first.deviation, rel=0.02)


def test_the_strongest_component_survives_the_noise():
    plan = dp.plan(ASKED, n=2000, budget=dp.GDP(1))
    clear = dp.plan(plan.statistic, n=2000, budget=dp.GDP(10_000))
    private, truth = (
        estimate(p, FAMILY.records).principal_components()[0].function for p in (plan, clear)
    )
    assert abs(np.sum(FAMILY.grid.weights * private * truth)) > 0.95


def test_the_band_covers_the_expected_curve_of_the_population():
    plan = dp.plan(ASKED, n=300, budget=dp.GDP(2))
    truth = growth_curves(200_000, seed=99).records.mean(axis=0)
    inside = []
    for seed in range(25):
        found = estimate(plan, growth_curves(300, seed=seed).records, seed)
        inside.append(np.abs(found.mean - truth) <= found.band())
    assert np.mean(inside) > 0.95
    assert np.mean(found.band()) < 5.0  # cm; the standard deviation of a child's height is 7


def test_they_are_read_off_the_last_stage_too(tmp_path):
    """Of a tau that was found privately first, as the moments of points are."""
    made = dp.plan(dp.Refined(ASKED), n=2000, budget=dp.GDP(2))
    release = made.release(FAMILY.records, folder=tmp_path / "moments")
    for found in (release, dp.load_release(tmp_path / "moments")):
        *_, last = found.parts.values()
        estimates = function_moments_of(found), function_moments_of(last)
        np.testing.assert_array_equal(*(one.mean for one in estimates))
        assert estimates[0].functions.tau == last.plan.statistic.tau


def test_more_terms_where_there_are_more_records():
    few, many = (
        dp.plan(ASKED, n=n, budget=dp.GDP(1)).statistic.functions.terms for n in (200, 10**6)
    )
    assert 1 <= few < many


def test_what_cannot_be_asked_is_said():
    with pytest.raises(GeomdpError, match="GDP, ZCDP or Approximate"):
        dp.plan(ASKED, n=2000, budget=dp.Pure(1))
    with pytest.raises(GeomdpError, match="at most 64"):
        FunctionMoments(FunctionMean(np.zeros(80), 1.0, Matern(0.2), terms=65))
    with pytest.raises(GeomdpError, match="a plan chooses"):
        ASKED.public_value  # noqa: B018
    plan = dp.plan(CURVES, n=2000, budget=dp.GDP(1))
    with pytest.raises(GeomdpError, match="Only a release of FunctionMoments"):
        function_moments_of(Release(plan, FAMILY.template, {}))
