"""Errors of means by an embedding: gut compositions, axes of both polarities, wide directions.

``python -m benchmarks.embedded_means --gut FILE.npz --seed 1 --replicates 100`` prints each mean
error with its standard error. FILE holds shares as ``composition`` (the HITChip Atlas, 130 genera).
Records are drawn from the seed; the noise of releases comes from the system.
"""

import argparse
from typing import Any

import numpy as np

import geomdp as dp
from geomdp.statistics import ExtrinsicMean
from geomdp.typing import Array


def errors(asked: ExtrinsicMean, budget: dp.Budget, points: Array, truth: Any, count: int) -> Array:
    """Distances of released means from a point."""
    plan = dp.plan(asked, n=len(points), budget=budget)
    values = [asked.mean_point(plan.release(points).value) for _ in range(count)]
    return np.array([float(asked.space.dist(value, truth)) for value in values])


def scattered(rng: np.random.Generator, n: int, spread: float) -> Array:
    """Draw unit vectors about one direction."""
    points = np.array([0.0, 0.6, 0.8]) + spread * rng.standard_normal((n, 3))
    return np.asarray(points / np.linalg.norm(points, axis=1, keepdims=True))


def say(what: str, found: Array) -> None:
    """Print a mean with its standard error."""
    print(f"{what:<48} {found.mean():.4f} ± {found.std(ddof=1) / len(found) ** 0.5:.4f}")


def main() -> None:
    """Run all three."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gut")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--replicates", type=int, default=100)
    given = parser.parse_args()
    rng = np.random.default_rng(given.seed)
    budgets = {"eps 1": dp.Pure(1), "mu 1": dp.GDP(1)}
    if given.gut:
        shares = np.load(given.gut)["composition"]
        points = np.sqrt(shares / shares.sum(axis=1, keepdims=True))
        asked = ExtrinsicMean(dp.Sphere(points.shape[1] - 1), positive=True)
        truth = dp.frechet_mean(asked.space, points).point
        for name, budget in budgets.items():
            found = errors(asked, budget, points, truth, given.replicates)
            say(f"gut, distance to the Fréchet mean, rad, {name}", found)
    both = scattered(rng, 133, 0.4) * rng.choice([-1.0, 1.0], (133, 1))
    wide = scattered(rng, 4000, 1.0)
    for what, space, drawn in (("axis, n 133", dp.Axes(2), both), ("wide", dp.Sphere(2), wide)):
        asked = ExtrinsicMean(space)
        truth = asked.mean_point(asked.estimate(asked.encode(space.require(drawn))))
        for name, budget in budgets.items():
            found = np.degrees(errors(asked, budget, drawn, truth, given.replicates))
            say(f"{what}, degrees, {name}", found)
    print(f"resultant length of the wide directions: {np.linalg.norm(wide.mean(axis=0)):.3f}")


if __name__ == "__main__":
    main()
