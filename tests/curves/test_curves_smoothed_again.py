"""A release that is smoothed again as it itself asks: better where the guess was wrong."""

from dataclasses import replace

import numpy as np
import pytest

import geomdp as dp
from geomdp.curves import FunctionMean, Matern, PoweredExponential, SquaredExponential
from geomdp.curves.released import likeliest_size

N, SAMPLES = 500, 80


def smoothed_again(statistic, values, deviation):
    """Each of some values as its statistic smooths it again."""
    return np.array([statistic.denoised(value, deviation) for value in values])


MEAN = FunctionMean(np.zeros(SAMPLES), tau=1.0, kernel=Matern(0.3))


def mean_at(offset: float, seed: int) -> np.ndarray:
    """A function that the kernel's own process may draw, with this root mean square."""
    white = np.random.default_rng(seed).standard_normal(SAMPLES)
    found = MEAN.spectrum.synthesise(np.sqrt(MEAN.spectrum.values) * white)
    return offset * found / np.sqrt(np.mean(found**2))


def errors(offset: float, budget: dp.Pure | dp.GDP, noise: str = "matched") -> np.ndarray:
    """Mean squared errors of releases and of releases smoothed again, over means and draws."""
    found = []
    phi = 0.01 if noise == "kernel" else None
    plan = dp.plan(replace(MEAN, noise=noise, phi=phi), n=N, budget=budget)
    deviation = plan.noise_deviation
    for seed in range(12):
        truth = mean_at(offset, seed)
        drawn = plan.simulate(truth[None], 8, seed)
        again = smoothed_again(plan.statistic, drawn, deviation)
        found.append([np.mean((values - truth) ** 2) for values in (drawn, again)])
    return np.mean(found, axis=0)


@pytest.mark.parametrize("budget", [dp.GDP(1), dp.Pure(20)])
def test_it_wins_where_the_mean_is_nearer_or_farther_than_guessed(budget):
    guess = float(MEAN.typical_offset)
    near, far, right = (errors(factor * guess, budget) for factor in (0.05, 4.0, 1.0))
    assert near[1] < 0.5 * near[0]
    assert far[1] < far[0]
    assert right[1] < 1.1 * right[0]  # what estimating the size costs where the guess was right


def test_it_serves_the_noise_of_the_paper_too():
    released, again = errors(float(MEAN.typical_offset), dp.GDP(1), noise="kernel")
    assert again < released


def test_the_size_is_found():
    rng = np.random.default_rng(3)
    guess = 1000 * np.arange(1.0, 2000) ** -1.5
    for size in (1.0, 30.0, 1000.0):
        drawn = np.sqrt(size * guess + 1) * rng.standard_normal(1999)
        assert likeliest_size(drawn, guess) == pytest.approx(size, rel=0.6)


def test_rounding_of_faint_coordinates_is_not_taken_for_the_mean():
    """A large template leaves rounding in coordinates that were shrunk to nearly nothing."""
    mean = FunctionMean(np.full(SAMPLES, 1e9), 1.0, SquaredExponential(1.0), phi=0.01)
    plan = dp.plan(mean, n=N, budget=dp.GDP(1))
    assert plan.statistic.shrinkage.min() < 1e-9
    values = plan.simulate(mean.template, 20, 0)
    again = smoothed_again(plan.statistic, values, plan.scale)
    assert np.mean((again - 1e9) ** 2) < np.mean((values - 1e9) ** 2)


@pytest.mark.parametrize("kernel", [Matern(0.3), SquaredExponential(0.3), PoweredExponential(1.0)])
@pytest.mark.parametrize("terms", [None, 1])
def test_whatever_was_drawn_something_finite_comes_back(kernel, terms):
    mean = FunctionMean(np.zeros(SAMPLES), 1.0, kernel, phi=0.01, terms=terms)
    wave = np.sin(np.arange(SAMPLES))
    values = np.stack([size * wave for size in (0.0, 1e-300, 1.0, 1e150, 1e300, 1.7e308)])
    for deviation in (1e-300, 1e-9, 1.0, 1e300):
        again = smoothed_again(mean, values, deviation)
        assert np.all(np.isfinite(again))
        assert again.shape == values.shape


def test_without_noise_nothing_is_smoothed_and_with_much_nothing_is_left():
    mean = replace(MEAN, phi=0.01)
    truth = mean_at(0.05, 1)
    released = mean.decode(mean.shrinkage * mean.to_coordinates(truth))[None]
    assert np.max(np.abs(smoothed_again(mean, released, 1e-12)[0] - truth)) < 1e-9
    assert np.max(np.abs(smoothed_again(mean, released, 1e6))) < 1e-9


def test_a_value_whose_square_overflows_is_kept_as_much_as_one_below():
    mean, wave = replace(MEAN, phi=0.01), mean_at(1.0, 1)[None]
    large, larger = (smoothed_again(mean, size * wave, 1.0) / size for size in (1e50, 1e200))
    np.testing.assert_allclose(larger, large)
