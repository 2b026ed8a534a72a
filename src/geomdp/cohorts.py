"""Who the records belong to: groups of public size, and persons of at most k records each.

Definitions and proofs: docs/theory/groups.md.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from geomdp.errors import GeomdpError
from geomdp.planning import Plan, plan, plan_from_json
from geomdp.privacy import Budget, budget_from_json, per_record
from geomdp.privacy.exact import read_count
from geomdp.serial import Document
from geomdp.spaces.admission import Policy
from geomdp.statistics import Statistic
from geomdp.statistics.sensitivity import Bound

#: Version of the cohort's plan file.
COHORT_FORMAT = 1
#: Name of the only group where there are no groups.
EVERYONE = "everyone"


@dataclass(frozen=True)
class Cohort:
    """Public facts about the records: sizes of the groups, and the most records a person has.

    Parameters
    ----------
    sizes
        Public number of records by label; :data:`EVERYONE` alone where there are no groups.
    private_labels
        Whether neighbours may also exchange labels: charged to two groups.
    max_per_person
        Public maximum of records a person, in all groups together.

    Examples
    --------
    >>> from geomdp import Pure
    >>> Cohort({"control": 300, "patient": 200}).record_budget(Pure(1))
    Pure(epsilon=1)
    >>> Cohort({"control": 300, "patient": 200}, private_labels=True).record_budget(Pure(1))
    Pure(epsilon=0.5)
    >>> Cohort({EVERYONE: 500}, max_per_person=4).record_budget(Pure(1))
    Pure(epsilon=0.25)
    """

    sizes: Mapping[str, int]
    private_labels: bool = False
    max_per_person: int = 1

    def __post_init__(self) -> None:
        read_count(self.max_per_person, "The most records a person has")
        if not self.sizes or "" in self.sizes:
            raise GeomdpError("A cohort needs at least one group, and every group a label.")
        if self.private_labels and not self.grouped:
            raise GeomdpError("Private labels need at least two groups.")

    @property
    def grouped(self) -> bool:
        """Whether records carry labels."""
        return set(self.sizes) != {EVERYONE} and len(self.sizes) > 1

    @property
    def labels(self) -> str:
        """``none``, ``public`` or ``private``."""
        if not self.grouped:
            return "none"
        return "private" if self.private_labels else "public"

    def record_budget(self, total: Budget) -> Budget:
        """Budget of each group's release that keeps the promise ``total`` to a person."""
        share = total.split(1, 1)[0] if self.private_labels else total
        return per_record(share, self.max_per_person)

    def neighbours(self) -> str:
        """Say which data sets a release hides from one another."""
        who = (
            "one record is replaced"
            if self.max_per_person == 1
            else f"all records of one person, at most {self.max_per_person}, are replaced"
        )
        if self.labels == "none":
            return who
        if self.labels == "public":
            return f"{who}, each inside its group; labels and group sizes are public"
        return (
            f"{who}, and may change places with as many records of other groups; group sizes are "
            "public, labels are not"
        )

    def composition(self) -> str:
        """Say how the releases of the groups add up."""
        return {
            "none": "one release",
            "public": "parallel: the groups are disjoint, and their releases cost as much as one",
            "private": "two groups: a record that changes its label is charged in both",
        }[self.labels]

    def to_json(self) -> Document:
        """Describe exactly."""
        return {
            "sizes": dict(self.sizes),
            "labels": self.labels,
            "max_per_person": self.max_per_person,
        }

    @classmethod
    def from_json(cls, document: Document) -> Self:
        """Inverse of :meth:`to_json`."""
        private = document["labels"] == "private"
        return cls(dict(document["sizes"]), private, document["max_per_person"])


@dataclass(frozen=True, eq=False)
class CohortPlan:
    """One plan a group, and what they promise together. Make one with :func:`plan_cohort`."""

    cohort: Cohort
    budget: Budget
    plans: Mapping[str, Plan]

    @property
    def statistic(self) -> Statistic:
        """What is asked of every group."""
        return next(iter(self.plans.values())).statistic

    def to_json(self) -> Document:
        """Describe by public inputs, with the numbers that follow from them."""
        return {
            "format": COHORT_FORMAT,
            "cohort": self.cohort.to_json(),
            "budget": self.budget.to_json(),
            "record_budget": self.cohort.record_budget(self.budget).to_json(),
            "neighbours": self.cohort.neighbours(),
            "composition": self.cohort.composition(),
            "plans": {label: made.to_json() for label, made in self.plans.items()},
        }

    def __str__(self) -> str:
        total = f"{self.budget!r}; neighbours: {self.cohort.neighbours()}"
        parts = [f"Promise      {total}", f"Composition  {self.cohort.composition()}"]
        for label, made in self.plans.items():
            parts += ["", f"Group        {label}", str(made)]
        return "\n".join(parts)


def plan_cohort(
    statistic: Statistic,
    cohort: Cohort,
    budget: Budget,
    mechanism: str = "auto",
    *,
    bound: Bound = "sharp",
    calibration: str = "analytic",
    invalid: Policy | None = None,
) -> CohortPlan:
    """Plan one release for each group, such that together they keep ``budget`` to a person.

    Examples
    --------
    >>> import geomdp as dp
    >>> mean = dp.FrechetMean(dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5))
    >>> made = plan_cohort(mean, Cohort({"a": 100, "b": 50}, private_labels=True), dp.Pure(1))
    >>> {label: made.plans[label].guarantee.budget for label in made.plans}
    {'a': Pure(epsilon=0.5), 'b': Pure(epsilon=0.5)}
    """
    share = cohort.record_budget(budget)
    plans = {
        label: plan(
            statistic, n, share, mechanism, bound=bound, calibration=calibration, invalid=invalid
        )
        for label, n in cohort.sizes.items()
    }
    for made in plans.values():
        made.require_private()
    return CohortPlan(cohort, budget, plans)


def cohort_plan_from_json(document: Document) -> CohortPlan:
    """Make a cohort's plan again and check that its numbers follow from its public inputs."""
    try:
        cohort = Cohort.from_json(document["cohort"])
        plans = {label: plan_from_json(item) for label, item in document["plans"].items()}
        made = CohortPlan(cohort, budget_from_json(document["budget"]), plans)
        stated = {key: document[key] for key in ("record_budget", "neighbours", "composition")}
    except (KeyError, TypeError, AttributeError) as error:
        raise GeomdpError("The plan file is damaged or of another version.") from error
    for item in plans.values():
        item.require_private()
    share = cohort.record_budget(made.budget)
    sizes_fit = {label: item.n for label, item in plans.items()} == dict(cohort.sizes)
    shares_fit = all(item.guarantee.budget == share for item in plans.values())
    if not (sizes_fit and shares_fit and stated.items() <= made.to_json().items()):
        raise GeomdpError(
            "The plan file states group sizes or budgets that do not follow from one another; it "
            "was altered: make the plan again."
        )
    return made


def load_any_plan(file: str | Path) -> Plan | CohortPlan:
    """Read a plan, of one release or of a cohort, and check that nothing was altered.

    Examples
    --------
    >>> load_any_plan("no-such-file.json")
    Traceback (most recent call last):
    geomdp.errors.GeomdpError: The plan 'no-such-file.json' cannot be read: ...
    """
    try:
        document: Any = json.loads(Path(file).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise GeomdpError(f"The plan {str(file)!r} cannot be read: {error}.") from error
    if not isinstance(document, dict):
        raise GeomdpError(f"{str(file)!r} is not a plan file; make one with: geomdp plan --out.")
    return cohort_plan_from_json(document) if "cohort" in document else plan_from_json(document)
