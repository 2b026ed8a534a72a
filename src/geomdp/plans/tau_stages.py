"""The rule that finds privately to which length records are clipped, and then answers.

For mean functions and surfaces, whose template is public: the radius stage of a private ball, about
the template. Proof: docs/theory/private-ball.md, section 1; the score there counts records by any
distance that is a function of one record.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Self

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.mechanisms import Forecast
from geomdp.noise.discrete_exponential import probabilities
from geomdp.plans import ball_shares
from geomdp.plans.ball_shares import Stage
from geomdp.plans.choosing import choose, request_from_json
from geomdp.plans.pooling import is_pooled
from geomdp.plans.release import Release
from geomdp.plans.single import SinglePlan
from geomdp.plans.staged import STAGES, Stages
from geomdp.runtime.threads import one_blas_thread
from geomdp.serial import Document
from geomdp.sources.records import Records
from geomdp.spaces.rows import declared_shape
from geomdp.statistics import statistic_from_json
from geomdp.statistics.base import CheckFindings
from geomdp.statistics.cover_radius import STEPS_A_HALVING, CoverLength
from geomdp.statistics.linear import ClippedStatistic

#: A tau a thousand times too wide is narrowed, not more: invalid records count as the template, and
#: if they are many the smallest length of a longer grid would be drawn for their sake.
MOST_HALVINGS = 10
#: Parts of the widest tau that the records may need, for the forecast.
SPREADS = {"all of tau": 1.0, "a third of it": 1 / 3, "a tenth": 0.1}
#: Quantiles of the law of tau, from the widest on, that a check tells the curator.
FORETOLD = (0.05, 0.5, 0.95)


@dataclass(frozen=True, eq=False)
class TauStages(Stages):
    """Find a tau below a public one that is surely wide enough, and answer with it.

    The request has the widest tau; what a plan chooses is still left out.
    """

    tag: ClassVar[str] = "tau"

    def __post_init__(self) -> None:
        super().__post_init__()
        # What refuses must refuse before anything is spent.
        self.plan(())
        self.outlook()

    @cached_property
    def _clipped(self) -> ClippedStatistic:
        clipped = self.request.statistic.as_clipped()
        if clipped is None:
            raise GeomdpError(
                "A tau is found for FunctionMean and SurfaceMean, and what is asked of both."
            )
        return clipped

    @cached_property
    def stages(self) -> tuple[Stage, Stage]:
        """A length, then the answer."""
        return ball_shares.divide_once(self.request)

    @property
    def ends_in_a_point(self) -> bool:  # noqa: D102
        return False

    @cached_property
    def outside(self) -> int:
        """How many records may be clipped: what costs less than the noise of the answer."""
        asked = self.outlook().statistic.as_clipped()
        assert asked is not None
        return ball_shares.outside(self.request, asked.loud, self.stages[1].budget)

    def plan(self, released: Sequence[Release]) -> SinglePlan:  # noqa: D102
        if not released:
            return self._length_plan
        with suppress(Exception):  # once a stage has spent, nothing may stop the release
            return self._answer(float(released[0].value[0]))
        return self.outlook()

    @cached_property
    def _length(self) -> CoverLength:
        """The question of the first stage."""
        steps = ball_shares.grid_steps(self.request, self.stages[0], self.outside)
        steps = min(steps, MOST_HALVINGS * STEPS_A_HALVING)
        return CoverLength(self._clipped.mean, self._clipped.radius, steps, self.outside)

    @cached_property
    def _length_plan(self) -> SinglePlan:
        return choose(self._for(self._length, self.stages[0].budget), "exponential")

    def _answer(self, tau: float) -> SinglePlan:
        budget = self.stages[1].budget
        share = self.request.unit.record_budget(budget)
        statistic = self._clipped.clipped_at(tau).under(share, self.request.n)
        name = "linear-laplace" if budget.is_pure else "tangent-gaussian"
        return choose(
            self._for(statistic, budget), name if self.mechanism == "auto" else self.mechanism
        )

    @cached_property
    def _last_answer(self) -> SinglePlan:
        return self._answer(self._clipped.radius)

    def outlook(self) -> SinglePlan:
        """Return the answer's plan if records need all of tau."""
        return self._last_answer

    def forecasts(self) -> Mapping[str, Forecast]:
        """Forecast the answer over the unknown spread of the records."""
        return {f"if records need {case}": made.forecast for case, made in self._by_spread.items()}

    @cached_property
    def _by_spread(self) -> dict[str, SinglePlan]:
        widest = self._clipped.radius
        return {
            case: self._answer(part * widest) if part < 1 else self._last_answer
            for case, part in SPREADS.items()
        }

    def ready(self, records: Records) -> Records:
        """Lay meshes over the template once, which takes a third of a second each."""
        mean, meshes = self._clipped.mean, records.points
        pooled = is_pooled(self.request.unit)
        fits = records.person is not None if pooled else len(records) == self.request.n
        single = isinstance(meshes, list | tuple | np.ndarray) and declared_shape(meshes) is None
        raw = single and self.request.reading is None
        if not raw or not fits:
            return records  # prepared before, or what the first stage refuses
        with one_blas_thread():
            return replace(records, points=mean.laid_once(meshes))

    def foretold(self, found: CheckFindings) -> tuple[str, ...]:
        """Say which tau would be found, and how many records it would clip."""
        asked, epsilon = self._length, self._length_plan.calibration.request.epsilon
        alone = self.request.unit.of == "record" and found.count == self.request.n
        if found.distances is None or not alone:
            return ()  # some records of a person may not count
        lengths = np.nan_to_num(found.distances) * asked.top  # what is invalid is the template
        below = np.cumsum(probabilities(asked.weights(asked.depths(lengths), epsilon)))
        wide, middle, narrow = (float(asked.radii[np.argmax(below >= q)]) for q in FORETOLD)
        beyond = int(np.sum(lengths > middle))
        return (
            f"a tau of {narrow:.3g} to {wide:.3g} in 90 of 100 releases; at {middle:.3g}, "
            f"{beyond} of {found.count} records ({beyond / found.count:.1%}) would be clipped",
        )

    def tau(self, released: Sequence[Release]) -> float | None:  # noqa: D102
        found = bool(released) and released[0].plan.statistic.as_cover() is not None
        return float(released[0].value[0]) if found else None

    def remarks(self) -> tuple[str, ...]:  # noqa: D102
        who = self.request.unit.count(self.outside)
        return (f"up to {who} may be farther from the template and are clipped",)

    def describe(self) -> str:  # noqa: D102
        return f"{self.request.statistic.describe()}: the bound found privately below that"

    @classmethod
    def from_json(cls, document: Document) -> Self:  # noqa: D102
        request = request_from_json(document)
        # As it was stated: what a plan chooses is chosen with the tau that is found.
        asked = statistic_from_json(document["statistic"])
        return cls(replace(request, statistic=asked), document["mechanism"])


def tau_of(release: Release) -> float:
    """Return the tau that a release in stages found for a mean function or surface.

    It is public now; a later plan may use it, whose cost adds to that of the release.

    Examples
    --------
    >>> import geomdp as dp
    >>> from geomdp.curves import Matern
    >>> wide = dp.FunctionMean(np.zeros(8), tau=8.0, kernel=Matern(0.5))
    >>> made = dp.plan(dp.Refined(wide), n=1000, budget=dp.GDP(1))
    >>> tau_of(made.release(np.full((1000, 8), 0.1))) < 8
    True
    """
    found = release.plan.found_tau(release.parts)
    if found is None:
        raise GeomdpError("Only a release of Refined with FunctionMean or SurfaceMean found a tau.")
    return found


STAGES.register(TauStages.tag, TauStages)
