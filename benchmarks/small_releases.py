"""Small studies: each command from a cold start, and releases on ledgers of many entries.

``python -m benchmarks.small_releases`` prints two tables: seconds on the clock and of CPU, medians.
"""

import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sqlalchemy import insert

import geomdp as dp
from geomdp.datasets import load_tensors
from geomdp.ledger import schema
from geomdp.ledger.chain import commitment_of, make_row
from geomdp.ledger.engines import writing

TURNS = 5
LENGTHS = (10, 1000, 10_000, 20_000)
COMMANDS = {
    "plan": "plan --space spd:3 --center identity --radius 2 --n 972 --epsilon 1 --out plan.json",
    "release": "release plan.json tensors.npy --out released",
    "verify": "verify released",
}
PLAN = dp.plan(
    dp.FrechetMean(dp.Ball(dp.Euclidean(1), center=np.zeros(1), radius=1.0)),
    n=3,
    budget=dp.Pure(1),
    mechanism="laplace",
)


def seconds(function: Callable[[], object]) -> tuple[float, float]:
    """Clock and CPU of a call, those of processes that it ends included."""
    clock, cpu = time.perf_counter(), _cpu()
    function()
    return time.perf_counter() - clock, _cpu() - cpu


def _cpu() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def cold_starts(folder: Path) -> None:
    """Print what each command takes in a process of its own, all three and a report included."""
    np.save(folder / "tensors.npy", load_tensors().records)
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in COMMANDS}
    for turn in range(-1, TURNS):  # the first compiles what Python then keeps
        shutil.rmtree(folder / "released", ignore_errors=True)
        (folder / "plan.json").unlink(missing_ok=True)
        for name, typed in COMMANDS.items():
            command = [sys.executable, "-m", "geomdp", *typed.split()]
            took = seconds(
                lambda command=command: subprocess.run(
                    command, cwd=folder, check=True, capture_output=True
                )
            )
            if turn >= 0:
                found[name].append(took)
    print("| command | seconds | CPU |\n|---|---|---|")
    middle = {name: np.median(took, axis=0) for name, took in found.items()}
    for name, (clock, cpu) in {**middle, "in all": sum(middle.values())}.items():
        print(f"| {name} | {clock:.2f} | {cpu:.2f} |", flush=True)


def filled(folder: Path, length: int) -> tuple[Path, Path]:
    """Ledger of so many entries, nearly all of them debits, and its key."""
    file, key = folder / f"{length}.db", folder / f"{length}.key"
    ledger = dp.Ledger.create(file, key=key)
    ledger.grant("study", dp.Pure(10 * length))
    store = ledger._store
    rows = [*store.read().rows]
    for _ in range(len(rows), length):
        mark, pad = secrets.token_hex(32), secrets.token_hex(32)
        debit = {
            **{"ledger": store.name, "at": "2026-01-01T00:00:00Z", "by": "benchmark"},
            **{"kind": "debit", "dataset": "study", "for": "a mean", "plan": secrets.token_hex(32)},
            **{"unit": PLAN.unit.to_json(), "cost": PLAN.cost.to_json()},
            "commitment": commitment_of(mark, pad),
        }
        rows.append(make_row(store.key, rows, debit, (mark, pad)))
    with writing(store.engine) as connection:
        connection.execute(insert(schema.ENTRIES), [row._asdict() for row in rows[2:]])
    return file, key


def ledgers(folder: Path) -> None:
    """Print what a release takes that opens a ledger of many entries and pays from it."""
    print("\n| entries | seconds | CPU |\n|---|---|---|")
    for length in LENGTHS:
        file, key = filled(folder, length)
        took = []
        for turn in range(TURNS):
            records = np.full((3, 1), turn / 10)
            took.append(
                seconds(
                    lambda records=records, file=file, key=key: PLAN.release(
                        records, ledger=dp.Ledger(file, key), dataset="study"
                    )
                )
            )
        clock, cpu = np.median(took, axis=0)
        print(f"| {length} | {clock:.2f} | {cpu:.2f} |", flush=True)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        cold_starts(Path(folder))
        ledgers(Path(folder))


if __name__ == "__main__":
    main()
