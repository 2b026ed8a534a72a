"""Forecast of linear statistics under Gaussian noise: by its exact law, or simulated in public."""

from functools import lru_cache

import numpy as np

from geomdp.mechanisms.forecast import Forecast, forecast_of_sample
from geomdp.noise.directions import normals, uniforms_for_normals
from geomdp.noise.entropy import SeededEntropy
from geomdp.statistics.linear import LinearStatistic
from geomdp.typing import Array

#: Normal numbers that a simulated forecast draws in all.
NUMBERS = 1 << 21
#: Numbers drawn on a curved space, where each draw must be decoded, and the limits of draws.
CURVED_NUMBERS, FEWEST_DRAWS, MOST_DRAWS = 1 << 17, 250, 4000
#: Numbers that draws take at most, and the fewest draws. In very high dimension lengths are alike:
#: draws fall with its square, and a mean length still has a standard error below 0.2%.
MOST_NUMBERS, LEAST_DRAWS = 1 << 21, 8
RADII = 1000
#: Deviations beyond the first that are simulated one by one: the length of thousands of smaller
#: ones hardly varies, and its mean stands for it.
MOST_SIMULATED = 512


def gaussian_forecast(statistic: LinearStatistic, scale: float) -> Forecast:
    """Law of the error of a release with noise of standard deviation ``scale * noise_profile``."""
    weights = statistic.noise_profile * statistic.error_scale
    bias = statistic.bias_deviations
    note = statistic.forecast_note(scale)
    if statistic.flat and not np.any(bias) and np.all(weights == weights[0]):
        return chi_forecast(weights.size, scale * float(weights[0]), note)
    if statistic.flat:
        simulated = "simulated: coordinates have different scales"
        if np.any(bias):
            noise = np.pad(scale * weights, (0, bias.size - weights.size))
            errors = _lengths(np.hypot(noise, bias))
        else:
            errors = scale * _unit_errors(statistic)
    else:
        simulated = f"simulated: {statistic.simulated_at}"
        errors = statistic.error_of(
            scale * _noise(statistic, curved_draws(weights.size), SeededEntropy(0))
        )
    return forecast_of_sample(errors, "; ".join(filter(None, (simulated, note))))


def curved_draws(dim: int) -> int:
    """Return how many draws a forecast on a curved space makes: fewer in high dimension.

    >>> curved_draws(3), curved_draws(465)
    (4000, 281)
    """
    return fewer_draws(int(np.clip(CURVED_NUMBERS // dim, FEWEST_DRAWS, MOST_DRAWS)), dim)


def fewer_draws(draws: int, dim: int) -> int:
    """Return how many of so many draws are made in high dimension, where few tell as much.

    >>> [fewer_draws(1000, dim) for dim in (100, 5000, 20_000, 100_000)]
    [1000, 419, 43, 8]
    """
    highest = MOST_NUMBERS // FEWEST_DRAWS
    numbers = MOST_NUMBERS * highest // max(dim, highest)
    return min(draws, max(LEAST_DRAWS, numbers // dim))


def leading(deviations: Array, first: int) -> tuple[Array, float]:
    """Return the deviations to simulate, ``first`` and largest others, and the length of the rest.

    >>> kept, rest = leading(np.full(3 + 2 * MOST_SIMULATED, 0.1), 3)
    >>> kept.size - 3 == MOST_SIMULATED, round(rest / 0.1 / MOST_SIMULATED**0.5, 6)
    (True, 1.0)
    """
    others = deviations[first:]
    if others.size <= MOST_SIMULATED:
        return deviations, 0.0
    order = np.argsort(-np.abs(others), kind="stable")
    chosen, rest = others[order[:MOST_SIMULATED]], others[order[MOST_SIMULATED:]]
    return np.concatenate([deviations[:first], chosen]), float(np.linalg.norm(rest))


def chi_forecast(dim: int, sigma: float, note: str = "") -> Forecast:
    """Length of a Gaussian vector: ``sigma`` times a chi variable with ``dim`` degrees of freedom.

    >>> forecast = chi_forecast(2, 1.0)
    >>> round(forecast.expected, 6), round(forecast.quantile(0.95), 3)
    (1.253314, 2.448)
    """
    from scipy.special import gammainc, gammaln

    middle = np.sqrt(dim)
    radii = np.linspace(max(0.0, middle - 8), middle + 8, RADII)
    expected = np.sqrt(2) * np.exp(gammaln((dim + 1) / 2) - gammaln(dim / 2))
    cdf = gammainc(dim / 2, radii**2 / 2)
    return Forecast(sigma * radii, cdf, float(sigma * expected), note)


def _noise(statistic: LinearStatistic, rows: int, entropy: SeededEntropy) -> Array:
    width = statistic.noise_profile.size
    u = entropy.uniforms((rows, uniforms_for_normals(width)))
    return statistic.noise_profile * normals(u, width)


@lru_cache(maxsize=8)
def _unit_errors(statistic: LinearStatistic) -> Array:
    """Errors of simulated releases at scale 1: seeded, so that plans repeat."""
    width = statistic.noise_profile.size
    rows = max(1, (1 << 18) // width)
    entropy = SeededEntropy(0)
    parts = max(1, NUMBERS // (rows * width))
    return np.concatenate(
        [statistic.error_of(_noise(statistic, rows, entropy)) for _ in range(parts)]
    )


def _lengths(deviations: Array) -> Array:
    """Lengths of simulated Gaussian vectors with these standard deviations."""
    return np.asarray(np.sqrt(_squares(deviations.size) @ deviations**2))


@lru_cache(maxsize=2)
def _squares(width: int) -> Array:
    """Squares of simulated normal numbers, vectors as rows: seeded, so that plans repeat."""
    rows = max(1, (1 << 18) // width)
    entropy = SeededEntropy(0)
    parts = max(1, NUMBERS // (rows * width))
    uniforms = (entropy.uniforms((rows, uniforms_for_normals(width))) for _ in range(parts))
    return np.concatenate([normals(u, width) for u in uniforms]) ** 2
