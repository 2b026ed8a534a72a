"""Holes of a surface (eyes, mouth) closed by triangulations of least area, and triangles split."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError
from geomdp.surfaces.mesh.surface import Surface, half_edges
from geomdp.surfaces.mesh.topology import FLAT_TRIANGLE, boundary_loops
from geomdp.typing import Floats, Indices

#: Weight of the squared edge lengths beside the area: in a flat hole every triangulation has the
#: same area, and this small term picks the one without needless slivers.
SHORT_EDGES = 1e-3


def fill_holes(surface: Surface) -> Surface:
    """Close every boundary loop but the longest; vertices stay, triangles are added at the end.

    Each loop is closed by the triangulation of least area (dynamic programming, cubic in the
    length of the loop: Barequet and Sharir 1995, doi:10.1016/0167-8396(94)00011-G). For a
    family of meshes with the same triangles do this once and reuse ``faces``.

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


def _triangle_cost(points: Floats, *corners: Indices) -> Floats:
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


# --- Splitting chosen triangles of a mesh without changing the surface.


def split_triangles(surface: Surface, chosen: NDArray[np.bool_]) -> Surface:
    """Split the ``chosen`` triangles in four, and their neighbours as far as needed to fit.

    All edges of the chosen triangles get a midpoint; a triangle is then cut in two, three or four.
    Old vertices keep their indices.
    """
    count = len(surface.vertices)
    ends = np.sort(half_edges(surface.faces), axis=1)
    _, first, edge = np.unique(ends @ [count, 1], return_index=True, return_inverse=True)
    edge = edge.reshape(-1, 3)
    marked = np.zeros(len(first), dtype=bool)
    marked[edge[chosen]] = True
    midpoint = np.full(len(first), -1)
    midpoint[marked] = count + np.arange(marked.sum())
    new = surface.vertices[ends[first[marked]]].mean(axis=1)
    vertices = np.concatenate([surface.vertices, new])
    return Surface(vertices, _cut(vertices, surface.faces, midpoint[edge]), surface.name)


def _cut(vertices: Floats, faces: Indices, middle: Indices) -> Indices:
    """Triangles after the cut; ``middle[t, i]`` is the midpoint opposite corner i, or -1."""
    number = (middle >= 0).sum(axis=1)
    a, b, c, _, _, to_ab = _turned(faces, middle, number == 1, lambda m: m[:, 2] >= 0)
    halves = [(a, to_ab, c), (to_ab, b, c)]
    a, b, c, _, to_ca, to_ab = _turned(faces, middle, number == 2, lambda m: m[:, 0] < 0)
    # The quadrilateral b, c, to_ca, to_ab is cut along its shorter diagonal.
    apart = np.linalg.norm(vertices[b] - vertices[to_ca], axis=1)
    shorter = apart < np.linalg.norm(vertices[c] - vertices[to_ab], axis=1)
    thirds = [
        (a, to_ab, to_ca),
        (to_ab, b, np.where(shorter, to_ca, c)),
        (np.where(shorter, b, to_ab), c, to_ca),
    ]
    a, b, c, to_bc, to_ca, to_ab = _turned(faces, middle, number == 3, lambda m: m[:, 0] >= 0)
    quarters = [(a, to_ab, to_ca), (to_ab, b, to_bc), (to_ca, to_bc, c), (to_bc, to_ca, to_ab)]
    pieces = [np.stack(piece, axis=1) for piece in (*halves, *thirds, *quarters)]
    return np.concatenate([faces[number == 0], *pieces])


def _turned(
    faces: Indices, middle: Indices, which: NDArray[np.bool_], first: Callable[[Indices], NDArray]
) -> Indices:
    """Corners and midpoints (six rows) of some triangles, turned until ``first`` holds."""
    corners, mids = faces[which], middle[which]
    for _ in range(2):
        wrong = ~first(mids)
        corners[wrong], mids[wrong] = np.roll(corners[wrong], 1, 1), np.roll(mids[wrong], 1, 1)
    return np.concatenate([corners, mids], axis=1).T
