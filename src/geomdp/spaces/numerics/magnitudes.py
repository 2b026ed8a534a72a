"""Numbers whose squares and products are floats, and points brought among them."""

from typing import Any

import numpy as np

from geomdp.typing import Array

#: Entries up to this size, and down to its inverse, have squares and products of three that are
#: floats; records beyond are brought to here first (docs/theory/clipping.md).
LARGEST = 2.0**332
#: Lengths below this lose digits, as their squares are no normal floats.
SQUARES_UNDERFLOW = 2.0**-480


def within_reach(x: Array, trailing: int, smallest: float = 0.0) -> Array:
    """Points, scaled by a power of two where their largest entry is beyond what squares allow.

    The last ``trailing`` axes are those of one point; points whose largest entry is below
    ``smallest`` are scaled up to it.
    """
    if _surely_within_reach(x, trailing, smallest):
        return x
    largest = np.max(np.abs(x), axis=tuple(range(-trailing, 0)), keepdims=True, initial=0.0)
    target = np.clip(largest, smallest, LARGEST)
    if np.array_equal(target, largest):
        return x
    # The factor of all other points is exactly 1.
    return np.ldexp(x, np.frexp(target)[1] - np.frexp(largest)[1])


def _surely_within_reach(x: Array, trailing: int, smallest: float) -> bool:
    """Tell at a glance that no point needs scaling; False says nothing.

    By the first entry of each, at most its largest, against the smallest.
    """
    if np.iscomplexobj(x) or not x.size:
        return False
    low, high = np.min(x), np.max(x)
    corner: tuple[Any, ...] = (..., *(0,) * trailing)
    # Written so that NaN is not within reach.
    return bool(low >= -LARGEST and high <= LARGEST and np.min(np.abs(x[corner])) >= smallest)
