"""Published extremes: a ball in one minute, from two commands and a picture."""

import json

import numpy as np
from typer.testing import CliRunner

import geomdp as dp
from geomdp.cli import app
from geomdp.datasets import PARENCHYMA_TRACE, cigar


def test_a_ball_by_published_extremes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written = CliRunner().invoke(app, ["data", "diffusion-extremes", "--out", "extremes.npy"])
    assert written.exit_code == 0, written.output
    ball = "ball extremes.npy --space spd:3 --center 0.7,0,0.7,0,0,0.7 --source published"
    made = CliRunner().invoke(app, [*ball.split(), "--html", "b.html", "--out", "b.json"])
    assert made.exit_code == 0, made.output
    radius = json.loads((tmp_path / "b.json").read_text())["radius"]
    farthest = cigar(PARENCHYMA_TRACE, 0.9)
    assert dp.SPD(3).dist(PARENCHYMA_TRACE / 3 * np.eye(3), farthest) <= radius < 2.5
    assert "<svg" in (tmp_path / "b.html").read_text()
