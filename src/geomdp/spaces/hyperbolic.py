"""Hyperbolic space in the hyperboloid model."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.spaces.base import Space
from geomdp.spaces.numerics import elementary, linalg
from geomdp.spaces.specs import SPACES
from geomdp.typing import Array

#: How far the last coordinate of a record may be from the hyperboloid, relatively.
HEIGHT_TOLERANCE = 1e-6


@dataclass(frozen=True)
class Hyperbolic(Space):
    """Hyperbolic space of curvature -1: the upper sheet of the hyperboloid in R^(dim+1).

    A point is ``(s, h)``: ``dim`` free coordinates s, then the height ``h = sqrt(1 + |s|^2)``.

    Parameters
    ----------
    dim
        Dimension; points have one coordinate more. The line ``Hyperbolic(1)`` is flat.

    Examples
    --------
    >>> space = Hyperbolic(2)
    >>> bottom, far = np.array([0.0, 0.0, 1.0]), np.array([np.sinh(3.0), 0.0, np.cosh(3.0)])
    >>> round(float(space.dist(bottom, far)), 12)
    3.0
    """

    dim: int
    space_form: ClassVar[bool] = True
    injectivity_radius = float("inf")

    def __post_init__(self) -> None:
        if self.dim < 1:
            raise GeomdpError(f"Hyperbolic needs dim of at least 1, not {self.dim}.")

    @property
    def spec(self) -> str:  # noqa: D102
        return f"hyperbolic:{self.dim}"

    @property
    def title(self) -> str:  # noqa: D102
        return f"hyperbolic space of dimension {self.dim}"

    @property
    def point_shape(self) -> tuple[int, ...]:  # noqa: D102
        return (self.dim + 1,)

    @property
    def curvature_bounds(self) -> tuple[float, float]:  # noqa: D102
        # A line has no two-dimensional section: it is flat.
        k = -1.0 if self.dim > 1 else 0.0
        return (k, k)

    @property
    def laplace_rate_limit(self) -> float:
        """Growth rate of the volume, ``dim - 1``."""
        return float(self.dim - 1)

    def violations(self, x: Array) -> Iterator[tuple[Array, str]]:  # noqa: D102
        xp = linalg.namespace(x)
        height = x[..., -1]
        gap = xp.abs(height - self.canonical(x)[..., -1])
        yield (
            ~(gap <= HEIGHT_TOLERANCE * xp.abs(height)),
            "its last coordinate is not sqrt(1 + the sum of the squares of the others); "
            "build points from the free coordinates by point()",
        )

    def canonical(self, x: Array) -> Array:  # noqa: D102
        return self.point(x[..., :-1])

    def resolved(self, center: Array, x: Array) -> Array:  # noqa: D102
        return self.point(linalg.within_reach(x[..., :-1], 1))

    # --- geometry -----------------------------------------------------------------------------

    def _gap(self, p: Array, q: Array) -> tuple[Array, Array]:
        """Difference ``q - p`` of the free coordinates and ``sinh(dist / 2)``.

        In polar form around the bottom, ``sinh^2(dist/2)`` is the sum of ``sinh^2((a - b)/2)``, a
        and b the distances from the bottom, and of ``sinh a sinh b sin^2(angle/2)``: positive
        terms, so no digits are lost far out, and both start from q - p, so none are lost nearby.
        Where one point is more than twice as far out as the other, q - p has lost the digits of
        the nearer one, and the angle comes from the directions instead.
        """
        xp = linalg.namespace(p, q)
        s, t = p[..., :-1], q[..., :-1]
        step = t - s
        if linalg.exact(p, q):
            rise = q[..., -1:] - p[..., -1:]
            return step, xp.sqrt(linalg.dot(step, step) - rise * rise) / 2
        a, b = xp.sqrt(linalg.dot(s, s)), xp.sqrt(linalg.dot(t, t))
        squares = linalg.dot(step, s + t)  # b^2 - a^2
        sinh_difference = _ratio(squares, b * p[..., -1:] + a * q[..., -1:])
        along = xp.sinh(elementary.arcsinh(sinh_difference) / 2)
        sideways = step - _ratio(squares, a + b) * _ratio(t, b)
        apart = _ratio(t, b) - _ratio(s, a)
        near = (b <= 2 * a) & (a <= 2 * b)
        across = xp.where(
            near, linalg.dot(sideways, sideways) * _ratio(b, a), a * b * linalg.dot(apart, apart)
        )
        return step, xp.sqrt(along**2 + across / 4)

    def _tangent(self, p: Array, free: Array) -> Array:
        """Tangent vector at ``p`` with these free coordinates."""
        xp = linalg.namespace(p, free)
        return xp.concat([free, linalg.dot(p[..., :-1], free) / p[..., -1:]], axis=-1)

    def exp(self, p: Array, v: Array) -> Array:  # noqa: D102
        xp = linalg.namespace(p, v)
        length = self.norm(p, v)[..., None]
        return self.canonical(xp.cosh(length) * p + elementary.sinhc(length) * v)

    def dist(self, p: Array, q: Array) -> Array:  # noqa: D102
        return (2 * elementary.arcsinh(self._gap(p, q)[1]))[..., 0]

    def log(self, p: Array, q: Array) -> Array:  # noqa: D102
        step, half = self._gap(p, q)
        # cosh(dist) = 1 + 2 half^2; q - cosh(dist) p has length sinh(dist).
        toward = step - 2 * half**2 * p[..., :-1]
        return self._tangent(p, toward / elementary.sinhc(2 * elementary.arcsinh(half)))

    def inner(self, p: Array, u: Array, v: Array) -> Array:
        """Lorentz product, without the difference that loses digits far from the bottom."""
        xp = linalg.namespace(p, u, v)
        s = p[..., :-1]
        if linalg.exact(p, u, v):
            return (linalg.dot(u[..., :-1], v[..., :-1]) - u[..., -1:] * v[..., -1:])[..., 0]
        unit = _ratio(s, xp.sqrt(linalg.dot(s, s)))
        u_along, v_along = linalg.dot(unit, u[..., :-1]), linalg.dot(unit, v[..., :-1])
        across = linalg.dot(u[..., :-1] - u_along * unit, v[..., :-1] - v_along * unit)
        return (across + u_along * v_along / p[..., -1:] ** 2)[..., 0]

    def transport(self, p: Array, q: Array, v: Array) -> Array:  # noqa: D102
        step = q - p
        product = linalg.dot(step[..., :-1], v[..., :-1]) - step[..., -1:] * v[..., -1:]
        cosh_plus_one = 2 + 2 * self._gap(p, q)[1] ** 2
        return self._tangent(q, (v + product / cosh_plus_one * (p + q))[..., :-1])

    def log_and_hessian(  # noqa: D102
        self, p: Array, q: Array
    ) -> tuple[Array, Callable[[Array], Array]]:
        log = self.log(p, q)
        distance = self.dist(p, q)[..., None]
        unit = _ratio(log, distance)
        # Along the geodesic the squared distance has second derivative 1; across it x coth x.
        across = elementary.x_coth_x(distance)

        def hessian(v: Array) -> Array:
            along = self.inner(p, unit, v)[..., None] * unit
            return along + across * (v - along)

        return log, hessian

    def log_rounding(self, center: Array, radius: float) -> float:  # noqa: D102
        # The coordinates of a point at distance a from the bottom are as large as cosh a.
        reach = float(np.arccosh(max(1.0, float(np.asarray(center)[-1])))) + radius
        return float(32 * self.dim * np.finfo(float).eps * (1 + 2 * radius) * np.cosh(reach))

    # --- sampling -----------------------------------------------------------------------------

    def origin(self, like: Array) -> Array:
        """Return the bottom of the hyperboloid."""
        return linalg.last_axis(self.dim + 1, like)

    def from_frame(self, coordinates: Array) -> Array:  # noqa: D102
        xp = linalg.namespace(coordinates)
        return xp.concat([coordinates, 0.0 * coordinates[..., :1]], axis=-1)

    def to_frame(self, v: Array) -> Array:  # noqa: D102
        return v[..., :-1]

    def move(self, p: Array, x: Array) -> Array:
        """Apply to ``x`` the boost that takes the bottom to ``p``."""
        # The height of a stored point is rounded; only with the exact one is this an isometry.
        s, height = p[..., :-1], self.canonical(p)[..., -1:]
        free = x[..., :-1]
        return self.point(free + s * (linalg.dot(s, free) / (1 + height) + x[..., -1:]))

    def move_back(self, p: Array, x: Array) -> Array:
        """Apply the opposite boost."""
        return self.move(self.point(-p[..., :-1]), x)

    def frame_log(self, p: Array, x: Array) -> Array:
        """Coordinates of the log at ``p``, whose part along ``p`` the boost divides by the height.

        Boosting the point instead would subtract numbers as large as the square of the height.
        """
        if linalg.exact(p, x):
            return super().frame_log(p, x)
        xp = linalg.namespace(p, x)
        s, free = p[..., :-1], self.log(p, x)[..., :-1]
        unit = _ratio(s, xp.sqrt(linalg.dot(s, s)))
        along = linalg.dot(unit, free) * unit
        return (free - along) + along / p[..., -1:]

    def log_volume_density(self, t: Array, direction: Array) -> Array:  # noqa: D102
        if self.dim == 1:
            return 0.0 * t
        return (self.dim - 1) * (elementary.log_or_minus_infinity(t) + elementary.log_sinhc(t))

    # --- public chart -------------------------------------------------------------------------

    def coordinates(self, x: Array) -> Array:
        """Return the free coordinates; every vector is a point, so rounding stays inside."""
        return x[..., :-1]

    def point(self, coordinates: Array) -> Array:  # noqa: D102
        xp = linalg.namespace(coordinates)
        if linalg.exact(coordinates):
            height = xp.sqrt(1 + linalg.dot(coordinates, coordinates))
        else:
            largest = xp.max(xp.abs(coordinates), axis=-1, keepdims=True)
            unit = xp.where(largest > float(xp.finfo(largest.dtype).max) ** 0.25, largest, 1.0)
            scaled = coordinates / unit
            height = unit * xp.sqrt((1 / unit) ** 2 + linalg.dot(scaled, scaled))
        return xp.concat([coordinates, height], axis=-1)


def _ratio(numerator: Array, denominator: Array) -> Array:
    """Quotient that is 0 where the denominator is 0 (a point at the bottom has no direction)."""
    xp = linalg.namespace(denominator)
    zero = denominator == 0
    return xp.where(zero, 0.0, numerator / xp.where(zero, 1.0, denominator))


SPACES.register("hyperbolic", Hyperbolic, example="hyperbolic:2")
