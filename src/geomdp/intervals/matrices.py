"""Matrix functions on batches of matrices of intervals."""

from collections.abc import Callable
from typing import Any

import numpy as np

from geomdp.intervals.arrays import from_floats, to_floats
from geomdp.intervals.numbers import Ambiguous, Matrix, eigenvalues, interval, matrix, working_bits
from geomdp.typing import Array


def _over_matrices(function: Callable[[Matrix], Any], x: Array, trailing: int) -> Array:
    """Apply a function of one matrix to each matrix of a batch."""
    batch = x.shape[:-2]
    flat = x.reshape((-1, *x.shape[-2:]))
    out = np.empty((flat.shape[0], *(x.shape[-1],) * trailing), dtype=object)
    for i, rows in enumerate(flat):
        out[i] = np.array(function(matrix(rows.tolist())), dtype=object)
    return out.reshape((*batch, *out.shape[1:]))


def expm(x: Array) -> Array:
    """Matrix exponential of a batch of square matrices."""
    return _over_matrices(lambda m: m.exp().tolist(), x, trailing=2)


def eigvalsh(x: Array) -> Array:
    """Eigenvalues of a batch of symmetric matrices, in no particular order.

    A spectrum that cannot be separated at this precision is :class:`Ambiguous`.
    """
    return _over_matrices(eigenvalues, x, trailing=1)


def logm(x: Array) -> Array:
    """Logarithm of a batch of symmetric positive definite matrices, of any spectrum."""
    return _over_matrices(lambda m: _enclose_log(m, _approximate_log(m)).tolist(), x, trailing=2)


def _approximate_log(enclosed: Matrix) -> Matrix:
    """Solve ``exp(L) = enclosed`` to working precision; no proof.

    Newton's method with the derivative taken once, in floats: each step gains a float's digits.
    """
    middle = enclosed.mid()
    size = middle.nrows()
    factor = to_floats(cholesky(np.array(middle.tolist(), dtype=object).reshape(size, size)))
    if not np.all(np.isfinite(factor)):
        raise Ambiguous
    vectors, roots, _ = np.linalg.svd(factor)
    logs = 2 * np.log(roots)
    middles, gaps = (logs[:, None] + logs) / 2, (logs[:, None] - logs) / 2
    # Divided differences of exp, which the derivative of the matrix exponential multiplies by.
    ratio = np.where(gaps == 0, 1.0, np.sinh(gaps) / np.where(gaps == 0, 1.0, gaps))
    slopes = np.exp(middles) * ratio
    basis = matrix(vectors.tolist())
    log = (basis * matrix(np.diag(logs).tolist()) * basis.transpose()).mid()
    for _ in range(2 + working_bits() // 20):
        residual = (basis.transpose() * (middle - log.exp()) * basis).mid().tolist()
        scaled = [[residual[i][j] / slopes[i, j] for j in range(size)] for i in range(size)]
        step = basis * matrix(scaled) * basis.transpose()
        log = ((2 * log + step + step.transpose()) / 2).mid()
    return (log + log.transpose()).mid() / 2


def _enclose_log(enclosed: Matrix, guess: Matrix) -> Matrix:
    """Surround a guess of the logarithm by its proved error.

    The logarithm shortens distances of the affine-invariant metric, so ``|log A - L|`` is at most
    the distance from ``A`` to ``exp L``, which is at most ``-log(1 - |e|)`` for
    ``e = exp(-L/2) A exp(-L/2) - 1`` (docs/theory/exact-release.md).
    """
    half = (guess / -2).exp()
    size = guess.nrows()
    error = half * enclosed * half - matrix(np.eye(size).tolist())
    total = sum((abs(entry).upper() ** 2 for entry in error.entries()), interval(0)).sqrt().upper()
    if not total < 1:
        raise Ambiguous
    radius = (-(1 - total).log()).upper()
    return matrix([[interval(entry, radius) for entry in row] for row in guess.tolist()])


def cholesky(x: Array) -> Array:
    """Lower Cholesky factor of a batch of positive definite matrices."""
    size = x.shape[-1]
    factor = from_floats(np.zeros(x.shape))
    for j in range(size):
        row = factor[..., j, :j]
        factor[..., j, j] = np.sqrt(x[..., j, j] - np.sum(row * row, axis=-1))
        for i in range(j + 1, size):
            inner = np.sum(factor[..., i, :j] * row, axis=-1)
            factor[..., i, j] = (x[..., i, j] - inner) / factor[..., j, j]
    return factor


def solve(a: Array, b: Array) -> Array:
    """Solve ``a x = b`` for one matrix ``a`` (k, k) or a batch of one."""
    batch = b.shape[:-2]
    left = matrix(a.reshape(a.shape[-2:]).tolist())
    flat = b.reshape((-1, *b.shape[-2:]))
    out = np.empty(flat.shape, dtype=object)
    for i, right in enumerate(flat):
        out[i] = np.array(left.solve(matrix(right.tolist())).tolist(), dtype=object)
    return out.reshape((*batch, *flat.shape[1:]))
