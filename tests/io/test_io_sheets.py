"""Spreadsheets: the sheet and the row that are meant are told, and a record is read by itself."""

import zipfile

import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import GeomdpError
from geomdp.io import Choices, Loaded, read_records, write_value
from geomdp.io.formats import FORMATS
from geomdp.io.sheet_files import write_sheet
from geomdp.io.writing import value_file_agrees

openpyxl = pytest.importorskip("openpyxl")
PLANE = dp.TangentMean(dp.Ball(dp.Euclidean(2), np.zeros(2), 1.0))
KEEP = Choices(keep_unparsable=True)
POINTS = np.random.default_rng(3).normal(size=(9, 2)) / 3
NAMESPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for name in ("office", "table", "text")
)


def workbook(path, **sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    book.save(path)
    return path


def ods(path, rows, head=""):
    """Write an OpenDocument sheet from the inner XML of its rows."""
    table = "".join(
        f"<table:table-row{attributes}>{cells}</table:table-row>" for attributes, cells in rows
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(
            "content.xml",
            f'<?xml version="1.0"?>{head}<office:document-content {NAMESPACES}><office:body>'
            f'<office:spreadsheet><table:table table:name="one">{table}</table:table>'
            "</office:spreadsheet></office:body></office:document-content>",
        )
    return path


def cell(value, attributes=""):
    if isinstance(value, str):
        return f"<table:table-cell{attributes}><text:p>{value}</text:p></table:table-cell>"
    return f'<table:table-cell office:value="{value!r}"{attributes}/>'


def refused(path, choices=None):
    with pytest.raises(GeomdpError) as caught:
        read_records(path, PLANE, choices)
    assert str(caught.value).endswith(".")
    return str(caught.value)


def test_numbers_and_columns_come_with_all_their_digits(tmp_path):
    rows = [("x", "y", "site"), *((*point, f"s{i}") for i, point in enumerate(POINTS.tolist()))]
    write_sheet(tmp_path / "a.xlsx", rows[0], rows[1:])
    loaded = read_records(tmp_path / "a.xlsx", PLANE, Choices(keep=("site",)))
    assert loaded.points[:].tolist() == POINTS.tolist()
    assert loaded.columns["site"].tolist() == [f"s{i}" for i in range(9)]


def test_what_openpyxl_and_open_document_write_is_read(tmp_path):
    workbook(tmp_path / "a.xlsx", only=[("x", "y"), (0.5, 1), (0, "0.25")])
    assert read_records(tmp_path / "a.xlsx", PLANE).points[:].tolist() == [[0.5, 1], [0, 0.25]]
    repeated = cell(0.5, ' table:number-columns-repeated="2"')
    rows = [("", cell("x") + cell("y")), ("", repeated), ("", cell(0.0) + cell("0.25"))]
    far = (' table:number-rows-repeated="1048000"', "<table:table-cell/>")
    ods(tmp_path / "a.ods", [*rows, far])
    assert read_records(tmp_path / "a.ods", PLANE).points[:].tolist() == [[0.5, 0.5], [0, 0.25]]


def test_a_title_is_refused_and_the_row_is_named(tmp_path):
    rows = [("Our study", None), (None, None), ("x", "y"), (0.1, 0.2)]
    workbook(tmp_path / "a.xlsx", only=rows)
    assert "--header-row 3" in refused(tmp_path / "a.xlsx")
    loaded = read_records(tmp_path / "a.xlsx", PLANE, Choices(header_row=3))
    assert (loaded.names, loaded.points[:].tolist()) == (("x", "y"), [[0.1, 0.2]])
    workbook(tmp_path / "a.xlsx", only=[(None, None), *rows[2:]])
    assert "Row 1 of a.xlsx is empty" in refused(tmp_path / "a.xlsx")


def test_a_sheet_is_named_where_several_have_cells(tmp_path):
    rows = [("x", "y"), (0.1, 0.2)]
    workbook(tmp_path / "a.xlsx", first=rows, second=rows, empty=[])
    assert "(first, second); name one with --sheet" in refused(tmp_path / "a.xlsx")
    assert "it has first, second, empty" in refused(tmp_path / "a.xlsx", Choices(sheet="third"))
    assert len(read_records(tmp_path / "a.xlsx", PLANE, Choices(sheet="second")).points) == 1
    (tmp_path / "a.csv").write_text("x,y\n0,1\n")
    assert "--sheet goes with landmarks, sheets" in refused(
        tmp_path / "a.csv", Choices(sheet="one")
    )


@pytest.mark.parametrize(
    "odd", [(), (1,), ("a", "b"), (0.1, 0.2, 0.3), (None, 0.2), ("=1+1", 0.1), (True, 0.1)]
)
def test_an_odd_row_spoils_no_other(tmp_path, odd):
    rows = POINTS.tolist()
    workbook(tmp_path / "a.xlsx", only=[("x", "y"), *rows[:4], odd, *rows[4:]])
    read = read_records(tmp_path / "a.xlsx", PLANE, KEEP).points[:]
    alone = read_records(workbook(tmp_path / "b.xlsx", only=[("x", "y"), *rows]), PLANE, KEEP)
    assert len(read) == 10
    assert np.isnan(read[4]).any()
    assert np.delete(read, 4, axis=0).tolist() == alone.points[:].tolist()


def test_gaps_are_refused_or_are_records(tmp_path):
    workbook(tmp_path / "a.xlsx", only=[("x", "y"), (0.1, None), (0.1, 0.2)])
    assert "the cell is empty" in refused(tmp_path / "a.xlsx")
    assert np.isnan(read_records(tmp_path / "a.xlsx", PLANE, KEEP).points[0]).any()


def test_a_value_is_a_sheet_again_and_never_a_formula(tmp_path):
    value, asked = np.array([0.1, 1 / 3]), dp.Summary(dp.Euclidean(2), 0.1)
    came = Loaded(np.zeros((2, 2)), {}, FORMATS["sheets"], ("x", "=HYPERLINK(y)"), 2)
    write_value(value, tmp_path, came, asked, "lower")
    assert value_file_agrees(tmp_path / "value.xlsx", value, asked)
    assert not value_file_agrees(tmp_path / "value.xlsx", np.nextafter(value, 1), asked)
    sheet = openpyxl.load_workbook(tmp_path / "value.xlsx").active
    assert [one.value for one in sheet[1]] == ["column 1", "column 2"]
    write_sheet(tmp_path / "b.xlsx", ["=1+1"], [["=2+2"]])
    sheet = openpyxl.load_workbook(tmp_path / "b.xlsx").active
    assert {one[0].data_type for one in sheet.rows} == {"s"}


def test_the_table_of_labels_may_be_a_sheet(tmp_path):
    np.save(tmp_path / "a.npy", POINTS)
    workbook(tmp_path / "l.xlsx", only=[("id",), *([f"p{i}"] for i in range(9))])
    choices = Choices(keep=("id",), labels=tmp_path / "l.xlsx")
    assert read_records(tmp_path / "a.npy", PLANE, choices).columns["id"][8] == "p8"


def test_what_claims_too_much_is_refused_before_memory_is_taken(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.ods", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("content.xml", b" " * (300 << 20))
    assert "announces" in refused(tmp_path / "a.ods")
    wide = cell("x", ' table:number-columns-repeated="1000000"')
    often = ' table:number-rows-repeated="1000000"'
    assert "announces" in refused(ods(tmp_path / "b.ods", [(often, wide)]))
    often = ' table:number-rows-repeated="99999999"'
    assert "repeats" in refused(ods(tmp_path / "c.ods", [(often, cell("x"))]))
    entities = '<!DOCTYPE a [<!ENTITY b "bb">]>'
    assert "entities" in refused(ods(tmp_path / "d.ods", [("", cell("x"))], entities))
    (tmp_path / "e.xlsx").write_text("x,y\n0,1\n")
    assert "not a valid spreadsheet" in refused(tmp_path / "e.xlsx")
