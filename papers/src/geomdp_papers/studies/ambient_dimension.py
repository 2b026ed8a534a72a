"""Paper 1, Theorem 4: what noise costs in a space around the manifold, projected back."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from numpy.random import Generator

import geomdp as dp
from geomdp_papers.studies.pictures import COLORS, MARKERS, ticks_at
from geomdp_papers.studies.study import STUDIES, Cell, Claim, Study, told, verdict
from geomdp_papers.studies.table import Row, Table, mean_and_error

#: Dimensions of a linear subspace and of the space around it.
DIMENSIONS = ((1, 1), (1, 5), (1, 20), (2, 2), (2, 5), (2, 10), (2, 40), (5, 5), (5, 20), (5, 40))

DRAWS = 20_000


def cells(quick: bool, data: Path | None) -> list[Cell]:
    """One cell a pair of dimensions."""
    pairs, draws = (((2, 2), (2, 10)), 200) if quick else (DIMENSIONS, DRAWS)
    return [{"d": d, "D": D, "draws": draws} for d, D in pairs]


def measure(cell: Cell, rng: Generator) -> list[Row]:
    """Mean squared error after projection, in units of the scale's square."""
    d, D = cell["d"], cell["D"]
    mean = dp.FrechetMean(dp.Ball(dp.Euclidean(D), np.zeros(D), 1.0))
    made = dp.plan(mean, n=100, budget=dp.Pure(1), mechanism="laplace")
    noise = made.simulate(np.zeros(D), size=cell["draws"], seed=int(rng.integers(2**31)))
    squares = np.sum(noise[:, :d] ** 2, axis=-1) / made.scale**2
    average, error = mean_and_error(squares)
    return [{"d": d, "D": D, "mean square": average, "error": error, "formula": d * (D + 1)}]


def judge(table: Table) -> Sequence[Claim]:
    """Compare with sigma^2 d (D + 1), and with noise on the manifold itself."""
    average, error, formula = map(table.column, ("mean square", "error", "formula"))
    d, D = table.column("d"), table.column("D")
    wide, off = d < D, average / formula
    inflation = average[wide] / (d * (d + 1))[wide]
    expected = ((D + 1) / (d + 1))[wide]
    holds = bool(np.all(np.abs(off - 1) + 2 * error / formula <= 0.1))
    return [
        Claim(
            "paper 1, Theorem 4",
            "Noise drawn in R^D and projected on d dimensions has mean square sigma^2 d (D + 1).",
            f"{off.min():.3f} to {off.max():.3f} of it over {off.size} pairs (d, D) (se "
            f"{(error / formula).max():.3f})",
            verdict(holds),
            "reproduced if for every pair the interval of two standard errors is within 10% of it",
            "" if holds else "another law, or too few draws to tell",
        ),
        Claim(
            "paper 1, section 4",
            "The variance is inflated by D/d against noise on the manifold.",
            f"by {inflation.min():.2f} to {inflation.max():.2f}; (D + 1)/(d + 1) would be "
            f"{expected.min():.2f} to {expected.max():.2f}",
            verdict(bool(np.all(np.abs(inflation / (D / d)[wide] - 1) <= 0.1))),
            "reproduced if within 10% of D/d for all pairs",
            "the exact factor is (D + 1)/(d + 1): D/d is its limit for large d",
        ),
    ]


def draw(figure: Figure, table: Table) -> None:
    """Draw the mean square over D, with the formula."""
    axes = figure.add_subplot()
    for i, d in enumerate(table.values("d")):
        part = table.where(d=d)
        D, mean, error = map(part.column, ("D", "mean square", "error"))
        color = COLORS[i]
        axes.errorbar(D, mean, 2 * error, fmt=MARKERS[i], color=color, label=f"d = {d}")
        axes.plot(D, part.column("formula"), color=color)
    axes.set(xscale="log", yscale="log", xlabel="dimension D of the space around")
    axes.set_ylabel("mean square / scale squared")
    ticks_at(axes, table.column("D"))
    axes.legend(title="lines: d (D + 1); bars 2 se")


STUDIES.register(
    "ambient-dimension",
    Study(
        "ambient-dimension",
        "paper 1, Theorem 4",
        "noise of the projected ambient mechanism against sigma^2 d (D + 1)",
        cells,
        measure,
        judge,
        draw,
        settings=told("100", "1", "epsilon 1", f"{DRAWS} draws a pair (d, D)", "one point of R^D"),
    ),
)
