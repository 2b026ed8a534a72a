"""``geomdp ball``: a ball from public records, whose source goes into the plan."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import geomdp as dp
from geomdp.cli import app
from geomdp.errors import GeomdpError
from geomdp.plans.refined import fingerprint
from geomdp.releases.ball_choice import choose_ball, round_up
from geomdp.releases.estimates import shaped_ball
from geomdp.releases.verification import verify
from geomdp.report.ball_page import ball_html
from geomdp.spaces.forms import mesh_waves
from geomdp.surfaces.mesh.meshio import write_surface
from geomdp.surfaces.mesh.surface import Surface

SOURCE = ["--source", "Smith 2020, table 2"]
SPHERE = ["--space", "sphere:2", "--center", "0,0,1"]


def run(*arguments, code=0, asked=None):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=asked)
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture
def public(tmp_path):
    file = tmp_path / "public.npy"
    np.save(file, dp.datasets.polar_sphere(200, radius=0.37, seed=3))
    return file


def outlines(n, rng, k=12):
    t = 2 * np.pi * np.arange(k) / k
    radius = (
        1 + 0.1 * rng.standard_normal((n, 1)) * np.cos(2 * t) + 0.005 * rng.standard_normal((n, k))
    )
    return np.stack([1.5 * radius * np.cos(t), radius * np.sin(t)], axis=-1)


def test_distances_sweep_page_and_file(public, tmp_path):
    out, page = tmp_path / "ball.json", tmp_path / "ball.html"
    budget = ("--n", 500, "--mu", 1)
    text = run("ball", public, *SPHERE, *SOURCE, *budget, "--out", out, "--html", page)
    assert "200 records from Smith 2020, table 2" in text
    distances = dp.Sphere(2).dist(np.array([0.0, 0.0, 1.0]), np.load(public))
    assert f"100% within {np.max(distances):.4g}" in text
    assert "expected error" in text
    html = page.read_text("utf-8")
    assert html.count("<svg") == 7  # the centre, five records, the sweep
    assert "Smith 2020, table 2" in html
    document = json.loads(run("ball", public, *SPHERE, *SOURCE, *budget, "--json"))
    radii = [row["radius"] for row in document["sweep"]]
    errors = [row["error"] for row in document["sweep"]]
    inside = [row["inside"] for row in document["sweep"]]
    assert errors == sorted(errors)
    assert inside == [float(np.mean(distances <= radius)) for radius in radii]
    assert document["radius"] == round_up(float(np.max(distances)))


def test_the_source_is_written_into_plan_and_manifest(public, tmp_path):
    ball, plan, out = tmp_path / "ball.json", tmp_path / "plan.json", tmp_path / "mean"
    run("ball", public, *SPHERE, *SOURCE, "--out", ball)
    run("plan", "--ball", ball, "--n", 300, "--mu", 1, "--out", plan)
    assert json.loads(plan.read_text())["statistic"]["source"] == "Smith 2020, table 2"
    np.save(tmp_path / "x.npy", dp.datasets.polar_sphere(300, radius=0.3, seed=4))
    run("release", plan, tmp_path / "x.npy", "--out", out)
    assert verify(out, plan).problems == ()
    assert dp.load_release(out).plan.statistic.ball.source == "Smith 2020, table 2"


def test_the_source_is_asked_for(public):
    text = run("ball", public, *SPHERE, asked="an atlas\n")
    assert "Where do these public records come from" in text
    assert "200 records from an atlas" in text
    assert "Say where" in run("ball", public, *SPHERE, "--source", " ", code=1)


def test_shaped_balls_from_a_covariance_and_from_smoothness(tmp_path):
    rng = np.random.default_rng(0)
    others = outlines(400, rng)
    np.save(tmp_path / "others.npy", others)
    np.save(tmp_path / "center.npy", outlines(1, rng)[0])
    space = dp.PlanarShapes(12)
    center = dp.Ball(space, np.load(tmp_path / "center.npy"), 0.1).center
    logs = np.asarray(space.frame_log(center, space.require(others)))
    np.savetxt(tmp_path / "covariance.csv", np.cov(logs.T), delimiter=",")
    words = ("--space", "planar-shapes:12", "--center", tmp_path / "center.npy", *SOURCE)
    budget = ("--n", 400, "--mu", 1)
    errors = {}
    for form in (None, "smooth", tmp_path / "covariance.csv"):
        more = () if form is None else ("--form", form)
        file = tmp_path / "ball.json"
        run("ball", tmp_path / "others.npy", *words, *more, "--out", file)
        text = run("plan", "--ball", file, *budget, "--statistic", "tangent-mean", "--json")
        errors[str(form)] = json.loads(text)["derived"]["expected_error"]
    plain, _, follows = errors.values()
    assert follows < plain / 1.5
    choice = choose_ball(
        space, center, others, source="x", form=dp.Ball.from_json(json.loads(file.read_text())).form
    )
    assert "Edge of the shaped ball" in ball_html(choice, choice.sweep())


@pytest.mark.parametrize(
    ("text", "word"),
    [("1,2\n3,4\n", "symmetric"), ("1,2\n", "square"), ("a,b\n", "no matrix"), ("1\n", "rows and")],
)
def test_a_file_that_is_no_covariance_is_one_sentence(public, tmp_path, text, word):
    (tmp_path / "c.csv").write_text(text)
    told = run("ball", public, *SPHERE, *SOURCE, "--form", tmp_path / "c.csv", code=1)
    assert word in told


def test_what_goes_wrong_is_one_sentence(public, tmp_path):
    assert "--space and --center" in run("ball", public, *SOURCE, code=2)
    assert "--n" in run("ball", public, *SPHERE, *SOURCE, "--mu", 1, code=2)
    assert "cannot be read" in run("plan", "--ball", tmp_path / "x", "--n", 9, "--mu", 1, code=1)
    bad = tmp_path / "bad.json"
    bad.write_text("{}")
    assert "geomdp ball" in run("plan", "--ball", bad, "--n", 9, "--mu", 1, code=1)
    assert "goes without" in run("plan", "--ball", bad, "--radius", 1, "--n", 9, "--mu", 1, code=2)
    assert "outlines in the plane" in run(
        "ball", public, *SPHERE, *SOURCE, "--form", "smooth", code=1
    )
    at_center = np.tile([0.0, 0.0, 1.0], (3, 1))
    with pytest.raises(GeomdpError, match="give a radius"):
        choose_ball(dp.Sphere(2), [0.0, 0.0, 1.0], at_center, source="x")
    choice = choose_ball(dp.SPD(2), np.eye(2), 2 * np.eye(2), source="x")
    assert "<svg" in ball_html(choice, choice.sweep())


def test_a_mesh_shapes_a_ball_of_landmarks_in_space(tmp_path):
    rng = np.random.default_rng(0)
    surface = plane_mesh(6, 7)
    count = len(surface.vertices)
    waves = mesh_waves(surface.faces, count)[1][:, 1:8]
    moved = 0.2 * np.einsum("vw,nwc->nvc", waves, rng.standard_normal((200, 7, 3)))
    np.save(tmp_path / "others.npy", surface.vertices + moved)
    np.save(tmp_path / "center.npy", surface.vertices)
    write_surface(surface, tmp_path / "mesh.obj")
    words = ("--space", f"size-and-shape:{count}:3", "--center", tmp_path / "center.npy", *SOURCE)
    errors = []
    for more in ((), ("--form", tmp_path / "mesh.obj")):
        run("ball", tmp_path / "others.npy", *words, *more, "--out", tmp_path / "ball.json")
        asked = ("--ball", tmp_path / "ball.json", "--statistic", "tangent-mean")
        text = run("plan", *asked, "--n", 400, "--mu", 1, "--json")
        errors.append(json.loads(text)["derived"]["expected_error"])
    assert errors[1] < errors[0] / 1.3


def plane_mesh(rows, columns):
    x, y = np.meshgrid(np.arange(columns), np.arange(rows))
    at = np.arange(x.size).reshape(x.shape)
    corners = (at[:-1, :-1], at[1:, :-1], at[:-1, 1:], at[1:, 1:])
    a, b, c, d = (corner.reshape(-1) for corner in corners)
    faces = np.concatenate([np.stack([a, b, c], axis=1), np.stack([b, d, c], axis=1)])
    bent = np.stack([x, y, 0.1 * x * y], axis=-1).reshape(-1, 3)
    return Surface(bent.astype(float), faces)


@pytest.fixture
def pilot(tmp_path):
    """A release of moments of records that vary much along one direction."""
    rng = np.random.default_rng(0)
    logs = rng.standard_normal((2000, 2)) * [0.3, 0.03]
    ball = dp.Ball(dp.Sphere(2), [0, 0, 1], 1.0)
    points = ball.space.frame_exp(ball.center, logs)
    dp.plan(dp.Moments(ball), n=2000, budget=dp.GDP(5)).release(points, folder=tmp_path / "pilot")
    np.save(tmp_path / "x.npy", points)
    return tmp_path / "pilot"


def test_an_earlier_release_shapes_a_ball_which_verify_follows(pilot, tmp_path):
    ball, plan, out = tmp_path / "ball.json", tmp_path / "plan.json", tmp_path / "mean"
    page = tmp_path / "ball.html"
    text = " ".join(run("ball", "--form", pilot, "--out", ball, "--html", page).split())
    assert "1000 records from the covariance of the private release in pilot" in text
    assert "whose cost adds" in text
    assert "Synthetic records" in page.read_text("utf-8")
    made = dp.Ball.from_json(json.loads(ball.read_text()))
    again = shaped_ball(dp.load_release(pilot))
    assert made.radius == again.radius
    assert np.array_equal(made.form, again.form)
    run(
        "plan", "--ball", ball, "--statistic", "tangent-mean", "--n", 2000, "--mu", 1, "--out", plan
    )
    assert json.loads(plan.read_text())["statistic"]["origin"] == fingerprint(
        dp.load_release(pilot)
    )
    run("release", plan, tmp_path / "x.npy", "--out", out)
    verdict = verify(out, plan)
    assert verdict.problems == ()
    texts = [str(remark) for remark in verdict.remarks]
    followed = next(text for text in texts if "in pilot, which was followed" in text)
    assert "the two cost GDP(mu='sqrt(26)')" in followed  # of mu 5 and 1
    assert any("the released covariance to the power 0.5" in text for text in texts)


@pytest.mark.parametrize(
    ("center", "turn", "told"),
    [([1.0, 0.0, 0.0], 0, "the centre is not the one"), ([0.0, 0.0, 1.0], 1, "is not made of")],
)
def test_verify_tells_a_form_that_the_release_did_not_find(pilot, tmp_path, center, turn, told):
    found = shaped_ball(dp.load_release(pilot))
    form = np.roll(found.form, turn, axis=(0, 1))
    ball = dp.Ball(found.space, center, found.radius, found.origin, form, wide=True)
    made = dp.plan(dp.TangentMean(ball), n=2000, budget=dp.GDP(1))
    made.release(np.load(tmp_path / "x.npy"), folder=tmp_path / "mean")
    verdict = verify(tmp_path / "mean")
    assert any(told in str(one) for one in (*verdict.problems, *verdict.remarks))
    assert bool(verdict.problems) == (turn == 0)


def test_public_records_set_the_radius_in_the_form_of_a_release(pilot, public, tmp_path):
    run("ball", public, "--form", pilot, *SOURCE, "--out", tmp_path / "ball.json")
    ball = dp.Ball.from_json(json.loads((tmp_path / "ball.json").read_text()))
    assert ball.radius == round_up(float(np.max(ball.distances(np.load(public)))))
    assert "pilot; Smith 2020" in ball.source
    assert "leave them out" in run("ball", "--form", pilot, *SPHERE, code=2)


def test_options_that_say_nothing_about_the_ball_are_refused(public):
    told = run("ball", public, *SPHERE, *SOURCE, "--eta", "3", code=2)
    assert "--eta goes with --space descriptors" in " ".join(told.split())
    run("ball", public, *SPHERE, *SOURCE, "--normalize")
