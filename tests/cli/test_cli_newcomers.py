"""What a newcomer tries first: shipped data, shares, a direction typed by hand, surfaces."""

import csv
import json

import numpy as np
import pytest
from typer.testing import CliRunner

from geomdp import load_release
from geomdp.cli import app
from geomdp.datasets import load_directions, load_tensors
from geomdp.spaces.compositions import sphere_to_composition


def run(*arguments, code=0):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result


@pytest.mark.parametrize("name", ["tensors", "directions"])
def test_shipped_records_and_the_plan_that_is_suggested(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    said = run("data", name, "--out", "a.npy").stdout
    data = load_tensors() if name == "tensors" else load_directions()
    assert np.array_equal(np.load("a.npy"), data.records)
    assert data.license in said
    suggested = said.split("geomdp ")[-1].split()
    run(*suggested, "--mechanism", "laplace")
    run("release", "plan.json", "a.npy", "--out", "mean")
    ball = load_release("mean").plan.statistic.ball
    assert np.allclose(ball.center, data.public_center, atol=1e-4)
    assert ball.radius == pytest.approx(data.public_radius, abs=1e-4)


def test_shipped_records_overwrite_nothing(tmp_path):
    (tmp_path / "a.npy").write_text("mine")
    assert "exists" in run("data", "tensors", "--out", tmp_path / "a.npy", code=1).stderr
    assert (tmp_path / "a.npy").read_text() == "mine"
    assert ".npy" in run("data", "tensors", "--out", tmp_path / "a.csv", code=1).stderr


@pytest.mark.parametrize("kind", ["csv", "npz", "npy"])
def test_compositions_in_and_out(tmp_path, kind):
    shares = np.random.default_rng(1).dirichlet([6.0, 3.0, 1.0], size=60)
    file = tmp_path / f"diets.{kind}"
    if kind == "csv":
        np.savetxt(file, shares, delimiter=",", header="a,b,c", comments="")
    elif kind == "npz":
        np.savez(file, diets=shares)
    else:
        np.save(file, shares)
    plan, out = tmp_path / "plan.json", tmp_path / "out"
    ball = ["--space", "sphere:2", "--center", "0.6,0.3,0.1", "--radius", 0.5, "--compositions"]
    run("plan", *ball, "--n", 60, "--epsilon", 900, "--mechanism", "laplace", "--out", plan)
    run("release", plan, file, "--out", out)
    run("verify", out)
    value = sphere_to_composition(load_release(out).value)
    assert np.allclose(value, shares.mean(axis=0), atol=0.03)  # the budget is huge
    if kind == "csv":
        names, row = csv.reader((out / "value.csv").read_text().splitlines())
        assert names == ["a", "b", "c"]
        assert [float(cell) for cell in row] == value.tolist()
        (out / "value.csv").write_text("a,b,c\n0.6,0.3,0.1\n")
    else:
        with np.load(out / "value.npz") as archive:
            assert np.array_equal(archive["diets" if kind == "npz" else "composition"], value)
        np.savez(out / "value.npz", diets=np.array([0.6, 0.3, 0.1]))
    assert "does not hold the value" in run("verify", out, code=3).stderr


def test_shares_that_are_none_and_spaces_that_take_none(tmp_path):
    ball = ["--space", "sphere:2", "--radius", 0.5, "--n", 60, "--epsilon", 1, "--compositions"]
    assert "add up to 1" in run("plan", *ball, "--center", "0.6,0.3,0.2", code=1).stderr
    flat = ["--space", "euclidean:3", *ball[2:], "--center", "0.6,0.3,0.1"]
    assert "sphere:m-1" in run("plan", *flat, code=1).stderr
    np.save(tmp_path / "center.npy", [0.36, 0.64, 0.0])
    said = run("plan", *ball, "--center", tmp_path / "center.npy", "--mechanism", "laplace")
    assert "sphere:2" in said.stdout


def test_a_typed_direction_needs_no_unit_length():
    ball = ["--space", "sphere:2", "--radius", 0.5, "--n", 60, "--epsilon", 1]
    options = ["--mechanism", "laplace", "--json"]
    short = json.loads(run("plan", *ball, "--center", "0,0,1", *options).stdout)
    long = json.loads(run("plan", *ball, "--center", "0,0,7.5", *options).stdout)
    assert short == long
    assert "norm" in run("plan", *ball, "--center", "0,0,0", code=1).stderr
