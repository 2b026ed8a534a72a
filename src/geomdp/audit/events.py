"""Choose an event on one half of the draws and test it on the other."""

from dataclasses import dataclass

import numpy as np

from geomdp.audit.claims import Claim
from geomdp.typing import Array

#: Shares of the draws above the thresholds tried on the first half: even ones, and rare ones, since
#: a law loses most where few draws fall. The bound itself weighs rarity against loss.
SHARES = np.concatenate([np.linspace(1.0, 0.0, 64)[:-1], np.geomspace(0.015, 1e-6, 48)])


@dataclass(frozen=True)
class Outcome:
    """What an event proved.

    Attributes
    ----------
    bound
        Lower bound on the privacy loss.
    hits, others, size
        Counts of the event on the two data sets, and draws of each.
    level
        Threshold of the score.
    swapped
        Whether low scores make the event: it speaks for the second data set.
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

    Parameters
    ----------
    claim
        The currency.
    first, second
        Scores (m,) of the draws on each data set; high ones should speak for the first.
    miss
        Probability with which each of the two bounds may be wrong.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> tested = best_event(Claim("mu", 1.0), rng.normal(1, 1, 4000), rng.normal(0, 1, 4000), 1e-4)
    >>> 0.6 < tested.bound < 1.0
    True
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
