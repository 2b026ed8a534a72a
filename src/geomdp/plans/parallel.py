"""A plan of one release for each of several groups of public size.

Definitions and proofs: docs/theory/groups.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from geomdp.errors import GeomdpError, InvalidRecordError, did_you_mean
from geomdp.mechanisms import Forecast, Request
from geomdp.plans.advice import private_labels
from geomdp.plans.base import PLAN_FORMAT, Plan, first_manifest
from geomdp.plans.denoising import Denoising, pooled_values, pooling_of
from geomdp.plans.pooling import is_pooled, uncounted_rows, within_groups
from geomdp.plans.release import Prepared, Release, room_for
from geomdp.plans.single import SinglePlan
from geomdp.privacy import Budget, Cost, PureCost, Unit, parallel
from geomdp.privacy.guarantee import Guarantee
from geomdp.privacy.parallel_cost import moving
from geomdp.runtime.surroundings import undisturbed
from geomdp.serial import Document
from geomdp.sources.records import Records, as_records


@dataclass(frozen=True, eq=False, repr=False)
class ParallelPlan(Plan):
    """One plan a group, and what they promise together.

    Attributes
    ----------
    budget
        The promise to a unit, whichever groups it may be in.
    of
        The unit of privacy.
    plans
        The groups' plans by label, each for one record and its share of the budget.
    """

    shape: ClassVar[str] = "parallel"
    one_value: ClassVar[bool] = False

    budget: Budget
    of: Unit
    plans: Mapping[str, SinglePlan]

    def __post_init__(self) -> None:
        if len(self.plans) < 2 or any(not label.strip() for label in self.plans):
            raise GeomdpError("Groups are at least two, and each has a label.")
        if any(plan.guarantee.budget != self.share for plan in self.plans.values()):
            raise GeomdpError(
                f"A group's release may spend {self.share.words()} for the promise to hold, and no "
                "other; the plan was altered, or made by a version that charged otherwise: make it "
                "again."
            )

    @property
    def parts(self) -> Mapping[str, Plan]:  # noqa: D102
        return self.plans

    @property
    def shown(self) -> SinglePlan:  # noqa: D102
        return max(self.plans.values(), key=lambda plan: plan.expected_error)

    @property
    def request(self) -> Request:  # noqa: D102
        return next(iter(self.plans.values())).request

    @property
    def n(self) -> int:
        """Number of records of all groups together."""
        return sum(plan.n for plan in self.plans.values())

    @property
    def sizes(self) -> dict[str, int]:
        """Public number of records of each group."""
        return {label: plan.n for label, plan in self.plans.items()}

    @property
    def share(self) -> Budget:
        """Budget of each group's release, a record."""
        return self.of.record_budget(self.budget, self.absence, len(self.plans))

    @property
    def absence(self) -> Fraction:
        """What a person costs who leaves a group, where every group's mechanism scales with it."""
        plans = self.plans.values()
        if not all(plan.in_coordinates for plan in plans):
            return Fraction(1)
        return max(plan.statistic.absence for plan in plans)

    @property
    def guarantee(self) -> Guarantee:
        """The promise of all releases together; as weak as the weakest group's."""
        held = [plan.guarantee for plan in self.plans.values()]
        weakest = max(held, key=lambda g: _WEAKNESS.index(g.strength))
        caveats = tuple(dict.fromkeys(text for g in held for text in g.caveats))
        return replace(weakest, budget=self.budget, unit=self.of, caveats=caveats)

    @property
    def known_cost(self) -> Cost | None:
        """The cost of the groups that one unit can change."""
        costs = [plan.known_cost for plan in self.plans.values()]
        known = [cost for cost in costs if cost is not None]
        if len(known) < len(costs):
            return None
        return _joint_cost(known, self.of, self.absence)

    @property
    def forecast(self) -> Forecast:
        """The forecast of the group with the largest expected error."""
        label, plan = max(self.plans.items(), key=lambda item: item[1].expected_error)
        note = "; ".join(filter(None, (f"of group {label}, the largest", plan.forecast.note)))
        return replace(plan.forecast, note=note)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Name another question that would err less."""
        asked = (self.request, self.sizes, self.of, self.budget, self.expected_error)
        return tuple(private_labels(*asked))

    @cached_property
    def denoising(self) -> Denoising | None:
        """That of groups that are declared alike; else each group has its own."""
        return pooling_of(self.plans)

    def denoised(self, value: Any) -> Any:
        """Return values by group, moved towards what all groups have in common."""
        return value if self.denoising is None else pooled_values(self.plans, value)

    def describe_mechanism(self) -> str:  # noqa: D102
        return ", ".join(sorted({plan.mechanism for plan in self.plans.values()}))

    @undisturbed()
    def prepare(self, records: Any, *, project: bool = False) -> Prepared:
        """Make every group ready before the first bit of the first group is drawn."""
        data = as_records(records)
        if is_pooled(self.of):
            return self._prepare_persons(data, project)
        members = self._members(data)
        for label, places in members.items():
            _require_size(label, self.plans[label].n, len(places))
        skipped = np.zeros(len(data), dtype=bool)
        skipped[uncounted_rows(self.of, data)] = True
        ready = {
            label: plan.prepare_rows(
                data.rows(members[label]), np.flatnonzero(skipped[members[label]]), project=project
            )
            for label, plan in self.plans.items()
        }
        return _Prepared(self, ready, first_manifest(self, project))

    @property
    def comparison(self) -> bool:
        """Whether any group's mechanism is there for comparison only."""
        return any(plan.comparison for plan in self.plans.values())

    def _members(self, data: Records) -> dict[str, Any]:
        """Return the places of each group's records, and refuse labels that differ."""
        if data.group is None:
            raise GeomdpError(
                "The plan has groups; say which each record belongs to (Records(points, "
                "group=...), --by)."
            )
        unknown = set(data.group.tolist()) - set(self.plans)
        if unknown:
            raise InvalidRecordError(
                f"The label {min(unknown)!r} is not in the plan, whose groups are "
                f"{', '.join(self.plans)}{did_you_mean(min(unknown), self.plans)}"
            )
        return {label: np.flatnonzero(data.group == label) for label in self.plans}

    def _prepare_persons(self, data: Records, project: bool) -> Prepared:
        """Pool the records of each person in each group that counts for them."""
        members = self._members(data)
        counted = within_groups(data, list(self.plans), self.of.groups)
        ready = {
            label: plan.prepare_persons(
                data.rows(members[label][counted[members[label]]]), project=project
            )
            for label, plan in self.plans.items()
        }
        return _Prepared(self, ready, first_manifest(self, project))

    def statement(self) -> Document:  # noqa: D102
        cost = self.known_cost
        return {
            "format": PLAN_FORMAT,
            "shape": self.shape,
            "budget": self.budget.to_json(),
            "unit": self.of.to_json(),
            "plans": {label: plan.statement() for label, plan in self.plans.items()},
            "derived": {
                "share": self.share.to_json(),
                "composition": self.of.composition(),
                "cost": None if cost is None else cost.to_json(),
                "guarantee": self.guarantee.to_json(),
                "expected_error": self.expected_error,
            },
        }

    @undisturbed()
    def __str__(self) -> str:
        lines = [f"Promise      {self.guarantee}", *self._epsilon_lines()]
        lines.append(f"Composition  {self.of.composition()}")
        for label, plan in self.plans.items():
            lines += ["", f"Group        {label}", *plan.summary_lines()]
        together = self.denoising
        lines += [] if together is None else ["", f"All groups   {together.line()}"]
        warnings = [*(f"Note         {text}" for text in self.remarks), *self._warning_lines()]
        return "\n".join([*lines, "", *warnings] if warnings else lines)


def _joint_cost(costs: list[Cost], unit: Unit, absence: Fraction) -> Cost:
    """Cost of the releases that a unit can change, however its records spread over the groups.

    A person without a maximum counts once in each of so many groups, and may leave them for others
    (docs/theory/persons.md, "Groups").

    With one record it is the worst group's, or the worst two groups' (private labels). With k
    records spread over groups, bounded losses add up to at most k times the largest in each of the
    groups that count, and the squares of mu to at most those of k records in one group; finer
    statements, such as the curve of Laplace noise, are not proved for a spread.
    """
    if unit.moves:
        return moving(costs, unit.groups, absence)
    k = unit.max_records or 1
    losses = [cost.largest_loss() for cost in costs]
    bounded = [loss for loss in losses if loss is not None]
    plain = len(bounded) == len(losses) and not any(cost.failure() for cost in costs)
    if k > 1 and plain:
        return PureCost(unit.changed_groups * k * max(bounded))
    return parallel((cost.for_group(k) for cost in costs), unit.changed_groups)


#: From the strongest to the weakest.
_WEAKNESS = ("exact", "idealised", "asymptotic", "none")


@dataclass(frozen=True, eq=False)
class _Prepared(Prepared):
    """Every group's release, of which only the draws are missing."""

    plan: ParallelPlan
    ready: Mapping[str, Prepared]
    manifest: Document

    @undisturbed()
    def settle(self) -> None:
        for prepared in self.ready.values():
            prepared.settle()

    @undisturbed()
    def draw(self) -> Release:
        self.settle()  # of all groups, before the first is drawn
        parts = {label: prepared.draw() for label, prepared in self.ready.items()}
        return Release(self.plan, self.plan.joined(parts), self.manifest, parts)

    @property
    def room(self) -> int:
        return room_for(self.manifest) + sum(one.room for one in self.ready.values())


def _require_size(label: str, planned: int, found: int) -> None:
    if found == planned:
        return
    has = "has no records" if found == 0 else f"has {found} records"
    raise InvalidRecordError(
        f"Group {label!r} {has} where the plan says {planned}; plan for the true sizes, which are "
        "public."
    )
