"""Classes as a person types them: --classes in the plan, --by in the data."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import geomdp as dp
from geomdp.cli.app import app

PLAN = ["plan", "--space", "euclidean:2", "--center", "0,0", "--radius", "2", "--n", "300"]


@pytest.fixture
def table(tmp_path):
    """Two classes in a csv file."""
    rng = np.random.default_rng(0)
    labels = np.where(np.arange(300) < 100, "patient", "control")
    points = 0.2 * rng.standard_normal((300, 2)) + (labels == "patient")[:, None]
    file = tmp_path / "table.csv"
    rows = [f"{x},{y},{label}" for (x, y), label in zip(points, labels, strict=True)]
    file.write_text("\n".join(["x,y,dx", *rows]) + "\n")
    return file


@pytest.mark.parametrize("budget", [["--mu", "1"], ["--epsilon", "1"]])
def test_plan_check_release_verify_and_report(budget, table, tmp_path, with_reports):
    plan, out = tmp_path / "plan.json", tmp_path / "out"
    steps = (
        [*PLAN, "--classes", "control,patient", *budget, "--out", str(plan)],
        ["check", str(plan), str(table), "--by", "dx"],
        ["release", str(plan), str(table), "--by", "dx", "--out", str(out)],
        ["verify", str(out)],
    )
    for step in steps:
        result = CliRunner().invoke(app, step)
        assert result.exit_code == 0, result.output
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "The classes" in page
    assert "patient" in page
    assert json.loads(plan.read_text())["statistic"]["labels"] == ["control", "patient"]
    found = dp.classes_of(dp.load_release(out))
    assert found.sizes["patient"] == pytest.approx(100, abs=80)


def test_labels_are_asked_for_and_the_list_is(table, tmp_path):
    plan = tmp_path / "plan.json"
    assert CliRunner().invoke(app, [*PLAN, "--classes", "a,b", "--mu", "1", "--out", str(plan)])
    said = CliRunner().invoke(app, ["release", str(plan), str(table), "--out", str(tmp_path / "o")])
    assert said.exit_code != 0
    said = CliRunner().invoke(app, [*PLAN, "--statistic", "classes", "--mu", "1"])
    assert "--classes control,patient" in " ".join(said.output.split())


def test_a_label_that_is_not_listed_is_not_blamed_on_the_length_of_a_direction(tmp_path):
    plan, file = tmp_path / "plan.json", tmp_path / "table.csv"
    file.write_text("x,y,z,dx\n" + "0,0,1,a\n" * 299 + "0,0.6,0.8,other\n")
    sphere = ["--space", "sphere:2", "--center", "0,0,1", "--radius", "1", "--n", "300"]
    CliRunner().invoke(app, ["plan", *sphere, "--classes", "a,b", "--mu", "1", "--out", str(plan)])
    release = ["release", str(plan), str(file), "--by", "dx", "--out", str(tmp_path / "out")]
    said = " ".join(CliRunner().invoke(app, release).output.split())
    assert "Record 300: its label is not on the plan's list" in said
    assert "--normalize" not in said
