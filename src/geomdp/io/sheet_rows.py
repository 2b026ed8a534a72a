"""The cells of a sheet of a spreadsheet as texts, row by row: xlsx (needs openpyxl), ods (nothing).

What a file claims is checked before memory is taken: the sizes of what is packed in it, and how
often its cells say that they are repeated.
"""

import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, time
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, iterparse

from geomdp.errors import InvalidRecordError
from geomdp.io.tables import Choices, listed, needs_extra
from geomdp.io.text_rows import Span, with_point
from geomdp.runtime.limits import read_as, require_plausible

#: How the names of spreadsheets end.
SHEET_ENDINGS = (".xlsx", ".ods")
#: Rows that a sheet may have, as spreadsheet programs do.
MOST_ROWS = 1 << 20
#: Files that may be packed in one: a workbook has some dozens.
MOST_PACKED = 10_000
#: Bytes that a cell takes here, about.
_CELL_BYTES = 64


@dataclass(frozen=True)
class SheetRows:
    """Rows of a sheet from its header on, all in memory: a table's text, in one part."""

    path: Path
    cells: tuple[tuple[str, ...], ...]
    #: Rows of the sheet over these.
    above: int = 0

    @property
    def spans(self) -> tuple[Span, ...]:
        """The only part; none of an empty sheet."""
        return (Span(0, 0, len(self.cells), b""),) if self.cells else ()

    def read(self, number: int) -> list[list[str]]:
        """Return the rows of the only part."""
        return [list(row) for row in self.cells]


def is_sheet(path: Path) -> bool:
    """Tell whether a table is a spreadsheet, by its name."""
    return path.name.lower().endswith(SHEET_ENDINGS)


def sheet_rows(path: Path, choices: Choices) -> SheetRows:
    """Read a sheet: the one that is named, or the only one with something in it.

    The first row names the columns, unless ``--header-row`` says which one does; a title above it
    is refused with the way out, and never taken for a header. A row ends with its last cell that
    is not empty, but not before the header does, so that no row's length depends on another record.

    Raises ``InvalidRecordError`` if it is damaged or hostile, or nothing tells which sheet or row
    is meant.
    """
    with read_as(path, "spreadsheet"):
        _require_plausible(path)
        sheets = dict(_xlsx(path) if path.name.lower().endswith(".xlsx") else _ods(path))
    rows = _chosen(sheets, choices.sheet, path.name)
    first = choices.header_row
    if first is None:
        _require_no_title(rows, path.name)
    rows = rows[(first or 1) - 1 :]
    if choices.decimal == ",":
        rows = [[with_point(cell) for cell in row] for row in rows]
    if not choices.keep_unparsable:
        rows = [row for row in rows if row]
    named = choices.header is not False and bool(rows)
    width = len(rows[0]) if named else 0
    padded = (row + [""] * (width - len(row)) for row in rows)
    return SheetRows(path, tuple(tuple(row) for row in padded), (first or 1) - 1)


def _require_plausible(path: Path) -> None:
    """Refuse an archive that would unpack to implausibly much, or defines entities."""
    with zipfile.ZipFile(path) as packed:
        held = packed.infolist()
        if len(held) > MOST_PACKED:
            raise ValueError(f"it packs {len(held)} files")
        require_plausible(path, sum(one.file_size for one in held))
        for one in held:
            with packed.open(one) as stream:
                if b"<!DOCTYPE" in stream.read(1024):
                    raise ValueError(f"{one.filename} defines entities")


def _chosen(sheets: Mapping[str, list[list[str]]], name: str | None, file: str) -> list[list[str]]:
    if name is not None:
        if name not in sheets:
            raise InvalidRecordError(f"{file} has no sheet {name!r}; it has {listed([*sheets])}.")
        return sheets[name]
    filled = [one for one, rows in sheets.items() if rows]
    if len(filled) > 1:
        raise InvalidRecordError(
            f"{file} has several sheets with cells ({listed(filled)}); name one with --sheet."
        )
    return sheets[filled[0]] if filled else []


def _require_no_title(rows: list[list[str]], file: str) -> None:
    """Refuse a sheet whose first row is empty or has one cell where others have more."""
    filled = [sum(bool(cell) for cell in row) for row in rows]
    if not filled or max(filled) < 2 or filled[0] > 1:
        return
    place = next(i for i, count in enumerate(filled, 1) if count > 1)
    what = "is empty" if not filled[0] else "has one cell, as a title has"
    raise InvalidRecordError(
        f"Row 1 of {file} {what}; say which row names the columns, as --header-row {place}."
    )


def _trimmed(rows: Iterable[list[str]], path: Path) -> list[list[str]]:
    """Return rows without empty cells at their ends, and none at the end of the sheet."""
    found: list[list[str]] = []
    cells = last = 0
    for row in rows:
        while row and not row[-1]:
            row.pop()
        found.append(row)
        last = len(found) if row else last
        cells += len(row)
        require_plausible(path, cells * _CELL_BYTES)
        if len(found) > MOST_ROWS:
            raise ValueError(f"it has more than {MOST_ROWS} rows")
    return found[:last]


def _xlsx(path: Path) -> Iterator[tuple[str, list[list[str]]]]:
    """Yield the sheets of a workbook; of a formula the value that was stored with it."""
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise needs_extra("openpyxl", "excel") from None
    book = load_workbook(path, read_only=True, data_only=True, keep_links=False)
    try:
        for sheet in book.worksheets:
            sheet.reset_dimensions()  # what it claims of its size
            rows = sheet.iter_rows(max_row=MOST_ROWS, values_only=True)
            yield sheet.title, _trimmed(([_text(cell) for cell in row] for row in rows), path)
    finally:
        book.close()


def _text(cell: Any) -> str:
    """Write what a cell holds: numbers with all their digits, dates as ISO has them."""
    if cell is None:
        return ""
    if isinstance(cell, date | time):
        return cell.isoformat()
    return repr(cell) if isinstance(cell, float) else str(cell).strip()


#: Prefixes of names in an ods file.
_OFFICE, _TABLE, _TEXT = (
    f"{{urn:oasis:names:tc:opendocument:xmlns:{kind}:1.0}}" for kind in ("office", "table", "text")
)
_CELLS = (f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell")
#: Where a cell keeps what it holds, by the type of that; a text is within it.
_HELD = ("value", "boolean-value", "date-value", "time-value")


def _ods(path: Path) -> Iterator[tuple[str, list[list[str]]]]:
    """Yield the sheets of an OpenDocument spreadsheet."""
    with zipfile.ZipFile(path) as packed, packed.open("content.xml") as stream:
        walk = iterparse(stream, events=("start", "end"))
        for event, node in walk:
            if event == "start" and node.tag == f"{_TABLE}table":
                yield node.get(f"{_TABLE}name", ""), _trimmed(_ods_rows(walk, path), path)


def _ods_rows(walk: Iterable[tuple[str, Element]], path: Path) -> Iterator[list[str]]:
    """Yield the rows up to the end of the table, each as often as it says; empty ones once seen."""
    blank = 0
    for event, node in walk:
        if event == "end" and node.tag == f"{_TABLE}table":
            return
        if event != "end" or node.tag != f"{_TABLE}table-row":
            continue
        row = _ods_row(node, path)
        times = _repeated(node, "rows", path)
        node.clear()
        if not row:
            blank = min(blank + times, MOST_ROWS)
            continue
        yield from ([] for _ in range(blank))
        blank = 0
        yield from (list(row) for _ in range(times))


def _ods_row(node: Element, path: Path) -> list[str]:
    """Return the cells of a row; those at its end that are empty count for nothing."""
    row: list[str] = []
    blank = 0
    for cell in node:
        if cell.tag not in _CELLS:
            continue
        times, text = _repeated(cell, "columns", path), _ods_text(cell)
        if not text:
            blank += times
            continue
        row += [""] * blank + [text] * times
        blank = 0
    return row


def _ods_text(cell: Element) -> str:
    held = (cell.get(f"{_OFFICE}{kind}") for kind in _HELD)
    value = next((one for one in held if one is not None), None)
    if value is None:
        lines = ("".join(line.itertext()) for line in cell.iterfind(f"{_TEXT}p"))
        value = "\n".join(lines)
    return value.strip()


def _repeated(node: Element, what: str, path: Path) -> int:
    """Return how often a cell or row stands there, where that is plausible."""
    times = int(node.get(f"{_TABLE}number-{what}-repeated", "1"))
    if not 0 < times <= MOST_ROWS:
        raise ValueError(f"it repeats {what} {times} times")
    return times
