"""What a curator and a board type: plan with words, show, check."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from geomdp.cli import app

PLAN = (
    *("plan", "--space", "sphere:2", "--center", "0,0,1", "--radius", "0.5", "--n", "6"),
    *("--mechanism", "laplace", "--epsilon", "1"),
)


def run(*arguments, code=0):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def table(rows):
    lines = [",".join(str(cell) for cell in row) for row in [("x", "y", "z", "who"), *rows]]
    Path("table.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_the_words_of_a_plan_are_typed_and_shown():
    run(*PLAN, "--title", "Wind", "--purpose", "A map", "--data-description", "Six stations",
        "--institution", "Institute", "--contact", "a@b.org", "--out", "plan.json")  # fmt: skip
    about = json.loads(Path("plan.json").read_text(encoding="utf-8"))["about"]
    said = {"title": "Wind", "purpose": "A map", "data": "Six stations", "contact": "a@b.org"}
    assert said.items() <= about.items()
    shown = run("show", "plan.json").stdout
    assert shown.startswith("WIND\n")
    assert "Six stations" in shown


def test_a_plan_is_not_written_over_and_nothing_is_computed_first(monkeypatch):
    run(*PLAN, "--out", "plan.json")
    before = Path("plan.json").read_text(encoding="utf-8")

    def never(*_, **__):
        raise AssertionError("it was planned")

    monkeypatch.setattr("geomdp.plans.planning.plan", never)
    refused = run(*PLAN, "--out", "plan.json", code=1)
    assert "'plan.json' exists; choose a new name." in refused.stderr
    assert Path("plan.json").read_text(encoding="utf-8") == before


def test_warnings_are_printed_by_plan_and_show():
    arguments = [*PLAN[:-1], "11", "--out", "plan.json"]
    assert "Warning      An epsilon above 10" in run(*arguments).stdout
    assert "WARNING: An epsilon above 10" in run("show", "plan.json").stdout


def test_show_writes_the_page_and_refuses_an_altered_plan(monkeypatch):
    monkeypatch.setattr("geomdp.report.plan_page.public_pictures", lambda *_: "")
    monkeypatch.setattr("geomdp.report.plan_page._choosing", lambda *_: "")
    run(*PLAN, "--out", "plan.json")
    run("show", "plan.json", "--html", "page.html")
    stated = json.loads(Path("plan.json").read_text(encoding="utf-8"))["hash"]
    assert stated in Path("page.html").read_text(encoding="utf-8")
    text = Path("plan.json").read_text(encoding="utf-8").replace("geomdp 0", "geomdp 9")
    Path("plan.json").write_text(text, encoding="utf-8")
    assert "altered after it was made" in run("show", "plan.json", code=1).stderr


def test_check_names_rows_whatever_the_policy_and_spends_nothing():
    run(*PLAN, "--out", "plan.json")
    table([(0, 0, 1, "a"), (0, 0, "?", "b"), *[(0, 0.1, 0.99498743710662, "c")] * 4])
    found = run("check", "plan.json", "table.csv", "--column", "x", "--column", "y",
                "--column", "z", code=1)  # fmt: skip
    assert found.stdout.startswith("For the curator alone.")
    assert "record 2 is invalid" in found.stdout
    assert "records 3 and 4 hold the same numbers" in found.stdout
    sentence = found.stdout.partition("would be refused: ")[2].partition("\n")[0]
    assert sentence.startswith("table.csv, row 3, column 'z': '?' is not a number")
    columns = ("--column", "x", "--column", "y", "--column", "z")
    said = run("release", "plan.json", "table.csv", *columns, "--out", "out", code=1).stderr
    assert said == f"geomdp: {sentence}\n"


def test_check_answers_machines():
    run(*PLAN, "--out", "plan.json")
    np.save("far.npy", np.tile([1.0, 0.0, 0.0], (6, 1)))
    document = json.loads(run("check", "plan.json", "far.npy", "--json").stdout)
    assert document["passed"]
    assert any("all records lie outside the ball" in text for text in document["concerns"])
    assert "may be published" in document["not for publication"]


def test_a_release_tells_nothing_of_invalid_records():
    run(*PLAN, "--invalid", "public", "--out", "plan.json")
    table([(0, 0, 1, "a"), (0, 0, "?", "b"), *[(0, 0, 1, "c")] * 4])
    columns = ("--column", "x", "--column", "y", "--column", "z")
    done = run("release", "plan.json", "table.csv", *columns, "--out", "out")
    assert "row" not in done.output
    assert "record 1" not in done.output
    assert "table.csv, row 3" in run("check", "plan.json", "table.csv", *columns).stdout
