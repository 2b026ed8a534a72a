"""Records in text tables: one row a record, with or without a header."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError
from geomdp.io.cells import cannot_be_data, column, gap_notes, is_number, numbers
from geomdp.io.formats import FORMATS, FileParts, Format, Value, alike
from geomdp.io.options import DECIMAL, HEADER
from geomdp.io.shapes import in_full, require_order
from geomdp.io.sheet_rows import is_sheet, sheet_rows
from geomdp.io.tables import Choices, Raw, Texts, chosen, matches, shown
from geomdp.io.text_rows import Rows, find_rows, first_row, is_packed
from geomdp.options import Option
from geomdp.spaces.record_shape import RecordShape
from geomdp.spaces.rows import real_number
from geomdp.statistics.base import Statistic
from geomdp.typing import Array

#: How the names of text tables end.
TABLE_ENDINGS = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
#: Names of the columns, and the rows as texts.
TextTable: TypeAlias = tuple[list[str], list[list[str]]]


@dataclass(frozen=True, eq=False)
class Headerless:
    """How one line of a table without a header becomes a record, where every one must count.

    The first line is a record like all others, so it cannot tell how many cells there are, or how a
    symmetric matrix is written: the plan does. The cells of labels and persons stand where they
    were said to, and the others are the numbers of the record.
    """

    shape: RecordShape
    choices: Choices

    def __post_init__(self) -> None:
        if self.choices.columns:
            raise InvalidRecordError(
                "Columns of a table without a header cannot be chosen where every record must "
                "count, since the first one would tell their number; add a header line, or leave "
                "out --column."
            )
        if self.choices.triangle is None:
            require_order(self.shape)
        most = self.shape.size + len(self.choices.keep)
        for name in self.choices.keep:
            if not (name.isdecimal() and 1 <= int(name) <= most):
                raise InvalidRecordError(
                    f"A table without a header has no column {name!r}; its columns are called 1, "
                    "2, 3."
                )

    @property
    def names(self) -> list[str]:
        """Columns that are kept, and then those of numbers."""
        return [*self.choices.keep, *(f"column {i + 1}" for i in range(self.shape.size))]

    def fitted(self, row: list[str]) -> list[str]:
        """Return the cells of a line, those that are kept first."""
        kept = [row[place] if place < len(row) else "" for place in self._places]
        return [*kept, *(cell for place, cell in enumerate(row) if place not in self._places)]

    def numbers(self, rows: Sequence[Sequence[str]]) -> Array:
        """Return all numbers of each record, from as many cells as one may have; else NaN."""
        table = np.full((len(rows), self.shape.size), np.nan)
        kept = len(self._places)
        for size in dict.fromkeys(self.shape.flat_sizes):
            places = [place for place, row in enumerate(rows) if len(row) == kept + size]
            cells = [[real_number(cell) for cell in rows[place][kept:]] for place in places]
            held = np.array(cells, dtype=np.float64).reshape(len(places), size)
            table[places] = in_full(held, self.shape, self.choices.order)
        return table

    @cached_property
    def _places(self) -> list[int]:
        return [int(name) - 1 for name in self.choices.keep]


@dataclass(frozen=True, eq=False)
class Table:
    """A text table whose rows are read part by part.

    ``text``: its rows, header included. ``header``: how many of them are no record. ``names``: of
    its columns. ``choices``: how it is read. ``bare``: how each line is taken where the plan alone
    says what it holds.
    """

    text: Rows
    header: int
    names: list[str]
    choices: Choices
    bare: Headerless | None = None

    @property
    def sizes(self) -> tuple[int, ...]:
        """Records of each part; of the first, which has the header, perhaps none."""
        rows = [span.rows for span in self.text.spans]
        return (rows[0] - self.header, *rows[1:])

    @property
    def above(self) -> int:
        """Rows of the file before its first record: the header, and what a sheet has over it."""
        return self.header + self.text.above

    def rows(self, number: int) -> list[list[str]]:
        """Return the records of a part as texts; where each is by itself, some may be short."""
        skipped = 0 if number else self.header
        rows = self.text.read(number)[skipped:]
        if not self.choices.keep_unparsable:
            line = 1 + self.text.above + sum(span.rows for span in self.text.spans[:number])
            line += skipped
            _require_one_length(rows, len(self.names), self.text.path.name, line)
        return rows if self.bare is None else [self.bare.fitted(row) for row in rows]

    def all_rows(self) -> Iterator[list[str]]:
        """Walk over all records, a part at a time."""
        for number in range(len(self.sizes)):
            yield from self.rows(number)

    def raw(self, wanted: Sequence[str], gaps: bool, number: int) -> Raw:
        """Return the wanted numbers of a part, and the columns to be kept."""
        rows, file = self.rows(number), self.text.path.name
        before = self.above + sum(self.sizes[:number])
        if self.bare is not None:
            values = self.bare.numbers(rows)
            notes = () if gaps else gap_notes(values, file, before)
        else:
            odd = self.choices.keep_unparsable
            values, notes = numbers(self.names, rows, wanted, file, odd, gaps, before)
        kept = {name: column(self.names, rows, name) for name in self.choices.keep}
        return Raw(values, tuple(wanted), kept, notes)


def read_csv(
    path: Path,
    choices: Choices,
    times: Sequence[float] = (),
    gaps: bool = False,
    shape: RecordShape | None = None,
) -> Raw:
    """Read a table of numbers separated by commas, semicolons or tabs.

    A first line that holds the public ``times`` of curves is a header. With ``gaps`` an empty cell
    is no mistake: the statistic fills it. The ``shape`` of a raw record says how many cells a line
    has where no header does.
    """
    table = open_table(path, choices, times, shape)
    wanted = chosen(table.names, choices, path.name)
    parts = [table.raw(wanted, gaps, number) for number in range(len(table.sizes))]
    kept = {name: np.concatenate([part.columns[name] for part in parts]) for name in choices.keep}
    notes = tuple(note for part in parts for note in part.notes)
    return Raw(np.concatenate([part.values for part in parts]), tuple(wanted), kept, notes)


def write_csv(path: Path, names: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a table; floats with all their digits."""
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(names)
        writer.writerows([float(x) if isinstance(x, float) else x for x in row] for row in rows)


def read_written(path: Path) -> NDArray[np.float64]:
    """Read what :func:`write_csv` wrote: its first line is a header, whatever stands in it."""
    text = find_rows(path)
    names = [str(i + 1) for i in range(len(first_row(text)))]
    rows = list(Table(text, 1, names, Choices()).all_rows()) if names else []
    return numbers(names, rows, names, path.name)[0]


def text_table(path: Path, choices: Choices, times: Sequence[float] = ()) -> TextTable:
    """Read the names and all rows of :func:`open_table`, as texts."""
    table = open_table(path, choices, times)
    return table.names, list(table.all_rows())


def open_table(
    path: Path, choices: Choices, times: Sequence[float] = (), shape: RecordShape | None = None
) -> Table:
    """Open a table; without a header the columns are named 1, 2, 3.

    With ``keep_unparsable`` each line is a record whatever it holds, and one with another number of
    cells has no numbers: it must not change how the others are read. So whether there is a header
    is then said by ``choices`` and not by what may be the first record, and where there is none the
    plan tells how many cells there are.
    """
    apart, told = choices.keep_unparsable, choices.header
    text: Rows
    if is_sheet(path):
        text = sheet_rows(path, choices)
    else:
        text = find_rows(path, apart, choices.decimal == ",", told is not False, choices.closed)
    first = first_row(text)
    if not first:
        raise InvalidRecordError(f"{path.name} is empty; there is nothing to read.")
    if told is None:
        told = not _is_bare(first, choices, times)
        if told and not _are(first, times):
            _require_header(first, choices, path.name)
    if told:
        table = Table(text, 1, first, choices)
    elif apart and not choices.one_subject and shape is not None:
        bare = Headerless(shape, choices)
        table = Table(text, 0, bare.names, choices, bare)
    else:
        table = Table(text, 0, [str(i + 1) for i in range(len(first))], choices)
    if not sum(table.sizes):
        raise InvalidRecordError(f"{path.name} has a header but no rows.")
    table.rows(0)  # a title above the header is named before a column is missed
    return table


def _is_bare(first: list[str], choices: Choices, times: Sequence[float]) -> bool:
    """Tell whether a first line is a record, where it may tell."""
    may_tell = not choices.keep_unparsable or choices.one_subject
    return may_tell and not _are(first, times) and all(is_number(cell) for cell in first)


def _are(cells: list[str], times: Sequence[float]) -> bool:
    """Tell whether a line holds these numbers, which are public."""
    if len(cells) != len(times) or not all(is_number(cell) for cell in cells):
        return False
    return np.allclose([float(cell) for cell in cells], times, rtol=1e-9, atol=0.0)


def _require_header(first: list[str], choices: Choices, file: str) -> None:
    """Refuse a first line that could be a record: its cells would be published as names."""
    used = [matches(wanted, first) for wanted in (*choices.columns, *choices.keep)]
    if choices.columns and all(found and all(map(cannot_be_data, found)) for found in used):
        return  # whoever names columns says that the line is a header
    bad = next((cell for cell in first if not cannot_be_data(cell)), None)
    if bad is not None:
        raise InvalidRecordError(
            f"The first line of {file} has a cell {shown(bad)}, so it may be a record or a header; "
            "add a header line whose names begin with letters, name the columns with --column, or "
            "write --header no; where each column is a record, write --records columns."
        )


def _require_one_length(rows: list[list[str]], width: int, file: str, line: int) -> None:
    for i, row in enumerate(rows):
        if len(row) != width:
            title = "; if the first line is a title or a remark, delete it" if width == 1 else ""
            raise InvalidRecordError(
                f"{file}, row {i + line} has {len(row)} cells where the first has {width}; the "
                f"file may be cut short or mix tables{title}."
            )


def _times(statistic: Statistic) -> list[float]:
    """Return the public times of curves; other statistics have none."""
    grid = getattr(statistic, "grid", None)
    return np.ravel(getattr(grid, "points", ())).tolist()


def _labels(table: Table) -> dict[str, Texts]:
    """Return the columns to be kept, of all records; no more than a part is in memory beside."""
    found: dict[str, list[Texts]] = {name: [] for name in table.choices.keep}
    for number in range(len(table.sizes)):
        rows = table.rows(number)
        for name, texts in found.items():
            texts.append(column(table.names, rows, name))
    return {name: np.concatenate(texts) for name, texts in found.items()}


def _records(table: Table, wanted: Sequence[str], gaps: bool, empty: int, number: int) -> Raw:
    """Read a part, of which the first ones may hold no record: on a worker."""
    return table.raw(wanted, gaps, empty + number)


class Csv(Format):
    """One row a record; a value is a table of one row."""

    endings: tuple[str, ...] = TABLE_ENDINGS
    value_file = "value.csv"
    options: ClassVar[tuple[Option, ...]] = (DECIMAL, HEADER)

    def read(self, path: Path, choices: Choices, statistic: Statistic) -> Raw:  # noqa: D102
        shape = choices.raw_shape(statistic.record_shape)
        return read_csv(path, choices, _times(statistic), statistic.fills_gaps, shape)

    def parts(self, path: Path, choices: Choices, statistic: Statistic) -> FileParts | None:
        """Rows that lie beside each other in the file; the labels are read here."""
        shape = choices.raw_shape(statistic.record_shape)
        table = open_table(path, choices, _times(statistic), shape)
        wanted = tuple(chosen(table.names, choices, path.name))
        labels = _labels(table) if choices.keep else {}
        example = Raw(alike(sum(table.sizes), np.zeros(len(wanted))), wanted, labels)
        alone = replace(table, choices=replace(choices, keep=()))
        empty = int(not table.sizes[0])  # nothing but the header
        read = partial(_records, alone, wanted, statistic.fills_gaps, empty)
        return FileParts(table.sizes[empty:], read, example)

    def streams(self, path: Path) -> bool:
        """Say yes, but of gzipped tables, which are one part."""
        return not is_packed(path)

    def write(self, file: Path, value: Value) -> None:  # noqa: D102
        write_csv(file, value.names, [value.row.tolist()])

    def read_back(self, file: Path, statistic: Statistic) -> NDArray[np.float64]:  # noqa: D102
        return read_written(file)


FORMATS.register("csv", Csv())
