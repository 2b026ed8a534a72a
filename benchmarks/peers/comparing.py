"""All libraries in one run: they take turns, and what is printed are ratios."""

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.peers.cases import MAPS, MEANS, records
from benchmarks.peers.environments import PINS, Library

#: Many: of a task of a few milliseconds one run in ten takes twice as long as another.
REPEATS = 31
#: Seconds of one case, all libraries together, after which no turn begins; two are always taken.
PATIENCE = 4.0
FOLDER = Path("build/bench-data")

Times = dict[str, list[tuple[float, float]]]


def tasks() -> list[tuple[str, tuple[str, int, int]]]:
    """Every task with the records it runs on, the cheapest first."""
    means = [(f"{case[0]} mean", case) for case in MEANS]
    maps = [(f"{case[0]} {what}", case) for case in MAPS for what in ("log", "exp", "dist")]
    return sorted(means + maps, key=lambda task: (_work(*task[1]), task[0]))


def _work(kind: str, n: int, size: int) -> int:
    """Roughly: matrices cost an eigenproblem each."""
    return n * size**3 if kind in ("affine", "log-euclidean") else 10 * n * size


def time_case(libraries: list[Library], task: str, case: tuple[str, int, int]) -> Times:
    """Seconds of each library, which run in turn after a first run that does not count."""
    file = records(*case, FOLDER)
    able = [library for library in libraries if library.run(task, file) is not None]
    times: Times = {library.name: [] for library in able}
    begun = time.monotonic()
    for repeat in range(REPEATS):
        first = repeat % len(able) if able else 0  # so that none always comes after the same other
        for library in able[first:] + able[:first]:
            seconds = library.run(task, file)
            if seconds is not None:
                times[library.name].append(seconds)
        if repeat >= 1 and time.monotonic() - begun > PATIENCE:
            break
    return times


def row(task: str, case: tuple[str, int, int], times: Times) -> str:
    """One line of the table: our time, and ratios of the others to it."""
    _, n, size = case
    ours = np.array(times["geomdp"])
    cells = [f"{1e3 * np.median(ours[:, 0]):.3g} ({1e3 * np.median(ours[:, 1]):.3g})"]
    for name in PINS:
        cells.append(_ratio(np.array(times[name]), ours) if times.get(name) else "")
    return f"| {task} | {n} x {size} | " + " | ".join(cells) + " |"


def _ratio(theirs: np.ndarray, ours: np.ndarray) -> str:
    """Median of the ratios of neighbouring runs, their quartiles, and that of CPU times."""
    runs = min(len(theirs), len(ours))
    ratios = theirs[:runs, 0] / ours[:runs, 0]
    low, middle, high = np.quantile(ratios, [0.25, 0.5, 0.75])
    cpu = np.median(theirs[:runs, 1]) / np.median(ours[:runs, 1])
    return f"**{middle:.2g}** ({low:.2g} to {high:.2g}; CPU {cpu:.2g})"


def compare() -> Iterator[str]:
    """Run everything, and give the lines of the table as they come."""
    libraries = [library for name in ("geomdp", *PINS) if (library := Library.start(name))]
    yield f"| task | n x size | geomdp, ms (CPU) | {' | '.join(PINS)} |"
    yield "|---|---|---|" + "---|" * len(PINS)
    try:
        for task, case in tasks():
            yield row(task, case, time_case(libraries, task, case))
    finally:
        for library in libraries:
            library.stop()
