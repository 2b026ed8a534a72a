"""A released mean function, smoothed as much as it itself asks: free, since it is public.

A plan chooses the penalty from a guess how far the mean lies from the template. The release tells
how far it is, since the law of its noise is public. Proofs: docs/theory/functions.md, section 14.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.functions.grids import Floats
from geomdp.typing import Array

#: Squared offsets that are tried, in units of the squared guess: a hundredth of the guess to a
#: hundred times it, in steps that no error notices.
SIZES = np.geomspace(1e-4, 1e4, 81)


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


class Drawn(Protocol):
    """A release: its plan, its value and its parts."""

    @property
    def plan(self) -> Any:
        """What was released, with the scale of its noise."""

    @property
    def value(self) -> Any:
        """What was drawn."""

    @property
    def parts(self) -> Mapping[str, Any]:
        """Stages or groups."""


def resmoothed(release: Drawn) -> Floats:
    """Return a released mean function or surface, smoothed with the penalty that fits it best.

    Post-processing: it looks at the release alone, and costs no privacy. The penalty of the plan
    is right where the mean is as far from the template as was guessed; this one is right (nearly)
    wherever it is. Forecasts and :func:`~geomdp.functions.error_band` are about ``release.value``.

    Parameters
    ----------
    release
        Of ``FunctionMean`` or ``SurfaceMean``, or of ``Refined`` with one of them; of a release by
        group, one of its ``parts``.

    Examples
    --------
    The template is far better than a fifth of tau, so that the plan smooths too little.

    >>> import geomdp as dp
    >>> from geomdp.functions import FunctionMean, Matern
    >>> plan = dp.plan(FunctionMean(np.zeros(80), 10.0, Matern(0.3)), n=500, budget=dp.GDP(1))
    >>> release = plan.release(np.full((500, 80), 0.01))
    >>> bool(np.std(resmoothed(release)) < np.std(release.value))
    True
    """
    while release.parts and not isinstance(release.value, Mapping):
        release = list(release.parts.values())[-1]  # the answer is the last stage
    statistic = getattr(release.plan, "statistic", None)
    if isinstance(release.value, Mapping) or not isinstance(statistic, Smoothed):
        raise GeomdpError(
            "Releases of FunctionMean and SurfaceMean are smoothed again; of a release by group, "
            "give one of its parts."
        )
    return resmoothed_value(
        statistic, np.asarray(release.value), noise_deviation(release.plan, statistic)
    )


def noise_deviation(plan: Any, statistic: Smoothed) -> float:
    """Return the standard deviation of the noise on a coordinate, in units of its profile."""
    if plan.mechanism == "tangent-gaussian":
        return float(plan.scale)
    if plan.mechanism == "linear-laplace":  # docs/theory/functions.md, section 8
        return float(plan.scale * np.sqrt(statistic.noise_profile.size + 1))
    raise GeomdpError(f"The noise of {plan.mechanism} is not one on coordinates.")


def resmoothed_value(statistic: Smoothed, values: Floats, deviation: float) -> Floats:
    """Smooth values (..., *shape) again, each by itself, whose noise has this ``deviation``."""
    coordinates = statistic.to_coordinates(values)
    # Shrinking is no part of the noise's law: what was drawn is the mean with noise on it.
    drawn = coordinates / statistic.shrinkage
    noise = (deviation * statistic.noise_profile / statistic.shrinkage) ** 2
    typical = statistic.typical_deviations**2
    rows = drawn.reshape(-1, drawn.shape[-1])
    size = np.array([likeliest_size(row, typical, noise) for row in rows])
    signal = size.reshape(*drawn.shape[:-1], 1) * typical
    return np.asarray(statistic.decode(drawn * (signal / (signal + noise))))


def likeliest_size(drawn: Floats, typical: Floats, noise: Floats) -> float:
    """Most likely squared size of a mean in units of the guess, from noisy coordinates (D,).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> typical, noise = np.arange(1.0, 500) ** -2, np.full(499, 1e-3)
    >>> drawn = np.sqrt(9 * typical + noise) * rng.standard_normal(499)
    >>> bool(4 < likeliest_size(drawn, typical, noise) < 20)
    True
    """
    variances = SIZES[:, None] * typical + noise
    fit = np.sum(np.log(variances) + drawn**2 / variances, axis=1)
    return float(SIZES[int(np.argmin(fit))])
