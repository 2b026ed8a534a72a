"""Maps from one matrix to many, in doubles: pieces that fit a cache, a thread a core."""

import math
from collections.abc import Callable

import numpy as np

from geomdp.spaces import linalg
from geomdp.threads import in_threads
from geomdp.typing import Array

#: Numbers of a piece, with room for a few arrays beside them.
PIECE_NUMBERS = 1 << 15


def on_all_cores(function: Callable[[Array, Array], Array], p: Array, q: Array) -> Array:
    """Apply a function of one matrix p and many q, one a row, to pieces of q.

    For functions that treat each row by itself, and whose work on it is worth a thread: a
    decomposition. Any other p and q they see as they are.

    >>> on_all_cores(lambda p, q: q - p, np.eye(2), np.ones((3, 2, 2)))[2].tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    if not linalg.is_plain(p, q) or p.ndim != 2 or q.ndim != 3 or q.size <= PIECE_NUMBERS:
        return function(p, q)
    state = np.geterr()  # which a thread does not inherit

    def answer(rows: slice) -> Array:
        with np.errstate(**state):
            return function(p, q[rows])

    size = max(1, PIECE_NUMBERS // math.prod(q.shape[1:]))
    pieces = [slice(start, start + size) for start in range(0, len(q), size)]
    return np.concatenate(list(in_threads(answer, pieces)))
