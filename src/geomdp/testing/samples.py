"""Public points, velocities and balls of any space: what tests repeat."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from geomdp.spaces.ball import Ball, largest_radius
from geomdp.spaces.base import Space
from geomdp.typing import Array

#: Radius of the largest ball of :func:`some_balls` on spaces that bound none.
WIDE = 2.5


def unit_vectors(rng: np.random.Generator, *shape: int) -> Array:
    """Random vectors of length one, along the last axis."""
    v = rng.normal(size=shape)
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


@dataclass(frozen=True)
class Samples:
    """Points of one space as arrays of one library; the same ones each time.

    Parameters
    ----------
    space
        Where they lie.
    xp
        Library of the arrays: NumPy, or a module that follows the array API.

    Examples
    --------
    >>> import geomdp as dp
    >>> given = Samples(dp.Sphere(2))
    >>> given.points(5, seed=1).shape, given.velocities(5, seed=2).shape
    ((5, 3), (5, 3))
    """

    space: Space
    xp: Any = np

    @property
    def reach(self) -> float:
        """Diameter of a set on which everything is smooth, far from the cut locus."""
        return min(1.0, self.space.injectivity_radius / 3)

    @property
    def origin(self) -> Array:
        """The origin in doubles."""
        return self.space.origin(np.zeros(1))

    def points(self, n: int, seed: int) -> Array:
        """Random points within half of :attr:`reach` from a public one, away from the origin."""
        return self.xp.asarray(self._points(n, seed))

    def velocities(self, n: int, seed: int) -> Array:
        """One velocity at each of ``points(n, 1)``, toward another point."""
        others = self._points(n, 1000)[np.random.default_rng(seed).permutation(n)]
        return self.xp.asarray(self.space.log(self._points(n, 1), others))

    def _points(self, n: int, seed: int) -> Array:
        rng = np.random.default_rng(seed)
        space = self.space
        away = min(2.0, 0.7 * space.injectivity_radius)
        center = space.canonical(space.frame_exp(self.origin, away * unit_vectors(rng, space.dim)))
        lengths = self.reach / 2 * rng.uniform(0.1, 1.0, (n, 1))
        v = lengths * unit_vectors(rng, n, space.dim)
        return space.canonical(space.frame_exp(center, v))


def public_centers(space: Space, seed: int = 0) -> list[Array]:
    """Return the origin, and a point where coordinates are larger and matrices skewed.

    >>> import geomdp as dp
    >>> public_centers(dp.Sphere(2))[0].tolist()
    [0.0, 0.0, 1.0]
    """
    rng = np.random.default_rng(seed)
    away = unit_vectors(rng, space.dim) * min(1.5, 0.6 * space.injectivity_radius)
    origin = space.canonical(space.origin(np.zeros(1)))
    return [origin, space.canonical(space.frame_exp(origin, away))]


def some_balls(space: Space, seed: int = 0) -> list[Ball]:
    """Balls of several centres and radii, up to the largest that the theory covers.

    >>> import geomdp as dp
    >>> sorted({round(ball.radius, 3) for ball in some_balls(dp.Euclidean(2))})[-1]
    2.45
    """
    top = min(space.farthest if space.chart_only else largest_radius(space), WIDE)
    return [
        Ball(space, center, share * top)
        for center in public_centers(space, seed)
        for share in (0.02, 0.55, 0.98)
    ]
