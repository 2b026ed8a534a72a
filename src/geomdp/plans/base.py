"""One interface for all plans: a single mechanism, public groups, stages."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from copy import copy, deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from geomdp.errors import GeomdpError, MechanismRefusedError
from geomdp.io.atomic import write_new
from geomdp.mechanisms import Forecast, Request
from geomdp.noise.entropy import SystemEntropy
from geomdp.plans.about import HASH, About, Caution, clipping_lines, sealed, warnings_of
from geomdp.plans.advice import wide_data
from geomdp.plans.checking import Check, check_records
from geomdp.plans.denoising import Denoising
from geomdp.plans.release import DENOISED, DERIVED, MANIFEST_FORMAT, Prepared, Release, require_text
from geomdp.privacy import GDP, Budget, Cost, Unit
from geomdp.privacy.guarantee import Guarantee, as_epsilon, budget_words
from geomdp.readings.base import Reading
from geomdp.runtime.notebooks import Shown
from geomdp.runtime.surroundings import undisturbed
from geomdp.serial import Document, as_text
from geomdp.sources.records import Records, as_records
from geomdp.spaces.ball import Ball
from geomdp.statistics.base import CheckFindings, Statistic
from geomdp.version import libraries, software

if TYPE_CHECKING:
    from dp_accounting import DpEvent

    from geomdp.ledger import Ledger
    from geomdp.plans.single import SinglePlan

#: Version of the plan file; no other is read.
PLAN_FORMAT = 1


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Plan(Shown, ABC):
    """What will be released and what it promises, before anyone touches the records.

    Nothing in a plan depends on data, so that a review board can approve it. Make one with
    :func:`geomdp.plan`, read one with :func:`geomdp.load_plan`.

    Attributes
    ----------
    about
        What it is for and who answers for it; None for the plans inside another plan.
    stated
        The document that it was read from, which it repeats word for word: what was approved is
        what manifests say, though a later version may forecast better.
    """

    #: Name of the shape in plan files.
    shape: ClassVar[str]

    #: Whether a release has one value of its own, and not one a group.
    one_value: ClassVar[bool] = True
    #: Whether a release is opened from the totals of sites, which its manifest states.
    has_sites: ClassVar[bool] = False

    about: About | None = None
    stated: Document | None = field(default=None, repr=False)

    @property
    @abstractmethod
    def request(self) -> Request:
        """The public inputs of the value, or of each group's, the first one's."""

    @property
    def statistic(self) -> Statistic:
        """What is asked; in stages, what the last one asks."""
        return self.request.statistic

    @property
    def public_statistic(self) -> Statistic:
        """What is asked, with the ball that is public before anything is released."""
        return self.statistic

    @property
    def n(self) -> int:
        """Public number of records, or of persons where the unit is a person."""
        return self.request.n

    @property
    @abstractmethod
    def guarantee(self) -> Guarantee:
        """What a release promises."""

    @property
    @abstractmethod
    def known_cost(self) -> Cost | None:
        """What a release spends of a unit's budget; None where nothing is proved."""

    def debit(self, step: int) -> Cost:
        """Return what a step of a release debits: all of the cost, where there is one step."""
        return self.cost

    @property
    @abstractmethod
    def forecast(self) -> Forecast:
        """Law of the error."""

    @property
    @abstractmethod
    def comparison(self) -> bool:
        """Whether it is there for comparison only."""

    @property
    def reading(self) -> Reading | None:
        """What a raw record means; None where records are points already."""
        return self.request.reading

    @property
    def names(self) -> tuple[str, ...]:
        """Public names of what a record consists of; empty where the plan has none."""
        return self.request.names

    @property
    def parts(self) -> "Mapping[str, Plan]":
        """The plans of the groups by label; empty where there are none."""
        return {}

    @property
    def single(self) -> "SinglePlan":
        """Return the plan itself, where one mechanism draws the value.

        Raises
        ------
        GeomdpError
            Of a plan by group or in stages: a part of its release has such a plan.
        """
        raise GeomdpError("Of a release by group or in stages, take a part.")

    @property
    def shown(self) -> "SinglePlan | None":
        """The single plan whose noise can be pictured: itself, or that with the largest error."""
        return None

    @property
    def stage_budgets(self) -> tuple[Budget, ...]:
        """What each stage may spend, in order; empty where there are none."""
        return ()

    @property
    def remarks(self) -> tuple[str, ...]:
        """What whoever spends should know before: of stages, or of another question."""
        return tuple(wide_data(self.request, self.expected_error))

    @property
    def cases(self) -> Mapping[str, Forecast]:
        """Law of the error by what is not known in advance; empty where all is."""
        return {}

    @property
    def part_labels(self) -> tuple[str, ...]:
        """Labels of the releases inside a release: of groups or of stages, in order."""
        return tuple(self.parts)

    def plan_of_part(self, label: str, before: "Mapping[str, Release]") -> "Plan":
        """Return the plan of a part: a public function of this plan and of the parts before it."""
        return self.parts[label]

    def found_ball(self, parts: "Mapping[str, Release]", origin: str = "") -> Ball | None:
        """Return the ball that a release with these parts found; None where none is sought."""
        return None

    def found_tau(self, parts: "Mapping[str, Release]") -> float | None:
        """Return the bound that a release with these parts found; None where none is sought."""
        return None

    def told_of_clipping(self, parts: "Mapping[str, Release]") -> "Release | None":
        """Return the part that says how much was clipped; None where none does."""
        return None

    @property
    def period_names(self) -> tuple[str, ...]:
        """The public periods that releases may be of; empty where it is not over time."""
        return ()

    @property
    def released_periods(self) -> tuple[str, ...]:
        """Of the plan of one period: the periods so far; empty of any other."""
        return ()

    def at(
        self, records: Any, period: Any, after: Any = None, **how: Any
    ) -> "tuple[Plan, Records]":
        """Return the plan of one period and the records that it takes; see ``OverTimePlan.at``."""
        raise GeomdpError("The plan has no periods; release it without one.")

    @property
    def whole(self) -> "Plan":
        """Return the plan that was approved: itself, or that of all periods."""
        return self

    @property
    def claim(self) -> Mapping[str, Any]:
        """What a ledger pays for once, whatever the records are; nothing more is said by most."""
        return {}

    def problems(self, release: Release) -> Iterable[tuple[str, str]]:
        """Say, field by field, where a release of this plan is not what itself makes of it."""
        return ()

    def continued(self, release: Release, earlier: Release) -> list[tuple[str, str]] | None:
        """Say where a release does not continue an earlier one; None where it continues none."""
        return None

    @property
    def noise_deviation(self) -> float | None:
        """Deviation of the noise on coordinates; None where there is none on them."""
        return None

    @property
    def denoising(self) -> Denoising | None:
        """How values lose error for nothing, and how much; None where no rule is known."""
        return None

    @property
    def as_drawn(self) -> str:
        """Why values stay as they are drawn; nothing where they do not, or could gain nothing."""
        return ""

    def denoised(self, value: Any) -> Any:
        """Return a released value with less error, where a rule is known: `Release.denoised`."""
        return value

    def joined(self, parts: "Mapping[str, Release]") -> Any:
        """Return the value of a release with these parts: that of each group, by label."""
        return {label: part.value for label, part in parts.items()}

    def as_released(self, manifest: Document) -> "Plan":
        """Return the plan with what a release of it tells of its own noise; mostly itself."""
        return self

    def further_chapters(self) -> Mapping[str, tuple[str, ...]]:
        """Return what a board reads of this shape of plan alone: sentences by heading."""
        return {}

    @property
    def unit(self) -> Unit:
        """Whose data neighbouring data sets replace."""
        return self.guarantee.unit

    @property
    def is_private(self) -> bool:
        """Whether the promise is proved for the program as it runs, so that it may be accounted.

        Comparisons are not: they have no :attr:`cost` and no place in a ledger.
        """
        return self.known_cost is not None and self.guarantee.strength == "exact"

    @property
    def cost(self) -> Cost:
        """What a release spends of one unit's budget: the strongest statement known.

        >>> import numpy as np
        >>> import geomdp as dp
        >>> ball = dp.Ball(dp.Euclidean(10), center=np.zeros(10), radius=1.0)
        >>> made = dp.plan(dp.FrechetMean(ball), n=100, budget=dp.Pure(1), mechanism="laplace")
        >>> made.cost, round(made.gdp.mu, 3)
        (LaplaceCost(epsilon=1, dim=10), 0.324)

        Raises
        ------
        MechanismRefusedError
            For a comparison, of which nothing can be accounted.
        """
        cost = self.known_cost
        if cost is None or not self.is_private:
            raise MechanismRefusedError(
                f"{self.describe_mechanism()} is a comparison without a proved promise, so that "
                'nothing can be accounted for it; plan with mechanism="auto".'
            )
        return cost

    @property
    def gdp(self) -> GDP:
        """The cost as mu-GDP."""
        return self.cost.price(GDP)

    @property
    def dp_event(self) -> "DpEvent":
        """The cost as an event of dp-accounting, for accounting together with other software."""
        return self.cost.dp_event

    @property
    def warnings(self) -> tuple[Caution, ...]:
        """What to be warned of, each with what would help; from public things alone.

        Examples
        --------
        >>> import geomdp as dp
        >>> ball = dp.Ball(dp.Euclidean(1), [0.0], radius=1.0)
        >>> made = dp.plan(dp.FrechetMean(ball), n=40, budget=dp.Pure(11), mechanism="laplace")
        >>> [caution.name for caution in made.warnings]
        ['epsilon']
        """
        return warnings_of(self)

    def _epsilon_lines(self) -> list[str]:
        budget = self.guarantee.budget
        same = as_epsilon(budget, self.n)
        return [] if same is budget else [f"             {budget_words(budget, self.n)}"]

    def _error_lines(self) -> list[str]:
        expected, likely = self.expected_error, self.error_quantile(0.95)
        note = [f"             {self.forecast.note}"] if self.forecast.note else []
        told = f"Error        {expected:.6g} expected, {likely:.6g} in 95 of 100 releases"
        return [told, *note, *self._denoised_lines(), *clipping_lines(self)]

    def _denoised_lines(self) -> list[str]:
        told = self.as_drawn or (self.denoising and self.denoising.line())
        return [f"Denoised     {told}"] if told else []

    def _warning_lines(self) -> list[str]:
        return [f"Warning      {caution}" for caution in self.warnings]

    @property
    def expected_error(self) -> float:
        """Mean distance between release and statistic."""
        return self.forecast.expected

    @undisturbed()
    def error_quantile(self, q: float) -> float:
        """Distance between release and statistic that is not exceeded with probability ``q``."""
        return self.forecast.quantile(q)

    @undisturbed()
    def release(
        self,
        records: Any,
        *,
        project: bool = False,
        folder: str | Path | None = None,
        ledger: "Ledger | None" = None,
        dataset: str | None = None,
        again: bool = False,
    ) -> Release:
        """Touch the data once and return a private value with its manifest.

        Parameters
        ----------
        records
            An array, a list of meshes, or :class:`geomdp.Records` with groups and persons; as many
            as the plan says. For a ``Summary``, the computed point.
        project
            Move a value that falls outside the ball to its boundary: free post-processing.
        folder
            Save the release here too: that the folder can be made is settled before anything is
            drawn.
        ledger
            Debit the plan's cost here, before anything is drawn.
        dataset
            Name of the data set in the ledger.
        again
            Pay for the same plan and records a second time, which is refused otherwise.
        """
        data = as_records(records) if self.statistic.needs_n else records
        prepared = self.prepare(data, project=project)
        if ledger is not None:
            prepared = ledger.pay(prepared, self, data, dataset, again)
        return prepared.draw() if folder is None else prepared.draw_into(folder)

    @undisturbed()
    def check(self, records: Any) -> Check:
        """Look at the records for the curator's eyes only: nothing is spent or published.

        Nothing of it may be used to change the plan. A release refuses for public facts and by its
        policy for invalid records; all else is told here alone.

        >>> import geomdp as dp
        >>> ball = dp.Ball(dp.Euclidean(1), [0.0], radius=1.0)
        >>> made = dp.plan(dp.FrechetMean(ball), n=3, budget=dp.Pure(1), mechanism="laplace")
        >>> print("; ".join(made.check([[0.1], [0.2], [7.0]]).concerns))
        1 of 3 records (33.3%) would be clipped
        """
        return check_records(self, records)

    def foretold(self, found: CheckFindings) -> tuple[str, ...]:
        """Say what a release would find of records that were checked: for the curator alone."""
        return ()

    @abstractmethod
    def prepare(self, records: Any, *, project: bool = False) -> Prepared:
        """Do everything of a release that can fail, and leave the draw: nothing is spent yet."""

    def __repr__(self) -> str:
        who = f"n = {self.unit.count(self.n)}, " if self.statistic.needs_n else ""
        return (
            f"<{type(self).__name__}: {self.statistic.describe()}; {who}"
            f"{self.guarantee.budget!r}, {self.describe_mechanism()}; "
            f"error {self.expected_error:.3g}>"
        )

    @abstractmethod
    def describe_mechanism(self) -> str:
        """Name the mechanism, or the mechanisms."""

    @abstractmethod
    def statement(self) -> Document:
        """Describe the plan by its public inputs, with the numbers that follow from them."""

    @undisturbed()
    def to_json(self) -> Document:
        """Return the document of the plan: its statement, what it is about, and its own hash."""
        if self.stated is not None:
            return deepcopy(self.stated)
        if self.about is None:
            return self.statement()
        first = {"about": self.about.to_json(), **self.statement()}
        require_text(first)  # what has no text has no hash either
        return sealed({"format": first.pop("format"), **first})

    def described(self, about: About) -> Self:
        """Return the same plan with other words about it: nothing is calibrated again."""
        return self.saying(about=about.dated(), stated=None)

    def saying(self, **words: Any) -> Self:
        """Return a copy that says something else; it is the same plan, and nothing is built."""
        other = copy(self)
        for name, content in words.items():
            object.__setattr__(other, name, content)
        return other

    @property
    def hash(self) -> str:
        """SHA-256 of the plan's document: what a board signs, and knows the plan by."""
        return str(sealed(self.to_json())[HASH])

    def save(self, file: str | Path) -> None:
        """Write the plan to a new file that :func:`geomdp.load_plan` reads.

        Raises
        ------
        GeomdpError
            If the file exists: an approved plan is never written over.
        """
        write_new(file, as_text(self.to_json()))


def first_manifest(plan: Plan, project: bool) -> Document:
    """Return what a manifest says before the value is drawn, or refuse what cannot be written."""
    better = None if project else plan.denoising
    if better is not None:
        DERIVED.named(DENOISED)  # found now: after the draw nothing may fail
    manifest: Document = {
        **{"format": MANIFEST_FORMAT, "software": software(), "libraries": libraries()},
        "plan": plan.to_json(),
        "entropy": SystemEntropy.name,
        "comparison": plan.comparison,
        "projected": project,
        **({} if better is None else {DENOISED: better.to_json()}),
    }
    require_text(manifest)
    return manifest
