"""Error bars of ``Refined(Moments)``: coverage of the whole pipeline, widths, level of the test.

The ball is found on the same records, in a prior ten times too wide whose centre is half its radius
away; then mean and covariance are released, at mu = 1 all together. Two targets are covered or not:
the expected clipped log at the released centre (taken over 40,000 further records), and the
population's Fréchet mean. Widths are root mean squares of the half axes, over those of the
non-private region of the same records. ``python -m benchmarks.moments [repeats]``
"""

import sys

import numpy as np
from scipy.stats import chi2

import geomdp as dp
from benchmarks.private_ball import CASES, WIDER, records

LEVEL = 0.95
RUNS = (("S^2", 200), ("S^2", 1000), ("SPD(3)", 500), ("shapes, k = 10", 1000))
#: Records that stand for the population.
MANY = 40_000


def pipeline(name, n, repeats, seed):
    """Shares of runs that cover either target, and the mean ratio of widths."""
    space, radius = CASES[name]
    rng = np.random.default_rng(seed)
    origin = np.asarray(space.origin(np.zeros(space.dim)))
    prior = dp.Ball(space, origin, WIDER * radius)
    center = np.asarray(space.frame_exp(origin, np.r_[5 * radius, np.zeros(space.dim - 1)]))
    population = records(space, center, radius, MANY, rng)
    plan = dp.plan(dp.Refined(dp.Moments(prior)), n=n, budget=dp.GDP(1))
    clipped, frechet, widths = [], [], []
    for _ in range(repeats):
        points = records(space, center, radius, n, rng)
        found = dp.moments_of(plan.release(points))
        region, asked = found.confidence_region(LEVEL), dp.TangentMean(found.ball)
        clipped.append(region.contains_coordinates(np.mean(asked.encode(population), axis=0)))
        # The law is symmetric about its centre, which is the Fréchet mean.
        frechet.append(region.contains(center))
        own = np.cov(np.asarray(space.frame_log(center, points)).T) / n
        plain = np.sqrt(chi2.ppf(LEVEL, space.dim) * np.trace(own) / space.dim)
        widths.append(np.sqrt(np.mean(region.half_axes**2)) / plain)
    return np.mean(clipped), np.mean(frechet), np.mean(widths), np.std(widths) / np.sqrt(repeats)


def comparison(name, n, repeats, seed):
    """Shares of tests at 5% that reject: the same mean, and half a standard deviation apart."""
    space, radius = CASES[name]
    rng = np.random.default_rng(seed)
    center = np.asarray(space.origin(np.zeros(space.dim)))
    deviation = radius / np.sqrt(chi2.ppf(0.99, space.dim))
    moved = np.asarray(space.frame_exp(center, np.r_[deviation / 2, np.zeros(space.dim - 1)]))
    plan = dp.plan(dp.Moments(dp.Ball(space, center, radius)), n=n, budget=dp.GDP(1))
    rejected = np.zeros(2)
    for _ in range(repeats):
        first, *others = (
            dp.moments_of(plan.release(records(space, at, radius, n, rng)))
            for at in (center, center, moved)
        )
        rejected += [dp.compare(first, other).p_value < 0.05 for other in others]
    return rejected / repeats


def main(repeats: int = 400) -> None:
    """Print both tables."""
    for name, n in RUNS:
        clipped, frechet, width, error = pipeline(name, n, repeats, seed=n)
        print(
            f"{name:16} n = {n:5}  covered: clipped mean {clipped:.3f}, Fréchet mean {frechet:.3f}"
            f"  width {width:.3f} (se {error:.3f})",
            flush=True,
        )
    for name, n in RUNS:
        level, power = comparison(name, n, repeats, seed=n + 1)
        print(f"{name:16} n = {n:5}  level {level:.3f}  power {power:.3f}", flush=True)


if __name__ == "__main__":
    main(*(int(text) for text in sys.argv[1:]))
