"""Axes without polarity: lines through the origin, as fibres, cracks and orbital poles have."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.spaces import embedding
from geomdp.spaces.base import Space
from geomdp.spaces.numerics import elementary, linalg
from geomdp.spaces.specs import SPACES
from geomdp.spaces.sphere import NORM_TOLERANCE, Sphere
from geomdp.typing import Array


class Halved(Space):
    """Points that stand for pairs ``x, -x`` of unit vectors, which cover the space twice.

    Vectors are stored with the last entry other than 0 positive. Beyond half the angle of the
    sphere the other vector of a pair is nearer: there lies the cut locus.
    """

    by_direction: ClassVar[bool] = True
    #: Unit vectors, and how many times their angle a distance is.
    _cover: Sphere
    _times: ClassVar[int] = 1

    def distance_words(self, distance: float) -> str:  # noqa: D102
        return f" rad ({np.degrees(distance):.3g}°)"

    # --- points -------------------------------------------------------------------------------

    def canonical(self, x: Array) -> Array:
        """Vectors of norm 1, the last entry that is not 0 positive."""
        unit = self._cover.canonical(self._as_array(x))
        if linalg.exact(unit):  # intervals cannot always tell a sign, and no formula needs it
            return unit
        xp = linalg.namespace(unit)
        lead = unit[..., :1]
        for i in range(1, unit.shape[-1]):
            lead = xp.where(unit[..., i : i + 1] == 0, lead, unit[..., i : i + 1])
        return linalg.sign(lead < 0, unit) * unit

    # --- geometry -----------------------------------------------------------------------------

    def _sign(self, p: Array, q: Array) -> Array:
        """Return what turns ``q`` to the side of ``p``; at a right angle nothing."""
        return linalg.sign(linalg.less(linalg.dot(p, q), 0.0), p)

    def exp(self, p: Array, v: Array) -> Array:  # noqa: D102
        return self._cover.exp(p, v / self._times)

    def log(self, p: Array, q: Array) -> Array:  # noqa: D102
        return self._times * self._cover.log(p, self._sign(p, q) * q)

    def dist(self, p: Array, q: Array) -> Array:  # noqa: D102
        return self._times * self._cover.dist(p, self._sign(p, q) * q)

    def inner(self, p: Array, u: Array, v: Array) -> Array:  # noqa: D102
        return self._cover.inner(p, u, v)

    def transport(self, p: Array, q: Array, v: Array) -> Array:  # noqa: D102
        # A tangent vector at -q stands for the opposite one at q.
        sign = self._sign(p, q)
        return sign * self._cover.transport(p, sign * q, v)

    def log_and_hessian(  # noqa: D102
        self, p: Array, q: Array
    ) -> tuple[Array, Callable[[Array], Array]]:
        # Multiplying all lengths leaves the Hessian of half a squared distance as it is.
        log, hessian = self._cover.log_and_hessian(p, self._sign(p, q) * q)
        return self._times * log, hessian

    def log_rounding(self, center: Array, radius: float) -> float:  # noqa: D102
        return self._times * self._cover.log_rounding(center, radius)

    # --- sampling -----------------------------------------------------------------------------

    def origin(self, like: Array) -> Array:
        """Return the last axis: of quaternions the identity."""
        return self._cover.origin(like)

    def from_frame(self, coordinates: Array) -> Array:  # noqa: D102
        return self._cover.from_frame(coordinates)

    def to_frame(self, v: Array) -> Array:  # noqa: D102
        return self._cover.to_frame(v)

    # --- public chart -------------------------------------------------------------------------

    def coordinates(self, x: Array) -> Array:
        """Return the vector whose last entry is positive."""
        return linalg.sign(linalg.less(x[..., -1:], 0.0), x) * x

    def point(self, coordinates: Array) -> Array:  # noqa: D102
        return self.canonical(coordinates)


@dataclass(frozen=True)
class Axes(Halved):
    """Lines through the origin of R^(dim+1); the distance of two is the angle between them.

    An axis is stored as a unit vector whose last entry other than 0 is positive; ``x`` and ``-x``
    are the same point. The space is the real projective space: locally the unit sphere, with a cut
    locus at a right angle.

    Parameters
    ----------
    dim
        Dimension of the space: 2 for axes in R^3.

    Examples
    --------
    >>> space = Axes(2)
    >>> round(float(space.dist(np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.6, -0.8]))), 4)
    0.6435
    """

    dim: int

    def __post_init__(self) -> None:
        if self.dim < 1:
            raise GeomdpError(f"Axes need dim of at least 1, not {self.dim}.")

    @property
    def _cover(self) -> Sphere:  # type: ignore[override]
        return Sphere(self.dim)

    @property
    def of_unit_vectors(self) -> bool:  # type: ignore[override]  # noqa: D102
        return True

    @property
    def spec(self) -> str:  # noqa: D102
        return f"axes:{self.dim}"

    @property
    def title(self) -> str:  # noqa: D102
        return f"axes of {self.dim + 1}-dimensional space"

    @property
    def point_shape(self) -> tuple[int, ...]:  # noqa: D102
        return (self.dim + 1,)

    @property
    def curvature_bounds(self) -> tuple[float, float]:  # noqa: D102
        return self._cover.curvature_bounds

    @property
    def injectivity_radius(self) -> float:
        """A right angle, which is also the largest distance."""
        return float(np.pi / 2)

    @property
    def embedding(self) -> embedding.Axes:
        """As the matrix that projects onto the axis."""
        size, moved = self.dim + 1, float(np.sqrt(2.0))
        return embedding.Axes(size, False, moved, np.asarray, self.canonical)

    def violations(self, x: Array) -> Iterator[tuple[Array, str]]:  # noqa: D102
        xp = linalg.namespace(x)
        norm = xp.sqrt(linalg.short_dot(x, x))[..., 0]
        bad = ~(xp.abs(norm - 1) <= NORM_TOLERANCE)
        yield bad, "its norm differs from 1; divide each point by its norm"

    def move(self, p: Array, x: Array) -> Array:  # noqa: D102
        return self._cover.move(p, x)

    def move_back(self, p: Array, x: Array) -> Array:  # noqa: D102
        return self._cover.move_back(p, x)

    def log_volume_density(self, t: Array, direction: Array) -> Array:
        """Return that of the sphere below a right angle, nothing beyond."""
        xp = linalg.namespace(t)
        within = linalg.less(t, elementary.pi(t) / 2)
        if self.dim == 1:
            return xp.where(within, 0.0 * t, -xp.inf)
        sine = xp.where(within, xp.sin(t), 0.0 * t)
        return (self.dim - 1) * elementary.log_or_minus_infinity(sine)


SPACES.register("axes", Axes, example="axes:2")
