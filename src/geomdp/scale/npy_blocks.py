"""An npy file as a Dask array that each worker opens by itself."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from geomdp.errors import MachinesError, reason_of

#: Numbers of a block: few tasks, and little memory.
BLOCK_NUMBERS = 1 << 22


def npy_blocks(
    path: str | Path, rows: int | None = None, convert: Callable[[Any], Any] = np.asarray
) -> Any:
    """Open an npy file as a Dask array whose blocks the workers read, by memory-map.

    The file must be there on every worker under the same path. No record passes the scheduler.

    Parameters
    ----------
    path
        The file.
    rows
        Rows of a block; 32 MB of numbers by default.
    convert
        Turns rows of the file into records, on the workers: a function at the top of a module.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "a.npy"
    >>> np.save(file, np.ones((10, 3)))
    >>> npy_blocks(file, rows=4).chunks[0]
    (4, 4, 2)
    """
    import dask.array as da
    from dask import delayed

    place = str(Path(path).resolve())
    whole = np.load(place, mmap_mode="r", allow_pickle=False)
    first = convert(whole[:1])
    count, rest = len(whole), first.shape[1:]
    size = rows or max(1, BLOCK_NUMBERS // max(1, first.size))
    read = delayed(read_rows, pure=False)
    parts = [
        da.from_delayed(
            read(place, whole.shape, start, stop, convert), (stop - start, *rest), first.dtype
        )
        for start, stop in ((i, min(i + size, count)) for i in range(0, count, size))
    ]
    return da.concatenate(parts)


def read_rows(
    place: str, shape: tuple[int, ...], start: int, stop: int, convert: Callable[[Any], Any]
) -> Any:
    """Read some rows of an npy file into memory, or say that it is not the file that was opened."""
    try:
        whole = np.load(place, mmap_mode="r", allow_pickle=False)
        if whole.shape != shape:
            raise ValueError(f"it has shape {whole.shape} there, not {shape}")
        return convert(np.array(whole[start:stop]))
    except (OSError, ValueError) as error:
        raise MachinesError(
            f"A worker cannot read {Path(place).name}: {reason_of(error)}; the file must be on "
            "every worker, under the same path."
        ) from error
