"""A question together with what clipping does to its answer: one more stage, for a few percent.

How many records are clipped is released first, and then the answer. Where a ball is found before,
both are asked in that ball. Proof: docs/theory/what-clipping-does.md.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.mechanisms import Forecast, Request
from geomdp.options import PUBLIC, Given, Option, read_number
from geomdp.plans.ball_shares import Stage, divide_off
from geomdp.plans.choosing import choose, request_from_json
from geomdp.plans.clipping import clipping_in
from geomdp.plans.refined import Refined
from geomdp.plans.release import Release
from geomdp.plans.single import SinglePlan
from geomdp.plans.staged import STAGES, InStages, Stages
from geomdp.privacy.exact import Number, exact_text, read_positive
from geomdp.serial import Document
from geomdp.sources.records import Records
from geomdp.spaces.ball import Ball
from geomdp.statistics import Statistic
from geomdp.statistics.base import CheckFindings
from geomdp.statistics.clipped_share import ClippedShare, share_of

#: Share of the budget that the number of clipped records takes: of epsilon, or of mu squared.
SHARE = Fraction(3, 100)
#: The largest share that may be asked for.
MOST = Fraction(1, 2)


CLIPPED = Option(
    "--clipped",
    "Also release what clipping does: how many records are clipped, or how far they lie outside on "
    "average, for 3% of the budget. Reports then bound what it does to the mean.",
    panel=PUBLIC,
    type=bool,
    default=False,
)
OUTER = Option(
    "--outer",
    "A public radius within which every record surely lies: then clipped records are counted.",
    panel=PUBLIC,
    metavar="FLOAT",
    read=read_number,
    needs=CLIPPED.name,
)
CAP = Option(
    "--cap",
    "Without --outer: no record counts for more than this in the mean excess over the radius.",
    panel=PUBLIC,
    metavar="FLOAT",
    read=read_number,
    needs=CLIPPED.name,
)


@dataclass(frozen=True, eq=False)
class Clipped(InStages):
    """A question, and how many records are clipped for it: what noise alone does not say.

    Parameters
    ----------
    question
        A mean, or ``Refined`` of one.
    outer
        A public radius within which every record lies. Left out, that of a compact space, where it
        bounds something; elsewhere the mean excess over the radius is released.
    cap
        On the excess of one record; left out, the radius.
    share
        Part of the budget (of epsilon, or of mu squared) for it.

    Examples
    --------
    >>> import numpy as np
    >>> import geomdp as dp
    >>> mean = dp.TangentMean(dp.Ball(dp.Euclidean(20), np.zeros(20), radius=1.0))
    >>> plan = dp.plan(Clipped(mean, outer=3.0), n=1000, budget=dp.GDP(1))
    >>> release = plan.release(np.full((1000, 20), 0.1))
    >>> release.value.shape, release.clipping.bias < 0.05
    ((20,), True)
    """

    question: "Statistic | Refined"
    outer: float | None = None
    cap: float | None = None
    share: Number = SHARE
    #: What the command asks.
    options: ClassVar[tuple[Option, ...]] = (CLIPPED, OUTER, CAP)

    @classmethod
    def asked(cls, question: "Statistic | Refined", given: Given) -> "Clipped":
        """Build it from what was typed."""
        return cls(question, given[OUTER.key], given[CAP.key])

    @property
    def statistic(self) -> Statistic:
        """What the last stage asks."""
        question: Any = self.question
        return question.statistic if self._in_stages else question

    @property
    def _in_stages(self) -> bool:
        return hasattr(self.question, "stages")

    def stages(self, request: Request, mechanism: str) -> Stages:
        """Return the rule for a request."""
        share = read_positive(self.share, "The share of the budget")
        if not share <= MOST:
            raise GeomdpError(f"At most half of the budget goes to clipped records, not {share}.")
        inner = None
        if self._in_stages:
            question: Any = self.question
            rest = replace(request, budget=divide_off(request, share)[1])
            inner = question.stages(rest, mechanism)
        return ClippedStages(request, mechanism, share, self.outer, self.cap, inner)


@dataclass(frozen=True, eq=False)
class ClippedStages(Stages):
    """Ask how much is clipped, and then the question; after what an inner rule finds, if any.

    ``share``: of the budget, for what is clipped. ``outer``, ``cap``: as :class:`Clipped` says.
    ``inner``: the rule whose last stage answers, planned with the rest of the budget; None where
    one mechanism answers.
    """

    tag: ClassVar[str] = "clipped"

    share: Fraction
    outer: float | None
    cap: float | None
    inner: Stages | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.inner is not None and self.inner.request.budget != self._budgets[1]:
            raise GeomdpError("The stages before the answer have another budget than is left.")
        self._widest  # noqa: B018  what refuses must refuse before anything is spent
        self.first  # noqa: B018

    @cached_property
    def _budgets(self) -> tuple[Any, Any]:
        """What clipped records take, and what is left."""
        return divide_off(self.request, self.share)

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        """Those of the inner rule, with one more before the last."""
        part, rest = self._budgets
        before = () if self.inner is None else self.inner.stages
        last = before[-1] if before else Stage("answer", rest)
        return (*before[:-1], Stage("clipped", part), last)

    @property
    def _number(self) -> int:
        """The number of the stage that asks what is clipped."""
        return len(self.stages) - 2

    def plan(self, released: Sequence[Release]) -> SinglePlan:  # noqa: D102
        number = self._number
        if len(released) < number:
            assert self.inner is not None
            return self.inner.plan(released)
        before = released[:number]
        answer = self._alone if self.inner is None else self.inner.plan(before)
        if len(released) > number:
            return answer
        if self.inner is None:
            return self._widest
        with suppress(Exception):  # once a stage has spent, nothing may stop the release
            return self._counted(answer.statistic)
        return self._widest

    @cached_property
    def _alone(self) -> SinglePlan:
        """The answer's plan where no inner rule makes it."""
        return choose(replace(self.request, budget=self._budgets[1]), self.mechanism)

    def _share_of(self, statistic: Statistic) -> ClippedShare:
        """Ask about a statistic; an outer radius about the prior's centre reaches from another.

        A prior holds the records, as whoever finds a ball in it declares: that is an outer radius.
        """
        before, ball = self.asked.public_ball, statistic.public_ball
        outer = self.outer
        if self.inner is not None and outer is None and self.cap is None:
            outer = self.asked.public_radius if before is None else before.reach
        if outer is None or before is None or ball is None:
            return share_of(statistic, outer, self.cap)
        away = float(np.asarray(ball.space.dist(before.center, ball.center)))
        outer = min(outer if away == 0 else outer + away, ball.space.farthest)
        with suppress(GeomdpError):
            return share_of(statistic, outer, self.cap)
        # A prior may be wider than the theory of a mean: then no count would bound anything.
        return share_of(statistic, self.outer, self.cap)

    def _counted(self, statistic: Statistic) -> SinglePlan:
        """Plan how much is clipped for a statistic."""
        budget = self._budgets[0]
        asked = self._share_of(statistic)
        name = "linear-laplace" if budget.is_pure else "tangent-gaussian"
        return choose(self._for(asked, budget), name)

    @cached_property
    def _widest(self) -> SinglePlan:
        """The plan on public things alone: in the prior, where a ball is found later."""
        return self._counted(self.outlook().statistic)

    def outlook(self) -> SinglePlan:
        """Return the answer's plan as far as it is known in advance."""
        if self.inner is None:
            return self._alone
        return self.inner.outlook().single

    def clipping(self, released: Sequence[Release]) -> Release | None:
        """Return the release that says how much is clipped of the answer that follows it."""
        if len(released) < len(self.stages):
            return None
        told, answer = released[self._number], released[-1].plan.statistic
        same = told.plan.statistic.to_json()["statistic"] == answer.to_json()
        return told if same else None

    # --- what the inner rule says ---------------------------------------------------------------

    @property
    def caveats(self) -> tuple[str, ...]:  # noqa: D102
        return super().caveats if self.inner is None else self.inner.caveats

    @property
    def asked(self) -> Statistic:  # noqa: D102
        return super().asked if self.inner is None else self.inner.asked

    def forecasts(self) -> Mapping[str, Forecast]:  # noqa: D102
        if self.inner is None:
            return {"of the answer": self._alone.forecast}
        return self.inner.forecasts()

    def ready(self, records: Records) -> Records:  # noqa: D102
        return records if self.inner is None else self.inner.ready(records)

    def foretold(self, found: CheckFindings) -> tuple[str, ...]:  # noqa: D102
        return () if self.inner is None else self.inner.foretold(found)

    def ball(self, released: Sequence[Release], origin: str = "") -> Ball | None:  # noqa: D102
        return None if self.inner is None else self.inner.ball(released[: self._number], origin)

    def tau(self, released: Sequence[Release]) -> float | None:  # noqa: D102
        return None if self.inner is None else self.inner.tau(released[: self._number])

    def remarks(self) -> tuple[str, ...]:
        """Add what will be said of clipping if no record is clipped."""
        told = () if self.inner is None else self.inner.remarks()
        found = clipping_in(self._widest, 0.0)
        least = f"moves the answer by at most {found.bias:.3g}{found.condition}"
        if self.inner is not None and found.counted:
            least = f"concerns at most {100 * found.upper:.3g}% of the {self.request.unit.plural}"
        return (
            *told,
            f"{float(100 * self.share):.3g}% of the budget asks what clipping does; if it does "
            f"nothing, the release will say that it {least}",
        )

    def describe(self) -> str:  # noqa: D102
        what = self.request.statistic if self.inner is None else self.inner
        return f"{what.describe()}; before it {self._what()}"

    def _what(self) -> str:
        asked = self._share_of(self.outlook().statistic)
        if asked.counted:
            return "how many records are clipped"
        return f"the mean excess of the records over the radius, up to {asked.cap:.6g} each"

    def to_json(self) -> Document:  # noqa: D102
        inner = self.inner
        return {
            "share": exact_text(self.share),
            **({} if self.outer is None else {"outer": self.outer}),
            **({} if self.cap is None else {"cap": self.cap}),
            **({} if inner is None else {"inner": {"tag": inner.tag, **inner.to_json()}}),
            **super().to_json(),
        }

    @classmethod
    def from_json(cls, document: Document) -> "ClippedStages":
        """Inverse of :meth:`to_json`."""
        stated = document.get("inner")
        inner = None if stated is None else STAGES[stated["tag"]].from_json(stated)
        return cls(
            request_from_json(document),
            document["mechanism"],
            read_positive(document["share"], "The share of the budget"),
            document.get("outer"),
            document.get("cap"),
            inner,
        )


STAGES.register(ClippedStages.tag, ClippedStages)
