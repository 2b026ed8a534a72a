"""What happens on a worker: it shows that it is fit, and answers with a sum.

A worker must run the same versions, compute in doubles as IEEE 754 says, hold the door of the
plan's ball, and write nothing to a disk. That is checked once in each process, and again in one
that takes the place of another.
"""

import json
import os
import platform
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from typing import Any

import numpy as np

from geomdp.errors import MachinesError, reason_of
from geomdp.runtime.surroundings import undisturbed
from geomdp.runtime.threads import one_blas_thread
from geomdp.spaces.ball import Ball, overshoot
from geomdp.version import software

#: How far from the centre, in radii, records are sent through the door.
DISTANCES = (0.0, 0.25, 0.999, 1.0, 1.0 + 1e-15, 1.001, 1.5)
#: Relative error that a log may show which is undone by exp: far above rounding.
ROOM = 1e-6
#: Dimension up to which the door is tried in interval arithmetic.
MOST_PROVED = 60

_doors_tried: set[str] = set()


@dataclass(frozen=True)
class Failed:
    """What a question raised: for the asker to judge, unlike a failure of the machine."""

    error: Exception


@cache
def versions() -> dict[str, str]:
    """Return what must be the same on all machines."""
    packages = {name: version(name) for name in ("numpy", "scipy", "python-flint")}
    return {"Python": platform.python_version(), "geomdp": software(), **packages}


def on_fit_machine(
    expected: Mapping[str, str], door: Ball | None, function: Callable[..., Any], *given: Any
) -> Any:
    """Call a function on a machine that showed itself fit."""
    require_fit(expected, door)
    with undisturbed(), one_blas_thread():
        return function(*given)


def answered(question: Callable[..., Any], *about: Any) -> Any:
    """Answer a question about a block; what it raises is part of the answer."""
    try:
        return question(*about)
    except (ArithmeticError, ValueError) as error:
        return Failed(error)


def as_declared(block: Any, block_info: Any = None) -> Any:
    """Return a block that has as many rows as its array said, which fix what belongs to whom."""
    declared = block_info[None]["chunk-shape"][0]
    if len(block) != declared:
        raise MachinesError(
            f"A block has {len(block)} rows where its Dask array declares {declared}, so that no "
            "noise was drawn; declare what blocks hold, or call compute_chunk_sizes()."
        )
    return block


def require_fit(expected: Mapping[str, str], door: Ball | None) -> None:
    """Refuse to answer on a machine that could compute otherwise, or write records down."""
    for name, mine in versions().items():
        if mine != expected.get(name):
            raise MachinesError(
                f"A worker runs {name} {mine} where {expected.get(name)} is needed; install the "
                "same versions on all machines."
            )
    wrong = arithmetic_fault() or spilling_fault()
    if wrong:
        raise MachinesError(wrong)
    if door is not None:
        _try_door(door)


def fault(expected: Mapping[str, str], paths: Sequence[str] = ()) -> str:
    """Say why this machine cannot take part; nothing where it can."""
    try:
        require_fit(expected, None)
        require_seen(paths)
    except MachinesError as error:
        return str(error)
    return ""


def require_seen(paths: Sequence[str]) -> None:
    """Refuse to read data that are not there."""
    for path in paths:
        if not os.path.exists(path):
            raise MachinesError(
                f"The machine {platform.node()} does not see {path}; the same files must be there "
                "on every worker, under the same path."
            )


@cache
def arithmetic_fault() -> str:
    """Say what is wrong with this process's doubles; nothing where they are as IEEE 754 says.

    Libraries built for speed switch the whole process to flush small numbers to 0.
    """
    tiny, third = np.full(9, 2.0**-1040), np.full(9, 3.0)
    known = {
        "small numbers are flushed to 0": np.all(tiny / 4 == 2.0**-1042) and np.all(tiny * 4 > 0),
        "numbers are not rounded to nearest": np.all(1 / third == 0.333333333333333314829616256247)
        and np.all(1.0 + np.full(9, 2.0**-53) == 1.0)
        and np.all(-1.0 - np.full(9, 2.0**-53) == -1.0),
        "square roots are not rounded to nearest": np.all(np.sqrt(2 + 0 * third) == 2**0.5),
        "logarithms are wrong": np.all(np.abs(np.log(third) - 1.0986122886681098) < 1e-15),
    }
    faults = [fault for fault, fine in known.items() if not fine]
    return f"The arithmetic of a worker is not that of IEEE 754: {faults[0]}." if faults else ""


def spilling_fault() -> str:
    """Say so where this process is a worker that may write records to a disk."""
    if "distributed" not in sys.modules:
        return ""
    from distributed import get_worker

    try:
        memory = get_worker().memory_manager
    except ValueError:  # no worker of a cluster
        return ""
    if not (memory.memory_target_fraction or memory.memory_spill_fraction):
        return ""
    return (
        "A worker may write records to its disk when memory is short; start workers with "
        "DASK_DISTRIBUTED__WORKER__MEMORY__TARGET=False and "
        "DASK_DISTRIBUTED__WORKER__MEMORY__SPILL=False."
    )


def _try_door(ball: Ball) -> None:
    """Send records through the door, once in a process: each must come out inside, with proof."""
    name = json.dumps(ball.to_json(), sort_keys=True)
    if name in _doors_tried:
        return
    try:
        fault = door_fault(ball)
    except Exception as error:
        fault = reason_of(error)
    if fault:
        raise MachinesError(f"The door of the plan's ball does not hold on a worker: {fault}.")
    _doors_tried.add(name)


def door_fault(ball: Ball) -> str:
    """Say what the door, or the log, gets wrong on this machine."""
    space = ball.space
    if not space.log_rounding(ball.center, ball.radius) <= ball.radius / 8:
        # Floats hold no points of so wide a ball (of descriptors, say). No mean is computed as one:
        # records count by coordinates, which are clipped as integers.
        return ""
    ways = np.stack([np.eye(space.dim)[0], np.full(space.dim, -(space.dim**-0.5))])
    farthest = min(1.5 * ball.radius, 0.9 * space.injectivity_radius) / 1.5
    vectors = np.concatenate([distance * farthest * ways for distance in DISTANCES])
    with np.errstate(all="ignore"):
        points = np.asarray(space.frame_exp(ball.center, vectors))
        back = np.asarray(space.frame_log(ball.center, points))
        admitted = ball.admit(np.concatenate([points, points[:1] * np.nan, points[:1] * 1e300]))
        undone = _undone(ball, vectors, points, back)
    if not undone:
        return "logs do not undo exponentials"
    return "a record comes out beyond the radius" if _escaped(ball, admitted.records) else ""


def _undone(ball: Ball, vectors: Any, points: Any, back: Any) -> bool:
    """Tell whether logs are the vectors that led to points, or ways to the same points.

    How far a chart is one to one depends on the direction: beyond, a log is another, shorter way.
    """
    space, room = ball.space, ROOM * (ball.radius + 1)
    if not space.chart_only:
        return np.allclose(back, vectors, rtol=0, atol=room)
    shorter = np.linalg.norm(back, axis=-1) <= np.linalg.norm(vectors, axis=-1) + room
    away = space.dist(points, np.asarray(space.frame_exp(ball.center, back)))
    return bool(np.all(shorter) and np.all(away <= room))


def _escaped(ball: Ball, records: Any) -> bool:
    """Tell whether a record lies beyond the radius, with proof where that takes no minutes."""
    if ball.form is not None:  # its bound is not the distance
        return False
    if ball.space.dim > MOST_PROVED:
        return not bool(np.all(ball.space.dist(ball.center, records) <= ball.radius * (1 + ROOM)))
    return not bool(np.all(overshoot(ball, np.unique(records, axis=0)) <= 0))
