"""The Fréchet mean of data that do not lie in memory: passes over encoded chunks.

Memory is a chunk. The sample decides how fast the passes converge, never where to.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np

from geomdp.spaces.base import Space
from geomdp.statistics.encoded import Encoded
from geomdp.statistics.solving.descent import Descent
from geomdp.statistics.solving.passes import Chunk, MeanResult, Passes, slices
from geomdp.statistics.solving.plausible import require_array
from geomdp.statistics.solving.solver import descend, from_sample, one_pass, sample_step
from geomdp.typing import Array


def passes_over(space: Space, encoded: Encoded) -> Passes:
    """Read encoded records in pieces that fit a cache."""

    def chunks() -> Iterator[Chunk]:
        for chunk in encoded.chunks():
            for rows in slices(chunk):
                yield Chunk(chunk[rows])

    if encoded.elsewhere is None:
        return Passes(space, chunks, float(len(encoded)))

    def mapper(question: Callable[[Chunk], Any], _: Iterable[Any]) -> Iterator[Any]:
        for answers in encoded.ask(partial(_in_slices, question)):
            for answer in answers:
                require_array(answer, space.point_shape, len(encoded))
                yield answer

    return Passes(space, lambda: iter(()), float(len(encoded)), mapper)


def _in_slices(question: Callable[[Chunk], Any], chunk: Array) -> list[Any]:
    """Answer for each piece of a chunk that fits a cache; it may travel to the chunk."""
    return [question(Chunk(chunk[rows])) for rows in slices(chunk)]


def mean_log(space: Space, at: Array, encoded: Encoded) -> Array:
    """Mean of the logs of all records at a point: one pass over the data."""
    return passes_over(space, encoded).mean_log(at)


def solve_streamed(space: Space, encoded: Encoded, *, tol: float, start: Array) -> MeanResult:
    """As :func:`geomdp.statistics.solving.solver.solve_mean`, one pass over the data a step."""
    passes = passes_over(space, encoded)
    if space.linear:
        return one_pass(passes, tol=tol, start=start, certified=True)
    # Nothing but sums comes from elsewhere: there the start alone is the sample.
    sample = start[None] if encoded.elsewhere is not None else _subsample(encoded)
    found = from_sample(passes, Chunk(sample), tol=tol, start=start)
    return passes.evaluate(found.point, found.passes) if space.fast_sums else found


def descend_streamed(
    space: Space, encoded: Encoded, *, tol: float, start: Array, descent: Descent
) -> MeanResult:
    """Gradient descent over passes: slow, with the rate of docs/theory/tolerance.md."""
    return descend(passes_over(space, encoded), tol=tol, start=start, descent=descent)


def _subsample(encoded: Encoded) -> Array:
    """Take evenly spaced records: a public rule, though the result does not depend on it."""
    step = sample_step(len(encoded))
    rows, seen = [], 0
    for chunk in encoded.chunks():
        rows.append(chunk[-seen % step :: step].copy())  # a view would keep the chunk
        seen += len(chunk)
    return np.concatenate(rows)
