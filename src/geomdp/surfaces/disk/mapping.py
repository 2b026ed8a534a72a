"""Conformal map of a disk-like surface to the unit disk, with a chosen vertex at the centre.

Why harmonic measure gives the map, and what is exact: docs/theory/disk-map.md.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError
from geomdp.registry import Registry
from geomdp.runtime.threads import on_one_blas_thread
from geomdp.surfaces.disk.automorphism import move_center
from geomdp.surfaces.disk.center import Center, center_vertex
from geomdp.surfaces.disk.distortion import flipped_triangles
from geomdp.surfaces.disk.harmonic_measure import harmonic_measure_map
from geomdp.surfaces.mesh.surface import Surface
from geomdp.surfaces.mesh.topology import require_disk

#: Disk coordinates, and the name of the Laplacian that they needed, for a surface, the vertex to
#: have at the centre, the boundary loop, and whether coarse triangles are split.
Method: TypeAlias = Callable[
    [Surface, int, NDArray[np.int64], bool], tuple[NDArray[np.complex128], str]
]
#: Disk maps by name; the package of the papers brings ``"choi-lui"``.
DISK_MAPS: Registry[Method] = Registry("disk map", error=InvalidRecordError)
DISK_MAPS.register("harmonic-measure", harmonic_measure_map)


@dataclass(frozen=True, eq=False)
class DiskMap:
    """Disk coordinates of the vertices and how they were found.

    Parameters
    ----------
    z : complex array of shape (v,)
        Disk coordinates; the centre vertex at 0, the boundary on the unit circle, its first
        vertex (:func:`~geomdp.surfaces.mesh.topology.boundary_loops`) at 1.
    center : int
        Vertex at the centre.
    method : str
        Its name in :data:`DISK_MAPS`.
    laplacian : str
        ``"cotangent"``, or the fallback that was needed: ``"intrinsic-delaunay"``, ``"clamped"``.
    """

    z: NDArray[np.complex128]
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
    vertices: NDArray[np.float64],
    faces: NDArray[np.int64],
    center: Center = "most-protruding",
    method: str = "harmonic-measure",
) -> NDArray[np.complex128]:
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


def _centred(
    z: NDArray[np.complex128], vertex: int, loop: NDArray[np.int64]
) -> NDArray[np.complex128]:
    """Put the vertex exactly at 0, the boundary exactly on the circle, its first vertex at 1."""
    z = move_center(z, vertex)
    z[loop] /= np.abs(z[loop])
    return z / z[loop[0]]
