"""Correctly rounded Gaussian noise: ``round(mean + spread Z)``, exact, many coordinates at once.

The ideal Z is a function (Box-Muller) of uniform real numbers. Floats evaluate it for all
coordinates together with a bound on their error; the few results that lie within that bound of a
rounding boundary are decided again in intervals, from the same bits and as many more as it takes
(docs/theory/lattice-gaussian.md, section 3).
"""

from collections.abc import Sequence
from fractions import Fraction
from math import floor

import numpy as np

from geomdp.intervals import decide, interval
from geomdp.noise import float_functions
from geomdp.noise.directions import normals
from geomdp.noise.entropy import Entropy, UniformReals
from geomdp.noise.rejection import round_to_grid
from geomdp.typing import Array

#: Error granted to each function and the arithmetic around it; what is proved is an eighth of it.
FLOAT_ERROR = 2.0**-46


def rounded_gaussian(means: Sequence[Fraction], spreads: Array, entropy: Entropy) -> list[int]:
    """Integers nearest to ``means + spreads Z``, Z independent standard normal real numbers.

    Both are in lattice steps; the floats of ``spreads`` count as exact numbers.
    """
    whole = [floor(mean) for mean in means]
    part = np.array([float(mean - base) for mean, base in zip(means, whole, strict=True)])
    pairs = -(-len(whole) // 2)
    words = np.frombuffer(entropy.take(16 * pairs), dtype="<u8").reshape(2, pairs)
    z, error = _float_normals(words, len(whole))
    value = part + spreads * z
    bound = spreads * error + FLOAT_ERROR * (1 + np.abs(value))
    nearest = np.floor(value + 0.5)
    doubtful = np.abs(value + 0.5 - np.rint(value + 0.5)) <= bound
    result = [base + int(near) for base, near in zip(whole, nearest, strict=True)]
    reals: dict[int, UniformReals] = {}
    for index in np.flatnonzero(doubtful).tolist():
        pair = index % pairs
        if pair not in reals:
            reals[pair] = UniformReals.continuing(entropy, words[:, pair].tolist())
        spread = float(spreads[index])
        result[index] = _decide_one(means[index], spread, reals[pair], index // pairs)
    return result


def _float_normals(words: Array, count: int) -> tuple[Array, Array]:
    """Return normal numbers from 64-bit words, and a bound on their distance from the ideal ones.

    A word k stands for a real number between ``k 2**-64`` and ``(k+1) 2**-64``.
    """
    u = (words.astype(np.float64) + 0.5) * 2.0**-64
    log = np.minimum(float_functions.log(np.minimum(u[0], 1 - 2.0**-53)), -(2.0**-54))
    radius = np.sqrt(-2 * log)
    cosine, sine = float_functions.turn(u[1])
    # The relative error of the first uniform is the absolute error of its logarithm; a word 0 says
    # nothing about the size of the number.
    unknown = np.where(words[0] == 0, np.inf, 2.0**-64 / u[0])
    log_error = 2.0**-52 + unknown + FLOAT_ERROR * -log
    radius_error = 2 * log_error / radius + FLOAT_ERROR * radius
    # No angle is off by more than 2 pi 2^-52, and a cosine moves no more than its angle.
    error = radius_error + (radius + radius_error) * (FLOAT_ERROR + 2 * np.pi * 2.0**-52)
    z = np.concatenate([radius * cosine, radius * sine])
    return z[:count], np.concatenate([error, error])[:count]


def _decide_one(mean: Fraction, spread: float, reals: UniformReals, component: int) -> int:
    """Round one coordinate with proof."""

    def nearest(bits: int) -> int:
        z = normals(reals.intervals(bits), 2)[0, component]
        center = interval(mean)
        return int(round_to_grid(np.array([center + spread * z], dtype=object), 0)[0])

    return decide(nearest)
