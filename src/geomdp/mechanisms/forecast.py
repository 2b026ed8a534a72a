"""The error to expect, from the known law of the noise and never from data."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.noise.directions import normals, uniforms_for_normals, unit_vectors
from geomdp.noise.entropy import SeededEntropy
from geomdp.runtime.notebooks import Shown
from geomdp.spaces.base import Space
from geomdp.statistics.linear import LinearStatistic
from geomdp.typing import Array

#: An anisotropic volume density is averaged over this many directions at most, fewer in high
#: dimension, where directions are alike; fixed, so that plans repeat.
MOST_DIRECTIONS = 4096
MOST_NUMBERS = 1 << 16
#: Radii at which the average is taken, and radii of the forecast.
KNOTS = 48
RADII = 2000


@dataclass(frozen=True, eq=False, repr=False)
class Forecast(Shown):
    """Distribution of the error (a distance), on a grid of radii.

    Attributes
    ----------
    radii, cdf
        Increasing radii and the probability that the error is below each.
    expected
        Mean error.
    note
        What the numbers leave out or assume, if anything.

    Examples
    --------
    >>> forecast = forecast_of_sample(np.array([1.0, 2.0, 3.0]))
    >>> forecast.expected, forecast.quantile(0.5)
    (2.0, 2.0)
    """

    radii: Array
    cdf: Array
    expected: float
    note: str = ""

    def __repr__(self) -> str:
        return f"<Forecast: error {self.expected:.3g} expected, {self.quantile(0.95):.3g} at 95%>"

    def __str__(self) -> str:
        error = f"{self.expected:.6g} expected, {self.quantile(0.95):.6g} in 95 of 100 releases"
        return "\n".join([f"Error        {error}", *([f"{'':<13}{self.note}"] * bool(self.note))])

    def quantile(self, q: float) -> float:
        """Error that is not exceeded with probability ``q``."""
        if not 0 < q < 1:
            instead = f"; write {q / 100:g}" if 1 < q < 100 else ""
            raise GeomdpError(f"A quantile lies between 0 and 1, not {q}{instead}.")
        return float(np.interp(q, self.cdf, self.radii))


def forecast_of_sample(errors: Array, note: str = "") -> Forecast:
    """Forecast by simulation at a public point."""
    ordered = np.sort(np.asarray(errors, dtype=float))
    cdf = (np.arange(ordered.size) + 0.5) / ordered.size
    return Forecast(ordered, cdf, float(np.mean(ordered)), note)


def forecast_of_scales(law: Forecast, factors: Array, shares: Array) -> Forecast:
    """Mix the laws of an error that is multiplied by one of these factors."""
    # Runs that are sorted already are merged, which is many times faster.
    every = np.sort(np.concatenate([factor * law.radii for factor in factors]), kind="stable")
    radii = np.unique(np.r_[every[:: len(factors)], every[-1]])
    laws = [np.interp(radii / factor, law.radii, law.cdf, left=0.0) for factor in factors]
    expected = law.expected * float(np.dot(factors, shares))
    return Forecast(radii, np.dot(shares, laws), expected, law.note)


def radial_forecast(space: Space, scale: float, reach: float = float("inf")) -> Forecast:
    """Law of the radius under the Laplace law, up to a radius: quadrature of the volume density.

    Where the volume depends on the direction, it is averaged over fixed directions.
    """
    end = min(_effective_end(space, scale), reach)
    # Midpoints: on the line the density is largest at zero, where an end point would count whole.
    radii = (np.arange(RADII) + 0.5) * (end / RADII)
    return forecast_of_density(radii, _log_volume(space, radii) - radii / scale)


def forecast_of_density(radii: Array, logs: Array) -> Forecast:
    """Law on even radii, from the logarithm of its density up to a constant."""
    mass = np.exp(logs - np.max(logs))
    cdf = (np.cumsum(mass) - mass / 2) / np.sum(mass)
    return Forecast(radii, cdf, float(np.sum(radii * mass) / np.sum(mass)))


def _log_volume(space: Space, radii: Array) -> Array:
    """Log volume density averaged over directions; a smooth correction of the envelope."""
    envelope = space.log_volume_envelope(radii)
    if type(space).log_volume_envelope is Space.log_volume_envelope:
        return envelope  # directions are alike: it is the density itself
    count = int(np.clip(MOST_NUMBERS // space.dim, 64, MOST_DIRECTIONS))
    u = SeededEntropy(0).uniforms((count, uniforms_for_normals(space.dim)))
    knots = np.linspace(radii[0], radii[-1], KNOTS)
    logs = space.log_volume_density(knots[:, None], unit_vectors(u, space.dim))
    with np.errstate(invalid="ignore"):  # at the end of a sphere both are minus infinity
        ratio = logs - space.log_volume_envelope(knots)[:, None]
    ratio = np.where(np.isnan(ratio), 0.0, ratio)
    top = np.max(ratio, axis=1)
    correction = top + np.log(np.mean(np.exp(ratio - top[:, None]), axis=1))
    return envelope + np.interp(radii, knots, correction)


def _effective_end(space: Space, scale: float) -> float:
    """Radius beyond which the law has no mass worth counting (below e^-40 of the peak)."""
    limit = space.farthest
    end = min(scale, limit)
    peak = -np.inf
    while end < limit:
        value = float((space.log_volume_envelope(np.array([end])) - end / scale)[0])
        peak = max(peak, value)
        if value < peak - 40:
            break
        # The next number at least: a quarter of the smallest ones is nothing.
        end = min(max(1.25 * end, float(np.nextafter(end, np.inf))), limit)
    return end


# --- forecast of linear statistics under Gaussian noise: by its exact law, or simulated in public


#: Normal numbers that a simulated forecast draws in all.
NUMBERS = 1 << 21
#: Numbers drawn on a curved space, where each draw must be decoded, and the limits of draws.
CURVED_NUMBERS, FEWEST_DRAWS, MOST_DRAWS = 1 << 17, 250, 4000
#: Numbers that draws take at most, and the fewest draws. In very high dimension lengths are alike:
#: draws fall with its square, and a mean length still has a standard error below 0.2%.
DRAWN_NUMBERS, LEAST_DRAWS = 1 << 21, 8
CHI_RADII = 1000
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
        (drawn,) = _normals(curved_draws(weights.size), weights.size)
        errors = statistic.error_of(scale * (statistic.noise_profile * drawn))
    return forecast_of_sample(errors, "; ".join(filter(None, (simulated, note))))


def curved_draws(dim: int) -> int:
    """Return how many draws a forecast on a curved space makes: fewer in high dimension."""
    return fewer_draws(int(np.clip(CURVED_NUMBERS // dim, FEWEST_DRAWS, MOST_DRAWS)), dim)


def fewer_draws(draws: int, dim: int) -> int:
    """Return how many of so many draws are made in high dimension, where few tell as much."""
    highest = DRAWN_NUMBERS // FEWEST_DRAWS
    numbers = DRAWN_NUMBERS * highest // max(dim, highest)
    return min(draws, max(LEAST_DRAWS, numbers // dim))


def leading(deviations: Array, first: int) -> tuple[Array, float]:
    """Return deviations to simulate, ``first`` and largest others, and the length of the rest."""
    others = deviations[first:]
    if others.size <= MOST_SIMULATED:
        return deviations, 0.0
    order = np.argsort(-np.abs(others), kind="stable")
    chosen, rest = others[order[:MOST_SIMULATED]], others[order[MOST_SIMULATED:]]
    return np.concatenate([deviations[:first], chosen]), float(np.linalg.norm(rest))


def chi_forecast(dim: int, sigma: float, note: str = "") -> Forecast:
    """Length of a Gaussian vector: ``sigma`` times a chi variable of ``dim`` degrees."""
    from scipy.special import gammainc, gammaln

    middle = np.sqrt(dim)
    radii = np.linspace(max(0.0, middle - 8), middle + 8, CHI_RADII)
    expected = np.sqrt(2) * np.exp(gammaln((dim + 1) / 2) - gammaln(dim / 2))
    cdf = gammainc(dim / 2, radii**2 / 2)
    return Forecast(sigma * radii, cdf, float(sigma * expected), note)


def _normals(rows: int, width: int, parts: int = 1) -> Iterator[Array]:
    """Draw normal vectors as rows, in parts: seeded, so that plans repeat."""
    entropy = SeededEntropy(0)
    for _ in range(parts):
        yield normals(entropy.uniforms((rows, uniforms_for_normals(width))), width)


def _many_normals(width: int) -> Iterator[Array]:
    rows = max(1, (1 << 18) // width)
    return _normals(rows, width, max(1, NUMBERS // (rows * width)))


@lru_cache(maxsize=8)
def _unit_errors(statistic: LinearStatistic) -> Array:
    """Errors of simulated releases at scale 1."""
    profile = statistic.noise_profile
    return np.concatenate([statistic.error_of(profile * z) for z in _many_normals(profile.size)])


def _lengths(deviations: Array) -> Array:
    """Lengths of simulated Gaussian vectors with these standard deviations."""
    return np.asarray(np.sqrt(_squares(deviations.size) @ deviations**2))


@lru_cache(maxsize=2)
def _squares(width: int) -> Array:
    """Squares of simulated normal numbers, vectors as rows."""
    return np.concatenate(list(_many_normals(width))) ** 2
