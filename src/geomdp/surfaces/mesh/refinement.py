"""Splitting chosen triangles of a mesh without changing the surface."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from geomdp.surfaces.mesh.edges import Indices, half_edges
from geomdp.surfaces.mesh.surface import Surface


def split_triangles(surface: Surface, chosen: NDArray[np.bool_]) -> Surface:
    """Split the ``chosen`` triangles in four, and their neighbours as far as needed to fit.

    All edges of the chosen triangles get a midpoint; a triangle is then cut in two, three or four.
    Old vertices keep their indices.

    Examples
    --------
    >>> square = Surface([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]])
    >>> fine = split_triangles(square, np.array([True, False]))
    >>> len(fine.vertices), len(fine.faces), fine.area
    (7, 6, 1.0)
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


def _cut(vertices: NDArray[np.float64], faces: Indices, middle: Indices) -> Indices:
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
