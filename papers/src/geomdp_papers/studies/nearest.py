"""How far points lie from a face: from its nearest vertex, and from its surface itself."""

import numpy as np
from scipy.spatial import cKDTree

from geomdp.typing import Array, Indices

#: Vertices about a point whose triangles are looked at.
NEAR = 6


def nearest_and_surface(points: Array, vertices: Array, faces: Indices) -> tuple[float, float]:
    """Mean squared distance of points, scaled to fit best, to the nearest vertex and the surface.

    The scale is the one that paper 4 aligns its curves with: the best for the nearest vertices. The
    surface is the triangles', among those at the nearest vertices.

    Examples
    --------
    >>> square = np.array([[0.0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]])
    >>> triangles = np.array([[0, 1, 2], [0, 2, 3]])
    >>> near, on = nearest_and_surface(square[[0, 2]], square, triangles)
    >>> round(near, 9), round(on, 9)
    (0.0, 0.0)
    """
    tree, scale = cKDTree(vertices), 1.0
    for _ in range(3):  # the best scale for the present neighbours, then neighbours again
        near = vertices[tree.query(scale * points)[1]]
        scale = float(np.sum(near * points) / np.sum(points**2))
    count = min(NEAR, len(vertices))
    distances, found = tree.query(scale * points, count)
    triangles = _triangles_at(faces, len(vertices))[found].reshape(len(points), -1)
    corners = vertices[faces[triangles]]
    on = _to_triangles(scale * points, corners)
    on[triangles < 0] = np.inf
    return float(np.mean(distances[:, 0] ** 2)), float(np.mean(on.min(axis=1)))


def _triangles_at(faces: Indices, count: int) -> Indices:
    """Triangles at every vertex, filled up with -1."""
    vertex = faces.ravel()
    order = np.argsort(vertex, kind="stable")
    valence = np.bincount(vertex, minlength=count)
    place = np.arange(len(vertex)) - np.repeat(np.cumsum(valence) - valence, valence)
    table = np.full((count, valence.max()), -1)
    table[vertex[order], place] = order // 3
    return table


def _to_triangles(points: Array, corners: Array) -> Array:
    """Squared distances from each point to each of its triangles (points, triangles, 3, 3).

    >>> flat = np.array([[[[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]]])
    >>> [float(_to_triangles(np.array([p]), flat)[0, 0]) for p in ((0.2, 0.2, 3.0), (-2.0, 0, 0))]
    [9.0, 4.0]
    """
    a, b, c = np.moveaxis(corners, 2, 0)
    p = points[:, None]
    normal = np.cross(b - a, c - a)
    area = np.maximum(np.sum(normal**2, axis=-1), 1e-300)
    inside = np.ones(area.shape, dtype=bool)
    edges = []
    for start, end in ((a, b), (b, c), (c, a)):
        inside &= np.sum(np.cross(end - start, p - start) * normal, axis=-1) >= 0
        along = end - start
        length = np.maximum(np.sum(along**2, axis=-1), 1e-300)
        share = np.clip(np.sum((p - start) * along, axis=-1) / length, 0, 1)
        edges.append(np.sum((p - start - share[..., None] * along) ** 2, axis=-1))
    plane = np.sum((p - a) * normal, axis=-1) ** 2 / area
    return np.asarray(np.where(inside, plane, np.min(edges, axis=0)))
