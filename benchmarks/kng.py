"""Seconds for one exact K-norm gradient release, with the papers' chains in the same run.

Run ``python benchmarks/kng.py``; set OMP_NUM_THREADS=1 for one core.
"""

import time

import numpy as np

import geomdp as dp
from geomdp.mechanisms import MECHANISMS
from geomdp.mechanisms.kng import kng_law
from geomdp.noise.entropy import SeededEntropy, SystemEntropy
from geomdp.noise.rejection import acceptance_rate

N = 1000
SETTINGS = {
    "S^2, r = pi/8": (dp.Sphere(2), np.array([0.0, 0.0, 1.0]), np.pi / 8),
    "SPD(5), r = 1.5": (dp.SPD(5), np.eye(5), 1.5),
}


def records_in(ball: dp.Ball, n: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    v = rng.normal(size=(n, ball.space.dim))
    v *= ball.radius * rng.uniform(size=(n, 1)) / np.linalg.norm(v, axis=1, keepdims=True)
    return ball.space.frame_exp(ball.center, v)


def best_of(repeats: int, task) -> float:
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        task()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def main() -> None:
    """Print the best of five exact releases and one chain in each setting, epsilon 1, n = 1000."""
    for title, (space, center, radius) in SETTINGS.items():
        ball = dp.Ball(space, center, radius)
        records = records_in(ball, N)
        made = dp.plan(dp.FrechetMean(ball), n=N, budget=dp.Pure(1), mechanism="kng")
        exact = best_of(5, lambda made=made, x=records: made.release(x))
        law = kng_law(made.calibration, made.statistic.encode(records))
        rate = acceptance_rate(law, SeededEntropy(0), 500)
        chain = MECHANISMS["kng-metropolis"]
        fitted = chain.calibrate(made.calibration.request)
        encoded = made.statistic.encode(records)
        walk = best_of(1, lambda c=chain, f=fitted, x=encoded: c.draw(f, x, SystemEntropy()))
        print(f"{title}, n = {N}, epsilon 1, radii uniform")
        print(f"  exact release, mean included  {exact:8.3f} s   acceptance {rate:.3f}")
        print(f"  the paper's chain, one draw   {walk:8.3f} s   ratio {walk / exact:.0f}")


if __name__ == "__main__":
    main()
