"""NumPy object arrays whose entries are intervals: the same geometry as on floats, with proof.

The geometry that runs on floats runs on these arrays too, so that a rounding or an acceptance can
be decided with proof (docs/theory/exact-release.md). They carry a leading batch axis like every
other array.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from geomdp.intervals.numbers import (
    Ambiguous,
    complex_interval,
    infinity,
    interval,
    is_complex,
    is_interval,
)
from geomdp.typing import Array


def is_interval_array(x: Any) -> bool:
    """Tell whether ``x`` is an array of intervals.

    >>> is_interval_array(from_floats(np.ones(2))), is_interval_array(np.ones(2))
    (True, False)
    """
    return isinstance(x, np.ndarray) and x.dtype == object


def has_intervals(x: Any) -> bool:
    """Tell apart arrays of intervals from other object arrays, such as text or missing entries.

    >>> has_intervals(np.array([1.0, None], dtype=object))
    False
    """
    return is_interval_array(x) and all(is_interval(entry) for entry in x.flat)


def from_floats(x: Array) -> Array:
    """Exact intervals (radius 0) of an array of real or complex floats."""
    x = np.asarray(x)
    if np.iscomplexobj(x):
        return to_complex(from_floats(x.real), from_floats(x.imag))
    flat = x.astype(np.float64).ravel()
    # Intervals never change, so that all zeros can be one: an axis in high dimension has many.
    out = np.full(flat.shape, interval(0), dtype=object)
    others = np.flatnonzero(flat)
    out[others] = [interval(value) for value in flat[others].tolist()]
    return out.reshape(x.shape)


def to_complex(real: Array, imaginary: Array) -> Array:
    """Complex intervals with these real and imaginary parts."""
    return elementwise(complex_interval, real, imaginary)


def to_floats(x: Array) -> Array:
    """Midpoints of the intervals, as floats (for tests and pictures; drops the error bound)."""
    if any(is_complex(entry) for entry in x.flat):
        return np.vectorize(complex, otypes=[complex])(x)
    return np.vectorize(lambda b: float(b.mid()), otypes=[float])(x)


def elementwise(function: Callable[..., Any], *arrays: Array) -> Array:
    """Apply a function of intervals entry by entry, with broadcasting."""
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
            return -infinity()
        raise Ambiguous

    return elementwise(log, x)
