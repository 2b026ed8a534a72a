"""Stiffness matrices of a triangulated surface: cotangent, intrinsic Delaunay, clamped.

All three are symmetric and positive semi-definite with zero row sums; ``K[i, j] = -w_ij`` where
``w_ij`` is the weight of edge ``ij``. The cotangent matrix is the energy of piecewise linear
functions; the second is the same on the intrinsic Delaunay triangulation of the same polyhedron,
where no interior weight is negative; the third forces positive weights on chosen edges
(docs/theory/disk-map.md).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from geomdp.surfaces.disk.intrinsic_delaunay import delaunay_flips

#: Smallest weight of an edge in :func:`clamped_stiffness`.
SMALLEST_WEIGHT = 1e-3


def edge_lengths(vertices: NDArray[np.float64], faces: NDArray[np.int64]) -> NDArray[np.float64]:
    """Side lengths of each triangle, ``(f, 3)``; side ``i`` lies opposite corner ``i``.

    Examples
    --------
    >>> edge_lengths(np.array([[0.0, 0, 0], [3, 0, 0], [0, 4, 0]]), np.array([[0, 1, 2]])).tolist()
    [[5.0, 4.0, 3.0]]
    """
    a, b, c = vertices[faces.T]
    return np.stack([np.linalg.norm(side, axis=1) for side in (c - b, a - c, b - a)], axis=1)


def cotangents(lengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cotangent of each angle of triangles given by their side lengths.

    Examples
    --------
    >>> bool(np.allclose(cotangents(np.array([[np.sqrt(2), 1, 1]])), [[0, 1, 1]]))
    True
    """
    c, b, a = np.sort(lengths, axis=1).T
    # Kahan's order of operations: accurate areas for needles too.
    product = (a + (b + c)) * (c - (a - b)) * (c + (a - b)) * (a + (b - c))
    quadruple_area = np.sqrt(np.maximum(product, np.finfo(float).tiny))
    squares = lengths**2
    total = squares.sum(axis=1, keepdims=True)
    result: NDArray[np.float64] = (total - 2 * squares) / quadruple_area[:, None]
    return result


def cotangent_stiffness(vertices: NDArray[np.float64], faces: NDArray[np.int64]) -> csr_array:
    """Stiffness matrix with ``w_ij = (cot alpha_ij + cot beta_ij) / 2``.

    Examples
    --------
    >>> corner = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    >>> cotangent_stiffness(corner, np.array([[0, 1, 2]])).toarray().round(12).tolist()
    [[1.0, -0.5, -0.5], [-0.5, 0.5, 0.0], [-0.5, 0.0, 0.5]]
    """
    return _assemble(faces, edge_lengths(vertices, faces), len(vertices))


def intrinsic_delaunay_stiffness(
    vertices: NDArray[np.float64], faces: NDArray[np.int64]
) -> csr_array:
    """Cotangent matrix of the intrinsic Delaunay triangulation: no negative interior weight.

    Examples
    --------
    >>> kite = np.array([[-1.0, 0, 0], [1, 0, 0], [0, 0.1, 0], [0, -0.1, 0]])
    >>> faces = np.array([[0, 1, 2], [0, 3, 1]])
    >>> round(float(-cotangent_stiffness(kite, faces)[0, 1]), 3)  # the long diagonal
    -4.95
    >>> float(intrinsic_delaunay_stiffness(kite, faces)[0, 1])  # flipped away
    0.0
    """
    flipped, lengths = delaunay_flips(faces, _mollified(edge_lengths(vertices, faces)))
    return _assemble(flipped, lengths, len(vertices))


def clamped_stiffness(K: csr_array, near: NDArray[np.bool_]) -> csr_array:
    """Raise the weights of the edges at the vertices ``near`` to at least ``SMALLEST_WEIGHT``.

    Examples
    --------
    >>> corner = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    >>> K = cotangent_stiffness(corner, np.array([[0, 1, 2]]))
    >>> round(float(-clamped_stiffness(K, np.array([False, True, False]))[1, 2]), 12)
    0.001
    """
    entries = K.tocoo()
    off = entries.row != entries.col
    rows, columns, weights = entries.row[off], entries.col[off], -entries.data[off]
    weights = np.where(near[rows] | near[columns], np.maximum(weights, SMALLEST_WEIGHT), weights)
    return _from_weights(rows, columns, weights, K.shape[0])


def _assemble(faces: NDArray[np.int64], lengths: NDArray[np.float64], size: int) -> csr_array:
    weights = 0.5 * cotangents(lengths).ravel()
    rows, columns = faces[:, [1, 2, 0]].ravel(), faces[:, [2, 0, 1]].ravel()
    return _from_weights(
        np.concatenate([rows, columns]),
        np.concatenate([columns, rows]),
        np.concatenate([weights, weights]),
        size,
    )


def _from_weights(
    rows: NDArray[np.int64], columns: NDArray[np.int64], weights: NDArray[np.float64], size: int
) -> csr_array:
    every = np.arange(size)
    places = np.concatenate([rows, every]), np.concatenate([columns, every])
    entries = np.concatenate([-weights, np.bincount(rows, weights, size)])
    return csr_array((entries, places), shape=(size, size))


def _mollified(lengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Lengthen all edges alike until every triangle inequality holds with room to spare."""
    room = 1e-6 * lengths.mean()
    slack = lengths.sum(axis=1) - 2 * lengths.max(axis=1)
    return lengths + max(0.0, room - float(slack.min()))
