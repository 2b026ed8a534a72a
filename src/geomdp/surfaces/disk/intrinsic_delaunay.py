"""Intrinsic Delaunay triangulation of a polyhedral surface by edge flips.

A flip replaces an edge by the other diagonal of its two triangles, unfolded into the plane: the
surface does not change, only the way it is cut. Flipping every edge whose opposite angles sum to
more than pi ends after finitely many flips (Bobenko and Springborn 2007), in whatever order: here
many edges that share no triangle are flipped at once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from geomdp.surfaces.mesh.edges import Indices, half_edges

Floats = NDArray[np.float64]

#: Edges of weight above this count as Delaunay, so that rounding cannot make flips go in circles.
TOLERANCE = -1e-9


def delaunay_flips(faces: Indices, lengths: Floats) -> tuple[Indices, Floats]:
    """Triangles and side lengths of the intrinsic Delaunay triangulation.

    Parameters
    ----------
    faces : array of shape (f, 3)
        Triangles of a manifold mesh, oriented alike.
    lengths : array of shape (f, 3)
        Side lengths, side ``i`` opposite corner ``i``.

    Examples
    --------
    >>> short = float(np.hypot(1, 0.1))
    >>> faces, lengths = delaunay_flips(np.array([[0, 1, 2], [1, 0, 3]]),
    ...     np.array([[short, short, 2.0], [short, short, 2.0]]))
    >>> sorted(sorted(face) for face in faces.tolist()), round(float(lengths.min()), 12)
    ([[0, 2, 3], [1, 2, 3]], 0.2)
    """
    corners, sides, twin = faces.ravel().copy(), lengths.ravel().copy(), _twins(faces)
    pending = np.flatnonzero(twin > np.arange(len(twin)))
    while pending.size:
        # Two sides of one triangle glued to each other cannot be flipped.
        pending = pending[pending // 3 != twin[pending] // 3]
        badness = -_weights(sides, pending, twin[pending])
        bad = badness > -TOLERANCE
        pending, badness = pending[bad], badness[bad]
        chosen = _apart(pending, twin[pending], badness, len(faces))
        touched = _flip(corners, sides, twin, pending[chosen])
        again = np.concatenate([pending[~chosen], touched])
        again = np.minimum(again, twin[again])  # one name an edge; -1 on the boundary
        pending = np.unique(again[again >= 0])
    return corners.reshape(-1, 3), sides.reshape(-1, 3)


def _twins(faces: Indices) -> Indices:
    """Half-edge on the other side of each half-edge, -1 on the boundary."""
    edges = half_edges(faces)
    order = np.lexsort(np.sort(edges, axis=1).T)
    ordered = np.sort(edges, axis=1)[order]
    first = np.flatnonzero((ordered[1:] == ordered[:-1]).all(axis=1))
    twin = np.full(len(edges), -1)
    twin[order[first]], twin[order[first + 1]] = order[first + 1], order[first]
    return twin


def _around(h: Indices) -> tuple[Indices, Indices]:
    """Next and previous side of the triangle of ``h``."""
    base = h - h % 3
    return base + (h + 1) % 3, base + (h + 2) % 3


def _feet(sides: Floats, h: Indices) -> tuple[Floats, Floats]:
    """Corner opposite side ``h`` in the plane where that side lies on the x axis from 0."""
    following, previous = _around(h)
    base, to_end, to_start = sides[h], sides[following], sides[previous]
    x = 0.5 * (base + (to_start - to_end) * (to_start + to_end) / base)
    return x, np.sqrt(np.maximum(to_start**2 - x**2, 1e-300))


def _weights(sides: Floats, h: Indices, t: Indices) -> Floats:
    """Sum of the two cotangents opposite an edge; negative where it is not Delaunay."""
    total = np.zeros(len(h))
    for side in (h, t):
        x, y = _feet(sides, side)
        total += (x * (x - sides[side]) + y * y) / (sides[side] * y)
    return total


def _apart(h: Indices, t: Indices, badness: Floats, triangles: int) -> NDArray[np.bool_]:
    """Choose edges that share no triangle, the worst edge of a triangle first."""
    rank = np.empty(len(h), dtype=np.int64)
    rank[np.argsort(-badness, kind="stable")] = np.arange(len(h))
    first = np.full(triangles, len(h))
    np.minimum.at(first, h // 3, rank)
    np.minimum.at(first, t // 3, rank)
    chosen: NDArray[np.bool_] = (first[h // 3] == rank) & (first[t // 3] == rank)
    return chosen


def _flip(corners: Indices, sides: Floats, twin: Indices, h: Indices) -> Indices:
    """Replace edges ``h`` by the other diagonals; return the outer sides, to be looked at again.

    With ``h`` from p to q below corner k, and its twin from q to p below corner l, triangles
    (k, p, q) and (l, q, p) become (k, p, l) and (l, q, k). No two of the edges share a triangle.
    """
    t = twin[h]
    h_next, h_previous = _around(h)  # sides q-k and k-p
    t_next, t_previous = _around(t)  # sides p-l and l-q
    (x, y), (x_other, y_other) = _feet(sides, h), _feet(sides, t)
    diagonal = np.hypot(x - (sides[h] - x_other), y + y_other)
    corners[h_previous], corners[t_previous] = corners[t], corners[h]
    # Side p-l moves to the place of h, q-k to that of its twin, and the diagonal to theirs.
    place = np.arange(len(twin))
    place[t_next], place[h_next], place[h], place[t] = h, t, h_next, t_next
    moved = np.concatenate([h, t, h_next, t_next])
    sides[place[moved]] = sides[moved]
    sides[h_next] = sides[t_next] = diagonal
    others = twin[moved]
    others = np.where(others >= 0, place[others], -1)
    twin[place[moved]] = others
    inner = others >= 0
    twin[others[inner]] = place[moved][inner]
    return np.concatenate([h, t, h_previous, t_previous])
