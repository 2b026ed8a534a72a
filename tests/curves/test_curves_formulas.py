"""Small numbers that the formulas of curves must give, one function at a time."""

import numpy as np

import geomdp as dp
from geomdp.curves import (
    CircleGrid,
    FunctionMean,
    IntervalGrid,
    Matern,
    PoweredExponential,
    spectrum_of,
)
from geomdp.curves.penalty import (
    Guess,
    SmoothingLoss,
    best_penalty,
    best_terms,
    noise_profile,
    noise_variance,
    peak,
    shrinkage,
    typical_bias,
    unit_noise_mse,
    worst_bias,
)
from geomdp.curves.records import parse_records, read_table
from geomdp.curves.released import kept, likeliest_size
from geomdp.curves.resampling import even_times, fill_gaps, fit_curve, resample
from geomdp.privacy import GDP
from geomdp.privacy.budgets import Pure

# --- curves.choosing


def test_noise_variance():
    assert (
        round(noise_variance(GDP(2), 0.1, 80), 6),
        round(noise_variance(Pure(2), 0.1, 80), 6),
    ) == (0.0025, 0.2025)


def test_best_penalty():
    np.testing.assert_allclose(
        best_penalty(Guess(np.array([0.7, 0.3]), np.array([4.0, 1.0]), 1.0), 0.01), [0.0025, 0.01]
    )


def test_best_terms():
    guess = Guess(np.array([0.9, 0.09, 0.009, 0.001]), np.array(1.0), 0.01)
    assert [best_terms(guess, Pure(e), None, "matched", np.array(1.0)) for e in (0.01, 0.1, 1)] == [
        1,
        2,
        4,
    ]


# --- curves.penalty


def test_shrinkage():
    np.testing.assert_allclose(
        shrinkage(np.array([0.3, 0.01]), np.array([0.01])).round(3), [0.968, 0.5]
    )


def test_noise_profile():
    np.testing.assert_allclose(
        noise_profile(np.array([0.25, 0.01]), np.array([0.01]), "kernel"), [0.5, 0.1]
    )


def test_peak():
    assert peak(np.array([0.25, 0.01]), np.array([0.01]), "kernel").round(9) == 5.0


def test_unit_noise_mse():
    lam = np.array([0.6, 0.3, 0.1])
    assert unit_noise_mse(lam, np.array([0.1]), "kernel").round(3) == 2.5
    assert unit_noise_mse(lam, np.array([0.1]), "matched").round(3) == 1.547


def test_worst_bias():
    assert worst_bias(np.array([0.9, 0.1]), np.array([0.1]), complete=True) == 0.5


def test_typical_bias():
    assert typical_bias(np.array([0.9, 0.1]), np.array([0.1])).round(4) == 0.1844


def test_smoothing_loss():
    spectrum = spectrum_of(PoweredExponential(1.0), CircleGrid(80))
    halved = SmoothingLoss(spectrum, np.full(80, 0.5), np.array(0.1))
    assert round(float(np.linalg.norm(halved.deviations)), 12) == 0.05


# --- curves.records


def test_parse_records():
    parsed, invalid = parse_records([np.ones(8), np.ones(5)], np.zeros(8), CircleGrid(8), None)
    assert (parsed.shape, list(invalid)) == ((2, 8), [1])


def test_read_table():
    assert read_table(np.zeros((2, 4)), (), IntervalGrid([0, 1, 2, 3])).shape == (2, 4)


# --- curves.released


def test_smoothed_again():
    plan = dp.plan(FunctionMean(np.zeros(80), 10.0, Matern(0.3)), n=500, budget=dp.GDP(1))
    values = plan.simulate(np.full(80, 0.01), size=3, seed=0)
    again = np.array([plan.statistic.denoised(value, plan.scale) for value in values])
    assert bool(np.all(again.std(axis=1) < values.std(axis=1)))


def test_kept():
    assert kept(np.array([0.0, 1.0, np.inf])).tolist() == [0.0, 0.5, 1.0]


def test_likeliest_size():
    rng = np.random.default_rng(0)
    guess = 1000 * np.arange(1.0, 500) ** -2
    drawn = np.sqrt(9 * guess + 1) * rng.standard_normal(499)
    assert bool(4 < likeliest_size(drawn, guess) < 20)


# --- curves.resampling


def test_resample():
    grid = IntervalGrid([0, 1, 2, 3, 4])
    slope = np.array([0.0, 1.0, 2.0, 3.0, 4.0])
    np.testing.assert_allclose(
        resample([1, 1.5, 2, 3], [1.1, 1.6, 2.1, 3.1], slope, grid, "linear"),
        [0.1, 1.1, 2.1, 3.1, 4.1],
    )


def test_even_times():
    np.testing.assert_allclose(even_times(4, CircleGrid(80)), [0.0, 0.25, 0.5, 0.75])


def test_fill_gaps():
    grid = IntervalGrid(np.linspace(0, 1, 9))
    curves = np.tile(grid.points, (2, 1))
    curves[0, 4], curves[1, 3:] = np.nan, np.nan
    assert fill_gaps(curves, np.zeros(9), grid, Matern(0.5)) == {
        1: "it has fewer than 4 samples that are finite"
    }
    assert (float(curves[0, 4].round(2)), curves[1].max()) == (0.5, 0.0)


def test_fit_curve():
    grid = IntervalGrid(np.linspace(0, 1, 5))
    t = np.array([0.1, 0.3, np.nan, 0.6, 0.9])
    np.testing.assert_allclose(
        fit_curve(t, 2 * t, np.zeros(5), grid, Matern(1.0)).round(1), [0.1, 0.5, 1.0, 1.5, 1.9]
    )
