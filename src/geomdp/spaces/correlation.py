"""Correlation matrices, flat through the entries of their logarithm off the diagonal."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.spaces import symmetric
from geomdp.spaces.flat import FlatSpace
from geomdp.spaces.numerics import linalg, matrix_functions
from geomdp.spaces.off_log import from_off_log, hollowed, with_unit_diagonal
from geomdp.spaces.record_shape import RecordShape, Triangle
from geomdp.spaces.specs import SPACES
from geomdp.typing import Array

#: How far the diagonal of a record may be from 1: digits lost in text files.
DIAGONAL_TOLERANCE = 1e-6
#: Public draws that tell whether noise of a length leads to matrices that floats resolve.
TRIED = 6


@dataclass(frozen=True)
class CorrelationShape(RecordShape):
    """A correlation matrix in a file: all of it, a triangle, or a triangle without its diagonal.

    >>> shape = CorrelationShape((2, 2), symmetric=True)
    >>> shape.unpack(np.array([[0.5]]), "lower")[0].tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    >>> shape.pack(np.array([[1.0, 0.5], [0.5, 1.0]]), 1, "lower").tolist()
    [0.5]
    """

    @property
    def strict_size(self) -> int:
        """Numbers in a triangle without its diagonal."""
        return self.triangle_size - self.shape[-1]

    @property
    def flat_sizes(self) -> tuple[int, ...]:  # noqa: D102
        return (self.strict_size, *super().flat_sizes)

    def accepts(self, shape: tuple[int, ...], is_complex: bool) -> bool:  # noqa: D102
        strict = not is_complex and shape == (self.strict_size,)
        return strict or super().accepts(shape, is_complex)

    def unpack(self, numbers: Array, triangle: Triangle) -> Array:  # noqa: D102
        if numbers.shape[1] != self.strict_size:
            return super().unpack(numbers, triangle)
        rows, columns = self._strict(triangle)
        records = np.tile(np.eye(self.shape[-1]), (len(numbers), 1, 1))
        records[:, rows, columns] = numbers
        records[:, columns, rows] = numbers
        return records

    def pack(self, value: Array, size: int, triangle: Triangle) -> Array:  # noqa: D102
        if size != self.strict_size:
            return super().pack(value, size, triangle)
        return self.as_real(value)[self._strict(triangle)]

    def _strict(self, triangle: Triangle) -> tuple[Array, Array]:
        k = self.shape[-1]
        return np.tril_indices(k, -1) if triangle == "lower" else np.triu_indices(k, 1)


@dataclass(frozen=True)
class Correlation(FlatSpace):
    """k x k correlation matrices of full rank, by Archakov and Hansen's coordinates.

    The entries of the matrix logarithm off the diagonal are free: every symmetric matrix without a
    diagonal belongs to exactly one correlation matrix. Distances are the Frobenius norm of their
    difference, so that the space is flat and the order of the variables does not matter; the
    Fréchet mean has the mean entries. A tangent vector is such a difference
    (docs/theory/correlation.md).

    Parameters
    ----------
    k
        Number of variables, at least 2.

    Examples
    --------
    >>> space = Correlation(2)
    >>> x = np.array([[1.0, 0.6], [0.6, 1.0]])
    >>> round(float(space.dist(np.eye(2), x)), 4), round(float(np.sqrt(2) * np.arctanh(0.6)), 4)
    (0.9803, 0.9803)
    """

    k: int

    def __post_init__(self) -> None:
        if self.k < 2:
            raise GeomdpError(f"Correlation needs k of at least 2, not {self.k}.")

    @property
    def dim(self) -> int:  # type: ignore[override]  # noqa: D102
        return self.k * (self.k - 1) // 2

    @property
    def spec(self) -> str:  # noqa: D102
        return f"correlation:{self.k}"

    @property
    def title(self) -> str:  # noqa: D102
        return f"{self.k} x {self.k} correlation matrices"

    def distance_words(self, distance: float) -> str:  # noqa: D102
        return " (distance of matrix logarithms off the diagonal)"

    @property
    def point_shape(self) -> tuple[int, ...]:  # noqa: D102
        return (self.k, self.k)

    @property
    def record_shape(self) -> RecordShape:
        """A matrix, of which a triangle says it all."""
        return CorrelationShape(self.point_shape, symmetric=True)

    # --- points -------------------------------------------------------------------------------

    def violations(self, x: Array) -> Iterator[tuple[Array, str]]:  # noqa: D102
        xp = linalg.namespace(x)
        diagonal = xp.stack([x[..., i, i] for i in range(self.k)], axis=-1)
        yield (
            ~(xp.max(xp.abs(diagonal - 1), axis=-1) <= DIAGONAL_TOLERANCE),
            "its diagonal is not 1; a covariance becomes a correlation if rows and columns are "
            "divided by the standard deviations",
        )
        yield from symmetric.spd_violations(x)

    def canonical(self, x: Array) -> Array:  # noqa: D102
        return with_unit_diagonal(x)

    def resolves(self, center: Array, reach: float, length: float) -> bool:
        """Try public draws of this length, from the centre and from a point on the boundary."""
        noise = np.random.default_rng(0).standard_normal((TRIED, self.dim))
        noise *= length / np.linalg.norm(noise, axis=-1, keepdims=True)
        edge = np.full(self.dim, reach / np.sqrt(self.dim))
        noise[::2] += edge
        return all(bool(self.contains(point)) for point in self.frame_exp(center, noise))

    # --- geometry -----------------------------------------------------------------------------

    def flat(self, x: Array) -> Array:
        """Return the matrix logarithm without its diagonal."""
        return hollowed(matrix_functions.logm(x))

    def from_flat(self, v: Array) -> Array:
        """Return the one correlation matrix with these entries of its logarithm."""
        return from_off_log(v)

    def log_rounding(self, center: Array, radius: float) -> float:
        """Bound the rounding of a matrix times the largest condition number in the ball.

        The condition is bounded along the way from the centre where that works, else from the
        length of the logarithm (docs/theory/correlation.md, section 3).
        """
        values = np.linalg.eigvalsh(np.asarray(center, dtype=float))
        own = float(values[-1] / values[0])
        left = own**-0.5 - radius / np.sqrt(2)
        near = left**-2 if left > 0 else np.inf
        length = float(np.linalg.norm(self.flat(np.asarray(center, dtype=float)))) + radius
        growth = min(near, _condition_bound(self.k, length)) if radius > 0 else own
        return float(16 * self.k**2 * np.finfo(float).eps * (growth + length))

    # --- sampling -----------------------------------------------------------------------------

    def origin(self, like: Array) -> Array:  # noqa: D102
        return linalg.eye(self.k, like)

    def from_frame(self, coordinates: Array) -> Array:
        """Symmetric matrix without a diagonal: the upper triangle row by row, over sqrt(2)."""
        zeros = 0.0 * coordinates[..., :1]
        xp = linalg.namespace(coordinates)
        padded = xp.concat([xp.concat([zeros] * self.k, axis=-1), coordinates], axis=-1)
        return symmetric.from_vector(padded, self.k)

    def to_frame(self, v: Array) -> Array:  # noqa: D102
        return symmetric.to_vector(v)[..., self.k :]


def _condition_bound(k: int, length: float) -> float:
    """Largest condition number of a correlation matrix whose coordinates have this length.

    >>> _condition_bound(2, 1.0) > float(np.exp(np.sqrt(2.0)))
    True
    """
    top = min(length * np.sqrt((k - 1) / k), 600.0)
    growth = (np.expm1(top) - top) / top**2 * length**2 if top > 1e-4 else length**2
    return float(k * np.exp(min(1.0 + k * np.log1p(growth / k), 700.0)))


SPACES.register("correlation", Correlation)
