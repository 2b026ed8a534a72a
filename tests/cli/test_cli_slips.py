"""Slips of the pen: each is answered with one sentence that says what to write instead."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from geomdp.cli import app
from geomdp.datasets import polar_sphere

SPHERE = ["--space", "sphere:2", "--center", "0,0,1"]
ASK = ["--epsilon", "20", "--mechanism", "laplace"]


def said(*arguments, code=1):
    """Return what the command says on standard error, on one line."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return " ".join(result.stderr.replace("│", " ").split())


@pytest.fixture
def folder(tmp_path):
    np.save(tmp_path / "data.npy", polar_sphere(20, 0.4, seed=1))
    plan = ["plan", *SPHERE, "--radius", "0.5", "--n", "20", *ASK]
    CliRunner().invoke(app, [*plan, "--out", str(tmp_path / "plan.json")])
    return tmp_path


@pytest.mark.parametrize(
    ("typed", "instead"),
    [
        ("30deg", "write 0.523599"),
        ("30°", "write 0.523599"),
        ("0,3", "write 0.3"),
        ("wide", "is not a number"),
        ("nan", "is not a number"),
    ],
)
def test_a_radius_as_people_type_it(typed, instead):
    assert instead in said("plan", *SPHERE, "--radius", typed, "--n", 20, *ASK, code=2)


def test_a_radius_in_degrees_without_saying_so():
    sentence = said("plan", *SPHERE, "--radius", 30, "--n", 20, *ASK)
    assert "below 1.0471975512, not 30" in sentence
    assert "30 degrees are 0.523599" in sentence
    flat = ["--space", "euclidean:2", "--center", "0,0"]
    assert "degrees" not in said("plan", *flat, "--radius", -3, "--n", 20, *ASK)


@pytest.mark.parametrize(
    ("typed", "instead"),
    [
        ("1e3", "write 1000"),
        ("1,000", "write 1000"),
        ("20.0", "write 20"),
        ("20.5", "whole number"),
    ],
)
def test_a_number_of_records_as_people_type_it(typed, instead):
    assert instead in said("plan", *SPHERE, "--radius", 0.5, "--n", typed, *ASK, code=2)


def test_plan_and_data_swapped(folder):
    out = ["--out", folder / "out"]
    sentence = said("release", folder / "data.npy", folder / "plan.json", *out)
    assert "is not a plan file: the plan comes first, then the data" in sentence
    (folder / "data.csv").write_text("x,y,z\n0,0,1\n")
    assert "the plan comes first" in said(
        "release", folder / "data.csv", folder / "plan.json", *out
    )
    assert not (folder / "out").exists()


def test_a_plan_cut_short(folder):
    whole = (folder / "plan.json").read_text()
    (folder / "plan.json").write_text(whole[: whole.rindex(",")])
    sentence = said("release", folder / "plan.json", folder / "data.npy", "--out", folder / "out")
    assert "it is cut short; copy it again" in sentence


def test_a_plan_damaged_in_the_middle(folder):
    whole = (folder / "plan.json").read_text()
    (folder / "plan.json").write_text(whole.replace('"n":', '"n" 5 :', 1))
    sentence = said("release", folder / "plan.json", folder / "data.npy", "--out", folder / "out")
    assert "it is damaged (" in sentence
    assert "line" in sentence


def test_a_manifest_for_a_plan(folder):
    run = ["release", folder / "plan.json", folder / "data.npy", "--out", folder / "out"]
    assert CliRunner().invoke(app, [str(part) for part in run]).exit_code == 0
    again = ["release", folder / "out" / "manifest.json", folder / "data.npy", "--out", "none"]
    assert "is the manifest of a release, not a plan" in said(*again)


def test_json_that_is_no_plan(folder):
    (folder / "a.json").write_text(json.dumps({"records": []}))
    sentence = said("release", folder / "a.json", folder / "data.npy", "--out", folder / "out")
    assert "is not a plan file" in sentence
