"""The Fréchet mean against pyRiemann, and one private mean end to end, in the same run.

pyRiemann runs twice: as it comes, and with one BLAS thread, which is how we run.
"""

import time
from collections.abc import Callable

import numpy as np
from pyriemann.geometry.mean import mean_riemann
from threadpoolctl import threadpool_limits

import geomdp as dp
from geomdp.datasets import wishart_in_ball

REPEATS = 3
TOLERANCE = 1e-10


def best_time(function: Callable[[], object]) -> float:
    """Seconds of the fastest of a few runs."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def compare(k: int, n: int, radius: float) -> None:
    """Print our time, pyRiemann's, and how far the two means are apart."""
    records = wishart_in_ball(n, k, radius, seed=1, degrees=10 * k)
    space = dp.SPD(k)
    ours = dp.frechet_mean(space, records, tol=TOLERANCE)
    theirs = mean_riemann(records, tol=TOLERANCE)
    seconds = best_time(lambda: dp.frechet_mean(space, records, tol=TOLERANCE))
    plain = best_time(lambda: mean_riemann(records, tol=TOLERANCE))
    with threadpool_limits(1):
        single = best_time(lambda: mean_riemann(records, tol=TOLERANCE))
    print(
        f"{n} matrices of SPD({k}): geomdp {seconds:.3f} s ({ours.passes} passes), pyRiemann "
        f"{plain:.3f} s (ratio {plain / seconds:.1f}), with one BLAS thread {single:.3f} s (ratio "
        f"{single / seconds:.1f}); means {float(space.dist(ours.point, theirs)):.1e} apart"
    )


def private_mean(k: int, n: int, radius: float) -> None:
    """Print the time from records in memory to a released matrix."""
    records = wishart_in_ball(n, k, radius, seed=1, degrees=10 * k)
    statistic = dp.FrechetMean(dp.Ball(dp.SPD(k), np.eye(k), radius))
    plan = dp.plan(statistic, n=n, budget=dp.Pure(100), mechanism="laplace")
    seconds = best_time(lambda: plan.release(records))
    planning = best_time(lambda: dp.plan(statistic, n=n, budget=dp.Pure(100), mechanism="laplace"))
    print(
        f"private mean of {n} SPD({k}) matrices: plan {planning:.3f} s, release {seconds:.3f} s "
        "(validation, clipping, mean, exact draw, rounding)"
    )


def main() -> None:
    """Run both."""
    for k, n in ((3, 1000), (10, 1000), (30, 1000)):
        compare(k, n, radius=10.0)
    private_mean(30, 1000, radius=5.0)


if __name__ == "__main__":
    main()
