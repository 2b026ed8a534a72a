"""Functions of many 2 x 2 or 3 x 3 matrices as seen from one, in doubles, entry by entry.

Matrices lie in memory as one row an entry, so that each product is a few operations on long
vectors: libraries take as long to be called for one small matrix as to multiply twenty. What a
matrix gets depends on that matrix alone, bit for bit.
"""

from collections.abc import Sequence

import numpy as np

from geomdp.spaces.numerics import small_eigh
from geomdp.spaces.numerics.cores import kept
from geomdp.spaces.numerics.matrix_functions import WIDE_SPECTRUM
from geomdp.spaces.numerics.spd_small import UPPER
from geomdp.typing import Array


def seen(inverse: Array, x: Array, minus: Array | None) -> tuple[Array, Array]:
    """Eigenvalues (k, m), in any order, and eigenvectors (k, k, m) of ``M (x - p) M^T``.

    They lie where a thread keeps them, until it is asked again.

    Parameters
    ----------
    inverse
        M, lower triangular.
    x
        Matrices (m, k, k), of which the symmetric part counts.
    minus
        p; None for 0.
    """
    k, m = x.shape[-1], len(x)
    values, turns = kept("values", k, m), kept("turns", k * k, m).reshape(k, k, m)
    small_eigh.rotate(_white(inverse, x, minus), values, turns)
    return values, turns


def spectrum(inverse: Array, x: Array, minus: Array | None) -> Array:
    """Eigenvalues alone, bit for bit those of :func:`seen`.

    >>> spectrum(np.eye(2), 3 * np.eye(2)[None], np.eye(2)).ravel().tolist()
    [2.0, 2.0]
    """
    values = kept("values", x.shape[-1], len(x))
    small_eigh.rotate(_white(inverse, x, minus), values, None)
    return values


def log1p_where_narrow(values: Array) -> Array:
    """Turn eigenvalues of ``W`` into logarithms of those of ``1 + W``; and tell which to see anew.

    As :mod:`geomdp.spaces.spd_affine` does: where spectra are too wide for their digits.
    """
    low, high = np.minimum(values[0], values[1]), np.maximum(values[0], values[1])
    for others in values[2:]:
        np.minimum(low, others, out=low)
        np.maximum(high, others, out=high)
    np.minimum(low, 0.0, out=low)
    np.maximum(high, 0.0, out=high)
    low += 1
    high += 1
    low *= WIDE_SPECTRUM
    wide: Array = high > low
    if wide.any():
        values[:, wide] = 0.0
    np.log1p(values, out=values)
    return wide


def compose(factor: Array, values: Array, turns: Array) -> Array:
    """``L U diag(values) U^T L^T``, exactly symmetric; L lower triangular."""
    k, _, m = turns.shape
    out = np.empty((m, k, k))
    root = kept("root", k * k, m).reshape(k, k, m)
    scaled, total, part = kept("scaled", k, m), kept("total", 1, m)[0], kept("part", 1, m)[0]
    for i in range(k):
        _sum_into(root[i], [(factor[i, a], turns[a]) for a in range(i + 1)], scaled)
    for i in range(k):
        np.multiply(root[i], values, out=scaled)
        for j in range(i, k):
            _sum_into(total, list(zip(scaled, root[j], strict=True)), part)
            out[:, i, j] = out[:, j, i] = total
    return out


def _white(inverse: Array, x: Array, minus: Array | None) -> Array:
    """Upper triangles of ``M (x - p) M^T``, one row an entry."""
    k, m = x.shape[-1], len(x)
    entries, white = kept("entries", len(UPPER[k]), m), kept("white", len(UPPER[k]), m)
    for entry, (i, j) in zip(entries, UPPER[k], strict=True):
        np.add(x[:, i, j], x[:, j, i], out=entry)
    entries *= 0.5
    if minus is not None:
        entries -= np.array([[minus[place]] for place in UPPER[k]])
    _whiten(inverse, entries, white)
    return white


def _whiten(map_: Array, entries: Array, out: Array) -> None:
    """Upper triangles of ``M x M^T``, M lower triangular, from those of x."""
    k, m = len(map_), entries.shape[1]
    place = {at: row for row, at in enumerate(UPPER[k])}
    half, part = kept("half", k, m), kept("part", 1, m)[0]
    for i in range(k):
        for j in range(k):
            terms = [(map_[i, a], entries[place[min(a, j), max(a, j)]]) for a in range(i + 1)]
            _sum_into(half[j], terms, part)
        for j in range(i, k):
            _sum_into(out[place[i, j]], [(map_[j, a], half[a]) for a in range(j + 1)], part)


def _sum_into(out: Array, terms: Sequence[tuple[Array, Array]], spare: Array) -> None:
    """Add up products, from the first to the last."""
    np.multiply(*terms[0], out=out)
    for term in terms[1:]:
        out += np.multiply(*term, out=spare)
