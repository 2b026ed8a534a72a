"""The Fréchet mean of data that do not lie in memory: sums of chunks, merged once a pass.

A pass asks each chunk for the sum of its logs at one point and nothing else, so that memory is a
chunk and a worker elsewhere could answer as well. Newton's equation is solved with the Hessian of a
subsample: it decides how fast the passes converge, never where to.
"""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice

import numpy as np

from geomdp.spaces.base import Space
from geomdp.statistics.descent import Descent
from geomdp.statistics.encoded import Encoded
from geomdp.statistics.solver import (
    MeanResult,
    expand,
    newton_step,
    one_blas_thread,
    solve_mean,
    tree_sum,
)
from geomdp.typing import Array

#: Records of the subsample.
SAMPLE = 1 << 14
#: Passes after which the quasi-Newton method gives up; each gains a digit or two.
MOST_PASSES = 40


def log_sum(space: Space, at: Array, chunk: Array) -> Array:
    """Sum of the logs of one chunk at a point: what a chunk is asked for in a pass.

    >>> import geomdp as dp
    >>> log_sum(dp.Euclidean(2), np.zeros(2), np.ones((3, 2))).tolist()
    [3.0, 3.0]
    """
    with np.errstate(all="ignore"):  # here, since a thread does not inherit it
        return tree_sum(np.asarray(space.log(at, chunk)))


class MergedSum:
    """Adds terms up such that each passes about ``log2`` of their number additions, not all.

    The tolerance counts on this (docs/theory/tolerance.md).

    >>> merged = MergedSum()
    >>> for term in range(5):
    ...     merged.add(np.array([float(term)]))
    >>> merged.total().tolist()
    [10.0]
    """

    def __init__(self) -> None:
        # A binary counter: place i holds a sum of 2^i terms, or none.
        self._places: list[Array | None] = []

    def add(self, term: Array) -> None:
        """Add one term."""
        for i, held in enumerate(self._places):
            if held is None:
                self._places[i] = term
                return
            term, self._places[i] = held + term, None
        self._places.append(term)

    def total(self) -> Array:
        """Return the sum of all terms."""
        return tree_sum(np.stack([held for held in self._places if held is not None]))


def mean_log(space: Space, at: Array, encoded: Encoded) -> Array:
    """Mean of the logs of all records at a point: one pass over the data."""
    merged = MergedSum()
    for part in _in_parallel(lambda chunk: log_sum(space, at, chunk), encoded.chunks()):
        merged.add(part)
    return merged.total() / len(encoded)


def solve_streamed(space: Space, encoded: Encoded, *, tol: float, start: Array) -> MeanResult:
    """Newton's method with the Hessian of a subsample, one pass over the data a step."""
    sample = _subsample(encoded)
    point = solve_mean(space, sample, tol=tol, start=start).point
    best = MeanResult(point, np.inf, 0)
    for passes in range(1, MOST_PASSES + 1):
        descent = mean_log(space, point, encoded)
        norm = float(space.norm(point, descent))
        # Written so that a step into overflow, whose norm is NaN, counts as no improvement.
        if not norm < best.gradient_norm:
            break
        best = MeanResult(point, norm, passes)
        if norm <= tol:
            break
        here = replace(expand(space, point, sample), descent=descent, norm=norm)
        point = space.exp(point, newton_step(space, here))
    return best


def descend_streamed(
    space: Space, encoded: Encoded, *, tol: float, start: Array, descent: Descent
) -> MeanResult:
    """Gradient descent over passes: slow, with the rate of docs/theory/tolerance.md."""
    point, best = start, MeanResult(start, np.inf, 0)
    for passes in range(1, descent.passes + 1):
        direction = mean_log(space, point, encoded)
        norm = float(space.norm(point, direction))
        best = MeanResult(point, norm, passes) if norm < best.gradient_norm else best
        if norm <= tol:
            break
        point = space.exp(point, descent.step * direction)
    return best


def _subsample(encoded: Encoded) -> Array:
    """Take evenly spaced records: a public rule, though the result does not depend on it."""
    step = max(1, len(encoded) // SAMPLE)
    rows, seen = [], 0
    for chunk in encoded.chunks():
        first = -seen % step
        rows.append(chunk[first::step])
        seen += len(chunk)
    return np.concatenate(rows)


def _in_parallel(function: Callable[[Array], Array], chunks: Iterator[Array]) -> Iterator[Array]:
    """Apply a function to chunks, as many at a time as there are cores, in their order."""
    workers = os.cpu_count() or 1
    with one_blas_thread(), ThreadPoolExecutor(workers) as pool:
        while batch := list(islice(chunks, workers)):
            yield from pool.map(function, batch)
