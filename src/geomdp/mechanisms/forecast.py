"""The error to expect, from the known law of the noise and never from data."""

from dataclasses import dataclass

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.noise.directions import uniforms_for_normals, unit_vectors
from geomdp.noise.entropy import SeededEntropy
from geomdp.runtime.notebooks import Shown
from geomdp.spaces.base import Space
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
    """Mix the laws of an error that is multiplied by one of these factors.

    >>> law = forecast_of_sample(np.array([1.0, 2.0, 3.0]))
    >>> mixed = forecast_of_scales(law, np.array([1.0, 2.0]), np.array([0.5, 0.5]))
    >>> mixed.expected, mixed.quantile(0.99)
    (3.0, 6.0)
    """
    # Runs that are sorted already are merged, which is many times faster.
    every = np.sort(np.concatenate([factor * law.radii for factor in factors]), kind="stable")
    radii = np.unique(np.r_[every[:: len(factors)], every[-1]])
    laws = [np.interp(radii / factor, law.radii, law.cdf, left=0.0) for factor in factors]
    expected = law.expected * float(np.dot(factors, shares))
    return Forecast(radii, np.dot(shares, laws), expected, law.note)


def radial_forecast(space: Space, scale: float, reach: float = float("inf")) -> Forecast:
    """Law of the radius under the Laplace law, up to a radius: quadrature of the volume density.

    Where the volume depends on the direction, it is averaged over fixed directions.

    >>> import geomdp as dp
    >>> round(radial_forecast(dp.Euclidean(3), 0.1).expected, 6)
    0.3
    >>> round(radial_forecast(dp.Euclidean(3), 1e9, reach=1.0).expected, 6)
    0.75
    """
    end = min(_effective_end(space, scale), reach)
    # Midpoints: on the line the density is largest at zero, where an end point would count whole.
    radii = (np.arange(RADII) + 0.5) * (end / RADII)
    logs = _log_volume(space, radii) - radii / scale
    mass = np.exp(logs - np.max(logs))
    cdf = np.cumsum(mass) - mass / 2
    return Forecast(radii, cdf / np.sum(mass), float(np.sum(radii * mass) / np.sum(mass)))


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
