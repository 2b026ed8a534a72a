"""Paper 1, Example 1: on the whole circle one record moves the mean anywhere, however large n."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from numpy.random import Generator

from geomdp.typing import Array
from geomdp_papers.studies.pictures import COLORS, ticks_at
from geomdp_papers.studies.study import STUDIES, Cell, Claim, Study, told, verdict
from geomdp_papers.studies.table import Row, Table

SIZES = (4, 6, 10, 20, 50, 100, 200, 5, 7, 11, 21, 51, 101, 201)
#: What counts as equal: tables hold six digits.
NEAR = 1e-5


def cells(quick: bool, data: Path | None) -> list[Cell]:
    """One cell a size."""
    return [{"n": n} for n in (SIZES[:2] if quick else SIZES)]


def circle_means(angles: Array) -> Array:
    """All minimisers of the mean squared arc length to points of the circle.

    Between two neighbouring antipodes of points the energy is a parabola: each such arc has one
    candidate, the average of the points lifted to within pi of it.

    >>> circle_means(np.array([0.0, 0.2, 0.4])).round(6).tolist()
    [0.2]
    """
    turn = 2 * np.pi
    kinks = np.sort((angles + np.pi) % turn)
    middles = (kinks + np.diff(kinks, append=kinks[0] + turn) / 2) % turn
    moves = (angles[None] - middles[:, None] + np.pi) % turn - np.pi
    found = middles + moves.mean(axis=1)
    off = (angles[None] - found[:, None] + np.pi) % turn - np.pi
    energy = np.sum(off**2, axis=1)
    best = found[energy <= energy.min() + 1e-9 * len(angles)] % turn
    return np.unique(np.round(best, 12))


def measure(cell: Cell, rng: Generator) -> list[Row]:
    """Double each point in turn: where the mean lies, and how far apart two such means are."""
    n = cell["n"]
    points = 2 * np.pi * np.arange(1, n) / (n - 1)
    means = [circle_means(np.append(points, again)) for again in points]
    off = max(float(np.min(_apart(m, x))) for m, x in zip(means, points, strict=True))
    moved = max(float(np.max(_apart(means[0][:, None], m[None]))) for m in means)
    unique = int(all(m.size == 1 for m in means))
    return [{"n": n, "even": int(n % 2 == 0), "unique": unique, "off": off, "moved": moved}]


def _apart(one: Array, other: Array) -> Array:
    return np.asarray(np.abs((one - other + np.pi) % (2 * np.pi) - np.pi))


def judge(table: Table) -> Sequence[Claim]:
    """Ask whether the sensitivity falls with n, and how large it is."""
    n, moved = table.column("n"), table.column("moved")
    stays = bool(np.all(moved >= np.pi * (1 - 2 / n)))
    even = table.where(even=1)
    at_point = bool(np.all(even.column("off") < NEAR) and np.all(even.column("unique") == 1))
    formula = np.pi * (even.column("n") - 2) / (even.column("n") - 1)
    exact = bool(np.all(np.abs(even.column("moved") - formula) < NEAR))
    reaches = bool(np.all(np.abs(even.column("moved") - np.pi) < NEAR))
    return [
        Claim(
            "paper 1, Example 1",
            "On the whole circle the sensitivity of the mean does not decrease with n.",
            f"one record moves a mean by {moved.min():.3f} to {moved.max():.3f} rad at n = "
            f"{n.min():.0f} to {n.max():.0f}",
            verdict(stays),
            "reproduced if it is at least pi (1 - 2/n) at every n",
            "" if stays else "it falls",
        ),
        Claim(
            "paper 1, Example 1",
            "If n is even the mean is the doubled point, and the sensitivity is pi.",
            f"for even n the mean is {'' if at_point else 'not '}the doubled point, and moves by "
            + ("pi (n - 2)/(n - 1)" if exact else f"{even.column('moved').max():.4f} at most")
            + ", since among an odd number of points none has its antipode; for odd n the mean is "
            + ("not unique" if not np.any(table.where(even=0).column("unique")) else "unique too"),
            verdict(at_point and reaches),
            "reproduced if for every even n the mean is the doubled point and moves by pi, to "
            f"{NEAR:g}",
            "" if at_point and reaches else "pi is the limit for large n",
        ),
    ]


def draw(figure: Figure, table: Table) -> None:
    """Draw how far a mean moves over n."""
    axes = figure.add_subplot()
    for even, color, marker in ((1, COLORS[0], "o"), (0, COLORS[1], "s")):
        part = table.where(even=even)
        name = "even" if even else "odd (two means)"
        axes.plot(part.column("n"), part.column("moved"), marker, color=color, label=f"n {name}")
    axes.axhline(np.pi, color="0.4", lw=0.8, ls="--", label="pi")
    axes.set(xscale="log", ylim=(0, 3.5), xlabel="records n", ylabel="the mean moves by, rad")
    ticks_at(axes, table.column("n"))
    axes.legend(loc="lower right")


STUDIES.register(
    "circle",
    Study(
        "circle",
        "paper 1, Example 1",
        "how far one record moves the mean of equally spaced points on a whole circle",
        cells,
        measure,
        judge,
        draw,
        settings=told(
            "4 to 201", "the whole circle", "none: no noise", "exact", "n - 1 equal arcs", "none"
        ),
    ),
)
