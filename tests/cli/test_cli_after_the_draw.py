"""The command settles everything before it draws, and keeps the release whatever comes after."""

import numpy as np
import pytest
from typer.testing import CliRunner

import geomdp.io
from geomdp.cli import app
from geomdp.datasets import polar_sphere
from geomdp.noise.entropy import SystemEntropy
from geomdp.releases.verification import verify

pytestmark = pytest.mark.usefixtures("with_reports")

SPHERE = ["--space", "sphere:2", "--center", "0,0,1", "--radius", "0.5"]


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def folder(tmp_path):
    header = "x,y,z"
    np.savetxt(tmp_path / "data.csv", polar_sphere(20, 0.4, seed=1), "%.17g", ",", header=header)
    (tmp_path / "data.csv").write_text((tmp_path / "data.csv").read_text().removeprefix("# "))
    options = ["--n", 20, "--epsilon", 20, "--mechanism", "laplace"]
    run("plan", *SPHERE, *options, "--out", tmp_path / "plan.json")
    return tmp_path


def release(folder):
    return run("release", folder / "plan.json", folder / "data.csv", "--out", folder / "out")


def test_a_further_format_that_fails_is_left_out_and_said(folder, monkeypatch):
    real, calls = geomdp.io.write_value, []

    def fails_after_the_draw(value, place, *more):
        calls.append(place)
        real(value, place, *more)
        if len(calls) > 1:  # the first is the trial on a public record
            raise ValueError("secret 12345678")

    monkeypatch.setattr(geomdp.io, "write_value", fails_after_the_draw)
    result = release(folder)
    assert result.exit_code == 0, result.output
    assert "Do not release again" in result.stderr
    assert not (folder / "out" / "value.csv").exists()
    assert verify(folder / "out").verified
    assert "secret" not in "".join(p.read_text("latin-1") for p in (folder / "out").iterdir())


def test_a_format_that_cannot_be_written_is_refused_before_the_draw(folder, monkeypatch):
    def fails(*_):
        raise OSError("no such package")

    monkeypatch.setattr(geomdp.io, "write_value", fails)
    monkeypatch.setattr(SystemEntropy, "take", None)
    assert release(folder).exit_code == 1
    assert not (folder / "out").exists()


def test_the_further_format_is_covered_by_the_manifest(folder):
    assert release(folder).exit_code == 0
    assert verify(folder / "out").verified
    (folder / "out" / "value.csv").unlink()
    assert [str(p) for p in verify(folder / "out").problems] == ["value.csv: it is missing"]


def test_verify_says_what_it_cannot_show(folder):
    assert release(folder).exit_code == 0
    plain = run("verify", folder / "out")
    assert plain.exit_code == 0
    assert "every number follows" in plain.stdout
    assert "drawn by this plan" in plain.stdout
    assert "--plan" in plain.stdout
    compared = run("verify", folder / "out", "--plan", folder / "plan.json")
    assert compared.exit_code == 0
    assert "approved plan" in compared.stdout
    assert "--plan" not in compared.stdout


def test_verify_compares_with_the_approved_plan(folder):
    assert release(folder).exit_code == 0
    options = ["--n", 20, "--epsilon", 10, "--mechanism", "laplace"]
    run("plan", *SPHERE, *options, "--out", folder / "other.json")
    result = run("verify", folder / "out", "--plan", folder / "other.json")
    assert result.exit_code == 3
    assert "plan.budget.epsilon: '20' is stated, but '10' was approved" in result.stderr


def test_a_missing_folder_is_no_forgery(folder):
    result = run("verify", folder / "nowhere")
    assert result.exit_code == 1
    assert "There is no folder" in result.stderr
    assert "nothing was verified" in result.stderr


def test_remarks_are_part_of_the_document(folder):
    assert release(folder).exit_code == 0
    import json

    document = json.loads(run("verify", folder / "out", "--json").stdout)
    assert document["verified"] is True
    assert document["remarks"] == []
    assert len(document["cannot_show"]) == 4
