"""The workbook of a release: on request, the same numbers as the tables, and verified."""

import csv
import re
import zipfile

import numpy as np
import pytest
from typer.testing import CliRunner

import geomdp as dp
from geomdp.cli import app
from geomdp.errors import GeomdpError
from geomdp.releases.estimates.tables import RESULTS
from geomdp.releases.estimates.workbook import WORKBOOK, workbook_of, write_workbook

openpyxl = pytest.importorskip("openpyxl")
BALL = dp.Ball(dp.SPD(2), np.eye(2), 2.0)
TENSORS = np.array([np.diag(d) for d in np.random.default_rng(5).uniform(0.5, 2.0, (60, 2))])


@pytest.fixture
def released(tmp_path):
    sizes, sex = {"f": 30, "=1+1": 30}, np.array(["f", "=1+1"])[np.arange(60) % 2]
    plan = dp.plan(dp.Moments(BALL), n=sizes, budget=dp.GDP(3))
    folder = tmp_path / "r"
    release = plan.release(dp.Records(TENSORS, group=sex))
    release.save(folder)
    write_workbook(release, folder)
    return release, folder


def cells(file):
    book = openpyxl.load_workbook(file)
    return {sheet.title: [list(row) for row in sheet.iter_rows(values_only=True)] for sheet in book}


def test_it_holds_the_numbers_of_the_tables_and_no_formula(released):
    release, folder = released
    found = cells(folder / WORKBOOK)
    assert set(found) == {"results", "coordinates"}
    for name, rows in found.items():
        with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as stream:
            first, *others = csv.reader(stream)
        assert rows[0] == first
        assert rows[1:] == [[row[0], *map(float, row[1:])] for row in others]
    assert any(row[0].startswith("'=1+1") for row in found["results"])
    book = openpyxl.load_workbook(folder / WORKBOOK)
    assert not any(c.data_type == "f" for sheet in book for row in sheet for c in row)
    assert workbook_of(release) == (folder / WORKBOOK).read_bytes()
    assert dp.verify(folder).problems == ()


def test_an_altered_workbook_is_found(released):
    _, folder = released
    with zipfile.ZipFile(folder / WORKBOOK) as packed:
        texts = {name: packed.read(name).decode() for name in packed.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    number = lambda t: re.sub(r"<v>([-\d]*\d)\.", r"<v>\g<1>7.", t, count=1)  # noqa: E731
    word = lambda t: t.replace("mean", "sum", 1)  # noqa: E731
    for change in (number, word):
        with zipfile.ZipFile(folder / WORKBOOK, "w") as packed:
            for name, text in {**texts, sheet: change(texts[sheet])}.items():
                packed.writestr(name, text)
        assert any(WORKBOOK in str(one) for one in dp.verify(folder).problems)
    with zipfile.ZipFile(folder / WORKBOOK, "w") as packed:
        for name, text in {**texts, "secret.txt": "records"}.items():
            packed.writestr(name, text)
    assert any(WORKBOOK in str(one) for one in dp.verify(folder).problems)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"no zip at all" * 9])
def test_what_is_no_workbook_is_a_problem_and_no_trace(released, content):
    _, folder = released
    (folder / WORKBOOK).write_bytes(content)
    assert any(WORKBOOK in str(one) for one in dp.verify(folder).problems)


def test_a_bomb_is_not_unpacked(released):
    _, folder = released
    with zipfile.ZipFile(folder / WORKBOOK, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("xl/worksheets/sheet1.xml", b" " * 50_000_000)
    assert any("far larger" in str(one) for one in dp.verify(folder).problems)


def test_wide_values_have_none():
    ball = dp.Ball(dp.Euclidean(1 << 14), np.zeros(1 << 14), 1.0)
    release = dp.plan(dp.TangentMean(ball), n=2, budget=dp.GDP(1)).release(np.zeros((2, 1 << 14)))
    with pytest.raises(GeomdpError, match="fewer columns"):
        workbook_of(release)


def test_the_command_writes_it_on_request(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("t.npy", TENSORS)
    run = CliRunner().invoke
    plan = "plan --space spd:2 --center identity --radius 2 --n 60 --mu 3 --out p.json"
    assert run(app, plan.split()).exit_code == 0
    assert run(app, ["release", "p.json", "t.npy", "--out", "a"]).exit_code == 0
    assert not (tmp_path / "a" / WORKBOOK).exists()
    assert run(app, ["release", "p.json", "t.npy", "--out", "b", "--xlsx"]).exit_code == 0
    assert cells(tmp_path / "b" / WORKBOOK)["results"][0][0] == "quantity"
    assert run(app, ["report", "a", "--xlsx"]).exit_code == 0
    assert (tmp_path / "a" / RESULTS).exists()
    assert run(app, ["verify", "a"]).exit_code == 0
    assert run(app, ["verify", "b"]).exit_code == 0
