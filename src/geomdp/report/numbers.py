"""Numbers as pages write them: those of a release as tables, and every other in one way."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from geomdp.readings import Reading
from geomdp.readings.base import as_written
from geomdp.report.rendering import Block, Folded, Html, Note, Table, part
from geomdp.serial import Document, array_digest, array_from_json, is_array
from geomdp.typing import Array

#: Larger values are given by their shape: their file holds every digit.
MOST_NUMBERS, MOST_COLUMNS = 144, 12
#: Columns up to which numbers have six digits.
NARROW = 6
#: Named numbers that stand side by side at most.
MOST_ACROSS = 3


def shape_words(array: Array) -> str:
    """Return the sizes of an array as people write them."""
    return " x ".join(str(size) for size in array.shape)


def listed(numbers: Iterable[float], digits: int = 6) -> str:
    """Return a few numbers in a row."""
    return ", ".join(f"{number:.{digits}g}" for number in numbers)


def value_table(
    value: Array,
    file: str = "value.npy",
    names: Sequence[str] = (),
    reading: Reading | None = None,
) -> list[Block]:
    """Return all digits of a small value under its public names, or the file that holds them.

    Shares and angles are written as files have them.
    """
    value = np.asarray(value)
    if value.ndim == 1 and np.iscomplexobj(value):
        return _places(value, file, names)
    rewritten = reading is not None and reading.on_pages
    rows = number_rows(as_written(value, reading))
    if not rows:
        text = f"An array of {shape_words(value)} numbers; {file} holds them to every digit."
        return [Note(text)]
    note = f"{file} holds the same numbers to every digit."
    if reading is not None and rewritten:
        names = reading.number_names or names
        note = f"Written as records are: {reading.describe()}. {file} holds the point itself."
    return [Table(*_headed(rows, names), "numbers"), Note(note)]


def _places(value: Array, file: str, names: Sequence[str]) -> list[Block]:
    """Return complex numbers as points of the plane, one a row."""
    named = names if len(names) == value.size else [str(j + 1) for j in range(value.size)]
    rows = number_rows(_as_columns(value))
    if not rows:
        return [Note(f"An array of {shape_words(value)} points; {file} holds them to every digit.")]
    rows = [[name, *row] for name, row in zip(named, rows, strict=True)]
    note = f"{file} holds the same to every digit, as complex numbers x + iy."
    return [Table(["", "x", "y"], rows, "numbers"), Note(note)]


def center_table(center: Array) -> Block:
    """Return every number of a public centre, folded."""
    # A long row is easier to read as a column; complex numbers as x and y.
    plane = np.iscomplexobj(center)
    tall = center.ndim == 1 and (plane or center.size > MOST_COLUMNS)
    found = number_rows(_as_columns(center) if tall else center)
    if not found:
        text = f"The centre is an array of {shape_words(center)}: the plan's file holds it."
        return Note(text)
    head = ["x", "y"] if plane and tall else [str(j + 1) for j in range(len(found[0]))]
    return Folded("The numbers of the centre", Table(head, found, "numbers"))


def _headed(rows: list[list[str]], names: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """Return the head and the rows of a table: names of entries, or of rows, or numbers alone."""
    wide, tall = len(rows[0]), len(rows)
    if len(names) == wide and tall == 1:
        if wide > MOST_ACROSS:  # a phone is taller than wide
            return ["name", "value"], [list(pair) for pair in zip(names, rows[0], strict=True)]
        return list(names), rows
    head = list(names) if len(names) == wide == tall else [str(j + 1) for j in range(wide)]
    if len(names) != tall:
        return head, rows
    return ["", *head], [[name, *row] for name, row in zip(names, rows, strict=True)]


def number_rows(array: Array) -> list[list[str]]:
    """Return the digits of a small array, row by row; nothing of a large one."""
    if array.size > MOST_NUMBERS or array.ndim > 2 or array.shape[-1] > MOST_COLUMNS:
        return []
    digits = 6 if array.shape[-1] <= NARROW else 3  # so that a row fits on a page
    return [[_entry(entry, digits) for entry in row] for row in np.atleast_2d(array)]


def manifest_table(manifest: Document) -> Folded:
    """Return a manifest as names and values, folded; arrays appear by shape and hash."""
    rows = Table(["name", "value"], manifest_rows(manifest), "stack")
    return Folded("Numbers of the manifest", rows)


def manifest_rows(document: Document, prefix: str = "") -> list[list[str]]:
    """Flatten a manifest into names and values."""
    rows: list[list[str]] = []
    for key, item in document.items():
        name = f"{prefix}{key}"
        if is_array(item):
            rows.append([name, _array(item)])
        elif isinstance(item, dict):
            rows += manifest_rows(item, f"{name}.")
        else:
            rows.append([name, part("hashed", "", _plain(item))])
    return rows


def _array(item: Document) -> Html:
    array = array_from_json(item)
    return part("hashed", f"{shape_words(array)} numbers, SHA-256 ", array_digest(array)[:16])


def _plain(item: Any) -> str:
    if isinstance(item, list):
        return ", ".join(str(one) for one in item) or "none"
    return repr(item) if isinstance(item, float) else str(item)


def _entry(entry: Any, digits: int) -> str:
    if np.iscomplexobj(entry):
        sign = "-" if entry.imag < 0 else "+"
        return f"{entry.real:.{digits}g} {sign} {abs(entry.imag):.{digits}g}i"
    return f"{entry:.{digits}g}"


def _as_columns(row: Array) -> Array:
    return np.column_stack([row.real, row.imag] if np.iscomplexobj(row) else [row])
