"""The workflow as a person types it: plan, release, verify."""

import csv
import json
import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

import geomdp as dp
from geomdp import load_release
from geomdp.cli import app, tables
from geomdp.datasets import load_directions, load_tensors, polar_sphere
from geomdp.spaces import Sphere

SPHERE = ["--space", "sphere:2", "--center", "0,0,1", "--radius", "0.5"]


def run(*arguments, code=0):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result


def write_points(path, n, labels=None, persons=None):
    points = polar_sphere(n, 0.4, seed=1)
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["x", "y", "z", "group", "person"])
        for i, point in enumerate(points.tolist()):
            label = labels[i] if labels else "all"
            writer.writerow([*point, label, persons[i] if persons else i])
    return points


@pytest.mark.usefixtures("with_reports")
def test_plan_release_verify_on_tensors(tmp_path):
    np.save(tmp_path / "tensors.npy", load_tensors().records)
    plan = tmp_path / "plan.json"
    said = run(
        *["plan", "--space", "spd:3", "--center", "identity", "--radius", 2, "--n", 972],
        *["--epsilon", 1, "--mechanism", "laplace", "--out", plan],
    )
    assert "0.0246925 expected" in said.stdout
    out = tmp_path / "mean-tensor"
    said = run("release", plan, tmp_path / "tensors.npy", "--out", out)
    assert "ε = 1, pure" in said.stdout
    assert load_release(out).value.shape == (3, 3)
    assert (out / "report.html").read_text().startswith("<!doctype html>")
    assert "every number follows" in run("verify", out).stdout
    assert {file.name for file in tmp_path.iterdir()} == {"tensors.npy", "plan.json", "mean-tensor"}


def test_the_value_comes_in_the_format_of_the_data_and_is_verified(tmp_path):
    write_points(tmp_path / "a.csv", 40)
    plan, out = tmp_path / "plan.json", tmp_path / "out"
    run("plan", *SPHERE, "--n", 40, "--epsilon", 5, "--mechanism", "laplace", "--out", plan)
    columns = ["--column", "x", "--column", "y", "--column", "z"]
    run("release", plan, tmp_path / "a.csv", *columns, "--out", out, "--project")
    names, row = csv.reader((out / "value.csv").read_text().splitlines())
    assert names == ["x", "y", "z"]
    assert [float(cell) for cell in row] == load_release(out).value.tolist()
    run("verify", out)
    (out / "value.csv").write_text("x,y,z\n0.0,0.0,1.0\n")
    assert "value.csv" in run("verify", out, code=3).stderr


def test_the_budget_for_an_error_and_back():
    said = run("plan", *SPHERE, "--n", 1000, "--error", 0.01, "--mechanism", "laplace", "--json")
    document = json.loads(said.stdout)
    assert document["budget"] == {"kind": "pure", "epsilon": "0.219"}
    assert 0.0099 < document["derived"]["expected_error"] <= 0.01
    said = run(
        *["plan", *SPHERE, "--n", 1000, "--error", 0.01, "--kind", "zcdp", "--json"],
        *["--mechanism", "wrapped-gaussian"],
    )
    assert json.loads(said.stdout)["budget"]["kind"] == "zcdp"


def test_a_table_over_epsilon_falls_and_compares_mechanisms(monkeypatch, capsys):
    from geomdp.cli import tables

    monkeypatch.setattr(tables, "LADDER", ("0.5", "5"))
    said = run("plan", *SPHERE, "--n", 1000, "--epsilon", 1, "--table", "--json")
    rows = json.loads(said.stdout)["table"]
    assert [row["budget"] for row in rows] == [dp.Pure("0.5").to_json(), dp.Pure(5).to_json()]
    assert rows[0]["expected_error"] > 9 * rows[1]["expected_error"]
    for row in rows:
        assert row["error_95"] > row["expected_error"]
        assert {"laplace", "laplace-ball"} <= {*row["others"], row["mechanism"]}
        assert all(error >= row["expected_error"] for error in row["others"].values())
    tables.print_table([*rows, {"budget": dp.Pure("0.001").to_json(), "refused": "too little"}])
    shown = capsys.readouterr().out
    assert "ε = 5, pure" in shown
    assert "refused" in shown


def test_the_page(tmp_path):
    page = tmp_path / "plan.html"
    run(
        *["plan", *SPHERE, "--n", 1000, "--epsilon", 1, "--mechanism", "laplace"],
        *["--html", page],
    )
    assert "Error against epsilon" in page.read_text()


def test_center_from_a_file_and_budget_kinds(tmp_path):
    directions = load_directions()
    np.savez(tmp_path / "center.npz", point=directions.public_center)
    ball = ["--space", "sphere:2", "--center", tmp_path / "center.npz", "--radius", 0.5]
    for options, kind in [
        (["--epsilon", "1/3"], "pure"),
        (["--epsilon", 1, "--delta", "1e-6"], "approximate"),
        (["--mu", 1], "gdp"),
        (["--rho", "0.5"], "zcdp"),
    ]:
        mechanism = "wrapped-gaussian" if kind in ("gdp", "zcdp") else "laplace"
        said = run("plan", *ball, "--n", 121, *options, "--mechanism", mechanism, "--json")
        assert json.loads(said.stdout)["budget"]["kind"] == kind


def test_groups_with_public_labels(tmp_path):
    labels = ["b"] * 30 + ["a"] * 50
    points = write_points(tmp_path / "a.csv", 80, labels)
    plan, out = tmp_path / "plan.json", tmp_path / "out"
    groups = ["--group", "a=50", "--group", "b=30"]
    run(
        *["plan", *SPHERE, *groups, "--epsilon", 500, "--mechanism", "laplace", "--out", plan],
    )
    columns = ["--column", "x", "--column", "y", "--column", "z", "--by", "group"]
    said = run("release", plan, tmp_path / "a.csv", *columns, "--out", out)
    assert "each inside its group" in said.stdout
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["plan"]["derived"]["composition"].startswith("parallel")
    assert manifest["plan"]["derived"]["share"] == manifest["plan"]["budget"]
    run("verify", out)
    from geomdp import frechet_mean

    for name, part in (("1-a", points[30:]), ("2-b", points[:30])):
        value = load_release(out / name).value
        mean = frechet_mean(Sphere(2), part).point
        assert float(Sphere(2).dist(value, mean)) < 2e-3  # the budget is huge
        assert (out / name / "value.csv").exists()


def test_private_labels_and_persons_divide_the_budget(tmp_path):
    write_points(tmp_path / "a.csv", 80, ["a", "b"] * 40, [i // 2 for i in range(80)])
    plan, out = tmp_path / "plan.json", tmp_path / "out"
    run(
        *["plan", *SPHERE, "--group", "a=40", "--group", "b=40", "--private-labels"],
        *["--max-per-person", 2, "--epsilon", 40, "--mechanism", "laplace", "--out", plan],
    )
    columns = ["--column", "x", "--column", "y", "--column", "z"]
    by = ["--by", "group", "--person", "person"]
    run("release", plan, tmp_path / "a.csv", *columns, *by, "--out", out)
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["plan"]["derived"]["share"] == {"kind": "pure", "epsilon": "10"}
    assert manifest["plan"]["derived"]["composition"].startswith("two groups")
    run("verify", out)


def test_persons_without_groups(tmp_path):
    write_points(tmp_path / "a.csv", 40, persons=[i // 4 for i in range(40)])
    plan, out = tmp_path / "plan.json", tmp_path / "out"
    run(
        *["plan", *SPHERE, "--n", 40, "--max-per-person", 4, "--mu", 1, "--out", plan],
        *["--mechanism", "wrapped-gaussian"],
    )
    columns = ["--column", "x", "--column", "y", "--column", "z"]
    run("release", plan, tmp_path / "a.csv", *columns, "--person", "person", "--out", out)
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["plan"]["unit"]["max_records"] == 4
    whole = json.loads(
        run(
            "plan", *SPHERE, "--n", 40, "--mu", 1, "--mechanism", "wrapped-gaussian", "--json"
        ).stdout
    )
    scales = [document["derived"]["scale"] for document in (manifest["plan"], whole)]
    assert scales[0] / scales[1] == pytest.approx(4)
    run("verify", out)


@pytest.mark.usefixtures("with_reports")
def test_as_a_process_from_another_folder(tmp_path):
    def python(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "geomdp", *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )

    np.save(tmp_path / "points.npy", polar_sphere(50, 0.4, seed=1))
    options = [*SPHERE, "--n", "50", "--epsilon", "1", "--mechanism", "laplace"]
    run("plan", *options, "--out", tmp_path / "plan.json")
    done = python("release", "plan.json", "points.npy", "--out", "mean", "--json")
    assert json.loads(done.stdout)["folder"] == "mean"
    run("verify", tmp_path / "mean")
    again = python("release", "plan.json", "points.npy", "--out", "mean")
    assert again.returncode == 1
    assert again.stderr.count("\n") == 1
    assert "exists" in again.stderr


def test_help_teaches_with_examples():
    for command in ([], ["plan"], ["release"], ["verify"], ["data"], ["demo"]):
        said = run(*command, "--help").stdout
        assert "geomdp" in said
    assert "geomdp release plan.json" in run("release", "--help").stdout
    assert run("--version").stdout.startswith("geomdp 0.")


def test_the_command_is_light_to_import():
    """Its own modules load neither NumPy nor the mechanisms before a command runs."""
    import ast
    from pathlib import Path

    import geomdp.cli

    folder = Path(geomdp.cli.__file__).parent
    for name in (
        "__init__",
        "app",
        "declared",
        "../typed/options",
        "../typed/inputs",
        "../typed/planning",
        "../typed/records",
        "plan",
        "release",
        "verify",
        "data",
    ):
        tree = ast.parse((folder / f"{name}.py").read_text())
        top = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
        modules = {alias.name for node in top for alias in node.names} | {
            node.module for node in top if isinstance(node, ast.ImportFrom)
        }
        heavy = {
            "numpy",
            "scipy",
            "rich",
            "geomdp.plans.planning",
            "geomdp.io",
            "geomdp.plans.release",
        }
        assert not modules & heavy, name


@pytest.mark.parametrize("kind", ["npz", "parquet"])
def test_groups_from_other_formats(tmp_path, kind):
    points, labels = polar_sphere(20, 0.4, seed=1), np.array(["a", "b"] * 10)
    if kind == "npz":
        np.savez(tmp_path / "d.npz", points=points, sex=labels)
    else:
        pyarrow = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        table = pyarrow.table({"points": points.tolist(), "sex": labels})
        parquet.write_table(table, tmp_path / "d.parquet")
    plan, out = tmp_path / "plan.json", tmp_path / "out"
    groups = ["--group", "a=10", "--group", "b=10"]
    run("plan", *SPHERE, *groups, "--epsilon", 20, "--mechanism", "laplace", "--out", plan)
    run("release", plan, tmp_path / f"d.{kind}", "--by", "sex", "--out", out)
    run("verify", out)
    assert (out / "2-b" / f"value.{kind}").exists()


def test_under_public_a_cell_that_is_no_number_spoils_its_record_alone(tmp_path):
    write_points(tmp_path / "a.csv", 40)
    lines = (tmp_path / "a.csv").read_text().splitlines()
    lines[5] = ",".join(["n/a", *lines[5].split(",")[1:]])
    (tmp_path / "a.csv").write_text("\n".join(lines) + "\n")
    for policy, code in (("refuse", 1), ("public", 0)):
        plan, out = tmp_path / f"{policy}.json", tmp_path / policy
        run(
            *["plan", *SPHERE, "--n", 40, "--epsilon", 40, "--mechanism", "laplace"],
            *["--invalid", policy, "--out", plan],
        )
        columns = ["--column", "x", "--column", "y", "--column", "z"]
        run("release", plan, tmp_path / "a.csv", *columns, "--out", out, code=code)
        assert out.exists() is (code == 0)
    run("verify", tmp_path / "public", "--plan", tmp_path / "public.json")


def test_groups_have_a_table_and_a_budget_for_an_error(monkeypatch):
    space = ["--space", "sphere:2", "--center", "0,0,1", "--radius", "0.5"]
    groups = ["--group", "a=300", "--group", "b=200", "--group", "c=300"]
    ask = ["--error", 0.02, "--mechanism", "laplace"]
    found = json.loads(run("plan", *space, *groups, *ask, "--json").stdout)
    assert 0.0195 < found["derived"]["expected_error"] <= 0.02
    assert {part["n"] for part in found["plans"].values()} == {300, 200}
    monkeypatch.setattr(tables, "LADDER", ("1", "5"))
    table = json.loads(run("plan", *space, *groups, "--epsilon", 1, "--table", "--json").stdout)
    low, high = table["table"]
    assert low["expected_error"] == max(low["groups"].values()) > high["expected_error"]
    assert low["groups"]["a"] == low["groups"]["c"] < low["groups"]["b"]
    assert low["others"]
    shown = run("plan", *space, *groups, "--epsilon", 1, "--table").stdout
    assert shown.count("Runners-up") == 1
    assert "of the smallest" in shown


def test_a_table_over_budgets_keeps_the_unit(monkeypatch):
    monkeypatch.setattr(tables, "LADDER", ("1",))
    unit = ["--max-per-person", 4]
    for size in (["--n", 400], ["--group", "a=300", "--group", "b=200", "--private-labels"]):
        words = ["plan", *SPHERE, *size, *unit, "--epsilon", 1, "--table", "--json"]
        told = json.loads(run(*words).stdout)
        (row,) = told["table"]
        assert row["expected_error"] == told["plan"]["derived"]["expected_error"]


@pytest.mark.parametrize("groups", [(), ("--group", "a=10", "--group", "b=10")])
def test_a_cell_with_lines_of_other_persons_is_refused_before_anything_is_drawn(tmp_path, groups):
    plan, data = tmp_path / "plan.json", tmp_path / "data.csv"
    space = ["--space", "euclidean:2", "--statistic", "tangent-mean", "--center", "0,0"]
    size = groups or ("--n", "20")
    asked = ["--radius", "1", "--epsilon", "1", "--unit", "person", "--invalid", "public"]
    run("plan", *space, *asked, *size, "--out", str(plan))
    rows = [f"p{i},{'ab'[i % 2]},ok,0,0" for i in range(20)]
    by = ("--by", "arm") if groups else ()
    how = [*by, "--person", "person", "--column", "x", "--column", "y"]

    def released(note):
        lines = ["person,arm,note,x,y", rows[0].replace("ok", note), *rows[1:], ""]
        data.write_text("\n".join(lines))
        out = tmp_path / f"out{len(note)}"
        code = int(note != "ok")
        return run("release", str(plan), str(data), *how, "--out", str(out), code=code), out

    released("ok")
    said, out = released('"\np1,b,,1,0\np0,a,"')
    assert "Line 2 of data.csv opens a quotation mark" in said.output
    assert not out.exists()
