"""Moments by command: from a plan to a verified release, then compared and combined."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import geomdp as dp
from geomdp.cli import app
from geomdp.releases.verification import verify

BALL = ["--space", "sphere:2", "--center", "0,0,1", "--radius", "0.5"]


def run(*arguments, code=0):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result.output


def directions(n, seed, shift=0.0):
    rng = np.random.default_rng(seed)
    logs = 0.1 * rng.standard_normal((n, 2)) + [shift, 0.0]
    return np.asarray(dp.Sphere(2).frame_exp(np.array([0.0, 0.0, 1.0]), logs))


@pytest.fixture(scope="module")
def sites(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sites")
    for name, n, shift in (("a", 600, 0.0), ("b", 300, 0.0), ("c", 600, 0.1)):
        np.save(folder / f"{name}.npy", directions(n, ord(name), shift))
        plan = folder / f"{name}.json"
        words = ("--n", n, "--mu", 1, "--statistic", "moments", "--out", plan)
        text = run("plan", *BALL, *words)
        assert "variances below" in text
        run("release", plan, folder / f"{name}.npy", "--out", folder / name)
        assert verify(folder / name).problems == ()
    return folder


def test_two_releases_are_compared(sites):
    same = json.loads(run("compare", sites / "a", sites / "b", "--json"))
    differ = json.loads(run("compare", sites / "a", sites / "c", "--json"))
    assert same["expected_if_equal"] > 0
    assert differ["p_value"] < 1e-6 < same["p_value"]
    assert "statistic" in run("compare", sites / "a", sites / "c")


def test_sites_are_combined_into_a_folder(sites, tmp_path):
    out = tmp_path / "together"
    text = run("combine", sites / "a", sites / "b", "--out", out)
    assert "n = 900 together" in text
    document = json.loads((out / "combined.json").read_text())
    joint = dp.combine(dp.moments_of(dp.load_release(sites / name)) for name in "ab")
    assert document["mean"] == joint.mean.tolist()
    assert len(set(document["releases"].values())) == 2
    page = (out / "report.html").read_text()
    assert page.count("<svg") == 2
    assert "all together" in page
    assert "exists" in run("combine", sites / "a", sites / "b", "--out", out, code=1)


def test_what_cannot_be_compared_is_one_sentence(sites, tmp_path):
    plan = tmp_path / "mean.json"
    run("plan", *BALL, "--n", 600, "--mu", 1, "--out", plan)
    run("release", plan, sites / "a.npy", "--out", tmp_path / "mean")
    assert "Only a release of Moments" in run("compare", sites / "a", tmp_path / "mean", code=1)
    assert "cannot be read" in run("combine", sites / "none", "--out", tmp_path / "x", code=1)
    assert not (tmp_path / "x").exists()


def test_pure_moments_have_no_error_bars_to_combine(sites, tmp_path):
    plan = tmp_path / "pure.json"
    run("plan", *BALL, "--n", 600, "--epsilon", 1, "--statistic", "moments", "--out", plan)
    run("release", plan, sites / "a.npy", "--out", tmp_path / "pure")
    text = run("combine", tmp_path / "pure", sites / "a", "--out", tmp_path / "x", code=1)
    assert "no covariance" in text


def test_from_nothing_to_a_mean_with_a_region(sites, tmp_path):
    plan, out = tmp_path / "plan.json", tmp_path / "mean"
    words = ("--find-ball", "--statistic", "moments", "--n", 600, "--mu", 1, "--out", plan)
    run("plan", "--space", "sphere:2", *words)
    run("release", plan, sites / "a.npy", "--out", out)
    assert "every number follows" in run("verify", out)
    assert json.loads((out / "estimates.json").read_text())["confidence_region"]["level"] == 0.95
    later = tmp_path / "later.json"
    run("plan", "--ball", out, "--n", 600, "--mu", 1, "--statistic", "tangent-mean", "--out", later)
    run("release", later, sites / "b.npy", "--out", tmp_path / "b", code=1)  # another number
    run("release", later, sites / "c.npy", "--out", tmp_path / "c")
    assert "release in mean" in run("verify", tmp_path / "c")


def test_one_ball_for_all_groups_from_a_table(tmp_path):
    """Stages write no radius into a file of records, and groups in the ball found are compared."""
    rng = np.random.default_rng(0)
    points = np.concatenate([directions(450, 1), directions(450, 2, 0.1)])
    label = np.repeat(["a", "b"], 450)
    order = rng.permutation(900)
    rows = [f"{x},{y},{z},{g}" for (x, y, z), g in zip(points[order], label[order], strict=True)]
    table = tmp_path / "study.csv"
    table.write_text("\n".join(["x,y,z,group", *rows]) + "\n")
    columns = [word for name in "xyz" for word in ("--column", name)]
    words = ("--space", "sphere:2", "--find-ball", "--statistic", "ball", "--n", 900, "--mu", 1)
    run("plan", *words, "--out", tmp_path / "ball.json")
    run("release", tmp_path / "ball.json", table, *columns, "--out", tmp_path / "ball")
    assert "every number follows" in run("verify", tmp_path / "ball")
    written = [str(file.parent.name) for file in (tmp_path / "ball").rglob("value.csv")]
    assert written == []  # an embedded mean and a radius are no records
    sizes = ("--group", "a=450", "--group", "b=450", "--mu", 1, "--statistic", "moments")
    assert "--statistic ball" in run("plan", *words[:3], *sizes, code=2)
    run("plan", "--ball", tmp_path / "ball", *sizes, "--out", tmp_path / "plan.json")
    out = tmp_path / "groups"
    run("release", tmp_path / "plan.json", table, *columns, "--by", "group", "--out", out)
    assert "release in ball" in run("verify", out)
    document = json.loads(run("compare", out / "1-a", out / "2-b", "--json"))
    assert document["p_value"] < 1e-3
