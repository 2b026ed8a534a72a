"""Beyond the papers: what a ball found privately gains over a prior that is far too wide.

Errors are distances to the Fréchet mean of the unclipped records, so that clipping and tangent bias
count. In a prior ten times too wide a ball known beforehand would gain 10 on SPD(3), 12 on S^2 and
shapes.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from numpy.random import Generator

import geomdp as dp
from geomdp.audit.floats import replayed
from geomdp.datasets import load_directions, load_tensors
from geomdp.errors import MechanismRefusedError
from geomdp.mechanisms import Request
from geomdp.plans.ball_shares import is_worthwhile
from geomdp.privacy import Budget
from geomdp.spaces.base import Space
from geomdp.typing import Array
from geomdp_papers.studies.pictures import COLORS, MARKERS, band, ticks_at
from geomdp_papers.studies.samples import at_origin, gaussian_about
from geomdp_papers.studies.study import STUDIES, Cell, Claim, Study, told, verdict
from geomdp_papers.studies.table import Row, Table, mean_and_error

#: Space and radius of the ball that holds nearly all records.
CASES: dict[str, tuple[Space, float]] = {
    "S^2": (dp.Sphere(2), 0.07),
    "SPD(3)": (dp.SPD(3), 0.3),
    "shapes, k = 10": (dp.PlanarShapes(10), 0.035),
}
WIDER = 10
BUDGETS: dict[str, Budget] = {"epsilon 1": dp.Pure(1), "mu 1": dp.GDP(1)}
#: Where the records lie: parts of the prior's radius from its centre.
AWAY = (0.5, 0.0)
#: Repeats by n.
REPEATS = {200: 60, 1000: 60, 10_000: 30}
#: What curators of callosa would state: all lie within 0.14 of the template.
CALLOSA = 0.15


def cells(quick: bool, data: Path | None) -> list[Cell]:
    """One cell a space, size, budget and place; and one a real data set and budget."""
    cases, repeats = (("S^2",), {200: 5}) if quick else (tuple(CASES), REPEATS)
    here = (
        [] if data is None else [name for name, (file, _) in REAL.items() if (data / file).exists()]
    )
    releases = 3 if quick else 20
    return [
        *(
            {"case": case, "n": n, "budget": budget, "away": away, "repeats": count}
            for case in cases
            for n, count in repeats.items()
            for budget in BUDGETS
            for away in AWAY
        ),
        *(
            {"real": name, "budget": budget, "repeats": releases}
            | {"data": str(data) if here else None}
            for name in here or SHIPPED
            for budget in BUDGETS
        ),
    ]


def measure(cell: Cell, rng: Generator) -> list[Row]:
    """Error in the prior over the error in the ball that was found; or errors on real records."""
    return [_real(cell, rng) if "real" in cell else _gain(cell, rng)]


def wide_prior(name: str, away: float) -> tuple[dp.Ball, Array]:
    """Prior of a case, and the point at ``away`` times its radius about which records lie."""
    space, radius = CASES[name]
    prior = at_origin(space, WIDER * radius)
    shift = np.r_[away * WIDER * radius, np.zeros(space.dim - 1)]
    return prior, np.asarray(space.frame_exp(prior.center, shift))


def _gain(cell: Cell, rng: Generator) -> Row:
    space, radius = CASES[cell["case"]]
    prior, center = wide_prior(cell["case"], cell["away"])
    n, budget = cell["n"], BUDGETS[cell["budget"]]
    mean = dp.FrechetMean(prior)
    name = "laplace" if isinstance(budget, dp.Pure) else "wrapped-gaussian"
    plans = (
        dp.plan(mean, n=n, budget=budget, mechanism=name),
        dp.plan(dp.Refined(mean), n=n, budget=budget),
    )
    errors = np.empty((2, cell["repeats"]))
    for i in range(cell["repeats"]):
        points = gaussian_about(space, center, radius, n, rng)
        truth = dp.frechet_mean(space, points).point
        for j, made in enumerate(plans):
            errors[j, i] = _error(made, space, points, truth, rng)
    (one, se_one), (found, se_found) = map(mean_and_error, errors)
    gain = one / found
    kept = {name: cell[name] for name in ("case", "n", "budget", "away")}
    pays = int(is_worthwhile(Request(mean, n, budget), space.dim))
    error = gain * float(np.hypot(se_one / one, se_found / found))
    return {"kind": "gain", **kept, "pays": pays, "gain": gain, "gain error": error}


def _error(made: dp.Plan, space: Space, records: Array, truth: Array, rng: Generator) -> float:
    """Distance of a release from the truth; drawn as releases are, on bytes that repeat."""
    with replayed(int(rng.integers(2**31))):
        value = made.release(records).value
    return float(space.dist(truth, value))


def _real(cell: Cell, rng: Generator) -> Row:
    prior, known, records = _loaded(cell["real"], cell["data"])
    n, budget = len(records), BUDGETS[cell["budget"]]
    truth = dp.frechet_mean(prior.space, records).point
    plans: dict[str, dp.Plan] = {"prior": dp.plan(dp.TangentMean(prior), n=n, budget=budget)}
    with suppress(MechanismRefusedError):  # it asks for a centre, which is told as a result
        plans["found"] = dp.plan(dp.Refined(dp.FrechetMean(prior)), n=n, budget=budget)
    if known is not None:
        plans["known"] = dp.plan(dp.FrechetMean(known), n=n, budget=budget)
    pays = is_worthwhile(Request(dp.TangentMean(prior), n, budget), prior.space.dim)
    row: dict[str, str | int | float] = {"kind": "real", "case": cell["real"], "n": n}
    row |= {"budget": cell["budget"], "pays": int(pays), "refused": int("found" not in plans)}
    for words, made in plans.items():
        errors = [_error(made, prior.space, records, truth, rng) for _ in range(cell["repeats"])]
        row[words], row[f"{words} error"] = mean_and_error(np.array(errors))
    return row


def _loaded(name: str, folder: str | None) -> "Loaded":
    return SHIPPED[name]() if folder is None else REAL[name][1](Path(folder) / REAL[name][0])


#: What is public and the records: the prior, a known ball if there is one, the records.
Loaded = tuple[dp.Ball, dp.Ball | None, Array]


def _callosa(file: Path) -> Loaded:
    space = dp.PlanarShapes(50)
    with np.load(file) as arrays:
        points = arrays["landmarks"]
    with np.load(file.with_name("public_callosum_template.npz")) as arrays:
        template = arrays["landmarks"]
    prior = dp.Ball(space, template, min(WIDER * CALLOSA, space.injectivity_radius), wide=True)
    return prior, dp.Ball(space, template, CALLOSA), np.asarray(space.require(points))


def _gut(key: str, file: Path) -> Loaded:
    with np.load(file) as arrays:
        shares = arrays[key]
    records = np.sqrt(shares / shares.sum(axis=1, keepdims=True))
    records /= np.linalg.norm(records, axis=1, keepdims=True)
    return dp.Ball.whole(dp.Sphere(records.shape[1] - 1)), None, records


def _directions() -> Loaded:
    told = load_directions()
    known = dp.Ball(dp.Sphere(2), told.public_center, told.public_radius)
    return dp.Ball.whole(dp.Sphere(2)), known, told.records


def _tensors() -> Loaded:
    told = load_tensors()
    known = dp.Ball(dp.SPD(3), told.public_center, told.public_radius)
    # Floats resolve no ball much wider than this.
    return dp.Ball(known.space, known.center, 4 * known.radius), known, told.records


SHIPPED: dict[str, Callable[[], Loaded]] = {"directions": _directions, "tensors": _tensors}
_GUT = "atlas1006_gut_composition.npz"
#: File of further data, and how it is read.
REAL: dict[str, tuple[str, Callable[[Path], Loaded]]] = {
    "callosa": ("adhd200_corpus_callosum.npz", _callosa),
    "gut, 3 parts": (_GUT, partial(_gut, "three_part")),
    "gut, 8 phyla": (_GUT, partial(_gut, "phylum_composition")),
    "gut, 130 genera": (_GUT, partial(_gut, "composition")),
}


def judge(table: Table) -> Sequence[Claim]:
    """Ask whether the search pays where plans say so, how much it gains, and on real records."""
    return [_pays(table), _most(table), _on_real(table)]


def _pays(table: Table) -> Claim:
    part = table.where(kind="gain", pays=1)
    gain, error = part.column("gain"), part.column("gain error")
    least = int(np.argmin(gain))
    row, pays = part.rows[least], bool(np.all(gain - 2 * error > 1))
    return Claim(
        "docs/theory/private-ball.md",
        "A ball found privately pays from n epsilon = 30 d or n mu = 30 sqrt(d) on.",
        f"gains of {gain[least]:.2f} (se {error[least]:.2f}; {row['case']}, n = {row['n']}, "
        f"{row['budget']}) to {gain.max():.2f} there",
        verdict(pays),
        "reproduced if every gain there is two standard errors above 1",
        "" if pays else "the threshold is too low",
    )


def _most(table: Table) -> Claim:
    part = table.where(kind="gain", pays=1)
    gain = float(np.median(part.column("gain")))
    enough = gain >= WIDER / 2
    return Claim(
        "docs/theory/private-ball.md",
        f"In a prior {WIDER} times too wide it gains most of what a ball known beforehand would.",
        f"median gain {gain:.2f} where it pays; a known ball would gain {WIDER} to 12",
        verdict(enough),
        f"reproduced if the median gain where it pays is at least {WIDER / 2:g}",
        "" if enough else "finding the ball costs more of the budget than it saves",
    )


def _on_real(table: Table) -> Claim:
    pays, refused = table.where(kind="real", pays=1), table.where(kind="real", refused=1)
    part = pays.where(refused=0)
    prior, found = part.column("prior"), part.column("found")
    spread = np.hypot(part.column("prior error"), part.column("found error"))
    wins = len(part.rows) == len(pays.rows) and bool(np.all(prior - found > 2 * spread))
    told = ", ".join(
        f"{row['case']} at {row['budget']} {gain:.1f}"
        for row, gain in zip(part.rows, prior / found, strict=True)
    )
    told += "".join(
        f"; refused, because it needs a centre: {row['case']} at {row['budget']}"
        for row in refused.rows
    )
    return Claim(
        "docs/theory/private-ball.md",
        "On real records it beats one release in the prior.",
        f"times less error: {told}",
        verdict(wins),
        "reproduced if it wins by two standard errors, and is not refused, wherever n is so large"
        " that it should pay",
        "" if wins else "the records do not fill a small part of the prior, or no centre was given",
    )


def draw(figure: Figure, table: Table) -> None:
    """Draw gains over n for each budget, and errors on real records."""
    figure.set_size_inches(8.5, 7.0)
    gains = table.where(kind="gain")
    top, bottom = figure.subfigures(2, 1, squeeze=False)[:, 0]
    panels = top.subplots(1, len(BUDGETS), sharey=True)
    for axes, budget in zip(panels, BUDGETS, strict=True):
        number = 0
        for case in gains.values("case"):
            for away, style in zip(AWAY, ("-", "--"), strict=True):
                part = gains.where(case=case, budget=budget, away=away)
                n, gain, error = map(part.column, ("n", "gain", "gain error"))
                label = f"{case}, {'off centre' if away else 'centred'}"
                band(axes, n, gain, 2 * error, number, label, style)
                number += 1
        axes.axhline(1, color="0.4", lw=0.8)
        axes.set(xscale="log", yscale="log", xlabel="records n", title=budget)
        ticks_at(axes, n)
    panels[0].set_ylabel("error in the prior / with the ball found")
    top.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    real = bottom.subplots()
    rows = table.where(kind="real").rows
    names = [f"{row['case']}, {row['budget']}" for row in rows]
    for i, name in enumerate(("prior", "found", "known")):
        here = [
            (j, float(row[name]), float(row[f"{name} error"]))
            for j, row in enumerate(rows)
            if name in row
        ]
        at, mean, error = np.array(here).T
        label = {"prior": "in the prior", "found": "ball found", "known": "ball known"}[name]
        real.errorbar(mean, at, xerr=2 * error, fmt=MARKERS[i], color=COLORS[i], label=label)
    real.set_yticks(range(len(names)), names)
    real.set(xscale="log", xlabel="mean error, bars 2 se")
    real.invert_yaxis()
    real.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)


STUDIES.register(
    "balls",
    Study(
        "balls",
        "beyond",
        "gain of a ball found privately over a prior that is far too wide",
        cells,
        measure,
        judge,
        draw,
        "simulated records; real ones are corpora callosa and gut compositions in the folder of"
        " further data, and without it the shipped directions and tensors",
        told(
            "200 to 10,000; real records as many as there are",
            "ten times too wide",
            "epsilon 1; mu 1",
            "60 (30 at n = 10,000); 20 releases of real records",
            "S^2, SPD(3), shapes of 10 landmarks; callosa, gut compositions",
        ),
    ),
)
