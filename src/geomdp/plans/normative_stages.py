"""The rule that finds a normative region: moments of one half of the records, radii of the other.

Proofs: docs/theory/normative.md.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import erfc, log, sqrt
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import GeomdpError, MechanismRefusedError
from geomdp.mechanisms import Forecast, Request
from geomdp.mechanisms.exponential import largest_steps
from geomdp.noise.entropy import Entropy, SystemEntropy
from geomdp.plans.ball_shares import BETA, Stage, mu_squared_of
from geomdp.plans.choosing import choose, request_from_json
from geomdp.plans.pooling import is_pooled, require_persons
from geomdp.plans.release import Release
from geomdp.plans.single import SinglePlan
from geomdp.plans.staged import STAGES, Stages
from geomdp.privacy import GDP, Budget, Cost, Pure, parallel, total
from geomdp.serial import Document
from geomdp.sources.records import Records
from geomdp.statistics import Statistic
from geomdp.statistics.normative import (
    MEDIAN,
    NormativeRegion,
    WhitenedRadius,
    inside,
    typical_radius,
)
from geomdp.statistics.whitening import Whitening

#: What the radius that holds half of people takes of the second half's budget.
OF_MEDIAN = Fraction(1, 4)
#: Beyond this mu floats know no tail of the normal law.
LARGEST_MU = 60.0


@dataclass(frozen=True, eq=False)
class NormativeStages(Stages):
    """Moments of a half that is drawn, then the median and the level's radius among the others."""

    tag: ClassVar[str] = "normative"
    fixed: ClassVar[str] = (
        "The mechanisms that find a normative region are fixed; leave mechanism out."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.request.statistic.in_stages != self.tag:
            raise GeomdpError(f"Stages of the rule {self.tag} find a NormativeRegion.")
        # What refuses must refuse before anything is spent.
        self._require_enough()
        self.first  # noqa: B018
        self._starts  # noqa: B018

    def asking(self, statistic: Statistic, budget: Budget) -> "NormativeStages":  # noqa: D102
        return replace(self, request=self._for(statistic, budget))

    @property
    def asked(self) -> NormativeRegion:
        """The region."""
        return self.request.statistic  # type: ignore[return-value]

    @property
    def ends_in_a_point(self) -> bool:  # noqa: D102
        return False

    @cached_property
    def halves(self) -> tuple[int, int]:
        """How many records the moments see, and how many the radii."""
        n = self.request.n
        return n // 2, n - n // 2

    @property
    def split_by_unit(self) -> bool:
        """Whether all that one unit can change lies in one half; else both halves are charged.

        Records a person up to a maximum lie in both.
        """
        return self.request.unit.of == "record" or is_pooled(self.request.unit)

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        """Moments, the radius that holds half, the radius that holds the level."""
        budget, parts = self.request.budget, Fraction(1) if self.split_by_unit else Fraction(1, 2)
        if budget.is_pure:
            whole = Pure(budget.parts[0] * parts)
            radii = whole.split(OF_MEDIAN, 1 - OF_MEDIAN)
            return (Stage("answer", whole), *(Stage("radius", one) for one in radii))
        square = mu_squared_of(self.request) * parts
        shares = (square * OF_MEDIAN, square * (1 - OF_MEDIAN))
        epsilons = (epsilon_of(sqrt(share)) for share in shares)
        radii = tuple(Pure(Fraction(f"{0.999 * epsilon:.4g}")) for epsilon in epsilons)
        return (Stage("answer", GDP.from_parts(square)), *(Stage("radius", one) for one in radii))

    @property
    def cost(self) -> Cost:
        """The dearer half's, where nobody is in both and no record can change who is where."""
        moments, *radii = self.costs
        if self.split_by_unit:
            return parallel((moments, total(radii)))
        return total(self.costs)

    @property
    def caveats(self) -> tuple[str, ...]:  # noqa: D102
        plans = (self.first, self.outlook())
        return tuple(dict.fromkeys(text for one in plans for text in one.guarantee.caveats))

    def seen(self, records: Records, project: bool = False) -> tuple[Records, ...]:
        """Draw who is in which half, by the system's randomness, once all records are admitted."""
        self._whole.prepare(records, project=project)
        chosen = drawn_half(self.request.n, SystemEntropy())
        first, second = divided(records, chosen, is_pooled(self.request.unit))
        return (first, second, second)

    def plan(self, released: Sequence[Release]) -> SinglePlan:  # noqa: D102
        number = len(released)
        if number == 0:
            return self._moments
        with suppress(Exception):  # once a stage has spent, nothing may stop the release
            moments = released[0]
            deviation = moments.plan.noise_deviation
            assert deviation is not None
            seen = self.asked.whitening(np.asarray(moments.value), deviation)
            median = float(released[1].value[0]) if number == 2 else 0.0
            return self._radius(number, seen, median)
        return self._starts[number - 1]

    def outlook(self) -> SinglePlan:
        """Return the last radius about a public stand-in for mean and covariance."""
        return self._starts[-1]

    def forecasts(self) -> Mapping[str, Forecast]:
        """Forecast the radius, about the moments that will have been released."""
        return {"of the radius, about the released moments": self.outlook().forecast}

    @cached_property
    def _moments(self) -> SinglePlan:
        budget, n = self.stages[0].budget, self.halves[0]
        share = self.request.unit.record_budget(budget)
        name = "linear-laplace" if budget.is_pure else "tangent-gaussian"
        return choose(self._of(self.asked.moments(share, n), 0), name)

    def _radius(self, number: int, seen: Whitening, median: float) -> SinglePlan:
        return choose(self._of(self._question(number, seen, median), number), "exponential")

    def _question(self, number: int, seen: Whitening, median: float) -> WhitenedRadius:
        level = (MEDIAN, self.asked.level)[number - 1]
        return self.asked.radius_of(seen, level, self.halves[1], median)

    @cached_property
    def _starts(self) -> tuple[SinglePlan, ...]:
        """Both radii about a public stand-in for mean and covariance."""
        start = self.asked.start
        typical = typical_radius(MEDIAN, self.asked.ball.space.dim)
        return tuple(self._radius(number, start, (0.0, typical)[number - 1]) for number in (1, 2))

    @cached_property
    def _whole(self) -> SinglePlan:
        """A plan of all records, which admits them and names invalid ones by their row."""
        n = self.request.n
        asked = self.asked.radius_of(self.asked.start, self.asked.level, n, 0.0)
        return choose(self._for(asked, self.stages[-1].budget), "exponential")

    def _of(self, statistic: Statistic, number: int) -> Request:
        n = self.halves[min(number, 1)]
        return replace(self._for(statistic, self.stages[number].budget), n=n)

    def _require_enough(self) -> None:
        """Refuse where a radius could end below what records need, or has no place on the grid."""
        unit, (_, second) = self.request.unit, self.halves
        for number, level in ((1, MEDIAN), (2, self.asked.level)):
            wanted = inside(level, second)
            epsilon = unit.record_budget(self.stages[number].budget).parts[0]
            steps = self._question(number, self.asked.start, 0.0).steps
            if wanted > second or largest_steps(epsilon, wanted, BETA) < steps:
                needed = (log(1 / BETA) + (steps + 1) * log(2)) / float(epsilon) / level
                needed = max(needed, level / (1 - level))
                raise MechanismRefusedError(
                    f"{unit.count(self.request.n)} are too few for a normative region with "
                    f"{self.request.budget!r}: it takes about {2 * int(needed + 2)}, or a larger "
                    "budget."
                )

    def remarks(self) -> tuple[str, ...]:
        """Say what the split is, and what is promised of new people."""
        unit, (first, second) = self.request.unit, self.halves
        last = self.outlook()
        epsilon = float(last.calibration.request.epsilon)
        promised = last.statistic.promised(second, epsilon)  # type: ignore[attr-defined]
        halves = f"{unit.count(first)} and {unit.count(second)}"
        charged = (
            "so that the promise is that of the dearer half"
            if self.split_by_unit
            else "and both are charged, since a person may have records in both"
        )
        return (
            f"the release draws two halves, {halves}, {charged}",
            f"of new people, {100 * self.asked.level:g}% are to lie inside; at least "
            f"{100 * promised:.3g}% do on average over records and noise, whatever the records are "
            "like",
        )

    def describe(self) -> str:  # noqa: D102
        return (
            f"{self.asked.describe()}: mean and covariance from one half, radii that hold 50% and "
            f"{100 * self.asked.level:g}% from the other"
        )

    @classmethod
    def from_json(cls, document: Document) -> Self:  # noqa: D102
        return cls(request_from_json(document), document["mechanism"])


def drawn_half(n: int, entropy: Entropy) -> NDArray[np.bool_]:
    """Draw which of n places belong to the first half: every choice is as likely as every other.

    Keys that are all different come in every order with the same probability.
    """
    while True:
        keys = np.frombuffer(entropy.take(8 * n), dtype=np.uint64)
        order = np.argsort(keys, kind="stable")
        if bool(np.all(np.diff(keys[order]) > 0)):
            break
    chosen = np.zeros(n, dtype=bool)
    chosen[order[: n // 2]] = True
    return chosen


def divided(
    records: Records, chosen: NDArray[np.bool_], by_person: bool
) -> tuple[Records, Records]:
    """Return the records in the chosen places, and the others; a place is a record or a person.

    Persons have their places in the order of their names, which a new name changes for others: so
    places must be DRAWN, when all choices are alike whatever the order is.
    """
    if by_person:
        _, owner = np.unique(require_persons(records), return_inverse=True)
        chosen = chosen[owner]
    return records.rows(chosen), records.rows(~chosen)


def epsilon_of(mu: float) -> float:
    """Return an epsilon whose bounded range costs at most mu, and a rho of at most mu^2/2."""
    z = min(mu, LARGEST_MU) / sqrt(8)
    return min(2 * log(erfc(-z) / erfc(z)), 2 * mu)


STAGES.register(NormativeStages.tag, NormativeStages)
