"""Eigenvalues and eigenvectors of many 2 x 2 or 3 x 3 matrices, by rotations (Jacobi's method).

Each step is a few operations on long vectors, one number a matrix, so that a matrix costs a fifth
of what LAPACK takes. Rotations are orthogonal to a few units of rounding and their number is fixed,
so that the result is that of a matrix within a few ``k`` units of the given one, as LAPACK's is,
plus what is left beside the diagonal; where that is not negligible, LAPACK decides. All is entry by
entry: a matrix gives the same bits alone and among others.
"""

from collections.abc import Iterator

import numpy as np

from geomdp.spaces.numerics.pieces import kept
from geomdp.typing import Array

#: Sizes of matrices, and how often all entries beside the diagonal are rotated away: once is exact
#: for 2 x 2; after four times less than 1e-19 is left of nearly every 3 x 3 matrix.
SWEEPS = {2: 1, 3: 4}
#: Matrices at a time: their numbers fit a core's cache.
PIECE = 2048
#: What may be left beside the diagonal, relatively to the largest entry of it.
LEFT = 2.0**-54
#: Matrices whose largest eigenvalue is below this have squares that lose digits.
SMALLEST = 2.0**-400
#: Stands in for 0 below a fraction whose numerator vanishes too.
TINY = 1e-300


def eigh(x: Array) -> tuple[Array, Array]:
    """Eigenvalues (..., k), ascending, and eigenvectors (..., k, k) of symmetric matrices.

    Of their lower triangles; raises LinAlgError where LAPACK does: if an entry is not finite.
    """
    k = x.shape[-1]
    rows = np.ascontiguousarray(x).reshape(-1, k * k)
    found, turned = np.empty((len(rows), k)), np.empty((len(rows), k, k))
    for piece in _pieces(len(rows)):
        part = rows[piece]
        values, turns = np.empty((k, len(part))), np.empty((k, k, len(part)))
        rotate(_lower_rows(part, k), values, turns)
        _sort(values, turns)
        found[piece], turned[piece] = values.T, np.moveaxis(turns, 2, 0)
    return found.reshape(x.shape[:-1]), turned.reshape(x.shape)


def values(x: Array) -> Array:
    """Eigenvalues alone, bit for bit those of :func:`eigh`, in half the time."""
    k = x.shape[-1]
    rows = np.ascontiguousarray(x).reshape(-1, k * k)
    found = np.empty((len(rows), k))
    for piece in _pieces(len(rows)):
        part = np.empty((k, len(rows[piece])))
        rotate(_lower_rows(rows[piece], k), part, None)
        _sort(part, None)
        found[piece] = part.T
    return found.reshape(x.shape[:-1])


def _pieces(count: int) -> Iterator[slice]:
    return (slice(start, start + PIECE) for start in range(0, count, PIECE))


def _lower_rows(rows: Array, k: int) -> Array:
    """Lower triangles of matrices, given as rows (m, k k), column by column: a row an entry."""
    return np.stack([rows[:, k * j + i] for i in range(k) for j in range(i, k)])


def rotate(entries: Array, values: Array, turns: Array | None) -> None:
    """Decompose matrices, of which each entry is a row, into eigenvalues and vectors in any order.

    Entries (3, m) or (6, m) are a triangle of each matrix, (0, 0), (0, 1) and so on; ``values``
    (k, m) takes the eigenvalues, ``turns`` (k, k, m) their vectors, along its second axis.
    """
    k, m = values.shape
    places = [(i, j) for i in range(k) for j in range(i, k)]
    beside = dict(zip((p for p in places if p[0] != p[1]), kept("beside", k, m), strict=False))
    for (i, j), entry in zip(places, entries, strict=True):
        (values[i] if i == j else beside[i, j])[:] = entry
    if turns is not None:
        turns[:] = np.eye(k)[:, :, None]
    buffers = kept("buffers", 3 + 2 * k, m)
    with np.errstate(all="ignore"):  # what overflows is found below
        for _ in range(SWEEPS[k]):
            for place in beside:
                _rotate_away(values, turns, beside, place, buffers)
        left = np.max(np.abs(list(beside.values())), axis=0)
        size = np.max(np.abs(values), axis=0)
        lost = ~((left <= LEFT * size) & (size >= SMALLEST))
    if lost.any():
        _decompose_lost(entries[:, lost], places, lost, values, turns)


def _decompose_lost(
    entries: Array,
    places: list[tuple[int, int]],
    lost: Array,
    values: Array,
    turns: Array | None,
) -> None:
    """Let LAPACK decompose some matrices."""
    x = np.empty((entries.shape[1], len(values), len(values)))
    for (i, j), entry in zip(places, entries, strict=True):
        x[:, i, j] = x[:, j, i] = entry
    again = np.linalg.eigh(x)
    values[:, lost] = again.eigenvalues.T
    if turns is not None:
        turns[:, :, lost] = np.moveaxis(again.eigenvectors, 0, 2)


def _rotate_away(
    values: Array,
    turns: Array | None,
    beside: dict[tuple[int, int], Array],
    place: tuple[int, int],
    buffers: Array,
) -> None:
    """Rotate in the plane of two axes such that the entry beside the diagonal there vanishes."""
    i, j = place
    entry = beside[place]
    tangent, cosine, sine = buffers[:3]
    parts, others = buffers[3 : 3 + len(values)], buffers[3 + len(values) :]
    part, other = parts[0], others[0]
    # tan = 2 b / (h + sign(h) sqrt(h^2 + 4 b^2)), h the difference on the diagonal: at most 1.
    gap = np.subtract(values[j], values[i], out=part)
    np.add(entry, entry, out=tangent)
    np.multiply(tangent, tangent, out=cosine)
    cosine += np.multiply(gap, gap, out=other)
    np.copysign(np.sqrt(cosine, out=cosine), gap, out=cosine)
    cosine += gap
    cosine += TINY
    tangent /= cosine
    change = np.multiply(tangent, entry, out=part)
    values[i] -= change
    values[j] += change
    entry[:] = 0.0
    np.multiply(tangent, tangent, out=cosine)
    cosine += 1.0
    np.reciprocal(np.sqrt(cosine, out=cosine), out=cosine)
    np.multiply(tangent, cosine, out=sine)
    if len(beside) > 1:
        (third,) = {0, 1, 2} - {i, j}
        first, second = (beside[min(a, third), max(a, third)] for a in place)
        _turn(first, second, cosine, sine, part, other)
    if turns is not None:
        _turn(turns[:, i], turns[:, j], cosine, sine, parts, others)


def _turn(
    first: Array, second: Array, cosine: Array, sine: Array, part: Array, other: Array
) -> None:
    """Turn pairs of numbers, in place."""
    np.multiply(sine, second, out=part)
    np.multiply(sine, first, out=other)
    np.subtract(np.multiply(first, cosine, out=first), part, out=first)
    np.add(np.multiply(second, cosine, out=second), other, out=second)


def _sort(values: Array, turns: Array | None) -> None:
    """Bring eigenvalues, and their vectors, into ascending order."""
    for i, j in ((0, 1),) if len(values) == 2 else ((0, 1), (1, 2), (0, 1)):
        _order(values, turns, i, j)


def _order(values: Array, turns: Array | None, i: int, j: int) -> None:
    """Exchange two eigenvalues, and their vectors, where they are in descending order."""
    swap = values[i] > values[j]
    if not swap.any():
        return
    for pair in (values, *(() if turns is None else turns)):
        pair[i], pair[j] = np.where(swap, pair[j], pair[i]), np.where(swap, pair[i], pair[j])
