"""Landmarks up to position, orientation and size: shapes in two or three dimensions."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from geomdp.spaces.base import percent
from geomdp.spaces.numerics import elementary, linalg
from geomdp.spaces.size_and_shape import SizeAndShape, centred, fitted, horizontal_frame
from geomdp.spaces.specs import SPACES
from geomdp.typing import Array


@dataclass(frozen=True)
class Shapes(SizeAndShape):
    """Shapes of ``landmarks`` points in ``m`` dimensions: size and shape, with the size taken away.

    Stored centred and of norm 1; distances are angles, at most a quarter turn. A chart alone, as
    :class:`SizeAndShape`; shapes in the plane have a space of their own, ``PlanarShapes``, with
    every mechanism.

    Examples
    --------
    >>> space = Shapes(4)
    >>> corner = np.concatenate([np.zeros((1, 3)), np.eye(3)])
    >>> bool(space.dist(space.require(corner), space.require(7 * corner)) < 1e-14)
    True
    """

    #: Largest distance, a quarter turn.
    injectivity_radius = float(np.pi / 2)

    @property
    def dim(self) -> int:  # type: ignore[override]  # noqa: D102
        return super().dim - 1

    @property
    def spec(self) -> str:  # noqa: D102
        return f"shapes:{self.landmarks}:{self.m}"

    @property
    def title(self) -> str:  # noqa: D102
        return f"shapes of {self.landmarks} landmarks in {self.m} dimensions"

    def distance_words(self, distance: float) -> str:  # noqa: D102
        return f" rad ({percent(distance)} of the shape's size)"

    def violations(self, x: Array) -> Iterator[tuple[Array, str]]:  # noqa: D102
        x = linalg.within_reach(np.where(np.isfinite(x), x, 0.0), 2, smallest=1.0)
        largest = np.max(np.abs(x), axis=(-2, -1))
        size = np.max(np.abs(centred(x)), axis=(-2, -1))
        floor = 4 * self.landmarks * np.finfo(float).eps
        yield ~(size > floor * largest), "all its landmarks coincide, so it has no shape"

    def canonical(self, x: Array) -> Array:
        """Centre configurations and scale them to norm 1; the orientation is left free."""
        x = centred(linalg.within_reach(x, 2, smallest=1.0))
        # Landmarks far from 0 leave a mean of the size of their rounding: centre once more.
        x = centred(linalg.within_reach(x, 2, smallest=1.0))
        return x / np.linalg.norm(x, axis=(-2, -1), keepdims=True)

    def exp(self, p: Array, v: Array) -> Array:  # noqa: D102
        angle = np.sqrt(np.sum(v * v, axis=(-2, -1), keepdims=True))
        return self.canonical(np.cos(angle) * p + elementary.sinc(angle) * v)

    def log(self, p: Array, q: Array) -> Array:  # noqa: D102
        turned = fitted(q, p)
        difference = turned - p
        along = np.sum(p * difference, axis=(-2, -1), keepdims=True)
        toward = difference - along * p
        sine = np.sqrt(np.sum(toward * toward, axis=(-2, -1), keepdims=True))
        angle = np.arctan2(sine, 1 + along)
        return toward * np.where(sine == 0, 0.0, angle / np.where(sine == 0, 1.0, sine))

    def log_rounding(self, center: Array, radius: float) -> float:  # noqa: D102
        return float(64 * self.landmarks * np.finfo(float).eps)

    def chart_radius(self, center: Array) -> float:  # noqa: D102
        return float(np.arctan(super().chart_radius(center)))

    def frame(self, p: Array) -> Array:  # noqa: D102
        return horizontal_frame(p, scale=True)

    def origin(self, like: Array) -> Array:  # noqa: D102
        return self.canonical(np.eye(self.landmarks, self.m))


SPACES.register("shapes", Shapes, example="shapes:30:3")
