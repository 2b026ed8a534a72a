"""The one road from whatever is handed in, in memory, to rows: every record is read by itself.

A frame, a list, an array of objects, an array of any library: :func:`each` gives its records, and
:func:`numbers` reads one of them, which sees nothing but that record. So no type, length, order or
exception of one record reaches another, and as many rows come out as records went in
(docs/theory/clipping.md). Only an array of plain numbers is read as a whole (:func:`plain`), where
that gives the same bits.
"""

import math
import numbers as kinds
from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import array_api_compat
import numpy as np

from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.spaces.numerics.linalg import home
from geomdp.typing import Array

#: How gaps are written, in small letters: no number, no level, and no name of a person.
MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "missing", ".", "-", "?"})
#: Kinds of NumPy's types that are numbers as they stand.
REAL, COMPLEX = "biuf", "c"
#: Types of entries that NumPy reads as :func:`number` does.
SIMPLE = {bool, int, float, np.float64, np.float32}
#: Whole numbers below this are exact as floats.
WHOLE = 2.0**53
#: Names of what pandas puts where nothing is: it compares with nothing, not even with itself.
GAPS = {"NAType", "NaTType"}


@dataclass(frozen=True, eq=False)
class Rows:
    """Records as numbers."""

    #: One row a record, each in the public shape; what stands in an invalid one does not count.
    numbers: Array
    #: Reason by row for what is no record: for the curator alone.
    invalid: dict[int, str] = field(default_factory=dict)


# --- one entry, one record -------------------------------------------------------------------


def number(cell: Any) -> float | complex:
    """Return one entry as a number; NaN where it says that nothing is there.

    One rule, whatever the entry lies in. A number is a number: of any precision, a truth value (0
    or 1), a decimal, a fraction. A text that spells a number is that number: readers of tables turn
    a whole column into texts because of one cell, which must not change the others. None, pandas'
    NA and NaT, and what :data:`MISSING` lists are gaps. All else is no number (ValueError): other
    texts, dates, objects.
    """
    if isinstance(cell, str | bytes):
        return _spelled(cell if isinstance(cell, str) else cell.decode())
    if isinstance(cell, np.datetime64 | np.timedelta64):  # NumPy calls the second an integer
        raise ValueError
    if isinstance(cell, kinds.Real | Decimal | np.bool_):
        try:
            return float(cell)
        except OverflowError:
            return math.inf
    if isinstance(cell, kinds.Complex):
        return complex(cell)
    if cell is None or type(cell).__name__ in GAPS:
        return math.nan
    if isinstance(cell, np.ndarray) and cell.ndim == 0:
        return number(cell[()])
    raise ValueError


def _spelled(text: str) -> float:
    """Return the number that a text spells; an underscore is no digit."""
    text = text.strip()
    if text.casefold() in MISSING:
        return math.nan
    if "_" in text:
        raise ValueError
    return float(text)


def without_point(cell: Any) -> Any:
    """Return a whole number as an integer, so that it is named alike however it is stored."""
    if not isinstance(cell, float | np.floating):
        return cell
    value = float(cell)
    return int(value) if abs(value) < WHOLE and value.is_integer() else value


def real_number(cell: Any) -> float:
    """Return one entry as a real number, NaN where it is none. Never raises."""
    try:
        found = number(cell)
    except Exception:  # whatever an object does when it is asked for its number
        return math.nan
    return found.real if found.imag == 0 else math.nan


def numbers(record: Any) -> Array:
    """Return one record as doubles in its own shape, complex ones where an entry is complex.

    Entries follow the rule of :func:`number`; gaps are NaN. InvalidRecordError, and nothing else,
    says why a record is none, whatever it is.
    """
    try:
        array = _as_array(record)
    except Exception:  # whatever an object does when it is asked for its numbers
        raise InvalidRecordError("it is no array of numbers") from None
    if array.dtype.kind in REAL + COMPLEX:
        return _doubles(array)
    return _by_entry(array)


def _as_array(record: Any) -> Any:
    """Return a record as an array of numbers, or of objects where some are no plain numbers."""
    if isinstance(record, list | tuple | np.void):
        # As objects: in one type NumPy would turn the numbers beside a text into texts too.
        entries = np.asarray(record.item() if isinstance(record, np.void) else record, dtype=object)
        if {*map(type, entries.flat)} <= SIMPLE:
            with suppress(OverflowError):  # an integer beyond doubles
                return entries.astype(np.float64)
        return entries
    if not isinstance(record, np.ndarray) and array_api_compat.is_array_api_obj(record):
        record = home(record)
    if isinstance(record, np.ma.MaskedArray):
        entries = record.data.astype(object)
        entries[np.ma.getmaskarray(record)] = None
        return entries
    array = np.asarray(record)
    if array.dtype.kind in "mMV":
        raise ValueError
    return array.astype(object) if array.dtype.kind in "US" else array


def _by_entry(array: Any) -> Array:
    found = np.empty(array.size, dtype=np.complex128)
    real = True
    for place, cell in enumerate(array.reshape(-1)):
        try:
            one = number(cell)
        except Exception:  # see numbers()
            what = "it is no array of numbers" if array.ndim == 0 else f"entry {place} is no number"
            raise InvalidRecordError(what) from None
        real = real and isinstance(one, float)
        found[place] = one
    return np.array(found.real if real else found).reshape(array.shape)


def real_numbers(record: Any) -> Array:
    """Return one record as real doubles in its own shape; refuse one with an imaginary part."""
    found = as_real(numbers(record)[None])
    if found.invalid:
        raise InvalidRecordError(found.invalid[0])
    return found.numbers[0]


def as_real(rows: Array) -> Rows:
    """Return rows of numbers as real ones; those with an imaginary part are invalid."""
    if not np.iscomplexobj(rows):
        return Rows(rows)
    axes = tuple(range(1, rows.ndim))
    finite = np.all(np.isfinite(rows), axis=axes)  # a gap is the first thing to say
    wrong = np.flatnonzero(finite & np.any(rows.imag != 0, axis=axes)).tolist()
    real = np.where(rows.imag == 0, rows.real, np.nan)
    return Rows(real, dict.fromkeys(wrong, "it has complex entries"))


# --- many records -----------------------------------------------------------------------------


def each(chunk: Any) -> Sequence[Any]:
    """Return the records of a chunk one by one: rows of a table, entries along the first axis.

    What holds no records in an order is refused: a text, a dictionary, a set.
    """
    if isinstance(chunk, list):
        return chunk
    if is_table(chunk):
        return _table_rows(chunk)
    require_ordered(chunk)
    if isinstance(chunk, np.matrix):  # whose rows are matrices again
        chunk = np.asarray(chunk)
    try:
        return list(home(chunk) if array_api_compat.is_array_api_obj(chunk) else chunk)
    except TypeError:
        raise not_one_a_row() from None


def require_ordered(records: Any) -> None:
    """Refuse what holds no records in an order, or columns where records are expected."""
    by_columns = hasattr(records, "columns") and not is_table(records)
    if by_columns or isinstance(records, str | bytes | Mapping | Set):
        raise not_one_a_row()


def not_one_a_row() -> InvalidRecordError:
    """Say how records are handed in, where they are not."""
    return InvalidRecordError(
        "Records come one a row: an array, a frame, or a list, with records along its first axis; "
        "turn another kind of table into a pandas frame or an array first."
    )


def is_table(chunk: Any) -> bool:
    """Tell whether something is a frame: it walks over names of columns, not over rows."""
    return hasattr(chunk, "columns") and hasattr(chunk, "to_numpy")


def _table_rows(table: Any) -> list[Any]:
    """Return the rows of a table as lists of its cells, each as its own column holds it."""
    if hasattr(table, "itertuples"):
        return [list(row) for row in table.itertuples(index=False, name=None)]
    return list(table.to_numpy())


def plain(chunk: Any) -> Array | None:
    """Return an array of plain numbers as a new one of doubles; None for anything else.

    Rows lie one after the other in memory, so that no sum of a row depends on where they came from.
    Masked entries are gaps.
    """
    array = _whole(chunk)
    if array is None or array.dtype.kind not in REAL + COMPLEX or array.ndim == 0:
        return None
    if isinstance(array, np.ma.MaskedArray):
        return np.where(np.ma.getmaskarray(array), np.nan, _doubles(array.data))
    return _doubles(array, copy=True)


def _whole(chunk: Any) -> Any:
    if isinstance(chunk, np.ndarray):
        return chunk
    if is_table(chunk):
        return chunk.to_numpy()
    return home(chunk) if array_api_compat.is_array_api_obj(chunk) else None


def _doubles(array: Any, copy: bool | None = None) -> Array:
    kind = np.complex128 if array.dtype.kind == COMPLEX else np.float64
    with np.errstate(all="ignore"):
        return np.array(array, dtype=kind, order="C", copy=copy)


def declared_shape(chunk: Any) -> tuple[int, ...] | None:
    """Return the shape of a record where the chunk as a whole has one: a public fact.

    None for lists, and for objects or texts along one axis: there each record has its own.
    """
    if is_table(chunk):
        return (len(chunk.columns),)
    shape = getattr(chunk, "shape", None)
    if not isinstance(shape, tuple) or not shape:
        return None
    kind = getattr(getattr(chunk, "dtype", None), "kind", "")
    return None if len(shape) == 1 and kind in "OUS" else shape[1:]


def rows_of(chunk: Any, read: Callable[[Any], Array], instead: Array) -> Rows:
    """Read every record of a chunk by itself. Total: what cannot be read is invalid.

    ``read`` gives one row from one record, which it sees alone, or raises
    :class:`~geomdp.errors.InvalidRecordError` with the reason; ``instead`` stands in the row of an
    invalid record.
    """
    records = each(chunk)
    out = np.empty((len(records), *instead.shape), dtype=instead.dtype)
    invalid: dict[int, str] = {}
    with np.errstate(all="ignore"):
        for row, record in enumerate(records):
            try:
                out[row] = read(record)
            except InvalidRecordError as error:
                invalid[row] = str(error).rstrip(".")
            except Exception as error:  # one record must never stop the others
                invalid[row] = f"it cannot be read ({type(error).__name__})"
    out[list(invalid)] = instead
    return Rows(out, invalid)


def real_rows(chunk: Any, shape: tuple[int, ...], what: str = "Records") -> Rows:
    """Read records of real numbers, each in one public shape; NaN where one is invalid.

    A chunk that as a whole declares another shape is refused.
    """
    declared = declared_shape(chunk)
    if declared is not None and declared != shape:
        expected = ", ".join(("n", *map(str, shape)))
        raise InvalidRecordError(
            f"{what} come one a row, in shape ({expected}), not {(len(chunk), *declared)}."
        )
    whole = plain(chunk)
    if whole is not None:
        return as_real(whole)

    def read(record: Any) -> Array:
        found = real_numbers(record)
        require_shape(found.shape, shape)
        return found

    return rows_of(chunk, read, np.full(shape, np.nan))


def require_shape(found: tuple[int, ...], *shapes: tuple[int, ...]) -> None:
    """Refuse one record in another shape than the public ones."""
    if found not in shapes:
        raise InvalidRecordError(f"it has shape {found}, not {' or '.join(map(str, shapes))}")


def require_as_many(rows: int, records: int) -> None:
    """Refuse rows that are not as many as the records: nothing was drawn by then."""
    if rows != records:
        raise GeomdpError(
            f"{records} records went in and {rows} rows came out, so that nothing is released; "
            "hand in an array, a frame or a list with one record a row."
        )
