"""What clipping does, and leading directions, as they are typed."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import geomdp as dp
from geomdp.cli import app

DIM = 6


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def ball(tmp_path):
    """A ball whose form is steep, in a file."""
    made = dp.Ball(dp.Euclidean(DIM), np.zeros(DIM), 1.0, form=np.diag(2.0 ** -np.arange(DIM)))
    file = tmp_path / "ball.json"
    file.write_text(json.dumps(made.to_json()))
    return file


def test_leading_directions_are_typed_and_stand_in_the_plan(ball, tmp_path):
    file = tmp_path / "plan.json"
    asked = ("--ball", ball, "--statistic", "leading-mean", "--n", 300, "--epsilon", 1)
    said = run("plan", *asked, "--leading", 3, "--decay", 3, "--left-out", 0.5, "--out", file)
    assert said.exit_code == 0, said.output
    assert "3 leading of 6 directions" in said.stdout
    plan = dp.load_plan(file)
    assert (plan.statistic.directions, plan.statistic.decay, plan.statistic.left_out) == (3, 3, 0.5)
    chosen = run("plan", *asked, "--json")
    assert json.loads(chosen.stdout)["statistic"]["directions"] in range(1, DIM + 1)


def test_clipped_records_are_asked_for_released_and_verified(tmp_path):
    plan, records, folder = tmp_path / "plan.json", tmp_path / "x.npy", tmp_path / "out"
    np.save(records, np.full((200, 2), 0.9))
    asked = ("--space", "euclidean:2", "--center", "origin", "--radius", 1, "--n", 200, "--mu", 5)
    said = run("plan", *asked, "--clipped", "--outer", 4, "--out", plan)
    assert said.exit_code == 0, said.output
    assert "how many records are clipped" in said.stdout
    assert run("release", plan, records, "--out", folder).exit_code == 0
    assert run("verify", folder, "--plan", plan).exit_code == 0
    told = dp.load_release(folder).clipping
    assert told.estimate == pytest.approx(1.0, abs=0.05)
    assert told.bias > 2.5  # all of them may lie at 4, for all that the count says


@pytest.mark.parametrize(
    ("more", "answer"),
    [
        (("--outer", "4"), "--outer goes with --clipped"),
        (("--leading", "3"), "--leading goes with --statistic leading-mean"),
        (("--clipped", "--error", "0.1"), "--clipped takes a budget"),
    ],
)
def test_options_without_what_they_belong_to_are_refused(more, answer):
    budget = () if "--error" in more else ("--mu", "1")
    asked = ("--space", "euclidean:2", "--center", "origin", "--radius", 1, "--n", 200, *budget)
    said = run("plan", *asked, *more)
    assert said.exit_code == 2
    assert answer in " ".join(said.output.replace("│", " ").split())
