"""Euclidean space: the flat reference case."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.spaces import linalg
from geomdp.spaces.base import Space
from geomdp.spaces.specs import SPACES
from geomdp.typing import Array


@dataclass(frozen=True)
class Euclidean(Space):
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
    linear: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.dim < 1:
            raise GeomdpError(f"Euclidean needs dim of at least 1, not {self.dim}.")

    @property
    def spec(self) -> str:  # noqa: D102
        return f"euclidean:{self.dim}"

    @property
    def point_shape(self) -> tuple[int, ...]:  # noqa: D102
        return (self.dim,)

    @property
    def curvature_bounds(self) -> tuple[float, float]:  # noqa: D102
        return (0.0, 0.0)

    @property
    def injectivity_radius(self) -> float:  # noqa: D102
        return float("inf")

    def violations(self, x: Array) -> Iterator[tuple[Array, str]]:  # noqa: D102
        yield from ()

    def resolved(self, center: Array, x: Array) -> Array:  # noqa: D102
        return linalg.within_reach(x, 1)

    def exp(self, p: Array, v: Array) -> Array:  # noqa: D102
        return p + v

    def log(self, p: Array, q: Array) -> Array:  # noqa: D102
        return q - p

    def dist(self, p: Array, q: Array) -> Array:  # noqa: D102
        return self.norm(p, q - p)

    def inner(self, p: Array, u: Array, v: Array) -> Array:  # noqa: D102
        return linalg.dot(u, v)[..., 0]

    def transport(self, p: Array, q: Array, v: Array) -> Array:  # noqa: D102
        return v + 0.0 * (p + q)

    def log_and_hessian(  # noqa: D102
        self, p: Array, q: Array
    ) -> tuple[Array, Callable[[Array], Array]]:
        log = q - p
        return log, lambda v: v + 0.0 * log

    def log_rounding(self, center: Array, radius: float) -> float:  # noqa: D102
        largest = float(np.max(np.abs(np.asarray(center)))) + 2 * radius
        relative = 4 * float(np.finfo(float).eps) * float(np.sqrt(self.dim)) * largest
        return relative + linalg.SQUARES_UNDERFLOW

    def origin(self, like: Array) -> Array:  # noqa: D102
        return linalg.zeros((self.dim,), like)

    def from_frame(self, coordinates: Array) -> Array:  # noqa: D102
        return coordinates

    def to_frame(self, v: Array) -> Array:  # noqa: D102
        return v

    def move(self, p: Array, x: Array) -> Array:  # noqa: D102
        return x + p

    def move_back(self, p: Array, x: Array) -> Array:  # noqa: D102
        return x - p

    def log_volume_density(self, t: Array, direction: Array) -> Array:  # noqa: D102
        # The 0 * t keeps the shape of t on the line, where the density is constant.
        power = self.dim - 1
        return power * linalg.log_or_minus_infinity(t) if power else 0.0 * t

    def coordinates(self, x: Array) -> Array:  # noqa: D102
        return x

    def point(self, coordinates: Array) -> Array:  # noqa: D102
        return coordinates


SPACES.register("euclidean", Euclidean)
