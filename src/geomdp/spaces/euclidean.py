"""Spaces that a public isometry maps onto a vector space, and Euclidean space, the plainest."""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.spaces.base import Space
from geomdp.spaces.numerics import elementary, linalg
from geomdp.spaces.specs import SPACES
from geomdp.typing import Array


class FlatSpace(Space):
    """A space that :meth:`flat` maps isometrically onto arrays of its point shape.

    A tangent vector at any point is a difference of two images, so that the transport leaves it as
    it is and the Fréchet mean is the point of the mean image. A new flat space fills in the map,
    its inverse, a frame and how far its logarithms are rounded.
    """

    linear: ClassVar[bool] = True
    curvature_bounds = (0.0, 0.0)
    injectivity_radius = float("inf")

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        # Another map has other logarithms, and other sums of them.
        if "flat" in cls.__dict__:
            for name in {"log", "log_sum"} - cls.__dict__.keys():
                setattr(cls, name, getattr(FlatSpace, name))

    @abstractmethod
    def flat(self, x: Array) -> Array:
        """Return the image of a point."""

    @abstractmethod
    def from_flat(self, v: Array) -> Array:
        """Return the point of an image."""

    # --- geometry -----------------------------------------------------------------------------

    def exp(self, p: Array, v: Array) -> Array:  # noqa: D102
        return self.from_flat(self.flat(p) + v)

    def log(self, p: Array, q: Array) -> Array:  # noqa: D102
        return self.flat(q) - self.flat(p)

    def dist(self, p: Array, q: Array) -> Array:  # noqa: D102
        return self.norm(p, self.log(p, q))

    def inner(self, p: Array, u: Array, v: Array) -> Array:  # noqa: D102
        axes = tuple(range(-len(self.point_shape), 0))
        return linalg.namespace(u, v).sum(u * v, axis=axes)

    def transport(self, p: Array, q: Array, v: Array) -> Array:  # noqa: D102
        return v + 0.0 * (p + q)

    def log_and_hessian(  # noqa: D102
        self, p: Array, q: Array
    ) -> tuple[Array, Callable[[Array], Array]]:
        log = self.log(p, q)
        return log, lambda v: v + 0.0 * log

    # --- sampling -----------------------------------------------------------------------------

    def move(self, p: Array, x: Array) -> Array:  # noqa: D102
        return self.from_flat(self.flat(p) + self.flat(x))

    def move_back(self, p: Array, x: Array) -> Array:  # noqa: D102
        return self.from_flat(self.flat(x) - self.flat(p))

    def frame_log(self, p: Array, x: Array) -> Array:
        """Difference of the images, as a vector: no need to move there and back."""
        return self.to_frame(self.log(p, x))

    def frame_exp(self, p: Array, coordinates: Array) -> Array:
        """Point of the sum with the image of ``p``."""
        return self.exp(p, self.from_frame(coordinates))

    def log_volume_density(self, t: Array, direction: Array) -> Array:  # noqa: D102
        # The 0 * t keeps the shape of t on the line, where the density is constant.
        power = self.dim - 1
        return power * elementary.log_or_minus_infinity(t) if power else 0.0 * t

    # --- public chart -------------------------------------------------------------------------

    def coordinates(self, x: Array) -> Array:
        """Return the image as a vector, in which the space is Euclidean."""
        return self.to_frame(self.flat(x))

    def point(self, coordinates: Array) -> Array:  # noqa: D102
        return self.from_flat(self.from_frame(coordinates))


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
        return linalg.within_reach(x, 1)

    def flat(self, x: Array) -> Array:  # noqa: D102
        return x

    def from_flat(self, v: Array) -> Array:  # noqa: D102
        return v

    def inner(self, p: Array, u: Array, v: Array) -> Array:  # noqa: D102
        return linalg.dot(u, v)[..., 0]

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


SPACES.register("euclidean", Euclidean, example="euclidean:5")
