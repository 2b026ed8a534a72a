"""``verify`` accepts what was made, and names what was altered."""

import json
import shutil

import numpy as np
import pytest

import geomdp as dp
from geomdp.datasets import polar_sphere
from geomdp.errors import GeomdpError
from geomdp.plans import load_release, plan_from_json
from geomdp.plans.about import sealed
from geomdp.releases.verification import verify
from geomdp.statistics import TangentMean

BALL = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)
POINTS = polar_sphere(60, 0.4, seed=1)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("release") / "out"
    plan = dp.plan(dp.FrechetMean(BALL), n=60, budget=dp.Pure(1), mechanism="laplace")
    plan.release(POINTS, project=True).save(folder)
    return folder


@pytest.fixture(scope="module")
def cohort(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cohort") / "out"
    plan = dp.plan(
        dp.FrechetMean(BALL),
        n={"a": 40, "b": 20},
        budget=dp.Pure(40),
        mechanism="laplace",
        unit=dp.Unit.person(max_records=2, labels="private"),
    )
    labels, persons = ["a"] * 40 + ["b"] * 20, np.arange(60) // 2
    plan.release(dp.Records(POINTS, group=labels, person=persons)).save(folder)
    return folder


def alter(source, target, path, value):
    """Copy a release and change one field of its manifest."""
    shutil.copytree(source, target)
    document = json.loads((target / "manifest.json").read_text())
    inner = document
    *parents, last = path.split(".")
    for key in parents:
        inner = inner[key]
    inner[last] = value
    (target / "manifest.json").write_text(json.dumps(document))
    return list(verify(target).problems)


STATISTICS = {
    "laplace": (dp.FrechetMean(BALL), dp.Pure(1)),
    "laplace-ball": (dp.FrechetMean(BALL), dp.Pure(3)),
    "wrapped-gaussian": (dp.FrechetMean(BALL), dp.GDP(1)),
    "tangent-gaussian": (TangentMean(BALL), dp.Approximate(1, 1e-6)),
}


@pytest.mark.parametrize("mechanism", STATISTICS)
def test_releases_are_accepted(tmp_path, mechanism):
    statistic, budget = STATISTICS[mechanism]
    dp.plan(statistic, n=60, budget=budget, mechanism=mechanism).release(POINTS).save(
        tmp_path / "out"
    )
    assert list(verify(tmp_path / "out").problems) == []


@pytest.mark.parametrize("space", ["spd:2", "hyperbolic:2", "euclidean:3", "planar-shapes:4"])
def test_releases_on_every_space_are_accepted(tmp_path, space):
    from geomdp.spaces.specs import space_from_spec

    where = space_from_spec(space)
    ball = dp.Ball(where, where.origin(np.zeros(where.dim)), 0.3)
    plan = dp.plan(dp.FrechetMean(ball), n=500, budget=dp.Pure(1), mechanism="laplace")
    plan.release(plan.simulate(ball.center, 500)).save(tmp_path / "out")
    assert list(verify(tmp_path / "out").problems) == []


def test_a_summary_is_accepted_and_its_sensitivity_defended(tmp_path):
    plan = dp.plan(dp.Summary(dp.Sphere(2), 0.01), budget=dp.Pure(1), mechanism="laplace")
    plan.release([0.0, 0.0, 1.0]).save(tmp_path / "out")
    assert list(verify(tmp_path / "out").problems) == []
    problems = alter(tmp_path / "out", tmp_path / "b", "plan.statistic.sensitivity", 0.001)
    assert [p.field for p in problems] == ["plan.statistic.sensitivity"]


ALTERED = {
    "plan.n": 600,
    "plan.budget": {"kind": "pure", "epsilon": "2"},
    "plan.bound": "paper",
    "plan.mechanism": "laplace-ball",
    "plan.gaussian": "guess",
    "plan.statistic.radius": 0.4,
    "plan.statistic.tag": "median",
    "plan.statistic.space": "sphere:3",
    "plan.derived.sensitivity": 0.001,
    "plan.derived.scale": 0.001,
    "plan.derived.grid_exponent": -30,
    "plan.derived.proof": "trust-me",
    "plan.derived.guarantee.strength": "asymptotic",
    "plan.derived.guarantee.neighbours": "none",
    "plan.derived.extra": 1.0,
    "entropy": "seed 0",
    "comparison": True,
    "format": 4,
    "software": "other 1",
    "value.sha256": "0" * 64,
    "mean": [0.0, 0.0, 1.0],
}


@pytest.mark.parametrize("field", ALTERED)
def test_the_altered_field_is_named(made, tmp_path, field):
    problems = alter(made, tmp_path / "b", field, ALTERED[field])
    named = [problem.field for problem in problems]
    wanted = {
        "plan.statistic.tag": "plan.statistic",
        "plan.statistic.space": "plan.statistic",
        "value.sha256": "value",
        "mean": "manifest.json",  # the schema says which field does not belong
    }.get(field, field)
    assert wanted in named, problems
    assert len(named) <= 2
    if field == "mean":
        assert "'mean'" in problems[0].reason


def test_a_better_forecast_is_a_remark_and_no_problem(made, tmp_path):
    document = load_release(made).plan.to_json()
    document["derived"] |= {"expected_error": 0.0001}
    plan_from_json(sealed(document)).release(POINTS).save(tmp_path / "b")
    assert verify(tmp_path / "b").problems == ()
    assert [r.field for r in verify(tmp_path / "b").remarks] == ["plan.derived.expected_error"]
    assert verify(made).remarks == ()


def test_a_forecast_that_was_altered_afterwards_is_a_problem(made, tmp_path):
    assert (
        alter(made, tmp_path / "b", "plan.derived.expected_error", 0.0001)[0].field == "plan.hash"
    )


def test_the_value_and_the_center_cannot_be_exchanged(made, tmp_path):
    shutil.copytree(made, tmp_path / "a")
    np.save(tmp_path / "a" / "value.npy", [0.0, 0.0, 1.0])
    assert [p.field for p in verify(tmp_path / "a").problems] == ["value.npy"]
    shutil.copytree(made, tmp_path / "b")
    document = json.loads((made / "manifest.json").read_text())
    np.save(tmp_path / "b" / document["plan"]["statistic"]["center"]["file"], [1.0, 0.0, 0.0])
    assert [p.field for p in verify(tmp_path / "b").problems] == ["plan.statistic.center"]
    (tmp_path / "b" / document["value"]["file"]).unlink()
    assert {p.field for p in verify(tmp_path / "b").problems} == {
        "plan.statistic.center",
        "value",
    }


def test_a_value_that_is_not_projected_is_noticed(tmp_path):
    ball = dp.Ball(dp.Euclidean(2), [0.0, 0.0], 0.5)
    plan = dp.plan(dp.FrechetMean(ball), n=2, budget=dp.Pure("0.1"), mechanism="laplace")
    releases = (plan.release(np.zeros((2, 2))) for _ in range(100))
    outside = next(r for r in releases if np.linalg.norm(r.value) > 0.6)
    outside.save(tmp_path / "out")
    assert list(verify(tmp_path / "out").problems) == []
    problems = alter(tmp_path / "out", tmp_path / "b", "projected", True)
    assert [p.field for p in problems] == ["projected"]


def test_groups_are_accepted(cohort):
    assert list(verify(cohort).problems) == []


GROUPS_ALTERED = {
    "plan.budget": {"kind": "pure", "epsilon": "20"},
    "plan.derived.share": {"kind": "pure", "epsilon": "20"},
    "plan.derived.guarantee.neighbours": "none",
    "plan.derived.composition": "parallel",
    "plan.plans.a.n": 41,
    "plan.unit.labels": "public",
    "plan.unit.max_records": 1,
    "parts.b.sha256": "0" * 64,
    "parts.b.folder": "1-a",
    "format": 4,
}


@pytest.mark.parametrize("field", GROUPS_ALTERED)
def test_the_altered_field_of_groups_is_named(cohort, tmp_path, field):
    problems = alter(cohort, tmp_path / "b", field, GROUPS_ALTERED[field])
    named = {problem.field for problem in problems}
    wanted = field if field.startswith("parts.b") or field == "format" else "plan"
    assert any(name.startswith(wanted) for name in named), problems


def test_an_altered_group_is_named_with_its_folder(cohort, tmp_path):
    shutil.copytree(cohort, tmp_path / "b")
    manifest = tmp_path / "b" / "2-b" / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"projected": false', '"projected": 1'))
    assert [p.field for p in verify(tmp_path / "b").problems] == ["2-b/projected"]


def test_no_manifest_and_no_json(tmp_path):
    with pytest.raises(GeomdpError, match="holds no release"):
        verify(tmp_path)
    (tmp_path / "manifest.json").write_text("{")
    assert [p.field for p in verify(tmp_path).problems] == ["manifest.json"]
