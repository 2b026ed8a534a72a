"""Conformal map of a disk-like surface to the unit disk, with a chosen vertex at the centre.

Why harmonic measure gives the map, and what is exact: docs/theory/disk-map.md.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError
from geomdp.registry import Registry
from geomdp.runtime.threads import on_one_blas_thread
from geomdp.surfaces.disk.center import Center, center_vertex
from geomdp.surfaces.disk.laplacian import (
    DirichletSolver,
    clamped_stiffness,
    cotangent_stiffness,
    intrinsic_delaunay_stiffness,
)
from geomdp.surfaces.mesh.repair import split_triangles
from geomdp.surfaces.mesh.surface import Surface
from geomdp.surfaces.mesh.topology import FLAT_TRIANGLE, boundary_loops, loop_lengths, require_disk
from geomdp.typing import Complex, Floats, Indices

if TYPE_CHECKING:
    from scipy.sparse import csr_array

# --- Automorphisms of the unit disk: move the centre of a map.


def mobius(z: Complex, a: complex, angle: float = 0.0) -> Complex:
    """Apply ``z -> exp(i angle) (z - a) / (1 - conj(a) z)``, which takes ``a`` to 0.

    Examples
    --------
    >>> mobius(np.array([0.5j, 1.0]), 0.5j)[0]
    np.complex128(0j)
    >>> bool(np.isclose(abs(mobius(np.array([1.0]), 0.5j)[0]), 1))
    True
    """
    if not abs(a) < 1:
        raise InvalidRecordError(
            f"a Möbius transform of the disk cannot move the point {a:.6g} with |a| >= 1 to the "
            "centre; choose a point inside the disk."
        )
    moved: Complex = np.exp(1j * angle) * (z - a) / (1 - np.conj(a) * z)
    return moved


def move_center(z: Complex, vertex: int) -> Complex:
    """Disk coordinates with ``vertex`` at the centre."""
    return mobius(z, complex(z[vertex]))


# --- How far a map to the disk is from conformal: angle errors and flipped triangles.


def signed_areas(z: Complex, faces: Indices) -> Floats:
    """Areas of the triangles in the plane, negative where the map turns a triangle over."""
    a, b, c = z[faces.T]
    areas: Floats = 0.5 * (np.conj(b - a) * (c - a)).imag
    return areas


def is_flipped(z: Complex, faces: Indices) -> NDArray[np.bool_]:
    """Tell for each triangle whether the map turns it over or flattens it to a line."""
    a, b, c = z[faces.T]
    sides = b - a, c - a, c - b
    longest = np.max([side.real**2 + side.imag**2 for side in sides], axis=0)
    flipped: NDArray[np.bool_] = ~(2 * signed_areas(z, faces) > FLAT_TRIANGLE * longest)
    return flipped


def flipped_triangles(z: Complex, faces: Indices) -> int:
    """Count the triangles that the map turns over or flattens."""
    return int(is_flipped(z, faces).sum())


def angle_errors(surface: Surface, z: Complex) -> Floats:
    """Angle in the disk minus angle on the surface, in degrees, for each triangle corner."""
    plane = np.stack([z.real, z.imag, np.zeros(len(z))], axis=1)
    return np.degrees(_angles(plane[surface.faces]) - _angles(surface.vertices[surface.faces]))


def angle_error(surface: Surface, z: Complex) -> float:
    """Mean absolute angle error in degrees; zero for a conformal map of the triangles."""
    return float(np.abs(angle_errors(surface, z)).mean())


def _angles(corners: Floats) -> Floats:
    u = np.roll(corners, -1, axis=1) - corners
    v = np.roll(corners, 1, axis=1) - corners
    sine = np.linalg.norm(np.cross(u, v), axis=2)
    angles: Floats = np.arctan2(sine, (u * v).sum(axis=2))
    return angles


#: Disk coordinates, and the name of the Laplacian that they needed, for a surface, the vertex to
#: have at the centre, the boundary loop, and whether coarse triangles are split.
Method: TypeAlias = Callable[[Surface, int, Indices, bool], tuple[Complex, str]]
#: Disk maps by name; the package of the papers brings ``"choi-lui"``.
DISK_MAPS: Registry[Method] = Registry("disk map", error=InvalidRecordError)


@dataclass(frozen=True, eq=False)
class DiskMap:
    """Disk coordinates of the vertices and how they were found.

    The centre vertex lies at 0, the boundary on the unit circle, its first vertex
    (:func:`~geomdp.surfaces.mesh.topology.boundary_loops`) at 1. ``laplacian`` is ``"cotangent"``,
    or the fallback that was needed: ``"intrinsic-delaunay"``, ``"clamped"``.
    """

    z: Complex
    center: int
    method: str
    laplacian: str


@on_one_blas_thread
def conformal_map(
    surface: Surface,
    center: Center = "most-protruding",
    method: str = "harmonic-measure",
    sharp: bool = True,
) -> DiskMap:
    """Map a surface with one boundary loop to the unit disk, keeping angles.

    Parameters
    ----------
    surface : Surface
        Disk-like: one component, one boundary loop, no handle.
    center : int, three coordinates, "most-protruding" or "middle"
        Vertex for the centre of the disk, the landmark nearest to it, or one of the rules
        :func:`~geomdp.surfaces.disk.center.most_protruding` (faces, hills) and
        :func:`~geomdp.surfaces.disk.center.middle` (any surface, such as a tile of terrain).
    method : str
        Harmonic measure falls back to more robust Laplacians until no triangle is flipped. With the
        package of the papers there is ``"choi-lui"``, the map that paper 4 names.
    sharp : bool
        Whether harmonic measure solves again with coarse triangles split. Registration does
        without: it moves points by more, and correspondence stays the same in a third less time.

    Examples
    --------
    >>> tent = Surface([[1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0], [0, 0, 1]],
    ...     [[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]])
    >>> found = conformal_map(tent)
    >>> found.center, found.laplacian, bool(np.allclose(found.z, [1, 1j, -1, -1j, 0]))
    (4, 'cotangent', True)
    """
    to_disk = DISK_MAPS.named(method)
    loop = require_disk(surface)
    vertex = center_vertex(surface, center, loop)
    z, laplacian = to_disk(surface, vertex, loop, sharp)
    z = _centred(z, vertex, loop)
    if flips := flipped_triangles(z, surface.faces):
        raise InvalidRecordError(
            f"{surface.label} has {flips} flipped triangles in its {method} disk map; remesh it "
            "with more even triangles (harmonic-measure, the default, has fallbacks for most)."
        )
    return DiskMap(z, vertex, method, laplacian)


def disk_map(
    vertices: Floats,
    faces: Indices,
    center: Center = "most-protruding",
    method: str = "harmonic-measure",
) -> Complex:
    """Complex disk coordinates of the vertices; a warning names the Laplacian if not cotangent.

    The arguments are those of :class:`Surface` and :func:`conformal_map`.

    Examples
    --------
    >>> tent = np.array([[1.0, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0], [0, 0, 1]])
    >>> z = disk_map(tent, np.array([[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]]), center=4)
    >>> bool(np.allclose(z, [1, 1j, -1, -1j, 0]))
    True
    """
    found = conformal_map(Surface(vertices, faces), center, method)
    if found.laplacian != "cotangent":
        warnings.warn(
            f"the cotangent Laplacian flips triangles of this mesh; the disk map uses the "
            f"{found.laplacian} Laplacian, and its angles are less exact.",
            stacklevel=2,
        )
    return found.z


def _centred(z: Complex, vertex: int, loop: Indices) -> Complex:
    """Put the vertex exactly at 0, the boundary exactly on the circle, its first vertex at 1."""
    z = move_center(z, vertex)
    z[loop] /= np.abs(z[loop])
    return z / z[loop[0]]


# --- Disk map by harmonic measure, with fallbacks for bad meshes and refinement for coarse ones.
# docs/theory/disk-map.md has the derivation, and says what each step can and cannot promise.

#: Triangles with a larger angle error, in degrees, are split before the map is solved again.
COARSE = 5.0

#: Smallest step between neighbours on the circle, as a fraction of the mean step: boundary
#: vertices without an interior neighbour receive no harmonic measure of their own.
SMALLEST_STEP = 1e-6


def harmonic_measure_map(
    surface: Surface, center: int, loop: Indices, sharp: bool = True
) -> tuple[Complex, str]:
    """Disk coordinates and the Laplacian that gave them, the first of these without a flip.

    ``"cotangent"`` (then sharpened where triangles are coarse, if ``sharp``),
    ``"intrinsic-delaunay"``, ``"clamped"``.
    """
    K = cotangent_stiffness(surface.vertices, surface.faces)
    lengths = loop_lengths(surface, loop)
    z = map_by_stiffness(K, center, loop, lengths)
    if not is_flipped(z, surface.faces).any():
        return _sharpened(surface, center, z) if sharp else z, "cotangent"
    robust = intrinsic_delaunay_stiffness(surface.vertices, surface.faces)
    z_robust = map_by_stiffness(robust, center, loop, lengths)
    if not is_flipped(z_robust, surface.faces).any():
        return z_robust, "intrinsic-delaunay"
    return _clamped_map(surface, K, center, loop, z), "clamped"


def map_by_stiffness(K: csr_array, center: int, loop: Indices, lengths: Floats) -> Complex:
    """Disk map from a stiffness matrix: one factorisation, three right-hand sides.

    ``lengths`` are those of the edges of the boundary ``loop``: the measure of a vertex divided by
    half the two edges beside it is a density, and an edge takes the mean density of its ends. (Half
    the measure of either end, without lengths, is the same on even boundaries only.)
    """
    problem = DirichletSolver(K, loop)
    density = problem.harmonic_measure(center) / (lengths + np.roll(lengths, 1))
    steps = lengths * (density + np.roll(density, -1))
    steps = np.maximum(steps, SMALLEST_STEP * steps.mean())
    angles = 2 * np.pi * np.concatenate([[0.0], np.cumsum(steps)[:-1]]) / steps.sum()
    return move_center(problem.extend(np.exp(1j * angles)), center)


def _sharpened(surface: Surface, center: int, z: Complex) -> Complex:
    """Solve again with the triangles of large angle error split, unless that flips a triangle.

    Splitting leaves the polyhedron as it is, so its conformal map too: only the error of
    discretisation goes down, at a fraction of the cost of a mesh refined everywhere.
    """
    coarse = np.abs(angle_errors(surface, z)).max(axis=1) > COARSE
    if not coarse.any():
        return z
    fine = split_triangles(surface, coarse)
    K = cotangent_stiffness(fine.vertices, fine.faces)
    loop = boundary_loops(fine)[0]
    sharp = map_by_stiffness(K, center, loop, loop_lengths(fine, loop))[: len(z)]
    return z if is_flipped(sharp, surface.faces).any() else sharp


def _clamped_map(surface: Surface, K: csr_array, center: int, loop: Indices, z: Complex) -> Complex:
    """Clamp weights around the flipped triangles of ``z``, and further around until none is left.

    With all weights clamped no triangle can flip (Tutte 1963, doi:10.1112/plms/s3-13.1.743); in
    practice two rounds are enough, and the map stays as good as the cotangent map away from the
    trouble.
    """
    near = np.zeros(len(z), dtype=bool)
    while (flipped := is_flipped(z, surface.faces)).any() and not near.all():
        trouble = surface.faces[flipped]
        if near[trouble].all():
            trouble = surface.faces[np.isin(surface.faces, trouble).any(axis=1)]
        if near[trouble].all():
            trouble = surface.faces
        near[trouble] = True
        clamped = clamped_stiffness(K, near)
        z = map_by_stiffness(clamped, center, loop, loop_lengths(surface, loop))
    return z


DISK_MAPS.register("harmonic-measure", harmonic_measure_map)
