"""What a ball found privately gains over a prior that is ten times too wide.

Error of one stage in the prior, divided by the error of ``Refined``; errors are distances to the
Fréchet mean of the unclipped records, so that clipping and tangent bias count. A ball known
beforehand would gain 10. First number: the records lie half the prior's radius away from its
centre; second: about its centre. ``python -m benchmarks.private_ball [repeats] [sizes ...]``
"""

import sys

import numpy as np
from scipy.stats import chi2

import geomdp as dp

#: Space and radius of the ball that holds nearly all records.
CASES = {
    "S^2": (dp.Sphere(2), 0.07),
    "SPD(3)": (dp.SPD(3), 0.3),
    "shapes, k = 10": (dp.PlanarShapes(10), 0.035),
}
WIDER = 10
BUDGETS = {"pure, eps 1": dp.Pure(1), "mu 1": dp.GDP(1)}


def records(space, center, radius, n, rng):
    """Gaussian logs about a point, 99 of 100 within the radius."""
    normal = rng.standard_normal((n, space.dim))
    logs = radius * normal / np.sqrt(chi2.ppf(0.99, space.dim))
    return np.asarray(space.frame_exp(center, logs))


def gain(space, radius, budget, n, away, repeats, seed):
    """Ratio of the mean errors, with its relative standard error."""
    rng = np.random.default_rng(seed)
    origin = np.asarray(space.origin(np.zeros(space.dim)))
    prior = dp.Ball(space, origin, WIDER * radius)
    shift = np.r_[away * WIDER * radius, np.zeros(space.dim - 1)]
    center = np.asarray(space.frame_exp(origin, shift))
    mean = dp.FrechetMean(prior)
    name = "laplace" if isinstance(budget, dp.Pure) else "wrapped-gaussian"
    one, refined = (
        dp.plan(mean, n=n, budget=budget, mechanism=name),
        dp.plan(dp.Refined(mean), n=n, budget=budget),
    )
    errors = np.empty((2, repeats))
    for i in range(repeats):
        points = records(space, center, radius, n, rng)
        truth = dp.frechet_mean(space, points).point
        for j, plan in enumerate((one, refined)):
            errors[j, i] = float(space.dist(truth, plan.release(points).value))
    means = errors.mean(axis=1)
    relative = np.sqrt(np.sum((errors.std(axis=1, ddof=1) / means) ** 2) / repeats)
    return means[0] / means[1], relative


def main(repeats: int = 12, sizes: tuple[int, ...] = (200, 1000)) -> None:
    """Print the table."""
    for budget_name, budget in BUDGETS.items():
        for name, (space, radius) in CASES.items():
            for n in sizes:
                found = [gain(space, radius, budget, n, a, repeats, seed=n) for a in (0.5, 0.0)]
                cells = " / ".join(f"{ratio:.1f} (se {100 * se:.0f}%)" for ratio, se in found)
                print(f"{budget_name:12} {name:16} n = {n:6}  {cells}", flush=True)


if __name__ == "__main__":
    numbers = [int(text) for text in sys.argv[1:]]
    main(*numbers[:1], **({"sizes": tuple(numbers[1:])} if len(numbers) > 1 else {}))
