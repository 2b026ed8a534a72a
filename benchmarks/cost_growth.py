"""How the cost of a mean grows with the number and the size of records."""

import time
from collections.abc import Iterator

import numpy as np

import geomdp as dp
from benchmarks.peers.cases import records
from benchmarks.peers.comparing import FOLDER

#: Series: what grows, and the cases along it.
SERIES = {
    "n, affine 3 x 3": [("affine", n, 3) for n in (1000, 10_000, 30_000, 100_000)],
    "n, affine 10 x 10": [("affine", n, 10) for n in (1000, 3000, 10_000)],
    "k, affine, 300 records": [("affine", 300, k) for k in (8, 16, 32, 64)],
    "n, sphere of dimension 2": [("sphere", n, 2) for n in (10_000, 100_000, 1_000_000)],
    "d, sphere, 10,000 records": [("sphere", 10_000, d) for d in (10, 100, 1000)],
    "landmarks, 2,000 shapes": [("shape", 2000, k) for k in (10, 100, 1000)],
}
REPEATS = 3


def cpu_seconds(kind: str, n: int, size: int) -> float:
    """CPU seconds of the fastest of a few means."""
    points = np.load(records(kind, n, size, FOLDER))
    spaces = {"affine": dp.SPD, "sphere": dp.Sphere, "shape": dp.PlanarShapes}
    space, best = spaces[kind](size), np.inf
    for _ in range(REPEATS):
        start = time.process_time()
        dp.frechet_mean(space, points)
        best = min(best, time.process_time() - start)
    return best


def grow() -> Iterator[str]:
    """Time all series, and give the lines of a table with the exponent of each."""
    yield "| what grows | CPU seconds | exponent |"
    yield "|---|---|---|"
    for name, cases in SERIES.items():
        along = 1 if name.startswith("n,") else 2
        x = np.log([case[along] for case in cases])
        y = [cpu_seconds(*case) for case in cases]
        # The first point is mostly Python's; the exponent is that of the others.
        slope = np.polyfit(x[1:], np.log(y[1:]), 1)[0]
        shown = ", ".join(f"{case[along]}: {s:.3g}" for case, s in zip(cases, y, strict=True))
        yield f"| {name} | {shown} | {slope:.2f} |"


def main() -> None:
    """Print the table."""
    for line in grow():
        print(line, flush=True)


if __name__ == "__main__":
    main()
