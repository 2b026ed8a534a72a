"""A band around a released mean function: how far the mean of the clipped curves may be.

Public: made from a plan, before anything is released. What it covers, and on which assumption:
docs/theory/functions.md, section 9.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np

from geomdp.curves.grids import Floats
from geomdp.errors import GeomdpError
from geomdp.noise.directions import normals, uniforms_for_normals
from geomdp.noise.entropy import SeededEntropy
from geomdp.typing import Array

#: Simulated releases, and the seeds of their noise and of their means.
DRAWS, NOISE_SEED, BIAS_SEED = 4000, 1, 2
#: The band allows for a mean this many times as far from the template as is typical: a guess is a
#: guess, and on real outlines a band without allowance covered far less than it said.
ALLOWANCE = 2.0
#: Numbers of a simulation at most; large grids take fewer draws.
NUMBERS, FEWEST = 1 << 23, 500


@runtime_checkable
class Smoothed(Protocol):
    """A statistic that shrinks its mean towards a public record by a known law."""

    @property
    def public_record(self) -> Array:
        """The template."""

    def lost(self, white: Floats) -> Floats:
        """Return what smoothing takes off typical means (m, *shape), from normals (m, k)."""

    @property
    def bias_deviations(self) -> Floats:
        """Standard deviations (k,) of it."""


@runtime_checkable
class Simulated(Protocol):
    """A plan that can simulate its releases."""

    @property
    def statistic(self) -> object:
        """What is asked."""

    def simulate(self, at: object, size: int = 1000, seed: int = 0) -> Array:
        """Draw around a public record."""


def error_band(plan: Simulated, level: float = 0.95, *, simultaneous: bool = False) -> Floats:
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
    if not isinstance(plan, Simulated):
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
