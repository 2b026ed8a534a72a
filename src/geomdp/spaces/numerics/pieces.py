"""Maps from one point to many, in doubles: a piece at a time, which stays in a core's cache."""

import math
import threading
from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from geomdp.runtime.threads import together
from geomdp.spaces.numerics import linalg
from geomdp.typing import Array

#: Numbers of a piece of matrices, with room for a few arrays beside them.
MATRIX_NUMBERS = 1 << 15
#: So many pieces at a time where Python, for which threads wait for each other, has a large part.
PIECES_OF_SMALL = 4


_arrays = threading.local()


def kept(purpose: str, rows: int, size: int) -> Array:
    """Return an array of doubles (rows, size) that this thread keeps for a purpose.

    It holds anything. Memory that is freed and asked for again comes back without pages, and to
    fill those in takes longer than much of the work on small matrices.
    """
    array: Array | None = getattr(_arrays, purpose, None)
    if array is None or array.shape[0] < rows or array.shape[1] < size:
        array = np.empty((rows, size))
        setattr(_arrays, purpose, array)
    return array[:rows, :size]


def over_rows(function: Callable[[slice], None], count: int, size: int) -> None:
    """Call a function of rows, ``size`` of them at a time, until all of ``count`` had their turn.

    In a thread a core; where they all fit one turn, here.
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
    """
    numbers = MATRIX_NUMBERS * (PIECES_OF_SMALL if small else 1)
    if not linalg.is_plain(p, q) or p.ndim != 2 or q.ndim != 3 or q.size <= numbers:
        return function(p, q)
    out = np.empty((len(q), *shape))

    def fill(rows: slice) -> None:
        out[rows] = function(p, q[rows])

    over_rows(fill, len(q), max(1, numbers // math.prod(q.shape[1:])))
    return out


#: Numbers and rows of a piece: a few arrays of them fit a cache that cores share. Each operation
#: takes longer than a thread needs to wake up when another leaves Python to it.
PIECE_NUMBERS, PIECE_ROWS = 1 << 18, 1 << 16
#: Points of so few axes lie in memory axis by axis while they are worked on.
FEW_AXES = 7
#: Numbers that a function may keep for a row, beside a point.
COLUMNS = 4


class Room(NamedTuple):
    """Where a function of rows may put what it needs on the way."""

    #: As many points as it is given, for anything.
    vector: Array
    spare: Array
    #: As often :data:`COLUMNS` numbers, for anything; each has an axis of length 1.
    columns: Array
    #: The one point that all base points are; None where they may differ.
    point: Array | None = None


#: A function of base points and points, row by row, which fills the third argument, and may use the
#: fourth.
RowMap: TypeAlias = Callable[[Array, Array, Array, Room], Array]


def in_pieces(function: RowMap, p: Array, q: Array, width: int, dtype: type | None = None) -> Array:
    """Apply a function of rows to one point p and many q, one a row.

    It sees pieces of q, on a thread a core, and as often the point p, as arrays of one shape;
    points of few axes lie axis by axis, so that its loops run along the points. What a row gets
    depends on that row alone, bit for bit, if the function adds up axes by :func:`dot`. Any other
    p and q it sees as they are, broadcast. The result has ``width`` numbers a row, one or as many
    as a point has.
    """
    kind = np.result_type(p, q)
    if p.ndim != 1 or q.ndim != 2:
        p, q = (p, q) if p.shape == q.shape else np.broadcast_arrays(p, q)
        out = np.empty((*q.shape[:-1], width), dtype=dtype or kind)
        vector, spare = np.empty((2, *q.shape), dtype=kind)
        return function(p, q, out, Room(vector, spare, np.empty((COLUMNS, *q.shape[:-1], 1))))
    out = np.empty((len(q), width), dtype=dtype or kind)
    axes = q.shape[1]
    count = max(1, -(-len(q) // max(1, min(PIECE_ROWS, PIECE_NUMBERS // axes))))
    size = max(1, -(-len(q) // count))  # all alike
    few = axes <= FEW_AXES and kind == np.float64

    def fill(rows: slice) -> None:
        piece = _kept_piece(p, size, kind, few).first(rows.stop - rows.start)
        if not few:
            function(piece.base, q[rows], out[rows], piece.room._replace(point=p))
            return
        _copy_by_axis(q[rows], piece.points)
        found = piece.found[:, :width]
        function(piece.base, piece.points, found, piece.room)
        _copy_by_axis(found, out[rows])

    over_rows(fill, len(q), size)
    return out


def _copy_by_axis(x: Array, out: Array) -> None:
    for axis in range(x.shape[1]):  # three times faster than all at once
        out[:, axis] = x[:, axis]


class _Piece(NamedTuple):
    """Arrays of one shape for a piece, which a thread keeps.

    Memory that is freed and asked for again comes back without pages, and to fill those in takes
    longer than the work.
    """

    base: Array
    points: Array
    found: Array
    room: Room

    def first(self, rows: int) -> "_Piece":
        """Return the first rows of all."""
        vector, spare, columns, _ = self.room
        room = Room(vector[:rows], spare[:rows], columns[:, :rows])
        return _Piece(self.base[:rows], self.points[:rows], self.found[:rows], room)


class _Kept(threading.local):
    """What a thread keeps: arrays, and which they are."""

    key: tuple[object, ...] = ()
    piece: _Piece
    point: bytes = b""


_kept = _Kept()


def _kept_piece(p: Array, rows: int, dtype: np.dtype, few: bool) -> _Piece:
    """Return this thread's arrays, made anew where they have another shape; all bases are p."""
    key = rows, p.shape, dtype, few
    if _kept.key != key:
        order: Literal["F", "C"] = "F" if few else "C"
        base, points, found, vector, spare = (
            np.empty((rows, *p.shape), dtype, order=order) for _ in range(5)
        )
        room = Room(vector, spare, np.empty((COLUMNS, rows, 1)))
        _kept.key, _kept.piece, _kept.point = key, _Piece(base, points, found, room), b""
    if _kept.point != p.tobytes():
        _kept.piece.base[...] = p
        _kept.point = p.tobytes()
    return _kept.piece


def dot(u: Array, v: Array, out: Array | None = None, spare: Array | None = None) -> Array:
    """Sum of products over the last axis, kept as an axis of length 1, of doubles.

    The error grows with the length, as that of :func:`geomdp.spaces.numerics.linalg.short_dot`;
    sums of few axes do not depend on how the points lie in memory.
    """
    axes = u.shape[-1]
    if axes > FEW_AXES:
        total = np.vecdot(u, v, out=None if out is None else out[..., 0])
        return total[..., None] if out is None else out
    out = np.multiply(u[..., :1], v[..., :1], out=out)
    for axis in range(1, axes):
        out += np.multiply(u[..., axis : axis + 1], v[..., axis : axis + 1], out=spare)
    return out


def add_multiples(out: Array, column: Array, p: Array, room: Room) -> Array:
    """Add to each row of doubles its multiple of its base point, in place.

    One pass of BLAS where all base points are one, which treats each row by itself.
    """
    whole = out.dtype == np.float64 and out.flags.c_contiguous and len(out)
    if room.point is None or not whole:
        out += np.multiply(column, p, out=room.spare)
        return out
    from scipy.linalg.blas import dger

    dger(1.0, room.point, column[..., 0], a=out.T, overwrite_a=1)
    return out
