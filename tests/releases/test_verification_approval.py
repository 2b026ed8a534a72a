"""A release is of the approved plan, or the difference is named."""

import json
import shutil

import numpy as np
import pytest

import geomdp as dp
from geomdp.datasets import polar_sphere
from geomdp.plans.about import sealed
from geomdp.releases.verification import verify

BALL = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)
POINTS = polar_sphere(60, 0.4, seed=1)


def plan(epsilon=1, n=60, mechanism="laplace", ball=BALL):
    return dp.plan(dp.FrechetMean(ball), n=n, budget=dp.Pure(epsilon), mechanism=mechanism)


def group_plan(epsilon=1, sizes=(40, 20)):
    sizes = dict(zip("ab", sizes, strict=True))
    return dp.plan(dp.FrechetMean(BALL), n=sizes, budget=dp.Pure(epsilon), mechanism="laplace")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("release") / "out"
    plan().release(POINTS, folder=folder)
    return folder


@pytest.fixture(scope="module")
def groups(tmp_path_factory):
    folder = tmp_path_factory.mktemp("groups") / "out"
    group_plan().release(dp.Records(POINTS, group=["a"] * 40 + ["b"] * 20), folder=folder)
    return folder


def written(approved, tmp_path):
    file = tmp_path / "approved.json"
    file.write_text(json.dumps(approved.to_json()))
    return file


def test_the_approved_plan_is_recognised(made, groups, tmp_path):
    for folder, approved in ((made, plan()), (groups, group_plan())):
        verdict = verify(folder, written(approved, tmp_path))
        assert verdict.verified, verdict.problems
        assert verdict.compared
    assert not verify(made).compared


MOVED = dp.Ball(dp.Sphere(2), center=np.array([0.6, 0, 0.8]), radius=0.5)
OTHERS = {
    "budget.epsilon": lambda: plan(epsilon=2),
    "n": lambda: plan(n=61),
    "mechanism": lambda: plan(mechanism="wrapped-laplace"),
    "statistic.center": lambda: plan(ball=MOVED),
}


@pytest.mark.parametrize("field", OTHERS)
def test_a_whole_plan_swapped_for_another_is_named(field, made, tmp_path):
    """Consistent in itself, and yet not what was approved."""
    problems = list(verify(made, written(OTHERS[field](), tmp_path)).problems)
    assert f"plan.{field}" in [p.field for p in problems]
    assert any("approved" in p.reason for p in problems)


def test_groups_that_were_not_approved_is_named(groups, tmp_path):
    fields = [p.field for p in verify(groups, written(group_plan(2), tmp_path)).problems]
    assert {"plan.budget.epsilon", "plan.plans.a.budget.epsilon"} <= set(fields)
    fields = [
        p.field for p in list(verify(groups, written(group_plan(1, (41, 20)), tmp_path)).problems)
    ]
    assert "plan.plans.a.n" in fields


def test_one_release_is_no_group(made, groups, tmp_path):
    assert [p.field for p in verify(made, written(group_plan(), tmp_path)).problems] == ["plan"]
    assert [p.field for p in verify(groups, written(plan(), tmp_path)).problems] == ["plan"]


def test_forecasts_are_not_approved(made, tmp_path):
    document = plan().to_json()
    document["derived"]["expected_error"] *= 1.5
    (tmp_path / "approved.json").write_text(json.dumps(sealed(document)))
    assert verify(made, tmp_path / "approved.json").verified


def test_what_is_not_there_is_no_forgery(made, tmp_path):
    with pytest.raises(dp.errors.GeomdpError, match="There is no folder"):
        verify(tmp_path / "nowhere")
    with pytest.raises(dp.errors.GeomdpError, match="cannot be read"):
        verify(made, tmp_path / "nowhere.json")


def test_the_answers_are_told_in_words_each_by_itself(made, tmp_path):
    """Another plan is another answer than a release that is not in order."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    same, other = written(plan(), tmp_path / "a"), written(plan(epsilon=2), tmp_path / "b")
    assert verify(made).answers == ()
    assert verify(made, same).answers == ("It used the approved plan.",)
    assert verify(made, other).answers == ("It did NOT use the approved plan.",)
    shutil.copytree(made, tmp_path / "copy")
    (tmp_path / "copy" / "value.npy").unlink()
    broken = verify(tmp_path / "copy", same)
    assert broken.approval == "open"
    assert "not decided: the release is not in order" in broken.answers[0]
