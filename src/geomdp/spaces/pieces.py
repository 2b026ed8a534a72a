"""Maps from one point to many, in doubles: a piece at a time, which stays in a core's cache."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from geomdp.typing import Array

#: Numbers and rows of a piece: a few arrays of them fit a cache, and Python costs little beside.
PIECE_NUMBERS, PIECE_ROWS = 1 << 16, 1 << 13
#: Points of so few axes lie in memory axis by axis while they are worked on.
FEW_AXES = 7

#: A function of base points and points, row by row, which fills its last argument, if any.
RowMap: TypeAlias = Callable[[Array, Array, Array | None], Array]


def in_pieces(function: RowMap, p: Array, q: Array, width: int, dtype: type | None = None) -> Array:
    """Apply a function of rows to one point p and many q, one a row.

    It sees pieces of q, and as often the point p, as arrays of one shape; points of few axes
    lie axis by axis, so that its loops run along the points. What a row gets depends on that row
    alone, bit for bit, if the function adds up axes by :func:`dot`. Any other p and q it sees
    as they are.

    Parameters
    ----------
    function
        Treats each row by itself, and broadcasts.
    p, q
        Arrays of doubles.
    width
        Numbers of the result, a row.
    dtype
        Their kind; that of p and q if it is not given.

    Examples
    --------
    >>> in_pieces(np.subtract, np.ones(2), np.zeros((3, 2)), 2).tolist()
    [[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]
    """
    if p.ndim != 1 or q.ndim != 2:
        p, q = np.broadcast_arrays(p, q)
        return function(p, q, None)
    axes = q.shape[1]
    rows = max(1, min(len(q), PIECE_ROWS, PIECE_NUMBERS // axes))
    few = axes <= FEW_AXES and q.dtype == np.float64
    base = np.empty((rows, axes), dtype=p.dtype, order="F" if few else "C")
    base[...] = p
    out = np.empty((len(q), width), dtype=dtype or np.result_type(p, q))
    scratch = np.empty((rows, width), dtype=out.dtype, order="F") if few else None
    for start in range(0, len(q), rows):
        piece, found = q[start : start + rows], out[start : start + rows]
        if scratch is None:
            function(base[: len(piece)], piece, found)
        else:
            function(base[: len(piece)], np.asfortranarray(piece), scratch[: len(piece)])
            for axis in range(width):  # three times faster than all at once
                found[:, axis] = scratch[: len(piece), axis]
    return out


def dot(u: Array, v: Array) -> Array:
    """Sum of products over the last axis, kept as an axis of length 1, of doubles.

    The error grows with the length, as that of :func:`geomdp.spaces.linalg.short_dot`; sums of few
    axes do not depend on how the points lie in memory.

    >>> dot(np.array([1.0, 2.0]), np.array([3.0, 4.0])).tolist()
    [11.0]
    """
    axes = u.shape[-1]
    if axes > FEW_AXES:
        return np.vecdot(u, v)[..., None]
    total = u[..., :1] * v[..., :1]
    for axis in range(1, axes):
        total += u[..., axis : axis + 1] * v[..., axis : axis + 1]
    return total
