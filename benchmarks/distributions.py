"""Wasserstein errors of mean distributions against mean functions of the same quantiles.

``python -m benchmarks.distributions --seed 1 --replicates 20`` prints mean errors, in units of the
range, with standard errors, for n = 100, 300, 1000 at mu = 1. Persons have beta distributed
readings; noise of releases comes from the system.
"""

import argparse

import numpy as np

import geomdp as dp
from geomdp.curves import IntervalGrid, Matern
from geomdp.typing import Array

POINTS = 200


def persons(rng: np.random.Generator, n: int) -> Array:
    """Draw 288 readings of each person."""
    middle = np.clip(rng.normal(0.45, 0.12, n), 0.1, 0.9)[:, None]
    tight = np.exp(rng.normal(2.3, 0.5, n))[:, None]
    return np.asarray(rng.beta(middle * tight, (1 - middle) * tight, (n, 288)))


def main() -> None:
    """Print one line a number of persons."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--replicates", type=int, default=20)
    given = parser.parse_args()
    rng = np.random.default_rng(given.seed)
    places = (np.arange(POINTS) + 0.5) / POINTS
    grid = IntervalGrid(places)
    print("n       as functions        range alone         declared ball, 0.35 about uniform")
    for n in (100, 300, 1000):
        wide = dp.DistributionMean(0, 1, POINTS)
        ball = dp.DistributionMean(0, 1, POINTS, center="uniform", tau=0.35)
        curves = dp.FunctionMean(np.full(POINTS, 0.5), 0.5, Matern(0.2), grid=grid)
        found: list[list[float]] = [[], [], []]
        for _ in range(given.replicates):
            quantiles = wide._quantiles(persons(rng, n)).numbers
            truth = quantiles.mean(axis=0)
            today = dp.plan(curves, n=n, budget=dp.GDP(1)).release(quantiles).value
            ours = [
                dp.distribution_of(dp.plan(asked, n=n, budget=dp.GDP(1)).release(quantiles))
                for asked in (wide, ball)
            ]
            for place, value in enumerate([today, *(one.quantiles for one in ours)]):
                found[place].append(float(np.sqrt(np.mean((value - truth) ** 2))))
        cells = [f"{np.mean(x):.4f} ± {np.std(x) / len(x) ** 0.5:.4f}" for x in found]
        print(f"{n:<7} {cells[0]:<19} {cells[1]:<19} {cells[2]}")


if __name__ == "__main__":
    main()
