"""Public forms that shape a ball: wide where records vary much, narrow where they vary little.

Clipping and noise then follow the form (docs/theory/shaped-balls.md).
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from geomdp.errors import InvalidBallError
from geomdp.typing import Array

if TYPE_CHECKING:
    from geomdp.spaces.base import Space
from typing import TypeAlias

from numpy.typing import NDArray

#: Smallest eigenvalue of a form, in units of the largest: beyond, floats would not whiten.
SMALLEST = 1e-8


def form_from(covariance: Any, power: float = 0.5) -> Array:
    """Return the form that suits records of a PUBLISHED covariance: its square root, to scale.

    The mean of the form's eigenvalues is 1, so that the radius keeps its meaning. A covariance of
    the same records is public only if it was released.

    Parameters
    ----------
    covariance
        (d, d), in the orthonormal frame at the centre: from an atlas, another cohort or an earlier
        release.
    power
        1/2 is best for radii at the root mean square.

    Examples
    --------
    >>> form_from(np.diag([9.0, 1.0])).tolist()
    [[1.5, 0.0], [0.0, 0.5]]
    """
    values, vectors = np.linalg.eigh(np.asarray(covariance, dtype=float))
    if not (np.all(np.isfinite(values)) and values[-1] > 0):
        raise InvalidBallError("A covariance has finite entries and some variance.")
    shares = np.maximum(values / values[-1], SMALLEST) ** power
    return np.asarray((vectors * (shares / np.mean(shares))) @ vectors.T)


def form_at(space: "Space", center: Any, covariance: Any, power: float = 0.5) -> Array:
    """Return the form of a published covariance, in the frame at a centre or in plain entries.

    Parameters
    ----------
    space, center
        Where the ball lies.
    covariance
        (d, d) in the orthonormal frame at the centre; or (D, D) of the D real entries of points
        near it, such as x1, y1, x2, y2, ... of aligned landmarks, on spaces whose metric is that
        of the entries: planar shapes, spheres, Euclidean spaces.
    power
        As in :func:`form_from`.

    Examples
    --------
    >>> import geomdp as dp
    >>> form_at(dp.Sphere(2), np.array([0.0, 0.0, 1.0]), np.diag([9.0, 1.0, 5.0])).round(6).tolist()
    [[1.5, 0.0], [0.0, 0.5]]
    """
    matrix = np.asarray(covariance, dtype=float)
    if matrix.shape == (space.dim, space.dim):
        return form_from(matrix, power)
    basis = tangent_basis(space, center)
    if matrix.shape != (basis.shape[1], basis.shape[1]):
        raise InvalidBallError(
            f"A covariance on {space.spec} has {space.dim} rows and columns (the frame at the "
            f"centre) or {basis.shape[1]} (the entries of a point), not {matrix.shape}."
        )
    return form_from(basis @ matrix @ basis.T, power)


def smooth_form(
    space: "Space", center: Any, power: float = 1.0, faces: Array | None = None
) -> Array:
    """Return a form that trusts smooth changes: those of frequency f weigh ``f^-power``.

    Nothing is learned: neighbours along a closed outline, or on a mesh, move together. Powers above
    2 lose what they gain (docs/theory/shaped-balls.md).

    Parameters
    ----------
    space, center
        Planar shapes, shapes or sizes-and-shapes; with ``faces`` also Euclidean spaces, whose
        records are one, two or three numbers a vertex: thickness, or displacements x1, y1, z1, ...
    power
        Above 0 and at most 2.
    faces
        Triangles (m, 3) of the public mesh whose vertices the landmarks are; without them,
        landmarks are taken in order along a closed outline.

    Examples
    --------
    >>> import geomdp as dp
    >>> square = np.array([1, 1j, -1, -1j]) / 2
    >>> smooth_form(dp.PlanarShapes(4), square).shape
    (4, 4)
    >>> faces = np.array([[0, 1, 2], [1, 2, 3]])
    >>> smooth_form(dp.Euclidean(4), np.zeros(4), faces=faces).shape
    (4, 4)
    """
    count, each = _landmarks(space, faces)
    if not 0 < power <= 2:
        raise InvalidBallError(f"The power of a smooth form lies between 0 and 2, not {power}.")
    frequencies, waves = outline_waves(count) if faces is None else mesh_waves(faces, count)
    # Constants have frequency 0: they weigh as much as the slowest change.
    smooth = (waves * np.maximum(frequencies, 1.0) ** -power) @ waves.conj().T
    # The same weights for every coordinate of a landmark; for an outline they are real too.
    entries = np.kron(smooth.real, np.eye(each))
    basis = tangent_basis(space, center)
    values, vectors = np.linalg.eigh(basis @ entries @ basis.T)
    return np.asarray((vectors * (values / np.mean(values))) @ vectors.T)


def _landmarks(space: "Space", faces: Array | None) -> tuple[int, int]:
    """Return how many landmarks a point has, and how many numbers each, or refuse."""
    from geomdp.spaces.euclidean import Euclidean

    shape = space.record_shape
    # Landmarks in space have an order, but no outline that it runs along.
    if shape.landmarks and (faces is not None or shape.shape[1] == 2):
        return shape.shape[0], shape.shape[1]
    if isinstance(space, Euclidean) and faces is not None and np.size(faces):
        count = int(np.max(faces)) + 1
        if space.dim in (count, 2 * count, 3 * count):
            return count, space.dim // count
        raise InvalidBallError(
            f"The mesh has {count} vertices, so that records have {count}, {2 * count} or "
            f"{3 * count} numbers, not {space.dim}."
        )
    raise InvalidBallError(
        f"Smoothness is known along outlines in the plane and over meshes, not on {space.spec} "
        "alone; give a mesh of the landmarks, or a published covariance."
    )


def tangent_basis(space: "Space", center: Any) -> Array:
    """Return the frame at a centre as rows (d, D) of a point's real entries."""
    step = 1e-6
    here = np.asarray(space.require(center, what="centre"))
    ends = [np.asarray(space.frame_exp(here, t * np.eye(space.dim))) for t in (step, -step)]
    rows = ((ends[0] - ends[1]) / (2 * step)).reshape(space.dim, -1)
    if np.iscomplexobj(rows):
        rows = np.stack([rows.real, rows.imag], axis=-1).reshape(space.dim, -1)
    return np.asarray(rows)


def saving(form: Array) -> float:
    """How many times larger the error of a round ball would be that holds as many records.

    If records vary as the form says, with a covariance proportional to its square (the best form
    for them is then this one) and normal, and the ball holds 99 of 100: a fixed simulation of
    public things.
    """
    values = np.linalg.eigvalsh(form)
    normal = np.random.default_rng(0).standard_normal((4000, values.size))
    squares = normal**2 * values**2
    wide = np.quantile(np.sum(squares, axis=1), 0.99)
    narrow = np.quantile(np.sum(squares / values, axis=1), 0.99)
    return float(np.sqrt(wide / narrow * values.size / np.sum(values)))


def as_form(form: Any, dim: int) -> Array:
    """Return a form that is a symmetric positive matrix that floats can invert, or say why not."""
    try:
        matrix = np.array(form, dtype=float)
    except (TypeError, ValueError) as error:
        raise InvalidBallError("A form is a matrix of numbers.") from error
    if matrix.shape != (dim, dim) or not np.all(np.isfinite(matrix)):
        raise InvalidBallError(f"A form has shape {(dim, dim)} and finite entries.")
    values = np.linalg.eigvalsh(matrix)
    symmetric = np.allclose(matrix, matrix.T, rtol=0, atol=1e-12 * np.max(np.abs(matrix)))
    if not symmetric or not values[0] > SMALLEST / 10 * values[-1]:
        raise InvalidBallError("A form is symmetric and positive, and not nearly singular.")
    matrix.flags.writeable = False
    return matrix


def roots_of(form: Array) -> tuple[Array, Array]:
    """Return the symmetric root of a form and its inverse."""
    values, vectors = np.linalg.eigh(form)
    roots = np.sqrt(values)
    return (vectors * roots) @ vectors.T, (vectors / roots) @ vectors.T


#: Frequencies (k,), 0 for what is constant and 1 for the slowest change there is, and waves (k, k)
#: as orthonormal columns over the landmarks.
Waves: TypeAlias = tuple[NDArray[np.float64], NDArray[Any]]
#: Share of the largest eigenvalue below which one is zero.
ZERO = 1e-9


def outline_waves(count: int) -> Waves:
    """Return the waves of landmarks that run along a closed outline, at equal steps."""
    frequencies = np.abs(np.fft.fftfreq(count, 1 / count))
    return frequencies, np.fft.fft(np.eye(count), norm="ortho").conj().T


def mesh_waves(faces: Any, count: int) -> Waves:
    """Return the waves of landmarks that are the vertices of a triangle mesh.

    They are the eigenvectors of the mesh's graph Laplacian; the frequency is the root of the
    eigenvalue, in units of the smallest that is not zero. On a ring of edges these are the waves of
    an outline, and their frequencies where they are low. What the mesh does not connect may move
    apart: frequency 0.
    """
    values, vectors = np.linalg.eigh(laplacian(faces, count))
    above = values[values > ZERO * values[-1]]
    return np.sqrt(np.maximum(values, 0.0) / above[0]) * (values >= above[0]), vectors


def laplacian(faces: Any, count: int) -> NDArray[np.float64]:
    """Return the graph Laplacian (k, k) of a mesh: degrees on the diagonal, -1 for each edge."""
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
