"""Closing the holes of a surface (eyes, mouth) by triangulations of least area."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError
from geomdp.surfaces.mesh.edges import Indices, half_edges
from geomdp.surfaces.mesh.surface import Surface
from geomdp.surfaces.mesh.topology import FLAT_TRIANGLE, boundary_loops

#: Weight of the squared edge lengths beside the area: in a flat hole every triangulation has the
#: same area, and this small term picks the one without needless slivers.
SHORT_EDGES = 1e-3


def fill_holes(surface: Surface) -> Surface:
    """Close every boundary loop but the longest; vertices stay, triangles are added at the end.

    Each loop is closed by the triangulation of least area (dynamic programming, cubic in the
    length of the loop). For a family of meshes with the same triangles do this once and reuse
    ``faces``.

    Examples
    --------
    >>> square = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]])
    >>> sides = [[[i, (i + 1) % 4, 4 + (i + 1) % 4], [i, 4 + (i + 1) % 4, 4 + i]] for i in range(4)]
    >>> frame = Surface(np.concatenate([3 * square, square]), np.concatenate(sides))
    >>> frame.area, fill_holes(frame).area
    (32.0, 36.0)
    """
    patches = [_least_area_patch(surface, loop) for loop in boundary_loops(surface)[1:]]
    return Surface(surface.vertices, np.concatenate([surface.faces, *patches]), surface.name)


def _least_area_patch(surface: Surface, loop: Indices) -> Indices:
    """Triangles that close ``loop``: ``cost[i, j]`` is the least for the chain from i to j."""
    size = len(loop)
    points = surface.vertices[loop]
    blocked = _existing_chords(surface, loop)
    cost = np.where(np.eye(size, k=1, dtype=bool), 0.0, np.inf)
    apex = np.zeros((size, size), dtype=np.int64)
    for span in range(2, size):
        i = np.arange(size - span)[:, None]
        k = i + np.arange(1, span)
        total = cost[i, k] + cost[k, i + span] + _triangle_cost(points, i, k, i + span)
        total[blocked[i[:, 0], i[:, 0] + span]] = np.inf
        best = total.argmin(axis=1)
        rows = i[:, 0]
        apex[rows, rows + span] = rows + 1 + best
        cost[rows, rows + span] = total[rows, best]
    if not np.isfinite(cost[0, -1]):
        raise InvalidRecordError(
            f"{surface.label} has a hole of {size} edges (at vertex {loop[0]}) that cannot be "
            "closed without new vertices; close it in a mesh editor."
        )
    return loop[_triangles(apex)]


def _existing_chords(surface: Surface, loop: Indices) -> NDArray[np.bool_]:
    """Pairs of the loop already joined by an edge: using them again would not be manifold."""
    position = np.full(len(surface.vertices), -1)
    position[loop] = np.arange(len(loop))
    pairs = position[half_edges(surface.faces)]
    pairs = pairs[(pairs >= 0).all(axis=1)]
    blocked = np.zeros((len(loop), len(loop)), dtype=bool)
    blocked[pairs[:, 0], pairs[:, 1]] = blocked[pairs[:, 1], pairs[:, 0]] = True
    blocked[0, -1] = False  # the last edge of the loop itself
    return blocked


def _triangle_cost(points: NDArray[np.float64], *corners: Indices) -> NDArray[np.float64]:
    a, b, c = (points[index] for index in np.broadcast_arrays(*corners))
    double_area = np.linalg.norm(np.cross(b - a, c - a), axis=-1)
    squares = np.stack([((p - q) ** 2).sum(axis=-1) for p, q in ((a, b), (b, c), (c, a))])
    cost = double_area / 2 + SHORT_EDGES * squares.sum(axis=0)
    usable: NDArray[np.bool_] = double_area > FLAT_TRIANGLE * squares.max(axis=0)
    return np.where(usable, cost, np.inf)


def _triangles(apex: Indices) -> Indices:
    """Read the triangulation back; corners run against the loop, so that orientations agree."""
    chains, triangles = [(0, len(apex) - 1)], []
    while chains:
        i, j = chains.pop()
        if j - i > 1:
            k = int(apex[i, j])
            triangles.append((j, k, i))
            chains += [(i, k), (k, j)]
    return np.array(triangles)
