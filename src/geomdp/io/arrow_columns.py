"""Columns of Arrow tables as numbers, lists and texts: a row by itself, without a Python object."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geomdp.io.cells import text_of
from geomdp.io.shapes import in_full, sizes_in_words
from geomdp.io.tables import Texts, needs_extra
from geomdp.runtime.limits import require_plausible
from geomdp.spaces.record_shape import RecordShape, Triangle
from geomdp.spaces.rows import real_number

#: What a column holds, by the schema alone.
Kind: TypeAlias = Literal["number", "text", "list", "other"]


def pyarrow_or_refuse() -> tuple[Any, Any]:
    """Return the package and its part for parquet files, or say how to install it."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise needs_extra("pyarrow") from None
    return pyarrow, pyarrow.parquet


def kind_of(kind: Any) -> Kind:
    """Tell what a column of an Arrow type holds."""
    types = pyarrow_or_refuse()[0].types
    if types.is_dictionary(kind):
        kind = kind.value_type
    if _is_number(kind):
        return "number"
    if types.is_string(kind) or types.is_large_string(kind):
        return "text"
    if _is_list(kind):
        inner = kind.value_type.value_type if _is_list(kind.value_type) else kind.value_type
        return "list" if _is_number(inner) else "other"
    return "other"


def _is_number(kind: Any) -> bool:
    types = pyarrow_or_refuse()[0].types
    plain = types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)
    return plain or types.is_decimal(kind) or types.is_null(kind)


def _is_list(kind: Any) -> bool:
    types = pyarrow_or_refuse()[0].types
    return types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)


@dataclass(frozen=True, eq=False)
class Column:
    """The numbers of a column, NaN where there is none.

    ``numbers``: one a row; of lists as many as the plan says. ``null``, ``unfit``: rows in which
    something is missing, and rows that are no numbers or of another length. ``found``: what the
    rows hold, to be named in a complaint. ``needed``: how many numbers a list should have, in
    words.
    """

    numbers: NDArray[np.float64]
    null: NDArray[np.bool_]
    unfit: NDArray[np.bool_]
    found: Any
    needed: str = ""

    @classmethod
    def of(cls, column: Any, shape: RecordShape, triangle: Triangle) -> "Column":
        """Read a column of an Arrow table."""
        kind = kind_of(column.type)
        if kind == "list":
            return _of_lists(column, shape, triangle)
        null = np.asarray(column.is_null().to_numpy(), dtype=bool)
        if kind == "number":
            return cls(_doubles(column), null, np.zeros(len(column), dtype=bool), column)
        numbers = _mapped(column, real_number, np.float64, np.nan)
        return cls(numbers, null, ~null, column)  # a text is no number, whatever it says

    @staticmethod
    def shape_of(kinds: Sequence[Any], shape: RecordShape) -> tuple[int, ...]:
        """Return the shape of one record's values in columns of these types."""
        if kind_of(kinds[0]) != "list":
            return (len(kinds),)
        if _is_fixed(kinds[0]):
            return (int(kinds[0].list_size),)
        return shape.shape if _is_list(kinds[0].value_type) else (shape.size,)

    def bad(self, gaps: bool) -> NDArray[np.intp]:
        """Return the rows that are no record; with ``gaps`` one in which a number is missing is."""
        return np.flatnonzero(self.unfit if gaps else self.unfit | self.null)

    def complaint(self, row: int) -> str:
        """Say what is wrong with a row."""
        if not self.unfit[row]:
            return "a number is missing"
        if self.needed:
            held = self.found[row].values
            count = "no list" if held is None else f"a list of {len(held)}"
            return f"{count} where {self.needed} numbers are needed"
        return f"{text_of(_held(self.found[row]))[:40]!r} is not a number"


def texts_of(column: Any, path: Path) -> Texts:
    """Return labels or persons, each by itself; empty where there is none."""
    return _mapped(column, text_of, np.str_, "", path)


def _mapped(
    column: Any, convert: Any, dtype: Any, missing: Any, path: Path | None = None
) -> NDArray[Any]:
    """Convert each different value once, so that a value that is repeated takes no room again."""
    types, parts = pyarrow_or_refuse()[0].types, [np.empty(0, dtype=dtype)]
    for chunk in column.chunks:
        coded = chunk if types.is_dictionary(chunk.type) else chunk.dictionary_encode()
        known = [convert(_held(value)) for value in coded.dictionary]
        places = coded.indices.fill_null(len(known)).to_numpy(zero_copy_only=False)
        converted = np.array([*known, missing], dtype=dtype)
        if path is not None:
            require_plausible(path, converted.itemsize * len(column))
        parts.append(converted[places])
    return np.concatenate(parts)


def _held(value: Any) -> Any:
    """Return a value as Python's; the bytes of a text that is none, nothing for other odd ones."""
    value = value.value if hasattr(value, "dictionary") else value
    try:
        return value.as_py()
    except Exception:  # a text that is no UTF-8, a date beyond the years that Python knows
        return value.as_buffer().to_pybytes() if hasattr(value, "as_buffer") else None


def _doubles(column: Any) -> NDArray[np.float64]:
    """Return numbers of any type as doubles; NaN for a null."""
    arrow = pyarrow_or_refuse()[0]
    if arrow.types.is_dictionary(column.type):
        return _mapped(column, real_number, np.float64, np.nan)
    if arrow.types.is_float16(column.type):
        column = column.cast(arrow.float32())
    found = column.cast(arrow.float64(), safe=False).fill_null(np.nan)
    return np.array(found.to_numpy(), dtype=np.float64)


def _of_lists(column: Any, shape: RecordShape, triangle: Triangle) -> Column:
    parts = [_chunk_of_lists(chunk, shape, triangle) for chunk in column.chunks]
    width = Column.shape_of([column.type], shape)
    none = (np.empty((0, *width)), np.empty(0, dtype=bool), np.empty(0, dtype=bool))
    numbers, null, unfit = map(np.concatenate, zip(none, *parts, strict=True))
    words = f"{width[0]}" if _is_fixed(column.type) else sizes_in_words(shape)
    return Column(numbers, null, unfit, column, words)


def _chunk_of_lists(
    chunk: Any, shape: RecordShape, triangle: Triangle
) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
    """Return rows of numbers, those with a null among them, and those of another length."""
    width = Column.shape_of([chunk.type], shape)
    sizes, entries = _opened(chunk)
    whole = ~np.asarray(chunk.is_null().to_numpy(zero_copy_only=False), dtype=bool)
    if _is_list(chunk.type.value_type):
        sizes, fits, entries = _of_matrices(sizes, entries, shape)
        whole &= fits
    starts = np.cumsum(sizes) - sizes
    numbers = _doubles(pyarrow_or_refuse()[0].chunked_array([entries]))
    gone = np.asarray(entries.is_null().to_numpy(zero_copy_only=False), dtype=bool)
    table, null, unfit = np.full((len(chunk), *width), np.nan), ~whole, np.full(len(chunk), True)
    for size in width if _is_fixed(chunk.type) else dict.fromkeys(shape.flat_sizes):
        rows = np.flatnonzero(whole & (sizes == size))
        places = starts[rows, None] + np.arange(size)
        held = numbers[places]
        full = held if _is_fixed(chunk.type) else in_full(held, shape, triangle)
        table[rows] = full.reshape(len(rows), *width)
        null[rows], unfit[rows] = gone[places].any(axis=1), False
    return table, null, unfit


def _of_matrices(
    sizes: NDArray[np.int64], lists: Any, shape: RecordShape
) -> tuple[NDArray[np.int64], NDArray[np.bool_], Any]:
    """Return how many numbers lists of lists have, whether each is a matrix, and the numbers."""
    inner, entries = _opened(lists)
    ends, starts = np.cumsum(sizes), np.cumsum(sizes) - sizes
    totals = np.concatenate([[0], np.cumsum(inner)])
    fits = np.full(len(sizes), False)
    # A rotation is four numbers, or a matrix.
    matrices = {one for one in (shape.shape, (3, 3)) if len(one) == 2 and shape.accepts(one, False)}
    for height, width in matrices:
        odd = np.concatenate([[0], np.cumsum(inner != width)])
        fits |= (sizes == height) & (odd[ends] == odd[starts])
    return totals[ends] - totals[starts], fits, entries


def _is_fixed(kind: Any) -> bool:
    """Tell whether the type of lists says how many numbers they have."""
    fixed = pyarrow_or_refuse()[0].types.is_fixed_size_list(kind)
    return fixed and not _is_list(kind.value_type)


def _opened(chunk: Any) -> tuple[NDArray[np.int64], Any]:
    """Return how many entries each list has, none where there is no list, and all entries."""
    sizes = chunk.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
    return np.asarray(sizes, dtype=np.int64), chunk.flatten()
