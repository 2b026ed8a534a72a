"""A ball found privately on real data: callosa in a prior ten times too wide, gut without a prior.

Errors are distances to the Fréchet mean of the unclipped records, at mu = 1 and epsilon = 1.
``python -m benchmarks.private_ball_data [repeats]``, with the data in ``../shared/data``.
"""

import sys
from pathlib import Path

import numpy as np

import geomdp as dp
from geomdp.errors import GeomdpError

DATA = Path(__file__).parents[1] / "../shared/data"
#: What the atlas's own curators would state for callosa: all 647 lie within 0.14.
KNOWN = 0.15
BUDGETS = {"mu 1": dp.GDP(1), "eps 1": dp.Pure(1)}


def callosa():
    """Prior ten times as wide as a known ball, the known ball, and the records."""
    space = dp.PlanarShapes(50)
    points = np.load(DATA / "adhd200_corpus_callosum.npz")["landmarks"]
    template = np.load(DATA / "public_callosum_template.npz")["landmarks"]
    prior = dp.Ball(space, template, min(10 * KNOWN, space.injectivity_radius), wide=True)
    return prior, dp.Ball(space, template, KNOWN), space.require(points)


def gut(key):
    """All of a sphere, and no known ball."""
    shares = np.load(DATA / "atlas1006_gut_composition.npz")[key]
    shares = shares / shares.sum(axis=1, keepdims=True)
    records = np.sqrt(shares)
    records /= np.linalg.norm(records, axis=1, keepdims=True)
    return dp.Ball.whole(dp.Sphere(records.shape[1] - 1)), None, records


CASES = {
    "callosa, d = 96": callosa,
    "gut, 3 parts, d = 2": lambda: gut("three_part"),
    "gut, 8 phyla, d = 7": lambda: gut("phylum_composition"),
    "gut, 130 genera, d = 129": lambda: gut("composition"),
}


def errors(plan, records, truth, repeats):
    """Mean error and its standard error."""
    space = plan.statistic.public_ball.space
    found = [float(space.dist(truth, plan.release(records).value)) for _ in range(repeats)]
    return np.mean(found), np.std(found, ddof=1) / np.sqrt(repeats)


def main(repeats: int = 20) -> None:
    """Print the errors in the prior, with a ball found privately, and in a known ball."""
    for name, load in CASES.items():
        prior, known, records = load()
        n, truth = len(records), dp.frechet_mean(prior.space, records).point
        for budget_name, budget in BUDGETS.items():
            asked = {
                "prior": dp.TangentMean(prior),
                "found": dp.Refined(dp.FrechetMean(prior)),
                "known": None if known is None else dp.FrechetMean(known),
            }
            print(f"{name:26} n = {n} {budget_name:6}", end="", flush=True)
            for words, statistic in asked.items():
                if statistic is None:
                    continue
                try:
                    plan = dp.plan(statistic, n=n, budget=budget)
                    mean, error = errors(plan, records, truth, repeats)
                    print(f"  {words} {mean:.4f} (se {error:.4f})", end="", flush=True)
                except GeomdpError as refusal:
                    print(f"  {words} refused: {str(refusal)[:60]}", end="", flush=True)
            print(flush=True)


if __name__ == "__main__":
    main(*(int(text) for text in sys.argv[1:]))
