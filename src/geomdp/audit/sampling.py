"""Many draws through the function that a release calls."""

import numpy as np

from geomdp.noise.entropy import SystemEntropy
from geomdp.plans import SinglePlan
from geomdp.statistics.encoded import Encoded
from geomdp.typing import Array

#: Numbers that the values of a sample may hold: bounds memory.
MOST_NUMBERS = 20_000_000
#: Numbers of the records that a draw may look at before it counts as more than one.
NUMBERS_A_DRAW = 30


class FloatSystemEntropy(SystemEntropy):
    """The operating system's bytes for draws in floats: thousands a second, never published.

    Laws propose and accept by the same code as in a release, on floats in place of intervals.
    """

    exact = False
    name = "operating system, in floats"


def affordable(plan: SinglePlan, draws: int) -> int:
    """Return how many draws of a plan a check can make, at most ``draws``; always even.

    The K-norm gradient looks at every record in every draw; wide values fill the memory.
    """
    statistic = plan.statistic
    size = max(np.size(statistic.public_record), np.size(statistic.public_value))
    looked_at = plan.n * size if plan._mechanism.looks_at_records else 0
    work = max(1.0, looked_at / NUMBERS_A_DRAW)
    return max(200, min(int(draws / work), MOST_NUMBERS // size)) // 2 * 2


def float_draws(plan: SinglePlan, encoded: Array, size: int) -> Array:
    """Draw as a release does, with floats in place of intervals."""
    return plan._mechanism.draw(plan.calibration, Encoded.of(encoded), FloatSystemEntropy(), size)


def exact_draws(plan: SinglePlan, encoded: Array, size: int) -> Array:
    """Draw exactly as a release does, value by value."""
    return plan._mechanism.draw(plan.calibration, Encoded.of(encoded), SystemEntropy(), size)


def as_features(values: Array) -> Array:
    """Real numbers (m, D) of values of any shape.

    >>> as_features(np.array([[1 + 2j]])).tolist()
    [[1.0, 2.0]]
    """
    flat = np.asarray(values).reshape(len(values), -1)
    return np.concatenate([flat.real, flat.imag], axis=1) if np.iscomplexobj(flat) else flat
