"""Stiffness matrices of a surface (cotangent, intrinsic Delaunay, clamped), and what they solve.

All three are symmetric and positive semi-definite with zero row sums; ``K[i, j] = -w_ij`` where
``w_ij`` is the weight of edge ``ij``. The cotangent matrix is the energy of piecewise linear
functions; the second is the same on the intrinsic Delaunay triangulation of the same polyhedron,
where no interior weight is negative; the third forces positive weights on chosen edges
(docs/theory/disk-map.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from geomdp.surfaces.mesh.surface import half_edges
from geomdp.typing import Complex, Floats, Indices

if TYPE_CHECKING:
    from scipy.sparse import csr_array

#: Smallest weight of an edge in :func:`clamped_stiffness`.
SMALLEST_WEIGHT = 1e-3


def edge_lengths(vertices: Floats, faces: Indices) -> Floats:
    """Side lengths of each triangle, ``(f, 3)``; side ``i`` lies opposite corner ``i``."""
    a, b, c = vertices[faces.T]
    return np.stack([np.linalg.norm(side, axis=1) for side in (c - b, a - c, b - a)], axis=1)


def cotangents(lengths: Floats) -> Floats:
    """Cotangent of each angle of triangles given by their side lengths."""
    c, b, a = np.sort(lengths, axis=1).T
    # Kahan's order of operations: accurate areas for needles too.
    product = (a + (b + c)) * (c - (a - b)) * (c + (a - b)) * (a + (b - c))
    quadruple_area = np.sqrt(np.maximum(product, np.finfo(float).tiny))
    squares = lengths**2
    total = squares.sum(axis=1, keepdims=True)
    result: Floats = (total - 2 * squares) / quadruple_area[:, None]
    return result


def cotangent_stiffness(vertices: Floats, faces: Indices) -> csr_array:
    """Stiffness matrix with ``w_ij = (cot alpha_ij + cot beta_ij) / 2``.

    Pinkall and Polthier 1993, doi:10.1080/10586458.1993.10504266.
    """
    return _assemble(faces, edge_lengths(vertices, faces), len(vertices))


def intrinsic_delaunay_stiffness(vertices: Floats, faces: Indices) -> csr_array:
    """Cotangent matrix of the intrinsic Delaunay triangulation: no negative interior weight."""
    flipped, lengths = delaunay_flips(faces, _mollified(edge_lengths(vertices, faces)))
    return _assemble(flipped, lengths, len(vertices))


def clamped_stiffness(K: csr_array, near: NDArray[np.bool_]) -> csr_array:
    """Raise the weights of the edges at the vertices ``near`` to at least ``SMALLEST_WEIGHT``."""
    entries = K.tocoo()
    off = entries.row != entries.col
    rows, columns, weights = entries.row[off], entries.col[off], -entries.data[off]
    weights = np.where(near[rows] | near[columns], np.maximum(weights, SMALLEST_WEIGHT), weights)
    return _from_weights(rows, columns, weights, K.shape[0])


def _assemble(faces: Indices, lengths: Floats, size: int) -> csr_array:
    weights = 0.5 * cotangents(lengths).ravel()
    rows, columns = faces[:, [1, 2, 0]].ravel(), faces[:, [2, 0, 1]].ravel()
    return _from_weights(
        np.concatenate([rows, columns]),
        np.concatenate([columns, rows]),
        np.concatenate([weights, weights]),
        size,
    )


def _from_weights(rows: Indices, columns: Indices, weights: Floats, size: int) -> csr_array:
    from scipy.sparse import csr_array

    every = np.arange(size)
    places = np.concatenate([rows, every]), np.concatenate([columns, every])
    entries = np.concatenate([-weights, np.bincount(rows, weights, size)])
    return csr_array((entries, places), shape=(size, size))


def _mollified(lengths: Floats) -> Floats:
    """Lengthen all edges alike until every triangle inequality holds with room to spare.

    Sharp and Crane 2020, doi:10.1111/cgf.14069.
    """
    room = 1e-6 * lengths.mean()
    slack = lengths.sum(axis=1) - 2 * lengths.max(axis=1)
    return lengths + max(0.0, room - float(slack.min()))


# --- Intrinsic Delaunay triangulation of a polyhedral surface by edge flips.
# A flip replaces an edge by the other diagonal of its two triangles, unfolded into the plane: the
# surface does not change, only the way it is cut. Flipping every edge whose opposite angles sum
# to more than pi ends after finitely many flips (Bobenko and Springborn 2007,
# doi:10.1007/s00454-007-9006-1), in whatever order: here many edges that share no triangle are
# flipped at once.

#: Edges of weight above this count as Delaunay, so that rounding cannot make flips go in circles.
TOLERANCE = -1e-9


def delaunay_flips(faces: Indices, lengths: Floats) -> tuple[Indices, Floats]:
    """Triangles and side lengths of the intrinsic Delaunay triangulation.

    Of a manifold mesh whose triangles are oriented alike; side ``i`` lies opposite corner
    ``i``.
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


# --- Harmonic functions on a mesh with given values on some vertices.

#: From so many unknowns on SuperLU takes longer to find its minimum-degree order than to factorise
#: in a worse one: 24 s against 1.4 s at 113,000.
MANY = 50_000


class DirichletSolver:
    """Solves ``K u = 0`` off the ``fixed`` vertices, factorising the matrix once.

    K is symmetric and positive semi-definite.
    """

    def __init__(self, K: csr_array, fixed: Indices) -> None:
        from scipy.sparse import csc_array, csr_array
        from scipy.sparse.linalg import splu

        self._fixed = fixed
        self._free = np.flatnonzero(np.bincount(fixed, minlength=K.shape[0]) == 0)
        rows = csr_array(K)[self._free]
        self._coupling = rows[:, fixed]
        # Symmetric ordering without pivoting: a third of the time of the default.
        self._factor = splu(
            csc_array(rows[:, self._free]),
            permc_spec="MMD_AT_PLUS_A" if len(self._free) < MANY else "COLAMD",
            diag_pivot_thresh=0.0,
            panel_size=1,  # such sparse columns gain nothing from panels
            options={"SymmetricMode": True},
        )

    def harmonic_measure(self, vertex: int) -> Floats:
        """Measure of each fixed vertex seen from a free ``vertex``; sums to one."""
        green = self._factor.solve((self._free == vertex).astype(np.float64))
        measure: Floats = -(self._coupling.T @ green)
        return measure

    def respond(self, load: Complex) -> Complex:
        """Solution of ``K u = load`` off the fixed vertices, where it is zero."""
        return self._solution(load[self._free], np.zeros(len(self._fixed), dtype=np.complex128))

    def extend(self, values: Complex) -> Complex:
        """Harmonic extension of complex ``values`` at the fixed vertices to all vertices."""
        return self._solution(-(self._coupling @ values), values)

    def _solution(self, right: Complex, values: Complex) -> Complex:
        real, imaginary = self._factor.solve(np.stack([right.real, right.imag], axis=1)).T
        solution = np.empty(len(self._free) + len(self._fixed), dtype=np.complex128)
        solution[self._free] = real + 1j * imaginary
        solution[self._fixed] = values
        return solution
