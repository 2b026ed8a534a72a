"""The same records in every container and file that a plan or the command takes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from geomdp.plans import Plan

from .question import Data

#: Rows of a block, for what lies in blocks.
BLOCK = 7


@dataclass(frozen=True, eq=False)
class Source:
    """Records as a plan takes them, or a file with the options by which the command reads it."""

    records: Any = None
    file: Path | None = None
    options: tuple[str, ...] = ()

    def read(self, made: Plan) -> Any:
        """Return what a plan takes."""
        return self.records if self.file is None else read_file(made, self.file, self.options)


def read_file(made: Plan, file: Path, options: Sequence[str]) -> Any:
    """Read a file as ``geomdp release`` does."""
    from geomdp.typed.inputs import Typed
    from geomdp.typed.options import data_options
    from geomdp.typed.records import choices_of, read_data

    typed = dict(zip(options[::2], options[1::2], strict=True))
    named: dict[str, Any] = {name.removeprefix("--"): value for name, value in typed.items()}
    if "labels" in named:
        named["labels"] = Path(named["labels"])
    given = Typed(data_options(), named)
    return read_data(made, file, choices_of(given, made), given)[1]


def flat(record: Any) -> list[Any]:
    """Return the numbers of a record in one row: of a square matrix, the lower triangle.

    >>> flat(np.array([[1.0, 2.0], [2.0, 3.0]])), flat(np.array([1 + 2j]))
    ([1.0, 2.0, 3.0], [1.0, 2.0])
    """
    array = np.array(record)
    if array.dtype.kind == "c":
        array = np.stack([array.real, array.imag], axis=-1)
    if array.ndim == 2 and array.shape[0] == array.shape[1]:
        array = array[np.tril_indices(len(array))]
    return array.ravel().tolist()


def _whole(data: Data) -> Any:
    return np.stack([np.asarray(record) for record in data.raw])


def _nested(record: Any) -> Any:
    return record.tolist() if isinstance(record, np.ndarray) else record


def _array(data: Data, folder: Path) -> Source:
    return Source(data.records(_whole(data)))


def _list(data: Data, folder: Path) -> Source:
    return Source(data.records([_nested(record) for record in data.raw]))


def _object_array(data: Data, folder: Path) -> Source:
    points = np.empty(len(data.raw), dtype=object)
    for i, record in enumerate(data.raw):
        points[i] = record
    return Source(data.records(points))


def _frame(data: Data, folder: Path) -> Source:
    import pandas as pd

    width = max(len(record) for record in data.raw if record is not None)
    rows = [[None] * width if record is None else list(record) for record in data.raw]
    columns = enumerate(zip(*rows, strict=True))
    series = {f"v{i}": pd.Series(cells, dtype=_kind(cells)) for i, cells in columns}
    return Source(data.records(pd.DataFrame(series)))


def _kind(column: Sequence[Any]) -> Any:
    return float if all(isinstance(cell, float) for cell in column) else object


def _memory_map(data: Data, folder: Path) -> Source:
    np.save(folder / "mapped.npy", _whole(data))
    return Source(data.records(np.load(folder / "mapped.npy", mmap_mode="r")))


def _dask(data: Data, folder: Path) -> Source:
    import dask.array as da

    whole = _whole(data)
    return Source(data.records(da.from_array(whole, chunks=(BLOCK, *whole.shape[1:]))))


def _npy(data: Data, folder: Path) -> Source:
    np.save(folder / "data.npy", _whole(data))
    return Source(None, folder / "data.npy", _beside(data, folder))


def _csv(data: Data, folder: Path) -> Source:
    names = [*data.columns, *(f"v{i}" for i in range(_width(data)))]
    lines = [",".join(names), *_lines(data, [*zip(*data.columns.values(), strict=True)])]
    (folder / "data.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return Source(None, folder / "data.csv", (*_by(data), *_layout(data)))


def _headerless_csv(data: Data, folder: Path) -> Source:
    (folder / "data.csv").write_text("\n".join(_lines(data, [])) + "\n", encoding="utf-8")
    options = ("--header", "no", *_beside(data, folder), *_layout(data))
    return Source(None, folder / "data.csv", options)


def _sheet(data: Data, folder: Path) -> Source:
    from geomdp.io.sheet_files import write_sheet

    names = [*data.columns, *(f"v{i}" for i in range(_width(data)))]
    beside = [*zip(*data.columns.values(), strict=True)]
    rows = [
        (*(beside[i] if beside else ()), *(_with_gap(data, "") if one is None else flat(one)))
        for i, one in enumerate(data.raw)
    ]
    write_sheet(folder / "data.xlsx", names, rows)
    return Source(None, folder / "data.xlsx", (*_by(data), *_layout(data)))


def _parquet(data: Data, folder: Path) -> Source:
    import pyarrow as pa

    width = _width(data)
    rows = [_with_gap(data, None) if record is None else flat(record) for record in data.raw]
    cells = {f"v{i}": [row[i] for row in rows] for i in range(width)}
    return _parquet_of(pa.table({**data.columns, **cells}), data, folder)


def _parquet_lists(data: Data, folder: Path) -> Source:
    import pyarrow as pa

    # Every other matrix in full: each list is read by itself.
    rows = [flat(record) if i % 2 else _in_full(record) for i, record in enumerate(data.raw)]
    points = [None if record is None else row for record, row in zip(data.raw, rows, strict=True)]
    return _parquet_of(pa.table({**data.columns, "points": points}), data, folder)


def _in_full(record: Any) -> list[Any]:
    return np.ravel(record).tolist() if np.isrealobj(record) else flat(record)


def _parquet_of(table: Any, data: Data, folder: Path) -> Source:
    from pyarrow import parquet

    parquet.write_table(table, folder / "data.parquet")
    return Source(None, folder / "data.parquet", (*_by(data), *_layout(data)))


def _subjects(data: Data, folder: Path) -> Source:
    inside = folder / "subjects"
    inside.mkdir()
    files = [f"sub-{i:04}.npy" for i in range(len(data.raw))]
    for name, record in zip(files, data.raw, strict=True):
        if isinstance(record, np.ndarray):
            np.save(inside / name, record)
        else:  # an empty file, or one that is no array
            (inside / name).write_text("" if record is None else "n/a")
    return Source(None, inside, (*_beside(data, folder, {"file": files}), *_layout(data)))


def _with_gap(data: Data, gap: Any) -> list[Any]:
    """Return the row of some record with a gap in place of its first number."""
    good = next(record for record in data.raw if isinstance(record, np.ndarray))
    return [gap, *flat(good)[1:]]


def _width(data: Data) -> int:
    """Return how many numbers most records have: a short matrix may have more than a triangle."""
    sizes = [len(flat(record)) for record in data.raw if record is not None]
    return max(set(sizes), key=sizes.count)


def _lines(data: Data, beside: list[tuple[Any, ...]]) -> list[str]:
    """Write records as lines, with what stands beside them first."""
    lines = []
    for i, record in enumerate(data.raw):
        row = _with_gap(data, "") if record is None else flat(record)
        lines.append(",".join([*map(str, beside[i] if beside else ()), *map(_cell, row)]))
    return lines


def _cell(number: Any) -> str:
    return number if isinstance(number, str) else repr(float(number))


def _by(data: Data) -> tuple[str, ...]:
    group = ("--by", "group") if data.group is not None else ()
    return group if data.person is None else (*group, "--person", "person")


def _layout(data: Data) -> tuple[str, ...]:
    landmarks = any(np.iscomplexobj(record) for record in data.raw[:2])
    square = any(np.ndim(one) == 2 and len(set(np.shape(one))) == 1 for one in data.raw)
    order = ("--triangle", "lower") if square else ()
    return ("--layout", "pairs") if landmarks else order


def _beside(data: Data, folder: Path, more: dict[str, list[Any]] | None = None) -> tuple[str, ...]:
    """Write a table about the records, where their file has no columns."""
    if not data.columns:
        return ()
    columns = {**(more or {}), **data.columns}
    rows = [",".join(map(str, row)) for row in zip(*columns.values(), strict=True)]
    (folder / "labels.csv").write_text("\n".join([",".join(columns), *rows]) + "\n")
    return ("--labels", str(folder / "labels.csv"), *_by(data))


#: How records are put into each source.
SOURCES: dict[str, Callable[[Data, Path], Source]] = {
    "array": _array,
    "list": _list,
    "object array": _object_array,
    "frame": _frame,
    "memory-map": _memory_map,
    "dask": _dask,
    "npy": _npy,
    "csv": _csv,
    "headerless csv": _headerless_csv,
    "sheet": _sheet,
    "parquet": _parquet,
    "parquet lists": _parquet_lists,
    "subjects": _subjects,
}
