"""Fréchet means of arrays on a GPU, by torch, JAX and CuPy, against NumPy in the same run.

``python -m benchmarks.gpu`` prints a table: seconds (the median of three runs after one that warms
up), the ratio to NumPy on all cores of the same machine, the length of the gradient, and how far
the two means lie apart. Records are validated on both sides. Each library runs in a process of its
own, since each keeps the device's memory; one that is not there is left out.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import geomdp as dp
from geomdp.spaces.numerics.linalg import home
from geomdp.spaces.specs import space_from_spec

#: Space and number of records.
CASES = (
    ("spd:64", 2_000),
    ("spd:10", 1_000_000),
    ("spd:3", 1_000_000),
    ("spd:30:log-euclidean", 10_000),
    ("sphere:100", 300_000),
)
LIBRARIES = ("torch", "jax", "cupy")
REPEATS = 3
#: Seconds that one library may take for one case, imports and compilation included.
PATIENCE = 90


def on_device(library: str, points: np.ndarray) -> tuple[object, Callable[[], object]]:
    """Return the records on the device, and how to wait for it."""
    if library == "torch":
        import torch

        return torch.asarray(points, device="cuda"), torch.cuda.synchronize
    if library == "jax":
        import jax

        jax.config.update("jax_enable_x64", True)
        if all(device.platform == "cpu" for device in jax.devices()):
            raise ImportError("no device")
        return jax.numpy.asarray(points), lambda: None
    import cupy

    return cupy.asarray(points), cupy.cuda.Device().synchronize


def records(space: dp.Space, n: int) -> np.ndarray:
    """Public records around the origin, of spread about 1 in all; many are copies of some."""
    rng = np.random.default_rng(0)
    frame = rng.normal(size=(min(n, 50_000), space.dim)) / np.sqrt(space.dim)
    center = np.asarray(space.origin(np.zeros(space.dim)))
    some = np.asarray(space.frame_exp(center, frame))
    return np.concatenate([some] * -(-n // len(some)))[:n]


def measured(space: dp.Space, points: object, wait: Callable[[], object]) -> dict[str, object]:
    """Time the mean, and return it."""
    times = []
    for _ in range(1 + REPEATS):
        begun = time.perf_counter()
        found = dp.frechet_mean(space, points)
        wait()
        times.append(time.perf_counter() - begun)
        if len(times) > 1 and sum(times) > 30:
            break
    mean = np.asarray(home(found.point)).tolist()
    return {"s": statistics.median(times[1:]), "gradient": found.gradient_norm, "mean": mean}


def child(library: str, spec: str, file: str) -> None:
    points, wait = on_device(library, np.load(file))
    print(json.dumps(measured(space_from_spec(spec), points, wait)))


def main() -> None:
    print("| records | library | s | times NumPy | gradient | apart |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for spec, n in CASES:
            space, file = space_from_spec(spec), Path(folder) / "records.npy"
            points = records(space, n)
            np.save(file, points)
            ours = measured(space, points, lambda: None)
            print(
                f"| {n} x {spec} | numpy | {ours['s']:.3f} | 1 | {ours['gradient']:.1e} | |",
                flush=True,
            )
            for library in LIBRARIES:
                command = [sys.executable, "-m", "benchmarks.gpu", library, spec, str(file)]
                try:
                    ran = subprocess.run(
                        command, capture_output=True, text=True, check=False, timeout=PATIENCE
                    )
                except subprocess.TimeoutExpired:
                    print(f"| {n} x {spec} | {library} | more than {PATIENCE} s |", flush=True)
                    continue
                if ran.returncode:
                    print(
                        f"| {n} x {spec} | {library} | {ran.stderr.strip().splitlines()[-1]} |"[
                            :200
                        ]
                    )
                    continue
                found = json.loads(ran.stdout.splitlines()[-1])
                apart = float(space.dist(np.array(ours["mean"]), np.array(found["mean"])))
                print(
                    f"| {n} x {spec} | {library} | {found['s']:.3f} | "
                    f"{ours['s'] / found['s']:.1f} | "
                    f"{found['gradient']:.1e} | {apart:.1e} |",
                    flush=True,
                )


if __name__ == "__main__":
    child(*sys.argv[1:]) if len(sys.argv) > 1 else main()
