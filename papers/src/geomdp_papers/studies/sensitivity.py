"""Paper 1, Figure 1, panels 1 and 3: how far one record moves the Fréchet mean."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from numpy.random import Generator

import geomdp as dp
from geomdp.testing import search_neighbours
from geomdp_papers.studies.pictures import COLORS, band, ticks_at
from geomdp_papers.studies.settings import SETTINGS, Setting
from geomdp_papers.studies.study import STUDIES, Cell, Claim, Study, told, verdict
from geomdp_papers.studies.table import Row, Table, mean_and_error

SIZES = (10, 20, 30, 40, 60, 80, 100, 150, 200, 300, 500)
#: Sizes at which the worst pair is searched for; odd, since the bound is attained through those.
SEARCHED = (3, 5, 9, 15, 31, 61)
PAIRS = 200
#: Pairs whose distance is drawn as a dot, as in the paper.
DOTS = 50


def cells(space: str, quick: bool, data: Path | None) -> list[Cell]:
    """One cell a size: sampled neighbours, or the worst pair that a search finds."""
    sizes, pairs = ((10, 40, 200), 10) if quick else (SIZES, PAIRS)
    searched, steps = ((5,), 5) if quick else (SEARCHED, 60)
    return [
        *({"space": space, "n": n, "pairs": pairs} for n in sizes),
        *({"space": space, "n": n, "steps": steps} for n in searched),
    ]


def measure(cell: Cell, rng: Generator) -> list[Row]:
    """Distances between the means of neighbouring data sets, beside both bounds."""
    setting, n = SETTINGS[cell["space"]], cell["n"]
    mean = dp.FrechetMean(setting.ball)
    bounds = {name: mean.sensitivity(n, name).value for name in ("sharp", "paper")}
    row: dict[str, str | int | float] = {"n": n, **{f"{k} bound": v for k, v in bounds.items()}}
    if "steps" in cell:
        worst = search_neighbours(mean, n, steps=cell["steps"], seed=int(rng.integers(2**31)))
        return [{"kind": "searched", **row, "largest": worst.moved}]
    moved = np.array([_moved(setting, n, rng) for _ in range(cell["pairs"])])
    average, error = mean_and_error(moved)
    largest = float(moved.max())
    kept = {"kind": "sampled", **row, "largest": largest, "mean": average, "error": error}
    return [kept, *({"kind": "dot", "n": n, "distance": float(d)} for d in moved[:DOTS])]


def _moved(setting: Setting, n: int, rng: Generator) -> float:
    """Distance between the means of a data set and of one whose last record was drawn again."""
    ball = setting.ball
    records = setting.records(n + 1, rng)
    first = dp.frechet_mean(ball.space, records[:n]).point
    records[n - 1] = records[n]
    return float(ball.space.dist(first, dp.frechet_mean(ball.space, records[:n]).point))


def judge(panel: str, table: Table) -> Sequence[Claim]:
    """Ask whether anything is above a bound, and whether ours is below the paper's."""
    whole = Table([row for row in table.rows if row["kind"] != "dot"])
    largest, ours, paper = map(whole.column, ("largest", "sharp bound", "paper bound"))
    attained, gain = float(np.max(largest / ours)), float(np.median(paper / ours))
    return [
        Claim(
            f"paper 1, Figure 1, {panel}",
            "Theorem 2 bounds the distance between the means of neighbouring data sets.",
            f"largest distance found: {np.max(largest / paper):.3f} of the paper's bound",
            verdict(bool(np.all(largest <= paper))),
            "reproduced if no distance, sampled or searched for, is above the bound",
        ),
        Claim(
            "docs/theory/sensitivity-of-the-mean.md",
            "The bound can be as small as 2 tan(r sqrt k)/(n sqrt k), and not smaller.",
            f"a search attains {attained:.3f} of ours, which is "
            + (f"{gain:.3f} times below the paper's" if gain > 1 + 1e-9 else "the paper's"),
            verdict(bool(np.all(largest <= ours)), better=gain > 1 + 1e-9),
            "better if ours is below the paper's and nothing is above ours",
            "2r/n is attained where curvature is not positive: there is nothing to gain"
            if gain <= 1 + 1e-9
            else "the paper's factor h(r, k) is not the best one",
        ),
    ]


def draw(figure: Figure, table: Table) -> None:
    """Draw distances and bounds over n, as the paper does."""
    axes = figure.add_subplot()
    sampled, searched = table.where(kind="sampled"), table.where(kind="searched")
    dots, n = table.where(kind="dot"), sampled.column("n")
    axes.plot(dots.column("n"), dots.column("distance"), ".", ms=2, color=COLORS[4], label="a pair")
    axes.plot(n, sampled.column("paper bound"), color=COLORS[1], label="Theorem 2's bound")
    axes.plot(n, sampled.column("sharp bound"), "--", color=COLORS[2], label="our bound")
    band(axes, n, sampled.column("mean"), 2 * sampled.column("error"), 0, "average, 2 se")
    axes.plot(
        searched.column("n"), searched.column("largest"), "kx", ms=5, label="worst pair of a search"
    )
    axes.set(xscale="log", yscale="log", xlabel="records n", ylabel="distance between the means")
    ticks_at(axes, [*n, *searched.column("n")])
    figure.legend(loc="outside right upper")


for _space, _panel, _data, _radius in (
    ("spd", "panel 1", "matrices 2 x 2, affine-invariant, Wishart (paper 2, B.3.1)", "1.5"),
    ("sphere", "panel 3", "S^2, uniform angles (paper 2, B.4.1)", "pi/8"),
):
    STUDIES.register(
        f"{_space}-sensitivity",
        Study(
            f"{_space}-sensitivity",
            f"paper 1, Figure 1, {_panel}",
            "distance between the means of neighbouring data sets, the paper's bound, ours, and the"
            " worst case found",
            partial(cells, _space),
            measure,
            partial(judge, _panel),
            draw,
            settings=told(
                "10 to 500; searched at 3 to 61",
                _radius,
                "none: no noise",
                f"{PAIRS} pairs a size; one search of 60 steps",
                _data,
                "none",
            ),
        ),
    )
