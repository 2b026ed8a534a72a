"""Errors of running totals over 12 and 52 periods, against what else the same promise could buy.

``python -m benchmarks.over_time --replicates 40`` draws the exact noise of releases over time, and
prints the largest and the root mean square error of the totals, in units of one release alone, with
what the law says: by the square-root scheme, by increments that are added up, and by a separate
release of each total. The noise comes from the system.
"""

import argparse
from fractions import Fraction

import numpy as np

from geomdp.mechanisms.gaussian_noise import draw_around
from geomdp.mechanisms.running_totals import Scheme, square_root
from geomdp.noise.entropy import SystemEntropy
from geomdp.typing import Array

#: Coordinates of the records, each of which tells about the same law.
WIDTH = 200


def schemes(periods: int) -> dict[str, Scheme]:
    """Return the coefficients of the three ways."""
    alone = square_root(1)
    return {
        "square-root scheme": Scheme(square_root(periods)),
        "increments added up": Scheme(alone + (Fraction(0),) * (periods - 1)),
        "separate releases": Scheme(alone * periods),
    }


def errors(scheme: Scheme, replicates: int) -> Array:
    """Deviations (T,) of the totals that releases of nothing make of their noise."""
    spread = np.full(WIDTH, np.sqrt(float(scheme.square)))
    squares = np.zeros(scheme.steps)
    for _ in range(replicates):
        nothing = [Fraction(0)] * WIDTH
        published = draw_around(nothing, spread, SystemEntropy(), scheme.steps)
        squares += np.mean(scheme.totals(published) ** 2, axis=1)
    return np.sqrt(squares / replicates)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=40)
    given = parser.parse_args()
    print("| periods | way | largest | law | root mean square | law |\n|---|---|---|---|---|---|")
    for periods in (12, 52):
        for name, scheme in schemes(periods).items():
            found = errors(scheme, given.replicates)
            rms = float(np.sqrt(np.mean(found**2)))
            law = f"{scheme.largest_error:.3f}", f"{scheme.rms_error:.3f}"
            print(f"| {periods} | {name} | {found.max():.3f} | {law[0]} | {rms:.3f} | {law[1]} |")


if __name__ == "__main__":
    main()
