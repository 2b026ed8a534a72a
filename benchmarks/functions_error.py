"""Errors of private mean curves against their forecast, coverage of the band, pure and Gaussian.

Run ``python -m benchmarks.functions_error``. Growth-like and electricity-like curves, generated
with seeds; nothing but tau and the kernel is given. Every replicate draws new curves; standard
errors are over replicates. Errors are root mean squares, in cm and kW, against the plain mean of
the curves as they are, clipping included.

"ICLP" is independent Laplace noise on the coefficients with the best scales and the best penalty
for the same guess (docs/theory/functions.md, section 8), at the same epsilon as linear-laplace.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import geomdp as dp
from geomdp.functions import CircleGrid, FunctionMean, Matern, error_band
from geomdp.functions.datasets import CurveFamily, electricity_curves, growth_curves
from geomdp.plans import SinglePlan

REPLICATES, DRAWS, SEED = 20, 200, 7000
FAMILIES = {
    "growth, cm": (growth_curves, 25.0, Matern(8.0)),
    "electricity, kW": (electricity_curves, 1.5, Matern(0.5)),
}
BUDGETS = (dp.GDP(1), dp.Pure(1), dp.Pure(4))


@dataclass(frozen=True)
class Outcome:
    """Of one replicate: root mean squared error, and the parts that the bands cover."""

    error: float
    pointwise: float
    simultaneous: float


def outcome(plan: SinglePlan, family: CurveFamily, seed: int) -> Outcome:
    off = plan.simulate(family.records, DRAWS, seed) - family.records.mean(axis=0)
    one, all_points = error_band(plan), error_band(plan, simultaneous=True)
    covered = np.all(np.abs(off) <= all_points, axis=-1)
    return Outcome(_root(family, off), float(np.mean(np.abs(off) <= one)), float(np.mean(covered)))


def iclp_error(mean: FunctionMean, family: CurveFamily, epsilon: float, seed: int) -> float:
    """Root mean squared error with independent Laplace noise, best penalty and best scales."""
    values, size = mean.spectrum.values, float(mean.typical_offset)
    unit = 2 * mean.tau / (len(family.records) * epsilon)

    def guessed(phi: float) -> float:
        shrunk = values / (values + phi)
        return 2 * (unit * shrunk.sum()) ** 2 + size**2 * np.sum(values * (1 - shrunk) ** 2)

    phi = min(np.geomspace(1e-7, 10, 400), key=guessed)
    shrunk = values / (values + phi)
    scales = unit * np.sqrt(shrunk * shrunk.sum())
    assert np.isclose(np.sum((shrunk / scales) ** 2), unit**-2)  # the price is epsilon
    noise = np.random.default_rng(seed).laplace(size=(DRAWS, values.size)) * scales
    drawn = mean.decode(shrunk * mean.encode(family.records).mean(axis=0) + noise)
    return _root(family, drawn - family.records.mean(axis=0))


def _root(family: CurveFamily, off: NDArray) -> float:
    circle = isinstance(family.grid, CircleGrid)
    weights = np.full(off.shape[-1], 1 / off.shape[-1]) if circle else family.grid.weights
    return float(np.sqrt(np.mean(off**2 @ weights)))


def _cell(numbers: list[float]) -> str:
    spread = np.std(numbers, ddof=1) / np.sqrt(len(numbers))
    return f"{np.mean(numbers):.3g} ± {spread:.1g}"


def main() -> None:
    """Print a table."""
    print(f"{REPLICATES} replicates of {DRAWS} draws, seed {SEED}; bands at 95%")
    print("| curves | n | budget | phi, terms | forecast | error | pointwise | all points | ICLP |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, (make, tau, kernel) in FAMILIES.items():
        for n in (100, 1000):
            families = [make(n, SEED + i) for i in range(REPLICATES)]
            first = families[0]
            mean = FunctionMean(first.template, tau, kernel, grid=first.grid)
            for budget in BUDGETS:
                plan = dp.plan(mean, n=n, budget=budget)
                found = [outcome(plan, family, i) for i, family in enumerate(families)]
                pure = isinstance(budget, dp.Pure)
                rival = (
                    [iclp_error(mean, f, budget.epsilon, i) for i, f in enumerate(families)]
                    if pure
                    else []
                )
                root = np.sqrt(np.mean(plan.forecast.radii**2))
                cells = [
                    *(name, str(n), repr(budget)),
                    f"{float(plan.statistic.phi):.3g}, {plan.statistic.terms or 'all'}",
                    f"{root:.3g}",
                    *(
                        _cell([getattr(o, part) for o in found])
                        for part in ("error", "pointwise", "simultaneous")
                    ),
                    _cell(rival) if pure else "",
                ]
                print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
