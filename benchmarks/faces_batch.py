"""Elastic registration of many ICT faces on two cores, interrupted once and resumed.

Run ``python -m benchmarks.faces_batch out --faces 1000``; needs ``../shared/data``. Faces come in
random position, orientation and size. A first process is interrupted (Ctrl-C) after a third of
them; a second goes on where it was, releases the mean face and draws it.
"""

import argparse
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import numpy as np

import geomdp as dp
from benchmarks._ict import draw_faces, model_template, read_model
from geomdp.surfaces import Batch, SurfaceMean
from geomdp.surfaces.pictures import private_pair

SEED = 2024
WORKERS = 2
BUDGET = dp.GDP(mu=2.9661)
#: Option by which the process to be interrupted knows its part.
FIRST = "--first"


def run(count: int, cache: Path) -> tuple[SurfaceMean, Batch]:
    model = read_model()
    mean = SurfaceMean(model_template(model))
    faces = draw_faces(model, count, SEED, moved=True)
    nose = [int(model["nose_tip"])] * count  # a landmark, as a curator would give it
    return mean, mean.prepare(faces, workers=WORKERS, cache=cache, centers=nose)


def interrupt_after(finished: int, count: int, out: Path, cache: Path) -> int:
    """Start a batch in a process of its own, interrupt it, and return how many it finished."""
    module = [sys.executable, "-m", "benchmarks.faces_batch"]
    child = subprocess.Popen(
        [*module, str(out), "--faces", str(count), FIRST], start_new_session=True
    )
    while child.poll() is None and len(list(cache.glob("*.npy"))) < finished:
        time.sleep(0.2)
    child.send_signal(signal.SIGINT)
    child.wait()
    return len(list(cache.glob("*.npy")))


def main(out: Path | None = None, count: int = 30) -> None:
    folder = out or Path(tempfile.mkdtemp())
    cache = folder / "cache"
    start = time.perf_counter()
    done = interrupt_after(count // 3, count, folder, cache)
    stopped = time.perf_counter()
    print(f"interrupted after {stopped - start:.0f} s with {done} of {count} faces finished")
    mean, batch = run(count, cache)
    print(f"resumed: {batch.reused} read from the cache, the rest in", end=" ")
    print(f"{time.perf_counter() - stopped:.0f} s; failed: {len(batch.failures)}")
    for failure in batch.failures[:5]:
        print(" ", failure)
    report(mean, batch, folder)


def report(mean: SurfaceMean, batch: Batch, folder: Path) -> None:
    """Release the mean with a seed (a study, not private) and compare."""
    plain = batch.curves.mean(axis=0)
    values = dp.plan(mean, n=len(batch.curves), budget=BUDGET).simulate(
        batch.curves, size=20, seed=SEED
    )
    for name, curves in (("template", mean.template_curves), ("private mean", values)):
        error = np.mean(np.sum((curves - plain) ** 2, axis=-1))
        print(f"mean squared distance of the {name} from the mean: {error:.3g}")
    picture = private_pair(mean.mesh_of(values[0]), mean.mesh_of(plain))
    picture.savefig(folder / "elastic.png", dpi=130)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--faces", type=int, default=1000)
    parser.add_argument(FIRST, action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.first:
        # A shell that starts this in the background would have interrupts ignored.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        with suppress(KeyboardInterrupt):
            run(chosen.faces, chosen.out / "cache")
    else:
        chosen.out.mkdir(parents=True, exist_ok=True)
        main(chosen.out, chosen.faces)
