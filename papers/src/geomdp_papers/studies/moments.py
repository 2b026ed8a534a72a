"""Beyond the papers: coverage of confidence regions, and level and power of the two-sample test.

The ball is found on the same records, in a prior ten times too wide whose centre is half its radius
away; then mean and covariance are released, at mu = 1 all together. Widths are root mean squares
of the half axes, over those of the non-private region of the same records.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from numpy.random import Generator
from scipy.special import gammaincinv

import geomdp as dp
from geomdp.audit.floats import replayed
from geomdp.releases.estimates.moments import MomentsEstimate
from geomdp.typing import Array
from geomdp_papers.studies.balls import CASES, wide_prior
from geomdp_papers.studies.pictures import COLORS, MARKERS
from geomdp_papers.studies.samples import at_origin, deviation, gaussian_about
from geomdp_papers.studies.study import STUDIES, Cell, Claim, Study, told, verdict
from geomdp_papers.studies.table import Row, Table, mean_and_error

RUNS = (("S^2", 200), ("S^2", 1000), ("SPD(3)", 500), ("shapes, k = 10", 1000))
LEVEL = 0.95
BUDGET = dp.GDP(1)
#: Records that stand for the population.
MANY = 40_000
#: A share this many standard errors off is no accident.
SURE = 3.0
TARGETS = ("clipped mean", "frechet mean")


def cells(quick: bool, data: Path | None) -> list[Cell]:
    """One cell a space and size for the regions, and one for the tests."""
    runs, repeats, many = (RUNS[:1], 10, 2000) if quick else (RUNS, 400, MANY)
    return [
        {"kind": kind, "case": case, "n": n, "repeats": repeats, "many": many}
        for kind in ("region", "test")
        for case, n in runs
    ]


def measure(cell: Cell, rng: Generator) -> list[Row]:
    """Shares of regions that cover and their widths; or shares of tests that reject."""
    return [(_regions if cell["kind"] == "region" else _tests)(cell, rng)]


def _regions(cell: Cell, rng: Generator) -> Row:
    (space, radius), n = CASES[cell["case"]], cell["n"]
    prior, center = wide_prior(cell["case"], 0.5)
    population = gaussian_about(space, center, radius, cell["many"], rng)
    made = dp.plan(dp.Refined(dp.Moments(prior)), n=n, budget=BUDGET)
    chi2 = 2 * gammaincinv(space.dim / 2, LEVEL)
    covered, widths = [], []
    for _ in range(cell["repeats"]):
        points = gaussian_about(space, center, radius, n, rng)
        found = _released(made, points, rng)
        region, asked = found.confidence_region(LEVEL), dp.TangentMean(found.ball)
        target = np.mean(asked.encode(population), axis=0)
        # The law is symmetric about its centre, which is the Fréchet mean.
        covered.append((region.contains_coordinates(target), region.contains(center)))
        own = np.cov(np.asarray(space.frame_log(center, points)).T) / n
        plain = np.sqrt(chi2 * np.trace(own) / space.dim)
        widths.append(np.sqrt(np.mean(region.half_axes**2)) / plain)
    clipped, frechet = np.mean(covered, axis=0)
    width, error = mean_and_error(np.array(widths))
    shares = {"clipped mean covered": float(clipped), "frechet mean covered": float(frechet)}
    return {**_kept(cell), **shares, "width": width, "width error": error}


def _tests(cell: Cell, rng: Generator) -> Row:
    """Test at 5% the same mean, and means half a standard deviation apart."""
    (space, radius), n = CASES[cell["case"]], cell["n"]
    ball = at_origin(space, radius)
    half = np.r_[deviation(space.dim, radius) / 2, np.zeros(space.dim - 1)]
    moved = np.asarray(space.frame_exp(ball.center, half))
    made = dp.plan(dp.Moments(ball), n=n, budget=BUDGET)
    rejected = np.zeros(2)
    for _ in range(cell["repeats"]):
        first, *others = (
            _released(made, gaussian_about(space, at, radius, n, rng), rng)
            for at in (ball.center, ball.center, moved)
        )
        rejected += [dp.compare(first, other).p_value < 1 - LEVEL for other in others]
    level, power = rejected / cell["repeats"]
    return {**_kept(cell), "level": float(level), "power": float(power)}


def _released(made: dp.Plan, points: Array, rng: Generator) -> MomentsEstimate:
    with replayed(int(rng.integers(2**31))):
        return dp.moments_of(made.release(points))


def _kept(cell: Cell) -> dict[str, str | int | float]:
    return {name: cell[name] for name in ("kind", "case", "n", "repeats")}


def judge(table: Table) -> Sequence[Claim]:
    """Ask whether the stated levels are kept, and what they cost."""
    return [
        *(_coverage(table, target) for target in TARGETS),
        _width(table),
        _level(table),
    ]


def _coverage(table: Table, target: str) -> Claim:
    part = table.where(kind="region")
    covered, repeats = part.column(f"{target} covered"), part.column("repeats")
    off = SURE * np.sqrt(LEVEL * (1 - LEVEL) / repeats)
    keeps, exact = bool(np.all(covered >= LEVEL - off)), bool(np.all(covered <= LEVEL + off))
    what = "the expected clipped log" if target == "clipped mean" else "the Fréchet mean"
    return Claim(
        "docs/theory/moments.md",
        f"A region of nominal level {LEVEL} covers {what}, the ball found on the same records.",
        ", ".join(
            f"{r['case']} n {r['n']}: {c:.3f}" for r, c in zip(part.rows, covered, strict=True)
        )
        + f" (se up to {np.sqrt(LEVEL * (1 - LEVEL) / repeats.min()):.3f})",
        verdict(keeps and exact),
        f"reproduced if every coverage is within {SURE:g} standard errors of {LEVEL}, on both "
        "sides; too much is on the safe side, and wider than need be",
        ""
        if keeps and exact
        else (
            "some regions cover more than they say: they allow for clipping and for noise at its "
            "largest"
            if keeps
            else "clipping moves the target away from where the region is"
        ),
    )


def _width(table: Table) -> Claim:
    part = table.where(kind="region")
    width, error = part.column("width"), part.column("width error")
    narrow = bool(np.all(width - 2 * error < 2))
    return Claim(
        "docs/theory/moments.md",
        "Privacy at mu = 1 costs less than a second such sample: widths stay below twice those of"
        " the non-private regions.",
        ", ".join(
            f"{r['case']} n {r['n']}: {w:.3f} (se {e:.3f})"
            for r, w, e in zip(part.rows, width, error, strict=True)
        ),
        verdict(narrow),
        "reproduced if no width is two standard errors above 2",
        "" if narrow else "too few records for the dimension",
    )


def _level(table: Table) -> Claim:
    part = table.where(kind="test")
    level, power, repeats = map(part.column, ("level", "power", "repeats"))
    nominal = 1 - LEVEL
    keeps = bool(np.all(level <= nominal + SURE * np.sqrt(nominal * LEVEL / repeats)))
    return Claim(
        "docs/theory/moments.md",
        f"The two-sample test keeps its level of {nominal:.2f} and sees half a standard deviation.",
        ", ".join(
            f"{r['case']} n {r['n']}: level {a:.3f}, power {b:.3f}"
            for r, a, b in zip(part.rows, level, power, strict=True)
        ),
        verdict(keeps and bool(np.all(power > 0.5))),
        f"reproduced if no level is {SURE:g} standard errors above {nominal:.2f}, and power above"
        " half; a level below is on the safe side",
        "" if keeps else "the covariance of the noise is stated too small",
    )


def draw(figure: Figure, table: Table) -> None:
    """Draw coverage and widths, and levels and power."""
    regions, tests = table.where(kind="region"), table.where(kind="test")
    names = [f"{row['case']}\nn = {row['n']}" for row in regions.rows]
    places = np.arange(len(names))
    shares, widths = figure.subplots(1, 2)
    curves = [
        *((f"covers the {target}", regions, f"{target} covered") for target in TARGETS),
        *((f"test: {name}", tests, name) for name in ("power", "level")),
    ]
    for i, (label, part, column) in enumerate(curves):
        share, repeats = part.column(column), part.column("repeats")
        spread = 2 * np.sqrt(np.maximum(share * (1 - share), 1 / repeats) / repeats)
        at = places + 0.1 * (i - 1.5)
        shares.errorbar(at, share, spread, fmt=MARKERS[i], color=COLORS[i], label=label)
    for line in (LEVEL, 1 - LEVEL):
        shares.axhline(line, color="0.6", lw=0.8)
    shares.set(ylabel="share, bars 2 se; lines at 0.95 and 0.05")
    widths.errorbar(places, regions.column("width"), 2 * regions.column("width error"), fmt="o")
    widths.axhline(1, color="0.6", lw=0.8)
    widths.set(ylabel="width / non-private width, bars 2 se")
    for axes in (shares, widths):
        axes.set_xticks(places, names, fontsize=7)
        axes.margins(x=0.1)
    figure.legend(*shares.get_legend_handles_labels(), loc="outside lower center", ncols=4)


STUDIES.register(
    "moments",
    Study(
        "moments",
        "beyond",
        "coverage of confidence regions with the ball found on the same records; level and power",
        cells,
        measure,
        judge,
        draw,
        settings=told(
            "200 to 1000",
            "found privately, in a prior ten times too wide",
            "mu 1, all stages together",
            "400",
            "S^2, SPD(3), shapes of 10 landmarks: Gaussian logs",
        ),
    ),
)
