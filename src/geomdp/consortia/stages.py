"""Sites that trust nobody find a ball together, and answer in it: one opened total a stage.

Radii are read off a histogram of distances, which is a sum; centres and the answer are tangent
means. Each stage has the noise of its own roster, and its own debit at every site
(docs/theory/consortium.md, section 6).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf
from typing import Any, ClassVar, Self

import numpy as np

from geomdp.consortia.messages import Round
from geomdp.consortia.opening import OPENED, Opened, open_release
from geomdp.consortia.plan import ConsortiumPlan, Parties
from geomdp.consortia.stage_shares import divided, steps_of
from geomdp.errors import GeomdpError, MechanismRefusedError
from geomdp.mechanisms import Request
from geomdp.plans.ball_shares import Asks, Stage, is_whole, order_of, prior_of
from geomdp.plans.ball_stages import BallStages
from geomdp.plans.base import Plan, first_manifest
from geomdp.plans.checking import Check
from geomdp.plans.choosing import choose, request_from_json
from geomdp.plans.loading import SHAPES
from geomdp.plans.release import Prepared, Release
from geomdp.plans.single import SinglePlan
from geomdp.plans.staged import StagedPlan
from geomdp.privacy import Budget, budget_from_json
from geomdp.runtime.surroundings import undisturbed
from geomdp.serial import Document, digest_of
from geomdp.spaces.ball import Ball
from geomdp.statistics import DistanceHistogram, ExtrinsicMean, Statistic, TangentMean
from geomdp.typing import Array


@dataclass(frozen=True, eq=False)
class SiteStages(BallStages):
    """The rule of :class:`~geomdp.plans.ball_stages.BallStages`, each stage opened by sites."""

    tag: ClassVar[str] = "ball of sites"

    parties: Parties = field(kw_only=True)

    @classmethod
    def of(cls, request: Request, parties: Parties, document: Document) -> Self:
        """Return the rule for a request; ``document`` says which stages one curator would have."""
        rounds, centred = document["rounds"], document.get("centred", True) is not False
        embedded = document.get("embedded", False) is True
        first = None
        if embedded:
            prior = prior_of(request)
            asked = ExtrinsicMean(prior.space, None if is_whole(prior) else prior)
            budget = divided(request, order_of(rounds, True, embedded), parties)[0].budget
            first = _of_sites(replace(request, statistic=asked, budget=budget), parties)
        return cls(request, "auto", rounds, True, first, centred, parties=parties)

    def asking(self, statistic: Statistic, budget: Budget) -> "SiteStages":  # noqa: D102
        return self.of(self._for(statistic, budget), self.parties, self.to_json())

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        """What each stage asks for, and with which budget: shares of mu squared."""
        once: list[Asks] = ["radius", "answer"]
        order = order_of(self.rounds, True, self.embedded) if self.centred else once
        return divided(self.request, order, self.parties)

    @property
    def caveats(self) -> tuple[str, ...]:
        """Those of every stage: whom the promise rests on."""
        return self._last_answer.guarantee.caveats

    def made(self, request: Request, mechanism: str) -> SinglePlan:
        """Plan one stage: whatever one curator would draw, sites add Gaussian noise to sums."""
        return _of_sites(request, self.parties)

    def _radius(self, release: Release) -> float:
        """Read a radius off a histogram."""
        asked: Any = release.plan.statistic
        share = self.outside / self.request.n
        return float(asked.radius_in(release.value, share, release.plan.single.scale))

    def _radius_plan(self, number: int, center: Array, top: float) -> SinglePlan:
        request = self._for(self.request.statistic, self.stages[number].budget)
        steps = steps_of(request, self.parties)
        # Up to 24 binary digits, which all sites have alike.
        wide = np.float32(top)
        wide = wide if wide >= top else np.nextafter(wide, np.float32(inf))
        asked = DistanceHistogram(self._space, center, float(wide), steps)
        return self.made(replace(request, statistic=asked), "auto")

    def _centers(self, balls: Iterable[Ball], budget: Budget) -> Iterator[tuple[Request, str]]:
        for ball in balls:
            yield self._for(TangentMean(ball), budget), "auto"


def _of_sites(request: Request, parties: Parties) -> ConsortiumPlan:
    return ConsortiumPlan.made(choose(request, "tangent-gaussian"), parties)


@dataclass(frozen=True, eq=False, repr=False)
class ConsortiumStages(StagedPlan):
    """A plan in stages whose records stay at sites; made by :func:`geomdp.consortium`."""

    shape: ClassVar[str] = "consortium in stages"
    has_sites: ClassVar[bool] = True

    rule: SiteStages

    @classmethod
    def made(cls, plan: Plan, parties: Parties) -> Self:
        """Return the plan of sites that answers what one curator's plan in stages asks."""
        stages = plan.to_json()["stages"]
        if "rounds" not in stages or not stages["answer"] or stages["mechanism"] != "auto":
            raise MechanismRefusedError(
                "Sites find a ball and answer in it: a plan of Refined(TangentMean(prior)), or of "
                "another linear statistic in a ball, whose mechanism is left open. Other stages "
                "are not opened together; plan each by itself."
            )
        return cls(SiteStages.of(request_from_json(stages), parties, stages), plan.guarantee.budget)

    @property
    def parties(self) -> Parties:
        """Who takes part."""
        return self.rule.parties

    @property
    def sites(self) -> Mapping[str, str]:
        """Key that each site signs with, by its name."""
        return self.parties.sites

    @property
    def aggregators(self) -> Mapping[str, Any]:
        """Keys of each aggregator, by its name."""
        return self.parties.aggregators

    @property
    def _last(self) -> ConsortiumPlan:
        """The last stage's plan, as far as it is known in advance."""
        last: Any = self.rule.outlook()
        return last

    def plan_of_part(self, label: str, before: Mapping[str, Release]) -> SinglePlan:
        """Return the plan of a stage, bound to this plan and to what was opened before."""
        made: Any = super().plan_of_part(label, before)
        number = len(before) + 1
        if number == 1:
            return made.saying(step=Round(self.hash, number))
        opened = [Opened.from_json(one.manifest[OPENED]).digest for one in before.values()]
        noise = [list(made.noise.counted), list(made.noise.spreads)]
        opening = digest_of({"opened": opened, "noise": noise})
        return made.saying(step=Round(self.hash, number, opening))

    def following(self, earlier: Sequence[Release]) -> ConsortiumPlan:
        """Return the plan of the next stage, from the totals that the earlier ones state.

        Nothing else of an earlier release is believed: its value is opened again.

        Raises
        ------
        GeomdpError
            If one is no release of its stage, or all stages were released.
        """
        before = self._opened(earlier)
        if len(before) == len(self.part_labels):
            raise GeomdpError("All stages are released already: there is no further one.")
        made: Any = self.plan_of_part(self.part_labels[len(before)], before)
        return made

    def finished(self, earlier: Sequence[Release], last: Release) -> Release:
        """Return what is released once a stage is opened: of the last one, all stages."""
        parts = self._opened(earlier)
        parts[self.part_labels[len(parts)]] = last
        whole = len(parts) == len(self.part_labels)
        return self.released(parts, first_manifest(self, False)) if whole else last

    def _opened(self, earlier: Sequence[Release]) -> dict[str, Release]:
        before: dict[str, Release] = {}
        for number, (label, one) in enumerate(zip(self.part_labels, earlier, strict=False), 1):
            if OPENED not in one.manifest or one.manifest[OPENED]["stage"] != number:
                raise GeomdpError(
                    f"The release of stage {number} is missing: give the releases of all stages "
                    "before, in order (--earlier)."
                )
            stage: Any = self.plan_of_part(label, before)
            before[label] = open_release(stage, Opened.from_json(one.manifest[OPENED]))
        return before

    @undisturbed()
    def check(self, records: Any) -> Check:
        """Look at one site's records for that site's eyes only."""
        return self._last.check(records)

    @undisturbed()
    def prepare(self, records: Any, *, project: bool = False) -> Prepared:
        """Refuse: no machine holds all records."""
        return self._last.prepare(records)

    def statement(self) -> Document:  # noqa: D102
        return {**super().statement(), **self.parties.to_json()}

    @undisturbed()
    def __str__(self) -> str:
        return "\n".join([super().__str__(), *self._last.party_lines(), f"Stages       {APART}"])

    def further_chapters(self) -> Mapping[str, tuple[str, ...]]:
        """Say what leaves a house, who would have to collude, and what the group learns."""
        told = self._last.further_chapters()
        number = len(self.part_labels)
        each = f"That is so in each of {number} stages: a site answers each once, and debits each."
        last = list(told)[-1]
        return {
            name: (*texts, each) if name == next(iter(told)) else texts
            for name, texts in {**told, last: (*told[last], f"{APART}.")}.items()
        }


#: What several rosters tell.
APART = (
    "what each stage finds is public before the next; a site on one stage's roster alone shows how "
    "many records it has, by the difference of the opened numbers"
)


def _from_json(document: Document) -> ConsortiumStages:
    stages, parties = document["stages"], Parties.from_json(document)
    rule = SiteStages.of(request_from_json(stages), parties, stages)
    return ConsortiumStages(rule, budget_from_json(document["budget"]))


SHAPES.register(ConsortiumStages.shape, _from_json)
