"""Advice beside a plan: another question that errs far less, by public things alone."""

import numpy as np
import pytest

import geomdp as dp
from geomdp.report.plan_words import error_notes

PRIVATE = dp.Unit.record(labels="private")


def planned(space, radius, n, budget=None, **more):
    ball = dp.Ball(space, space.origin(np.zeros(1)), radius)
    return dp.plan(dp.FrechetMean(ball), n=n, budget=budget or dp.GDP(1), **more)


@pytest.mark.parametrize("budget", [dp.GDP(1), dp.Pure(1)], ids=repr)
@pytest.mark.parametrize("dim", [2, 129])
def test_a_wide_ball_names_the_mean_by_an_embedding_with_its_own_forecast(dim, budget):
    plan = planned(dp.Sphere(dim), 1.04, 1006, budget)
    (told,) = plan.remarks
    other = dp.plan(dp.ExtrinsicMean.in_ball(plan.statistic.ball), n=1006, budget=budget)
    assert other.expected_error < 2 / 3 * plan.expected_error
    assert f"err by {other.expected_error:.3g} where" in told
    assert told in str(plan)
    assert f"Note: {told}." in list(error_notes(plan))


@pytest.mark.parametrize(
    ("space", "radius"), [(dp.Sphere(2), 0.3), (dp.SPD(2), 2.0), (dp.PlanarShapes(12), 0.3)]
)
def test_where_it_would_err_as_much_or_there_is_none_nothing_is_said(space, radius):
    plan = planned(space, radius, 400)
    assert plan.remarks == ()
    assert "extrinsic" not in str(plan)


@pytest.mark.parametrize("budget", [dp.GDP(1), dp.Pure(1)], ids=repr)
@pytest.mark.parametrize("sizes", [(200, 300), (100,) * 7], ids=len)
def test_private_labels_name_classes_with_their_own_forecast(budget, sizes):
    groups = dict(zip("abcdefg", sizes, strict=False))
    plan = planned(dp.SPD(2), 0.5, groups, budget, unit=PRIVATE)
    (told,) = plan.remarks
    ball = next(iter(plan.plans.values())).statistic.ball
    other = dp.plan(dp.Classes(ball, tuple(groups)), n=sum(sizes), budget=budget)
    least = other.expected_error * sum(sizes) / len(sizes) / min(sizes)
    assert least < plan.expected_error
    assert f"error of {least:.3g} in the smallest" in told
    assert told in str(plan)


def test_public_labels_and_persons_in_several_groups_name_no_classes():
    groups = {"a": 200, "b": 300}
    assert planned(dp.SPD(2), 0.5, groups).remarks == ()
    several = dp.Unit.person(max_records=3, labels="private")
    assert planned(dp.SPD(2), 0.5, groups, unit=several).remarks == ()
