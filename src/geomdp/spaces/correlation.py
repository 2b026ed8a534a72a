"""Correlation matrices, flat through the entries of their logarithm off the diagonal.

Archakov and Hansen (2021, doi:10.3982/ECTA16910) show that each symmetric matrix without a diagonal
belongs to exactly one. The diagonal ``x`` of its logarithm is where the convex function
``tr exp(A + diag x) - sum x`` is least; Newton's method finds it, each matrix by itself
(docs/theory/correlation.md).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import GeomdpError
from geomdp.intervals import (
    Ambiguous,
    Interval,
    elementwise,
    expm,
    from_floats,
    interval,
    middle,
    to_floats,
)
from geomdp.intervals.numbers import working_bits
from geomdp.spaces import symmetric
from geomdp.spaces.euclidean import FlatSpace
from geomdp.spaces.numerics import decompositions, elementary, linalg
from geomdp.spaces.record_shape import RecordShape, Triangle
from geomdp.spaces.specs import SPACES
from geomdp.typing import Array

#: How far the diagonal of a record may be from 1: digits lost in text files.
DIAGONAL_TOLERANCE = 1e-6
#: Public draws that tell whether noise of a length leads to matrices that floats resolve.
TRIED = 6


@dataclass(frozen=True)
class CorrelationShape(RecordShape):
    """A correlation matrix in a file: all of it, a triangle, or a triangle without its diagonal."""

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
    has_identity: ClassVar[bool] = True

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
        return hollowed(decompositions.logm(x))

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
    """Largest condition number of a correlation matrix whose coordinates have this length."""
    top = min(length * np.sqrt((k - 1) / k), 600.0)
    growth = (np.expm1(top) - top) / top**2 * length**2 if top > 1e-4 else length**2
    return float(k * np.exp(min(1.0 + k * np.log1p(growth / k), 700.0)))


SPACES.register("correlation", Correlation, example="correlation:20")


#: Steps for one matrix; 5 to 15 are taken where floats resolve the result.
MOST_STEPS = 400
#: Matrices with a larger norm are scaled down to it first: their exponentials are no floats.
LARGEST_NORM = 300.0
#: Matrices solved at a time.
ROWS = 256
#: No entry of the diagonal moves further in one step.
LONGEST_STEP = 5.0
#: A decrease of the function that is more than rounding.
SMALL = 1e-12
#: Stop when the diagonal is this close to 1, in rounding errors.
ENOUGH = 4.0


def from_off_log(hollow: Array) -> Array:
    """Correlation matrices (..., k, k) from matrices whose diagonal does not count.

    Total on floats: what cannot be solved is the last iterate, scaled to a diagonal of ones.
    """
    if linalg.exact(hollow):
        enclosed = [_enclosed(one) for one in hollow.reshape((-1, *hollow.shape[-2:]))]
        return np.array(enclosed, dtype=object).reshape(hollow.shape)
    xp = linalg.namespace(hollow)
    flat = np.asarray(hollow, dtype=np.float64).reshape((-1, *hollow.shape[-2:]))
    parts = [_solved(flat[i : i + ROWS]) for i in range(0, len(flat), ROWS)]
    found = np.concatenate(parts) if parts else flat
    return xp.asarray(found.reshape(hollow.shape), dtype=hollow.dtype)


def with_unit_diagonal(x: Array) -> Array:
    """Divide rows and columns by the roots of the diagonal; exactly ones there, and symmetric."""
    xp = linalg.namespace(x)
    roots = xp.sqrt(xp.stack([x[..., i, i] for i in range(x.shape[-1])], axis=-1))
    scaled = linalg.symmetrize(x / (roots[..., :, None] * roots[..., None, :]))
    return hollowed(scaled) + linalg.eye(x.shape[-1], x)


def hollowed(x: Array) -> Array:
    """Matrices with zeros on the diagonal."""
    return x * (1.0 - linalg.eye(x.shape[-1], x))


# --- floats -----------------------------------------------------------------------------------


def _solved(hollow: NDArray[np.float64]) -> NDArray[np.float64]:
    """Correlation matrices (n, k, k)."""
    a = _cut(hollow)
    with np.errstate(all="ignore"):
        x = _diagonals(a)
        logs, vectors = np.linalg.eigh(a + _diag(x))
        found = with_unit_diagonal((vectors * np.exp(logs)[:, None, :]) @ linalg.transpose(vectors))
    # Where everything underflows the identity is as good as any point.
    finite = np.all(np.isfinite(found), axis=(1, 2), keepdims=True)
    return np.where(finite, found, np.eye(a.shape[-1]))


def _cut(hollow: NDArray[np.float64]) -> NDArray[np.float64]:
    """Finite, without a diagonal and of a norm that exponentials can bear."""
    a = hollowed(np.clip(np.nan_to_num(hollow), -1e100, 1e100))
    norms = np.linalg.norm(a, axis=(-2, -1), keepdims=True)
    return a * (LARGEST_NORM / np.maximum(norms, LARGEST_NORM))


class _At(NamedTuple):
    """Function, gradient and spectrum at one diagonal a row."""

    x: NDArray[np.float64]
    value: NDArray[np.float64]
    residual: NDArray[np.float64]
    logs: NDArray[np.float64]
    vectors: NDArray[np.float64]

    @property
    def size(self) -> NDArray[np.float64]:
        """How far the diagonal of the exponential is from 1."""
        return np.max(np.abs(self.residual), axis=-1)

    def rows(self, which: NDArray[np.intp]) -> "_At":
        """Pick some of the rows."""
        return _At(*(part[which] for part in self))

    def put(self, which: NDArray[np.intp], other: "_At") -> None:
        """Replace some of the rows."""
        for part, new in zip(self, other, strict=True):
            part[which] = new


def _diagonals(a: NDArray[np.float64]) -> NDArray[np.float64]:
    """Newton's method; each row stops by itself, whatever the others do."""
    values = np.linalg.eigvalsh(a)
    top = values[:, -1:]
    # All entries equal, such that the trace of the exponential is k.
    start = -top - np.log(np.mean(np.exp(values - top), axis=1, keepdims=True))
    here = _evaluated(a, start + np.zeros(a.shape[:2]))
    going = np.arange(len(a))
    for _ in range(MOST_STEPS):
        going = going[here.size[going] > ENOUGH * a.shape[-1] * np.finfo(float).eps]
        if not going.size:
            break
        there, better = _next(a[going], here.rows(going))
        going = going[better]  # what no step improves is as good as rounding allows
        here.put(going, there.rows(np.flatnonzero(better)))
    return here.x


def _next(a: NDArray[np.float64], here: _At) -> tuple[_At, NDArray[np.bool_]]:
    """Where a step leads, and which rows it improves: Newton's, or Archakov and Hansen's.

    The second always converges, but slowly.
    """
    there = _evaluated(a, here.x + _newton_steps(here))
    better = (there.size < here.size / 2) | (there.value < here.value - SMALL * abs(here.value))
    slow = np.flatnonzero(~better)
    if slow.size:
        old = here.rows(slow)
        there.put(slow, _evaluated(a[slow], old.x - np.log1p(old.residual)))
        better[slow] = there.size[slow] < old.size
    return there, better


def _evaluated(a: NDArray[np.float64], x: NDArray[np.float64]) -> _At:
    logs, vectors = np.linalg.eigh(a + _diag(x))
    residual = np.sum(vectors**2 * np.exp(logs)[:, None, :], axis=-1) - 1
    # The trace less k, so that small decreases are not lost to k.
    return _At(x, np.sum(residual, axis=-1) - np.sum(x, axis=-1), residual, logs, vectors)


def _newton_steps(at: _At) -> NDArray[np.float64]:
    """Newton's steps, no longer than floats can bear; none where the Hessian is singular."""
    system = np.concatenate([hessian(at.logs, at.vectors), at.residual[:, :, None]], axis=-1)
    steps = -decompositions.row_by_row(
        lambda rows: np.linalg.solve(rows[:, :, :-1], rows[:, :, -1:])[:, :, 0],
        system,
        at.residual.shape[1:],
    )
    longest = np.max(np.abs(steps), axis=-1, keepdims=True)
    shorter = steps * (LONGEST_STEP / np.maximum(longest, LONGEST_STEP))
    return np.where(np.isfinite(longest), shorter, 0.0)


def hessian(logs: NDArray[np.float64], vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Second derivative of ``tr exp(A + diag x)`` from the spectrum of ``A + diag x``."""
    middles = (logs[..., :, None] + logs[..., None, :]) / 2
    gaps = np.abs(logs[..., :, None] - logs[..., None, :]) / 2
    slopes = np.exp(middles) * elementary.sinhc(np.minimum(gaps, LARGEST_NORM))
    pairs = vectors[..., :, None, :] * vectors[..., None, :, :]
    return np.sum((pairs @ slopes[..., None, :, :]) * pairs, axis=-1)


# --- intervals --------------------------------------------------------------------------------


def _enclosed(hollow: Array) -> Array:
    """Enclosure of the correlation matrix: an approximate diagonal and its proved error."""
    a = hollowed(hollow)
    k = len(a)
    x = _approximate_diagonal(elementwise(middle, a))
    radius = _error(a, x)
    diagonal = np.array([interval(entry, radius) for entry in x], dtype=object)
    found = linalg.symmetrize(expm(a + _diag(diagonal)))
    return hollowed(found) + linalg.eye(k, found)


def _approximate_diagonal(a: Array) -> Array:
    """Solve to working precision, no proof: the inverse Hessian in floats gains digits a step."""
    floats = to_floats(a)
    start = _diagonals(_cut(floats)[None])[0]
    inverse = from_floats(np.linalg.inv(hessian(*np.linalg.eigh(floats + _diag(start)))))
    x = from_floats(start)
    for _ in range(2 + working_bits() // 20):
        residual = np.diagonal(expm(a + _diag(x))) - 1
        x = elementwise(middle, x - np.sum(inverse * residual, axis=-1))
    return x


def _error(a: Array, x: Array) -> Interval:
    """Bound on the distance from ``x`` to the solution for every matrix in ``a``.

    The function is convex with a modulus not below the smallest eigenvalue of the exponential,
    which falls by ``e^-delta`` within distance ``delta`` (docs/theory/correlation.md, section 2).
    """
    at = a + _diag(x)
    gradient = np.diagonal(expm(at)) - 1
    inverse = expm(-at)
    bound = (2 * _norm_above(gradient) * _norm_above(inverse)).upper()
    if not bound <= 0.5:
        raise Ambiguous
    return bound


def _norm_above(x: Array) -> Interval:
    """Upper bound of the Euclidean norm of all entries."""
    return sum((abs(entry).upper() ** 2 for entry in x.flat), interval(0)).sqrt().upper()


def _diag(x: Array) -> Array:
    """Diagonal matrices (..., k, k) with these entries."""
    return np.eye(x.shape[-1]) * x[..., None, :]
