"""The band around a released mean covers what it says."""

import numpy as np
import pytest

import geomdp as dp
from geomdp.curves import FunctionMean, IntervalGrid, Matern, error_band
from geomdp.curves.datasets import growth_curves
from geomdp.errors import GeomdpError

GRID = IntervalGrid(np.linspace(0, 1, 30))
DRAWS = 1000


def offsets(plan, draws, seed):
    """Draw means twice as far away as the plan guesses; return release minus mean."""
    mean = plan.statistic
    rng = np.random.default_rng(seed)
    whole = mean._whole_spectrum
    shape = (draws, *mean.channels, whole.values.size)
    size = 2 * np.asarray(mean.typical_offset)[..., None]
    truth = whole.synthesise(size * np.sqrt(whole.values) * rng.standard_normal(shape))
    smoothed = mean.decode(mean.shrinkage * mean.to_coordinates(mean.template + truth))
    noise = plan.simulate(mean.template, draws, seed) - mean.template
    return smoothed + noise - (mean.template + truth)


@pytest.mark.parametrize("budget", [dp.GDP(1), dp.Pure(1)])
def test_coverage_is_the_level_if_means_are_twice_as_far_as_guessed(budget):
    mean = FunctionMean(np.zeros((2, 30)), 1.0, Matern(0.3), grid=GRID, offset=[0.1, 0.3])
    plan = dp.plan(mean, n=200, budget=budget)
    off = np.abs(offsets(plan, DRAWS, seed=11))
    for level in (0.5, 0.95):
        slack = 5 * np.sqrt(level * (1 - level) / DRAWS)
        inside = np.mean(off <= error_band(plan, level), axis=0)
        assert np.abs(inside.mean() - level) < slack
        assert np.all(inside > level - 2 * slack)
        whole = np.mean(np.all(off <= error_band(plan, level, simultaneous=True), axis=(1, 2)))
        assert np.abs(whole - level) < slack


def test_the_band_covers_growth_curves_where_noise_alone_would_not():
    family = growth_curves(100, seed=4)
    mean = FunctionMean(family.template, 25.0, Matern(8.0), grid=family.grid)
    plan = dp.plan(mean, n=100, budget=dp.GDP(1))
    off = np.abs(plan.simulate(family.records, 2000, seed=3) - family.records.mean(axis=0))
    assert np.mean(off <= error_band(plan)) > 0.95
    noise_alone = 1.96 * plan.statistic.pointwise_noise_std(plan.scale)
    assert np.min(np.mean(off <= noise_alone, axis=0)) < 0.93


def test_what_has_no_band_is_refused():
    ball = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)
    with pytest.raises(GeomdpError, match="FunctionMean and SurfaceMean"):
        error_band(dp.plan(dp.TangentMean(ball), n=50, budget=dp.GDP(1)))
    plan = dp.plan(FunctionMean(np.zeros(30), 1.0, Matern(0.3)), n=50, budget=dp.GDP(1))
    with pytest.raises(GeomdpError, match="between 0 and 1"):
        error_band(plan, 95)
    stages = dp.plan(dp.Refined(plan.statistic), n=500, budget=dp.GDP(1))
    with pytest.raises(GeomdpError, match="the plan that answered"):
        error_band(stages)
