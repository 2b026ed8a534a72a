"""From the cells of a text table to numbers, one record at a time."""

import math
from collections.abc import Sequence
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError
from geomdp.io.tables import shown
from geomdp.records import MISSING


def numbers(
    names: Sequence[str],
    rows: Sequence[Sequence[str]],
    wanted: Sequence[str],
    file: str,
    keep_unparsable: bool = False,
    gaps: bool = False,
    before: int = 0,
) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Return the wanted columns as floats, and notes on the rows with a cell that is no number.

    Such a cell is refused by name, or becomes NaN where ``keep_unparsable`` is set. With ``gaps``
    a cell that is empty, or says that nothing is there, is NaN and no mistake. Rows ``before``
    these are counted where a row is named.

    Examples
    --------
    >>> numbers(["x", "y"], [["1", "two"]], ["y"], "a.csv")
    Traceback (most recent call last):
    geomdp.errors.InvalidRecordError: a.csv, row 1, column 'y': 'two' is not a number; ...
    >>> table, notes = numbers(["x", "y"], [["1", "two"]], ["x", "y"], "a.csv", True)
    >>> table.tolist(), notes
    ([[1.0, nan]], ("a.csv, row 1, column 'y': 'two' is not a number",))
    >>> numbers(["x", "y"], [["1", "NA"]], ["x", "y"], "a.csv", gaps=True)
    (array([[ 1., nan]]), ())
    """
    place_of = {name: place for place, name in enumerate(names)}
    places = [place_of[name] for name in wanted]
    with suppress(ValueError):  # all at once, where every cell is a number
        cells = (row[place] for row in rows for place in places)
        whole = np.fromiter(map(float, cells), np.float64, len(rows) * len(places))
        return whole.reshape(len(rows), len(places)), ()
    table = np.empty((len(rows), len(places)))
    notes = []
    for i, row in enumerate(rows):
        try:
            table[i] = [float(row[place]) for place in places]
        except ValueError:
            table[i] = [number_or_nan(row[place]) for place in places]
            wrong = [place for place in places if not is_number(row[place])]
            if gaps:
                wrong = [place for place in wrong if not _is_missing(row[place])]
            if not wrong:
                continue
            bad = wrong[0]
            place = f"{file}, row {before + i + 1}, column {shown(names[bad])}"
            sentence = f"{place}: {_why(row[bad].strip())}"
            if not keep_unparsable:
                raise InvalidRecordError(f"{sentence}; {_way_out(row[bad].strip())}.") from None
            notes.append(sentence)
    return table, tuple(notes)


def column(names: Sequence[str], rows: Sequence[Sequence[str]], name: str) -> NDArray[np.str_]:
    """Return one column as texts, without blanks around them.

    Examples
    --------
    >>> column(["sex", "x"], [["m ", "1"], ["f", "2"]], "sex").tolist()
    ['m', 'f']
    """
    place = list(names).index(name)
    return np.array([row[place].strip() for row in rows], dtype=str)


def number_or_nan(cell: object) -> float:
    """Return a cell as a float, NaN if it is none.

    Examples
    --------
    >>> [number_or_nan(cell) for cell in ("0.5", "NA", None, True)]
    [0.5, nan, nan, 1.0]
    """
    try:
        return float(cell)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return math.nan


def gap_notes(values: NDArray[np.float64], file: str) -> tuple[str, ...]:
    """Say which records hold a gap, for the curator.

    Examples
    --------
    >>> gap_notes(np.array([[1.0, 2.0], [1.0, np.nan]]), "a.npy")
    ('a.npy, row 2: an entry is not a number',)
    """
    if not values.size or values.ndim == 0:
        return ()
    rows = np.flatnonzero(np.isnan(values).reshape(len(values), -1).any(axis=1))
    return tuple(f"{file}, row {i + 1}: an entry is not a number" for i in rows)


def is_number(cell: str) -> bool:
    """Tell whether Python reads a cell as a number (NaN and infinities included).

    Examples
    --------
    >>> is_number(" 1e-3 "), is_number("NA")
    (True, False)
    """
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _way_out(cell: str) -> str:
    """Say what to do about a cell: as its content suggests, else in general."""
    if _is_missing(cell):
        return "leave the record out or fill the gap, or plan with --invalid public"
    if is_number(cell.replace(",", ".", 1)):
        return "write --decimal , for numbers with a comma"
    if "," in cell and all(is_number(part) for part in cell.split(",")):
        return "commas separate the columns here: leave out --decimal ,"
    parts = cell.split()
    if len(parts) > 1 and all(is_number(part) for part in parts):
        return "separate the cells by commas, semicolons or tabs"
    return "correct it, or choose the columns of numbers with --column"


def _is_missing(cell: str) -> bool:
    return cell.strip().casefold() in MISSING


def _why(cell: str) -> str:
    return f"{shown(cell)} is not a number" if cell else "the cell is empty"
