"""From the cells of a text table to numbers, one record at a time."""

import hashlib
import math
import re
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError, way_out_of_unit
from geomdp.io.tables import listed, shown
from geomdp.spaces.rows import MISSING, real_number, without_point

#: Characters of a label or an id, beyond which it is told by a hash.
LONGEST_TEXT = 128
#: What is wrong with a record, and what to do; None if nothing is.
Complaint: TypeAlias = tuple[str, str] | None


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
    a cell that is empty, or says that nothing is there, is NaN and no mistake. Rows are named as
    the file shows them, after those ``before`` these, its header among them.
    """
    place_of = {name: place for place, name in enumerate(names)}
    places = [place_of[name] for name in wanted]
    with suppress(ValueError, IndexError):  # all at once, where every cell is a number
        if all(len(row) == len(names) for row in rows):
            cells = [row[place] for row in rows for place in places]
            if "_" not in "".join(cells):  # Python's rule is then that of one cell
                whole = np.fromiter(map(float, cells), np.float64, len(cells))
                return whole.reshape(len(rows), len(places)), ()
    table = np.full((len(rows), len(places)), np.nan)
    found = []
    for i, row in enumerate(rows):
        wrong = _unfit(row, names)
        if wrong is None:
            table[i] = [real_number(row[place]) for place in places]
            wrong = _unreadable([(names[place], row[place]) for place in places], gaps)
        if wrong is not None:
            found.append((f"{file}, row {before + i + 1}{wrong[0]}", wrong[1]))
    if found and not keep_unparsable:
        texts = _columns_of_text(place_of, rows, wanted)
        raise InvalidRecordError(f"{found[0][0]}{and_more(len(found))}; {found[0][1]}{texts}.")
    return table, tuple(sentence for sentence, _ in found)


def _columns_of_text(
    place_of: dict[str, int], rows: Sequence[Sequence[str]], wanted: Sequence[str]
) -> str:
    """Say which of the wanted columns hold no number at all, and which hold some.

    They are named and never left out: what counts as a number of a record must not depend on
    what others wrote.
    """
    whole = [row for row in rows if len(row) == len(place_of)]
    some = [name for name in wanted if any(is_number(row[place_of[name]]) for row in whole)]
    texts = [name for name in wanted if name not in some]
    if not (whole and some and texts):
        return ""
    return f" (no number stands in {listed(texts)}; numbers in {listed(some)})"


def _unfit(row: Sequence[str], names: Sequence[str]) -> Complaint:
    """Say what is wrong with a line that has not one cell a column: its numbers are no record."""
    if len(row) == len(names):
        return None
    counted = f": it has {len(row)} cells where there are {len(names)} columns"
    return counted, "the file may be cut short or mix tables"


def _unreadable(cells: Sequence[tuple[str, str]], gaps: bool) -> Complaint:
    """Say what is wrong with the first cell that is no number, and what to do."""
    for name, cell in cells:
        if not (is_number(cell) or (gaps and _is_missing(cell))):
            return f", column {shown(name)}: {_why(cell.strip())}", _way_out(cell.strip())
    return None


def and_more(count: int) -> str:
    """Say how many records are like the one that is named."""
    return f" (and {count - 1} more)" if count > 1 else ""


def column(names: Sequence[str], rows: Sequence[Sequence[str]], name: str) -> NDArray[np.str_]:
    """Return one column as texts, without blanks around them; empty where a line ends before it."""
    place = list(names).index(name)
    return np.array([text_of(row[place]) if place < len(row) else "" for row in rows], dtype=str)


def text_of(cell: object) -> str:
    """Return a label or an id as a text, by itself: empty where it is missing.

    A whole number reads the same however its column is stored, and a text of unusual length is
    told from others by a hash: all texts of an array take the room of the longest.
    """
    if isinstance(cell, bytes):
        cell = cell.decode("utf-8", "replace")
    missing = cell is None or (isinstance(cell, float | np.floating) and math.isnan(cell))
    text = "" if missing else str(without_point(cell)).strip()
    if len(text) <= LONGEST_TEXT:
        return text
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return f"{text[:64]} ... {digest}"


def one_a_record(
    labels: NDArray[Any], fits: bool, count: int, name: str, file: str
) -> NDArray[np.str_]:
    """Return an array of labels as texts, if it has one for each record."""
    if not fits or labels.size != count:
        raise InvalidRecordError(
            f"{listed([name])} in {file} has shape {labels.shape}, not one entry for each of the "
            f"{count} records."
        )
    return np.array([text_of(label) for label in labels.reshape(-1).tolist()], dtype=str)


def gap_notes(values: NDArray[np.float64], file: str, before: int = 0) -> tuple[str, ...]:
    """Say which records hold a gap, for the curator; rows ``before`` these are counted."""
    if not values.size or values.ndim == 0:
        return ()
    rows = np.flatnonzero(np.isnan(values).reshape(len(values), -1).any(axis=1))
    return tuple(f"{file}, row {before + i + 1}: an entry is not a number" for i in rows)


def is_number(cell: str) -> bool:
    """Tell whether a cell spells a number (NaN and infinities included)."""
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell  # as geomdp.spaces.rows.number has it


def _way_out(cell: str) -> str:
    """Say what to do about a cell: as its content suggests, else in general."""
    if _is_missing(cell):
        return "leave the record out or fill the gap, or plan with --invalid public"
    if (way_out := way_out_of_unit(cell)) is not None:
        return way_out
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


#: What people and programs write where a number is missing or is a truth value, letters alone.
_NO_NUMBER = frozenset(
    (
        *("na", "nan", "nanind", "inf", "infinity", "infty", "null", "none", "nil", "missing"),
        *("undefined", "undef", "unknown", "empty", "nd", "bdl", "lod", "tbd", "true", "false"),
        "error",
    )
)
#: Five digits in a row, or digits around a decimal mark: an identifier or a measurement.
_LIKE_DATA = re.compile(r"\d{5}|\d[.,]\d")
#: With these a spreadsheet takes a cell of a text table for a formula.
_FORMULA = ("=", "+", "-", "@")
_LONGEST = 64


def cannot_be_data(cell: str) -> bool:
    """Tell whether a cell is a word: neither a number in any spelling, nor a mark for none.

    The value is written under the names of the records' columns. A table without a header, or one
    whose first line is damaged, would publish a person's numbers there; so a line counts as a
    header only if no cell of it can be data.

    What counts is the first letter or digit: numbers begin with a digit behind whatever signs,
    quotes, brackets or currencies; names begin with a letter.
    """
    text = unicodedata.normalize("NFKC", cell).casefold().strip()
    if text.startswith("#") and text.endswith(("!", "?")):
        return False  # what spreadsheets write where a formula fails
    core = "".join(character for character in text if character.isalnum())
    if not core or core in _NO_NUMBER:
        return False
    return core[0].isalpha() and unicodedata.numeric(core[0], None) is None


def published_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names under which a value is written: these, or neutral ones for all columns."""
    if len(set(names)) == len(names) and all(_publishable(name) for name in names):
        return tuple(names)
    return tuple(f"column {i + 1}" for i in range(len(names)))


def _publishable(name: str) -> bool:
    text = unicodedata.normalize("NFKC", name)
    plain = name.isprintable() and len(name) <= _LONGEST
    formula = text.lstrip().startswith(_FORMULA)
    return plain and not formula and cannot_be_data(name) and not _LIKE_DATA.search(text)
