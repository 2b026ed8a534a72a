"""Records in text tables: one row a record, with or without a header."""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError
from geomdp.io.cells import column, is_number, numbers
from geomdp.io.formats import FORMATS, Format, Value
from geomdp.io.names import cannot_be_data
from geomdp.io.tables import Choices, Raw, chosen, damaged, matches, shown
from geomdp.io.texts import read_text
from geomdp.statistics.base import Statistic

#: How the names of text tables end.
TABLE_ENDINGS = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
#: A number with a decimal comma.
_COMMA = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?")
#: Names of the columns, and the rows as texts.
TextTable: TypeAlias = tuple[list[str], list[list[str]]]


def read_csv(path: Path, choices: Choices, times: Sequence[float] = (), gaps: bool = False) -> Raw:
    r"""Read a table of numbers separated by commas, semicolons or tabs.

    A first line that holds the public ``times`` of curves is a header. With ``gaps`` an empty cell
    is no mistake: the statistic fills it.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.csv"
    >>> _ = path.write_text("sex,x,y\nm,1,2\nf,3,4\n")
    >>> raw = read_csv(path, Choices(keep=("sex",)))
    >>> raw.values.tolist(), raw.columns["sex"].tolist()
    ([[1.0, 2.0], [3.0, 4.0]], ['m', 'f'])
    """
    names, rows = text_table(path, choices, times)
    wanted = chosen(names, choices, path.name)
    values, notes = numbers(names, rows, wanted, path.name, choices.keep_unparsable, gaps)
    kept = {name: column(names, rows, name) for name in choices.keep}
    return Raw(values, tuple(wanted), kept, notes)


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


def read_written(path: Path) -> NDArray[np.float64]:
    """Read what :func:`write_csv` wrote: its first line is a header, whatever stands in it.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "value.csv"
    >>> write_csv(path, ["1", "2"], [[0.1, 2.0]])
    >>> read_written(path).tolist()
    [[0.1, 2.0]]
    """
    rows = _rows(path, Choices())
    width = len(rows[0]) if rows else 0
    names = [str(i + 1) for i in range(width)]
    body = _of_one_length(rows[1:], width, path.name, 2, Choices())
    return numbers(names, body, names, path.name)[0]


def text_table(path: Path, choices: Choices, times: Sequence[float] = ()) -> TextTable:
    r"""Read names and rows as texts; without a header the columns are named 1, 2, 3.

    With ``keep_unparsable`` each line is a record whatever it holds, and one with another number of
    cells is empty: it must not change how the others are read. A header is needed then, since
    without one the first record would say how many cells there are.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.csv"
    >>> _ = path.write_text("1;2\n3;4\n")
    >>> text_table(path, Choices())
    (['1', '2'], [['1', '2'], ['3', '4']])
    """
    rows = _rows(path, choices)
    if not rows:
        raise InvalidRecordError(f"{path.name} is empty; there is nothing to read.")
    first = [cell.strip() for cell in rows[0]]
    timed = _are(first, times)
    bare = not (timed or choices.keep_unparsable) and all(is_number(cell) for cell in first)
    if not bare and not timed:
        _require_header(first, choices, path.name)
    names = [str(i + 1) for i in range(len(first))] if bare else first
    body = rows if bare else rows[1:]
    if not body:
        raise InvalidRecordError(f"{path.name} has a header but no rows.")
    return names, _of_one_length(body, len(names), path.name, 1 if bare else 2, choices)


def _are(cells: list[str], times: Sequence[float]) -> bool:
    """Tell whether a line holds these numbers, which are public."""
    if len(cells) != len(times) or not all(is_number(cell) for cell in cells):
        return False
    return np.allclose([float(cell) for cell in cells], times, rtol=1e-9, atol=0.0)


def _rows(path: Path, choices: Choices) -> list[list[str]]:
    apart, comma = choices.keep_unparsable, choices.decimal == ","
    try:
        text = read_text(path, replace=apart)
        if "\0" in text and not apart:
            raise ValueError("it has zero bytes")
        lines = text.split("\n")
        delimiter = max(";\t" if comma else ",;\t", key=lines[0].count)
        parsed = _each(lines, delimiter) if apart else csv.reader(lines, delimiter=delimiter)
        rows = [row for row in parsed if row]
        return [[_with_point(cell) for cell in row] for row in rows] if comma else rows
    except InvalidRecordError:
        raise
    except (OSError, ValueError, csv.Error) as error:
        raise damaged(path, "text table", error) from error


def _with_point(cell: str) -> str:
    """Write a number with a decimal comma with a point; leave all else as it is."""
    return cell.replace(",", ".") if _COMMA.fullmatch(cell.strip()) else cell


def _each(lines: list[str], delimiter: str) -> Iterator[list[str]]:
    """Parse every line by itself, so that a quote left open ends with its line."""
    for line in lines:
        try:
            yield next(csv.reader([line], delimiter=delimiter), [])
        except csv.Error:
            yield [""]


def _require_header(first: list[str], choices: Choices, file: str) -> None:
    """Refuse a first line that could be a record: its cells would be published as names."""
    used = [matches(wanted, first) for wanted in (*choices.columns, *choices.keep)]
    if choices.columns and all(found and all(map(cannot_be_data, found)) for found in used):
        return  # whoever names columns says that the line is a header
    bad = next((cell for cell in first if not cannot_be_data(cell)), None)
    if bad is not None:
        raise InvalidRecordError(
            f"The first line of {file} has a cell {shown(bad)}, so it may be a record or a header; "
            "add a header line whose names begin with letters, or name the columns with --column."
        )


def _of_one_length(
    rows: list[list[str]], width: int, file: str, line: int, choices: Choices
) -> list[list[str]]:
    for i, row in enumerate(rows):
        if len(row) == width:
            continue
        if not choices.keep_unparsable:
            raise InvalidRecordError(
                f"{file}, line {i + line} has {len(row)} cells where the first has {width}; the "
                "file may be cut short or mix tables."
            )
        rows[i] = [""] * width
    return rows


class Csv(Format):
    """One row a record; a value is a table of one row."""

    endings = TABLE_ENDINGS
    value_file = "value.csv"

    def read(self, path: Path, choices: Choices, statistic: Statistic) -> Raw:  # noqa: D102
        grid = getattr(statistic, "grid", None)  # of curves; other statistics have none
        times = np.ravel(getattr(grid, "points", ())).tolist()
        return read_csv(path, choices, times, statistic.fills_gaps)

    def write(self, file: Path, value: Value) -> None:  # noqa: D102
        write_csv(file, value.names, [value.row.tolist()])

    def read_back(self, file: Path, statistic: Statistic) -> NDArray[np.float64]:  # noqa: D102
        return read_written(file)


FORMATS.register("csv", Csv())
