"""Data in parts that any machine can read by itself, as a Dask array."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from geomdp.errors import MachinesError, reason_of
from geomdp.scale.sizes import block_sizes
from geomdp.scale.worker import on_fit_machine, versions


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
    """

    sizes: tuple[int, ...]
    read: Callable[[int], Any]


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
    how = delayed(partial(read_parts, parts.read), pure=False, traverse=False)
    task = delayed(partial(on_fit_machine, versions(), None), pure=False)
    blocks, number = [], 0
    for size in block_sizes(parts.sizes, max(1, int(np.prod(shape)))):
        first, left = number, size
        while left > 0:
            left, number = left - parts.sizes[number], number + 1
        read = task(how, first, number, (size, *shape))
        blocks.append(da.from_delayed(read, (size, *shape), dtype))
    return da.concatenate(blocks)


def read_parts(
    read: Callable[[int], Any], first: int, end: int, shape: Sequence[int]
) -> np.ndarray[Any, Any]:
    """Read parts one after the other, or say that they are not those that were announced."""
    try:
        whole = np.concatenate([np.asarray(read(number)) for number in range(first, end)])
        if whole.shape != tuple(shape):
            raise MachinesError(f"records have shape {whole.shape} there, not {tuple(shape)}")
    except (OSError, MachinesError) as error:
        raise MachinesError(
            f"A worker cannot read its part of the data: {reason_of(error)}; the same files must "
            "be there on every worker, under the same path."
        ) from error
    return whole
