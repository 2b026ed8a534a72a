"""The numbers of a release as tables."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from geomdp.readings import Compositions, Directions, Reading
from geomdp.report.markup import Content, Html, table, tag
from geomdp.serial import Document, array_digest, array_from_json, is_array
from geomdp.typing import Array

#: Larger values are given by their shape: their file holds every digit.
MOST_NUMBERS, MOST_COLUMNS = 144, 12
#: Columns up to which numbers have six digits.
NARROW = 6
#: Named numbers that stand side by side at most.
MOST_ACROSS = 3
#: What the two angles of a direction are called.
ANGLES = {"dec-inc": ("declination", "inclination"), "lat-lon": ("latitude", "longitude")}


def as_written(point: Array, reading: Reading | None) -> Array:
    """Return shares and angles as files have them; other points in the units of the ball.

    >>> as_written(np.array([0.6, 0.8]), Compositions()).round(4).tolist()
    [0.36, 0.64]
    """
    if isinstance(reading, Compositions | Directions):
        return np.asarray(reading.value(np.asarray(point)))
    return np.asarray(point)


def value_table(
    value: Array,
    file: str = "value.npy",
    names: Sequence[str] = (),
    reading: Reading | None = None,
) -> Html:
    """Return all digits of a small value under its public names, or the file that holds them.

    Shares and angles are written as files have them.

    Examples
    --------
    >>> "0.1" in value_table(np.array([0.1, 0.2]))
    True
    """
    value = np.asarray(value)
    shown = as_written(value, reading)
    rows = number_rows(shown)
    if not rows:
        shape = " x ".join(str(size) for size in value.shape)
        text = f"An array of {shape} numbers; {file} holds them to every digit."
        return tag("p", text, class_="small")
    note = f"{file} holds the same numbers to every digit."
    if isinstance(reading, Directions):
        names = ANGLES[reading.angles]
    if reading is not None and shown is not value:
        note = f"Written as records are: {reading.describe()}. {file} holds the point itself."
    return tag(
        "div", table(*_headed(rows, names), class_="numbers"), tag("p", note, class_="small")
    )


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
    """Return the digits of a small array, row by row; nothing of a large one.

    >>> number_rows(np.eye(2)), number_rows(np.zeros((20, 20)))
    ([['1', '0'], ['0', '1']], [])
    """
    if array.size > MOST_NUMBERS or array.ndim > 2 or array.shape[-1] > MOST_COLUMNS:
        return []
    digits = 6 if array.shape[-1] <= NARROW else 3  # so that a row fits on a page
    return [[_entry(entry, digits) for entry in row] for row in np.atleast_2d(array)]


def manifest_rows(document: Document, prefix: str = "") -> list[list[Content]]:
    """Flatten a manifest into names and values; arrays appear by shape and hash.

    Examples
    --------
    >>> manifest_rows({"a": {"b": 1.5}, "c": "x"})
    [['a.b', '<code>1.5</code>'], ['c', '<code>x</code>']]
    """
    rows: list[list[Content]] = []
    for key, item in document.items():
        name = f"{prefix}{key}"
        if is_array(item):
            rows.append([name, _array(item)])
        elif isinstance(item, dict):
            rows += manifest_rows(item, f"{name}.")
        else:
            rows.append([name, tag("code", _plain(item))])
    return rows


def _array(item: Document) -> Html:
    array = array_from_json(item)
    digest = array_digest(array)
    shape = " x ".join(str(size) for size in array.shape)
    return tag("span", f"{shape} numbers, SHA-256 ", tag("code", digest[:16]))


def _plain(item: Any) -> str:
    if isinstance(item, list):
        return ", ".join(str(part) for part in item) or "none"
    return repr(item) if isinstance(item, float) else str(item)


def _entry(entry: Any, digits: int) -> str:
    if np.iscomplexobj(entry):
        sign = "-" if entry.imag < 0 else "+"
        return f"{entry.real:.{digits}g} {sign} {abs(entry.imag):.{digits}g}i"
    return f"{entry:.{digits}g}"
