"""Square-root normal fields: the representation in which registration compares surfaces.

For a surface f on the disk, ``N = f_u x f_v`` and ``q = N / sqrt|N|``, so that the integral of
``|q|^2`` is the area. A diffeomorphism acts by ``sqrt(J) q o gamma``, which keeps distances
(Jermyn et al. 2012, doi:10.1007/978-3-642-33715-4_58; docs/theory/elastic-registration.md; paper 4,
section A.3, arXiv:2409.08301).
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from geomdp.errors import InvalidRecordError
from geomdp.surfaces.mesh.surface import Surface
from geomdp.typing import Complex, Floats


@dataclass(frozen=True, eq=False)
class NormalField:
    """Bicubic spline of a square-root normal field given on a Cartesian grid of ``[-1, 1]^2``.

    ``grid`` (size, size, 3) is the field at ``u[i] + i u[j]`` with u equally spaced from -1 to
    1.
    """

    grid: Floats

    @cached_property
    def _spline(self) -> Any:
        from scipy.interpolate import NdBSpline

        spline = _unit_splines(len(self.grid))
        rows = _along_u(spline.coefficients, self.grid)
        return NdBSpline((spline.knots,) * 2, _along_v(spline.coefficients, rows), k=3)

    def __call__(self, z: Complex) -> Floats:
        """Return the field at points of the disk, shape (..., 3)."""
        values: Floats = self._spline(_pairs(z))
        return values

    def slopes(self, z: Complex) -> tuple[Floats, Floats]:
        """Return the derivatives along u and v at points of the disk."""
        points = _pairs(z)
        return self._spline(points, nu=(1, 0)), self._spline(points, nu=(0, 1))


def normal_field(samples: Floats) -> NormalField:
    """Build the square-root normal field of a surface sampled on a Cartesian grid.

    Samples (size, size, 3) are positions at ``u[i] + i u[j]``, continued smoothly outside the
    disk.
    """
    slopes = _unit_splines(len(samples)).slopes
    normal = np.cross(_along_u(slopes, samples), _along_v(slopes, samples))
    length = np.linalg.norm(normal, axis=-1, keepdims=True)
    return NormalField(normal / np.sqrt(np.maximum(length, np.finfo(float).tiny)))


def act(q: Floats, jacobian: Floats) -> Floats:
    """Return ``sqrt(J) q`` for a field already evaluated at gamma(z)."""
    moved: Floats = np.sqrt(jacobian)[..., None] * q
    return moved


def energy(target: Floats, moved: Floats, weights: Floats) -> float:
    """Return the squared distance of two fields under quadrature weights."""
    return float(weights @ ((target - moved) ** 2).sum(axis=-1))


def triangle_fields(surface: Surface) -> Floats:
    """Return ``sqrt(area) n`` of every triangle.

    For two meshes in vertex correspondence, the squared distance of their (piecewise constant)
    fields is the plain sum of squared differences of these vectors, whatever the disk map.
    """
    normal = surface.face_normals
    length = np.linalg.norm(normal, axis=1, keepdims=True)
    if not np.all(length > 0):
        raise InvalidRecordError(
            f"{surface.label} has {int((length == 0).sum())} triangles without area; remove them."
        )
    fields: Floats = normal / np.sqrt(length)
    return fields


@dataclass(frozen=True, eq=False)
class _UnitSplines:
    """The cubic splines through all unit vectors: any spline of even samples is a sum of these."""

    knots: Floats
    coefficients: Floats
    slopes: Floats


@lru_cache(maxsize=4)
def _unit_splines(size: int) -> _UnitSplines:
    from scipy.interpolate import make_interp_spline

    u = np.linspace(-1, 1, size)
    splines = make_interp_spline(u, np.eye(size), k=3)
    return _UnitSplines(splines.t, splines.c, splines(u, nu=1))


def _along_u(operator: Floats, samples: Floats) -> Floats:
    return (operator @ samples.reshape(len(samples), -1)).reshape(samples.shape)


def _along_v(operator: Floats, samples: Floats) -> Floats:
    turned = np.ascontiguousarray(np.swapaxes(samples, 0, 1))
    return np.ascontiguousarray(np.swapaxes(_along_u(operator, turned), 0, 1))


def _pairs(z: Complex) -> Floats:
    """Real and imaginary parts (..., 2), within the square."""
    pairs = np.ascontiguousarray(z).view(np.float64).reshape(*z.shape, 2)
    return np.clip(pairs, -1, 1)


# --- Best rotations between fields, and best motions between corresponding points.


def kabsch(covariance: Floats) -> Floats:
    """Return the rotation O that maximises ``trace(O.T @ covariance)``.

    With ``covariance = sum target x source^T`` this is the rotation that takes ``source`` closest
    to ``target`` in least squares; reflections are excluded. Leading axes are batch axes. Kabsch
    1976, doi:10.1107/S0567739476001873.
    """
    u, _, vt = np.linalg.svd(covariance)
    u = u.copy()
    u[..., :, 2] *= np.sign(np.linalg.det(u @ vt))[..., None]
    rotation: Floats = u @ vt
    return rotation


def best_turn(target: Floats, source: Floats, weights: Floats) -> float:
    """Find the angle by which turning the disk of ``source`` fits ``target`` best.

    For every shift of the angular grid the 3 x 3 covariance comes from one FFT cross-correlation,
    and its best value over rotations in space is ``s1 + s2 +- s3`` of its singular values.

    Fields (radii, angles, 3) on the same polar grid, with weights (radii,). By the angle alpha
    in [0, 2 pi), ``source`` at ``theta + alpha`` lies over ``target`` at theta.
    """
    f = np.conj(np.fft.rfft(target * weights[:, None, None], axis=1))
    g = np.fft.rfft(source, axis=1)
    angles = target.shape[1]
    covariance = np.fft.irfft(np.einsum("rki,rkj->kij", f, g), n=angles, axis=0)
    s = np.linalg.svd(covariance, compute_uv=False)
    fit = s[:, 0] + s[:, 1] + np.sign(np.linalg.det(covariance)) * s[:, 2]
    return float(2 * np.pi * int(fit.argmax()) / angles)


@dataclass(frozen=True, eq=False)
class Motion:
    """A rotation, a scale and a shift: ``x -> scale * rotation @ x + shift``."""

    rotation: Floats
    scale: float
    shift: Floats

    def __call__(self, points: Floats) -> Floats:
        """Move points (..., 3)."""
        return self.scale * points @ self.rotation.T + self.shift

    def after(self, first: "Motion") -> "Motion":
        """Return the motion that moves by ``first`` and then by this one."""
        return Motion(self.rotation @ first.rotation, self.scale * first.scale, self(first.shift))


def best_motion(
    target: Floats,
    source: Floats,
    weights: Floats | None = None,
    scaled: bool = False,
) -> Motion:
    """Motion that takes ``source`` closest to ``target`` in weighted least squares.

    Umeyama 1991, doi:10.1109/34.88573.
    """
    share = np.full(len(target), 1 / len(target)) if weights is None else weights / weights.sum()
    middle, other = share @ target, share @ source
    covariance = (share[:, None] * (target - middle)).T @ (source - other)
    rotation = kabsch(covariance)
    scale = 1.0
    if scaled:
        scale = float(np.sum(rotation * covariance) / (share @ np.sum((source - other) ** 2, -1)))
    return Motion(rotation, scale, middle - scale * rotation @ other)
