"""Sums of logarithms of many positive definite matrices, by products of matrices alone.

A product of two matrices costs a fortieth of their eigenvalues and eigenvectors. Each matrix is
scaled to ``c (1 + X)``, and ``log(1 + X)`` is the polynomial that Chebyshev's series of
``log(1 + b y)`` on [-1, 1] gives, evaluated in blocks of powers (Paterson and Stockmeyer); b bounds
the spectra of all X. The last product and the sum over matrices are one product.
"""

from functools import lru_cache

import numpy as np
from numpy.polynomial import chebyshev

from geomdp.spaces import linalg
from geomdp.typing import Array

#: Sizes of NumPy's matrices: smaller ones have closed forms, of larger ones eigenvalues cost less.
SIZES = range(4, 81)
#: Largest b: beyond it the polynomial, as a sum of powers, cancels.
REACH = 0.8
#: b is rounded up to a multiple of the inverse of this, so that few polynomials are needed.
STEPS = 40
#: What the polynomial may be off.
ERROR = 1e-15
#: Powers of X that are held at once.
BLOCK = 6


def log_sum(x: Array, shares: Array | None) -> tuple[Array, Array]:
    """Sum of the logarithms of the narrow ones of many symmetric matrices, and which are wide.

    Parameters
    ----------
    x
        Array (m, k, k) of any library, k at least 2.
    shares
        Weights (m,); 1 where they are not given.

    Returns
    -------
    tuple
        The (k, k) sum, and a mask (m,) of the matrices left out: those whose spectrum is wider
        than :data:`REACH` allows, or not positive.

    Examples
    --------
    >>> total, wide = log_sum(np.array([np.diag([np.e, 1.0]), np.diag([1.0, -1.0])]), None)
    >>> total.round(12).tolist(), wide.tolist()
    ([[1.0, 0.0], [0.0, 0.0]], [False, True])
    """
    xp = linalg.namespace(x)
    count, k, _ = x.shape
    rows = xp.reshape(x, (count, k * k))
    # The middle of the spectrum of a sample covariance; any scale in the middle will do.
    scale = linalg.short_dot(rows, rows)[:, 0] / xp.sum(rows[:, :: k + 1], axis=-1)
    powers = _powers(x / scale[:, None, None] - linalg.eye(k, x))
    # The largest eigenvalue is at most the root of the length of the eighth power.
    eighth = xp.reshape(powers[3] @ powers[3], (count, k * k))
    lengths = linalg.short_dot(eighth, eighth)[:, 0] ** (1 / 16)
    wide = ~((lengths <= REACH) & (scale > 0))
    weights = xp.ones_like(scale) if shares is None else shares
    if bool(xp.any(wide)):
        powers = [xp.where(wide[:, None, None], 0.0, power) for power in powers]
        lengths, weights = (xp.where(wide, 0.0, v) for v in (lengths, weights))
        scale = xp.where(wide, 1.0, scale)
    largest = float(xp.max(lengths)) if count else 0.0
    first, blocks = log1p_polynomial(max(1, int(np.ceil(STEPS * largest))))
    logs = xp.sum(weights * (xp.log(scale) + first))
    return logs * linalg.eye(k, x) + _polynomial_sum(blocks, powers, weights), wide


def _powers(x: Array) -> list[Array]:
    """Return the first powers of matrices, x itself first."""
    powers = [x]
    for j in range(2, BLOCK + 1):
        powers.append(powers[j // 2 - 1] @ powers[j - j // 2 - 1])
    return powers


def _polynomial_sum(blocks: Array, powers: list[Array], weights: Array) -> Array:
    """Sum over matrices of a polynomial without its constant, each times its weight.

    ``blocks[i, j]`` belongs to the power ``i BLOCK + j + 1``.
    """
    xp = linalg.namespace(weights)
    count, k, _ = powers[0].shape
    flat = xp.reshape(xp.stack(powers), (BLOCK, count * k * k))
    parts = xp.reshape(linalg.constant(blocks, weights) @ flat, (len(blocks), count, k, k))
    lowest = xp.reshape(weights @ xp.reshape(parts[0, ...], (count, k * k)), (k, k))
    if len(blocks) == 1:
        return lowest
    here = parts[len(blocks) - 1, ...]
    for i in range(len(blocks) - 2, 0, -1):
        here = here @ powers[-1] + parts[i, ...]
    # All are symmetric and commute, so that rows may stand for columns.
    left = xp.reshape(here * weights[:, None, None], (count * k, k))
    return lowest + linalg.transpose(left) @ xp.reshape(powers[-1], (count * k, k))


@lru_cache(maxsize=STEPS)
def log1p_polynomial(step: int) -> tuple[float, Array]:
    """Polynomial that is ``log(1 + x)`` up to ``step / STEPS``: its constant, and blocks of others.

    >>> first, blocks = log1p_polynomial(4)
    >>> powers = 0.1 ** np.arange(1, blocks.size + 1)
    >>> bool(abs(first + blocks.ravel() @ powers - np.log(1.1)) < 1e-15)
    True
    """
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
