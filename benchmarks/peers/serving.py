"""A process that times one library: it stays alive, so that libraries can take turns.

It reads one line a run, ``{"task": ..., "file": ...}``, and answers with seconds of wall clock and
of CPU, or ``null`` for a task that it does not know. Depends on NumPy alone, since it runs in the
environment of each library.
"""

import json
import sys
import time
from collections.abc import Callable
from functools import cache

import numpy as np


@cache
def load(file: str) -> np.ndarray:
    """Read the records once."""
    return np.load(file)


def serve(tasks: dict[str, Callable[[np.ndarray], object]]) -> None:
    """Answer until there is nothing more to read."""
    for line in sys.stdin:
        asked = json.loads(line)
        task = tasks.get(asked["task"])
        if task is None:
            print("null", flush=True)
            continue
        records = load(asked["file"])
        wall, cpu = time.perf_counter(), time.process_time()
        task(records)
        seconds = [time.perf_counter() - wall, time.process_time() - cpu]
        print(json.dumps(seconds), flush=True)
