"""Covariances, synthetic records and the test of two means, for 2 to 96 dimensions.

Before: the positive part of the released covariance, and a chi-square test with the regions' edge.
After: the projection on the released trace, and the weighed test. Noise is drawn by NumPy with the
law of the release. ``python -m benchmarks.many_dimensions [replicates]``; the callosa are in
``../shared/data``, and left out where they are not there. Tables in docs/theory/covariances.md.
"""

import sys
from pathlib import Path

import numpy as np
from scipy.stats import chi2, rankdata

import geomdp as dp
from geomdp.releases.estimates import MomentsEstimate, telling_distance

DATA = Path(__file__).parents[1] / "../shared/data"
RADIUS = 1.3
LEVEL = 0.05


def deviations(dim, kind):
    """Return standard deviations of simulated records, of root mean square length 1."""
    sd = np.ones(dim) if kind == "round" else 1 / np.arange(1.0, dim + 1)
    return sd / np.linalg.norm(sd)


def drawn(plan, logs, rng):
    """Return the estimate from one release of clipped logs."""
    ball, scale, dim = plan.statistic.ball, plan.scale, logs.shape[1]
    lengths = np.linalg.norm(logs, axis=1, keepdims=True)
    logs = logs * np.minimum(1, ball.radius / np.maximum(lengths, 1e-300))
    noise = np.sqrt(2) * ball.radius * scale * rng.standard_normal((dim, dim))
    mean = logs.mean(axis=0) + scale * rng.standard_normal(dim)
    second = logs.T @ logs / len(logs) + (noise + noise.T) / 2
    return MomentsEstimate(ball, len(logs), mean, second, float(np.trace(second)), scale)


def planned(dim, n, mu, radius=RADIUS):
    """Plan moments about 0."""
    ball = dp.Ball(dp.Euclidean(dim), np.zeros(dim), radius)
    return dp.plan(dp.Moments(ball), n=n, budget=dp.GDP(mu))


def positive(matrix):
    """Return what the covariance was before: negative eigenvalues set to 0."""
    values, vectors = np.linalg.eigh(matrix)
    return (vectors * np.maximum(values, 0)) @ vectors.T


def told_apart(mean, covariance, logs, rng):
    """Return the area under the curve: synthetic records against real ones, by length."""
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0))
    made = mean + rng.standard_normal(logs.shape) @ root.T
    n, both = len(logs), np.r_[logs, made]
    ranks = rankdata(np.linalg.norm(both, axis=1))
    return (ranks[n:].sum() - n * (n + 1) / 2) / n**2


def told(values):
    """Mean and standard error."""
    return f"{np.mean(values):.3g} ({np.std(values, ddof=1) / np.sqrt(len(values)):.1g})"


def covariances(name, plan, logs, replicates):
    """Print trace, Frobenius error and area, before and after."""
    lengths = np.linalg.norm(logs, axis=1, keepdims=True)
    logs = logs * np.minimum(1, plan.statistic.ball.radius / lengths)
    true, rng, rows = np.cov(logs.T, ddof=0), np.random.default_rng(5), []
    for _ in range(replicates):
        found = drawn(plan, logs, rng)
        row = []
        for made in (positive(found.raw_covariance), found.covariance):
            row += [np.trace(made) / np.trace(true)]
            row += [np.linalg.norm(made - true) / np.linalg.norm(true)]
            row += [told_apart(found.coordinates, made, logs, rng)]
        rows.append(row)
    cells = [told(column) for column in np.array(rows).T]
    order = (0, 3, 1, 4, 2, 5)
    print(f"| {name} | {' | '.join(cells[i] for i in order)} |", flush=True)


def before(a, b):
    """Return the p-value of the test as it was: chi-square, with the edge of the regions."""
    away = a.coordinates - b.coordinates
    size = away @ np.linalg.solve(a.mean_covariance + b.mean_covariance, away)
    return chi2.sf(size, a.dim)


def tests(dim, kind, n, mu, replicates):
    """Print level and power of the test, before and after."""
    plan, sd, rng = planned(dim, n, mu), deviations(dim, kind), np.random.default_rng(17)
    far = telling_distance(plan, plan, spread=1.0)
    found = []
    for _ in range(replicates):
        move = rng.standard_normal(dim)
        move *= far / np.linalg.norm(move)
        a, b, c = (
            drawn(plan, rng.standard_normal((n, dim)) * sd + 0.3 / np.sqrt(dim) + shift, rng)
            for shift in (0.0, 0.0, move)
        )
        pairs = ((a, b), (a, c))
        found.append([f(*pair) < LEVEL for pair in pairs for f in (before, compared)])
    cells = [f"{np.mean(column):.3f}" for column in np.array(found).T]
    print(f"| {dim} | {kind} | {n} | {mu} | {far:.3f} | {' | '.join(cells)} |", flush=True)


def compared(a, b):
    """Return the p-value of the test as it is."""
    return dp.compare(a, b).p_value


def main(replicates: int = 400) -> None:
    """Print both tables."""
    print("| records | trace, before | after | error, before | after | AUC, before | after |")
    print("|---|---|---|---|---|---|---|")
    some = max(2, replicates // 20)
    for dim in (2, 6, 26, 96):
        rng = np.random.default_rng(3)
        logs = rng.standard_normal((300, dim)) * deviations(dim, "steep")
        covariances(f"simulated, d = {dim}, n = 300, mu 1", planned(dim, 300, 1), logs, some)
    for mu in (1, 3):
        if (DATA / "adhd200_corpus_callosum.npz").exists():
            center = np.load(DATA / "public_callosum_template.npz")["landmarks"]
            points = np.load(DATA / "adhd200_corpus_callosum.npz")["landmarks"]
            space = dp.PlanarShapes(points.shape[1])
            ball = dp.Ball(space, center, 0.15)
            plan = dp.plan(dp.Moments(ball), n=len(points), budget=dp.GDP(mu))
            logs = plan.statistic.encode(points)
            covariances(f"callosa, d = {space.dim}, n = {len(points)}, mu {mu}", plan, logs, some)
    print()
    print("| d | covariance | n | mu | apart | level, before | after | power, before | after |")
    print("|---|---|---|---|---|---|---|---|---|")
    for dim in (2, 6, 26, 96):
        for kind in ("round", "steep"):
            tests(dim, kind, 300, 1, replicates)
    for case in ((2, "round", 100, 0.3), (26, "steep", 60, 10), (96, "steep", 3000, 1)):
        tests(*case, replicates)
    tests(96, "round", 200, 10, replicates)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
