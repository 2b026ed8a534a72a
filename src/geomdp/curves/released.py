"""What a released mean function tells: how far the mean may be, and how smooth it should be.

The band is made from a plan, before anything is released. What it covers, and on which assumption:
docs/theory/functions.md, section 9.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from geomdp.curves.spectrum import leading
from geomdp.errors import GeomdpError
from geomdp.noise.directions import normals, uniforms_for_normals
from geomdp.noise.entropy import SeededEntropy
from geomdp.statistics.denoising import Known, Rule
from geomdp.statistics.linear import ClippedStatistic
from geomdp.typing import Array, Floats

#: Simulated releases, and the seeds of their noise and of their means.
DRAWS, NOISE_SEED, BIAS_SEED = 4000, 1, 2
#: The band allows for a mean this many times as far from the template as is typical: a guess is a
#: guess, and on real outlines a band without allowance covered far less than it said.
ALLOWANCE = 2.0
#: Numbers of a simulation at most; large grids take fewer draws.
NUMBERS, FEWEST = 1 << 23, 500


class Smoothed(ClippedStatistic):
    """A statistic that shrinks its mean towards a public record by a known law."""

    @abstractmethod
    def lost(self, white: Floats) -> Floats:
        """Return what smoothing takes off typical means (m, *shape), from normals (m, k)."""

    @property
    @abstractmethod
    def typical_deviations(self) -> Array:
        """Standard deviation (D,) of each coordinate of the mean, as guessed."""


def error_band(plan: Any, level: float = 0.95, *, simultaneous: bool = False) -> Floats:
    """Half width of a band, in the shape of the value, from a plan of mean functions or surfaces.

    ``release.value - half`` to ``release.value + half`` covers the plain mean of the clipped
    records: each single point with probability ``level``, or with ``simultaneous`` all points at
    once. The noise is that of the plan; the part that smoothing takes off rests on the plan's guess
    how far the mean lies from the template, and allows for twice that. How records were sampled is
    not in it.

    Examples
    --------
    >>> import geomdp as dp
    >>> from geomdp.curves import FunctionMean, Matern
    >>> plan = dp.plan(FunctionMean(np.zeros(40), 1.0, Matern(0.5)), n=500, budget=dp.GDP(1))
    >>> one, all_points = error_band(plan), error_band(plan, simultaneous=True)
    >>> one.shape, bool(np.all(one < all_points))
    ((40,), True)
    """
    asked = plan.statistic
    if not isinstance(asked, Smoothed):
        raise GeomdpError("A band is made of plans for FunctionMean and SurfaceMean.")
    if not hasattr(plan, "simulate"):
        raise GeomdpError(
            "How wide a band is hangs on the tau that is found; make it of the plan that answered, "
            'release.parts["stage 2"].plan.'
        )
    if not 0 < level < 1:
        raise GeomdpError(f"A level lies between 0 and 1, not {level}.")
    size = int(np.clip(NUMBERS // asked.public_record.size, FEWEST, DRAWS))
    off = plan.simulate(asked.public_record, size, NOISE_SEED) - asked.public_record
    width = asked.bias_deviations.size
    off = off - ALLOWANCE * asked.lost(normals(_uniforms(size, width), width))
    if not simultaneous:
        return np.asarray(np.quantile(np.abs(off), level, axis=0))
    spread = np.sqrt(np.mean(off**2, axis=0))
    largest = np.max(np.abs(off) / spread, axis=tuple(range(1, off.ndim)))
    return np.asarray(np.quantile(largest, level) * spread)


def _uniforms(size: int, width: int) -> Array:
    return SeededEntropy(BIAS_SEED).uniforms((size, uniforms_for_normals(width)))


# --- A released mean function, smoothed as much as it itself asks: free, since it is public.
# A plan chooses the penalty from a guess how far the mean lies from the template. The release
# tells how far it is, since the law of its noise is public. Proofs: docs/theory/functions.md,
# section 14.

#: Squared offsets that are tried, in units of the squared guess: a hundredth of the guess to a
#: hundred times it, in steps that no error notices.
SIZES = np.geomspace(1e-4, 1e4, 81)
#: A coordinate whose shrinkage or noise is a smaller part of the largest one says nothing: what is
#: read off a value there is its rounding.
FAINTEST = 1e-6
#: Numbers of the simulation that forecasts the error so smoothed; draws at least, and at most.
FORECAST_NUMBERS, FORECAST_DRAWS = 1 << 18, (8, 64)
#: Farther above its noise a coordinate tells nothing more, and squares stay finite.
LOUDEST = 1e100


@dataclass(frozen=True, eq=False)
class Again(Rule):
    """Smooths coordinates again, with the penalty that they themselves ask for."""

    statistic: Smoothed
    known: ClassVar[Known] = Known(
        "smoothed again, as the value itself asks",
        "no bound is proved: mostly less error than the value's, which is smoothed by a guess made "
        "before",
        proved=False,
        asked=True,
        places=("the mean lies as far from the template as was guessed", "it is the template"),
        page="functions",
    )

    def distances(self, radius: float) -> tuple[float, float]:
        """In units of the guess."""
        return 1.0, 0.0

    def left(self, deviation: float, length: float) -> float:
        """Read off seeded draws of means and noise, beside the error where the guess is right."""
        asked, scale = self.statistic, self.statistic.error_scale
        size = int(np.clip(FORECAST_NUMBERS // scale.size, *FORECAST_DRAWS))
        beyond = float(np.sum(asked.bias_deviations[scale.size :] ** 2))
        white = normals(_uniforms(2 * size, scale.size), scale.size).reshape(2, size, -1)
        typical = asked.typical_deviations * white[0]
        noise = deviation * asked.noise_profile * white[1]

        def error(found: Array, means: Array, part: float) -> float:
            squares = np.sum((scale * (found - means)) ** 2, axis=1) + part**2 * beyond
            return float(np.mean(np.sqrt(squares)))

        drawn = asked.shrinkage * length * typical + noise
        moved = np.array([self.moved(one, deviation) for one in drawn])
        raw = error(asked.shrinkage * typical + noise, typical, 1.0)
        return (error(moved, length * typical, length) / raw) ** 2

    def moved(self, drawn: Floats, deviation: float) -> Floats:  # noqa: D102
        coordinates = np.array(drawn)
        shrinkage, profile = self.statistic.shrinkage, self.statistic.noise_profile
        told = (shrinkage > FAINTEST * shrinkage.max()) & (profile > FAINTEST * profile.max())
        spread = deviation * profile[told]
        # In units of the noise: what was drawn, and the mean that was guessed.
        white = np.clip(coordinates[told] / spread, -LOUDEST, LOUDEST)
        guess = self.statistic.typical_deviations[told] * shrinkage[told] / spread
        guess = np.minimum(guess, LOUDEST) ** 2
        # Shrinking is no part of the noise's law: taken off, what was drawn is the mean with noise.
        coordinates[told] *= kept(likeliest_size(white, guess) * guess) / shrinkage[told]
        return coordinates


def kept(signal: Floats) -> Floats:
    """Part of a coordinate that is kept, by the variance of what it holds in units of noise."""
    return 1 - 1 / (1 + signal)


def likeliest_size(drawn: Floats, guess: Floats) -> float:
    """Most likely squared size of a mean in units of the guess, from noisy coordinates (D,).

    Both in units of the noise: coordinates as drawn, and the variances that were guessed of
    them.
    """
    variances = SIZES[:, None] * guess + 1
    fit = np.sum(np.log(variances) + drawn**2 / variances, axis=1)
    return float(SIZES[int(np.argmin(fit))])


# --- A released mean distribution: shrunk by degree, and projected.

#: Decays by degree and sizes, in units of the noise's variance, that are tried.
DECAYS, MULTIPLES = np.arange(0.5, 4.01, 0.25), np.geomspace(1e-4, 1e8, 73)
#: Deviations by which what lies beyond the polynomials exceeds noise, where it is kept.
BEYOND = 2.0


@dataclass(frozen=True, eq=False)
class ByDegree(Rule):
    """Shrinks polynomials by degree, as they themselves ask; what lies beyond them together.

    Variances t k^(-2g) of those of degree k, with the likeliest t and g: docs/theory/
    distributions.md, section 5.
    """

    statistic: Any
    known: ClassVar[Known] = Known(
        "fitted by degree, and made a distribution of the range",
        "no bound is proved: mostly half to two thirds of that of the nearest distribution, and up "
        "to half as much again where readings have two peaks",
        proved=False,
        asked=True,
        places=("the mean has one peak, in the middle of the range",),
        page="distributions",
    )

    def left(self, deviation: float, length: float) -> float:
        """Read off seeded draws of the noise about the triangular law on the range."""
        asked = self.statistic
        side = np.sqrt(np.minimum(asked.places, 1 - asked.places) / 2)
        peak = asked.low + (asked.high - asked.low) * np.where(asked.places < 0.5, side, 1 - side)
        width, size = asked.noise_profile.size, FORECAST_DRAWS[1]
        noise = deviation * asked.noise_profile * normals(_uniforms(size, width), width)
        drawn = asked.decode(asked.to_coordinates(peak) + noise)
        moved = np.array([asked.denoised(one, deviation) for one in drawn])
        ends = (asked.mean_point(drawn), moved)
        raw, better = (float(np.mean(np.linalg.norm(one - peak, axis=1))) for one in ends)
        return (better / raw) ** 2 if raw > 0 else 1.0

    def moved(self, drawn: Floats, deviation: float) -> Floats:  # noqa: D102
        # In units of the noise: on the mean it is another, and that is kept.
        unit = deviation * self.statistic.noise_profile
        drawn = np.clip(drawn / unit, -LOUDEST, LOUDEST)
        most = min(leading(self.statistic.points), drawn.size)
        shrunk, rest = drawn[1:most], drawn[most:]
        if shrunk.size:
            signal = MULTIPLES[:, None, None] * np.arange(1, most) ** (-2 * DECAYS[:, None])
            fit = np.sum(np.log1p(signal) + shrunk**2 / (1 + signal), axis=-1)
            shrunk = shrunk * kept(signal[np.unravel_index(np.argmin(fit), fit.shape)])
        # What no polynomial carries is kept, shrunk together, where it is more than noise.
        square, size = float(np.sum(rest**2)), rest.size
        loud = square > size + BEYOND * np.sqrt(2 * size)
        rest = rest * (1 - (size - 2) / square if loud else 0.0)
        return unit * np.r_[drawn[:1], shrunk, rest]
