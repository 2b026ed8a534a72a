"""Which of many 2 x 2 or 3 x 3 matrices lie plainly inside a ball: a few products and no roots.

``log(t)^2 <= t + 1/t - 2``, so that a positive definite x lies within ``q`` of p if
``tr(p^-1 x) + tr(p x^-1) - 2k <= q^2``, in the affine-invariant metric and hence in the
log-Euclidean one. Determinants say whether x is positive definite, and its adjugate is its inverse
up to one of them. Where rounding could matter, the answer is no, which says nothing:
docs/theory/plainly-inside.md. Each matrix is looked at by itself, entry by entry.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from geomdp.spaces.numerics.pieces import kept
from geomdp.spaces.numerics.spd_small import UPPER
from geomdp.typing import Array

#: Least determinant of a matrix, relatively to its largest entry: rounding is small against it.
LEAST = 2.0**-20
#: What rounding may add to the traces, relatively.
ROOM = 2.0**-20
#: Largest condition number of a centre, as its inverse is rounded.
MOST_CONDITION = 2.0**10
#: Largest entries between which no product here leaves the floats.
SMALLEST, LARGEST = 2.0**-300, 2.0**300
#: Matrices at a time: their numbers fit a core's cache.
PIECE = 2048


def plainly_inside(center: Array, reach: float) -> Callable[[Array], Array] | None:
    """Return what tells which matrices (m, k, k) surely lie within ``reach``; None where it cannot.

    Those are exactly symmetric, and positive definite by far.
    """
    k = len(center)
    if k not in UPPER or not (reach > 0 and np.linalg.cond(center) <= MOST_CONDITION):
        return None
    double = np.array([1.0 if i == j else 2.0 for i, j in UPPER[k]])
    inverse = np.linalg.inv(center)
    first, second = (double * [x[place] for place in UPPER[k]] for x in (inverse, center))
    return partial(_inside, first, second, (2 * k + reach**2) * (1 - ROOM))


def _inside(inverse: Array, center: Array, most: float, x: Array) -> Array:
    found = np.empty(len(x), dtype=bool)
    with np.errstate(all="ignore"):  # what overflows is not inside
        for start in range(0, len(x), PIECE):
            piece = slice(start, start + PIECE)
            found[piece] = _piece_inside(inverse, center, most, x[piece])
    return found


def _piece_inside(inverse: Array, center: Array, most: float, x: Array) -> Array:
    k, m = x.shape[-1], len(x)
    entries = kept("inside", len(UPPER[k]), m)
    adjugate, spare = kept("adjugate", len(UPPER[k]), m), kept("spare", 3, m)
    symmetric = np.ones(m, dtype=bool)
    for entry, (i, j) in zip(entries, UPPER[k], strict=True):
        entry[:] = x[:, i, j]
        if i != j:
            symmetric &= entry == x[:, j, i]
    (_adjugate_2 if k == 2 else _adjugate_3)(entries, adjugate, spare[0])
    determinant, traces, size = spare
    _dot(entries[:k], adjugate[:k], determinant, size)
    _dot(center, adjugate, traces, size)
    traces /= determinant
    for weight, entry in zip(inverse, entries, strict=True):
        traces += np.multiply(weight, entry, out=size)
    np.abs(entries[0], out=size)
    for entry in entries[1:]:
        np.maximum(size, np.abs(entry, out=adjugate[0]), out=size)
    # Written so that NaN fails. The last minor but one is an entry of the adjugate.
    inside = symmetric & (traces <= most) & (entries[0] > 0)
    inside &= (size >= SMALLEST) & (size <= LARGEST)
    least = np.multiply(size, size, out=adjugate[0])
    least *= LEAST
    if k == 3:
        inside &= adjugate[-1] >= least
        least *= size
    inside &= determinant >= least
    return inside


def _adjugate_2(entries: Array, out: Array, spare: Array) -> None:
    out[0], out[2] = entries[2], entries[0]
    np.negative(entries[1], out=out[1])


def _adjugate_3(entries: Array, out: Array, spare: Array) -> None:
    a, b, c, d, e, f = entries
    minors = ((d, f, e, e), (c, e, b, f), (b, e, c, d), (a, f, c, c), (b, c, a, e), (a, d, b, b))
    for minor, (p, q, r, s) in zip(out, minors, strict=True):
        np.multiply(p, q, out=minor)
        np.subtract(minor, np.multiply(r, s, out=spare), out=minor)


def _dot(left: Array, right: Array, out: Array, spare: Array) -> None:
    """Sum of products, from the first to the last."""
    np.multiply(left[0], right[0], out=out)
    for one, other in zip(left[1:], right[1:], strict=True):
        out += np.multiply(one, other, out=spare)
