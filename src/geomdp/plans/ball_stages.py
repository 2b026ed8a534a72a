"""The rule that finds a ball privately, in stages, and answers a question in it.

Radius about the prior's centre, centre within it, radius about that centre, answer. Where the prior
reaches the cut locus of its centre, a centre by an embedding comes first, which has none. Every
stage clips the original records, and is a public function of what was released before. Proofs and
limits: docs/theory/private-ball.md.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.mechanisms import Forecast, Request
from geomdp.mechanisms.forecast import forecast_of_scales
from geomdp.plans import ball_shares
from geomdp.plans.ball_shares import Stage, embedded_center, is_clear, is_whole, prior_of
from geomdp.plans.choosing import choose, request_from_json, require_curvature
from geomdp.plans.release import Release
from geomdp.plans.single import SinglePlan
from geomdp.plans.staged import STAGES, Stages
from geomdp.privacy import Budget
from geomdp.serial import Document
from geomdp.spaces.ball import Ball, project_into
from geomdp.spaces.base import Space
from geomdp.statistics import CoverRadius, FrechetMean, Statistic, TangentMean
from geomdp.typing import Array

#: Parts of the prior's radius over which the records may spread, for the forecast.
SPREADS = {"all of the prior": 1.0, "a third of it": 1 / 3, "a tenth": 0.1, "a 30th": 1 / 30}
#: A radius stage overshoots the smallest radius that serves: by half a step of its grid and by
#: further steps, each half as likely (docs/theory/private-ball.md, section 3).
OVERSHOOT = 2.0 ** (0.125 + np.arange(12) / 4)
CHANCES = np.r_[0.5 ** np.arange(1, 12), 0.5**11]
#: Mechanisms whose promise leaves nothing out, so that it is known before radii are, by whether the
#: budget is pure; the better comes first.
PLAIN = {
    True: ("laplace", "wrapped-laplace", "linear-laplace"),
    False: ("tangent-gaussian", "wrapped-gaussian"),
}
#: Radii stay this much below the limits that theorems set.
BELOW = 0.999


@dataclass(frozen=True, eq=False)
class BallStages(Stages):
    """Find a ball within a prior, and if wanted answer a question in it.

    ``rounds``: how often centre and radius are sought. ``answer``: whether a last stage answers;
    else the ball is all that is released. ``embedding``: plan of the first centre, where an
    embedding finds it (:mod:`~geomdp.plans.ball_shares`). ``centred``: whether a centre is sought
    at all; else the ball lies about the prior's.
    """

    tag: ClassVar[str] = "ball"

    rounds: int
    answer: bool
    embedding: SinglePlan | None = None
    centred: bool = True

    def asking(self, statistic: Statistic, budget: Budget) -> "BallStages":  # noqa: D102
        request = self._for(statistic, budget)
        center = embedded_center(request, self.rounds, self.answer) if self.embedded else None
        return replace(self, request=request, embedding=center)

    def __post_init__(self) -> None:
        ball_shares.require_rounds(self.rounds)
        super().__post_init__()
        # What refuses must refuse before anything is spent.
        require_curvature(self.request.statistic)
        self.first  # noqa: B018
        for number, stage in enumerate(self.stages):
            if number and stage.asks == "radius":
                self._radius_plan(number, self.prior.center, self.prior.radius)
        self._last_centers  # noqa: B018
        self.outlook()

    # --- what is fixed in advance ---------------------------------------------------------------

    @property
    def prior(self) -> Ball:
        """The public ball that the search starts from."""
        return prior_of(self.request)

    @property
    def embedded(self) -> bool:
        """Whether the first centre is found by an embedding."""
        return self.embedding is not None

    @property
    def _space(self) -> Space:
        return self.prior.space

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        """What each stage asks for, and with which budget."""
        if not self.centred:
            return ball_shares.divide_once(self.request)
        return ball_shares.divide(
            self.request, self._space.dim, self.rounds, self.answer, embedded=self.embedded
        )

    @property
    def ends_in_a_point(self) -> bool:  # noqa: D102
        return self.answer and super().ends_in_a_point

    @cached_property
    def outside(self) -> int:
        """How many records a ball may leave outside."""
        last = self.stages[-1].budget if self.answer else self.request.budget
        return ball_shares.outside(self.request, self._space.dim, last)

    # --- the rule -------------------------------------------------------------------------------

    def plan(self, released: Sequence[Release]) -> SinglePlan:  # noqa: D102
        number = len(released)
        center, radius = self._found(released)
        asks = self.stages[number].asks
        if asks == "radius":
            return self._radius_plan(number, center, self._top(center, number))
        balls = self._about(center, radius)
        if asks == "centre":
            if self.embedding is not None and number == 0:
                return self.embedding
            last = self._last_centers[number]
            return self._first(self._centers(balls, self.stages[number].budget), last)
        return self._first(self._answers(balls), self._last_answer, self.caveats)

    def ball(self, released: Sequence[Release], origin: str = "") -> Ball:
        """Return the ball that radius and centre stages released, widened to what floats resolve.

        Total: the prior where nothing else is resolved.
        """
        center, radius = self._found(released)
        found = next(self._about(center, radius), self.prior)
        return replace(found, origin=origin, wide=True)

    def _found(self, released: Sequence[Release]) -> tuple[Array, float]:
        """Return the last centre, moved into the prior, and radius that were released."""
        center, radius = self.prior.center, self.prior.radius
        for number, (stage, release) in enumerate(zip(self.stages, released, strict=False)):
            if stage.asks == "centre":
                center = self._into_prior(self._point(number, release.value))
            elif stage.asks == "radius":
                radius = self._radius(release)
        return center, radius

    def _radius(self, release: Release) -> float:
        """Return the radius that a stage released."""
        return float(release.value[0])

    def _point(self, number: int, value: Array) -> Array:
        """Return the point that a centre stage released: the first may be an embedded mean."""
        return self._last_centers[number].statistic.mean_point(value)

    def _into_prior(self, value: Array) -> Array:
        """Move a released centre into the prior; a point of the space is in all of it. Total."""
        with suppress(Exception):
            if is_whole(self.prior):
                found, _ = self._space.parse(np.asarray(value)[None], instead=self.prior.center)
                return np.asarray(found[0])
        return project_into(self.prior, value)

    def _top(self, center: Array, number: int) -> float:
        """Widest radius that is sought: holds the prior about its own centre or a released one.

        Never a function of the records (docs/theory/private-ball.md, section 1).
        """
        if number == 0:
            return self.prior.radius
        with np.errstate(all="ignore"):
            away = float(np.asarray(self._space.dist(self.prior.center, center)))
        away = min(away, self.prior.radius) if np.isfinite(away) else self.prior.radius
        return min(self.prior.radius + away, self._space.farthest)

    def _about(self, center: Array, radius: float) -> Iterator[Ball]:
        """Give the ball as found, then twice as wide, until the prior would fit in it."""
        widest = min(2 * self.prior.radius, self._space.farthest)
        while True:
            radius = min(radius, widest)
            with suppress(GeomdpError):
                yield Ball(self._space, center, radius, denoiser=self.prior.denoiser, wide=True)
            if not radius < widest:
                return
            radius *= 2

    def _radius_plan(self, number: int, center: Array, top: float) -> SinglePlan:
        steps = ball_shares.grid_steps(self.request, self.stages[number], self.outside)
        asked = CoverRadius(self._space, center, top, steps, self.outside)
        return self.made(self._for(asked, self.stages[number].budget), "exponential")

    def made(self, request: Request, mechanism: str) -> SinglePlan:
        """Plan one stage."""
        return choose(request, mechanism)

    def _centers(self, balls: Iterable[Ball], budget: Budget) -> Iterator[tuple[Request, str]]:
        """Give requests for a centre in order of preference."""
        pure = budget.is_pure
        for ball in balls:
            if _is_hadamard(self._space):
                for name in ("laplace", "wrapped-laplace") if pure else ("wrapped-gaussian",):
                    yield self._for(FrechetMean(ball), budget), name
            tangent = self._for(TangentMean(ball), budget)
            yield tangent, "wrapped-laplace" if pure else "tangent-gaussian"

    def _answers(self, balls: Iterable[Ball]) -> Iterator[tuple[Request, str]]:
        """Give requests for the answer: the mechanism asked for, else one without caveats."""
        named = () if self.mechanism == "auto" else (self.mechanism,)
        for ball in balls:
            request = self._answer_in(ball)
            for name in dict.fromkeys((*named, *PLAIN[request.budget.is_pure])):
                yield request, name

    def _answer_in(self, ball: Ball) -> Request:
        """Ask in a ball, CAPPED at the radius that the statistic's theorems reach."""
        radius = min(ball.radius, radius_cap(self.request.statistic))
        capped = Ball(self._space, ball.center, radius, denoiser=ball.denoiser, wide=True)
        statistic = replace(self.request.statistic, ball=capped)  # type: ignore[type-var]
        return self._for(statistic, self.stages[-1].budget)

    def _first(
        self,
        requests: Iterable[tuple[Request, str]],
        last: SinglePlan | None = None,
        caveats: tuple[str, ...] | None = None,
    ) -> SinglePlan:
        """Plan the first request that can be served; with a last resort this never raises.

        Once a stage has spent, whatever goes wrong with one plan must not stop the release: the
        next in a public order is taken, and also where a plan's promise would leave out more than
        was said.
        """
        refusal: Exception = GeomdpError("There is nothing to plan.")
        found: Any = iter(requests)
        while True:
            try:
                made = self.made(*next(found))
                if caveats is None or set(made.guarantee.caveats) <= set(caveats):
                    return made
            except StopIteration:
                break
            except Exception as error:
                refusal = error
        if last is None:
            raise refusal
        return last

    # --- what is known before anything is spent -------------------------------------------------

    @cached_property
    def _last_centers(self) -> dict[int, SinglePlan]:
        """Plans of a centre in the prior, by stage: refuse now, so that nothing refuses later."""
        found = {}
        for number, stage in enumerate(self.stages):
            if self.embedding is not None and number == 0:
                found[number] = self.embedding
            elif stage.asks == "centre":
                found[number] = self._first(self._centers([self.prior], stage.budget))
        return found

    @property
    def _first_center(self) -> SinglePlan:
        return next(iter(self._last_centers.values()))

    @cached_property
    def _last_answer(self) -> SinglePlan:
        return self._first(self._answers([self.prior]))

    def outlook(self) -> SinglePlan:
        """Return the answer's plan if the records fill the prior; of a ball alone, the centre's."""
        return self._last_answer if self.answer else self._first_center

    @property
    def asked(self) -> Statistic:
        """The question on the prior."""
        return self.request.statistic

    @cached_property
    def caveats(self) -> tuple[str, ...]:
        """Those of the answer at any spread: only a mechanism asked for by name has some."""
        plans = () if self.mechanism == "auto" or not self.answer else self._by_spread.values()
        return tuple(dict.fromkeys(text for made in plans for text in made.guarantee.caveats))

    def forecasts(self) -> Mapping[str, Forecast]:
        """Forecast the answer over the unknown spread and place of the records."""
        return self._laws if self.answer else {}

    @cached_property
    def _laws(self) -> dict[str, Forecast]:
        found = {f"if records {case}": self._law(made) for case, made in self._by_spread.items()}
        if not self.embedded and not is_clear(self.prior):
            far = self._space.farthest
            found["if records lie by the cut locus of the prior's centre"] = Forecast(
                np.full(2, far), np.array([0.0, 1.0]), far, "no more is known"
            )
        return found

    def _law(self, made: SinglePlan) -> Forecast:
        """Law of the error, that of the radius included: errors grow as some power of it."""
        radius, last = _radius_of(made), _radius_of(self._last_answer)
        power = 1.0
        if radius < last:
            gain = self._last_answer.expected_error / made.expected_error
            power = max(1.0, float(np.log(gain) / np.log(last / radius)))
        widest = min(radius_cap(made.statistic), 2 * self.prior.radius)
        factors = np.minimum(OVERSHOOT, max(1.0, widest / radius)) ** power
        return forecast_of_scales(made.forecast, factors, CHANCES)

    @cached_property
    def _by_spread(self) -> dict[str, SinglePlan]:
        """The answer's plan by how far records spread about their centre, and where that lies."""
        off = self._first_center.expected_error if self.centred else 0.0
        near = off if self.embedded else 0.0
        sizes = {words: share * self.prior.radius + near for words, share in SPREADS.items()}
        if self.centred and not self.embedded:
            last, share = list(SPREADS.items())[-1]
            sizes[f"{last}, far from the prior's centre"] = share * self.prior.radius + off
        found = {}
        for words, radius in sizes.items():
            made = self._last_answer  # in the prior
            if radius < self.prior.radius:
                balls = self._about(self.prior.center, radius)
                made = self._first(self._answers(balls), made)
            found[f"spread over {words}"] = made
        return found

    def remarks(self) -> tuple[str, ...]:  # noqa: D102
        unit = self.request.unit
        texts = [
            f"up to {unit.count(self.outside)} count as outside the ball and are clipped to it"
        ]
        if not ball_shares.is_worthwhile(self.request, self._space.dim):
            texts.append(
                f"so few {unit.plural} for this budget that a known ball would serve better"
            )
        if not self.centred:
            texts.append(
                "no centre is sought, which would be mostly noise: the ball lies about the prior's "
                f"centre, and is as wide as {unit.plural} far from that make it"
            )
        cap = radius_cap(self.request.statistic)
        if self.answer and cap < self.prior.radius:
            texts.append(
                f"{unit.plural} farther than {cap:.3g} from the centre found are clipped to that, "
                "where the theory of the mean ends; errors are distances to the mean of the clipped"
            )
        if self.embedded:
            texts.append(
                f"{unit.plural} without a middle, all over the space, end in a ball anywhere"
            )
        if not is_whole(self.prior):
            texts.append("a prior that misses the records ends in a ball that is far too small")
        return tuple(texts)

    def describe(self) -> str:  # noqa: D102
        what = self.request.statistic.describe()
        found = f"a ball found privately in {self.rounds} round{'s' * (self.rounds > 1)}"
        if not self.centred:
            found = "a ball about its centre, whose radius is found privately"
        return f"{what}: in {found} within it" if self.answer else f"{found}, of: {what}"

    def to_json(self) -> Document:  # noqa: D102
        return {
            "rounds": self.rounds,
            "answer": self.answer,
            **({"embedded": True} if self.embedded else {}),
            **({} if self.centred else {"centred": False}),
            **super().to_json(),
        }

    @classmethod
    def from_json(cls, document: Document) -> "BallStages":
        """Inverse of :meth:`to_json`."""
        request = request_from_json(document)
        centred = document.get("centred", True) is not False
        rounds, answer = document["rounds"], document["answer"]
        road = document.get("embedded", False) is True
        center = embedded_center(request, rounds, answer) if road else None
        return cls(request, document["mechanism"], rounds, answer, center, centred)


def radius_cap(statistic: Statistic) -> float:
    """Return the radius at which a found ball is capped: Fréchet means have limits, logs have none.

    Half the injectivity radius and ``pi / (4 sqrt(k))`` on positive curvature k, where Fréchet mean
    and K-norm gradient mechanism are covered.
    """
    space: Space = statistic.ball.space  # type: ignore[attr-defined]
    if not isinstance(statistic, FrechetMean):
        return space.farthest
    _, k_max = space.curvature_bounds
    limit = np.pi / (4 * np.sqrt(k_max)) if k_max > 0 else np.inf
    return float(BELOW * min(limit, space.injectivity_radius / 2))


def _radius_of(made: SinglePlan) -> float:
    ball = made.statistic.public_ball
    assert ball is not None
    return ball.radius


def _is_hadamard(space: Space) -> bool:
    """Tell whether Fréchet means have no limit of radius and are not tangent means."""
    k_min, k_max = space.curvature_bounds
    return k_min < 0 and k_max <= 0


STAGES.register(BallStages.tag, BallStages)
