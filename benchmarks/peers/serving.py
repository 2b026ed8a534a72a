"""A process that times one library: it stays alive, so that libraries can take turns.

It reads one line a run, ``{"task": ..., "file": ...}``, and answers with seconds of wall clock and
of CPU, or ``null`` for a task that it does not know. Tasks find NumPy arrays in the layout that
their library wants: making it is not timed. Depends on NumPy alone, since it runs in the
environment of each library.
"""

import json
import sys
import time
from collections.abc import Callable
from functools import cache

import numpy as np


def pairs(x: np.ndarray) -> np.ndarray:
    """Planar shapes as most libraries want them: pairs of numbers."""
    return np.stack([x.real, x.imag], axis=-1) if np.iscomplexobj(x) else x


def serve(
    tasks: dict[str, Callable[..., object]],
    layout: Callable[[np.ndarray], np.ndarray] = pairs,
) -> None:
    """Answer until there is nothing more to read.

    A task is a function of the records; if it is an exponential, of a point and velocities.
    """

    @cache
    def load(file: str) -> np.ndarray:
        return layout(np.load(file))

    @cache
    def velocities(file: str) -> tuple[np.ndarray, np.ndarray]:
        return load(file)[0], load(file) - load(file)[0]

    for line in sys.stdin:
        asked = json.loads(line)
        task = tasks.get(asked["task"])
        if task is None:
            print("null", flush=True)
            continue
        file = asked["file"]
        given = velocities(file) if asked["task"].endswith(" exp") else (load(file),)
        wall, cpu = time.perf_counter(), time.process_time()
        task(*given)
        seconds = [time.perf_counter() - wall, time.process_time() - cpu]
        print(json.dumps(seconds), flush=True)
