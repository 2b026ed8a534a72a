"""Releases of data larger than memory: time and anonymous memory as the number of records grows.

``python -m benchmarks.scale 10000 1000000 --folder /tmp/scale`` writes files of SPD(3) records
there (72 bytes each), and releases the mean of each from a memory-map, in a process of its own.
With ``--dask`` the same goes through two worker processes, one of which is killed in the middle.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

import geomdp as dp

BALL = dp.Ball(dp.SPD(3), center=np.eye(3), radius=1.5)
#: Rows that are made at once.
ROWS = 100_000


def write_records(n: int, folder: Path) -> Path:
    """Write n records, unless they are there."""
    file = folder / f"spd3-{n}.npy"
    if file.exists():
        return file
    rng = np.random.default_rng(0)
    half = file.with_suffix(".half")
    whole = np.lib.format.open_memmap(half, mode="w+", dtype=np.float64, shape=(n, 3, 3))
    for start in range(0, n, ROWS):
        count = min(ROWS, n - start)
        vectors = 0.25 * rng.standard_normal((count, 6)) + 0.1
        whole[start : start + count] = BALL.space.frame_exp(BALL.center, vectors)
    whole.flush()
    del whole
    half.rename(file)
    return file


def anonymous_mb() -> float:
    """Anonymous memory of this process: what a memory-map does not count to."""
    lines = Path("/proc/self/smaps_rollup").read_text(encoding="ascii").splitlines()
    return int(next(line for line in lines if line.startswith("Anonymous")).split()[1]) / 1024


@contextmanager
def peak_memory() -> Iterator[list[float]]:
    """Give a list whose only entry becomes the most anonymous memory, looked at often."""
    peak, done = [anonymous_mb()], threading.Event()

    def look() -> None:
        while not done.wait(0.05):
            peak[0] = max(peak[0], anonymous_mb())

    looking = threading.Thread(target=look)
    looking.start()
    try:
        yield peak
    finally:
        done.set()
        looking.join()


def planned(n: int) -> dp.Plan:
    return dp.plan(dp.FrechetMean(BALL), n=n, budget=dp.Pure(1), mechanism="laplace")


def release_file(file: Path) -> dict[str, float]:
    """Release from a memory-map: seconds and memory."""
    points = np.load(file, mmap_mode="r")
    made = planned(len(points))
    with peak_memory() as peak:
        start, cpu = time.perf_counter(), time.process_time()
        made.release(points)
        seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    return {"n": len(points), "seconds": seconds, "cpu": cpu, "anonymous_mb": peak[0]}


def release_by_dask(file: Path) -> dict[str, float]:
    """All of a release but the noise through two processes, one killed while it works.

    The mean must be that of the memory-map, to the plan's tolerance.
    """
    from geomdp.sources import dask_source, file_blocks, machines
    from geomdp.sources.records import Records
    from geomdp.statistics.encoded import encode

    n = len(np.load(file, mmap_mode="r"))
    mean = dp.FrechetMean(BALL)
    tolerance = mean.tolerance(n)
    told: list[int] = []
    killed: list[int] = []
    with machines(workers=2) as client:
        victim = next(iter(client.run(os.getpid).values()))

        def watch(done: int, blocks: int) -> None:
            told.append(done)
            if not killed and len(told) > blocks + blocks // 2:  # in the second pass
                killed.append(victim)
                os.kill(victim, signal.SIGKILL)

        dask_source.watch(watch)
        start = time.perf_counter()
        there = mean.estimate(encode(mean, Records(file_blocks(file)), "refuse"), tolerance)
        seconds = time.perf_counter() - start
        dask_source.watch(None)
        memory = max(client.run(anonymous_mb).values())
    here = mean.estimate(encode(mean, Records(np.load(file, mmap_mode="r")), "refuse"), tolerance)
    return {
        "n": n,
        "seconds": seconds,
        "killed": len(killed),
        "worker_mb": memory,
        "distance": float(BALL.space.dist(here, there)),
        "tolerance": tolerance,
    }


def in_own_process(file: Path, way: str) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.scale", "--file", str(file), "--way", way]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return json.loads(told.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=[10**4, 10**5, 10**6])
    parser.add_argument("--folder", type=Path, default=Path("scale-records"))
    parser.add_argument("--dask", action="store_true")
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--way", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.file is not None:
        one = release_by_dask if given.way == "dask" else release_file
        print(json.dumps(one(given.file)))
        return
    given.folder.mkdir(parents=True, exist_ok=True)
    print("| way | records | seconds | ns a record | more |\n|---|---|---|---|---|")
    cpu: dict[int, float] = {}
    for n in given.sizes:
        file = write_records(n, given.folder)
        way = "dask" if given.dask else "memory-map"
        found = in_own_process(file, way)
        cpu[n] = found.get("cpu", np.nan)
        more = ", ".join(f"{k} {v:.4g}" for k, v in found.items() if k not in ("n", "seconds"))
        each = found["seconds"] / n * 1e9
        print(f"| {way} | {n} | {found['seconds']:.3g} | {each:.0f} | {more} |", flush=True)
    if len(cpu) > 1 and not given.dask:
        slope = np.polyfit(np.log(list(cpu)), np.log(list(cpu.values())), 1)[0]
        print(f"CPU time grows as n^{slope:.2f}")


if __name__ == "__main__":
    main()
