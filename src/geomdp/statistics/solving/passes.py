"""Passes over a data set: each chunk is asked for the sum of its logs at a point, and no more.

What a chunk answers is a small array, and the question is a function at the top of this module, so
that a thread, a process or another machine can answer it as well: memory is a chunk, and what
travels is a sum. The sums are merged in a tree, which the tolerance counts on
(docs/theory/tolerance.md).
"""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from geomdp.runtime.threads import Mapper, in_threads
from geomdp.spaces.base import Space
from geomdp.spaces.numerics import linalg
from geomdp.statistics.encoded import FEWEST, Encoded, sample_step
from geomdp.statistics.solving.plausible import require_array
from geomdp.typing import Array, HessianRoad

#: Numbers in one chunk: small enough for a core's cache, large enough to hide Python.
CHUNK_NUMBERS = 1 << 16
#: Numbers in one chunk on a device: enough to keep it busy, and some fifteen such arrays fit.
DEVICE_NUMBERS = 1 << 23


class Chunk(NamedTuple):
    """Records, and what each counts for; 1 where nothing is said."""

    records: Array
    shares: Array | None = None


def fast_sum(space: Space, at: Array, chunk: Chunk) -> Array:
    """Sum of the logs of a chunk at a point, by the fastest formula: shows a solver the way."""
    with np.errstate(all="ignore"):  # here, since another machine may be asked
        there = linalg.beside(at, chunk.records)
        return linalg.home(space.log_sum(there, chunk.records, chunk.shares))


def certified_sum(space: Space, at: Array, chunk: Chunk) -> Array:
    """Sum of the logs of a chunk at a point, by the formulas whose rounding is bounded."""
    with np.errstate(all="ignore"):
        there = linalg.beside(at, chunk.records)
        return linalg.home(Space.log_sum(space, there, chunk.records, chunk.shares))


def by_road(road: HessianRoad, at: Array, chunk: Chunk) -> tuple[Array, Callable[[Array], Array]]:
    """Sum of the logs of a chunk, in the frame at a point, and of the Hessians, as a function."""
    with np.errstate(all="ignore"):
        return road(at, *chunk)


def judged_sum(space: Space, at: Array, chunk: Chunk) -> Array:
    """Sum of the logs of a chunk at a point; NaN unless it shows that the chunk holds points."""
    with np.errstate(all="ignore"):
        found = space.judged_log_sum(at, *chunk)
    return np.nan * at if found is None else found


@dataclass(frozen=True, eq=False)
class MeanResult:
    """A mean and how well it solves its equation.

    Attributes
    ----------
    point
        The computed mean.
    gradient_norm
        Length of the mean of the logs at ``point``: 0 at the ideal mean, NaN where floats cannot
        tell. Curators may look at it; it must never be published.
    passes
        How often the data were read.
    """

    point: Array
    gradient_norm: float
    passes: int


@dataclass(frozen=True, eq=False)
class Passes:
    """A data set that is read in passes: an array in memory is the case of one block.

    ``total`` is what the shares add up to; ``sample`` gives the records whose mean is a start, None
    where all are few enough for Newton's method; ``whole`` holds all records in memory.
    """

    space: Space
    chunks: Callable[[], Iterator[Chunk]]
    total: float
    mapper: Mapper = in_threads
    sample: Callable[[], Chunk | None] = lambda: None
    whole: Chunk | None = None

    @classmethod
    def over(cls, space: Space, points: Array, shares: Array | None = None) -> "Passes":
        """Read an array in pieces that fit a cache; its sample is evenly spaced."""

        def chunks() -> Iterator[Chunk]:
            for rows in slices(points, space.chunk_numbers):
                yield Chunk(points[rows, ...], None if shares is None else shares[rows])

        def sample() -> Chunk | None:
            few = int(points.shape[0]) < 4 * FEWEST
            if here and (few or not linalg.is_plain(points)):
                return None
            rows = slice(None, None, 1 if few else sample_step(int(points.shape[0])))
            some = Chunk(points[rows, ...], None if shares is None else shares[rows])
            if here or space.fast_sums:
                return some
            # A device takes sums alone: for the Hessian a sample comes home.
            weights = None if some.shares is None else linalg.home(some.shares)
            return Chunk(doubles_at_home(some.records), weights)

        here = isinstance(points, np.ndarray)
        total = float(points.shape[0] if shares is None else linalg.namespace(shares).sum(shares))
        # A device works on a whole chunk at once: threads would only wait for each other.
        whole = Chunk(points, shares) if here else None
        return cls(space, chunks, total, in_threads if here else map, sample, whole)

    @classmethod
    def of(cls, space: Space, encoded: Encoded, start: Array) -> "Passes":
        """Read encoded records, wherever they lie; memory is a chunk.

        The sample decides how fast passes converge, never where to. Nothing but sums comes from
        other machines: there the start alone is the sample.
        """
        if encoded.in_memory:
            return cls.over(space, np.asarray(encoded))
        n = len(encoded)

        def chunks() -> Iterator[Chunk]:
            for chunk in encoded.chunks():
                for rows in slices(chunk):
                    yield Chunk(chunk[rows])

        if encoded.elsewhere is None:
            return cls(space, chunks, float(n), sample=lambda: Chunk(_subsample(encoded)))

        def mapper(question: Callable[[Chunk], Any], _: Iterable[Any]) -> Iterator[Any]:
            for answers in encoded.ask(partial(_in_slices, question)):
                for answer in answers:
                    require_array(answer, space.point_shape, n)
                    yield answer

        return cls(space, lambda: iter(()), float(n), mapper, lambda: Chunk(start[None]))

    def mean_log(self, at: Array, *, certified: bool = True) -> Array:
        """Mean of the logs of all records at a point: one pass; NaN if floats do not reach."""
        fast = self.space.fast_sums and not certified
        return self.mean_of(fast_sum if fast else certified_sum, at)

    def mean_of(self, sums: Callable[[Space, Array, Chunk], Array], at: Array) -> Array:
        """Mean of what sums of chunks at a point add up to: one pass; NaN if floats fail."""
        try:
            return self._merged(self.mapper(partial(sums, self.space, at), self.chunks()))
        except np.linalg.LinAlgError:
            return np.nan * at

    def expand(self, road: HessianRoad, at: Array) -> tuple[Array, Callable[[Array], Array]]:
        """Mean of the logs, in the frame at a point, and the mean Hessian there, as a function.

        One pass; NaN if floats do not reach. What the Hessian needs is kept of all records.
        """
        try:
            answers = self.mapper(partial(by_road, road, at), self.chunks())
            sums, hessians = zip(*answers, strict=True)
        except np.linalg.LinAlgError:
            return np.full(self.space.dim, np.nan), lambda v: v

        def hessian(v: Array) -> Array:
            return self._merged(self.mapper(lambda part: part(v), hessians))

        return self._merged(sums), hessian

    def _merged(self, answers: Iterable[Array]) -> Array:
        merged = MergedSum()
        for answer in answers:
            merged.add(answer)
        return merged.total() / self.total

    def evaluate(self, at: Array, before: int = 0) -> MeanResult:
        """Gradient at a point, with an error within its bound; one pass more than ``before``."""
        return MeanResult(at, float(self.space.norm(at, self.mean_log(at))), before + 1)


class MergedSum:
    """Adds terms up such that each passes about ``log2`` of their number additions, not all.

    The tolerance counts on this (docs/theory/tolerance.md).
    """

    def __init__(self) -> None:
        # A binary counter: place i holds a sum of 2^i terms, or none.
        self._places: list[Array | None] = []

    def add(self, term: Array) -> None:
        """Take one more term."""
        for place, held in enumerate(self._places):
            if held is None:
                self._places[place] = term
                return
            term, self._places[place] = held + term, None
        self._places.append(term)

    def total(self) -> Array:
        """Return the sum of all terms."""
        held = [term for term in self._places if term is not None]
        if len(held) == 1:
            return held[0]
        return linalg.tree_sum(linalg.namespace(held[0]).stack(held))


def slices(points: Array, numbers: int | None = None) -> Iterator[slice]:
    """Rows in pieces that fit a cache, or in those of so many numbers; larger on a device."""
    n = int(points.shape[0])
    width = max(1, math.prod(points.shape[1:]))
    here = isinstance(points, np.ndarray)
    rows = max(1, ((numbers or CHUNK_NUMBERS) if here else DEVICE_NUMBERS) // width)
    return (slice(i, min(i + rows, n)) for i in range(0, n, rows))


def _in_slices(question: Callable[[Chunk], Any], chunk: Array) -> list[Any]:
    """Answer for each piece of a chunk that fits a cache; it may travel to the chunk."""
    return [question(Chunk(chunk[rows])) for rows in slices(chunk)]


def _subsample(encoded: Encoded) -> Array:
    """Take evenly spaced records: a public rule, though the result does not depend on it."""
    if encoded.sampled is not None:
        return encoded.sampled
    step = sample_step(len(encoded))
    rows, seen = [], 0
    for chunk in encoded.chunks():
        rows.append(chunk[-seen % step :: step].copy())  # a view would keep the chunk
        seen += len(chunk)
    return np.concatenate(rows)


def doubles_at_home(points: Array) -> Array:
    """Return points, wherever they lie, as NumPy's doubles."""
    xp = linalg.namespace(points)
    wide = np.complex128 if xp.isdtype(points.dtype, "complex floating") else np.float64
    return linalg.home(points).astype(wide, copy=False)
