"""A plan over time whose records stay at sites that trust nobody: a round in each period.

What each period sends and opens: :mod:`geomdp.consortia.periods`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import sqrt
from typing import Any, ClassVar, Self

from geomdp.consortia.opening import OPENED, Opened
from geomdp.consortia.period_noise import PeriodNoise, period_noise
from geomdp.consortia.periods import ConsortiumPeriod
from geomdp.consortia.plan import Parties, caveats_of, require_parties
from geomdp.consortia.splitting import honest_sites
from geomdp.errors import GeomdpError, MechanismRefusedError
from geomdp.mechanisms import Calibration
from geomdp.plans.checking import Check
from geomdp.plans.choosing import request_from_json
from geomdp.plans.loading import SHAPES, plan_from_json
from geomdp.plans.over_time import OverTimePlan
from geomdp.plans.release import Prepared, Release
from geomdp.plans.single import SinglePlan
from geomdp.privacy import Budget, Cost, GaussianCost, Unit
from geomdp.runtime.surroundings import undisturbed
from geomdp.serial import Document
from geomdp.sources.records import as_records
from geomdp.statistics import Statistic


@dataclass(frozen=True, eq=False, repr=False)
class ConsortiumOverTime(OverTimePlan):
    """A plan over time whose records stay at sites; made by :func:`geomdp.consortium`."""

    shape: ClassVar[str] = "consortium over time"
    has_sites: ClassVar[bool] = True

    parties: Parties = field(kw_only=True)

    def __post_init__(self) -> None:
        require_parties(self.parties)
        if replace(self.asked.unit, labels="none") != Unit.record():
            raise MechanismRefusedError(
                "Sites release over time of records, each in one period; plan for records "
                "(Unit.record()), one of each person, or one consortium for each period."
            )
        super().__post_init__()

    @classmethod
    def made(cls, plan: Any, parties: Parties) -> Self:
        """Return the plan of sites that answers what one curator's plan over time asks."""
        return cls(plan.asked, plan.periods, plan.changes, parties=parties)

    def asking(self, statistic: Statistic, budget: Budget) -> "ConsortiumOverTime":  # noqa: D102
        return self.made(super().asking(statistic, budget), self.parties)

    @property
    def sites(self) -> Mapping[str, str]:
        """Key that each site signs with, by its name."""
        return self.parties.sites

    @property
    def aggregators(self) -> Mapping[str, Any]:
        """Keys of each aggregator, by its name."""
        return self.parties.aggregators

    @cached_property
    def noise(self) -> PeriodNoise:
        """What each site draws in every period."""
        honest = honest_sites(self.parties.roster, self.parties.colluding)
        return period_noise(self.asked, self.scheme, honest)

    def curator(self, step: int) -> SinglePlan:
        """Return what one curator would release after a step, over all that are expected."""
        alone = OverTimePlan(self.asked, self.periods, self.changes)
        return alone._after(step, self.asked.n)

    def fitted(self, step: int, n: int, again: bool = False) -> Calibration:
        """Return the calibration of the running mean after a step, with the noise of all sites."""
        central = super().fitted(step, n)
        noise, lengths = self.noise.each, self.scheme.lengths
        scale = noise.scale * sqrt(len(self.sites)) * float(lengths[step - 1]) / n
        cost = GaussianCost.of_square(self.noise.squares[step - 1])
        told = (*central.caveats, *caveats_of(self.parties, noise.honest))
        return replace(central, scale=scale, cost=cost, proof="consortium", caveats=told)

    @property
    def known_cost(self) -> Cost:
        """What all periods together spend."""
        return self.noise.each.cost

    def following(self, earlier: Sequence[Release]) -> "ConsortiumPeriod":
        """Return the plan of the next period; of earlier releases the last one holds all totals.

        Raises
        ------
        GeomdpError
            If it is no release of a period of this plan, or that of the last period.
        """
        before: tuple[Opened, ...] = ()
        for last in earlier[-1:]:
            opened = last.manifest.get(OPENED)
            before = (*getattr(last.plan, "before", ()), Opened.from_json(opened or {"stage": 0}))
        return self.after(before)

    def after(self, before: tuple[Opened, ...]) -> "ConsortiumPeriod":
        """Return the plan of the period that follows what was opened."""
        if len(before) == len(self.periods):
            raise GeomdpError("All periods are released already: there is no further one.")
        return ConsortiumPeriod.of_period(self, before)

    def finished(self, earlier: Sequence[Release], last: Release) -> Release:
        """Return what is released once a period is opened: that period's release."""
        return last

    @undisturbed()
    def check(self, records: Any) -> Check:
        """Look at one site's records, of whatever periods, for that site's eyes only."""
        return self._first.check(replace(as_records(records), period=None))

    @undisturbed()
    def prepare(self, records: Any, *, project: bool = False) -> Prepared:
        """Refuse: no machine holds all records."""
        return self._first.prepare(records)

    def at(self, *given: Any, **how: Any) -> Any:
        """Refuse: no machine holds all records."""
        return self._first.prepare(None)

    @property
    def _first(self) -> "ConsortiumPeriod":
        return self.after(())

    def statement(self) -> Document:  # noqa: D102
        said, noise = super().statement(), self.noise.each
        of_sites = {
            "honest": noise.honest,
            "noise of a site": noise.scale,
            "noise of a step on sums": noise.scale * sqrt(len(self.sites)),
            "modulus bits": noise.modulus.bits,
        }
        return {**said, **self.parties.to_json(), "derived": {**said["derived"], **of_sites}}

    @undisturbed()
    def __str__(self) -> str:
        return "\n".join([super().__str__(), *self._first.party_lines(), f"Periods      {EACH}"])

    def further_chapters(self) -> Mapping[str, tuple[str, ...]]:
        """Say what leaves a house, who would have to collude, and what the group learns."""
        told = self._first.further_chapters()
        first, last = next(iter(told)), list(told)[-1]
        number = len(self.periods)
        each = f"That is so in each of {number} periods: a site answers each once, and debits each."
        return {**told, first: (*told[first], each), last: (*told[last], f"{EACH}.")}


#: What periods tell, and what they need.
EACH = (
    "the number of records of all sites together is public in each period; running totals need the "
    "same sites in all of them"
)


def _over_time(document: Document) -> ConsortiumOverTime:
    request, parties = request_from_json(document["request"]), Parties.from_json(document)
    periods, changes = tuple(document["periods"]), document["changes"]
    return ConsortiumOverTime(request, periods, changes, parties=parties)


def _period(document: Document) -> ConsortiumPeriod:
    whole: Any = plan_from_json(document["over_time"])
    made: ConsortiumPeriod = whole.after(tuple(map(Opened.from_json, document["before"])))
    return made.saying(read=True)


SHAPES.register(ConsortiumOverTime.shape, _over_time)
SHAPES.register(ConsortiumPeriod.shape, _period)
