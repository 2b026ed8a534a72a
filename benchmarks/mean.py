"""One private mean end to end: plan and release. Means beside peers: ``speed_page``."""

import time
from collections.abc import Callable

import numpy as np

import geomdp as dp
from geomdp.datasets import wishart_in_ball

REPEATS = 3


def best_time(function: Callable[[], object]) -> float:
    """Seconds of the fastest of a few runs."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


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
    """Time matrices of the size of electroencephalograms."""
    private_mean(30, 1000, radius=5.0)


if __name__ == "__main__":
    main()
