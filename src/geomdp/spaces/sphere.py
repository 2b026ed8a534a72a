"""Spheres of any dimension and curvature."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.spaces.base import Space
from geomdp.spaces.embedding import Directions
from geomdp.spaces.numerics import elementary, linalg, sphere_floats
from geomdp.spaces.numerics.compiling import compiled
from geomdp.spaces.numerics.pieces import dot, in_pieces
from geomdp.spaces.specs import SPACES
from geomdp.typing import Array

#: How far a record's norm may be from the sphere's radius, relatively: digits lost in text files.
NORM_TOLERANCE = 1e-6
#: How far the computed square of a norm may be from that of the sphere's radius, relatively, for a
#: mean not to feel it.
SQUARE_TOLERANCE = 2.0**-49
#: Squares of points of spheres of this curvature, and of its inverse, are floats.
SMALLEST_CURVATURE = 1e-200
#: Records this close to the antipode, in radii, are clipped in a public direction.
NEAR_ANTIPODE = 2.0**-20


@dataclass(frozen=True)
class Sphere(Space):
    """Sphere of dimension ``dim`` in R^(dim+1), of radius ``1/sqrt(curvature)``.

    Directions are points of ``Sphere(2)``; compositions with m parts are points of ``Sphere(m-1)``
    after a square root. The circle ``Sphere(1)`` is flat.

    Parameters
    ----------
    dim
        Dimension of the sphere itself (2 for the ordinary sphere).
    curvature
        Sectional curvature k; points have norm ``1/sqrt(k)``.

    Examples
    --------
    >>> space = Sphere(2)
    >>> north, east = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])
    >>> round(float(space.dist(north, east)), 4)
    1.5708
    """

    dim: int
    curvature: float = 1.0
    by_direction: ClassVar[bool] = True
    space_form: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.dim < 1:
            raise GeomdpError(f"Sphere needs dim of at least 1, not {self.dim}.")
        if not (SMALLEST_CURVATURE <= self.curvature <= 1 / SMALLEST_CURVATURE):
            raise GeomdpError(
                f"Sphere needs a positive curvature from {SMALLEST_CURVATURE:g} to "
                f"{1 / SMALLEST_CURVATURE:g}, not {self.curvature}."
            )

    @property
    def spec(self) -> str:  # noqa: D102
        suffix = "" if self.curvature == 1 else f":{self.curvature!r}"
        return f"sphere:{self.dim}{suffix}"

    @property
    def of_unit_vectors(self) -> bool:  # type: ignore[override]  # noqa: D102
        return self.curvature == 1

    @property
    def title(self) -> str:  # noqa: D102
        names = {1: "the circle", 2: "the sphere S²"}
        return names.get(self.dim, f"the sphere of dimension {self.dim}")

    def distance_words(self, distance: float) -> str:  # noqa: D102
        return f" rad ({np.degrees(distance):.3g}°)" if self.curvature == 1 else ""

    @property
    def record_caution(self) -> str:  # noqa: D102
        return (
            "A direction has a sign: records of axes, whose sign means nothing, must be turned to "
            "the side of the centre in the file, each by itself."
        )

    @property
    def point_shape(self) -> tuple[int, ...]:  # noqa: D102
        return (self.dim + 1,)

    @property
    def curvature_bounds(self) -> tuple[float, float]:  # noqa: D102
        # A circle has no two-dimensional section: it is flat.
        k = self.curvature if self.dim > 1 else 0.0
        return (k, k)

    @property
    def injectivity_radius(self) -> float:  # noqa: D102
        return float(np.pi / np.sqrt(self.curvature))

    @property
    def embedding(self) -> Directions:
        """Unit vectors."""
        return Directions(self.dim + 1, unit=float(1 / np.sqrt(self.curvature)))

    def violations(self, x: Array) -> Iterator[tuple[Array, str]]:  # noqa: D102
        xp = linalg.namespace(x)
        radius = float(1 / np.sqrt(self.curvature))
        norm = xp.sqrt(linalg.short_dot(x, x))[..., 0]
        yield (
            ~(xp.abs(norm / radius - 1) <= NORM_TOLERANCE),
            f"its norm differs from {radius:.6g}; divide each point by its norm"
            + ("" if radius == 1 else f" and multiply by {radius:.6g}")
            + ", or take square roots if it is a composition",
        )

    def canonical(self, x: Array) -> Array:  # noqa: D102
        xp = linalg.namespace(x)
        return x / (xp.sqrt(linalg.short_dot(x, x)) * self._root(x))

    def nearly_canonical(self, x: Array) -> bool:
        """By their norms, which only rounding keeps from the sphere's radius."""
        if not linalg.is_real(x) or x.shape[-1:] != self.point_shape:
            return False
        with np.errstate(all="ignore"):
            return bool(_have_length(x, self.curvature))

    def resolved(self, center: Array, x: Array) -> Array:
        """Points by the antipode count as the one a quarter turn away along the first axis."""
        total = center + x
        near = self.curvature * linalg.dot(total, total) <= NEAR_ANTIPODE**2
        quarter = np.zeros(self.dim)
        quarter[0] = self.injectivity_radius / 2
        return np.where(near, self.frame_exp(center, quarter), x)

    def _root(self, like: Array) -> Array:
        """Square root of the curvature."""
        return linalg.namespace(like).sqrt(linalg.constant(self.curvature, like))

    def exp(self, p: Array, v: Array) -> Array:  # noqa: D102
        if linalg.is_plain(p, v):
            rows = partial(sphere_floats.exp, square=dot(p, p), curvature=self.curvature)
            return in_pieces(rows, p, v, width=self.dim + 1)
        xp = linalg.namespace(p, v)
        angle = self._root(v) * xp.sqrt(linalg.dot(v, v))
        return self.canonical(xp.cos(angle) * p + elementary.sinc(angle) * v)

    def _angle(self, p: Array, q: Array) -> Array:
        """Angle between points, accurate from nearly equal to nearly antipodal."""
        xp = linalg.namespace(p, q)
        near, far = q - p, q + p
        return 2 * elementary.atan2(xp.sqrt(linalg.dot(near, near)), xp.sqrt(linalg.dot(far, far)))

    def dist(self, p: Array, q: Array) -> Array:  # noqa: D102
        if linalg.is_plain(p, q):
            rows = partial(sphere_floats.dist, square=dot(p, p), curvature=self.curvature)
            return in_pieces(rows, p, q, width=1)[..., 0]
        return (self._angle(p, q) / self._root(p))[..., 0]

    def log(self, p: Array, q: Array) -> Array:  # noqa: D102
        if linalg.is_plain(p, q):
            rows = partial(sphere_floats.log, square=dot(p, p))
            return in_pieces(rows, p, q, width=self.dim + 1)
        xp = linalg.namespace(p, q)
        # Project q -+ p rather than q: the subtraction is exact when q is near p or near -p.
        chosen = xp.where(linalg.dot(p, q) < 0, q + p, q - p)
        toward = chosen - self.curvature * linalg.dot(p, chosen) * p
        length = xp.sqrt(linalg.dot(toward, toward))
        scale = self._angle(p, q) / self._root(p)
        zero = length == 0
        return toward * xp.where(zero, 0.0, scale / xp.where(zero, 1.0, length))

    fast_sums = True

    @property
    def chunk_numbers(self) -> int:  # type: ignore[override]
        """More than elsewhere: sums need a few numbers a record, and no room for its entries."""
        return min(1 << 18, (self.dim + 1) << 14)

    def log_sum(self, p: Array, q: Array, shares: Array | None = None) -> Array:
        """By two products of a matrix and a vector."""
        if not linalg.is_plain(p, q) or q.ndim != 2:
            return super().log_sum(p, q, shares)
        cosine = np.clip(self.curvature * (q @ p), -1.0, 1.0)
        scale = elementary.angle_over_sine(cosine) * (1.0 if shares is None else shares)
        return scale @ q - (scale @ cosine) * p

    def inner(self, p: Array, u: Array, v: Array) -> Array:  # noqa: D102
        return linalg.dot(u, v)[..., 0]

    def transport(self, p: Array, q: Array, v: Array) -> Array:  # noqa: D102
        k = self.curvature
        return v - k * linalg.dot(q, v) / (1 + k * linalg.dot(p, q)) * (p + q)

    def log_and_hessian(  # noqa: D102
        self, p: Array, q: Array
    ) -> tuple[Array, Callable[[Array], Array]]:
        xp = linalg.namespace(p, q)
        log = self.log(p, q)
        distance = xp.sqrt(linalg.dot(log, log))
        unit = log / xp.where(distance == 0, 1.0, distance)
        # Along the geodesic the squared distance has second derivative 1; across it x cot x.
        across = (
            elementary.x_cot_x(self._root(p) * distance) if self.dim > 1 else 1.0 + 0.0 * distance
        )

        def hessian(v: Array) -> Array:
            along = linalg.dot(unit, v) * unit
            return along + across * (v - along)

        return log, hessian

    def log_rounding(self, center: Array, radius: float) -> float:  # noqa: D102
        return 64 * float(np.finfo(float).eps) * self.dim / float(np.sqrt(self.curvature))

    def origin(self, like: Array) -> Array:
        """Return the north pole: the last axis."""
        return linalg.last_axis(self.dim + 1, like) / self._root(like)

    def from_frame(self, coordinates: Array) -> Array:  # noqa: D102
        xp = linalg.namespace(coordinates)
        return xp.concat([coordinates, 0.0 * coordinates[..., :1]], axis=-1)

    def to_frame(self, v: Array) -> Array:  # noqa: D102
        return v[..., :-1]

    def move(self, p: Array, x: Array) -> Array:
        """Apply to ``x`` a reflection, up to sign, that takes the pole to ``p``."""
        xp = linalg.namespace(p, x)
        target = p / xp.sqrt(linalg.dot(p, p))
        pole = linalg.last_axis(self.dim + 1, p)
        # Of the two reflections (pole to p, pole to -p) take the one with the longer axis: stable.
        sign = linalg.sign(linalg.less(target[..., -1:], 0.0), target)
        axis = target + sign * pole
        return -sign * (x - 2 * linalg.dot(axis, x) / linalg.dot(axis, axis) * axis)

    def move_back(self, p: Array, x: Array) -> Array:
        """Apply the same map: up to sign a reflection, hence its own inverse."""
        return self.move(p, x)

    def log_volume_density(self, t: Array, direction: Array) -> Array:  # noqa: D102
        xp = linalg.namespace(t)
        angle = self._root(t) * t
        if self.dim == 1:
            return xp.where(linalg.less(angle, elementary.pi(t)), 0.0 * t, -xp.inf)
        # Beyond the antipode there is no volume, although the sine turns positive again.
        sine = xp.where(
            linalg.less(angle, elementary.pi(t)), xp.sin(angle) / self._root(t), 0.0 * t
        )
        return (self.dim - 1) * elementary.log_or_minus_infinity(sine)

    def coordinates(self, x: Array) -> Array:  # noqa: D102
        return x

    def point(self, coordinates: Array) -> Array:  # noqa: D102
        return self.canonical(coordinates)


@compiled
def _have_length(x: Array, curvature: float) -> Array:
    """Tell whether all points lie on a sphere, but for rounding; of any library."""
    square = curvature * linalg.short_dot(x, x)
    xp = linalg.namespace(x)
    return xp.all(xp.abs(square - 1) <= SQUARE_TOLERANCE)


SPACES.register("sphere", Sphere, example="sphere:2")
