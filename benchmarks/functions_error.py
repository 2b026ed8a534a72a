"""Errors of private mean curves against their forecast, coverage of the band, pure and Gaussian.

Run ``python -m benchmarks.functions_error``. Growth-like and electricity-like curves, generated
with seeds, and real outlines of corpora callosa where ``../shared/data`` has them: six disjoint
hundreds, each outline centred, scaled and turned to the public template by itself. Nothing but tau
and the kernel is given. Every replicate draws new curves; standard
errors are over replicates. Errors are root mean squares, in cm and kW, against the plain mean of
the curves as they are, clipping included.

"ICLP" is independent Laplace noise on the coefficients with the best scales and the best penalty
for the same guess (docs/theory/functions.md, section 8), at the same epsilon as linear-laplace.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import geomdp as dp
from geomdp.curves import CircleGrid, FunctionMean, Matern, error_band
from geomdp.curves.datasets import CurveFamily, electricity_curves, growth_curves
from geomdp.plans import SinglePlan

REPLICATES, DRAWS, SEED = 20, 200, 7000
DATA = Path(__file__).parents[1] / "../shared/data"
FAMILIES = {
    "growth, cm": (growth_curves, 25.0, Matern(8.0)),
    "electricity, kW": (electricity_curves, 1.5, Matern(0.5)),
}
OUTCOMES = ("error", "pointwise", "simultaneous")
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
    covered = np.all(np.abs(off) <= all_points, axis=tuple(range(1, off.ndim)))
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


def outlines() -> list[CurveFamily]:
    """Six disjoint hundreds of real outlines around the public one; none where data are missing."""
    if not DATA.exists():
        return []
    with np.load(DATA / "adhd200_corpus_callosum.npz") as arrays:
        records = _normalised(arrays["landmarks"])
    with np.load(DATA / "public_callosum_template.npz") as arrays:
        public = _normalised(arrays["landmarks"])
    turn = np.einsum("nk,k->n", records.conj(), public)
    records = records * (turn / np.abs(turn))[:, None]
    grid = CircleGrid(public.size)
    parts = np.stack([records.real, records.imag], axis=1)[:600].reshape(6, 100, 2, -1)
    return [CurveFamily(p, np.stack([public.real, public.imag]), grid) for p in parts]


def _normalised(landmarks: NDArray) -> NDArray:
    """Outlines as complex numbers, with mean 0 and mean square 1."""
    points = landmarks[..., 0] + 1j * landmarks[..., 1]
    points = points - points.mean(axis=-1, keepdims=True)
    return points / np.sqrt(np.mean(np.abs(points) ** 2, axis=-1, keepdims=True))


def _root(family: CurveFamily, off: NDArray) -> float:
    circle = isinstance(family.grid, CircleGrid)
    weights = np.full(off.shape[-1], 1 / off.shape[-1]) if circle else family.grid.weights
    squares = off**2 @ weights  # one a curve: channels add up
    return float(np.sqrt(np.mean(squares.reshape(len(off), -1).sum(axis=-1))))


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
            print_rows(name, [make(n, SEED + i) for i in range(REPLICATES)], tau, kernel)
    if real := outlines():
        print_rows("outlines, of rms 1", real, 0.15, Matern(0.5))
    else:
        print("(no real outlines here)")


def print_rows(name: str, families: list[CurveFamily], tau: float, kernel: Matern) -> None:
    """Print a row for each budget."""
    first, n = families[0], len(families[0].records)
    mean = FunctionMean(first.template, tau, kernel, grid=first.grid)
    for budget in BUDGETS:
        plan = dp.plan(mean, n=n, budget=budget)
        found = [outcome(plan, family, i) for i, family in enumerate(families)]
        rival = []
        if isinstance(budget, dp.Pure) and not mean.channels:
            rival = [iclp_error(mean, f, budget.epsilon, i) for i, f in enumerate(families)]
        cells = [
            *(name, str(n), repr(budget)),
            f"{float(np.max(plan.statistic.phi)):.3g}, {plan.statistic.terms or 'all'}",
            f"{np.sqrt(np.mean(plan.forecast.radii**2)):.3g}",
            *(_cell([getattr(o, part) for o in found]) for part in OUTCOMES),
            _cell(rival) if rival else "",
        ]
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
