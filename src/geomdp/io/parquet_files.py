"""Records in parquet files (needs pyarrow, extra ``io``)."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError, MachinesError
from geomdp.io.cells import gap_notes, number_or_nan
from geomdp.io.formats import FORMATS, FileParts, Format, Value, alike
from geomdp.io.limits import require_plausible
from geomdp.io.tables import Choices, Raw, Texts, chosen, damaged, needs_extra, shown
from geomdp.statistics.base import Statistic


def read_parquet(path: Path, choices: Choices, gaps: bool = False) -> Raw:
    """Read columns of numbers, or one column of lists, one list a record.

    With ``gaps`` a null is no mistake: the statistic fills it.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.parquet"
    >>> write_parquet(path, ("x", "y"), np.array([1.0, 2.0]))
    >>> read_parquet(path, Choices()).values.tolist()
    [[1.0, 2.0]]
    """
    table = _opened(path, lambda file: file.read())
    return _raw(table, path, choices, None, gaps)


def _opened(path: Path, take: Callable[[Any], Any]) -> Any:
    """Take something of a file, which must be of a plausible size."""
    _, parquet = _pyarrow()
    try:
        with parquet.ParquetFile(path) as file:
            cells_claimed = file.metadata.num_rows * file.metadata.num_columns
            require_plausible(path, cells_claimed * np.dtype(np.float64).itemsize)
            return take(file)
    except (InvalidRecordError, MachinesError):
        raise
    # A damaged file fails in many ways (Arrow's own errors, names that are no UTF-8).
    except Exception as error:
        raise damaged(path, "parquet", error) from error


def _raw(table: Any, path: Path, choices: Choices, width: int | None, gaps: bool) -> Raw:
    """Return the numbers and labels of a table; lists have a known width, or the usual one."""
    wanted = chosen(table.column_names, choices, path.name)
    try:
        labels = {name: _texts(table[name].to_pylist()) for name in choices.keep}
        fast = {name: _numbers(table[name]) for name in wanted}
        cells = {name: table[name].to_pylist() for name in wanted if fast[name] is None}
    except Exception as error:
        raise damaged(path, "parquet", error) from error
    if gaps:
        cells = {name: [_with_nan(cell) for cell in cells[name]] for name in cells}
    slow = {name: _column(cells[name], name, path.name, choices, width) for name in cells}
    columns = [found if (found := fast[name]) is not None else slow[name] for name in wanted]
    values = _side_by_side(columns, path.name)
    notes = gap_notes(values, path.name) if choices.keep_unparsable and not gaps else ()
    return Raw(values, tuple(wanted), labels, notes)


def _row_group(
    path: Path,
    groups: tuple[int, ...],
    rows: int,
    choices: Choices,
    width: int | None,
    gaps: bool,
    number: int,
) -> Raw:
    """Read one row group: on a worker."""

    def take(file: Any) -> Any:
        if file.metadata.num_rows != rows:
            raise MachinesError(f"{path.name} has {file.metadata.num_rows} rows there, not {rows}")
        return file.read_row_group(groups[number], columns=list(choices.columns))

    return _raw(_opened(path, take), path, choices, width, gaps)


def _list_width(schema: Any, wanted: Sequence[str], path: Path) -> int | None:
    """Return how long the lists of a column are, by the schema alone; None for numbers."""
    arrow, _ = _pyarrow()
    kinds = [schema.field(name).type for name in wanted]
    if len(kinds) == 1 and arrow.types.is_fixed_size_list(kinds[0]):
        return int(kinds[0].list_size)
    if any(arrow.types.is_nested(kind) for kind in kinds):
        raise InvalidRecordError(
            f"{path.name} holds lists whose length each record says by itself; for workers of a "
            "cluster write columns of numbers, or lists of a fixed size."
        )
    return None


def write_parquet(path: Path, names: tuple[str, ...], row: NDArray[np.float64]) -> None:
    """Write one row of numbers.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "value.parquet"
    >>> write_parquet(path, ("x",), np.array([0.5]))
    >>> path.exists()
    True
    """
    arrow, parquet = _pyarrow()
    columns = [row] if len(names) == 1 and row.size > 1 else row.reshape(-1, 1)
    listed = [[column.tolist()] if column.size > 1 else column.tolist() for column in columns]
    parquet.write_table(arrow.table(dict(zip(names, listed, strict=True))), path)


def _side_by_side(columns: list[NDArray[np.float64]], file: str) -> NDArray[np.float64]:
    if len(columns) == 1 and columns[0].ndim == 2:
        return columns[0]
    if any(column.ndim != 1 for column in columns) or not columns:
        raise InvalidRecordError(
            f"{file} has several columns of lists; choose one, or columns of numbers, with "
            "--column."
        )
    return np.stack(columns, axis=1)


def _numbers(column: Any) -> NDArray[np.float64] | None:
    """Return a column of numbers, or of lists of one length, without a Python object a cell.

    None where there are gaps, lists of several lengths, or anything else: that is read cell by
    cell.
    """
    arrow, _ = _pyarrow()
    kinds = arrow.types
    if column.null_count or not len(column):
        return None
    if kinds.is_integer(column.type) or kinds.is_floating(column.type):
        return np.asarray(column.to_numpy(), dtype=np.float64)
    if not (kinds.is_list(column.type) or kinds.is_fixed_size_list(column.type)):
        return None
    parts = [_rectangle(chunk) for chunk in column.chunks if len(chunk)]
    widths = {part.shape[1] for part in parts if part is not None}
    if len(widths) != 1 or any(part is None for part in parts):
        return None
    return np.concatenate([part for part in parts if part is not None])


def _rectangle(chunk: Any) -> NDArray[np.float64] | None:
    """Return lists of one length as rows; None where they are not, or hold no numbers."""
    arrow, _ = _pyarrow()
    entries = chunk.flatten()
    kinds = arrow.types
    numeric = kinds.is_integer(entries.type) or kinds.is_floating(entries.type)
    lengths = np.unique(chunk.value_lengths().to_numpy(zero_copy_only=False))
    if not numeric or entries.null_count or len(lengths) != 1 or lengths[0] == 0:
        return None
    numbers = np.asarray(entries.to_numpy(zero_copy_only=False), dtype=np.float64)
    return numbers.reshape(len(chunk), -1)


def _column(
    cells: list[Any], name: str, file: str, choices: Choices, width: int | None
) -> NDArray[np.float64]:
    if choices.keep_unparsable:
        return _with_gaps(cells, width)
    try:
        array = np.array(cells)
    except (ValueError, OverflowError):
        raise InvalidRecordError(
            f"{file}, column {shown(name)} holds lists of different lengths."
        ) from None
    if array.dtype.kind not in "biuf":
        bad = next((cell for cell in cells if not isinstance(cell, int | float)), None)
        raise InvalidRecordError(
            f"{file}, column {shown(name)}: {_quoted(bad)} is not a number; correct it, or choose "
            "the columns of numbers with --column."
        )
    return array.astype(np.float64)


def _with_nan(cell: Any) -> Any:
    """Return a number as it is, a null as NaN, and a list with NaN for its nulls."""
    if isinstance(cell, list):
        return [_with_nan(entry) for entry in cell]
    return np.nan if cell is None else cell


def _with_gaps(cells: list[Any], width: int | None) -> NDArray[np.float64]:
    """Return a column with NaN where there is no number; a list of unusual length is all NaN."""
    lengths = Counter(len(cell) for cell in cells if isinstance(cell, list))
    if not lengths and width is None:
        return np.array([number_or_nan(cell) for cell in cells])
    usual = lengths.most_common(1)[0][0] if width is None else width
    table = np.full((len(cells), usual), np.nan)
    for i, cell in enumerate(cells):
        if isinstance(cell, list) and len(cell) == usual:
            table[i] = [number_or_nan(entry) for entry in cell]
    return table


def _texts(cells: list[Any]) -> Texts:
    return np.array(["" if cell is None else str(cell) for cell in cells], dtype=str)


def _quoted(cell: Any) -> str:
    return shown(cell) if isinstance(cell, str) else shown(repr(cell))[1:-1]


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise needs_extra("pyarrow") from None
    return pyarrow, pyarrow.parquet


class Parquet(Format):
    """Columns of numbers, or one of lists; a value is a table of one row."""

    endings = (".parquet",)
    value_file = "value.parquet"

    def read(self, path: Path, choices: Choices, statistic: Statistic) -> Raw:  # noqa: D102
        return read_parquet(path, choices, statistic.fills_gaps)

    def parts(self, path: Path, choices: Choices, statistic: Statistic) -> FileParts:
        """Row groups; the labels are read here."""

        def take(file: Any) -> tuple[dict[int, int], tuple[str, ...], int | None, Any]:
            groups = range(file.metadata.num_row_groups)
            sizes = {group: file.metadata.row_group(group).num_rows for group in groups}
            wanted = tuple(chosen(file.schema_arrow.names, choices, path.name))
            width = _list_width(file.schema_arrow, wanted, path)
            return sizes, wanted, width, file.read(columns=list(choices.keep))

        found, wanted, width, kept = _opened(path, take)
        sizes = {group: size for group, size in found.items() if size}
        count = sum(sizes.values())
        if not count:
            raise InvalidRecordError(f"{path.name} holds no records.")
        labels = {name: _texts(kept[name].to_pylist()) for name in choices.keep}
        example = Raw(alike(count, np.zeros(width or len(wanted))), wanted, labels)
        alone = replace(choices, keep=(), columns=wanted)
        read = partial(_row_group, path, tuple(sizes), count, alone, width, statistic.fills_gaps)
        return FileParts(tuple(sizes.values()), read, example)

    def streams(self, path: Path) -> bool:
        """Say yes where the schema tells how long records are."""
        nested = _pyarrow()[0].types.is_nested
        return not _opened(path, lambda file: any(nested(f.type) for f in file.schema_arrow))

    def write(self, file: Path, value: Value) -> None:  # noqa: D102
        write_parquet(file, value.names, value.row)


FORMATS.register("parquet", Parquet())
