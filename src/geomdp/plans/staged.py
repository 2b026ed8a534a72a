"""A plan in stages: each next plan is a public function of what the earlier ones released."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

from geomdp.errors import GeomdpError, MachinesError, MechanismRefusedError, reason_of
from geomdp.mechanisms import MECHANISMS, Forecast, Request
from geomdp.plans.about import About
from geomdp.plans.ball_shares import Stage
from geomdp.plans.base import PLAN_FORMAT, Plan, first_manifest
from geomdp.plans.choosing import request_to_json
from geomdp.plans.denoising import Denoising
from geomdp.plans.release import DENOISED, Prepared, Release, room_for
from geomdp.plans.single import SinglePlan
from geomdp.privacy import Budget, Cost, total
from geomdp.privacy.guarantee import Guarantee
from geomdp.registry import Registry
from geomdp.runtime.surroundings import undisturbed
from geomdp.serial import Document, array_to_json
from geomdp.sources.records import Records, as_records
from geomdp.spaces.ball import Ball
from geomdp.statistics import Statistic
from geomdp.statistics.base import CheckFindings


@dataclass(frozen=True, eq=False)
class Stages(ABC):
    """A public rule that says which release comes next. Stateless, and total after the first.

    A rule fixes the budgets of all stages in advance; they compose adaptively
    (docs/theory/composition.md). Once the first stage has spent, :meth:`plan` must give a plan for
    every value that earlier stages can release: never a refusal.

    Attributes
    ----------
    request
        The statistic on the widest public bound, and everything public beside it.
    mechanism
        Of the answer.
    """

    #: Name in plan files.
    tag: ClassVar[str]
    #: Why no mechanism may be named, where all are fixed.
    fixed: ClassVar[str] = ""

    request: Request
    mechanism: str

    def __post_init__(self) -> None:
        if self.mechanism == "auto":
            return
        if self.fixed:
            raise GeomdpError(self.fixed)
        if MECHANISMS.named(self.mechanism).comparison:
            raise MechanismRefusedError(
                f"{self.mechanism} is a comparison without a proved promise, which stages cannot "
                'be accounted with; plan with mechanism="auto".'
            )

    @property
    @abstractmethod
    def stages(self) -> tuple[Stage, ...]:
        """What each stage asks for, and with which budget: fixed before anything is released."""

    @property
    def budgets(self) -> tuple[Budget, ...]:
        """What each stage may spend."""
        return tuple(stage.budget for stage in self.stages)

    @property
    def costs(self) -> tuple[Cost, ...]:
        """What each stage spends of a unit's budget, as far as it is known in advance."""
        return tuple(stage.cost for stage in self.stages)

    @property
    def cost(self) -> Cost:
        """What all stages together spend: their sum, where each of them sees every record."""
        return total(self.costs)

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the promise leaves out, whatever is released: no stage may leave out more."""
        return self.outlook().guarantee.caveats

    @property
    def ends_in_a_point(self) -> bool:
        """Whether the last stage releases a point, which could be projected into its ball."""
        return self.outlook().statistic.value_space is not None

    @property
    def asked(self) -> Statistic:
        """What is asked, on public things alone: the prior, where a ball is found later."""
        return self.outlook().statistic

    @abstractmethod
    def plan(self, released: Sequence[Release]) -> SinglePlan:
        """Return the plan of the next stage, from public things and earlier releases alone."""

    @cached_property
    def first(self) -> SinglePlan:
        """The plan of the first stage, which hangs on nothing that is released."""
        return self.plan(())

    @abstractmethod
    def outlook(self) -> Plan:
        """Return the last stage's plan as far as it is known in advance, for the forecast."""

    @abstractmethod
    def describe(self) -> str:
        """Say in a few words what happens."""

    def forecasts(self) -> Mapping[str, Forecast]:
        """Law of the last stage's error by what is not known in advance; empty where all is."""
        return {}

    def ready(self, records: Records) -> Records:
        """Do once what every stage would do with the records; by default nothing."""
        return records

    def seen(self, records: Records, project: bool = False) -> tuple[Records, ...]:
        """Return the records that each stage sees: by default all of them.

        Refuses what the last stage would, whatever earlier ones release: whether a record is valid
        does not hang on the ball.
        """
        self.outlook().prepare(records, project=project)
        return (records,) * len(self.stages)

    def foretold(self, found: CheckFindings) -> tuple[str, ...]:
        """Say what the stages would find of records that were checked: for the curator alone."""
        return ()

    def ball(self, released: Sequence[Release], origin: str = "") -> Ball | None:
        """Return the ball that these stages found; None of a rule that seeks none."""
        return None

    def tau(self, released: Sequence[Release]) -> float | None:
        """Return the bound that these stages found; None of a rule that seeks none."""
        return None

    def clipping(self, released: Sequence[Release]) -> Release | None:
        """Return the release that says how much was clipped; None of a rule that does not ask."""
        return None

    def remarks(self) -> tuple[str, ...]:
        """Return what whoever spends should know before."""
        return ()

    def asking(self, statistic: Statistic, budget: Budget) -> "Stages":
        """Return the same rule for another question and budget."""
        raise GeomdpError("Stages of this kind cannot be planned again.")

    def to_json(self) -> Document:
        """Describe with public things only, enough to build the rule again."""
        return {"mechanism": self.mechanism, **request_to_json(self.request)}

    @classmethod
    @abstractmethod
    def from_json(cls, document: Document) -> Self:
        """Inverse of :meth:`to_json`."""

    def _for(self, statistic: Statistic, budget: Budget) -> Request:
        return replace(self.request, statistic=statistic, budget=budget)


class InStages(ABC):
    """A question that is answered in stages."""

    @abstractmethod
    def stages(self, request: Request, mechanism: str) -> Stages:
        """Return the rule for a request."""

    def planned(self, request: Request, mechanism: str, *, about: About) -> "StagedPlan":
        """Return the plan for a request."""
        return StagedPlan(self.stages(request, mechanism), request.budget, about=about)


#: Rules by tag.
STAGES: Registry[type[Stages]] = Registry(
    "rule of stages",
    own=("geomdp.plans.refined", "geomdp.plans.normative_stages"),
)


@dataclass(frozen=True, eq=False, repr=False)
class StagedPlan(Plan):
    """Releases one after another, priced together before the first.

    Attributes
    ----------
    rule
        Says which release comes next.
    budget
        The whole promise, which the stages' budgets compose to.
    """

    shape: ClassVar[str] = "staged"

    rule: Stages
    budget: Budget

    def __post_init__(self) -> None:
        if not self.cost.fits(self.budget):
            raise GeomdpError(
                f"The stages cost {self.cost.words()}, which {self.budget!r} does not cover."
            )
        # Later stages hang on what is released, and an audit tries them.
        if self.rule.first.guarantee.budget != self.rule.budgets[0]:
            raise GeomdpError("The first stage has another budget than was fixed in advance.")

    @property
    def request(self) -> Request:  # noqa: D102
        return self.rule.outlook().request

    @property
    def public_statistic(self) -> Statistic:
        """The question on the public prior."""
        return self.rule.asked

    @property
    def comparison(self) -> bool:
        """Stages are planned with proved mechanisms only."""
        return False

    @property
    def n(self) -> int:
        """Number of records of all stages, each of which may see some of them."""
        return self.rule.request.n

    @property
    def guarantee(self) -> Guarantee:
        """The promise of all stages together."""
        last = self.rule.outlook().guarantee
        return Guarantee(self.budget, last.strength, self.rule.caveats, last.invalid, last.unit)

    @property
    def known_cost(self) -> Cost | None:
        """What the stages spend together, which is fixed in advance."""
        return self.rule.cost

    @property
    def forecast(self) -> Forecast:
        """The last stage's, as far as it is known in advance."""
        return self.rule.outlook().forecast

    @property
    def denoising(self) -> Denoising | None:
        """The last stage's, as far as it is known in advance."""
        return self.rule.outlook().denoising

    @property
    def as_drawn(self) -> str:  # noqa: D102
        return self.rule.outlook().as_drawn

    def describe_mechanism(self) -> str:  # noqa: D102
        return self.rule.tag

    @undisturbed()
    def prepare(self, records: Any, *, project: bool = False) -> Prepared:
        """Make the first stage ready, and see that every stage can admit the records."""
        if project and not self.rule.ends_in_a_point:
            raise GeomdpError("Only a point can be projected into a ball; use project=False.")
        data = self.rule.ready(as_records(records))
        seen = self.rule.seen(data, project)
        first = self.rule.first.prepare(_seen_by(self.rule.first, seen[0], self), project=False)
        return _Prepared(self, seen, first, first_manifest(self, project), project)

    def foretold(self, found: CheckFindings) -> tuple[str, ...]:  # noqa: D102
        return self.rule.foretold(found)

    @property
    def shown(self) -> SinglePlan | None:  # noqa: D102
        return self.rule.outlook().shown

    @property
    def stage_budgets(self) -> tuple[Budget, ...]:  # noqa: D102
        return tuple(self.rule.budgets)

    @property
    def remarks(self) -> tuple[str, ...]:  # noqa: D102
        return self.rule.remarks()

    @property
    def cases(self) -> Mapping[str, Forecast]:  # noqa: D102
        cases = dict(self.rule.forecasts())
        if self.expected_error in [one.expected for one in cases.values()]:
            return cases
        return {"before anything is known": self.forecast, **cases}

    @property
    def part_labels(self) -> tuple[str, ...]:  # noqa: D102
        return tuple(f"stage {number}" for number in range(1, len(self.rule.budgets) + 1))

    def plan_of_part(self, label: str, before: Mapping[str, Release]) -> SinglePlan:  # noqa: D102
        return self.rule.plan(list(before.values())) if before else self.rule.first

    def found_ball(self, parts: Mapping[str, Release], origin: str = "") -> Ball | None:  # noqa: D102
        return self.rule.ball(list(parts.values()), origin)

    def found_tau(self, parts: Mapping[str, Release]) -> float | None:  # noqa: D102
        return self.rule.tau(list(parts.values()))

    def told_of_clipping(self, parts: Mapping[str, Release]) -> Release | None:  # noqa: D102
        return self.rule.clipping(list(parts.values()))

    def joined(self, parts: Mapping[str, Release]) -> Any:
        """Return the value of the last stage."""
        return parts[self.part_labels[-1]].value

    def released(self, parts: Mapping[str, Release], manifest: Document) -> Release:
        """Return the release of all stages, of their releases and what is said before them."""
        value, said = self.joined(parts), parts[self.part_labels[-1]].manifest
        # How the answer is denoised hangs on what was found before it: its own manifest says.
        told = {key: item for key, item in manifest.items() if key != DENOISED}
        told |= {DENOISED: said[DENOISED]} if DENOISED in said else {}
        return Release(self, value, {**told, "value": array_to_json(value)}, parts)

    def statement(self) -> Document:  # noqa: D102
        cost = self.known_cost
        return {
            "format": PLAN_FORMAT,
            "shape": self.shape,
            "budget": self.budget.to_json(),
            "stages": {"tag": self.rule.tag, **self.rule.to_json()},
            "derived": {
                "budgets": [budget.to_json() for budget in self.rule.budgets],
                "cost": None if cost is None else cost.to_json(),
                "guarantee": self.guarantee.to_json(),
                "expected_error": self.expected_error,
                "forecasts": {
                    case: {"expected_error": forecast.expected}
                    for case, forecast in self.rule.forecasts().items()
                },
            },
        }

    @undisturbed()
    def __str__(self) -> str:
        lines = [
            f"Plan         {self.rule.describe()}, n = {self.unit.count(self.n)}",
            f"Guarantee    {self.guarantee}",
            *self._epsilon_lines(),
            *(f"Stage {i}      {cost.words()}" for i, cost in enumerate(self.rule.costs, start=1)),
            *self._error_lines(),
        ]
        for i, (case, one) in enumerate(self.rule.forecasts().items()):
            start = "Forecast" if i == 0 else ""
            lines.append(
                f"{start:<12} {case}: {one.expected:.4g} expected, {one.quantile(0.95):.4g} in 95 "
                "of 100 releases"
            )
        lines += [f"Note         {text}" for text in self.rule.remarks()]
        return "\n".join([*lines, *self._warning_lines()])


@contextmanager
def _told_as_spent() -> Iterator[None]:
    """Say what is true where records that do not lie in memory are lost between two stages."""
    try:
        yield
    except (GeomdpError, MachinesError, OSError) as error:
        cause = error.__cause__ if isinstance(error.__cause__, Exception) else error
        raise MachinesError(
            f"The records could not be read again ({reason_of(cause)}) after a first stage was "
            "drawn. Nothing was published, but what was drawn counts as spent; see to the data, "
            "and pay for the release again."
        ) from error


def _seen_by(stage: Plan, data: Records, whole: StagedPlan) -> Records:
    """Return the records as a stage takes them: private labels are for the stage that asks."""
    if stage.statistic.labelled or not whole.statistic.labelled:
        return data
    return replace(data, group=None)


@dataclass(frozen=True, eq=False)
class _Prepared(Prepared):
    """The first stage ready, and the records that each stage sees."""

    plan: StagedPlan
    seen: tuple[Records, ...]
    first: Prepared
    manifest: Document
    project: bool

    def settle(self) -> None:
        self.first.settle()

    @undisturbed()
    def draw(self) -> Release:
        first, *others = self.plan.part_labels
        parts = {first: self.first.draw()}
        for label, data in zip(others, self.seen[1:], strict=True):
            project = self.project and label == others[-1]
            stage = self.plan.plan_of_part(label, parts)
            with _told_as_spent():
                parts[label] = stage.prepare(
                    _seen_by(stage, data, self.plan), project=project
                ).draw()
        return self.plan.released(parts, self.manifest)

    @property
    def room(self) -> int:
        return (1 + len(self.plan.rule.budgets)) * room_for(self.manifest) + self.first.room
