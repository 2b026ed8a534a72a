"""Releases over time as a person types them: --periods in the plan, --period and --after then."""

import numpy as np
import pytest
from typer.testing import CliRunner

import geomdp as dp
from geomdp.cli.app import app

WHERE = ["plan", "--space", "euclidean:2", "--center", "0,0", "--radius", "2", "--n", "60"]
COLUMNS = ["--column", "x", "--column", "y"]


def run(*arguments):
    return CliRunner().invoke(app, [str(one) for one in arguments])


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    rows = [f"{x},{y},{1 + i // 20}" for i, (x, y) in enumerate(rng.standard_normal((60, 2)))]
    file = tmp_path / "table.csv"
    file.write_text("\n".join(["x,y,month", *rows]) + "\n")
    return file


@pytest.fixture
def plan(tmp_path):
    file = tmp_path / "plan.json"
    assert run(*WHERE, "--periods", "3", "--mu", "1", "--out", file).exit_code == 0
    return file


def told(tmp_path, period, *more):
    where = ["--period", period, "--period-column", "month", "--kept", tmp_path / "kept"]
    return [*COLUMNS, *where, *more]


def test_periods_one_after_another(plan, table, tmp_path):
    for period in (1, 2, 3):
        after = [] if period == 1 else ["--after", tmp_path / f"m{period - 1}"]
        how = told(tmp_path, period, *after)
        checked = run("check", plan, table, *how)
        assert checked.exit_code == 0, checked.output
        assert f"{20 * period} records" in checked.output
        done = run("release", plan, table, *how, "--out", tmp_path / f"m{period}")
        assert done.exit_code == 0, done.output
    verdict = run("verify", tmp_path / "m3", "--plan", plan)
    assert verdict.exit_code == 0, verdict.output
    assert "It used the approved plan" in verdict.output
    assert dp.load_release(tmp_path / "m3").plan.counts == (20, 40, 60)


def test_a_column_that_is_not_there_and_a_period_that_is_not_said(plan, table, tmp_path):
    out = ["--out", tmp_path / "m1"]
    for how, said in (
        (COLUMNS, "period"),
        ([*COLUMNS, "--period-column", "month"], "say which period: --period 1"),
        (told(tmp_path, 7), "is no period of the plan"),
        (told(tmp_path, 1, "--again"), "--again goes with the ledger"),
        (told(tmp_path, 2, "--after", tmp_path / "nowhere"), "nowhere"),
    ):
        done = run("release", plan, table, *how, *out)
        assert done.exit_code != 0, done.output
        assert said in " ".join(done.output.split())
        assert not (tmp_path / "m1").exists()


def test_options_of_periods_say_nothing_of_other_plans(table, tmp_path):
    alone = tmp_path / "alone.json"
    assert run(*WHERE, "--mu", "1", "--out", alone).exit_code == 0
    done = run("release", alone, table, *COLUMNS, "--period", "1", "--out", tmp_path / "out")
    assert done.exit_code != 0
    assert "the plan has no periods" in " ".join(done.output.split())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--periods", "12", "--epsilon", "1"], "GDP(mu) or ZCDP(rho)"),
        (["--periods", "1", "--mu", "1"], "Periods are"),
        (["--periods", "12", "--mu", "1", "--find-ball"], "do not go together"),
        (["--periods", "12", "--error", "0.1"], "--periods takes a budget"),
        (["--changes", "charged", "--mu", "1"], "--periods"),
    ],
)
def test_what_does_not_go_together_is_refused(options, said):
    done = run(*WHERE, *options)
    assert done.exit_code != 0
    assert said in " ".join(done.output.replace("│", " ").split())


def test_changes_are_charged_where_that_is_typed(tmp_path):
    file = tmp_path / "plan.json"
    typed = ["--periods", "winter,spring", "--changes", "charged", "--rho", "0.5"]
    assert run(*WHERE, *typed, "--out", file).exit_code == 0
    made = dp.load_plan(file)
    assert (made.periods, made.changes) == (("winter", "spring"), "charged")
