"""A surface on a regular grid of the disk: rings and angles, or a square grid."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from geomdp.errors import InvalidRecordError
from geomdp.runtime.threads import one_blas_thread
from geomdp.surfaces.mesh.surface import Surface
from geomdp.typing import Complex, Floats

#: Vertices at least this far from the centre are reflected; their images reach |z| = 2, past the
#: corners of the square at 1.42.
REFLECTED_FROM = 0.5
#: Relative error left in the slopes at the vertices.
SLOPES, QUICK_SLOPES = 1e-6, 1e-5


def sample_polar(surface: Surface, z: Complex, radii: ArrayLike, angles: int | ArrayLike) -> Floats:
    """Points of the surface at disk coordinates ``r exp(i t)``, as ``(radii, angles, 3)``.

    Parameters
    ----------
    surface : Surface
        The surface.
    z : complex array of shape (v,)
        Disk coordinates of its vertices.
    radii : array
        From 0 to 1.
    angles : int or array
        Number of even angles ``2 pi i / angles``, or the angles in radians.

    Examples
    --------
    >>> t = np.arange(12) * np.pi / 6
    >>> z = np.concatenate([[0], 0.5 * np.exp(1j * t), np.exp(1j * t)])
    >>> from geomdp.surfaces.mesh.pointcloud import surface_from_points
    >>> flat = surface_from_points(np.stack([z.real, z.imag, 0 * z.real], axis=1))
    >>> bool(np.allclose(sample_polar(flat, z, [0.5], 4)[0, :2], [[0.5, 0, 0], [0, 0.5, 0]]))
    True
    """
    if isinstance(angles, int):
        angles = 2 * np.pi * np.arange(angles) / angles
    grid = np.asarray(radii)[:, None] * np.exp(1j * np.asarray(angles))
    return DiskInterpolant(surface, z)(grid)


def sample_cartesian(surface: Surface, z: Complex, size: int) -> Floats:
    """Points of the surface on a square grid over the disk, as ``(size, size, 3)``.

    Entry ``[i, j]`` belongs to ``x = -1 + 2 i / (size - 1)``, ``y = -1 + 2 j / (size - 1)``.
    Outside the disk the surface is continued by reflection, so that splines through the grid are
    smooth across the boundary.

    Examples
    --------
    >>> t = np.arange(12) * np.pi / 6
    >>> z = np.concatenate([[0], 0.5 * np.exp(1j * t), np.exp(1j * t)])
    >>> from geomdp.surfaces.mesh.pointcloud import surface_from_points
    >>> flat = surface_from_points(np.stack([z.real, z.imag, 0 * z.real], axis=1))
    >>> bool(np.allclose(sample_cartesian(flat, z, 5)[3, 2], [0.5, 0, 0]))
    True
    """
    return DiskInterpolant(surface, z).on_square(size)


class DiskInterpolant:
    """A surface as a smooth function on the disk, built once and evaluated as often as needed.

    The triangulation of another surface ``like`` it, with the same disk coordinates, serves
    again. Records are interpolated ``quick``: points move by a hundred millionth of the root of
    the area, which templates must not, since releases are verified by the curves of their
    templates.
    """

    def __init__(
        self,
        surface: Surface,
        z: Complex,
        like: DiskInterpolant | None = None,
        quick: bool = False,
    ) -> None:
        from scipy.interpolate import CloughTocher2DInterpolator

        from geomdp.surfaces.disk.triangulation import PlaneTriangulation

        if z.shape != (len(surface.vertices),) or not np.isfinite(z).all():
            raise InvalidRecordError(
                f"{surface.label} has {len(surface.vertices)} vertices but disk coordinates of "
                f"shape {z.shape}, or not all of them finite; give one finite complex number a "
                "vertex."
            )
        sites, values = _reflected(surface.vertices, z)
        if quick:
            order = np.argsort(-np.abs(sites), kind="stable")  # Qhull likes the outermost first
            sites, values = sites[order], values[order]
        self._label, self._center = surface.label, int(np.abs(z).argmin())
        with one_blas_thread():
            if like is None:
                points = np.stack([sites.real, sites.imag], axis=1)
                self._triangulation = PlaneTriangulation(points, quick)
            else:
                self._triangulation = like._triangulation
            tol = QUICK_SLOPES if quick else SLOPES
            self._pieces = CloughTocher2DInterpolator(self._triangulation, values, tol=tol)

    def __call__(self, at: Complex) -> Floats:
        """Return the points of the surface at disk coordinates ``at``, shape (..., 3)."""
        with one_blas_thread():
            points: Floats = self._pieces(at.real, at.imag)
        if not np.isfinite(points).all():
            raise InvalidRecordError(
                f"{self._label} is too coarse to be sampled about the centre of its map, vertex "
                f"{self._center}, or that lies too near to the border; refine the mesh, take "
                'another centre, such as center="middle", or ask for points with |z| <= 1 only.'
            )
        return points

    def on_square(self, size: int) -> Floats:
        """Return the points on the grid of :func:`sample_cartesian`."""
        axis = np.linspace(-1, 1, size)
        return self(axis[:, None] + 1j * axis)


def _reflected(vertices: Floats, z: Complex) -> tuple[Complex, Floats]:
    """Vertices and their mirror images in the circle, at ``1 / conj(z)``.

    The inversion keeps angles, so no thin triangles arise. The value goes on along the chord from
    z to the circle, which continues linear functions exactly: since ``1/r - 1 = (1 - r) / r``,
    ``f(1/r) = f(1) + (f(1) - f(r)) / r``.
    """
    radius = np.abs(z)
    rim = radius > 1 - 1e-9
    outer = ~rim & (radius >= REFLECTED_FROM)
    order = np.argsort(np.angle(z[rim]))
    angles, points = np.angle(z[rim])[order], vertices[rim][order]
    edge = np.stack(
        [np.interp(np.angle(z[outer]), angles, p, period=2 * np.pi) for p in points.T], axis=1
    )
    mirrored = edge + (edge - vertices[outer]) / radius[outer, None]
    sites = np.concatenate([z, 1 / np.conj(z[outer])])
    return sites, np.concatenate([vertices, mirrored])
