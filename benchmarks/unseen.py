"""Means of matrices by rules that nobody tuned on, with new seeds each run.

``python -m benchmarks.unseen`` times every cell in 31 turns and rewrites its section of the page
of speed after each; a turn of all cells takes half a minute. ``--turns 3 --print`` only shows what
it finds. Records follow from a seed of the system,
which is printed: ``--seed`` takes it again.
"""

import argparse
import os
import secrets
import sys
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from benchmarks.peers.comparing import Times
from benchmarks.peers.environments import Library
from geomdp.datasets import load_tensors
from geomdp.images import covariance_descriptors

PAGE = Path("docs/benchmarks.md")
HEADING, NEXT = "## Records that nobody tuned on", "## What is not reached"
SIZES = ((10_000, 3), (10_000, 10), (1000, 30), (500, 64))
TURNS = 31

WORDS = """
`python -m benchmarks.unseen` wrote this: {date}, {cores} cores, load {load:.1f} at the end, {turns}
turns of each cell, seed {seed}. Records are new in each run: Wishart matrices with 10 k and 3 k
degrees of freedom, eigenvalues that are lognormal with standard deviations 1 and 2 along random
axes, and covariances of sources that are mixed alike and differ in strength. Below them the
diffusion tensors that come with the package, and covariance descriptors of patches, 28 x 28, of
a photograph (Matplotlib's sample).

Ratios are other times over ours in neighbouring turns, with quartiles: above 1 geomdp is faster.
The first is of times on the clock, where geomdp has all cores and the others one thread each; the
second of CPU times, as on one core. Affine means are solved to 1e-10 and compared with pyRiemann;
log-Euclidean ones also with NumPy's `eigh` of all records and nothing else. geomdp judges every
record, the others none. {shared}
"""

SHARED = (
    "The machine was shared with other work, {load:.1f} processes a moment at the end: times on "
    "the clock tell what was free, and those of CPU are the ones to compare."
)


def wishart(degrees: int) -> Callable[[np.random.Generator, int, int], np.ndarray]:
    """Sample covariances with so many degrees of freedom a row."""

    def made(rng: np.random.Generator, n: int, k: int) -> np.ndarray:
        rows = rng.standard_normal((n, k, degrees * k))
        return rows @ np.swapaxes(rows, 1, 2) / (degrees * k)

    return made


def lognormal(spread: float) -> Callable[[np.random.Generator, int, int], np.ndarray]:
    """Matrices with lognormal eigenvalues along random axes."""

    def made(rng: np.random.Generator, n: int, k: int) -> np.ndarray:
        axes = np.linalg.qr(rng.standard_normal((n, k, k)))[0]
        values = np.exp(spread * rng.standard_normal((n, 1, k)))
        return _symmetric((axes * values) @ np.swapaxes(axes, 1, 2))

    return made


def mixed(rng: np.random.Generator, n: int, k: int) -> np.ndarray:
    """Covariances of sources of different strength, mixed nearly alike, with a little noise."""
    mixing = rng.standard_normal((k, k)) + 0.1 * rng.standard_normal((n, k, k))
    strength = np.exp(np.linspace(0.1, 2, k) * rng.standard_normal((n, 1, k)))
    return _symmetric((mixing * strength) @ np.swapaxes(mixing, 1, 2)) + 1e-3 * np.eye(k)


def _symmetric(x: np.ndarray) -> np.ndarray:
    return (x + np.swapaxes(x, 1, 2)) / 2


KINDS = {
    "Wishart, 10 k": wishart(10),
    "Wishart, 3 k": wishart(3),
    "lognormal, 1": lognormal(1),
    "lognormal, 2": lognormal(2),
    "mixed sources": mixed,
}


def patches(rng: np.random.Generator, n: int = 2000, side: int = 28) -> np.ndarray:
    """Descriptors of patches of a photograph."""
    from matplotlib.cbook import get_sample_data
    from PIL import Image

    with get_sample_data("grace_hopper.jpg") as file:
        photo = np.asarray(Image.open(file).convert("L"))
    rows = rng.integers(0, photo.shape[0] - side, n)
    columns = rng.integers(0, photo.shape[1] - side, n)
    cut = np.array([photo[r : r + side, c : c + side] for r, c in zip(rows, columns, strict=True)])
    return np.asarray(covariance_descriptors(cut))


def cells(seed: int, folder: Path) -> Iterator[tuple[str, str, Path]]:
    """Name of the records, their size, and the file they lie in."""
    for place, (name, make) in enumerate(KINDS.items()):
        for n, k in SIZES:
            rng = np.random.default_rng([seed, place, k])
            yield name, f"{n} x {k}", _kept(make(rng, n, k), folder)
    real = {
        "diffusion tensors": load_tensors().records,
        "descriptors of images": patches(np.random.default_rng([seed, len(KINDS)])),
    }
    for name, records in real.items():
        yield name, f"{len(records)} x {records.shape[-1]}", _kept(records, folder)


def _kept(records: np.ndarray, folder: Path) -> Path:
    file = folder / f"{secrets.token_hex(8)}.npy"
    np.save(file, records)
    return file


def turns(libraries: list[Library], task: str, file: Path, count: int) -> Times:
    """Seconds of each library, in turns, after a run each that does not count."""
    times: Times = {library.name: [] for library in libraries}
    for turn in range(-1, count):
        first = turn % len(libraries)  # so that none always comes after the same other
        for library in libraries[first:] + libraries[:first]:
            seconds = library.run(task, file)
            if turn >= 0 and seconds is not None:
                times[library.name].append(seconds)
    return times


def ratios(theirs: list[tuple[float, float]], ours: list[tuple[float, float]]) -> str:
    """Ratios on the clock and of CPU, each with quartiles."""
    both = np.array(theirs) / np.array(ours)
    said = []
    for place in (0, 1):
        low, middle, high = np.quantile(both[:, place], [0.25, 0.5, 0.75])
        said.append(f"{middle:.2g} ({low:.2g} to {high:.2g})")
    return " | ".join(said)


def rows(count: int, seed: int) -> Iterator[str]:
    """Give the lines of the table, each as soon as it is measured."""
    yield "| mean | records | n x k | geomdp, ms | pyRiemann | CPU | `eigh` | CPU |"
    yield "|---|---|---|---|---|---|---|---|"
    # In the environment of this process: NumPy is the same for all.
    ours, *others = libraries = [
        Library.start_by(name, sys.executable) for name in ("geomdp", "pyRiemann", "numpy")
    ]
    try:
        with tempfile.TemporaryDirectory() as folder:
            for name, size, file in cells(seed, Path(folder)):
                for metric in ("affine", "log-euclidean"):
                    asked = libraries if metric == "log-euclidean" else libraries[:2]
                    times = turns(asked, f"{metric} mean", file, count)
                    middle = 1e3 * np.median([clock for clock, _ in times[ours.name]])
                    found = [ratios(times[one.name], times[ours.name]) for one in asked[1:]]
                    empty = [" | "] * (len(others) - len(found))
                    yield (
                        f"| {metric} | {name} | {size} | {middle:.3g} | "
                        + " | ".join([*found, *empty])
                        + " |"
                    )
                file.unlink()
    finally:
        for library in libraries:
            library.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--print", action="store_true", help="leave the page as it is")
    given = parser.parse_args()
    seed = secrets.randbits(32) if given.seed is None else given.seed
    print(f"seed {seed}", flush=True)
    lines: list[str] = []
    for line in rows(given.turns, seed):
        print(line, flush=True)
        lines.append(line)
        if not given.print:  # a run that is stopped leaves what it has measured
            write(lines, given.turns, seed)


def write(lines: list[str], count: int, seed: int) -> None:
    """Put what is measured in its place on the page."""
    load, cores = os.getloadavg()[0], os.cpu_count() or 1
    words = WORDS.format(
        date=datetime.now(UTC).strftime("%Y-%m-%d"),
        cores=cores,
        load=load,
        shared=SHARED.format(load=load) if load > 1.5 * cores else "",
        turns=count,
        seed=seed,
    )
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(NEXT)
    before = before.partition(HEADING)[0].rstrip("\n")
    PAGE.write_text("\n".join([before, "", HEADING, words, *lines, "", NEXT + rest]), "utf-8")


if __name__ == "__main__":
    main()
