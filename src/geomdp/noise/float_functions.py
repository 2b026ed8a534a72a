"""Logarithm, sine and cosine from the basic operations that IEEE 754 rounds correctly.

How well a platform's own functions are rounded is a matter of its library. Exact noise needs a
bound that is proved, so these use additions, products, quotients and nothing else
(docs/theory/lattice-gaussian.md, section 3).
"""

import numpy as np

from geomdp.typing import Array

#: Relative error of :func:`log`; absolute error of :func:`turn`.
ERROR = 2.0**-49

_LN2 = 0.6931471805599453
_TWO_PI = 6.283185307179586
#: Coefficients ``1/(2k+1)`` of the inverse hyperbolic tangent, highest first.
_ATANH = [1 / (2 * k + 1) for k in range(11, -1, -1)]


def _alternating(first: int) -> list[float]:
    """Coefficients ``1/n!`` with alternating signs, n = first, first - 2, ..., highest first."""
    out, factorial = [], 1
    for n in range(first % 2, first + 1, 2):
        factorial *= max(1, n) * max(1, n - 1)
        out.append((-1.0) ** (n // 2) / factorial)
    return out[::-1]


_SINE, _COSINE = _alternating(17), _alternating(16)


def log(x: Array) -> Array:
    """Natural logarithm of positive normal floats up to 1."""
    fraction, exponent = np.frexp(x)
    low = fraction < 0.7071067811865476
    fraction = np.where(low, 2 * fraction, fraction)
    exponent = exponent - low
    s = (fraction - 1) / (fraction + 1)
    return exponent * _LN2 + 2 * s * _horner(_ATANH, s * s)


def turn(x: Array) -> tuple[Array, Array]:
    """Cosine and sine of ``2 pi x``, for x in [0, 1]."""
    quarter = np.rint(4 * x)
    angle = _TWO_PI * (x - quarter / 4)
    square = angle * angle
    sine, cosine = angle * _horner(_SINE, square), _horner(_COSINE, square)
    odd, turned = quarter % 2 == 1, np.where(quarter % 4 >= 2, -1.0, 1.0)
    return np.where(odd, -sine, cosine) * turned, np.where(odd, cosine, sine) * turned


def _horner(coefficients: list[float], x: Array) -> Array:
    value = np.full(x.shape, coefficients[0])
    for coefficient in coefficients[1:]:
        value *= x
        value += coefficient
    return value
