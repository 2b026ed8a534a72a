"""Choi and Lui's linear disk conformal map (2018), the method that paper 4 names.

The surface is doubled along its boundary into a closed one, that one is mapped to the sphere
(harmonic map of the plane, corrected at the pole by a quasi-conformal map), the sphere is projected
to the plane so that the boundary becomes nearly a circle, and a last quasi-conformal map makes it
exactly one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from geomdp.surfaces.disk.laplacian import DirichletSolver, cotangent_stiffness, edge_lengths
from geomdp.surfaces.disk.mapping import DISK_MAPS
from geomdp.surfaces.mesh.surface import Surface
from geomdp_papers.disk.beltrami import beltrami_coefficient, hat_gradients, solve_beltrami

Complex = NDArray[np.complex128]


def choi_lui_map(surface: Surface, center: int, loop: NDArray[np.int64]) -> Complex:
    """Disk coordinates with ``center`` near 0; ``loop`` is the boundary.

    Examples
    --------
    >>> from geomdp.surfaces.mesh.topology import require_disk
    >>> r, t = np.meshgrid(np.arange(1, 7) / 6, np.arange(24) * np.pi / 12, indexing="ij")
    >>> plane = np.concatenate([[0], (r * np.exp(1j * t)).ravel()])
    >>> from scipy.spatial import Delaunay
    >>> points = np.stack([plane.real, plane.imag], axis=1)
    >>> flat = Surface(np.column_stack([points, 0 * plane.real]), Delaunay(points).simplices)
    >>> z = choi_lui_map(flat, 0, require_disk(flat))
    >>> bool(np.abs(np.abs(z) - np.abs(plane)).max() < 0.05)
    True
    """
    double, copy = _doubled(surface, loop)
    sphere = _spherical_map(double)
    plane = _project_from(sphere, sphere[copy[center]])[: len(surface.vertices)]
    plane = _boundary_to_unit_circle(plane, loop)
    mu = beltrami_coefficient(plane, surface.vertices, surface.faces)
    rim = plane[loop] / np.abs(plane[loop])
    return solve_beltrami(plane, surface.faces, mu, loop, rim)


def _doubled(surface: Surface, loop: NDArray[np.int64]) -> tuple[Surface, NDArray[np.int64]]:
    """Glue two copies along the boundary; also return the second copy of each vertex."""
    size = len(surface.vertices)
    interior = np.setdiff1d(np.arange(size), loop)
    copy = np.arange(size)
    copy[interior] = size + np.arange(len(interior))
    vertices = np.concatenate([surface.vertices, surface.vertices[interior]])
    faces = np.concatenate([surface.faces, copy[surface.faces][:, ::-1]])
    return Surface(vertices, faces, surface.name), copy


def _spherical_map(surface: Surface) -> NDArray[np.float64]:
    """Conformal map of a closed surface of genus zero to the unit sphere, as points ``(v, 3)``."""
    puncture = _most_regular_triangle(surface)
    plane = _punctured_plane(surface, puncture)
    plane *= _balancing_scale(plane, surface.faces, puncture)
    # Near the puncture triangle the harmonic map is coarse: look at it from the other pole, keep
    # the tenth of the vertices farthest from it, and repair the rest.
    south = _inverted(plane)
    mu = beltrami_coefficient(south, surface.vertices, surface.faces)
    kept = np.argsort(np.abs(plane))[: max(10, len(plane) // 10)]
    repaired = solve_beltrami(south, surface.faces, mu, kept, south[kept])
    return _to_sphere(_inverted(repaired))


def _inverted(plane: Complex) -> Complex:
    """Turn the projection from one pole of the sphere into that from the other."""
    other: Complex = np.reciprocal(np.conj(plane))
    return other


def _most_regular_triangle(surface: Surface) -> int:
    lengths = edge_lengths(surface.vertices, surface.faces)
    return int((lengths.std(axis=1) / lengths.mean(axis=1)).argmin())


def _punctured_plane(surface: Surface, puncture: int) -> Complex:
    """Harmonic map to the plane with a simple pole in one triangle.

    The load of the pole ``1 / w`` is the conjugate gradient of the basis functions there (Haker and
    others 2000). Pinning the corners of the triangle instead would leave a constant distortion far
    from it when its neighbours are uneven.
    """
    corners = surface.faces[puncture]
    a, b, c = surface.vertices[corners]
    along = (c - a) @ (b - a) / np.linalg.norm(b - a)
    across = np.linalg.norm(np.cross(b - a, c - a)) / np.linalg.norm(b - a)
    shape = np.array([0, np.linalg.norm(b - a), along + 1j * across])
    load = np.zeros(len(surface.vertices), dtype=np.complex128)
    load[corners] = np.conj(hat_gradients(shape, np.arange(3)[None])[0][0] @ [1, 1j])
    K = cotangent_stiffness(surface.vertices, surface.faces)
    plane = DirichletSolver(K, corners[:1]).respond(load)
    return plane - plane.mean()


def _balancing_scale(plane: Complex, faces: NDArray[np.int64], puncture: int) -> float:
    """Scale at which the puncture and the innermost triangle have the same size on the sphere."""
    innermost = int(np.abs(plane[faces]).sum(axis=1).argmin())
    inner = _perimeter(plane[faces[innermost]])
    outer = _perimeter(1 / plane[faces[puncture]])
    return float(np.sqrt(outer / inner))


def _perimeter(corners: Complex) -> float:
    return float(np.abs(corners - np.roll(corners, 1)).sum())


def _to_sphere(plane: Complex) -> NDArray[np.float64]:
    """Inverse stereographic projection from the north pole."""
    square = np.abs(plane) ** 2
    points = np.stack([2 * plane.real, 2 * plane.imag, square - 1], axis=1)
    return points / (1 + square)[:, None]


def _project_from(sphere: NDArray[np.float64], pole: NDArray[np.float64]) -> Complex:
    """Stereographic projection from ``pole``; the pole itself goes far away."""
    frame = np.linalg.svd(pole[None])[2]
    x, y = sphere @ frame[1], sphere @ frame[2]
    orientation = np.linalg.det(np.stack([frame[1], frame[2], pole]))
    z: Complex = (x + 1j * orientation * y) / np.maximum(1 - sphere @ pole, 1e-15)
    return z


def _boundary_to_unit_circle(plane: Complex, loop: NDArray[np.int64]) -> Complex:
    """Shift and scale so that the least-squares circle of the boundary is the unit circle."""
    rim = plane[loop]
    system = np.stack([2 * rim.real, 2 * rim.imag, np.ones(len(rim))], axis=1)
    x, y, rest = np.linalg.lstsq(system, np.abs(rim) ** 2, rcond=None)[0]
    return (plane - (x + 1j * y)) / np.sqrt(rest + x**2 + y**2)


def _disk_map(
    surface: Surface, center: int, loop: NDArray[np.int64], sharp: bool
) -> tuple[Complex, str]:
    """Return the map as :func:`geomdp.surfaces.disk.mapping.conformal_map` asks for it."""
    return choi_lui_map(surface, center, loop), "cotangent"


DISK_MAPS.register("choi-lui", _disk_map)
