"""The studies' machinery: whole results, resumed runs, and verdicts that turn with the table."""

import json
from dataclasses import replace

import numpy as np
import pytest

from geomdp_papers.studies import STUDIES, Claim, Study, Table
from geomdp_papers.studies.runner import run

CELLS = [{"n": 1}, {"n": 2}, {"n": 3}]
CALLS = []


def measure(cell, rng):
    CALLS.append(cell["n"])
    if cell["n"] in FAILING:
        raise KeyboardInterrupt
    return [{"n": cell["n"], "drawn": float(rng.uniform())}]


FAILING: set[int] = set()


def judge(table):
    high = bool(np.all(table.column("drawn") < 1))
    return [Claim("here", "numbers are below 1", "yes", "reproduced" if high else "differs", "all")]


def draw(figure, table):
    figure.add_subplot().plot(table.column("n"), table.column("drawn"))


@pytest.fixture
def study():
    CALLS.clear()
    FAILING.clear()
    name = "of-the-tests"
    made = Study(name, "no paper", "nothing", lambda q, d: CELLS, measure, judge, draw)
    STUDIES._items[name] = made
    yield made
    del STUDIES._items[name]


def test_results_are_a_table_a_figure_and_verdicts(study, tmp_path):
    told = []
    finished = run(study, tmp_path, quick=True, tell=lambda *at: told.append(at))
    assert told == [(0, 3), (1, 3), (2, 3), (3, 3)]
    assert (tmp_path / "of-the-tests.csv").read_text().splitlines()[0] == "n,drawn"
    kept = json.loads((tmp_path / "of-the-tests.json").read_text())
    assert kept["claims"][0]["verdict"] == finished.claims[0].verdict == "reproduced"
    assert "<svg" in (tmp_path / "of-the-tests.svg").read_text()


def test_a_stopped_run_goes_on_where_it_was_and_gives_the_same(study, tmp_path):
    FAILING.add(3)
    with pytest.raises(KeyboardInterrupt):
        run(study, tmp_path / "one", quick=True)
    FAILING.clear()
    resumed = run(study, tmp_path / "one", quick=True)
    assert CALLS == [1, 2, 3, 3]
    assert run(study, tmp_path / "two", quick=True).table == resumed.table


def test_another_seed_is_another_run(study, tmp_path):
    one = run(study, tmp_path, quick=True, seed=0).table
    assert run(study, tmp_path, quick=True, seed=1).table != one


def test_a_table_lists_what_rows_bring():
    table = Table([{"a": 1}, {"a": 2, "b": 0.5}])
    assert table.columns == ["a", "b"]
    assert table.csv() == "a,b\n1,\n2,0.5\n"


def test_numbers_do_not_depend_on_the_name_of_the_folder_of_data(study, tmp_path):
    def run_in(name, folder):
        cells = [{"n": 1, "data": folder}]
        made = Study(study.name, "no paper", "nothing", lambda q, d: cells, measure, judge, draw)
        return run(made, tmp_path / name, quick=True).table

    assert run_in("one", "/here") == run_in("two", "/there")
    assert run_in("one", "/here") != run_in("three", None)


@pytest.mark.parametrize(("stand_in", "end"), [("", ""), ("others", " --data FOLDER")])
def test_a_run_names_the_command_that_makes_it_again(study, tmp_path, stand_in, end):
    made = replace(study, stand_in=stand_in)
    run(made, tmp_path, quick=True, seed=3, data=tmp_path)
    kept = json.loads((tmp_path / "of-the-tests.json").read_text())
    assert kept["command"] == f"geomdp study of-the-tests --seed 3 --quick{end}"


def test_a_table_is_read_as_it_was_written():
    table = Table([{"a": 1, "b": "x, y"}, {"a": 0.5, "c": 1e-9}])
    assert Table.from_csv(table.csv()) == table
