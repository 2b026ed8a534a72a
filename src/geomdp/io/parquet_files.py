"""Records in parquet files (needs pyarrow, extra ``io``)."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError
from geomdp.io.tables import Choices, Raw, chosen, damaged, needs_extra


def read_parquet(path: Path, choices: Choices) -> Raw:
    """Read columns of numbers, or one column of lists, one list a record.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.parquet"
    >>> write_parquet(path, ("x", "y"), np.array([1.0, 2.0]))
    >>> read_parquet(path, Choices()).values.tolist()
    [[1.0, 2.0]]
    """
    arrow, parquet = _pyarrow()
    try:
        table = parquet.read_table(path)
    except (arrow.ArrowException, OSError) as error:
        raise damaged(path, "parquet", error) from error
    wanted = chosen(table.column_names, choices, path.name)
    labels = {name: np.array(table[name].to_pylist(), dtype=str) for name in choices.keep}
    return Raw("parquet", _numbers(table, wanted, path.name), tuple(wanted), labels)


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


def _numbers(table: Any, wanted: list[str], file: str) -> NDArray[np.float64]:
    columns = [_column(table[name].to_pylist(), name, file) for name in wanted]
    if len(columns) == 1 and columns[0].ndim == 2:
        return columns[0]
    if any(column.ndim > 1 for column in columns) or not columns:
        raise InvalidRecordError(
            f"{file} has several columns of lists; choose one, or columns of numbers, with "
            "--column."
        )
    return np.stack(columns, axis=1)


def _column(cells: list[Any], name: str, file: str) -> NDArray[np.float64]:
    try:
        array = np.array(cells)
    except ValueError:
        raise InvalidRecordError(
            f"{file}, column {name!r} holds lists of different lengths."
        ) from None
    if array.dtype.kind not in "biuf":
        bad = next((cell for cell in cells if not isinstance(cell, int | float)), None)
        raise InvalidRecordError(
            f"{file}, column {name!r}: {bad!r} is not a number; correct it, or choose the columns "
            "of numbers with --column."
        )
    return array.astype(np.float64)


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise needs_extra("pyarrow") from None
    return pyarrow, pyarrow.parquet
