"""Intrinsic Delaunay triangulation of a polyhedral surface by edge flips.

A flip replaces an edge by the other diagonal of its two triangles, unfolded into the plane: the
surface does not change, only the way it is cut. Flipping every edge whose opposite angles sum to
more than pi ends after finitely many flips (Bobenko and Springborn 2007).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from geomdp.surfaces.topology import half_edges

#: Edges of weight above this count as Delaunay, so that rounding cannot make flips go in circles.
TOLERANCE = -1e-9


def delaunay_flips(
    faces: NDArray[np.int64], lengths: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Triangles and side lengths of the intrinsic Delaunay triangulation.

    Parameters
    ----------
    faces : array of shape (f, 3)
        Triangles of a manifold mesh, oriented alike.
    lengths : array of shape (f, 3)
        Side lengths, side ``i`` opposite corner ``i``.

    Examples
    --------
    >>> short = math.hypot(1, 0.1)
    >>> faces, lengths = delaunay_flips(np.array([[0, 1, 2], [1, 0, 3]]),
    ...     np.array([[short, short, 2.0], [short, short, 2.0]]))
    >>> sorted(sorted(face) for face in faces.tolist()), round(float(lengths.min()), 12)
    ([[0, 2, 3], [1, 2, 3]], 0.2)
    """
    corners, sides = faces.ravel().tolist(), lengths.ravel().tolist()
    twin = _twins(faces)
    pending = [h for h in range(len(twin)) if twin[h] > h]
    while pending:
        h = pending.pop()
        # Two sides of one triangle glued to each other cannot be flipped.
        if twin[h] < 0 or h // 3 == twin[h] // 3 or not _is_bad(sides, h, twin[h]):
            continue
        pending += _flip(corners, sides, twin, h)
    return np.array(corners).reshape(-1, 3), np.array(sides).reshape(-1, 3)


def _twins(faces: NDArray[np.int64]) -> list[int]:
    """Half-edge on the other side of each half-edge, -1 on the boundary."""
    edges = half_edges(faces)
    order = np.lexsort(np.sort(edges, axis=1).T)
    ordered = np.sort(edges, axis=1)[order]
    first = np.flatnonzero((ordered[1:] == ordered[:-1]).all(axis=1))
    twin = np.full(len(edges), -1)
    twin[order[first]], twin[order[first + 1]] = order[first + 1], order[first]
    result: list[int] = twin.tolist()
    return result


def _around(h: int) -> tuple[int, int]:
    """Next and previous side of the triangle of ``h``."""
    base = h - h % 3
    return base + (h + 1) % 3, base + (h + 2) % 3


def _foot(sides: list[float], h: int) -> tuple[float, float]:
    """Corner opposite side ``h`` in the plane where that side lies on the x axis from 0."""
    following, previous = _around(h)
    base, to_end, to_start = sides[h], sides[following], sides[previous]
    x = 0.5 * (base + (to_start - to_end) * (to_start + to_end) / base)
    return x, math.sqrt(max(to_start**2 - x**2, 1e-300))


def _is_bad(sides: list[float], h: int, t: int) -> bool:
    """Return whether the cotangents opposite the edge add up to less than zero."""
    total = 0.0
    for side in (h, t):
        x, y = _foot(sides, side)
        total += (x * (x - sides[side]) + y * y) / (sides[side] * y)
    return total < TOLERANCE


def _flip(corners: list[int], sides: list[float], twin: list[int], h: int) -> list[int]:
    """Replace edge ``h`` by the other diagonal; return the four outer sides, to be looked at again.

    With ``h`` from p to q below corner k, and its twin from q to p below corner l, triangles
    (k, p, q) and (l, q, p) become (k, p, l) and (l, q, k).
    """
    t = twin[h]
    h_next, h_previous = _around(h)  # sides q-k and k-p
    t_next, t_previous = _around(t)  # sides p-l and l-q
    (x, y), (x_other, y_other) = _foot(sides, h), _foot(sides, t)
    diagonal = math.hypot(x - (sides[h] - x_other), y + y_other)
    k, l_corner = corners[h], corners[t]
    moved = {t_next: h, h_next: t}  # two outer sides change their places
    outer = [(sides[s], moved.get(twin[s], twin[s])) for s in moved]
    # Triangle (k, p, l): side opposite k is p-l, opposite p the diagonal, opposite l k-p.
    corners[h_previous], corners[t_previous] = l_corner, k
    for side, (length, other) in zip((h, t), outer, strict=True):
        sides[side], twin[side] = length, other
        if other >= 0:
            twin[other] = side
    sides[h_next] = sides[t_next] = diagonal
    twin[h_next], twin[t_next] = t_next, h_next
    return [h, t, h_previous, t_previous]
