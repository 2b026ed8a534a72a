"""What one joint release of a regression gains over four separate ones, at the same promise.

Slope on one covariate, spread evenly, n = 1000: the sampling error of least squares, then the
error that privacy adds to it, for ``Regression`` at mu = 1, for four releases of the mean log, the
mean of t times the log, and the mean of t and of t^2 at mu = 1/2 each (the same promise together),
and for ``Regression`` under pure epsilon = 1. Root mean square lengths, covariate in [-1, 1].
``python -m benchmarks.regression [repeats]``; noise is seeded, so nothing here is a release.
"""

import sys

import numpy as np
from scipy.stats import chi2

import geomdp as dp
from geomdp.noise.entropy import SeededEntropy
from geomdp.statistics.encoded import Encoded

#: Space and radius of the ball that holds nearly all records.
CASES = {
    "S^2": (dp.Sphere(2), 0.14),
    "SPD(3)": (dp.SPD(3), 0.6),
    "shapes, k = 10": (dp.PlanarShapes(10), 0.07),
}
N = 1000
COVARIATES = {"t": (-1, 1)}


def records(space, center, radius, rng):
    """Points about a geodesic that crosses a third of the ball on either side."""
    t = rng.uniform(-1, 1, N)
    spread = radius / (1.4 * np.sqrt(chi2.ppf(0.99, space.dim)))
    logs = spread * rng.standard_normal((N, space.dim))
    logs[:, 0] += t * radius / 3
    points = np.asarray(space.frame_exp(center, logs))
    return dp.Records(points, covariates={"t": t})


def joint(plan, encoded, seed):
    """Slope of a release of ``Regression``."""
    value = plan._mechanism.draw(plan.calibration, encoded, SeededEntropy(seed))[0]
    found = dp.regression_of(dp.Release(plan, value, {}))
    return found.slopes[0]


def separate(rows, dim, radius, rng):
    """Slope of four Gaussian releases, each at half of mu = 1, with the same floor."""
    v, t = rows[:, :dim], rows[:, dim] / radius
    sd = {"v": 4 * radius / N, "tv": 4 * radius / N, "t": 4 / N, "tt": 2 / N}
    mean = v.mean(axis=0) + sd["v"] * rng.standard_normal(dim)
    product = (t[:, None] * v).mean(axis=0) + sd["tv"] * rng.standard_normal(dim)
    middle = t.mean() + sd["t"] * rng.standard_normal()
    square = np.mean(t * t) + sd["tt"] * rng.standard_normal()
    floor = np.sqrt(2) * np.hypot(sd["tt"], 2 * middle * sd["t"])
    return (product - middle * mean) / max(square - middle**2 + sd["t"] ** 2, floor)


def case(space, radius, repeats, seed):
    """Root mean squares and standard errors: sampling, joint, separate, pure."""
    rng = np.random.default_rng(seed)
    center = np.asarray(space.origin(np.zeros(space.dim)))
    asked = dp.Regression(dp.Ball(space, center, radius), COVARIATES)
    plans = [dp.plan(asked, n=N, budget=budget) for budget in (dp.GDP(1), dp.Pure(1))]
    truth = np.r_[radius / 3, np.zeros(space.dim - 1)]
    squares = np.empty((repeats, 4))
    for i in range(repeats):
        rows = asked.encode(records(space, center, radius, rng))
        encoded = Encoded.of(rows)
        t = np.c_[np.ones(N), rows[:, -1] / radius]
        plain = np.linalg.lstsq(t, rows[:, :-1], rcond=None)[0][1]
        off = (
            plain - truth,
            joint(plans[0], encoded, 2 * i) - plain,
            separate(rows, space.dim, radius, rng) - plain,
            joint(plans[1], encoded, 2 * i + 1) - plain,
        )
        squares[i] = [np.sum(error**2) for error in off]
    means, ses = squares.mean(axis=0), squares.std(axis=0, ddof=1) / np.sqrt(repeats)
    return np.sqrt(means), ses / (2 * np.sqrt(means))


def main(repeats: int = 200) -> None:
    """Print the table."""
    print(f"n = {N}, {repeats} repeats: root mean square errors of the slope (standard errors)")
    for name, (space, radius) in CASES.items():
        roots, ses = case(space, radius, repeats, seed=1)
        ratio = roots[2] / roots[1]
        se = ratio * np.hypot(ses[1] / roots[1], ses[2] / roots[2])
        words = ("sampling", "joint mu 1", "separate", "pure eps 1")
        cells = (f"{w} {x:.4f} ({e:.4f})" for w, x, e in zip(words, roots, ses, strict=True))
        print(f"{name:15} {'  '.join(cells)}  separate / joint {ratio:.2f} ({se:.2f})", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
