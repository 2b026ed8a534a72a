"""Many files as one source: npy files are mapped, parquet files read a row group at a time."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError


def open_files(folder: str | Path, shape: tuple[int, ...] = ()) -> "Joined":
    """Open the npy and parquet files of a folder, in the order of their names, as one source.

    Parameters
    ----------
    folder
        Holds the files.
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
    files = sorted(file for file in Path(folder).iterdir() if file.suffix in _OPENERS)
    if not files:
        raise InvalidRecordError(f"{Path(folder).name} holds neither npy nor parquet files.")
    parts = [_OPENERS[file.suffix](file) for file in files]
    return Joined(tuple(part for part in parts if len(part)), shape)


@dataclass(frozen=True, eq=False)
class Joined:
    """Parts one after the other, of which no more is read than is asked for."""

    parts: tuple[Any, ...]
    shape: tuple[int, ...] = ()

    @cached_property
    def _ends(self) -> list[int]:
        return [int(end) for end in np.cumsum([len(part) for part in self.parts])]

    def __len__(self) -> int:
        return self._ends[-1] if self.parts else 0

    def __getitem__(self, rows: slice | Sequence[int] | NDArray[np.intp]) -> NDArray[Any]:
        places = range(len(self))[rows] if isinstance(rows, slice) else np.asarray(rows)
        if isinstance(places, range) and places.step == 1:
            found = self._between(places.start, places.stop)
        else:
            found = np.array([self._between(int(i), int(i) + 1)[0] for i in places])
        return found.reshape(len(found), *self.shape) if self.shape else found

    def _between(self, start: int, stop: int) -> NDArray[Any]:
        pieces, number = [], bisect_right(self._ends, start)
        while start < stop:
            begin = self._ends[number] - len(self.parts[number])
            end = min(stop, self._ends[number])
            pieces.append(np.asarray(self.parts[number][start - begin : end - begin]))
            start, number = end, number + 1
        return pieces[0] if len(pieces) == 1 else np.concatenate(pieces or [np.empty((0, 0))])


@dataclass(frozen=True, eq=False)
class RowGroup:
    """The numbers of a row group of a parquet file, read when they are asked for."""

    file: Path
    number: int
    length: int

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, rows: slice) -> NDArray[np.float64]:
        return _numbers(self.file, self.number)[rows]


@lru_cache(maxsize=1)  # neighbouring chunks lie in one group
def _numbers(file: Path, number: int) -> NDArray[np.float64]:
    import pyarrow.parquet

    with pyarrow.parquet.ParquetFile(file) as opened:
        table = opened.read_row_group(number)
    columns = [table[name].to_numpy() for name in table.column_names]
    try:
        return np.stack([np.asarray(column, dtype=np.float64) for column in columns], axis=1)
    except (TypeError, ValueError):
        raise InvalidRecordError(
            f"{file.name} holds columns that are no numbers; write one with the columns of the "
            "records alone."
        ) from None


def _open_parquet(file: Path) -> Joined:
    import pyarrow.parquet

    with pyarrow.parquet.ParquetFile(file) as opened:
        meta = opened.metadata
        sizes = [meta.row_group(i).num_rows for i in range(meta.num_row_groups)]
    return Joined(tuple(RowGroup(file, i, size) for i, size in enumerate(sizes) if size))


def _open_npy(file: Path) -> NDArray[Any]:
    return np.load(file, mmap_mode="r", allow_pickle=False)


_OPENERS: dict[str, Callable[[Path], Any]] = {".npy": _open_npy, ".parquet": _open_parquet}
