"""Ball arithmetic: NumPy object arrays whose entries are real intervals with proof.

A *ball* (``flint.arb``, or ``flint.acb`` for complex numbers) is a midpoint and a radius that
certainly contain the ideal number. The same geometry that runs on floats runs on arrays of balls,
so that a rounding or an acceptance can be decided with proof (docs/theory/exact-release.md). Only
:mod:`geomdp.spaces.linalg` and the samplers in :mod:`geomdp.noise` use this module; it carries a
leading batch axis like every other array.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import flint
import numpy as np

from geomdp.typing import Array


class Ambiguous(ArithmeticError):  # noqa: N818  (control flow: "use more bits", not a failure)
    """The balls at hand are too wide to decide a comparison; more precision will."""


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Work with ``bits`` bits inside the block."""
    with flint.ctx.workprec(bits):
        yield


def is_ball_array(x: Any) -> bool:
    """Tell whether ``x`` is an array of balls.

    >>> is_ball_array(from_floats(np.ones(2))), is_ball_array(np.ones(2))
    (True, False)
    """
    return isinstance(x, np.ndarray) and x.dtype == object


def has_balls(x: Any) -> bool:
    """Tell apart arrays of balls from other object arrays, such as text or missing entries.

    >>> has_balls(np.array([1.0, None], dtype=object))
    False
    """
    return is_ball_array(x) and all(isinstance(entry, flint.arb | flint.acb) for entry in x.flat)


def from_floats(x: Array) -> Array:
    """Exact balls (radius 0) of an array of real or complex floats."""
    x = np.asarray(x)
    if np.iscomplexobj(x):
        return to_complex(from_floats(x.real), from_floats(x.imag))
    out = np.empty(x.shape, dtype=object)
    for index, value in np.ndenumerate(x):
        out[index] = flint.arb(float(value))
    return out


def to_complex(real: Array, imaginary: Array) -> Array:
    """Complex balls with these real and imaginary parts."""
    return elementwise(flint.acb, real, imaginary)


def to_floats(x: Array) -> Array:
    """Midpoints of the balls, as floats (for tests and pictures; drops the error bound)."""
    if any(isinstance(entry, flint.acb) for entry in x.flat):
        return np.vectorize(complex, otypes=[complex])(x)
    return np.vectorize(lambda b: float(b.mid()), otypes=[float])(x)


def elementwise(function: Callable[..., Any], *arrays: Array) -> Array:
    """Apply a function of balls entry by entry, with broadcasting."""
    return np.frompyfunc(function, len(arrays), 1)(*arrays)


def less(a: Any, b: Any) -> Array:
    """Decide ``a < b`` with proof, else raise :class:`Ambiguous`."""

    def decide(x: Any, y: Any) -> bool:
        difference = x - y
        if difference < 0:
            return True
        if difference >= 0:
            return False
        raise Ambiguous

    return elementwise(decide, a, b).astype(bool)


def log_or_minus_infinity(x: Array) -> Array:
    """``log x``, and minus infinity where ``x <= 0`` with proof."""

    def log(value: Any) -> Any:
        if value > 0:
            return value.log()
        if value <= 0:
            return flint.arb.neg_inf()
        raise Ambiguous

    return elementwise(log, x)


def _over_matrices(function: Callable[[Any], Any], x: Array, trailing: int) -> Array:
    """Apply a function of one ``arb_mat`` to each matrix of a batch."""
    batch = x.shape[:-2]
    flat = x.reshape((-1, *x.shape[-2:]))
    out = np.empty((flat.shape[0], *(x.shape[-1],) * trailing), dtype=object)
    for i, matrix in enumerate(flat):
        out[i] = np.array(function(flint.arb_mat(matrix.tolist())), dtype=object)
    return out.reshape((*batch, *out.shape[1:]))


def expm(x: Array) -> Array:
    """Matrix exponential of a batch of square matrices."""
    return _over_matrices(lambda m: m.exp().tolist(), x, trailing=2)


def eigvalsh(x: Array) -> Array:
    """Eigenvalues of a batch of symmetric matrices, in no particular order.

    A spectrum that cannot be separated at this precision is :class:`Ambiguous`.
    """

    def values(matrix: Any) -> list[Any]:
        try:
            return [value.real for value in flint.acb_mat(matrix).eig()]
        except ValueError as error:
            raise Ambiguous from error

    return _over_matrices(values, x, trailing=1)


def logm(x: Array) -> Array:
    """Logarithm of a batch of symmetric positive definite matrices, of any spectrum."""
    return _over_matrices(lambda m: _enclose_log(m, _approximate_log(m)).tolist(), x, trailing=2)


def _approximate_log(matrix: Any) -> Any:
    """Solve ``exp(L) = matrix`` to working precision; no proof.

    Newton's method with the derivative taken once, in floats: each step gains a float's digits.
    """
    middle = matrix.mid()
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
    basis = flint.arb_mat(vectors.tolist())
    log = (basis * flint.arb_mat(np.diag(logs).tolist()) * basis.transpose()).mid()
    for _ in range(2 + flint.ctx.prec // 20):
        residual = (basis.transpose() * (middle - log.exp()) * basis).mid().tolist()
        scaled = [[residual[i][j] / slopes[i, j] for j in range(size)] for i in range(size)]
        step = basis * flint.arb_mat(scaled) * basis.transpose()
        log = ((2 * log + step + step.transpose()) / 2).mid()
    return (log + log.transpose()).mid() / 2


def _enclose_log(matrix: Any, guess: Any) -> Any:
    """Surround a guess of the logarithm by its proved error.

    The logarithm shortens distances of the affine-invariant metric, so ``|log A - L|`` is at most
    the distance from ``A`` to ``exp L``, which is at most ``-log(1 - |e|)`` for
    ``e = exp(-L/2) A exp(-L/2) - 1`` (docs/theory/exact-release.md).
    """
    half = (guess / -2).exp()
    size = guess.nrows()
    error = half * matrix * half - flint.arb_mat(np.eye(size).tolist())
    total = sum((abs(entry).upper() ** 2 for entry in error.entries()), flint.arb(0)).sqrt().upper()
    if not total < 1:
        raise Ambiguous
    radius = (-(1 - total).log()).upper()
    return flint.arb_mat([[flint.arb(entry, radius) for entry in row] for row in guess.tolist()])


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
    matrix = flint.arb_mat(a.reshape(a.shape[-2:]).tolist())
    flat = b.reshape((-1, *b.shape[-2:]))
    out = np.empty(flat.shape, dtype=object)
    for i, right in enumerate(flat):
        out[i] = np.array(matrix.solve(flint.arb_mat(right.tolist())).tolist(), dtype=object)
    return out.reshape((*batch, *flat.shape[1:]))
