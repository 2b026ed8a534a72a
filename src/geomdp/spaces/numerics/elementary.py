"""Elementary functions: their limits, no overflow, and intervals; complex numbers of both."""

from typing import Any

import numpy as np

from geomdp.intervals import arrays, is_interval_array, numbers
from geomdp.spaces.numerics import linalg
from geomdp.typing import Array


def pi(like: Array) -> Any:
    """π to the precision of ``like``."""
    if is_interval_array(like):
        return numbers.pi()
    return float(np.pi)


def atan2(y: Array, x: Array) -> Array:
    """Angle of ``(x, y)``."""
    if is_interval_array(y):
        return arrays.elementwise(numbers.arctan2, y, x)
    return linalg.namespace(y).atan2(y, x)


def arcsinh(x: Array) -> Array:
    """Inverse of sinh."""
    if is_interval_array(x):
        return arrays.elementwise(lambda b: b.asinh(), x)
    return linalg.namespace(x).asinh(x)


def log_or_minus_infinity(x: Array) -> Array:
    """``log x``, and minus infinity (no warning) where ``x <= 0``."""
    if is_interval_array(x):
        return arrays.log_or_minus_infinity(x)
    xp = linalg.namespace(x)
    positive = x > 0
    return xp.where(positive, xp.log(xp.where(positive, x, 1.0)), -xp.inf)


def _quotient_at_zero(numerator: Array, x: Array, at_zero: float) -> Array:
    """``numerator / x`` with its limit where ``x`` is exactly 0."""
    if is_interval_array(x):
        # A ball around 0 has no bounded quotient; a draw lies there with probability 0.
        return numerator / x
    xp = linalg.namespace(x)
    zero = x == 0
    return xp.where(zero, at_zero, numerator / xp.where(zero, 1.0, x))


def sinc(x: Array) -> Array:
    """``sin(x) / x``, 1 at 0."""
    return _quotient_at_zero(linalg.namespace(x).sin(x), x, 1.0)


def sinhc(x: Array) -> Array:
    """``sinh(x) / x``, 1 at 0."""
    return _quotient_at_zero(linalg.namespace(x).sinh(x), x, 1.0)


def angle_over_sine(cosine: Array) -> Array:
    """``x / sin(x)`` for NumPy floats ``cos(x)`` of x in [0, pi]; 1 at 0."""
    # Both vanish alike where the cosine is 1: their quotient keeps its digits.
    sine = np.sqrt((1 - cosine) * (1 + cosine))
    zero = sine == 0
    return np.where(zero, 1.0, np.arccos(cosine) / np.where(zero, 1.0, sine))


def x_cot_x(x: Array) -> Array:
    """``x cot x``, 1 at 0: the comparison function g of docs/theory/sensitivity-of-the-mean.md."""
    xp = linalg.namespace(x)
    return xp.cos(x) / sinc(x)


def x_coth_x(x: Array) -> Array:
    """``x coth x``, 1 at 0; no overflow for large ``x``."""
    xp = linalg.namespace(x)
    return 1.0 / _quotient_at_zero(xp.tanh(x), x, 1.0)


def log_sinhc(x: Array) -> Array:
    """``log(sinh(x) / x)`` for ``x >= 0``, without overflow and accurate near 0."""
    if is_interval_array(x):
        return np.log(np.sinh(x) / x)
    xp = linalg.namespace(x)
    small = x < 1e-2
    safe = xp.where(small, 1.0, x)
    large = safe + xp.log(-xp.expm1(-2.0 * safe) / (2.0 * safe))
    square = xp.where(small, x, 0.0) ** 2
    series = square * (1 / 6 - square * (1 / 180 - square * (1 / 2835 - square / 37800)))
    return xp.where(small, series, large)


def to_complex(real: Array, imaginary: Array) -> Array:
    """Complex numbers with these real and imaginary parts."""
    if is_interval_array(real):
        return arrays.to_complex(real, imaginary)
    return real + 1j * imaginary


def parts(z: Array) -> tuple[Array, Array]:
    """Real and imaginary parts."""
    if is_interval_array(z):
        return arrays.elementwise(lambda b: b.real, z), arrays.elementwise(lambda b: b.imag, z)
    xp = linalg.namespace(z)
    return xp.real(z), xp.imag(z)


def conj(z: Array) -> Array:
    """Complex conjugate."""
    if is_interval_array(z):
        real, imaginary = parts(z)
        return arrays.to_complex(real, -imaginary)
    return linalg.namespace(z).conj(z)


def hermitian(u: Array, v: Array) -> Array:
    """Sum of ``conj(u) v`` over the last axis, kept as an axis of length 1."""
    if linalg.is_plain(u, v):
        return np.vecdot(u, v)[..., None]
    return linalg.namespace(u, v).sum(conj(u) * v, axis=-1, keepdims=True)


def complex_norm(z: Array) -> Array:
    """Euclidean norm over the last axis, kept as an axis of length 1."""
    if linalg.is_plain(z) and np.iscomplexobj(z):
        pairs = np.ascontiguousarray(z).view(np.float64)
        return np.sqrt(np.vecdot(pairs, pairs))[..., None]
    real, imaginary = parts(z)
    return linalg.namespace(z).sqrt(linalg.dot(real, real) + linalg.dot(imaginary, imaginary))
