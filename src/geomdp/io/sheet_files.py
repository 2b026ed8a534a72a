"""Records in spreadsheets: one row a record of one sheet; a value is a sheet of one row."""

import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import ClassVar
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
#: What makes a workbook of a sheet: each file that is packed, but the sheet itself.
_PACKED = {
    "[Content_Types].xml": f'<Types xmlns="{_OPEN}/package/2006/content-types">'
    '<Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_TYPE}.worksheet+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_RELATIONS}"><Relationship Id="r1" '
    f'Type="{_DOCUMENT}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_DOCUMENT}"><sheets>'
    '<sheet name="value" sheetId="1" r:id="r1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_RELATIONS}"><Relationship Id="r1" '
    f'Type="{_DOCUMENT}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
}
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'


def write_sheet(path: Path, names: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a table as a workbook of one sheet: floats with all their digits, texts as texts.

    A text is never a formula, whatever it begins with. The same table gives the same bytes.
    """
    lines = "".join(
        f"<row>{''.join(map(_cell, row))}</row>" for row in (tuple(names), *map(tuple, rows))
    )
    sheet = f'<worksheet xmlns="{_MAIN}"><sheetData>{lines}</sheetData></worksheet>'
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in (*_PACKED.items(), ("xl/worksheets/sheet1.xml", sheet)):
            packed.writestr(zipfile.ZipInfo(name), _HEAD + text)


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
