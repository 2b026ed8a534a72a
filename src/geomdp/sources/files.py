"""Many files as one source: npy files are mapped, parquet files read a row group at a time."""

import platform
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError, MachinesError, reason_of
from geomdp.registry import Registry
from geomdp.sources.dask_source import block_sizes
from geomdp.sources.source import Source
from geomdp.sources.worker import on_fit_machine, require_seen, versions

DOUBLE = np.dtype(np.float64)
#: Numbers of a block of an npy file: few tasks, and little memory.
BLOCK_NUMBERS = 1 << 22
#: How files of records alone are opened, by their ending: from a path and the shape of a record to
#: rows that are read when they are asked for. A format registers its own.
OPENERS: Registry[Callable[[Path, tuple[int, ...]], Any]] = Registry(
    "ending", own=("geomdp.io.numpy_files", "geomdp.io.parquet_files")
)


def open_files(path: str | Path, shape: tuple[int, ...] = ()) -> "Files":
    """Open the npy and parquet files of a folder, in the order of their names, as one source.

    Parameters
    ----------
    path
        Folder that holds the files, or one file.
    shape
        Of one record, where files hold its numbers in a row: the columns of a parquet file, say.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> np.save(folder / "a.npy", np.zeros((5, 4)))
    >>> np.save(folder / "b.npy", np.ones((2, 4)))
    >>> source = open_files(folder, (2, 2))
    >>> len(source), source[4:6].tolist()
    (7, [[[0.0, 0.0], [0.0, 0.0]], [[1.0, 1.0], [1.0, 1.0]]])
    """
    sizes: list[int] = []
    reads: list[Callable[[], Any]] = []
    for _, opened in _opened(Path(path), shape):
        if isinstance(opened, Files):
            sizes += opened.sizes
            reads += [partial(opened.read, number) for number in range(len(opened.sizes))]
        else:
            sizes.append(len(opened))
            reads.append(partial(np.asarray, opened))
    return Files(tuple(sizes), lambda number: reads[number](), shape)


def file_blocks(path: str | Path, shape: tuple[int, ...] = (), rows: int | None = None) -> Any:
    """Open npy and parquet files as a Dask array whose blocks the workers read.

    The files must be there on every worker under the same path. No record passes the scheduler.

    Parameters
    ----------
    path
        An npy file, a parquet file, or a folder of such files.
    shape
        Of one record, where files hold its numbers in a row: the columns of a parquet file, say.
    rows
        Rows of an npy file that are read at once; 32 MB of numbers by default. Parquet files are
        read by their row groups.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "a.npy"
    >>> np.save(file, np.ones((10, 4)))
    >>> blocks = file_blocks(file, (2, 2), rows=4)
    >>> blocks.shape, blocks.chunks[0]
    ((10, 2, 2), (4, 4, 2))
    """
    units: list[tuple[Path, int, int, int]] = []
    for file, opened in _opened(Path(path).resolve(), shape):
        ends = _ends(opened, rows)
        starts = [0, *ends[:-1]]
        units += [(file, len(opened), *ends) for ends in zip(starts, ends, strict=True)]
    if not units:
        raise InvalidRecordError(f"{Path(path).name} holds no records.")
    first = read_rows(*units[0][:2], 0, 1, shape)
    one = shape or first.shape[1:]
    sizes = tuple(stop - start for _, _, start, stop in units)
    paths = (str(Path(path).resolve()),)
    files = Files(sizes, partial(_unit, tuple(units), one), one, paths)
    return dask_array(files, one, first.dtype)


def _opened(path: Path, shape: tuple[int, ...]) -> list[tuple[Path, Any]]:
    """Open files that hold records; all of one kind of numbers, which may say what they mean."""
    opened = [(file, OPENERS.named(file.suffix)(file, shape)) for file in _files(path)]
    found = [(file, part) for file, part in opened if len(part)]
    # Parquet files are read as floats, whatever they hold.
    kinds = {getattr(part, "dtype", DOUBLE).kind: file.name for file, part in reversed(found)}
    if len(kinds) > 1:
        first, second, *_ = kinds.values()
        raise InvalidRecordError(
            f"{first} and {second} hold numbers of different types, such as integers and floats; "
            "save all files in one type."
        )
    return found


def _files(path: Path) -> list[Path]:
    if path.is_file() and path.suffix in OPENERS:
        return [path]
    inside = path.iterdir() if path.is_dir() else ()
    files = sorted(file for file in inside if file.suffix in OPENERS)
    if not files:
        raise InvalidRecordError(f"{path.name} holds neither npy nor parquet files.")
    return files


def _ends(opened: Any, rows: int | None) -> list[int]:
    """Return where the parts of a file end that are read at once."""
    if isinstance(opened, Files):
        return opened.ends
    width = max(1, int(np.prod(opened.shape[1:])))
    step = rows or max(1, BLOCK_NUMBERS // width)
    return [min(start + step, len(opened)) for start in range(0, len(opened), step)]


def read_rows(
    file: Path, length: int, start: int, stop: int, shape: tuple[int, ...]
) -> NDArray[Any]:
    """Read some rows of a file into memory, or say that it is not the file that was opened."""
    opened = OPENERS.named(file.suffix)(file, shape)
    if len(opened) != length:
        raise MachinesError(f"{file.name} has {len(opened)} rows there, not {length}")
    return np.array(opened[start:stop])


def _unit(
    units: tuple[tuple[Path, int, int, int], ...], shape: tuple[int, ...], number: int
) -> NDArray[Any]:
    """Read one part of the files of a folder."""
    rows = read_rows(*units[number], shape)
    return rows.reshape(len(rows), *shape)


@dataclass(frozen=True, eq=False)
class Files(Source):
    """Records of files, in parts one after the other, of which no more is read than is asked for.

    ``sizes``: records of each part. ``read``: takes the number of a part and gives its records.
    Where workers read, it travels: a function at the top of a module, or a ``partial`` of one.
    ``shape``: of one record, where parts hold its numbers in a row. ``paths``: files and folders
    that it reads.
    """

    sizes: tuple[int, ...]
    read: Callable[[int], Any]
    shape: tuple[int, ...] = ()
    paths: tuple[str, ...] = ()

    @cached_property
    def ends(self) -> list[int]:
        """Where each part ends."""
        return [int(end) for end in np.cumsum(self.sizes)]

    def __len__(self) -> int:
        return self.ends[-1] if self.sizes else 0

    def __getitem__(self, rows: int | slice | Sequence[int] | NDArray[np.intp]) -> NDArray[Any]:
        if isinstance(rows, int):
            return np.asarray(self[[rows]][0])
        places = range(len(self))[rows] if isinstance(rows, slice) else np.asarray(rows)
        if isinstance(places, range) and places.step == 1:
            found = self._between(places.start, places.stop)
        else:
            found = self._at(np.asarray(places, dtype=np.intp))
        return found.reshape(len(found), *self.shape) if self.shape else found

    def _at(self, places: NDArray[np.intp]) -> NDArray[Any]:
        """Return single rows, in any order; each part is read once."""
        owners = np.searchsorted(self.ends, places, side="right")
        order = np.argsort(owners, kind="stable")
        pieces = [np.empty((0, 0))]
        for number in np.unique(owners).tolist():
            begin = self.ends[number] - self.sizes[number]
            pieces.append(_read(self, number)[places[owners == number] - begin])
        found = np.concatenate(pieces[1:] or pieces)
        return found[np.argsort(order)]

    def _between(self, start: int, stop: int) -> NDArray[Any]:
        pieces, number = [], bisect_right(self.ends, start)
        while start < stop:
            begin = self.ends[number] - self.sizes[number]
            end = min(stop, self.ends[number])
            pieces.append(_read(self, number)[start - begin : end - begin])
            start, number = end, number + 1
        return pieces[0] if len(pieces) == 1 else np.concatenate(pieces or [np.empty((0, 0))])


@lru_cache(maxsize=1)  # neighbouring blocks lie in one part
def _read(files: Files, number: int) -> NDArray[Any]:
    return np.asarray(files.read(number))


def dask_array(files: Files, shape: tuple[int, ...], dtype: Any = np.float64) -> Any:
    """Return the records of files as a Dask array; workers read them, each after its check.

    Small parts that lie beside each other are read together, by one worker, so that no record
    travels.
    """
    import dask.array as da
    from dask import delayed

    # One node of the graph, which every worker gets once.
    how = delayed(partial(read_parts, files), pure=False, traverse=False)
    task = delayed(partial(on_fit_machine, versions(), None), pure=False)
    blocks, number = [], 0
    for size in block_sizes(files.sizes, max(1, int(np.prod(shape)))):
        first, left = number, size
        while left > 0:
            left, number = left - files.sizes[number], number + 1
        read = task(how, first, number, (size, *shape))
        blocks.append(da.from_delayed(read, (size, *shape), dtype))
    return da.concatenate(blocks)


def read_parts(files: Files, first: int, end: int, shape: Sequence[int]) -> np.ndarray[Any, Any]:
    """Read parts one after the other, or say that they are not those that were announced."""
    require_seen(files.paths)
    try:
        whole = np.concatenate([np.asarray(files.read(number)) for number in range(first, end)])
        if whole.shape != tuple(shape):
            raise MachinesError(f"records have shape {whole.shape} there, not {tuple(shape)}")
    except (OSError, MachinesError) as error:
        raise MachinesError(
            f"The machine {platform.node()} cannot read its part of the data: {reason_of(error)}; "
            "the same files must be there on every worker, under the same path."
        ) from error
    return whole
