"""Which pairs of neighbours an audit looks at, and the draws of them, made once."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from geomdp.audit.claims import Claim, claim_of
from geomdp.audit.events import affordable, best_event, blind_scores, float_draws
from geomdp.audit.findings import Settings
from geomdp.audit.neighbours import Pair, pairs
from geomdp.mechanisms.pair_law import PairLaw
from geomdp.plans import SinglePlan
from geomdp.privacy import Budget
from geomdp.typing import Array

#: Pilot draws of every pair, as a part of all draws, and the fewest that rank pairs reliably.
PILOT, FEWEST = 50, 1000
#: Pilot bounds only rank: they need not be sure.
PILOT_MISS = 0.1
#: Pairs with this part of the worst loss are worth testing.
NEARLY = 0.5


def law_of(plan: SinglePlan, pair: Pair) -> PairLaw | None:
    """Return the two laws of a pair; None where the mechanism has no formula for them.

    Examples
    --------
    >>> import geomdp as dp
    >>> plan = dp.plan(dp.Summary(dp.Sphere(2), 0.01), budget=dp.Pure(1), mechanism="laplace")
    >>> round(law_of(plan, pairs(plan)[0]).size, 6)
    1.0
    """
    return plan._mechanism.pair_law(plan.calibration, *pair.sets)


@dataclass(frozen=True, eq=False)
class Suspects:
    """The pairs of a plan, and the two that look worst: by their laws, and by pilot draws."""

    plan: SinglePlan
    settings: Settings
    #: What the plan may spend, where a rule of stages fixed it.
    allowed: Budget | None = None

    @cached_property
    def claim(self) -> Claim:
        """What every bound is compared with."""
        return claim_of(self.plan, self.allowed)

    @cached_property
    def pairs(self) -> list[Pair]:
        """All candidates."""
        return pairs(self.plan, self.settings.seed)

    @cached_property
    def laws(self) -> list[PairLaw]:
        """The two laws of each pair; empty where the mechanism's are not known."""
        found = (law_of(self.plan, pair) for pair in self.pairs)
        return [law for law in found if law is not None]

    @cached_property
    def losses(self) -> list[float]:
        """Loss of each pair by its laws."""
        if all(law.constant is not None for law in self.laws):
            return [law.size + abs(law.constant or 0.0) for law in self.laws]
        return [law.exact(*draws) for law, draws in zip(self.laws, self._pilots, strict=True)]

    @cached_property
    def worst(self) -> Pair:
        """The pair whose laws differ most, or whose draws do where no law is known."""
        if not self.laws:
            return self.odd
        return self.pairs[int(np.argmax(self.losses))]

    @cached_property
    def shown(self) -> Pair:
        """Among the pairs that lose nearly as much, the one whose draws show it best."""
        radii = self.plan.statistic.as_cover() is not None
        if not radii and all(law.constant == 0.0 for law in self.laws):
            return self.worst  # the same law elsewhere: all pairs show their loss alike
        claim, bounds = self.claim, list[float]()
        for law, draws, loss in zip(self.laws, self._pilots, self.losses, strict=True):
            here, there = (law.log_ratio(values) for values in draws)
            near = loss >= NEARLY * max(self.losses)
            bounds.append(best_event(claim, here, there, PILOT_MISS).bound if near else -1.0)
        return self.pairs[int(np.argmax(bounds))]

    @cached_property
    def odd(self) -> Pair:
        """The pair that pilot draws tell apart best, whatever the laws should be."""
        claim, miss = self.claim, self.settings.miss
        bounds = [best_event(claim, *blind_scores(*draws), miss).bound for draws in self._pilots]
        return self.pairs[int(np.argmax(bounds))]

    def draws(self, pair: Pair, most: int | None = None) -> tuple[Array, Array]:
        """As many draws in floats as the settings ask for, or ``most``; made once."""
        size = affordable(self.plan, min(self.settings.draws, most or self.settings.draws))
        drawn = self._drawn.get(pair.name)
        if drawn is None or len(drawn[0]) < size:
            drawn = self._drawn[pair.name] = self._draw(pair, size)
        return drawn[0][:size], drawn[1][:size]

    @cached_property
    def _drawn(self) -> dict[str, tuple[Array, Array]]:
        return {}

    def _draw(self, pair: Pair, size: int) -> tuple[Array, Array]:
        first, second = (float_draws(self.plan, d, size) for d in (pair.first, pair.second))
        return first, second

    @cached_property
    def _pilots(self) -> list[tuple[Array, Array]]:
        size = max(FEWEST, affordable(self.plan, self.settings.draws) // PILOT)
        return [self._draw(pair, size) for pair in self.pairs]
