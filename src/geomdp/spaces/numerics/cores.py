"""Maps from one point to many, in doubles: pieces that fit a cache, a thread a core."""

import math
import threading
from collections.abc import Callable

import numpy as np

from geomdp.runtime.threads import together
from geomdp.spaces.numerics import linalg
from geomdp.typing import Array

#: Numbers of a piece of matrices, with room for a few arrays beside them.
PIECE_NUMBERS = 1 << 15
#: So many pieces at a time where Python, for which threads wait for each other, has a large part.
PIECES_OF_SMALL = 4


_kept = threading.local()


def kept(purpose: str, rows: int, size: int) -> Array:
    """Return an array of doubles (rows, size) that this thread keeps for a purpose.

    It holds anything. Memory that is freed and asked for again comes back without pages, and to
    fill those in takes longer than much of the work on small matrices.

    >>> kept("nothing", 2, 3).shape
    (2, 3)
    """
    array: Array | None = getattr(_kept, purpose, None)
    if array is None or array.shape[0] < rows or array.shape[1] < size:
        array = np.empty((rows, size))
        setattr(_kept, purpose, array)
    return array[:rows, :size]


def over_rows(function: Callable[[slice], None], count: int, size: int) -> None:
    """Call a function of rows, ``size`` of them at a time, until all of ``count`` had their turn.

    In a thread a core; where they all fit one turn, here.

    >>> x = np.arange(5)
    >>> over_rows(lambda rows: np.multiply(x[rows], 2, out=x[rows]), 5, 2)
    >>> x.tolist()
    [0, 2, 4, 6, 8]
    """
    if count <= size:
        function(slice(0, count))
        return

    def turn(start: int) -> None:
        function(slice(start, min(start + size, count)))

    together(turn, range(0, count, size))


def on_all_cores(
    function: Callable[[Array, Array], Array],
    p: Array,
    q: Array,
    shape: tuple[int, ...],
    small: bool = False,
) -> Array:
    """Apply a function of one matrix p and many q, one a row, to pieces of q.

    For functions that treat each row by itself, and give it a result of this shape; ``small`` are
    matrices that they treat entry by entry. Any other p and q they see as they are.

    >>> on_all_cores(lambda p, q: q - p, np.eye(2), np.ones((3, 2, 2)), (2, 2))[2].tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    numbers = PIECE_NUMBERS * (PIECES_OF_SMALL if small else 1)
    if not linalg.is_plain(p, q) or p.ndim != 2 or q.ndim != 3 or q.size <= numbers:
        return function(p, q)
    out = np.empty((len(q), *shape))

    def fill(rows: slice) -> None:
        out[rows] = function(p, q[rows])

    over_rows(fill, len(q), max(1, numbers // math.prod(q.shape[1:])))
    return out
