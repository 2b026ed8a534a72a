"""Functions of many 2 x 2 or 3 x 3 matrices at once, in doubles, entry by entry.

Matrices lie in memory as one row an entry, so that each step is a few operations on long vectors:
libraries take as long to be called for one small matrix as to multiply twenty. What a matrix gets
as seen from another depends on that matrix alone, bit for bit.

Sums of logarithms need no decomposition: eigenvalues by the trigonometric formula, the logarithm as
the polynomial that interpolates it there, in Newton's form:
``f(W) = f[a] + f[a, b] (W - a) + f[a, b, c] (W - a)(W - b)``. Where two eigenvalues nearly coincide
they are only known to the root of the rounding error, but the product of what they are off enters;
the error of the logarithm then grows with the square of the condition number, not with its first
power as that of ``eigh``: hence only up to :data:`NARROW`.
"""

from collections.abc import Sequence

import numpy as np

from geomdp.spaces.numerics import small_eigh
from geomdp.spaces.numerics.decompositions import WIDE_SPECTRUM
from geomdp.spaces.numerics.pieces import kept
from geomdp.typing import Array

#: Largest ratio of eigenvalues for which the closed form is used: it errs by some 1e-13.
NARROW = 30.0
#: Stands in for 0 below a fraction whose numerator vanishes too.
TINY = 1e-300
SMALLEST_GAP = 1e-10
#: Entries of the upper triangle, by size: (row, column).
UPPER = {2: ((0, 0), (0, 1), (1, 1)), 3: ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))}


def log1p_sum(entries: Array, shares: Array | None) -> tuple[Array, Array]:
    """Sum of ``log(1 + W)`` over the narrow ones of many symmetric matrices W, and which are wide.

    Entries (3, m) or (6, m) are the upper triangle of each, row by row; wide are those whose
    spectrum is wider than :data:`NARROW`, or not positive.
    """
    k = 2 if len(entries) == 3 else 3
    spectrum = _spectrum_2(entries) if k == 2 else _spectrum_3(entries)
    wide = ~((spectrum[0] > -1) & (1 + spectrum[-1] <= NARROW * (1 + spectrum[0])))
    some = bool(wide.any())
    if some:
        spectrum = tuple(np.where(wide, 0.0, value) for value in spectrum)
        kept = np.where(wide, 0.0, 1.0)
        shares = kept if shares is None else shares * kept
    weights = _powers(*spectrum)
    if shares is not None:
        weights = tuple(weight * shares for weight in weights)
    total = np.sum(weights[0]) * np.eye(k) + _symmetric(entries @ weights[1], k)
    if k == 3:
        total = total + _square((entries * weights[2]) @ entries.T)
    return total, wide


def upper_rows(x: Array, map_: Array) -> Array:
    """Upper triangles of ``M x M^T`` as rows, for symmetric matrices x (m, k, k): one product."""
    k = map_.shape[0]
    both = (map_[:, None, :, None] * map_[None, :, None, :]).reshape(k, k, k * k)
    rows = np.array([both[i, j] for i, j in UPPER[k]])
    return rows @ x.reshape(-1, k * k).T


def _symmetric(upper: Array, k: int) -> Array:
    return matrices(upper[:, None], k)[0]


def matrices(upper: Array, k: int) -> Array:
    """Symmetric matrices (m, k, k) from their upper triangles, one row an entry."""
    out = np.empty((upper.shape[1], k, k))
    for entry, (i, j) in zip(upper, UPPER[k], strict=True):
        out[:, i, j] = out[:, j, i] = entry
    return out


def _square(products: Array) -> Array:
    """Sum of squares of 3 x 3 matrices, from the sums of the products of their entries."""
    place = np.array([[0, 1, 2], [1, 3, 4], [2, 4, 5]])
    return np.sum(products[place[:, None, :], place[None, :, :]], axis=-1)


def _powers(*spectrum: Array) -> tuple[Array, ...]:
    """Weights of the powers of W in the polynomial that is log(1 + W) at its eigenvalues."""
    low, middle = spectrum[:2]
    first = _log1p_slope(low, middle)
    if len(spectrum) == 2:
        return np.log1p(low) - low * first, first
    high = spectrum[2]
    # Below this gap what it divides is rounding, and the term that it weighs vanishes.
    second = (_log1p_slope(middle, high) - first) / np.maximum(high - low, SMALLEST_GAP)
    return (
        np.log1p(low) - low * (first - second * middle),
        first - second * (low + middle),
        second,
    )


def _spectrum_2(entries: Array) -> tuple[Array, ...]:
    """Eigenvalues in ascending order."""
    a, b, d = entries
    half, center = (a - d) / 2, (a + d) / 2
    half = np.sqrt(half * half + b * b)
    return center - half, center + half


def _spectrum_3(entries: Array) -> tuple[Array, ...]:
    """Eigenvalues in ascending order, by the angle whose cosine is the scaled determinant."""
    a, b, c, d, e, f = entries
    center = (a + d + f) / 3
    a, d, f = a - center, d - center, f - center
    bb, cc, ee = b * b, c * c, e * e
    square = (a * a + d * d + f * f + 2 * (bb + cc + ee)) / 6
    spread = np.sqrt(square)
    determinant = a * (d * f - ee) + c * (2 * (b * e) - c * d) - bb * f
    ratio = determinant / (2 * square * spread + TINY)
    cosine = np.cos(np.arccos(np.minimum(np.maximum(ratio, -1.0), 1.0)) / 3)
    # The angle lies in [0, pi/3], where the sine is not negative.
    sine = np.sqrt(np.maximum(3 - 3 * cosine * cosine, 0.0))
    high, low = 2 * spread * cosine, -spread * (cosine + sine)
    return center + low, center - high - low, center + high


def _log1p_slope(a: Array, b: Array) -> Array:
    """``(log1p(b) - log1p(a)) / (b - a)``, without cancellation."""
    base = 1 + a
    # The quotient log(u) / (u - 1) is accurate for the u that was rounded.
    ratio = (b - a) / base + 1
    gap = ratio - 1
    return np.where(gap == 0, 1.0, np.log(ratio) / np.where(gap == 0, 1.0, gap)) / base


def seen(inverse: Array, x: Array, minus: Array | None) -> tuple[Array, Array]:
    """Eigenvalues (k, m), in any order, and eigenvectors (k, k, m) of ``M (x - p) M^T``.

    They lie where a thread keeps them, until it is asked again. ``inverse`` is M, lower triangular,
    ``minus`` p; the symmetric parts of x (m, k, k) count.
    """
    k, m = x.shape[-1], len(x)
    values, turns = kept("values", k, m), kept("turns", k * k, m).reshape(k, k, m)
    small_eigh.rotate(_white(inverse, x, minus), values, turns)
    return values, turns


def spectrum(inverse: Array, x: Array, minus: Array | None) -> Array:
    """Eigenvalues alone, bit for bit those of :func:`seen`."""
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
