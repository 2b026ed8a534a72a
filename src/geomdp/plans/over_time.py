"""Releases over time: running totals of a growing data set, one plan for all periods.

Each record enters in one public period. Proofs: docs/theory/over-time.md.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.mechanisms import Calibration, Forecast, Request
from geomdp.mechanisms.running_totals import RUNNING_TOTALS, Scheme, square_root
from geomdp.options import PUBLIC, Given, Option, OptionError
from geomdp.plans.base import PLAN_FORMAT, Plan
from geomdp.plans.choosing import request_from_json, request_to_json
from geomdp.plans.denoising import Denoising
from geomdp.plans.kept import Kept
from geomdp.plans.loading import SHAPES, load_release, plan_from_json
from geomdp.plans.periods import PeriodPlan, sizes_of, within
from geomdp.plans.release import Prepared, Release, fingerprint
from geomdp.plans.single import SinglePlan
from geomdp.privacy import Cost
from geomdp.privacy.guarantee import Guarantee
from geomdp.runtime.surroundings import undisturbed
from geomdp.serial import Document
from geomdp.sources.records import Records, as_records
from geomdp.statistics import Statistic

if TYPE_CHECKING:
    from geomdp.ledger import Ledger

PERIODS = Option(
    "--periods",
    "Release over time, once in each of so many periods, or of these public names in order: 12, or "
    "2025-q1,2025-q2. --n is then the number expected by the last.",
    panel=PUBLIC,
    metavar="T|NAME,NAME",
)
CHANGES = Option(
    "--changes",
    "With --periods: refused, where records stay as they entered (default), or charged, where they "
    "may be changed, moved or withdrawn, at the price of more noise.",
    panel=PUBLIC,
    choices=("refused", "charged"),
    needs="--periods",
)
#: Whether records stay as they entered, or each release takes them as they are then.
Changes = Literal["refused", "charged"]
#: Releases at most: each keeps what all before it published.
MOST_PERIODS = 1000


@dataclass(frozen=True, eq=False)
class OverTime:
    """A statistic of all records so far, again in each period, while records keep coming.

    Parameters
    ----------
    statistic
        A linear one: a tangent mean, moments, classes, an extrinsic mean, distributions, curves.
    periods
        Public number of periods, or their public names in order. A period may be left out, and the
        releases may end early; neither may hang on records that were not released.
    changes
        ``"refused"``: each record enters in one period and stays as it is, which is checked.
        ``"charged"``: records may be changed, moved or withdrawn at any time; each release then
        costs what one costs alone, and noise is larger.

    Examples
    --------
    >>> import numpy as np
    >>> import geomdp as dp
    >>> ball = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)
    >>> asked = OverTime(dp.TangentMean(ball), periods=12)
    >>> made = dp.plan(asked, n=1200, budget=dp.GDP(1))
    >>> alone = dp.plan(dp.TangentMean(ball), n=1200, budget=dp.GDP(1))
    >>> round(made.expected_error / alone.expected_error, 2)
    1.85
    """

    statistic: Statistic
    periods: int | Sequence[str] = 12
    changes: Changes = "refused"

    def __post_init__(self) -> None:
        given = self.periods
        if isinstance(given, int | np.integer):
            given = [str(number) for number in range(1, min(int(given), MOST_PERIODS + 1) + 1)]
        labels = () if isinstance(given, str) else tuple(str(label).strip() for label in given)
        if not 2 <= len(labels) <= MOST_PERIODS or len(set(labels)) < len(labels) or "" in labels:
            raise GeomdpError(
                f"Periods are a number from 2 to {MOST_PERIODS}, or as many public names that "
                'differ, in order: periods=12, or ("2025-01", "2025-02").'
            )
        if self.changes not in ("refused", "charged"):
            raise GeomdpError(f"Changes are refused or charged, not {self.changes!r}.")
        object.__setattr__(self, "periods", labels)

    #: What the command asks.
    options: ClassVar[tuple[Option, ...]] = (PERIODS, CHANGES)

    @classmethod
    def asked(cls, statistic: Statistic, given: Given) -> "Statistic | OverTime":
        """Return what is asked over time, where that was typed, else the statistic itself."""
        if not given.said(PERIODS):
            if given.said(CHANGES):
                raise OptionError("--changes goes with --periods")
            return statistic
        text = given[PERIODS.key]
        names = int(text) if text.isdecimal() else tuple(text.split(","))
        return cls(statistic, names, given[CHANGES.key] or "refused")

    def planned(self, request: Request, mechanism: str, **words: Any) -> "OverTimePlan":
        """Return the plan for a request."""
        if mechanism not in ("auto", RUNNING_TOTALS.name):
            raise GeomdpError("The mechanism of releases over time is fixed; leave it out.")
        labels = cast(tuple[str, ...], self.periods)
        return OverTimePlan(request, labels, self.changes, **words)


@dataclass(frozen=True, eq=False, repr=False)
class OverTimePlan(Plan):
    """One plan for the releases of all periods, whose costs add up to the promise.

    Attributes
    ----------
    asked
        The statistic, n as expected in the last period, and the budget of all periods together.
    periods
        Public names, in order.
    changes
        Whether changed records are refused or charged.
    """

    shape: ClassVar[str] = "over-time"

    asked: Request
    periods: tuple[str, ...]
    changes: Changes = "refused"

    def __post_init__(self) -> None:
        self.outlook  # noqa: B018  refuses what cannot be served, while it is planned

    @cached_property
    def scheme(self) -> Scheme:
        """Coefficients of the steps; ones where every release takes all records anew."""
        if self.changes == "charged":
            return Scheme(square_root(1) * len(self.periods))
        return Scheme(square_root(len(self.periods)))

    @cached_property
    def outlook(self) -> SinglePlan:
        """The running mean after the last period, as far as it is known in advance."""
        return self._after(len(self.periods), self.asked.n)

    @cached_property
    def alone(self) -> SinglePlan:
        """The first release, which costs what it debits, over a public number of records."""
        return self._after(1, max(2, self.asked.n // len(self.periods)))

    def _after(self, step: int, n: int) -> SinglePlan:
        fitted = self.fitted(step, n)
        return SinglePlan(RUNNING_TOTALS, fitted, RUNNING_TOTALS.forecast(fitted))

    def fitted(self, step: int, n: int, again: bool = False) -> Calibration:
        """Return the calibration of the running mean over n records after a step."""
        request = replace(self.asked, n=n)
        return RUNNING_TOTALS.calibrated(request, self.scheme, step, again)

    @property
    def request(self) -> Request:  # noqa: D102
        return self.asked

    @property
    def shown(self) -> SinglePlan:  # noqa: D102
        return self.outlook

    @property
    def comparison(self) -> bool:
        """Its noise is proved."""
        return False

    @property
    def guarantee(self) -> Guarantee:
        """The promise of all releases together."""
        return self.outlook.guarantee

    @property
    def known_cost(self) -> Cost:
        """What all periods together spend."""
        first = cast(Cost, self.outlook.calibration.cost)
        return self.debit(1).partly(self.scheme.square) if first else first

    def debit(self, step: int) -> Cost:
        """Return what a step debits: the prefix sums are what a record of the first step spent."""
        cost = cast(Cost, self.fitted(step, self.asked.n).cost)
        return cost.for_group(self.asked.unit.max_records or 1)

    @property
    def forecast(self) -> Forecast:  # noqa: D102
        return self.outlook.forecast

    @property
    def denoising(self) -> Denoising | None:
        """As after the last period: the law of each running mean's noise is known."""
        return self.outlook.denoising

    @property
    def as_drawn(self) -> str:  # noqa: D102
        return self.outlook.as_drawn

    @property
    def period_names(self) -> tuple[str, ...]:  # noqa: D102
        return self.periods

    @property
    def cases(self) -> Mapping[str, Forecast]:
        """Law of the error after the first, the middle and the last period of equal sizes."""
        last = len(self.periods)
        steps = sorted({1, (last + 1) // 2, last})
        return {
            f"after {self.periods[step - 1]}, the {step} of {last}": self._after(
                step, max(2, self.asked.n * step // last)
            ).forecast
            for step in steps
        }

    def describe_mechanism(self) -> str:  # noqa: D102
        return RUNNING_TOTALS.name

    def asking(self, statistic: Statistic, budget: Any) -> "OverTimePlan":
        """Return the same plan for another question and budget."""
        changed = replace(self.asked, statistic=statistic, budget=budget)
        return OverTimePlan(changed, self.periods, self.changes)

    def prepare(self, records: Any, *, project: bool = False) -> Prepared:
        """Refuse: a release is of a period."""
        raise GeomdpError(
            "The plan is for releases over time: say which period (period=..., --period), and "
            "after which release (after=..., --after)."
        )

    @undisturbed()
    def release(  # type: ignore[override]
        self,
        records: Any,
        *,
        period: str | int,
        after: "Release | str | Path | None" = None,
        size: int | None = None,
        kept: str | Path | None = None,
        folder: str | Path | None = None,
        ledger: "Ledger | None" = None,
        dataset: str | None = None,
        again: bool = False,
    ) -> Release:
        """Release the statistic of all records so far, in one period.

        Parameters
        ----------
        records
            ``Records(points, period=...)``: all so far; those of later periods are left out.
        period
            Its public name.
        after
            The release before it, or its folder; none in the first.
        size
            Public number of records, or persons, that entered since (where changes are charged, of
            all so far); needed of persons.
        kept
            Private folder that remembers what was begun and which records entered.
        folder, ledger, dataset
            As of every plan; the ledger is debited this period's part alone.
        again
            Draw a step once more that was begun before: costs a whole release, which a ledger pays.
        """
        one, data = self.at(records, period, after, size=size, kept=kept, again=again)
        return one.release(data, folder=folder, ledger=ledger, dataset=dataset, again=again)

    @undisturbed()
    def at(
        self, records: Any, period: Any, after: Any = None, **how: Any
    ) -> tuple[PeriodPlan, Records]:
        """Return the plan of one period, by public facts alone, and the records that it takes.

        ``how`` are the ``size``, ``kept`` and ``again`` of :meth:`release`.
        """
        again = how.get("again", False)
        before = self._continued(after)
        steps = (
            *(() if before is None else before.plan.released_periods),
            self._label(period, before),
        )
        data = within(as_records(records), self.periods, steps)
        sizes = sizes_of(
            data, steps, () if before is None else before.plan.counts, how.get("size"), self
        )
        one = self.in_step(
            steps,
            sizes,
            "" if before is None else fingerprint(before),
            again=again,
            about=self.about,
        )
        published = None if before is None else before.manifest["published"]
        return one.saying(before=published, kept=Kept.of_plan(self.hash, how.get("kept"))), data

    def in_step(
        self, steps: tuple[str, ...], counts: tuple[int, ...], origin: str, **words: Any
    ) -> "PeriodPlan":
        """Return the plan of the last of these steps, from public facts alone."""
        if not steps or not set(steps) <= set(self.periods) or len(steps) != len(counts):
            raise GeomdpError("A release is of periods of its plan, each with a public count.")
        fitted = self.fitted(len(steps), counts[-1], words.get("again", False))
        law = RUNNING_TOTALS.forecast(fitted)
        words |= {"of": self, "steps": steps, "counts": counts, "origin": origin}
        return PeriodPlan(RUNNING_TOTALS, fitted, law, **words)

    def _continued(self, after: "Release | str | Path | None") -> Any:
        """Return the release that is continued, of this plan and no other."""
        if after is None:
            return None
        before = load_release(after) if isinstance(after, str | Path) else after
        if not before.plan.released_periods or before.plan.whole.hash != self.hash:
            raise GeomdpError(
                "The release before is of another plan: releases over time continue one plan."
            )
        wrong = next(iter(before.plan.problems(before)), None)
        if wrong is not None:
            raise GeomdpError(f"The release before is not in order: {wrong[0]}: {wrong[1]}.")
        return before

    def _label(self, period: str | int, before: Any) -> str:
        label = str(period).strip()
        if label not in self.periods:
            raise GeomdpError(
                f"{label!r} is no period of the plan, which are {', '.join(self.periods)}."
            )
        last = None if before is None else before.plan.released_periods[-1]
        if last is not None and self.periods.index(label) <= self.periods.index(last):
            raise GeomdpError(f"Period {label} does not come after {last}, which was released.")
        return label

    def statement(self) -> Document:  # noqa: D102
        scheme, debits = self.scheme, range(1, len(self.periods) + 1)
        return {
            "format": PLAN_FORMAT,
            "shape": self.shape,
            "budget": self.asked.budget.to_json(),
            "periods": list(self.periods),
            "changes": self.changes,
            "request": request_to_json(self.asked),
            "derived": {
                "noise of a step on sums": RUNNING_TOTALS.noise(self.asked, scheme),
                "largest error, in single releases": scheme.largest_error,
                "cost": self.known_cost.to_json(),
                "debits": [self.debit(step).to_json() for step in debits],
                "guarantee": self.guarantee.to_json(),
                "expected_error": self.expected_error,
            },
        }

    @undisturbed()
    def __str__(self) -> str:
        first, last = self.debit(1), self.debit(len(self.periods))
        changed = "refused" if self.changes == "refused" else "charged in every period"
        lines = [
            f"Plan         {self.statistic.describe()} over time, {len(self.periods)} periods, "
            f"n = {self.unit.count(self.n)} expected by the last",
            f"Guarantee    {self.guarantee}",
            *self._epsilon_lines(),
            f"Mechanism    {self.describe_mechanism()} (docs/theory/over-time.md)",
            f"Changes      of records that entered are {changed}",
            f"Debits       {first.words()} in the first period, {last.words()} in the last",
        ]
        for case, one in self.cases.items():
            lines.append(
                f"Error        {case}: {one.expected:.6g} expected, {one.quantile(0.95):.6g} in 95 "
                "of 100 releases"
            )
        lines += self._denoised_lines()
        return "\n".join([*lines, *self._warning_lines()])


def _over_time(document: Document) -> OverTimePlan:
    request, periods = request_from_json(document["request"]), tuple(document["periods"])
    return OverTimePlan(request, periods, document["changes"])


def _period(document: Document) -> Plan:
    whole: Any = plan_from_json(document["over_time"])
    if not whole.period_names:
        raise GeomdpError("A period is stated of a plan that has none.")
    steps, counts = tuple(document["steps"]), tuple(document["counts"])
    made: Plan = whole.in_step(steps, counts, document["origin"], again=document["again"])
    return made


SHAPES.register(OverTimePlan.shape, _over_time)
SHAPES.register(PeriodPlan.shape, _period)
