"""Choose an event on one half of the draws and test it on the other."""

from dataclasses import dataclass

import numpy as np

from geomdp.audit.claims import Claim
from geomdp.noise.entropy import SystemEntropy
from geomdp.plans import SinglePlan
from geomdp.statistics.encoded import Encoded
from geomdp.typing import Array

#: Shares of the draws above the thresholds tried on the first half: even ones, and rare ones, since
#: a law loses most where few draws fall. The bound itself weighs rarity against loss.
SHARES = np.concatenate([np.linspace(1.0, 0.0, 64)[:-1], np.geomspace(0.015, 1e-6, 48)])


@dataclass(frozen=True)
class Outcome:
    """What an event proved.

    ``bound``: lower bound on the privacy loss. ``hits``, ``others``, ``size``: counts of the event
    on the two data sets, and draws of each. ``level``: threshold of the score. ``swapped``: whether
    low scores make the event: it speaks for the second data set.
    """

    bound: float
    hits: int
    others: int
    size: int
    level: float = 0.0
    swapped: bool = False

    def counts(self) -> str:
        """Say what was counted."""
        return f"{self.hits} against {self.others} of {self.size}"


def best_event(claim: Claim, first: Array, second: Array, miss: float) -> Outcome:
    """Bound the loss by the event that a score exceeds a threshold, in either direction.

    ``claim``: the currency. ``first``, ``second``: scores (m,) of the draws on each data set; high
    ones should speak for the first. ``miss``: probability with which each of the two bounds may be
    wrong.
    """
    half = len(first) // 2
    plans = [(first, second), (-second, -first)]
    proved = []
    for a, b in plans:
        levels = np.quantile(np.concatenate([a[:half], b[:half]]), 1 - SHARES)
        bounds = claim.lower_bound(_above(a[:half], levels), _above(b[:half], levels), half, miss)
        proved.append((float(np.max(bounds)), float(levels[np.argmax(bounds)])))
    side = int(np.argmax([bound for bound, _ in proved]))
    a, b = plans[side]
    hits, others = (int(np.sum(s[half:] >= proved[side][1])) for s in (a, b))
    size = len(first) - half
    bound = claim.lower_bound(np.array(hits), np.array(others), size, miss)
    return Outcome(float(bound), hits, others, size, proved[side][1], side == 1)


def _above(scores: Array, levels: Array) -> Array:
    return len(scores) - np.searchsorted(np.sort(scores), levels, side="left")


# --- many draws through the function that a release calls


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
    """Real numbers (m, D) of values of any shape."""
    flat = np.asarray(values).reshape(len(values), -1)
    return np.concatenate([flat.real, flat.imag], axis=1) if np.iscomplexobj(flat) else flat


# --- an attack that knows nothing of the mechanism: a classifier trained on draws


#: Newton steps of the logistic regression.
STEPS = 8
RIDGE = 1e-3
#: Features beyond this many are projected on the difference of the means first.
MOST_FEATURES = 24


def blind_scores(first: Array, second: Array) -> tuple[Array, Array]:
    """Score draws by how much they look like the first data set; fitted on their first halves.

    A logistic regression on standardised coordinates, their squares and their length: it finds
    shifts and changes of spread.
    """
    half = len(first) // 2
    a, b = as_features(first), as_features(second)
    a, b = _few(a, b, half)
    train = np.concatenate([a[:half], b[:half]])
    middle, spread = np.median(train, axis=0), _spread(train)
    x, y = (_features((part - middle) / spread) for part in (a, b))
    weights = _logistic(np.concatenate([x[:half], y[:half]]), np.repeat([1.0, 0.0], half))
    return x @ weights, y @ weights


def _few(a: Array, b: Array, half: int) -> tuple[Array, Array]:
    """Keep the coordinates whose means differ most, and the projection on that difference."""
    if a.shape[1] <= MOST_FEATURES:
        return a, b
    shift = (a[:half].mean(axis=0) - b[:half].mean(axis=0)) / _spread(a[:half]) ** 2
    kept = np.argsort(-np.abs(shift) * _spread(a[:half]))[: MOST_FEATURES - 1]
    return tuple(np.column_stack([part @ shift, part[:, kept]]) for part in (a, b))  # type: ignore[return-value]


def _spread(x: Array) -> Array:
    # Quantiles, since laws may have heavy tails; never 0, since a coordinate may be constant.
    low, high = np.quantile(x, [0.1, 0.9], axis=0)
    return np.where(high > low, high - low, np.maximum(np.abs(high), 1.0) * 1e-12)


def _features(u: Array) -> Array:
    u = np.clip(u, -20, 20)
    length = np.sqrt(np.sum(u**2, axis=1, keepdims=True))
    return np.concatenate([np.ones_like(length), u, u**2 / 4, length], axis=1)


def _logistic(x: Array, y: Array) -> Array:
    """Ridge logistic regression by Newton's method."""
    weights = np.zeros(x.shape[1])
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        slope = x.T @ (y - p) / len(y) - RIDGE * weights
        bend = (x * (p * (1 - p))[:, None]).T @ x / len(y) + RIDGE * np.eye(x.shape[1])
        weights = weights + np.linalg.solve(bend, slope)
    return weights
