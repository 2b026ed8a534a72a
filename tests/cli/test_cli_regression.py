"""A regression as a person types it: --covariate in the plan, columns in the data."""

import csv
import json

import numpy as np
import pytest
from typer.testing import CliRunner

import geomdp as dp
from geomdp.cli import app

PLAN = ["plan", "--space", "sphere:2", "--center", "0,0,1", "--radius", "0.5", "--n", "40"]
BOTH = ["--statistic", "regression", "--covariate", "age=20:90", "--covariate", "sex=f,m"]


def run(*arguments, code=0):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result


@pytest.fixture
def table(tmp_path):
    file = tmp_path / "table.csv"
    points = dp.datasets.polar_sphere(40, 0.4, seed=1)
    with file.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["sex", "x", "y", "z", "age"])
        for i, point in enumerate(points.tolist()):
            writer.writerow(["fm"[i % 2], *point, 20 + i])
    return file


@pytest.mark.usefixtures("with_reports")
def test_plan_release_verify(tmp_path, table):
    plan, out = tmp_path / "plan.json", tmp_path / "growth"
    said = run(*PLAN, *BOTH, "--mu", "200", "--out", plan)
    assert "age from 20 to 90, sex (f, m)" in said.stdout
    run("release", plan, table, "--out", out)
    run("verify", out, "--plan", plan)
    release = dp.load_release(out)
    names = {"sex": ["fm"[i % 2] for i in range(40)], "age": np.arange(20.0, 60.0)}
    points = dp.datasets.polar_sphere(40, 0.4, seed=1)
    statistic = release.plan.statistic
    truth = statistic.estimate(statistic.encode(dp.Records(points, covariates=names)))
    assert release.value == pytest.approx(truth, abs=0.005)  # the right columns were read
    assert not (out / "value.csv").exists()
    assert "Along age" in (out / "report.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--covariate", "age"], "is not NAME=LOW:HIGH"),
        (["--covariate", "age=20:90", "--covariate", "age=1:2"], "of its own"),
        (["--covariate", "=20:90"], "is not NAME=LOW:HIGH"),
        (["--covariate", "age=90:20"], "the lower first"),
        (["--covariate", "age=20:"], "two levels"),
        (["--covariate", "age=20:inf"], "finite"),
        (["--covariate", "sex=f"], "two levels"),
        ([], "--covariate age=20:90"),
    ],
)
def test_what_is_not_declared_is_refused(arguments, reason):
    result = CliRunner().invoke(app, [*PLAN, "--statistic", "regression", *arguments, "--mu", "1"])
    assert result.exit_code != 0
    words = " ".join(result.output.replace("│", " ").split()) + str(result.exception)
    assert reason in words


def test_covariates_go_with_a_regression_only():
    said = run(*PLAN, "--covariate", "age=20:90", "--mu", "1", code=2)
    assert "--statistic regression" in said.output


def test_a_missing_covariate_follows_the_policy(tmp_path, table):
    lines = table.read_text().splitlines()
    lines[3] = lines[3].rsplit(",", 1)[0] + ","
    table.write_text("\n".join(lines) + "\n")
    strict, total = tmp_path / "strict.json", tmp_path / "total.json"
    run(*PLAN, *BOTH, "--mu", "1", "--out", strict)
    run(*PLAN, *BOTH, "--mu", "1", "--invalid", "public", "--out", total)
    refused = CliRunner().invoke(
        app, ["release", str(strict), str(table), "--out", str(tmp_path / "a")]
    )
    assert "Record 3: its 'age' is no number" in str(refused.exception) + refused.output
    assert not (tmp_path / "a").exists()
    run("release", total, table, "--out", tmp_path / "b", "--json")
    everything = "".join(f.read_text() for f in (tmp_path / "b").iterdir() if f.suffix != ".npy")
    assert "is no number that" not in everything  # reasons are for the curator alone


def test_a_table_without_the_column_is_refused_by_the_plans_name(tmp_path, table):
    plan = tmp_path / "plan.json"
    run(*PLAN, *BOTH, "--mu", "1", "--out", plan)
    table.write_text(table.read_text().replace("age", "years", 1))
    result = CliRunner().invoke(
        app, ["release", str(plan), str(table), "--out", str(tmp_path / "a")]
    )
    assert "no column 'age'" in str(result.exception) + result.output
    assert json.loads(plan.read_text())["statistic"]["covariates"][0]["name"] == "age"
