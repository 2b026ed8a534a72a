"""Records in text tables: one row a record, with or without a header."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError
from geomdp.io.tables import Choices, Raw, chosen, damaged

#: Names of the columns, and the rows as texts.
TextTable: TypeAlias = tuple[list[str], list[list[str]]]


def read_csv(path: Path, choices: Choices) -> Raw:
    r"""Read a table of numbers separated by commas, semicolons or tabs.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.csv"
    >>> _ = path.write_text("sex,x,y\nm,1,2\nf,3,4\n")
    >>> raw = read_csv(path, Choices(keep=("sex",)))
    >>> raw.values.tolist(), raw.columns["sex"].tolist()
    ([[1.0, 2.0], [3.0, 4.0]], ['m', 'f'])
    """
    names, rows = text_table(path)
    wanted = chosen(names, choices, path.name)
    return Raw(
        "csv",
        numbers(names, rows, wanted, path.name),
        tuple(wanted),
        {name: column(names, rows, name) for name in choices.keep},
    )


def write_csv(path: Path, names: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a table; floats with all their digits.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "value.csv"
    >>> write_csv(path, ["x", "y"], [[0.1, 2.0]])
    >>> path.read_text().split()
    ['x,y', '0.1,2.0']
    """
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(names)
        writer.writerows([float(x) if isinstance(x, float) else x for x in row] for row in rows)


def text_table(path: Path) -> TextTable:
    r"""Read names and rows as texts; without a header the columns are named 1, 2, 3.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.csv"
    >>> _ = path.write_text("1;2\n3;4\n")
    >>> text_table(path)
    (['1', '2'], [['1', '2'], ['3', '4']])
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        if "\0" in text:
            raise ValueError("it has zero bytes")
        delimiter = max(",;\t", key=text.partition("\n")[0].count)
        rows = [row for row in csv.reader(text.splitlines(), delimiter=delimiter) if row]
    except (OSError, ValueError, csv.Error) as error:
        raise damaged(path, "text table", error) from error
    if not rows:
        raise InvalidRecordError(f"{path.name} is empty; there is nothing to read.")
    first = [cell.strip() for cell in rows[0]]
    bare = all(_is_number(cell) for cell in first)
    names = [str(i + 1) for i in range(len(first))] if bare else first
    _check(names, rows, path.name)
    body = rows if bare else rows[1:]
    if not body:
        raise InvalidRecordError(f"{path.name} has a header but no rows.")
    return names, body


def numbers(
    names: Sequence[str], rows: list[list[str]], wanted: Sequence[str], file: str
) -> NDArray[np.float64]:
    """Return the wanted columns as floats, or name the first cell that is none.

    Examples
    --------
    >>> numbers(["x", "y"], [["1", "two"]], ["y"], "a.csv")
    Traceback (most recent call last):
    geomdp.errors.InvalidRecordError: a.csv, row 1, column 'y': 'two' is not a number; ...
    """
    places = [names.index(name) for name in wanted]
    table = np.empty((len(rows), len(places)))
    for i, row in enumerate(rows):
        try:
            table[i] = [float(row[place]) for place in places]
        except ValueError:
            bad = next(place for place in places if not _is_number(row[place]))
            cell = row[bad].strip()
            raise InvalidRecordError(
                f"{file}, row {i + 1}, column {names[bad]!r}: "
                f"{repr(cell) + ' is not a number' if cell else 'the cell is empty'}; correct it, "
                "or choose the columns of numbers with --column."
            ) from None
    return table


def column(names: Sequence[str], rows: list[list[str]], name: str) -> NDArray[np.str_]:
    """Return one column as texts, without blanks around them.

    Examples
    --------
    >>> column(["sex", "x"], [["m ", "1"], ["f", "2"]], "sex").tolist()
    ['m', 'f']
    """
    place = list(names).index(name)
    return np.array([row[place].strip() for row in rows], dtype=str)


def _check(names: list[str], rows: list[list[str]], file: str) -> None:
    repeated = {name for name in names if names.count(name) > 1}
    if repeated:
        raise InvalidRecordError(f"{file} has several columns named {min(repeated)!r}.")
    for i, row in enumerate(rows):
        if len(row) != len(names):
            raise InvalidRecordError(
                f"{file}, line {i + 1} has {len(row)} cells where the first has {len(names)}; the "
                "file may be cut short or mix tables."
            )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
