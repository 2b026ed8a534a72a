"""The discrete exponential mechanism, exact: one of finitely many answers, by its weight.

Weights are ``2**a exp(-b)`` with integers a and exact fractions b. Intervals enclose their sums,
and one uniform real number, whose bits are drawn as they are needed, decides with proof
(docs/theory/private-ball.md, section 2).
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from typing import TypeAlias

import numpy as np

from geomdp import intervals
from geomdp.noise.entropy import Entropy, UniformReals
from geomdp.typing import Array

#: ``(a, b)`` stands for the weight ``2**a exp(-b)``.
Weight: TypeAlias = tuple[int, Fraction]


def draw_indices(weights: Sequence[Weight], entropy: Entropy, size: int) -> list[int]:
    """Draw ``size`` indices, each as :func:`draw_index` does."""
    if entropy.exact:
        return [draw_index(weights, entropy) for _ in range(size)]
    below = np.cumsum(probabilities(weights)[:-1])
    indices = np.searchsorted(below, entropy.uniforms((size,)), side="right")
    return [int(i) for i in np.atleast_1d(indices)]


def draw_index(weights: Sequence[Weight], entropy: Entropy) -> int:
    """Draw an index with probability proportional to its weight; in floats if never published."""
    if not entropy.exact:
        return draw_indices(weights, entropy, 1)[0]
    number = UniformReals(entropy, 1)

    def decided(bits: int) -> int:
        sums = np.array([*accumulate(map(_enclosed, weights))], dtype=object)
        target = number.intervals(bits)[0] * sums[-1]
        return len(sums) - 1 - int(np.sum(intervals.less(target, sums[:-1])))

    return intervals.decide(decided)


def probabilities(weights: Sequence[Weight]) -> Array:
    """Return the law of :func:`draw_index` in floats, for forecasts."""
    logs = np.array([a * np.log(2) - float(b) for a, b in weights])
    mass = np.exp(logs - np.max(logs))
    return np.asarray(mass / np.sum(mass))


def _enclosed(weight: Weight) -> intervals.Interval:
    doublings, loss = weight
    return intervals.dyadic(1, doublings) * (-intervals.interval(loss)).exp()
