"""Data in parts that any machine can read by itself, as a Dask array."""

import platform
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np

from geomdp.errors import MachinesError, reason_of
from geomdp.sources.sizes import block_sizes
from geomdp.sources.worker import on_fit_machine, require_seen, versions


@dataclass(frozen=True, eq=False)
class Parts:
    """How many records each part of the data has, and how one is read.

    Attributes
    ----------
    sizes
        Records of each part.
    read
        Takes the number of a part and gives its records. It travels: a function at the top of a
        module, or a ``partial`` of one.
    paths
        Files and folders that it reads.
    """

    sizes: tuple[int, ...]
    read: Callable[[int], Any]
    paths: tuple[str, ...] = ()

    def __iter__(self) -> "Iterator[Part]":
        return (Part(self, number) for number in range(len(self.sizes)))


@dataclass(frozen=True, eq=False)
class Part:
    """One of them, read on this machine when its records are asked for.

    >>> [part[:].tolist() for part in Parts((2, 1), lambda number: [number] * (2 - number))]
    [[0, 0], [1]]
    """

    parts: Parts
    number: int

    def __len__(self) -> int:
        return self.parts.sizes[self.number]

    def __getitem__(self, rows: slice) -> Any:
        return _read(self.parts, self.number)[rows]


@lru_cache(maxsize=1)  # neighbouring chunks lie in one part
def _read(parts: Parts, number: int) -> Any:
    return np.asarray(parts.read(number))


def blocks_of(parts: Parts, shape: tuple[int, ...], dtype: Any = np.float64) -> Any:
    """Return the records of all parts as a Dask array; workers read them, each after its check.

    Small parts that lie beside each other are read together, by one worker, so that no record
    travels.

    Examples
    --------
    >>> parts = Parts((2, 2, 1), lambda number: np.full((2 if number < 2 else 1, 3), number))
    >>> blocks = blocks_of(parts, (3,))
    >>> blocks.chunks[0], blocks.compute()[:, 0].tolist()
    ((2, 2, 1), [0, 0, 1, 1, 2])
    """
    import dask.array as da
    from dask import delayed

    # One node of the graph, which every worker gets once.
    how = delayed(partial(read_parts, parts), pure=False, traverse=False)
    task = delayed(partial(on_fit_machine, versions(), None), pure=False)
    blocks, number = [], 0
    for size in block_sizes(parts.sizes, max(1, int(np.prod(shape)))):
        first, left = number, size
        while left > 0:
            left, number = left - parts.sizes[number], number + 1
        read = task(how, first, number, (size, *shape))
        blocks.append(da.from_delayed(read, (size, *shape), dtype))
    return da.concatenate(blocks)


def read_parts(parts: Parts, first: int, end: int, shape: Sequence[int]) -> np.ndarray[Any, Any]:
    """Read parts one after the other, or say that they are not those that were announced."""
    require_seen(parts.paths)
    try:
        whole = np.concatenate([np.asarray(parts.read(number)) for number in range(first, end)])
        if whole.shape != tuple(shape):
            raise MachinesError(f"records have shape {whole.shape} there, not {tuple(shape)}")
    except (OSError, MachinesError) as error:
        raise MachinesError(
            f"The machine {platform.node()} cannot read its part of the data: {reason_of(error)}; "
            "the same files must be there on every worker, under the same path."
        ) from error
    return whole
