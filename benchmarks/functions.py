"""A private mean of 100,000 curves of 80 points: where the time goes, and against a plain loop.

The loop treats one curve at a time, as the formulas are usually written down: difference from the
template, inner products, clipping, shrinkage. It runs on a part of the curves and is scaled up,
since every curve costs the same. All run with one BLAS thread.
"""

import time
from collections.abc import Callable

import numpy as np
from threadpoolctl import threadpool_limits

import geomdp as dp
from geomdp.curves import FunctionMean, PoweredExponential
from geomdp.mechanisms.gaussian_noise import draw_around, exact_mean
from geomdp.mechanisms.grids import spreads_of
from geomdp.noise.entropy import SystemEntropy

CURVES, POINTS, LOOPED = 100_000, 80, 5000
REPEATS = 3


def best_time(function: Callable[[], object]) -> float:
    """Seconds of the fastest of a few runs."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def looped(mean: FunctionMean, records: np.ndarray) -> np.ndarray:
    """Coefficients of the penalised mean, one curve after the other, in floats."""
    total = np.zeros(POINTS)
    values = mean.spectrum.values
    basis = mean.spectrum.synthesise(np.eye(POINTS))
    for curve in records:
        inner = basis @ (curve - mean.template) / POINTS
        norm = np.linalg.norm(inner)
        total += inner * min(1.0, mean.tau / norm) * values / (values + float(mean.phi))
    return total / len(records)


def main() -> None:
    """Print the seconds of each step, of a whole release, and the ratio to the loop."""
    template = np.sin(2 * np.pi * np.arange(POINTS) / POINTS)
    mean = FunctionMean(template, 0.3, PoweredExponential(1.0), 0.01)
    data = template + 0.05 * np.random.default_rng(1).normal(size=(CURVES, POINTS))
    plan = dp.plan(mean, n=CURVES, budget=dp.GDP(mu=1))
    encoded = mean.encode(data)
    center = exact_mean(mean, encoded)
    spreads = spreads_of(mean, plan.scale)
    part = data[:LOOPED]
    as_it_comes = best_time(lambda: plan.release(data))
    with threadpool_limits(1):
        steps = {
            "encode": best_time(lambda: mean.encode(data)),
            "mean": best_time(lambda: exact_mean(mean, encoded)),
            "noise": best_time(lambda: draw_around(center, spreads, SystemEntropy(), 1)),
            "whole release": best_time(lambda: plan.release(data)),
        }
        loop = best_time(lambda: looped(mean, part)) * CURVES / LOOPED
    apart = np.abs(looped(mean, part) - mean.mean_coordinates(mean.encode(part))).max()
    named = ", ".join(f"{name} {seconds:.4f} s" for name, seconds in steps.items())
    print(f"{CURVES} curves of {POINTS} points, one BLAS thread: {named}")
    print(
        f"release with BLAS threads as they come {as_it_comes:.3f} s; a loop over curves, without "
        f"noise, {loop:.2f} s (ratio to the whole release {loop / steps['whole release']:.1f}; "
        f"means {apart:.1e} apart)"
    )


if __name__ == "__main__":
    main()
