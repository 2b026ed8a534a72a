"""Bands about curves along covariates: point by point, and everywhere at once."""

from dataclasses import replace

import numpy as np
import pytest

import geomdp as dp
from geomdp.curves import FunctionMean, FunctionRegression, IntervalGrid, Matern
from geomdp.errors import GeomdpError
from geomdp.plans.release import Release
from geomdp.releases.estimates import function_regression_of

T = np.linspace(0.0, 1.0, 12)
MEAN = FunctionMean(np.sin(T), 1.0, Matern(0.3), grid=IntervalGrid(T), terms=4)
ASKED = FunctionRegression(MEAN, {"age": (20, 90)})
SLOPES = np.array([0.5, 0.3, 0.0, 0.1])


def curves(age, spread=0.0, seed=0):
    """Curves about a line, scattered in all directions alike."""
    scattered = spread * np.random.default_rng(seed).standard_normal((len(age), SLOPES.size))
    return MEAN.decode(((age - 55) / 70)[:, None] * SLOPES + 0.2 + scattered)


def estimates(budget, n, count, spread=0.0):
    """Fits of releases around public records."""
    made = dp.plan(ASKED, n=n, budget=budget)
    age = np.linspace(20, 90, n)
    data = dp.Records(curves(age, spread), covariates={"age": age})
    values = made.simulate(data, count, seed=1)
    return [function_regression_of(Release(made, value, {})) for value in values]


def coverage(found, at, level):
    truth = curves(np.array([at]))[0]
    bands = [one.band(level, age=at) for one in found]
    off = [np.abs(band.middle - truth) for band in bands]
    each = [gap <= band.half for gap, band in zip(off, bands, strict=True)]
    everywhere = [np.all(gap <= b.everywhere) for gap, b in zip(off, bands, strict=True)]
    return float(np.mean(each)), float(np.mean(everywhere))


@pytest.mark.parametrize("budget", [dp.GDP(0.05), dp.Pure(0.2)])
def test_a_band_of_noise_alone_covers_each_point_as_often_as_it_says(budget):
    """Sampling has next to no part in it, so that nothing of unknown direction widens the band."""
    each, everywhere = coverage(estimates(budget, 20_000, 250), 80.0, 0.9)
    assert 0.86 < each < 0.94
    assert everywhere > 0.86


def test_a_band_with_sampling_covers_at_least_as_often():
    made = dp.plan(ASKED, n=400, budget=dp.GDP(1))
    found = []
    for seed in range(40):
        age = np.linspace(20, 90, 400)
        data = dp.Records(curves(age, 0.15, seed), covariates={"age": age})
        value = made.simulate(data, 1, seed=seed)[0]
        found.append(function_regression_of(Release(made, value, {})))
    each, everywhere = coverage(found, 75.0, 0.95)
    assert each > 0.93
    assert everywhere > 0.9


def test_widths_of_functionals_follow_from_the_errors_of_coordinates():
    (one,) = estimates(dp.GDP(1), 500, 1, spread=0.1)
    fit, t = one.coefficients, ASKED.stack.design.at(age=70)
    total = fit._spread(1.0, t)
    basis = np.linalg.qr(np.random.default_rng(0).standard_normal((4, 4)))[0]
    parts = fit.error_parts(1.0, t)
    along = sum(np.sum((part.reshape(-1, 4) @ basis.T) ** 2) for part in parts[1:3])
    assert along == pytest.approx(total.along)
    widths = fit.half_widths(basis, 0.95, age=70)
    assert np.all(widths > 1.9 * np.sqrt(total.each + total.sampling))
    assert np.all(widths <= 2.05 * np.sqrt(total.each + total.sampling + total.along))


def test_bands_have_the_shape_of_the_curve_and_widths_scale():
    (one,) = estimates(dp.GDP(1), 500, 1, spread=0.1)
    band = one.band(age=50)
    assert band.middle.shape == band.half.shape == band.everywhere.shape == T.shape
    np.testing.assert_array_equal(band.middle, one.predict(age=50))
    assert np.all((band.half > 0) & (band.half <= band.everywhere))
    assert np.all(one.band(0.5, age=50).half < band.half)
    with pytest.raises(GeomdpError, match="level"):
        one.band(1.5, age=50)
    with pytest.raises(GeomdpError, match="age"):
        one.band(age=200)


@pytest.mark.parametrize("size", [np.nan, np.inf, 1e300, 0.0])
def test_bands_are_total(size):
    two = FunctionMean(np.zeros((2, 12)), 1.0, Matern(0.3), grid=IntervalGrid(T), terms=3)
    asked = replace(ASKED, functions=two)
    made = dp.plan(asked, n=100, budget=dp.GDP(1))
    value = np.full(asked.public_value.shape, size)
    found = function_regression_of(Release(made, value, {}))
    band = found.band(age=30)
    widths = found.coefficients.half_widths(np.eye(6), age=30)
    assert np.all(widths <= 2 * two.tau)
    assert band.half.shape == (2, 12)
    assert np.all(np.isfinite(band.half))
    assert np.all(np.isfinite(band.everywhere))
