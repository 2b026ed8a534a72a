"""The hat of many tangents: above the density with proof, close to it, and drawn correctly."""

import numpy as np
import pytest
from scipy.stats import gamma, ks_1samp

from geomdp import intervals
from geomdp.noise.tangent_hat import TangentHat, fit_tangent_hat
from geomdp.spaces.numerics import elementary


def log_gamma(t):
    """Gamma(10) density, up to a constant; kinked upwards at 20 by the second section."""
    return 9 * elementary.log_or_minus_infinity(t) - t


def flatter(t):
    return 9 * elementary.log_or_minus_infinity(t) - 10 - t / 2


SECTIONS = [(log_gamma, 0.0, 20.0), (flatter, 20.0, 400.0)]


def log_hat(hat, t):
    piece = np.clip(np.searchsorted(hat.knots, t, side="right") - 1, 0, len(hat.slopes) - 1)
    return hat.heights[piece] + hat.slopes[piece] * (t - hat.knots[piece])


def test_it_lies_above_both_sections_and_close():
    hat = fit_tangent_hat(SECTIONS)
    for function, low, high in SECTIONS:
        t = np.linspace(low, high, 20_001)[1:]
        assert np.all(log_hat(hat, t) >= function(t) - 1e-12)
    t = np.linspace(0, 400, 400_001)[1:]
    density = np.exp(np.where(t < 20, log_gamma(t), flatter(t)) - hat.top)
    assert 1 < np.sum(hat.areas(np.ones(1))) / (np.sum(density) * 0.001) < 1.02


@pytest.mark.parametrize("end", [0.5, 3.0, 1e4])
def test_modes_at_an_end_and_narrow_laws_are_served(end):
    hat = fit_tangent_hat([(lambda t: -t, 0.0, end)])
    exact = -np.expm1(-end)
    assert (1 - 1e-12) * exact < np.sum(hat.areas(np.ones(1))) * np.exp(hat.top) < 1.05 * exact


def test_proposals_follow_the_hat():
    hat = fit_tangent_hat(SECTIONS)
    u = np.random.default_rng(0).uniform(size=20_000)
    t, height = hat.propose(u)
    assert np.abs(height - log_hat(hat, t)).max() < 1e-9
    ends = np.concatenate([[0.0], np.cumsum(hat.areas(np.ones(1)))])
    grid = np.linspace(0, 60, 60_001)
    mass = np.cumsum(np.exp(log_hat(hat, grid + 0.0005) - hat.top)) * 0.001 / ends[-1]
    cdf = lambda x: np.interp(x, grid + 0.001, mass)  # noqa: E731
    assert ks_1samp(t, cdf).pvalue > 1e-3
    assert ks_1samp(1.01 * t, cdf).pvalue < 1e-3


def test_balls_contain_the_floats():
    hat = fit_tangent_hat(SECTIONS)
    u = np.array([1e-6, 0.2, 0.5, 0.99, 1 - 1e-9])
    t, height = hat.propose(u)
    with intervals.precision(128):
        exact_t, exact_height = hat.propose(intervals.from_floats(u))
        assert np.allclose(intervals.to_floats(exact_t), t, rtol=1e-6)
        assert np.allclose(intervals.to_floats(exact_height), height, rtol=1e-6)
        assert max(float(b.rad()) for b in exact_t) < 1e-25


@pytest.mark.parametrize("dim", [50, 20_000])
def test_a_density_that_rises_by_more_than_floats_hold_is_served(dim):
    """Gamma(dim): from its first to its last piece the hat rises by hundreds and falls again."""
    hat = fit_tangent_hat(
        [(lambda t: (dim - 1) * elementary.log_or_minus_infinity(t) - t, 0.0, 40.0 * dim)]
    )
    u = np.random.default_rng(0).uniform(size=2000)
    t, height = hat.propose(u)
    assert np.abs(height - log_hat(hat, t)).max() < 1e-12 * np.abs(height).max()
    assert ks_1samp(t, gamma(dim).cdf).pvalue > 1e-3
    assert ks_1samp(t * (1 + 0.1 / np.sqrt(dim)), gamma(dim).cdf).pvalue < 1e-3


def test_a_lower_line_would_be_noticed():
    hat = fit_tangent_hat(SECTIONS)
    lower = TangentHat(hat.knots, hat.heights - 1e-3, hat.slopes)
    t = np.linspace(0.01, 19.9, 5000)
    assert np.any(log_hat(lower, t) < log_gamma(t))
