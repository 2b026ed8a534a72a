"""Bad input: a sentence on standard error, the exit code, and nothing half-written."""

import errno
import json

import numpy as np
import pytest
from typer.testing import CliRunner

import geomdp.io.atomic
import geomdp.plans.release
from geomdp.cli import app
from geomdp.datasets import polar_sphere
from geomdp.noise.entropy import SystemEntropy

SPHERE = ["--space", "sphere:2", "--center", "0,0,1", "--radius", "0.5"]
PLAN = ["plan", *SPHERE, "--n", "20", "--epsilon", "20", "--mechanism", "laplace"]


@pytest.fixture
def folder(tmp_path):
    np.savez(tmp_path / "data.npz", points=polar_sphere(20, 0.4, seed=1), sex=["a", "b"] * 10)
    np.save(tmp_path / "data.npy", polar_sphere(20, 0.4, seed=1))
    CliRunner().invoke(app, [*PLAN, "--out", str(tmp_path / "plan.json")])
    sizes = ["--group", "a=10", "--group", "b=10"]
    grouped = ["plan", *SPHERE, *sizes, "--epsilon", "20", "--mechanism", "laplace"]
    CliRunner().invoke(app, [*grouped, "--out", str(tmp_path / "groups.json")])
    return tmp_path


def refused(folder, *arguments, code=1):
    before = sorted(path.name for path in folder.rglob("*"))
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    assert sorted(path.name for path in folder.rglob("*")) == before, "something was written"
    if code == 1:
        assert result.stderr.startswith("geomdp: ")
        assert result.stderr.count("\n") == 1
    return result.stderr


def release(folder, plan, data, *more):
    return ["release", folder / plan, folder / data, "--out", folder / "out", *more]


def test_output_that_exists(folder):
    (folder / "out").mkdir()
    assert "exists" in refused(folder, *release(folder, "plan.json", "data.npy"))


def test_plan_files_that_are_none(folder):
    (folder / "broken.json").write_text("{")
    assert "cannot be read" in refused(folder, *release(folder, "broken.json", "data.npy"))
    (folder / "list.json").write_text("[]")
    assert "not a plan file" in refused(folder, *release(folder, "list.json", "data.npy"))
    (folder / "other.json").write_text('{"format": 1}')
    assert "damaged" in refused(folder, *release(folder, "other.json", "data.npy"))
    assert "cannot be read" in refused(folder, *release(folder, "none.json", "data.npy"))


@pytest.mark.parametrize(
    ("file", "key", "value"),
    [("plan.json", "n", 30), ("groups.json", "budget", {"kind": "pure", "epsilon": "10"})],
)
def test_altered_plans(folder, file, key, value):
    document = json.loads((folder / file).read_text())
    document[key] = value
    (folder / file).write_text(json.dumps(document))
    sentence = refused(folder, *release(folder, file, "data.npz", "--column", "points"))
    assert "altered" in sentence


def test_another_number_of_records(folder):
    np.save(folder / "more.npy", polar_sphere(21, 0.4, seed=1))
    assert "for 20 records" in refused(folder, *release(folder, "plan.json", "more.npy"))


def test_records_off_the_space(folder):
    np.save(folder / "off.npy", np.ones((20, 3)))
    assert "norm differs from 1" in refused(folder, *release(folder, "plan.json", "off.npy"))


def test_groups_that_differ_from_the_plan(folder):
    points = polar_sphere(20, 0.4, seed=1)

    def with_labels(labels):
        np.savez(folder / "data.npz", points=points[: len(labels)], sex=labels)
        return refused(folder, *release(folder, "groups.json", "data.npz", "--by", "sex"))

    assert "Group 'b' has no records where the plan says 10" in with_labels(["a"] * 10)
    assert "Group 'a' has 11 records" in with_labels(["a"] * 11 + ["b"] * 9)
    assert "label 'c' is not in the plan" in with_labels(["a", "c"] * 10)


def test_groups_and_persons_that_the_plan_does_not_know(folder):
    by = release(folder, "plan.json", "data.npz", "--by", "sex")
    assert "has no groups" in refused(folder, *by)
    person = release(folder, "groups.json", "data.npz", "--by", "sex", "--person", "sex")
    assert "no maximum" in refused(folder, *person)
    bare = release(folder, "groups.json", "data.npz")
    assert "--by" in refused(folder, *bare)


def test_too_many_records_a_person_with_private_labels(folder):
    plan = [
        *["plan", *SPHERE, "--group", "a=10", "--group", "b=10", "--private-labels"],
        *["--max-per-person", 2, "--epsilon", 40, "--mechanism", "laplace"],
    ]
    CliRunner().invoke(app, [str(x) for x in [*plan, "--out", folder / "private.json"]])
    persons = [0, 0, 0, *range(17)]
    np.savez(
        folder / "p.npz", points=polar_sphere(20, 0.4, seed=1), sex=["a", "b"] * 10, who=persons
    )
    both = release(folder, "private.json", "p.npz", "--by", "sex", "--person", "who")
    assert "more than 2 records" in refused(folder, *both)


def test_disk_full_and_other_refusals_of_the_system(folder, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(geomdp.plans.release.np, "save", full)
        sentence = refused(folder, *release(folder, "plan.json", "data.npy"))
        assert "nothing was kept. Its budget counts as spent" in sentence
    # There was no room to begin with: nothing is drawn.
    monkeypatch.setattr(geomdp.io.atomic.Path, "write_bytes", full)
    monkeypatch.setattr(SystemEntropy, "take", None)
    sentence = refused(folder, *release(folder, "plan.json", "data.npy"))
    assert "disk is full; nothing was written" in sentence


def test_ctrl_c_leaves_nothing_and_exits_with_130(folder, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(geomdp.plans.release.np, "save", interrupt)
    refused(folder, *release(folder, "plan.json", "data.npy"), code=130)


@pytest.mark.parametrize(
    "arguments",
    [
        ["plan"],
        ["plan", *SPHERE, "--epsilon", "1"],
        ["plan", *SPHERE, "--n", "20"],
        ["plan", *SPHERE, "--n", "20", "--epsilon", "1", "--mu", "1"],
        ["plan", *SPHERE, "--n", "20", "--delta", "1e-6"],
        ["plan", *SPHERE, "--n", "20", "--epsilon", "1", "--error", "0.1"],
        ["plan", *SPHERE, "--n", "20", "--epsilon", "1", "--group", "a=3"],
        ["plan", *SPHERE, "--group", "a=three", "--group", "b=3", "--epsilon", "1"],
        ["plan", *SPHERE, "--group", "a=3", "--epsilon", "1"],
        ["plan", *SPHERE, "--n", "20", "--private-labels", "--epsilon", "1"],
        ["plan", *SPHERE, "--n", "many", "--epsilon", "1"],
        ["release", "plan.json"],
        ["verify"],
        ["publish"],
    ],
)
def test_wrong_usage_exits_with_2(tmp_path, arguments):
    assert refused(tmp_path, *arguments, code=2)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--space", "cube:2", "--center", "origin", "--radius", "1"], "no space 'cube:2'"),
        (["--space", "sphere:2", "--center", "identity", "--radius", "1"], "no identity"),
        (["--space", "sphere:2", "--center", "0,1", "--radius", "0.5"], "2 numbers"),
        (["--space", "sphere:2", "--center", "none.npy", "--radius", "0.5"], "no file"),
        (["--space", "sphere:2", "--center", "0,0,1", "--radius", "3"], "radius"),
        ([*SPHERE, "--mechanism", "magic"], "no mechanism 'magic'"),
    ],
)
def test_plans_that_cannot_be(tmp_path, arguments, sentence):
    assert sentence in refused(tmp_path, "plan", *arguments, "--n", "20", "--epsilon", "1")


@pytest.mark.parametrize("epsilon", ["0", "-1", "one", "inf"])
def test_budgets_that_cannot_be(tmp_path, epsilon):
    sentence = refused(tmp_path, "plan", *SPHERE, "--n", 20, "--epsilon", epsilon)
    assert "epsilon must be" in sentence


def test_a_page_or_plan_into_a_folder_that_is_not_there(tmp_path):
    sentence = refused(tmp_path, *PLAN, "--out", tmp_path / "none" / "plan.json")
    assert "There is no folder" in sentence


def test_data_that_workers_cannot_read_are_refused_before_a_cluster_is_asked(folder, monkeypatch):
    monkeypatch.setattr("geomdp.sources.machines", lambda *_: pytest.fail("a cluster was asked"))
    there = ("--column", "points", "--scheduler", "tcp://x:1")
    asked = release(folder, "plan.json", "data.npz", *there)
    assert "write many records as parquet" in refused(folder, *asked)
