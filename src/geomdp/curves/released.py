"""What a released mean function tells: how far the mean may be, and how smooth it should be.

The band is made from a plan, before anything is released. What it covers, and on which assumption:
docs/theory/functions.md, section 9.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

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
        page="functions",
    )

    def left(self, deviation: float, length: float) -> float:
        """One: if the mean is as far from the template as was guessed, nothing is gained."""
        return 1.0

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
