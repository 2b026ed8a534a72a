"""Paper 1, Figure 1, panels 2 and 4: noise on the manifold against noise around it."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from numpy.random import Generator

import geomdp as dp
from geomdp.statistics.sensitivity import Bound
from geomdp.typing import Array
from geomdp_papers.mechanisms.ambient import share_off_manifold, to_ambient
from geomdp_papers.studies.noise import noised
from geomdp_papers.studies.settings import SETTINGS
from geomdp_papers.studies.study import STUDIES, Cell, Claim, Study, verdict
from geomdp_papers.studies.table import Row, Table, mean_and_error, quotients

SIZES = (20, 30, 40, 60, 80, 100, 150, 200, 300, 500)
#: Mechanism and bound of each curve: as in the paper, and as geomdp would.
METHODS: dict[str, tuple[str, Bound]] = {
    "manifold": ("laplace", "paper"),
    "euclidean": ("ambient-laplace", "paper"),
    "manifold, our bound": ("laplace", "sharp"),
    "euclidean, proved bound": ("ambient-laplace", "sharp"),
}


def cells(space: str, quick: bool, data: Path | None) -> list[Cell]:
    """One cell a size."""
    sizes, replicates = ((20, 100), 100) if quick else (SIZES, 1000)
    return [{"space": space, "n": n, "replicates": replicates} for n in sizes]


def measure(cell: Cell, rng: Generator) -> list[Row]:
    """Euclidean distance from the mean, over data sets drawn again each time; epsilon is 1."""
    setting, n = SETTINGS[cell["space"]], cell["n"]
    mean, space = dp.FrechetMean(setting.ball), setting.ball.space
    sets = [setting.records(n, rng) for _ in range(cell["replicates"])]
    means = np.stack([dp.frechet_mean(space, x).point for x in sets])
    rows: list[Row] = []
    for method, (mechanism, bound) in METHODS.items():
        made = dp.plan(mean, n=n, budget=dp.Pure(1), mechanism=mechanism, bound=bound)
        values = noised(made, means, rng)
        moves = to_ambient(space, values) - to_ambient(space, means)
        average, error = mean_and_error(np.linalg.norm(moves, axis=-1))
        outside = share_off_manifold(space, values)
        rows.append({"n": n, "method": method, "mean": average, "error": error, "outside": outside})
    return rows


def _ratios(table: Table, one: str, other: str) -> tuple[Array, Array]:
    return quotients(table.where(method=one), table.where(method=other))


def _manifold_wins(panel: str, table: Table, because: str) -> Claim:
    ratio, spread = _ratios(table, "manifold", "euclidean")
    wins = bool(np.all(ratio - 2 * spread < 1))
    return Claim(
        f"paper 1, Figure 1, {panel}",
        "Noise on the manifold is smaller than Euclidean noise, in the Euclidean distance too.",
        f"manifold over Euclidean: {ratio.min():.3f} to {ratio.max():.3f} (se {spread.max():.3f})",
        verdict(wins),
        "reproduced if at no n the manifold's error is larger by two standard errors",
        "" if wins else because,
    )


def _our_bound(panel: str, table: Table) -> Claim:
    ratio, spread = _ratios(table, "manifold, our bound", "manifold")
    better = bool(np.mean(ratio) < 1 - 2 * np.max(spread) / np.sqrt(ratio.size))
    return Claim(
        f"paper 1, Figure 1, {panel}",
        "The noise is that of Theorem 2's sensitivity.",
        f"with our sensitivity {np.mean(ratio):.3f} times the noise (se {spread.max():.3f})",
        verdict(True, better),
        "better if the average quotient is two standard errors below 1",
        "a smaller sensitivity is proved" if better else "",
    )


def judge_spd(table: Table) -> Sequence[Claim]:
    """Ask whether the manifold wins, and how many Euclidean results are outside."""
    small = [row for row in table.where(method="euclidean").rows if 20 <= int(row["n"]) <= 40]
    shares = Table(small).column("outside")
    within = bool(np.min(shares) - 0.05 <= 0.25 <= np.max(shares) + 0.05)
    return [
        _manifold_wins(
            "panel 2", table, "the paper's sensitivity of the mean is too large to win by"
        ),
        Claim(
            "paper 1, section 5.1",
            "About 25% of the Euclidean results are not positive definite at n = 20 to 40.",
            ", ".join(f"{row['outside']:.1%} at n = {row['n']}" for row in small),
            verdict(within),
            "reproduced if 25% lies between the smallest and the largest share, or five points off",
            "" if within else "the paper does not state its sampler in full",
        ),
        _our_bound("panel 2", table),
    ]


#: h(r, k) = 2r cot(2r) is pi/4 at r = pi/8, and 3 and 2 are the dimensions of the two noises.
_EUCLIDEAN = (
    "the paper does not state its Euclidean sensitivity: 2r/n is taken here, and with 2r (2 - h)/n "
    f"one would find 1 - 2/(3h) = {1 - 8 / (3 * np.pi):.1%} less"
)


def judge_sphere(table: Table) -> Sequence[Claim]:
    """Ask whether the manifold wins, and by how much."""
    ratio, spread = _ratios(table, "manifold", "euclidean")
    less, error = 1 - float(np.mean(ratio)), float(np.max(spread)) / np.sqrt(ratio.size)
    within = abs(less - 0.15) <= 0.05 + 2 * error
    return [
        _manifold_wins("panel 4", table, _EUCLIDEAN),
        Claim(
            "paper 1, section 5.2",
            "About 15% less noise on the sphere: 16.8% at the smaller sizes, 12% at the larger.",
            f"{abs(less):.1%} {'less' if less > 0 else 'more'} on average (se {error:.1%})",
            verdict(within),
            "reproduced if within five points, and two standard errors, of 15%",
            "" if within else _EUCLIDEAN,
        ),
        _our_bound("panel 4", table),
    ]


def draw(figure: Figure, table: Table) -> None:
    """Draw the average distance over n, with two standard errors, as the paper does."""
    axes = figure.add_subplot()
    for i, method in enumerate(METHODS):
        part = table.where(method=method)
        n, mean, error = map(part.column, ("n", "mean", "error"))
        axes.errorbar(n, mean, 2 * error, fmt="o-", ms=3, color=f"C{i}", label=method)
    axes.set(xscale="log", yscale="log", xlabel="records n", ylabel="Euclidean distance")
    axes.legend()


for _space, _panel, _judge in (("spd", 2, judge_spd), ("sphere", 4, judge_sphere)):
    STUDIES.register(
        f"{_space}-utility",
        Study(
            f"{_space}-utility",
            f"paper 1, Figure 1, panel {_panel}",
            "error of Laplace noise on the manifold and around it, over n; epsilon is 1",
            partial(cells, _space),
            measure,
            _judge,
            draw,
        ),
    )
