"""Links of landmarks: public words of the plan, by which pictures join them."""

import json

import numpy as np
import pytest
from matplotlib.figure import Figure
from typer.testing import CliRunner

import geomdp as dp
from geomdp.cli import app
from geomdp.errors import GeomdpError
from geomdp.readings.names import Names, links_of
from geomdp.report.pictures.landmarks import draw_landmarks
from geomdp.report.pictures.outlines import draw_outline
from geomdp.report.pictures.scene import plan_scene

CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.7]])
PAIRS = ((0, 1), (1, 2), (2, 3))


def planned(names, space=None):
    ball = space or dp.Ball(dp.PlanarShapes(4), center=CORNERS, radius=0.3)
    return dp.plan(dp.FrechetMean(ball), n=30, budget=dp.Pure(50), names=names)


def drawn(plan, draw):
    axes = Figure().subplots()
    draw(axes, plan.statistic.ball.space, plan_scene(plan))
    return sum(len(line.get_xdata()) == 2 for line in axes.lines)


def test_links_travel_with_the_plan_and_are_drawn(tmp_path):
    plan = planned(Names(links=PAIRS))
    assert plan.to_json()["links"] == [[1, 2], [2, 3], [3, 4]]
    plan.save(tmp_path / "plan.json")
    again = dp.load_plan(tmp_path / "plan.json")
    assert links_of(again.names) == PAIRS
    assert drawn(again, draw_outline) == 6  # of the value, and of the public centre
    assert drawn(planned(()), draw_outline) == 0
    assert "links" not in planned(()).to_json()
    space = dp.SizeAndShape(4, 3)
    ball = dp.Ball(space, np.c_[CORNERS, [0, 0, 0, 1.0]], 1.0)
    solid = dp.plan(dp.TangentMean(ball), n=30, budget=dp.GDP(9), names=Names("abcd", PAIRS))
    assert drawn(solid, draw_landmarks) == 6


@pytest.mark.parametrize("pair", [(0, 4), (-1, 2), (2, 2), (0.0, 1)])
def test_links_of_landmarks_that_are_not_there_are_refused(pair):
    with pytest.raises(GeomdpError, match="two landmarks from 1 to 4"):
        planned(Names(links=[pair]))
    with pytest.raises(GeomdpError, match="of which these records have none"):
        planned(Names(links=[pair]), dp.Ball(dp.Sphere(2), [0, 0, 1], 0.5))


def run(*arguments, code=0):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result


@pytest.mark.usefixtures("with_reports")
def test_links_of_morphoj_in_a_verified_release(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "links.txt").write_text("1\t2\n2 3\n\n3,4\n")
    shapes = CORNERS + np.random.default_rng(0).normal(0, 0.03, (30, 4, 2))
    np.save("a.npy", shapes)
    center = ",".join(map(str, CORNERS.reshape(-1)))
    what = ("--space", "planar-shapes:4", "--center", center, "--radius", 0.3, "--n", 30)
    for name, links in (("file", "links.txt"), ("typed", "1-2, 2-3,3-4")):
        run("plan", *what, "--epsilon", 50, "--links", links, "--out", f"{name}.json")
    plans = [json.loads((tmp_path / f"{name}.json").read_text()) for name in ("file", "typed")]
    assert plans[0]["links"] == plans[1]["links"] == [[1, 2], [2, 3], [3, 4]]
    run("release", "file.json", "a.npy", "--out", "mean")
    run("verify", "mean", "--plan", "file.json")
    said = run("plan", *what, "--epsilon", 50, "--links", "1-2-3", code=1).stderr
    assert "'1-2-3' is no link of two landmarks" in said
