"""Kendall's space of planar shapes: landmarks up to translation, scale and rotation.

Kendall (1984), Shape manifolds, Procrustean metrics, and complex projective spaces,
doi:10.1112/blms/16.2.81.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.spaces.base import Space, percent
from geomdp.spaces.embedding import Axes
from geomdp.spaces.numerics import elementary, linalg, shape_floats
from geomdp.spaces.numerics.pieces import in_pieces
from geomdp.spaces.numerics.shape_floats import phase
from geomdp.spaces.specs import SPACES
from geomdp.typing import Array


@dataclass(frozen=True)
class PlanarShapes(Space):
    """Configurations of ``landmarks`` points in the plane, up to translation, scale and rotation.

    A shape is stored as a *preshape*: the landmarks as complex numbers, centred and of norm 1. The
    rotation is left free, so preshapes that differ by a phase are the same point, and a tangent
    vector at a preshape is horizontal: complex orthogonal to it. The space is the complex
    projective space of complex dimension ``landmarks - 2``; a reflected shape is another shape.

    Parameters
    ----------
    landmarks
        Number of landmarks of every shape, at least 3.

    Examples
    --------
    >>> space = PlanarShapes(3)
    >>> triangle = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> turned = triangle @ np.array([[0.0, 3.0], [-3.0, 0.0]]) + 5.0
    >>> bool(space.dist(space.require(triangle), space.require(turned)) < 1e-15)
    True
    """

    landmarks: int
    injectivity_radius = float(np.pi / 2)

    def __post_init__(self) -> None:
        if self.landmarks < 3:
            raise GeomdpError(f"PlanarShapes needs at least 3 landmarks, not {self.landmarks}.")

    @property
    def dim(self) -> int:  # type: ignore[override]  # noqa: D102
        return 2 * (self.landmarks - 2)

    @property
    def spec(self) -> str:  # noqa: D102
        return f"planar-shapes:{self.landmarks}"

    @property
    def title(self) -> str:  # noqa: D102
        return f"planar shapes with {self.landmarks} landmarks"

    def distance_words(self, distance: float) -> str:  # noqa: D102
        return f" rad ({percent(distance)} of the shape's size)"

    @property
    def point_shape(self) -> tuple[int, ...]:  # noqa: D102
        return (self.landmarks,)

    @property
    def curvature_bounds(self) -> tuple[float, float]:  # noqa: D102
        # Triangles form a sphere of radius 1/2; otherwise planes spanned by v and iv have 4.
        return (4.0 if self.landmarks == 3 else 1.0, 4.0)

    @property
    def embedding(self) -> Axes:
        """Preshapes as complex axes, in Helmert's basis."""
        size = self.landmarks - 1
        return Axes(size, True, float(np.sqrt(2.0)), self._to_reals, self._from_axis)

    def _to_reals(self, x: Array) -> Array:
        return np.concatenate(elementary.parts(self._to_basis(x)), axis=-1)

    def _from_axis(self, free: Array) -> Array:
        return self.canonical(self._from_basis(free))

    # --- points -------------------------------------------------------------------------------

    def _as_array(self, x: Any) -> Array:
        """Complex landmarks; real arrays (..., landmarks, 2) become complex."""
        x = linalg.as_floating(x)
        pairs = x.ndim >= 2 and x.shape[-1] == 2
        return elementary.to_complex(x[..., 0], x[..., 1]) if _is_real(x) and pairs else x

    def _shape_problem(self, x: Array) -> str:
        if _is_real(x):
            return (
                "landmarks lie on the second last axis and x, y on the last, "
                f"but the array has shape {tuple(x.shape)}"
            )
        if x.ndim >= 1 and x.shape[-1] != self.landmarks:
            return (
                f"each shape has {x.shape[-1]} landmarks, not {self.landmarks}; "
                "resample outlines to a public number of points"
            )
        return super()._shape_problem(x)

    def violations(self, x: Array) -> Iterator[tuple[Array, str]]:  # noqa: D102
        xp = linalg.namespace(x)
        finite = _of_size_one(xp.where(xp.isfinite(x), x, 0.0))
        largest = elementary.complex_norm(finite)[..., 0]
        size = elementary.complex_norm(_centred(finite))[..., 0]
        floor = 4 * self.landmarks * xp.finfo(linalg.real_dtype(x)).eps
        yield ~(size > floor * largest), "all its landmarks coincide, so it has no shape"

    def canonical(self, x: Array) -> Array:
        """Centre and scale configurations, real (..., landmarks, 2) or complex, to preshapes."""
        x = self._as_array(x)
        if not linalg.exact(x):
            # Landmarks far from 0 leave a mean of the size of their rounding: centre once more.
            x = _centred(_of_size_one(x))
        return _preshape(x)

    def align(self, shapes: Array, to: Array) -> Array:
        """Preshapes rotated to fit the preshape ``to`` best: for pictures.

        >>> space = PlanarShapes(3)
        >>> triangle = space.canonical(np.array([0, 1, 1j]))
        >>> bool(np.allclose(space.align(1j * triangle, to=triangle), triangle))
        True
        """
        shapes, to = self.canonical(shapes), self.canonical(to)
        return shapes * elementary.conj(phase(elementary.hermitian(to, shapes)))

    # --- geometry -----------------------------------------------------------------------------

    def horizontal(self, p: Array, v: Array) -> Array:
        """Remove from ``v`` translation and the component along ``p`` (scale and rotation)."""
        v = _centred(v)
        return v - elementary.hermitian(p, v) * p

    def _toward(self, p: Array, q: Array) -> Array:
        """Part of ``q`` orthogonal to ``p``; its length is the sine of the distance."""
        # Starting from q - p keeps all digits of aligned shapes that are nearly equal.
        difference = q - p
        return difference - elementary.hermitian(p, difference) * p

    def exp(self, p: Array, v: Array) -> Array:  # noqa: D102
        self._require_preshapes(p, v)
        if linalg.is_plain(p, v):
            return in_pieces(shape_floats.exp, p, v, width=self.landmarks)
        xp = linalg.namespace(p, v)
        angle = elementary.complex_norm(v)
        return _preshape(xp.cos(angle) * p + elementary.sinc(angle) * v)

    def dist(self, p: Array, q: Array) -> Array:  # noqa: D102
        self._require_preshapes(p, q)
        if linalg.is_plain(p, q):
            return in_pieces(shape_floats.angles, p, q, width=1, dtype=np.float64)[..., 0]
        cosine = elementary.complex_norm(elementary.hermitian(p, q))
        return elementary.atan2(elementary.complex_norm(self._toward(p, q)), cosine)[..., 0]

    def _require_preshapes(self, *arrays: Array) -> None:
        """Refuse landmarks in pairs of numbers, which broadcasting would turn into nonsense."""
        for x in arrays:
            problem = self._shape_problem(x)
            if problem:
                raise GeomdpError(
                    f"Geometry on {self.spec} takes preshapes, but {problem}; use canonical()."
                )

    def log(self, p: Array, q: Array) -> Array:  # noqa: D102
        self._require_preshapes(p, q)
        if linalg.is_plain(p, q):
            return in_pieces(shape_floats.log, p, q, width=self.landmarks)
        xp = linalg.namespace(p, q)
        toward, product = self._toward(p, q), elementary.hermitian(p, q)
        length = elementary.complex_norm(toward)
        angle = elementary.atan2(length, elementary.complex_norm(product))
        return toward * (
            elementary.conj(phase(product)) * angle / xp.where(length == 0, 1.0, length)
        )

    fast_sums = True

    def log_sum(self, p: Array, q: Array, shares: Array | None = None) -> Array:
        """By two products of a matrix and a vector."""
        if not linalg.is_plain(p, q) or q.ndim != 2:
            return super().log_sum(p, q, shares)
        product = q @ np.conj(p)
        cosine = np.minimum(np.abs(product), 1.0)
        scale = elementary.angle_over_sine(cosine) * (1.0 if shares is None else shares)
        return (scale * np.conj(phase(product))) @ q - (scale @ cosine) * p

    def inner(self, p: Array, u: Array, v: Array) -> Array:  # noqa: D102
        return elementary.parts(elementary.hermitian(u, v))[0][..., 0]

    def transport(self, p: Array, q: Array, v: Array) -> Array:  # noqa: D102
        product = elementary.hermitian(p, q)
        turn = phase(product)
        aligned = q * elementary.conj(turn)
        slope = elementary.hermitian(aligned, v) / (1 + elementary.complex_norm(product))
        return turn * (v - slope * (p + aligned))

    def log_and_hessian(  # noqa: D102
        self, p: Array, q: Array
    ) -> tuple[Array, Callable[[Array], Array]]:
        xp = linalg.namespace(p, q)
        log = self.log(p, q)
        distance = elementary.complex_norm(log)
        unit = log / xp.where(distance == 0, 1.0, distance)
        # Curvature 4 in the direction i log and 1 across both.
        turning, across = elementary.x_cot_x(2 * distance), elementary.x_cot_x(distance)

        def hessian(v: Array) -> Array:
            product = elementary.hermitian(unit, v)
            along, turn = elementary.parts(product)
            return elementary.to_complex(along, turning * turn) * unit + across * (
                v - product * unit
            )

        return log, hessian

    def log_rounding(self, center: Array, radius: float) -> float:  # noqa: D102
        return 64 * float(np.finfo(float).eps) * self.landmarks

    # --- sampling -----------------------------------------------------------------------------

    def _heights(self, like: Array) -> tuple[Array, Array]:
        """Numbers 1, 2, ... and norms of the vectors of :meth:`_from_basis` before scaling."""
        size = np.arange(1.0, self.landmarks)
        norm = linalg.namespace(like).sqrt(linalg.constant(size * (size + 1), like))
        return linalg.constant(size, like), norm

    def _from_basis(self, free: Array) -> Array:
        """Combine Helmert's orthonormal basis of the centred configurations.

        Its vector j has j ones, then -j, scaled: sums from the end need no matrix.
        """
        size, norm = self._heights(free)
        scaled = free / norm
        from_end = linalg.cumulative_sum(scaled[..., ::-1])[..., ::-1]
        xp = linalg.namespace(free)
        zero = 0.0 * free[..., :1]
        return xp.concat([from_end, zero], axis=-1) - xp.concat([zero, size * scaled], axis=-1)

    def _to_basis(self, x: Array) -> Array:
        """Coefficients in Helmert's basis: the adjoint of :meth:`_from_basis`."""
        size, norm = self._heights(x)
        return (linalg.cumulative_sum(x[..., :-1]) - size * x[..., 1:]) / norm

    def origin(self, like: Array) -> Array:
        """Return the shape whose first two landmarks are opposite and all others at the centre."""
        pair = np.zeros(self.landmarks)
        pair[:2] = 1.0, -1.0
        root = linalg.namespace(like).sqrt(linalg.constant(2.0, like))
        first = linalg.constant(pair, like) / root
        return elementary.to_complex(first, 0.0 * first)

    def from_frame(self, coordinates: Array) -> Array:
        """Horizontal vector at the origin: real parts first, then imaginary parts."""
        half = self.landmarks - 2
        free = elementary.to_complex(coordinates[..., :half], coordinates[..., half:])
        zero = 0.0 * free[..., :1]
        return self._from_basis(linalg.namespace(free).concat([zero, free], axis=-1))

    def to_frame(self, v: Array) -> Array:  # noqa: D102
        return linalg.namespace(v).concat(elementary.parts(self._to_basis(v)[..., 1:]), axis=-1)

    def _reflection(self, p: Array) -> tuple[Array, Array, Array]:
        """Sign, axis and complex height of the unitary map that takes the origin to ``p``."""
        origin = self.origin(p)
        # Of the two maps (origin to p, origin to -p) take the one with the longer axis: stable. Two
        # coordinates decide, without roots, so that intervals can always tell.
        real = elementary.parts(p)[0]
        sign = linalg.sign(linalg.less(real[..., :1], real[..., 1:2]), p)
        axis = origin + sign * self.canonical(p)
        return sign, axis, elementary.hermitian(axis, origin)

    def move(self, p: Array, x: Array) -> Array:
        """Apply to ``x`` a unitary map that takes the origin to ``p``."""
        sign, axis, height = self._reflection(p)
        return -sign * (x - elementary.hermitian(axis, x) / height * axis)

    def move_back(self, p: Array, x: Array) -> Array:
        """Apply the adjoint of the unitary map."""
        sign, axis, height = self._reflection(p)
        return -sign * (x - elementary.hermitian(axis, x) / elementary.conj(height) * axis)

    def log_volume_density(self, t: Array, direction: Array) -> Array:
        """``sin(t)^(dim-1) cos(t)`` below pi/2, nothing beyond."""
        xp = linalg.namespace(t)
        inside = linalg.less(2 * t, elementary.pi(t))
        sine = elementary.log_or_minus_infinity(xp.where(inside, xp.sin(t), 0.0 * t))
        return (self.dim - 1) * sine + elementary.log_or_minus_infinity(xp.abs(xp.cos(t)))

    # --- public chart -------------------------------------------------------------------------

    def coordinates(self, x: Array) -> Array:
        """Coordinates of the preshape turned so that landmark 1 minus landmark 2 is positive real.

        In Helmert's basis: that real number, then the real and the imaginary parts of the rest.
        """
        xp = linalg.namespace(x)
        free = self._to_basis(x)
        free = free * elementary.conj(phase(free[..., :1]))
        real, imaginary = elementary.parts(free)
        return xp.concat([real, imaginary[..., 1:]], axis=-1)

    def point(self, coordinates: Array) -> Array:  # noqa: D102
        xp = linalg.namespace(coordinates)
        real = coordinates[..., : self.landmarks - 1]
        imaginary = coordinates[..., self.landmarks - 1 :]
        free = elementary.to_complex(real, xp.concat([0.0 * real[..., :1], imaginary], axis=-1))
        return self.canonical(self._from_basis(free))


def _is_real(x: Array) -> bool:
    return not linalg.exact(x) and not linalg.namespace(x).isdtype(x.dtype, "complex floating")


def _preshape(x: Array) -> Array:
    x = _centred(x)
    return x / elementary.complex_norm(x)


def _of_size_one(x: Array) -> Array:
    """Divide configurations by the power of two of their largest number, so that squares exist."""
    xp = linalg.namespace(x)
    real, imaginary = elementary.parts(x)
    largest = xp.max(xp.maximum(xp.abs(real), xp.abs(imaginary)), axis=-1, keepdims=True)
    exponent = xp.floor(xp.log2(xp.where(largest > 0, largest, 1.0)))
    # The largest double is just below 2**1024, which is none; half twice, as denormals need more.
    half = xp.floor(exponent / 2)
    return x * 2.0**-half * 2.0 ** (half - exponent)


def _centred(x: Array) -> Array:
    return x - linalg.namespace(x).sum(x, axis=-1, keepdims=True) / x.shape[-1]


SPACES.register("planar-shapes", PlanarShapes, example="planar-shapes:50")
