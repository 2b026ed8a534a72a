"""How a budget is divided among the stages that find a ball and answer in it.

The constants were tuned at epsilon 1 and mu 1 (docs/theory/private-ball.md, section 6). They decide
about errors only: privacy holds for every division that is fixed in advance.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, log, sqrt
from typing import Literal, TypeAlias

from geomdp.errors import GeomdpError, MechanismRefusedError
from geomdp.mechanisms import Request
from geomdp.mechanisms.exponential import largest_steps
from geomdp.plans.choosing import choose
from geomdp.plans.single import SinglePlan
from geomdp.privacy import GDP, ZCDP, Budget, Cost, Pure, PureCost, cost_of
from geomdp.privacy.gaussian import gaussian_mu
from geomdp.spaces.ball import Ball
from geomdp.statistics import ExtrinsicMean
from geomdp.statistics.cover_radius import MOST_STEPS

#: What a stage asks for.
Asks: TypeAlias = Literal["radius", "centre", "clipped", "answer"]

#: Probability that a radius stage may draw a ball without records.
BETA = 1e-3
#: A grid of fewer steps cannot narrow a ball.
FEWEST_STEPS = 4
#: A thousandth of the widest radius. Records that do not count lie at the centre: a longer grid
#: must not end in a ball that holds these alone, were they half of all.
SURE_STEPS = 40
#: Records that the ball may leave outside: so many in units of the noise of the answer.
OUTSIDE = 6
#: What a centre by an embedding takes of what a centre in a radius takes.
EMBEDDED = Fraction(3, 2)
#: Noise of a centre, as a part of the first radius, beyond which a pure budget seeks none.
TOO_NOISY = 0.5
#: The search pays from so many n epsilon / d, or n mu / sqrt(d), on.
WORTHWHILE = 30


@dataclass(frozen=True)
class Stage:
    """One stage: what it asks for, and the budget that it is planned with."""

    asks: Asks
    budget: Budget

    @property
    def cost(self) -> Cost:
        """What it spends, whatever is released before: a radius by a choice has a bounded range."""
        if self.asks == "radius" and self.budget.is_pure:
            return PureCost(self.budget.parts[0], bounded_range=True)
        return cost_of(self.budget)


def require_rounds(rounds: object) -> None:
    """Refuse what is no number of rounds."""
    if isinstance(rounds, bool) or not isinstance(rounds, int) or rounds < 1:
        raise GeomdpError(f"The number of rounds must be at least 1, not {rounds!r}.")


def divide(
    request: Request, dim: int, rounds: int, answer: bool, *, embedded: bool = False
) -> tuple[Stage, ...]:
    """Return the stages: a radius, then rounds of centre and radius, then the answer if wanted.

    A centre by an embedding needs no radius first.
    """
    asks = order_of(rounds, answer, embedded)
    if request.budget.is_pure:
        return _pure(request, dim, asks)
    return _gaussian(request, dim, asks)


def seeks_center(request: Request, rounds: int, answer: bool) -> bool:
    """Decide from public things whether a centre is sought: not where it would be mostly noise.

    Laplace noise on a mean in a ball of radius r is ``2 d r / (n epsilon)`` long on average, with
    the centre's own epsilon (docs/theory/private-ball.md, section 8). Of a ball alone it always is.
    """
    if not (request.budget.is_pure and answer):
        return True
    dim = prior_of(request).space.dim
    stages = divide(request, dim, rounds, answer)
    share = next(stage.budget for stage in stages if stage.asks == "centre")
    epsilon = float(request.unit.record_budget(share).parts[0])
    return 2 * dim / (request.n * epsilon) <= TOO_NOISY


def divide_once(request: Request) -> tuple[Stage, Stage]:
    """Return the stages where the centre is public: a radius, then the answer."""
    if request.budget.is_pure:
        first = _decimal(_clip(25 / (request.n * float(request.epsilon)), 0.04, 0.2))
        radius, answer = request.budget.split(first, 1 - first)
        return Stage("radius", radius), Stage("answer", answer)
    square = mu_squared_of(request)
    one = sqrt(float(request.unit.record_budget(GDP.from_parts(square)).parts[0]))
    share = _clip(25 / (request.n * one), 0.1, 0.25)
    found = Stage("radius", Pure(_decimal(sqrt(float(square)) * share)))
    left = square - _price(request.budget, found)
    return found, Stage("answer", GDP.from_parts(left))


def divide_off(request: Request, share: Fraction) -> tuple[Budget, Budget]:
    """Return a share of a budget, and what it leaves: of epsilon, or of mu squared."""
    if request.budget.is_pure:
        part, rest = request.budget.split(share, 1 - share)
        return part, rest
    square = mu_squared_of(request)
    return GDP.from_parts(square * share), GDP.from_parts(square * (1 - share))


def _pure(request: Request, dim: int, asks: Sequence[Asks]) -> tuple[Stage, ...]:
    size, rounds = request.n * float(request.epsilon), asks.count("centre")
    center = _decimal(_clip(0.5 * sqrt(20 * dim / size), 0.05, 0.3) / rounds)
    radius = _decimal(_clip(3 / sqrt(size), 0.04, 0.15) / rounds)
    weights = [center if ask == "centre" else radius for ask in asks]
    if asks[0] == "radius":
        weights[0] = _decimal(_clip(25 / size, 0.02, 0.125))
    else:
        weights[0] *= EMBEDDED
    if asks[-1] == "answer":
        weights[-1] = 1 - sum(weights[:-1], Fraction(0))
    budgets = request.budget.split(*weights)
    return tuple(Stage(ask, budget) for ask, budget in zip(asks, budgets, strict=True))


def _gaussian(request: Request, dim: int, asks: Sequence[Asks]) -> tuple[Stage, ...]:
    """Radii by their own epsilons, which scale with mu; the rest by shares of mu squared.

    Under zCDP half of a square counts as rho: then all mechanisms but the radii's are Gaussian.
    """
    square = mu_squared_of(request)
    mu, answer = sqrt(float(square)), asks[-1] == "answer"
    one = sqrt(float(request.unit.record_budget(GDP.from_parts(square)).parts[0]))
    first, later = (_clip(25 / (request.n * one), 0.1, 0.15), 0.2) if answer else (0.3, 0.6)
    radii = [Pure(_decimal(mu * later))] * asks.count("radius")
    center = _clip(0.5 * (20 * sqrt(dim) / (request.n * one)) ** (2 / 3), 0.02, 0.3)
    centers = [_decimal(center) / asks.count("centre")] * asks.count("centre")
    if asks[0] == "radius":
        radii[0] = Pure(_decimal(mu * first))
    else:
        centers[0] *= EMBEDDED
    left = square - sum((_price(request.budget, Stage("radius", r)) for r in radii), Fraction(0))
    whole = square if answer else left / sum(centers)
    squares = {"centre": iter([whole * share for share in centers])}
    squares["answer"] = iter([left - sum(centers) * whole])
    if left <= 0 or (answer and left <= sum(centers) * whole):
        raise MechanismRefusedError(
            f"Finding a ball in {len(centers)} rounds would leave nothing of {request.budget!r}; "
            "use fewer rounds."
        )
    rest = iter(radii)
    return tuple(
        Stage(ask, next(rest) if ask == "radius" else GDP.from_parts(next(squares[ask])))
        for ask in asks
    )


def order_of(rounds: int, answer: bool, embedded: bool) -> list[Asks]:
    """Return what the stages ask for, one after the other."""
    pairs: list[Asks] = ["centre", "radius"]
    first: list[Asks] = [] if embedded else ["radius"]
    last: list[Asks] = ["answer"] if answer else []
    return [*first, *pairs * rounds, *last]


def mu_squared_of(request: Request) -> Fraction:
    """Return the square of mu that a budget, none of the pure ones, allows."""
    budget = request.budget
    if isinstance(budget, GDP):
        return budget.parts[0]
    if isinstance(budget, ZCDP):
        return 2 * budget.parts[0]
    return Fraction(gaussian_mu(budget, request.gaussian)) ** 2


def _price(budget: Budget, stage: Stage) -> Fraction:
    """Return what a radius takes of mu squared, or of twice rho: there Hoeffding's round number."""
    return stage.budget.parts[0] ** 2 / 4 if isinstance(budget, ZCDP) else stage.cost.mu_squared()


def outside(request: Request, dim: int, answer: Budget) -> int:
    """Return how many records the ball may leave outside: what clipping costs less than noise."""
    share = request.unit.record_budget(answer)
    if isinstance(share, GDP):
        wanted = OUTSIDE * sqrt(dim) / share.mu
    else:
        wanted = OUTSIDE * dim / float(share.parts[0])
    return min(ceil(wanted), request.n // 4)


def grid_steps(request: Request, stage: Stage, outside: int) -> int:
    """Return the number of steps of a radius stage's grid, or refuse where it cannot narrow."""
    epsilon = request.unit.record_budget(stage.budget).parts[0]
    counted = request.n - outside
    longer = max(SURE_STEPS, largest_steps(epsilon, counted - request.n // 2, BETA))
    steps = min(MOST_STEPS, longer, largest_steps(epsilon, counted, BETA))
    if steps < FEWEST_STEPS:
        # At least three quarters of the records are to lie inside.
        needed = 4 / 3 * (log(1 / BETA) + (FEWEST_STEPS + 1) * log(2)) / float(epsilon) + 1
        raise MechanismRefusedError(
            f"{request.unit.count(request.n)} are too few to find a ball with {request.budget!r}: "
            f"it takes about {ceil(needed)}, or a larger budget, or a ball that is "
            "known."
        )
    return steps


def is_worthwhile(request: Request, dim: int) -> bool:
    """Tell whether a search is likely to pay, if the prior is much too wide."""
    if request.budget.is_pure:
        return request.n * float(request.epsilon) >= WORTHWHILE * dim
    square = request.unit.record_budget(GDP.from_parts(mu_squared_of(request))).parts[0]
    return request.n * sqrt(float(square)) >= WORTHWHILE * sqrt(dim)


def _clip(x: float, low: float, high: float) -> float:
    return min(max(x, low), high)


def _decimal(x: float) -> Fraction:
    """Few digits, so that plans print well and are the same on every machine."""
    return Fraction(f"{x:.4g}")


# --- By which road the first centre is found: logs at the prior's centre, or an embedding.
#
# Logs near the cut locus of the point they are taken at cancel. Where a prior reaches it, the mean
# of the embedded records serves, which has none (docs/theory/private-ball.md, section 5).


#: Records of a prior up to this part of the injectivity radius keep clear of the cut locus.
CLEAR = 0.75
#: A centre by an embedding may be off by this part of the injectivity radius.
NEAR = 0.125


def prior_of(request: Request) -> Ball:
    """Return the public ball that a search starts from."""
    ball = request.statistic.public_ball
    if ball is None:
        raise GeomdpError("A ball is found for statistics with a public ball, such as FrechetMean.")
    if ball.form is not None:
        raise GeomdpError("A prior is a round ball; a form would not fit the ball found in it.")
    if ball.denoiser is not None and not ball.denoiser.travels:
        raise GeomdpError(
            "A form holds at its own centre, and another one is found; declare a denoiser of a "
            'prior by a word: Denoiser(form="smooth").'
        )
    return ball


def is_whole(prior: Ball) -> bool:
    """Tell whether a prior is all of its space."""
    return not prior.radius < prior.space.farthest


def is_clear(prior: Ball) -> bool:
    """Tell whether records of a prior keep clear of the cut locus of its centre."""
    return prior.radius <= CLEAR * prior.space.injectivity_radius


def embedding_of(request: Request, rounds: int, answer: bool) -> SinglePlan | None:
    """Plan a first centre by an embedding, if public things say that one is needed.

    None where it is not, and where it is too dear or impossible: a centre that was typed must serve
    then, near which the records lie.

    Raises ``MechanismRefusedError`` if no centre was typed: the prior is all of the space.
    """
    prior = prior_of(request)
    if is_clear(prior):
        return None
    refusal = f"On all of {prior.space.spec} no centre can be found privately"
    if prior.space.embedding is not None:
        made = embedded_center(request, rounds, answer)
        if made.expected_error <= NEAR * prior.space.injectivity_radius:
            return made
        refusal = (
            f"A centre on all of {prior.space.spec} would be off by about "
            f"{made.expected_error:.2g}, with {request.n} records and {request.budget!r}"
        )
    if is_whole(prior):
        raise MechanismRefusedError(
            f"{refusal}; give a centre that is known, and a radius of at most "
            f"{CLEAR * prior.space.injectivity_radius:.3g} about it."
        )
    return None


def embedded_center(request: Request, rounds: int, answer: bool) -> SinglePlan:
    """Plan the mean by the embedding, of records clipped to a prior that is not all there is."""
    require_rounds(rounds)
    prior = prior_of(request)
    budget = divide(request, prior.space.dim, rounds, answer, embedded=True)[0].budget
    asked = ExtrinsicMean(prior.space, None if is_whole(prior) else prior)
    name = "linear-laplace" if budget.is_pure else "tangent-gaussian"
    return choose(replace(request, statistic=asked, budget=budget), name)
