"""A Dask array as points: blocks answer on the workers, and nothing but answers comes back."""

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice
from typing import Any

import numpy as np

from geomdp.elsewhere import Elsewhere
from geomdp.errors import InvalidRecordError, MachinesError, reason_of
from geomdp.scale.worker import Failed, answer, versions
from geomdp.spaces.ball import Ball

#: How often a block is asked again after its worker was lost.
RETRIES = 3
#: Numbers that a block holds at least: the sums' rounding counts on few blocks
#: (docs/theory/tolerance.md).
LEAST_NUMBERS, LEAST_ROWS = 1 << 20, 1 << 16

#: Called with the number of blocks that answered, and of all, where somebody watches.
Progress = Callable[[int, int], None]
_watchers: list[Progress] = []


def watch(progress: Progress | None) -> None:
    """Tell somebody how far each pass over the blocks is; None ends that."""
    _watchers[:] = [] if progress is None else [progress]


def is_dask_array(points: Any) -> bool:
    """Tell whether points are a Dask array, without importing Dask.

    >>> is_dask_array(np.zeros(3))
    False
    """
    return hasattr(points, "__dask_graph__") and hasattr(points, "to_delayed")


@dataclass(frozen=True, eq=False)
class DaskPoints(Elsewhere):
    """Points of a Dask array, asked block by block.

    A client of ``dask.distributed`` is used where there is one, else Dask's threads here.

    Examples
    --------
    >>> import dask.array as da
    >>> points = DaskPoints(da.ones((10, 3), chunks=(4, 3)))
    >>> len(points), [len(block) for block in points.ask(_block, None)]
    (10, [10])
    """

    array: Any

    def __post_init__(self) -> None:
        if not self.array.ndim or any(np.isnan(size) for size in self.array.chunks[0]):
            raise InvalidRecordError(
                "A Dask array needs records along its first axis, and blocks of known size: call "
                "compute_chunk_sizes() on it first."
            )

    def __len__(self) -> int:
        return int(self.array.shape[0])

    def __getitem__(self, rows: slice) -> Any:
        return self.array[rows].compute()

    def rows(self, places: Any) -> "DaskPoints":  # noqa: D102
        return DaskPoints(self.array[places])

    @cached_property
    def blocks(self) -> Any:
        """The array in blocks along its first axis alone, none but the last too small."""
        rest = self.array.shape[1:]
        width = max(1, int(np.prod(rest)))
        least = max(1, min(LEAST_ROWS, LEAST_NUMBERS // width))
        sizes = joined_sizes(self.array.chunks[0], least)
        return self.array.rechunk((sizes, *((size,) for size in rest)))

    def ask(self, question: Callable[[int, Any], Any], door: Ball | None) -> Iterator[Any]:  # noqa: D102
        from dask import delayed

        asked = delayed(partial(answer, versions(), door, question), pure=False, traverse=False)
        sizes = self.blocks.chunks[0]
        starts = np.cumsum([0, *sizes[:-1]]).tolist()
        blocks = self.blocks.to_delayed().reshape(-1)
        tasks = [asked(start, block) for start, block in zip(starts, blocks, strict=True)]
        for done, result in enumerate(_results(tasks), 1):
            for watcher in _watchers:
                watcher(done, len(tasks))
            if isinstance(result, Failed):
                raise result.error
            yield result


def joined_sizes(sizes: tuple[int, ...], least: int) -> tuple[int, ...]:
    """Join neighbouring blocks until each but the last has at least so many rows.

    >>> joined_sizes((4, 4, 4, 9, 1), 8), joined_sizes((0,), 8)
    ((8, 13, 1), (0,))
    """
    joined = [0]
    for size in sizes:
        if joined[-1] >= least:
            joined.append(0)
        joined[-1] += int(size)
    return tuple(joined)


def _results(tasks: list[Any]) -> Iterator[Any]:
    """Compute in order; whatever fails besides an answer is a failure of machines."""
    try:
        yield from _on_cluster(tasks) if _client() is not None else _in_threads(tasks)
    except MachinesError:
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


def _block(start: int, block: Any) -> Any:
    """Return a block itself: for the example above alone."""
    return block
