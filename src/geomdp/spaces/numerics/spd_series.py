"""Sums of logarithms of many positive definite matrices, by products of matrices alone.

A product of two matrices costs a fortieth of their eigenvalues and eigenvectors. Each matrix is
scaled to ``c (1 + X)``, and ``log(1 + X)`` is the polynomial that Chebyshev's series of
``log(1 + b y)`` on [-1, 1] gives, evaluated in blocks of powers (Paterson and Stockmeyer 1973,
doi:10.1137/0202007); b bounds the spectra of all X. The last product and the sum over matrices are
one product. Matrices whose spectra are too wide for a polynomial are found by their second power
at most, and decomposed once.
"""

from functools import lru_cache

import numpy as np
from numpy.polynomial import chebyshev

from geomdp.spaces.numerics import decompositions, linalg
from geomdp.spaces.numerics.compiling import compiled
from geomdp.spaces.numerics.pieces import kept
from geomdp.typing import Array

#: Sizes of NumPy's matrices: smaller ones have closed forms, of larger ones eigenvalues cost less.
SIZES = range(4, 81)
#: Largest b: beyond it the polynomial, as a sum of powers, cancels.
REACH = 0.8
#: Mean square of X beyond which a spectrum is too wide, but for a few that this costs an ``eigh``.
MEAN_SQUARE = 0.2
#: The same of the ratio of the lengths of its second power and itself, which b is not below.
SEEN = 0.6
#: b is rounded up to a multiple of the inverse of this, so that few polynomials are needed.
STEPS = 40
#: What the polynomial may be off.
ERROR = 1e-15
#: Powers of X that are held at once; a power of two, so that each product doubles their number.
BLOCK = 8
#: Numbers of the matrices at a time: their powers fit a core's cache, and arrays of them are just
#: small enough that the system is not asked for the pages of each anew.
PIECE_NUMBERS = 1 << 14


def log_sum(x: Array, shares: Array | None, inverse: Array | None = None) -> tuple[Array, Array]:
    """Sum of the logarithms of many symmetric matrices, and which it leaves out as too wide.

    Those are beyond ``FAR_SPECTRUM``, or not positive; on a device all whose spectrum is wider than
    :data:`REACH` allows. All are whitened first where an inverse is given:
    ``inverse x inverse^T``.
    """
    if not isinstance(x, np.ndarray):
        return _sum_on_device(x, shares, inverse)
    x = x if inverse is None else whitened(x, inverse)
    k = x.shape[-1]
    scale, narrow = _maybe_narrow(x)
    left, total = ~narrow, np.zeros((k, k), x.dtype)
    rows, size = np.flatnonzero(narrow), max(1, PIECE_NUMBERS // (k * k))
    for i in range(0, len(rows), size):
        some = rows[i : i + size]
        part, left[some] = _sum_of_narrow(*_picked(x, shares, some), scale[some])
        total = total + part
    if left.any():
        # All of them at once, since a library is long asked for a few.
        rows = np.flatnonzero(left)
        more, left[rows] = decompositions.rough_log_sum(*_picked(x, shares, rows))
        total = total + more
    return total, left


def mostly_wide(x: Array, inverse: Array) -> bool:
    """Tell whether of NumPy's matrices, whitened, most are decomposed for the sum."""
    return bool(2 * np.sum(_maybe_narrow(whitened(x, inverse))[1]) < len(x))


def whitened(x: Array, inverse: Array) -> Array:
    """``inverse x inverse^T`` of many symmetric x."""
    half = linalg.namespace(x).reshape(x, (-1, x.shape[-1])) @ linalg.transpose(inverse)
    return inverse @ linalg.namespace(x).reshape(half, x.shape)


def _maybe_narrow(x: Array) -> tuple[Array, Array]:
    """Return a scale of each matrix, and which may be narrow enough; that hangs on it alone."""
    scale, mean_square = _scale(x)
    return scale, mean_square <= MEAN_SQUARE


def _sum_of_narrow(x: Array, shares: Array | None, scale: Array) -> tuple[Array, Array]:
    """Sum of the logarithms of those that powers show to be narrow, and which are not."""
    first = x / scale[:, None, None]
    first -= np.eye(x.shape[-1])
    second = first @ first
    wide = ~(_square(second) <= SEEN**2 * _square(first))
    if wide.any():
        seen = np.flatnonzero(~wide)
        first, second, scale = first[seen], second[seen], scale[seen]
        shares = None if shares is None else shares[seen]
        if not len(seen):
            return np.zeros(x.shape[1:]), wide
    total, wide[~wide] = _sum_of_powers(_powers(first, second), scale, shares)
    return total, wide


def _picked(x: Array, shares: Array | None, rows: Array) -> tuple[Array, Array | None]:
    """Pick some matrices and their shares; nothing is copied where they are all."""
    if len(rows) == len(x):
        return x, shares
    return x[rows], None if shares is None else shares[rows]


def _square(x: Array) -> Array:
    """Sum of the squares of the entries of each matrix."""
    rows = linalg.namespace(x).reshape(x, (x.shape[0], x.shape[-2] * x.shape[-1]))
    return linalg.short_dot(rows, rows)[:, 0]


def _scale(x: Array) -> tuple[Array, Array]:
    """Return a scale c of each matrix, and the mean square of the spectrum of ``x / c - 1``."""
    # The middle of the spectrum of a sample covariance; any scale in the middle will do.
    xp, k = linalg.namespace(x), x.shape[-1]
    with np.errstate(all="ignore"):  # what is no number is wide
        rows, squares = xp.reshape(x, (x.shape[0], k * k)), _square(x)
        trace = xp.sum(rows[:, :: k + 1], axis=-1)
        return squares / trace, 1 - trace * trace / (k * squares)


def _sum_on_device(x: Array, shares: Array | None, inverse: Array | None) -> tuple[Array, Array]:
    """Sum of the logarithms of matrices on a device, all at once; and which are too wide.

    It is asked twice: how wide the spectra are, and for the polynomial that is long enough.
    """
    if not x.shape[0]:
        return linalg.zeros(x.shape[1:], x), linalg.namespace(x).zeros_like(x[:, 0, 0]) > 0
    powers, scale, shares, wide, longest = _narrow_powers(x, shares, inverse)
    first, blocks = log1p_polynomial(_step(float(longest)))
    polynomial = linalg.constant(first, x), linalg.constant(blocks, x)
    return _log_polynomial_sum(*polynomial, powers, scale, shares), wide


@compiled
def _narrow_powers(
    x: Array, shares: Array | None, inverse: Array | None
) -> tuple[Array, Array, Array, Array, Array]:
    """First powers of the narrow ones, 0 of others, with scales and shares; how wide they are."""
    xp = linalg.namespace(x)
    white = x if inverse is None else whitened(x, inverse)
    scale, _ = _scale(white)
    powers = _powers(white / scale[:, None, None] - linalg.eye(x.shape[-1], x))
    lengths, wide = _widths(powers, scale)
    shares = xp.ones_like(scale) if shares is None else shares
    return (
        xp.where(wide[:, None, None], 0.0, powers),
        xp.where(wide, 1.0, scale),
        xp.where(wide, 0.0, shares),
        wide,
        xp.max(xp.where(wide, 0.0, lengths)),
    )


def _widths(powers: Array, scale: Array) -> tuple[Array, Array]:
    """Bound the spectrum of each matrix by its eighth power; and tell which is too wide."""
    with np.errstate(all="ignore"):  # what is no number is wide
        # The largest eigenvalue is at most the root of the length of the eighth power.
        lengths = _square(powers[:, -powers.shape[-1] :, :]) ** (1 / (2 * BLOCK))
    return lengths, ~((lengths <= REACH) & (scale > 0))


def _step(longest: float) -> int:
    """Which polynomial is long enough for spectra up to here."""
    return max(1, int(np.ceil(STEPS * longest)))


def _sum_of_powers(powers: Array, scale: Array, shares: Array | None) -> tuple[Array, Array]:
    """Sum of the logarithms of ``scale (1 + X)``, by the first powers of X; and which are wide."""
    lengths, wide = _widths(powers, scale)
    if wide.any():
        powers = np.where(wide[:, None, None], 0.0, powers)
        lengths, scale = np.where(wide, 0.0, lengths), np.where(wide, 1.0, scale)
        shares = np.where(wide, 0.0, np.ones_like(scale) if shares is None else shares)
    first, blocks = log1p_polynomial(_step(float(np.max(lengths))))
    return _log_polynomial_sum(first, blocks, powers, scale, shares), wide


@compiled
def _log_polynomial_sum(
    first: float | Array, blocks: Array, powers: Array, scale: Array, shares: Array | None
) -> Array:
    """Sum over matrices of a logarithm: that of its scale, and a polynomial with its constant."""
    xp = linalg.namespace(powers)
    logs = xp.log(scale) + first
    logs = xp.sum(logs if shares is None else shares * logs)
    return logs * linalg.eye(powers.shape[-1], powers) + _polynomial_sum(blocks, powers, shares)


def _powers(x: Array, second: Array | None = None) -> Array:
    """Return the first powers of symmetric matrices (m, k, k), one below the other: (m, 8 k, k)."""
    count, k, _ = x.shape
    if not isinstance(x, np.ndarray):
        powers = x
        while powers.shape[1] < BLOCK * k:
            powers = linalg.namespace(x).concat([powers, powers @ powers[:, -k:, :]], axis=1)
        return powers
    out = kept("powers", count, BLOCK * k * k).reshape(count, BLOCK * k, k)
    out[:, :k] = x
    out[:, k : 2 * k] = x @ x if second is None else second
    known = 2 * k
    while known < BLOCK * k:
        here = out[:, :known]
        np.matmul(here, here[:, -k:], out=out[:, known : 2 * known])
        known *= 2
    return out


def _polynomial_sum(blocks: Array, powers: Array, shares: Array | None) -> Array:
    """Sum over matrices of a polynomial without its constant, each times its share.

    ``blocks[i, j]`` belongs to the power ``i BLOCK + j + 1``.
    """
    xp = linalg.namespace(powers)
    count, _, k = powers.shape
    last = powers[:, -k:, :]
    flat = xp.reshape(powers, (count, BLOCK, k * k))
    parts = xp.reshape(blocks @ flat, (count, blocks.shape[0], k, k))
    lowest = xp.reshape(parts[:, 0, ...], (count, k * k))
    lowest = xp.sum(lowest, axis=0) if shares is None else shares @ lowest
    if blocks.shape[0] == 1:
        return xp.reshape(lowest, (k, k))
    here = parts[:, -1, ...]
    for i in range(blocks.shape[0] - 2, 0, -1):
        here = here @ last + parts[:, i, ...]
    # All are symmetric and commute, so that rows may stand for columns.
    left = xp.reshape(here if shares is None else here * shares[:, None, None], (count * k, k))
    return xp.reshape(lowest, (k, k)) + linalg.transpose(left) @ xp.reshape(last, (count * k, k))


@lru_cache(maxsize=STEPS)
def log1p_polynomial(step: int) -> tuple[float, Array]:
    """Polynomial that is ``log(1 + x)`` up to ``step / STEPS``: its constant, and blocks."""
    reach = step / STEPS
    # log(1 + b y) = log(b / 2 r) - 2 sum_j (-r)^j T_j(y) / j with the r below 1 of this:
    ratio = reach / (1 + np.sqrt(1 - reach**2))
    degree = max(1, int(np.ceil(np.log(ERROR) / np.log(ratio))))
    j = np.arange(1, degree + 1)
    series = np.concatenate([[np.log(reach / (2 * ratio))], -2 * (-ratio) ** j / j])
    found = chebyshev.cheb2poly(series) / reach ** np.arange(degree + 1)
    blocks = np.zeros((-(-degree // BLOCK), BLOCK))
    blocks.reshape(-1)[:degree] = found[1:]
    return float(found[0]), blocks
