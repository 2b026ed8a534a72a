"""The rim of a surface: smoothed, since a scan ends where it happens to, and what lies over it."""

from __future__ import annotations

import numpy as np

from geomdp.surfaces.mesh.surface import Surface
from geomdp.surfaces.mesh.topology import boundary_loops, loop_middle

#: Rounds of smoothing. Ragged rims lock on each other in registration; ten rounds, a bell of some
#: two edges either way, took true correspondence from 1.1 to 0.7 mm.
ROUNDS = 10


def smooth_rim(surface: Surface, rounds: int = ROUNDS) -> Surface:
    """Average the vertices of the longest boundary loop with their neighbours along the loop.

    Each round replaces a vertex by a quarter of either neighbour and half of itself. Vertices
    inside stay, and so do the triangles.

    Examples
    --------
    >>> from geomdp.surfaces.mesh.procedural import template_face
    >>> face = template_face()
    >>> moved = (smooth_rim(face).vertices != face.vertices).any(axis=1)
    >>> int(moved.sum()) == len(boundary_loops(face)[0])
    True
    """
    loops = boundary_loops(surface)
    if not rounds or not loops:
        return surface
    rim = surface.vertices[loops[0]]
    for _ in range(rounds):
        rim = (np.roll(rim, 1, axis=0) + 2 * rim + np.roll(rim, -1, axis=0)) / 4
    vertices = surface.vertices.copy()
    vertices[loops[0]] = rim
    return surface.with_vertices(vertices)


def bulge(surface: Surface) -> float:
    """Volume between a surface and the cone over its rim, positive where normals point outwards.

    In units of area to the power 3/2; the tip of the cone is the middle of the rim.

    Examples
    --------
    >>> tent = Surface([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0], [0, 0, 1]],
    ...     [[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]])
    >>> round(bulge(tent) * tent.area**1.5, 9)
    1.333333333
    """
    loops = boundary_loops(surface)
    middle = loop_middle(surface, loops[0]) if loops else surface.vertices.mean(axis=0)
    normals = surface.face_normals
    apart = surface.vertices[surface.faces[:, 0]] - middle
    area = float(np.linalg.norm(normals, axis=1).sum())
    return float(np.sum(apart * normals) / 3 / area**1.5)
