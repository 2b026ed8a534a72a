"""Fréchet means of arrays on a GPU, by torch, JAX and CuPy, against NumPy in the same run.

``python -m benchmarks.gpu`` prints a table: seconds (the median of three runs after one that warms
up, which is stated beside it: compilation is a part of that), the part of them that judges the
records, how many times NumPy's speed on all cores of the same machine, the length of the gradient,
and how far the two means lie apart. JAX runs compiled, and operation by operation as well. Each
library runs in a process of its own, since each keeps the device's memory; one that is not there is
left out. With ``--cpu`` arrays of torch and JAX stay on the CPU, and there are fewer records.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import geomdp as dp
from geomdp.spaces.numerics import compiling
from geomdp.spaces.numerics.linalg import home
from geomdp.spaces.specs import space_from_spec
from geomdp.statistics.solving import solver

#: Space and number of records; fewer by this factor on a CPU.
CASES = (
    ("spd:64", 2_000),
    ("spd:10", 1_000_000),
    ("spd:3", 1_000_000),
    ("spd:30:log-euclidean", 10_000),
    ("sphere:100", 300_000),
)
FEWER = 100
PLAIN_JAX = "jax, not compiled"
LIBRARIES = ("torch", "jax", PLAIN_JAX, "cupy")
REPEATS = 3
#: Seconds that NumPy may take for one case before it is not asked again.
ENOUGH = 15
#: Seconds that one library may take, imports and compilation included.
PATIENCE = 100


def at_once() -> None:
    """Nothing to wait for."""


def on_device(library: str, cpu: bool) -> tuple[Callable[[np.ndarray], object], Callable[[], None]]:
    """Return what takes records to the device, and how to wait for it."""
    if library == "torch":
        import torch

        device = "cpu" if cpu else "cuda"
        wait = at_once if cpu else torch.cuda.synchronize
        return lambda points: torch.asarray(points, device=device), wait
    if library in ("jax", PLAIN_JAX):
        import jax

        jax.config.update("jax_enable_x64", True)
        if not cpu and all(device.platform == "cpu" for device in jax.devices()):
            raise ImportError("no device")
        if library == PLAIN_JAX:
            compiling.compiles = lambda _: False
        return jax.numpy.asarray, at_once
    import cupy

    return cupy.asarray, cupy.cuda.Device().synchronize


def records(space: dp.Space, n: int) -> np.ndarray:
    """Public records around the origin, of spread about 1 in all; many are copies of some."""
    rng = np.random.default_rng(0)
    frame = rng.normal(size=(min(n, 50_000), space.dim)) / np.sqrt(space.dim)
    center = np.asarray(space.origin(np.zeros(space.dim)))
    some = np.asarray(space.frame_exp(center, frame))
    return np.concatenate([some] * -(-n // len(some)))[:n]


def timed(function: Callable[[], object], wait: Callable[[], None]) -> tuple[float, object]:
    begun = time.perf_counter()
    found = function()
    wait()
    return time.perf_counter() - begun, found


def measured(space: dp.Space, points: object, wait: Callable[[], None]) -> dict[str, object]:
    """Time the mean, and return it."""
    first, found = timed(lambda: dp.frechet_mean(space, points), wait)
    times = [first]
    while len(times) <= REPEATS and sum(times) < ENOUGH:
        times.append(timed(lambda: dp.frechet_mean(space, points), wait)[0])
    judged, _ = timed(lambda: solver._require(space, points), wait)
    mean = np.asarray(home(found.point)).tolist()
    return {
        "s": statistics.median(times[1:] or times),
        "first": first,
        "judged": judged,
        "gradient": found.gradient_norm,
        "mean": mean,
    }


def child(library: str, cpu: bool, folder: Path) -> None:
    """Measure one library on all cases, and print a line of JSON for each."""
    take, wait = on_device(library, cpu)
    for number, (spec, _) in enumerate(CASES):
        points = take(np.load(folder / f"{number}.npy"))
        try:
            found = measured(space_from_spec(spec), points, wait)
        except Exception as error:
            found = {"error": f"{type(error).__name__}: {error}"[:150].replace("\n", " ")}
        print(json.dumps(found), flush=True)


def answers(library: str, cpu: bool, folder: Path) -> Iterator[dict[str, object]]:
    """Ask a process of its own about each case; say why not, where it does not answer."""
    command = [sys.executable, "-m", "benchmarks.gpu", "--library", library, "--folder", folder]
    try:
        ran = subprocess.run(
            [*command, *(["--cpu"] if cpu else [])], capture_output=True, text=True,
            check=False, timeout=PATIENCE,
        )  # fmt: skip
        told, why = ran.stdout, (ran.stderr.strip().splitlines() or [""])[-1][:150]
    except subprocess.TimeoutExpired as late:
        told, why = (late.stdout or b"").decode(), f"more than {PATIENCE} s for all cases"
    lines = [line for line in told.splitlines() if line.startswith("{")]
    for line in lines[: len(CASES)]:
        yield json.loads(line)
    for _ in CASES[len(lines) :]:
        yield {"error": why}


def row(case: str, library: str, found: dict, numpy: dict, space: dp.Space) -> str:
    """Return a row of the table."""
    if "error" in found:
        return f"| {case} | {library} | {found['error']} |"
    apart = float(space.dist(np.array(numpy["mean"]), np.array(found["mean"])))
    return (
        f"| {case} | {library} | {found['s']:.4f} | {found['first']:.1f} | {found['judged']:.4f} | "
        f"{numpy['s'] / found['s']:.1f} | {found['gradient']:.1e} | {apart:.1e} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--library", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.library:
        child(given.library, given.cpu, given.folder)
        return
    print("| records | library | s | first | judged | times NumPy | gradient | apart |")
    print("|---|---|---|---|---|---|---|---|")
    ours = []
    with tempfile.TemporaryDirectory() as name:
        for number, (spec, n) in enumerate(CASES):
            space = space_from_spec(spec)
            points = records(space, n // FEWER if given.cpu else n)
            np.save(Path(name) / f"{number}.npy", points)
            ours.append(measured(space, points, at_once))
            case = f"{len(points)} x {spec}"
            print(row(case, "numpy", ours[-1], ours[-1], space), flush=True)
        for library in LIBRARIES[: 3 if given.cpu else None]:
            found = answers(library, given.cpu, Path(name))
            for (spec, n), one, numpy in zip(CASES, found, ours, strict=True):
                case = f"{n // FEWER if given.cpu else n} x {spec}"
                print(row(case, library, one, numpy, space_from_spec(spec)), flush=True)


if __name__ == "__main__":
    main()
