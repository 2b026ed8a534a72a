"""Waves along a closed outline and over a triangle mesh: what smooth changes are made of.

Waves are orthonormal columns over the landmarks, each with a frequency: 0 for what is constant, 1
for the slowest change there is (docs/theory/shaped-balls.md).
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidBallError

#: Frequencies (k,), and waves (k, k) as columns.
Waves: TypeAlias = tuple[NDArray[np.float64], NDArray[Any]]
#: Share of the largest eigenvalue below which one is zero.
ZERO = 1e-9


def outline_waves(count: int) -> Waves:
    """Return the waves of landmarks that run along a closed outline, at equal steps.

    >>> outline_waves(4)[0].tolist()
    [0.0, 1.0, 2.0, 1.0]
    """
    frequencies = np.abs(np.fft.fftfreq(count, 1 / count))
    return frequencies, np.fft.fft(np.eye(count), norm="ortho").conj().T


def mesh_waves(faces: Any, count: int) -> Waves:
    """Return the waves of landmarks that are the vertices of a triangle mesh.

    They are the eigenvectors of the mesh's graph Laplacian; the frequency is the root of the
    eigenvalue, in units of the smallest that is not zero. On a ring of edges these are the waves of
    an outline, and their frequencies where they are low. What the mesh does not connect may move
    apart: frequency 0.

    Examples
    --------
    >>> tetrahedron = [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]
    >>> mesh_waves(tetrahedron, 4)[0].round(6).tolist()
    [0.0, 1.0, 1.0, 1.0]
    """
    values, vectors = np.linalg.eigh(laplacian(faces, count))
    above = values[values > ZERO * values[-1]]
    return np.sqrt(np.maximum(values, 0.0) / above[0]) * (values >= above[0]), vectors


def laplacian(faces: Any, count: int) -> NDArray[np.float64]:
    """Return the graph Laplacian (k, k) of a mesh: degrees on the diagonal, -1 for each edge.

    >>> laplacian([[0, 1, 2]], 3).tolist()
    [[2.0, -1.0, -1.0], [-1.0, 2.0, -1.0], [-1.0, -1.0, 2.0]]
    """
    triangles = _as_faces(faces, count)
    joined = np.zeros((count, count))
    for a, b in ((0, 1), (1, 2), (2, 0)):
        joined[triangles[:, a], triangles[:, b]] = joined[triangles[:, b], triangles[:, a]] = 1.0
    np.fill_diagonal(joined, 0.0)
    if not np.any(joined):
        raise InvalidBallError("The mesh has no edges between different vertices.")
    return np.asarray(np.diag(np.sum(joined, axis=1)) - joined)


def _as_faces(faces: Any, count: int) -> NDArray[np.intp]:
    try:
        found = np.array(faces)
    except ValueError as error:
        raise InvalidBallError("The faces of a mesh are triples of vertices.") from error
    if found.ndim != 2 or found.shape[1] != 3 or found.dtype.kind not in "iu" or not len(found):
        raise InvalidBallError("The faces of a mesh are triples of vertices (m, 3), whole numbers.")
    if not (np.min(found) >= 0 and np.max(found) < count):
        raise InvalidBallError(
            f"The mesh has vertices up to number {np.max(found)}, counted from 0, but a record has "
            f"{count} landmarks: one vertex each, in the same order."
        )
    return found.astype(np.intp)
