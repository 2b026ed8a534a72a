"""What a plan claims about any event, and what counts of an event say about it with confidence.

For an event E of probability p on one data set and q on its neighbour, (epsilon, delta) allows
``log((p - delta) / q) <= epsilon``, and mu-GDP ``Phi^-1(p) - Phi^-1(q) <= mu``
(docs/theory/attackers-odds.md). Clopper-Pearson bounds of p from below and of q from above
make either a lower bound on the privacy loss that holds with the stated confidence.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import betaincinv, ndtri

from geomdp.plans import SinglePlan
from geomdp.privacy import GDP, Budget
from geomdp.typing import Array


def probability_bounds(hits: Array, size: int, miss: float) -> tuple[Array, Array]:
    """Clopper-Pearson bounds, each wrong with probability at most ``miss``."""
    hits = np.asarray(hits, dtype=float)
    none, every = hits <= 0, hits >= size
    low = betaincinv(np.where(none, 1.0, hits), size - hits + 1, miss)
    high = betaincinv(hits + 1, np.where(every, 1.0, size - hits), 1 - miss)
    return np.where(none, 0.0, low), np.where(every, 1.0, high)


@dataclass(frozen=True)
class Claim:
    """An upper bound on the privacy loss, in one of two currencies."""

    kind: Literal["epsilon", "mu"]
    value: float
    delta: float = 0.0

    def loss(self, p: Array, q: Array) -> Array:
        """Return the smallest epsilon or mu that allows probabilities ``p`` against ``q``."""
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.kind == "mu":
                return ndtri(p) - ndtri(q)
            return np.log(np.maximum(np.asarray(p) - self.delta, 0.0)) - np.log(q)

    def lower_bound(self, hits: Array, others: Array, size: int, miss: float) -> Array:
        """Return what the counts of an event on two data sets prove, but for twice ``miss``."""
        low, _ = probability_bounds(hits, size, miss)
        _, high = probability_bounds(others, size, miss)
        return np.maximum(self.loss(low, high), 0.0)

    def __str__(self) -> str:
        suffix = f" at delta {self.delta:.3g}" if self.delta else ""
        return f"{self.kind} at most {self.value:.6g}{suffix}"


def claim_of(plan: SinglePlan, allowed: Budget | None = None) -> Claim:
    """Return the tightest claim that a plan states.

    Gaussian mechanisms state their mu whatever the kind of budget; a pure mechanism keeps its
    epsilon without any delta.

    It may not claim more than ``allowed``: what somebody else fixed for it, such as the rule of its
    stages.
    """
    cost = plan.calibration.cost
    share = None if allowed is None else plan.unit.record_budget(allowed)
    loss = None if cost is None else cost.largest_loss()
    if cost is not None and loss is None:
        mu = cost.price(GDP).mu
        return Claim("mu", min(mu, share.mu) if isinstance(share, GDP) else mu)
    epsilon = float(plan.calibration.request.epsilon if loss is None else loss)
    most = float(share.parts[0]) if share is not None and share.is_pure else epsilon
    return Claim("epsilon", min(epsilon, most), 0.0 if cost is None else float(cost.failure()))
