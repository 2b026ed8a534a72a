"""Many draws through the function that a release calls."""

import numpy as np

from geomdp.noise.entropy import SystemEntropy
from geomdp.planning import Plan
from geomdp.typing import Array

#: Numbers that a sample may touch: bounds memory, and time where a draw looks at every record.
MOST_NUMBERS = 10_000_000


class FloatSystemEntropy(SystemEntropy):
    """The operating system's bytes for draws in floats: thousands a second, never published.

    Laws propose and accept by the same code as in a release, on floats in place of balls.
    """

    exact = False
    name = "operating system, in floats"


def affordable(plan: Plan, draws: int) -> int:
    """Return how many draws of a plan a check can make, at most ``draws``; always even.

    The K-norm gradient looks at every record in every draw; wide values fill the memory.
    """
    size = int(np.asarray(plan.statistic.public_record).size)
    each = size * (plan.n if plan.mechanism == "kng" else 1)
    return max(200, min(draws, MOST_NUMBERS // each)) // 2 * 2


def float_draws(plan: Plan, encoded: Array, size: int) -> Array:
    """Draw as a release does, with floats in place of balls."""
    return plan._mechanism.draw(plan.calibration, encoded, FloatSystemEntropy(), size)


def exact_draws(plan: Plan, encoded: Array, size: int) -> Array:
    """Draw exactly as a release does, value by value."""
    return plan._mechanism.draw(plan.calibration, encoded, SystemEntropy(), size)


def as_features(values: Array) -> Array:
    """Real numbers (m, D) of values of any shape.

    >>> as_features(np.array([[1 + 2j]])).tolist()
    [[1.0, 2.0]]
    """
    flat = np.asarray(values).reshape(len(values), -1)
    return np.concatenate([flat.real, flat.imag], axis=1) if np.iscomplexobj(flat) else flat
