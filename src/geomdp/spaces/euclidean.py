"""Euclidean space: the flat reference case."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.spaces.flat import FlatSpace
from geomdp.spaces.numerics import linalg, magnitudes
from geomdp.spaces.specs import SPACES
from geomdp.typing import Array


@dataclass(frozen=True)
class Euclidean(FlatSpace):
    """Vectors of length ``dim`` with the usual distance.

    Parameters
    ----------
    dim
        Number of coordinates.

    Examples
    --------
    >>> space = Euclidean(2)
    >>> float(space.dist(np.zeros(2), np.array([3.0, 4.0])))
    5.0
    """

    dim: int

    def __post_init__(self) -> None:
        if self.dim < 1:
            raise GeomdpError(f"Euclidean needs dim of at least 1, not {self.dim}.")

    @property
    def spec(self) -> str:  # noqa: D102
        return f"euclidean:{self.dim}"

    @property
    def title(self) -> str:  # noqa: D102
        return f"Euclidean space of dimension {self.dim}"

    @property
    def point_shape(self) -> tuple[int, ...]:  # noqa: D102
        return (self.dim,)

    def violations(self, x: Array) -> Iterator[tuple[Array, str]]:  # noqa: D102
        yield from ()

    def resolved(self, center: Array, x: Array) -> Array:  # noqa: D102
        return magnitudes.within_reach(x, 1)

    def flat(self, x: Array) -> Array:  # noqa: D102
        return x

    def from_flat(self, v: Array) -> Array:  # noqa: D102
        return v

    def inner(self, p: Array, u: Array, v: Array) -> Array:  # noqa: D102
        return linalg.dot(u, v)[..., 0]

    def log_rounding(self, center: Array, radius: float) -> float:  # noqa: D102
        largest = float(np.max(np.abs(np.asarray(center)))) + 2 * radius
        relative = 4 * float(np.finfo(float).eps) * float(np.sqrt(self.dim)) * largest
        return relative + magnitudes.SQUARES_UNDERFLOW

    def origin(self, like: Array) -> Array:  # noqa: D102
        return linalg.zeros((self.dim,), like)

    def from_frame(self, coordinates: Array) -> Array:  # noqa: D102
        return coordinates

    def to_frame(self, v: Array) -> Array:  # noqa: D102
        return v


SPACES.register("euclidean", Euclidean)
