"""Two stages: a private centre in a wide ball, then the statistic in a narrow ball around it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

from geomdp.errors import GeomdpError
from geomdp.mechanisms import Request
from geomdp.plans.choosing import choose
from geomdp.plans.inputs import request_from_json, request_to_json
from geomdp.plans.single import SinglePlan
from geomdp.plans.staged import STAGES, Stages
from geomdp.privacy import Budget
from geomdp.projection import project_into
from geomdp.release import Release
from geomdp.serial import Document
from geomdp.spaces.ball import Ball
from geomdp.statistics import FrechetMean, Statistic, TangentMean

#: Share of the budget that finds the centre; the rest buys the statistic.
DEFAULT_SHARE = "1/4"


@dataclass(frozen=True, eq=False)
class Recentred:
    """A mean whose centre is only roughly known: found privately first, in the prior ball.

    Parameters
    ----------
    statistic
        ``FrechetMean`` or ``TangentMean`` on the wide prior ball.
    radius
        Public radius of the narrow ball, around the centre that the first stage releases.
    share
        Part of the budget that the first stage spends.

    Examples
    --------
    >>> import geomdp as dp
    >>> prior = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=1.0)
    >>> plan = dp.plan(Recentred(dp.FrechetMean(prior), radius=0.2), n=2000, budget=dp.Pure(1))
    >>> [budget for budget in plan.rule.budgets]
    [Pure(epsilon=0.25), Pure(epsilon=0.75)]
    """

    statistic: FrechetMean | TangentMean
    radius: float
    share: str = DEFAULT_SHARE

    def stages(self, request: Request, mechanism: str) -> Stages:
        """Return the rule for a request."""
        return RecentredStages(self.radius, self.share, request, mechanism)


@dataclass(frozen=True, eq=False)
class RecentredStages(Stages):
    """First the tangent mean in the prior ball, then the statistic around it."""

    tag: ClassVar[str] = "recentred"

    radius: float
    share: str
    request: Request
    mechanism: str

    def __post_init__(self) -> None:
        self.outlook()  # what refuses must refuse before anything is spent
        self.plan(())

    @cached_property
    def budgets(self) -> tuple[Budget, ...]:  # noqa: D102
        from fractions import Fraction

        share = Fraction(self.share)
        if not 0 < share < 1:
            raise GeomdpError(f"The share of the first stage lies between 0 and 1, not {share}.")
        return self.request.budget.split(share, 1 - share)

    def plan(self, released: Sequence[Release]) -> SinglePlan:  # noqa: D102
        if not released:
            return self._first
        # Total: a centre that floats do not resolve falls back on the prior's, by a public rule.
        try:
            return self._around(project_into(self._prior, released[0].value))
        except GeomdpError:
            return self._fallback

    def outlook(self) -> SinglePlan:
        """Return the second stage's plan at the prior centre."""
        return self._fallback

    @cached_property
    def _first(self) -> SinglePlan:
        tangent = TangentMean(self._prior)
        return choose(replace(self.request, statistic=tangent, budget=self.budgets[0]))

    @cached_property
    def _fallback(self) -> SinglePlan:
        return self._around(self._prior.center)

    def _around(self, center: Any) -> SinglePlan:
        ball = Ball(self._prior.space, center, self.radius)
        statistic = type(self._mean)(ball)
        request = replace(self.request, statistic=statistic, budget=self.budgets[1])
        return choose(request, self.mechanism)

    @property
    def _mean(self) -> FrechetMean | TangentMean:
        statistic: Statistic = self.request.statistic
        if not isinstance(statistic, FrechetMean | TangentMean):
            raise GeomdpError("A centre is found for a FrechetMean or TangentMean only.")
        return statistic

    @property
    def _prior(self) -> Ball:
        return self._mean.ball

    def describe(self) -> str:  # noqa: D102
        return (
            f"{self._mean.describe()}: a centre is found in it first, then the mean within "
            f"{self.radius:.6g} of that centre"
        )

    def to_json(self) -> Document:  # noqa: D102
        return {
            "radius": self.radius,
            "share": self.share,
            "mechanism": self.mechanism,
            **request_to_json(self.request),
        }

    @classmethod
    def from_json(cls, document: Document) -> Self:  # noqa: D102
        request = request_from_json(document)
        return cls(document["radius"], document["share"], request, document["mechanism"])


STAGES.register(RecentredStages.tag, RecentredStages)
