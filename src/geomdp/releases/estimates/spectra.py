"""Covariances and tests in many dimensions, where noise alone has a wide spectrum.

Proofs: docs/theory/covariances.md.
"""

import numpy as np

from geomdp.typing import Array

#: Distance from the mean, in standard deviations, at which the tail is continuous but its formula
#: divides by nearly nothing.
MIDDLE = 1e-4
#: Weights below this share of the largest add nothing that could be seen.
NOTHING = 1e-12


def on_simplex(values: Array) -> Array:
    """Return the nearest numbers of the same sum, none negative; 0 where that has none."""
    total = float(np.sum(values))
    if not total > 0:
        return np.zeros_like(values)
    falling = np.sort(values)[::-1]
    shifts = (np.cumsum(falling) - total) / np.arange(1, values.size + 1)
    shift = shifts[np.flatnonzero(falling > shifts)[-1]]
    return np.asarray(np.maximum(values - shift, 0.0))


def on_trace(matrix: Array) -> Array:
    """Return the nearest covariance of the same trace: eigenvalues onto the simplex.

    Of a true covariance of no larger trace it is never farther than the matrix was.
    """
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray((vectors * on_simplex(values)) @ vectors.T)


def chi_square(level: float, freedom: float) -> float:
    """Quantile of the chi-square law: the number of ``scipy.stats``, which is slow to import."""
    from scipy.special import gammaincinv

    return float(2 * gammaincinv(freedom / 2, level))


def tail(x: float, weights: Array, deviation: float = 0.0, shift: float = 0.0) -> float:
    """Return how likely a weighted sum of squares, with normal noise added, exceeds ``x``.

    The sum is of ``weights * (normal + offset)**2``, the offsets' squares adding up to ``shift``
    and spread evenly. By the saddlepoint (Lugannani and Rice 1980, doi:10.2307/1426607), to a few
    hundredths of itself.
    """
    from scipy.optimize import brentq
    from scipy.special import ndtr

    w = weights[weights > NOTHING * np.max(weights)]
    apart = shift / w.size
    mean = float(np.sum(w) * (1 + apart))
    wide = float(np.sqrt(2 * np.sum(w**2) * (1 + 2 * apart) + deviation**2))
    x = mean + MIDDLE * wide if abs(x - mean) < MIDDLE * wide else x

    def slope(t: float) -> float:
        left = 1 - 2 * w * t
        return float(np.sum(w / left + apart * w / left**2) + deviation**2 * t) - x

    top = 1 / (2 * float(np.max(w)))
    high, low = top * (1 - 1e-9), -top
    if slope(high) < 0:
        return 0.0
    while slope(low) > 0:
        low *= 2
        if low < -1e12 * top:
            return 1.0
    t = float(brentq(slope, low, high, xtol=1e-13 * top))
    left = 1 - 2 * w * t
    log = float(np.sum(-0.5 * np.log(left) + apart * w * t / left)) + 0.5 * (deviation * t) ** 2
    bend = float(np.sum(2 * (w / left) ** 2 * (1 + 2 * apart / left))) + deviation**2
    a = np.sign(t) * np.sqrt(max(2 * (t * x - log), 0.0))
    b = t * np.sqrt(bend)
    return float(np.clip(ndtr(-(a + np.log(b / a) / a)), 0.0, 1.0)) if a and b / a > 0 else 0.5
