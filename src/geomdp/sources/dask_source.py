"""A Dask array as points: blocks answer on the workers, and nothing but answers comes back."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError, MachinesError, reason_of
from geomdp.sources.source import BLOCK_ROWS, NOTHING, Source
from geomdp.sources.worker import Failed, answered, as_declared, on_fit_machine, versions
from geomdp.spaces.ball import Ball

#: How often a block is asked again after its worker was lost.
RETRIES = 3
#: Rows that are brought here at once.
FETCHED_ROWS = 1 << 18
#: Numbers, or rows, that a block holds at least unless it is one piece of a sum: the rounding of
#: sums counts on few of them (docs/theory/tolerance.md).
LEAST_NUMBERS, LEAST_ROWS = 1 << 20, 1 << 16
#: Numbers up to which a block is one piece: half of a piece's, as an admitted record may take twice
#: the numbers of a raw one. Such blocks may be as small as they like, but not too many.
PIECE_NUMBERS, MOST_PIECES = 1 << 15, 1 << 12

#: Called with the number of blocks that answered, and of all, where somebody watches.
Progress = Callable[[int, int], None]
_watchers: list[Progress] = []


def watch(progress: Progress | None) -> None:
    """Tell somebody how far each pass over the blocks is; None ends that."""
    _watchers[:] = [] if progress is None else [progress]


def is_dask_array(points: Any) -> bool:
    """Tell whether points are a Dask array, without importing Dask."""
    return hasattr(points, "__dask_graph__") and hasattr(points, "chunks")


@dataclass(frozen=True, eq=False)
class DaskSource(Source):
    """Points of a Dask array, asked block by block.

    A client of ``dask.distributed`` is used where there is one, else Dask's threads here.

    ``array``: the points. ``kept``: whether workers keep the points in memory between passes: those
    that took long to make.
    """

    elsewhere: ClassVar[bool] = True
    array: Any
    kept: bool = False

    def __post_init__(self) -> None:
        if not self.array.ndim or any(np.isnan(size) for size in self.array.chunks[0]):
            raise InvalidRecordError(
                "A Dask array needs records along its first axis, and blocks of known size: call "
                "compute_chunk_sizes() on it first."
            )

    def __len__(self) -> int:
        return int(self.array.shape[0])

    @property
    def shape(self) -> tuple[int, ...]:  # noqa: D102
        return tuple(int(size) for size in self.array.shape[1:])

    @cached_property
    def held(self) -> Any:
        """The array, each block checked, in the memory of the workers where points are kept.

        Lost ones are remade.
        """
        array = self.array.map_blocks(as_declared, dtype=self.array.dtype, meta=self.array._meta)
        return array.persist() if self.kept else array

    def __getitem__(self, rows: Any) -> Any:
        return self.held[rows].compute()

    def blocks(self, rows: int = BLOCK_ROWS) -> Iterator[Any]:
        """Walk over the points, which come in larger parts: each is a journey."""
        for part in super().blocks(rows * max(1, FETCHED_ROWS // rows)):
            yield from (part[begin : begin + rows] for begin in range(0, len(part), rows))

    def rows(self, places: NDArray[np.intp]) -> "DaskSource":  # noqa: D102
        return DaskSource(self.held[places])

    def converted(self, convert: Callable[[Any], Any], shape: tuple[int, ...]) -> "DaskSource":
        """Convert on the workers, each after its check; what takes less room is kept there."""
        import dask.array as da
        from dask import delayed

        how = delayed(convert, pure=False, traverse=False)
        task = delayed(partial(on_fit_machine, versions(), None), pure=False)
        array = self.held.rechunk(dict.fromkeys(range(1, self.held.ndim), -1))
        parts = zip(array.chunks[0], array.to_delayed().reshape(-1), strict=True)
        blocks = [
            da.from_delayed(task(how, block), (size, *shape), np.float64) for size, block in parts
        ]
        smaller = bool(np.prod(shape) < np.prod(self.shape))
        return DaskSource(da.concatenate(blocks), kept=smaller)

    @cached_property
    def joined(self) -> Any:
        """The array in blocks along its first axis alone, neighbours joined if they must be."""
        sizes = block_sizes(self.array.chunks[0], max(1, int(np.prod(self.shape))))
        return self.held.rechunk((sizes, *((size,) for size in self.shape)))

    def ask(  # noqa: D102
        self,
        question: Callable[[int, Any, Mapping[str, Any]], Any],
        door: Ball | None = None,
        columns: Mapping[str, Any] = NOTHING,
    ) -> Iterator[Any]:
        from dask import delayed

        # One node of the graph, which every worker gets once: a statistic may be large.
        asked = delayed(partial(answered, question), pure=False, traverse=False)
        task = delayed(partial(on_fit_machine, versions(), door), pure=False)
        ends = np.cumsum(self.joined.chunks[0]).tolist()
        starts = [0, *ends[:-1]]
        beside = [
            {name: column[start:end] for name, column in columns.items()}
            for start, end in zip(starts, ends, strict=True)
        ]
        blocks = self.joined.to_delayed().reshape(-1)
        tasks = [task(asked, *about) for about in zip(starts, blocks, beside, strict=True)]
        for done, result in enumerate(_results(tasks), 1):
            for watcher in _watchers:
                watcher(done, len(tasks))
            if isinstance(result, Failed):
                raise result.error
            yield result


def _results(tasks: list[Any]) -> Iterator[Any]:
    """Compute in order; what fails besides an answer, or a record, is a failure of machines."""
    try:
        yield from _on_cluster(tasks) if _client() is not None else _in_threads(tasks)
    except (MachinesError, InvalidRecordError):
        raise
    except Exception as error:
        raise MachinesError(
            f"The machines that hold the records failed ({reason_of(error)}); no noise was drawn. "
            "See that workers run and reach the data, and release again."
        ) from error


def _on_cluster(tasks: list[Any]) -> Iterator[Any]:
    # All at once: the scheduler knows where blocks lie, and asks again those of a lost worker.
    futures = _client().compute(tasks, retries=RETRIES)
    while futures:
        yield futures.pop(0).result()


def _in_threads(tasks: list[Any]) -> Iterator[Any]:
    """Compute a few at a time, so that few blocks are in memory."""
    import dask

    waiting = iter(tasks)
    while some := list(islice(waiting, os.cpu_count() or 1)):
        yield from dask.compute(*some)


def _client() -> Any:
    """Return the client of a cluster, where the caller made one."""
    if "distributed" not in sys.modules:
        return None
    from distributed import default_client

    try:
        return default_client()
    except ValueError:
        return None


def block_sizes(sizes: tuple[int, ...], width: int) -> tuple[int, ...]:
    """Return the blocks that neighbouring parts of these sizes make."""
    if 0 < len(sizes) <= MOST_PIECES and _one_piece_each(sizes, width):
        return sizes
    return joined_sizes(sizes, max(1, min(LEAST_ROWS, LEAST_NUMBERS // width)))


def _one_piece_each(sizes: tuple[int, ...], width: int) -> bool:
    """Tell whether all parts are of one size, the last perhaps shorter, and small."""
    first, last = sizes[0], sizes[-1]
    alike = all(size == first for size in sizes[:-1]) and 0 < last <= first
    return alike and first * width <= PIECE_NUMBERS


def joined_sizes(sizes: tuple[int, ...], least: int) -> tuple[int, ...]:
    """Join neighbouring blocks until each but the last has at least so many rows."""
    joined = [0]
    for size in sizes:
        if joined[-1] >= least:
            joined.append(0)
        joined[-1] += int(size)
    return tuple(joined)
