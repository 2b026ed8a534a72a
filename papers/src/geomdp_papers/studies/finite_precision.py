"""Beyond the papers: low-order bits of a textbook sampler tell the data, those of a release do not.

Two neighbours have their means at the centre and a sensitivity away from it. A float near 0 carries
finer bits than one that is not, and a sampler that adds noise in floats keeps them.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from numpy.random import Generator

import geomdp as dp
from geomdp.audit.claims import claim_of
from geomdp.audit.events import exact_draws
from geomdp.audit.floats import attack_bits, fine_pair, replayed
from geomdp.audit.neighbours import pairs
from geomdp.spaces.base import Space
from geomdp.typing import Array
from geomdp_papers.studies.pictures import COLORS, MARKERS, ticks_at
from geomdp_papers.studies.samples import at_origin
from geomdp_papers.studies.study import STUDIES, Cell, Claim, Study, told, verdict
from geomdp_papers.studies.table import Row, Table

SPACES: dict[str, Space] = {"S^2": dp.Sphere(2), "S^5": dp.Sphere(5), "R^1": dp.Euclidean(1)}
EPSILONS = (0.1, 1.0, 4.0)
N, RADIUS = 50, np.pi / 8
#: Probability that one side of one bound is wrong.
MISS = 1e-4
SAMPLERS = ("textbook", "geomdp")


def textbook(space: Space, footpoint: Array, scale: float, size: int, rng: Generator) -> Array:
    """Riemannian Laplace noise as textbooks draw it: the right law and scale, in plain floats.

    Examples
    --------
    >>> textbook(dp.Sphere(2), np.eye(3)[2], 0.1, 4, np.random.default_rng(0)).shape
    (4, 3)
    """
    d, sphere = space.dim, isinstance(space, dp.Sphere)
    t = np.empty(0)
    while t.size < size:
        more = rng.gamma(d, scale, size=2 * size + 64)
        if sphere:  # Gamma proposals, accepted with the volume of the sphere over the plane's
            more = more[more < np.pi]
            more = more[rng.uniform(size=more.size) < (np.sin(more) / more) ** (d - 1)]
        t = np.concatenate([t, more])
    t = t[:size, None]
    g = rng.normal(size=(size, footpoint.size))
    if not sphere:
        return np.asarray(footpoint + t * g / np.linalg.norm(g, axis=1, keepdims=True))
    v = g - (g @ footpoint)[:, None] * footpoint
    v /= np.linalg.norm(v, axis=1, keepdims=True)
    return np.asarray(np.cos(t) * footpoint + np.sin(t) * v)


def cells(quick: bool, data: Path | None) -> list[Cell]:
    """One cell a space, epsilon and sampler; exact draws are dearer, so there are fewer."""
    spaces, epsilons = (("S^2",), (1.0,)) if quick else (tuple(SPACES), EPSILONS)
    draws = {"textbook": 4000 if quick else 200_000, "geomdp": 100 if quick else 5000}
    return [
        {"space": space, "epsilon": epsilon, "sampler": sampler, "draws": draws[sampler]}
        for space in spaces
        for epsilon in epsilons
        for sampler in SAMPLERS
    ]


def measure(cell: Cell, rng: Generator) -> list[Row]:
    """Find what the low-order bits of draws on two neighbours prove about epsilon."""
    space, size = SPACES[cell["space"]], cell["draws"]
    statistic = dp.FrechetMean(at_origin(space, RADIUS))
    made = dp.plan(statistic, n=N, budget=dp.Pure(cell["epsilon"]), mechanism="laplace")
    pair = fine_pair(pairs(made))
    if cell["sampler"] == "textbook":
        points = [made.calibration.estimate(x) for x in pair.sets]
        values = [textbook(space, point, made.scale, size, rng) for point in points]
    else:
        with replayed(int(rng.integers(2**31))):
            values = [exact_draws(made, x, size) for x in (pair.first, pair.second)]
    found = attack_bits(claim_of(made), values, MISS).outcome
    kept = {name: cell[name] for name in ("space", "sampler", "epsilon", "draws")}
    shares = {"share": found.hits / found.size, "share of the neighbour": found.others / found.size}
    return [{**kept, **shares, "proved": found.bound}]


def judge(table: Table) -> Sequence[Claim]:
    """Hold either sampler to the epsilon that its scale is for."""
    return [
        _of(table, "textbook", "on a computer (paper 1, Theorem 1)"),
        _of(table, "geomdp", "geomdp"),
    ]


def _of(table: Table, sampler: str, where: str) -> Claim:
    part = table.where(sampler=sampler)
    proved, claimed = part.column("proved"), part.column("epsilon")
    worst = int(np.argmax(proved / claimed))
    row = part.rows[worst]
    return Claim(
        where,
        "Laplace noise of scale Delta/epsilon is epsilon-DP"
        + (", drawn in floats." if sampler == "textbook" else ", drawn as releases draw it."),
        f"on {row['space']} at epsilon {row['epsilon']:g} an event has probability "
        f"{row['share']:.3g} against {row['share of the neighbour']:.3g}: epsilon is at least "
        f"{proved[worst]:.3g}",
        verdict(bool(np.all(proved <= claimed))),
        f"reproduced if no event proves more than epsilon, each with confidence {1 - 2 * MISS}",
        ""
        if np.all(proved <= claimed)
        else "the theorem is about real numbers: floats near 0 carry finer bits than others",
    )


def draw(figure: Figure, table: Table) -> None:
    """Draw what was proved beside what was claimed."""
    axes = figure.add_subplot()
    number = 0
    for sampler in SAMPLERS:
        for space in table.values("space"):
            part = table.where(sampler=sampler, space=space)
            axes.plot(
                part.column("epsilon"),
                part.column("proved"),
                "-" if sampler == "textbook" else "--",
                marker=MARKERS[number],
                color=COLORS[number],
                label=f"{sampler}, {space}",
            )
            number += 1
    claimed = np.unique(table.column("epsilon"))
    between = np.geomspace(claimed[0], claimed[-1])
    axes.plot(between, between, ":", color="0.3", label="claimed")
    axes.set(xscale="log", xlabel="epsilon claimed")
    axes.set_ylabel("epsilon proved by low-order bits (lower bound)")
    ticks_at(axes, claimed)
    figure.legend(loc="outside right upper")


STUDIES.register(
    "finite-precision",
    Study(
        "finite-precision",
        "beyond",
        "the floating-point attack on a textbook sampler and on releases",
        cells,
        measure,
        judge,
        draw,
        settings=told(
            str(N),
            "pi/8",
            "epsilon 0.1, 1 and 4",
            "200,000 draws in floats, 5000 of releases, on each of two neighbours",
            "S^2, S^5 and the line; two neighbouring data sets",
        ),
    ),
)
