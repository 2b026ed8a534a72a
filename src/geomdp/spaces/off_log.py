"""The correlation matrix whose logarithm has given entries off the diagonal.

Archakov and Hansen (2021) show that there is exactly one. The diagonal ``x`` of its logarithm is
where the convex function ``tr exp(A + diag x) - sum x`` is least; Newton's method finds it, each
matrix by itself (docs/theory/correlation.md).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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
from geomdp.spaces.numerics import decompositions, elementary, linalg
from geomdp.typing import Array

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

    >>> from_off_log(np.array([[0.0, 1.0], [1.0, 0.0]])).round(4).tolist()
    [[1.0, 0.7616], [0.7616, 1.0]]
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
    """Divide rows and columns by the roots of the diagonal; exactly ones there, and symmetric.

    >>> with_unit_diagonal(np.array([[4.0, 1.0], [1.0, 1.0]])).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """
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
    """Second derivative of ``tr exp(A + diag x)`` from the spectrum of ``A + diag x``.

    >>> hessian(np.zeros(2), np.eye(2)).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
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
