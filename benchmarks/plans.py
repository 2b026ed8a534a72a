"""How long plans take: every mechanism, and ``auto``, on spaces and statistics of all sizes.

``python -m benchmarks plans`` prints every one; the page of speed has the slowest.
"""

import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

import geomdp as dp
from geomdp.curves import FunctionMoments, FunctionRegression, Matern
from geomdp.errors import GeomdpError
from geomdp.mechanisms import MECHANISMS
from geomdp.statistics.base import PointStatistic, Statistic

#: Records of a plan, and lines of the table.
N, SHOWN = 1000, 8
#: Spaces with the radius of the ball around a public centre.
SPACES: list[tuple[dp.Space, float]] = [
    *((dp.SPD(k), 1.0) for k in (3, 10, 30)),
    *((dp.SPD(k, "log-euclidean"), 1.0) for k in (3, 10, 30, 64)),
    *((dp.Sphere(d), 0.5) for d in (2, 100, 100_000)),
    *((dp.PlanarShapes(k), 0.2) for k in (10, 200, 10_000)),
    *((dp.Hyperbolic(d), 1.0) for d in (2, 10)),
    (dp.Rotations(), 0.5),
    (dp.Product(dp.Sphere(2), dp.Euclidean(3)), 0.5),
    (dp.Correlation(30), 1.0),
]
BUDGETS: list[dp.Budget] = [dp.Pure(1), dp.GDP(1), dp.GDP(30), dp.Approximate(1, 1e-6)]
#: Beyond this dimension one budget is planned: to certify a Riemannian Gaussian takes minutes.
LARGE = 10_000
COVARIATES = {"age": (20, 90), "sex": ("f", "m")}


class Timed(NamedTuple):
    """One plan: what was asked, by which mechanism, CPU seconds, and what came of it."""

    asked: str
    budget: dp.Budget
    mechanism: str
    seconds: float
    found: str


def statistics() -> Iterator[tuple[str, Callable[[], Statistic]]]:
    """Name everything that is planned, and say how it is made."""
    for space, radius in SPACES:

        def ball(space: dp.Space = space, radius: float = radius) -> dp.Ball:
            return dp.Ball(space, np.asarray(space.origin(np.zeros(1))), radius)

        if not space.chart_only:
            yield f"mean, {space.spec}", lambda ball=ball: dp.FrechetMean(ball())
        yield f"tangent mean, {space.spec}", lambda ball=ball: dp.TangentMean(ball())
        if space.dim <= 100:
            yield f"moments, {space.spec}", lambda ball=ball: dp.Moments(ball())
            yield f"regression, {space.spec}", lambda ball=ball: dp.Regression(ball(), COVARIATES)
    yield "mean of functions, 80 points", _functions
    yield "moments of functions, 80 points", lambda: FunctionMoments(_functions())
    yield (
        "regression of functions, 80 points",
        lambda: FunctionRegression(_functions(), {"age": (20, 90)}),
    )


def _functions() -> dp.FunctionMean:
    return dp.FunctionMean(np.zeros(80), tau=1.0, kernel=Matern(0.5))


def timed(asked: str, statistic: Statistic, budget: dp.Budget, mechanism: str) -> Timed:
    """Plan once: what earlier plans left in caches counts, as it does for users."""
    start = time.process_time()
    try:
        found = dp.plan(statistic, n=N, budget=budget, mechanism=mechanism).mechanism
    except GeomdpError as error:
        found = f"refused: {error}"
    return Timed(asked, budget, mechanism, time.process_time() - start, found)


def all_plans(mechanisms: list[str] | None = None) -> Iterator[Timed]:
    """Time every statistic, budget and mechanism."""
    for asked, make in statistics():
        statistic = make()
        large = isinstance(statistic, PointStatistic) and statistic.space.dim > LARGE
        for budget in BUDGETS[:1] if large else BUDGETS:
            for mechanism in mechanisms or ["auto", *dict(MECHANISMS.items())]:
                yield timed(asked, statistic, budget, mechanism)


def slowest() -> Iterator[str]:
    """Time what ``auto`` takes, and give the lines of a table of the slowest."""
    plans = sorted(all_plans(["auto"]), key=lambda plan: -plan.seconds)
    above = sum(plan.seconds > 1 for plan in plans)
    yield f"{len(plans)} plans by `auto`, {above} of them above a second of CPU; the slowest:"
    yield ""
    yield "| asked | budget | answer | CPU seconds |"
    yield "|---|---|---|---|"
    for plan in plans[:SHOWN]:
        answer = plan.found.partition(":")[0]
        yield f"| {plan.asked} | {plan.budget} | {answer} | {plan.seconds:.2f} |"


def main() -> None:
    """Print all plans."""
    for plan in all_plans():
        print(
            f"{plan.seconds:7.3f} s  {plan.asked}, {plan.budget}, {plan.mechanism}: "
            f"{plan.found[:100]}",
            flush=True,
        )


if __name__ == "__main__":
    main()
