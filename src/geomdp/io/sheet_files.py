"""Records in spreadsheets: one row a record of one sheet; a value is a sheet of one row."""

import io
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, TypeAlias
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

from geomdp.io.cells import numbers
from geomdp.io.csv_files import Csv, open_table
from geomdp.io.formats import FORMATS, Format, Value
from geomdp.io.options import DECIMAL, HEADER, HEADER_ROW, SHEET
from geomdp.io.sheet_rows import SHEET_ENDINGS
from geomdp.io.tables import Choices
from geomdp.options import Option
from geomdp.statistics.base import Statistic

_OPEN = "http://schemas.openxmlformats.org"
_MAIN = f"{_OPEN}/spreadsheetml/2006/main"
_DOCUMENT = f"{_OPEN}/officeDocument/2006/relationships"
_RELATIONS = f"{_OPEN}/package/2006/relationships"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
#: A sheet: names of its columns, and its rows.
Sheet: TypeAlias = tuple[Sequence[str], Iterable[Sequence[object]]]


def write_sheet(path: Path, names: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a table as a workbook of one sheet."""
    path.write_bytes(workbook({"value": (names, rows)}))


def workbook(sheets: Mapping[str, Sheet]) -> bytes:
    """Return a workbook: floats with all their digits, texts as texts.

    A text is never a formula, whatever it begins with. The same tables give the same bytes.
    """
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in {**_frame(tuple(sheets)), **_filled(sheets)}.items():
            packed.writestr(zipfile.ZipInfo(name), _HEAD + text)
    return stream.getvalue()


def _filled(sheets: Mapping[str, Sheet]) -> dict[str, str]:
    found = {}
    for number, (names, rows) in enumerate(sheets.values(), 1):
        lines = "".join(
            f"<row>{''.join(map(_cell, row))}</row>" for row in (tuple(names), *map(tuple, rows))
        )
        text = f'<worksheet xmlns="{_MAIN}"><sheetData>{lines}</sheetData></worksheet>'
        found[f"xl/worksheets/sheet{number}.xml"] = text
    return found


def _frame(names: Sequence[str]) -> dict[str, str]:
    """Return what makes a workbook of sheets: each file that is packed, but the sheets."""
    numbered = list(enumerate(names, 1))
    parts = "".join(
        f'<Override PartName="/xl/worksheets/sheet{i}.xml" ContentType="{_TYPE}.worksheet+xml"/>'
        for i, _ in numbered
    )
    listed = "".join(f'<sheet name="{n}" sheetId="{i}" r:id="r{i}"/>' for i, n in numbered)
    related = "".join(
        f'<Relationship Id="r{i}" Type="{_DOCUMENT}/worksheet" Target="worksheets/sheet{i}.xml"/>'
        for i, _ in numbered
    )
    return {
        "[Content_Types].xml": f'<Types xmlns="{_OPEN}/package/2006/content-types">'
        '<Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
        f"{parts}</Types>",
        "_rels/.rels": f'<Relationships xmlns="{_RELATIONS}"><Relationship Id="r1" '
        f'Type="{_DOCUMENT}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_DOCUMENT}"><sheets>'
        f"{listed}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_RELATIONS}">{related}'
        "</Relationships>",
    }


def _cell(content: object) -> str:
    if isinstance(content, int | float | np.number):
        return f"<c><v>{content!r}</v></c>" if np.isfinite(float(content)) else "<c/>"
    kept = "".join(letter for letter in str(content) if letter.isprintable())
    return f'<c t="inlineStr"><is><t xml:space="preserve">{escape(kept)}</t></is></c>'


class Sheets(Csv):
    """One row a record; a value is a sheet of one row."""

    endings = SHEET_ENDINGS
    value_file = "value.xlsx"
    options: ClassVar[tuple[Option, ...]] = (SHEET, HEADER_ROW, HEADER, DECIMAL)

    parts = Format.parts  # a sheet is read as a whole, and where it lies

    def streams(self, path: Path) -> bool:
        """Say no: a sheet is read as a whole."""
        return False

    def write(self, file: Path, value: Value) -> None:  # noqa: D102
        write_sheet(file, value.names, [value.row.tolist()])

    def read_back(self, file: Path, statistic: Statistic) -> NDArray[np.float64]:  # noqa: D102
        table = open_table(file, Choices(header=True))
        return numbers(table.names, list(table.all_rows()), table.names, file.name)[0]


FORMATS.register("sheets", Sheets())
