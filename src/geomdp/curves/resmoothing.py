"""A released mean function, smoothed as much as it itself asks: free, since it is public.

A plan chooses the penalty from a guess how far the mean lies from the template. The release tells
how far it is, since the law of its noise is public. Proofs: docs/theory/functions.md, section 14.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np

from geomdp.curves.grids import Floats
from geomdp.typing import Array

#: Squared offsets that are tried, in units of the squared guess: a hundredth of the guess to a
#: hundred times it, in steps that no error notices.
SIZES = np.geomspace(1e-4, 1e4, 81)
#: A coordinate whose shrinkage or noise is a smaller part of the largest one says nothing: what is
#: read off a value there is its rounding.
FAINTEST = 1e-6
#: Farther above its noise a coordinate tells nothing more, and squares stay finite.
LOUDEST = 1e100


@runtime_checkable
class Smoothed(Protocol):
    """A linear statistic that shrinks coordinates whose typical size it guesses."""

    @property
    def shrinkage(self) -> Array:
        """Factor (D,) on each coordinate."""

    @property
    def noise_profile(self) -> Array:
        """Relative standard deviation (D,) of the noise."""

    @property
    def typical_deviations(self) -> Array:
        """Standard deviation (D,) of each coordinate of the mean, as guessed."""

    def to_coordinates(self, values: Array) -> Array:
        """Coordinates (..., D) of values."""

    def decode(self, coordinates: Array) -> Array:
        """Values that belong to coordinates (..., D)."""


def smoothed_again(statistic: Smoothed, values: Floats, deviation: float) -> Floats:
    """Smooth released values (m, *shape) again, each with the penalty that it itself asks for.

    Total: a value that arithmetic cannot serve comes back as it is.

    Parameters
    ----------
    statistic
        Whose values they are.
    values
        As they were drawn.
    deviation
        Standard deviation of the noise on a coordinate, in units of its profile.

    Examples
    --------
    The template is far better than a fifth of tau, so that a plan smooths too little.

    >>> import geomdp as dp
    >>> from geomdp.curves import FunctionMean, Matern
    >>> plan = dp.plan(FunctionMean(np.zeros(80), 10.0, Matern(0.3)), n=500, budget=dp.GDP(1))
    >>> values = plan.simulate(np.full(80, 0.01), size=3, seed=0)
    >>> again = smoothed_again(plan.statistic, values, plan.scale)
    >>> bool(np.all(again.std(axis=1) < values.std(axis=1)))
    True
    """
    with np.errstate(all="ignore"):
        again = np.array([_one_again(statistic, value, deviation) for value in values])
    finite = np.all(np.isfinite(again), axis=tuple(range(1, again.ndim)), keepdims=True)
    return np.where(finite, again, values)


def _one_again(statistic: Smoothed, value: Floats, deviation: float) -> Floats:
    coordinates = np.array(statistic.to_coordinates(value))
    shrinkage, profile = statistic.shrinkage, statistic.noise_profile
    told = (shrinkage > FAINTEST * shrinkage.max()) & (profile > FAINTEST * profile.max())
    spread = deviation * profile[told]
    # In units of the noise: what was drawn, and the mean that was guessed.
    drawn = np.clip(coordinates[told] / spread, -LOUDEST, LOUDEST)
    guess = np.minimum(statistic.typical_deviations[told] * shrinkage[told] / spread, LOUDEST) ** 2
    # Shrinking is no part of the noise's law: taken off, what was drawn is the mean with noise.
    coordinates[told] *= kept(likeliest_size(drawn, guess) * guess) / shrinkage[told]
    return np.asarray(statistic.decode(coordinates))


def kept(signal: Floats) -> Floats:
    """Part of a coordinate that is kept, by the variance of what it holds in units of its noise's.

    >>> kept(np.array([0.0, 1.0, np.inf])).tolist()
    [0.0, 0.5, 1.0]
    """
    return 1 - 1 / (1 + signal)


def likeliest_size(drawn: Floats, guess: Floats) -> float:
    """Most likely squared size of a mean in units of the guess, from noisy coordinates (D,).

    Parameters
    ----------
    drawn
        Coordinates in units of their noise.
    guess
        Variances that were guessed of the mean's coordinates, in units of the noise's.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> guess = 1000 * np.arange(1.0, 500) ** -2
    >>> drawn = np.sqrt(9 * guess + 1) * rng.standard_normal(499)
    >>> bool(4 < likeliest_size(drawn, guess) < 20)
    True
    """
    variances = SIZES[:, None] * guess + 1
    fit = np.sum(np.log(variances) + drawn**2 / variances, axis=1)
    return float(SIZES[int(np.argmin(fit))])
