"""Normative regions: how many new people lie inside, and how wide regions are.

``python -m benchmarks.normative --data FOLDER --replicates 40`` prints for normal records of
decreasing spread, and for outlines of corpora callosa (``adhd200_corpus_callosum.npz``,
``public_callosum_template.npz``) of which some are held out: the share of new people inside with
its standard error and the smallest of all releases, the radius over the one that would hold 95% of
new people, the share at or below centile 50, and what the plan promises on average.
"""

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import geomdp as dp
from geomdp.typing import Array

#: Deviation of the narrowest direction, as a power of e.
NARROWEST = 3.0
#: New people of each release, where records are made up.
NEW = 4000


def line(plan: dp.Plan, drawn: Callable[[], tuple[Array, Array]], replicates: int) -> str:
    """Release so often, each time from other records, and look at new people."""
    inside, ratio, below = [], [], []
    for _ in range(replicates):
        records, new = drawn()
        found = dp.normative_of(plan.release(records))
        distances = found.distances(new)
        inside.append(np.mean(distances <= found.radius))
        ratio.append(found.radius / np.quantile(distances, found.asked.level))
        below.append(np.mean(found.centiles(distances) <= 50))
    error = np.std(inside) / np.sqrt(replicates)
    return (
        f"inside {np.mean(inside):.3f} ({error:.3f}), at least {np.min(inside):.3f}; radius "
        f"{np.median(ratio):.2f}; below 50: {np.mean(below):.2f}; promised {found.promised:.3f}"
    )


def made_up(dim: int, n: int, seed: int) -> Iterator[tuple[Array, Array]]:
    """Draw records and new people from a normal law of total variance 1."""
    rng = np.random.default_rng(seed)
    spread = np.exp(-NARROWEST * np.arange(dim) / dim)
    spread /= np.linalg.norm(spread)
    while True:
        yield rng.standard_normal((n, dim)) * spread, rng.standard_normal((NEW, dim)) * spread


def held_out(points: Array, n: int) -> Iterator[tuple[Array, Array]]:
    """Take so many records, and the others as new people."""
    rng = np.random.default_rng(0)
    while True:
        order = rng.permutation(len(points))
        yield points[order[:n]], points[order[n:]]


def main() -> None:
    """Print a line for each case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--replicates", type=int, default=40)
    given = parser.parse_args()
    cases = [(dp.GDP(1), dim, n) for dim in (7, 30, 96) for n in (300, 600, 1500)]
    cases += [(budget, dim, 1500) for budget in (dp.Pure(1), dp.GDP("0.3")) for dim in (7, 96)]
    for budget, dim, n in cases:
        ball = dp.Ball(dp.Euclidean(dim), np.zeros(dim), radius=2.0)
        plan = dp.plan(dp.NormativeRegion(ball), n=n, budget=budget)
        drawn = made_up(dim, n, dim + n).__next__
        print(f"{budget!r:<18} d {dim:<3} n {n:<5} {line(plan, drawn, given.replicates)}")
    if given.data is None:
        return
    points = np.load(given.data / "adhd200_corpus_callosum.npz")["landmarks"]
    template = np.load(given.data / "public_callosum_template.npz")["landmarks"]
    ball = dp.Ball(dp.PlanarShapes(50), template, radius=0.15)
    for mu in (1, 3):
        plan = dp.plan(dp.NormativeRegion(ball), n=500, budget=dp.GDP(mu))
        told = line(plan, held_out(points, 500).__next__, given.replicates)
        print(f"callosa, mu {mu}, n 500: {told}")


if __name__ == "__main__":
    main()
