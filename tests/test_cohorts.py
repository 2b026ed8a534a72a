"""Groups and persons: what is charged, what is refused, what counts."""

import itertools

import numpy as np
import pytest
from geomdp.cohort_release import beyond_maximum, release_cohort
from geomdp.cohorts import EVERYONE, Cohort, cohort_plan_from_json, plan_cohort

import geomdp as dp
from geomdp.datasets import polar_sphere
from geomdp.errors import GeomdpError
from geomdp.privacy import compose, group

BALL = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)
MEAN = dp.FrechetMean(BALL)
BUDGETS = [dp.Pure(1), dp.GDP(1), dp.ZCDP("0.5"), dp.Approximate(1, 1e-6)]


def cost(budget, changes):
    """What the groups' releases cost when this many records change in each."""
    return compose([group(budget, c) for c in changes if c])


@pytest.mark.parametrize("budget", BUDGETS, ids=lambda b: b.kind)
@pytest.mark.parametrize("most", [1, 2, 3])
@pytest.mark.parametrize("private", [False, True])
def test_no_neighbour_costs_more_than_promised(budget, most, private):
    """All ways in which one person's records can change (docs/theory/groups.md)."""
    share = Cohort({"a": 9, "b": 9, "c": 9}, private, most).record_budget(budget)
    total = 2 * most if private else most
    worst = []
    for changes in itertools.product(range(most + 1), repeat=3):
        if 0 < sum(changes) <= total:
            worst.append(cost(share, changes))
            # Rounding of delta is outward in both directions.
            slack = 1 + 1e-12 if budget.kind == "approximate" else 1
            assert all(
                float(spent) <= float(allowed) * slack
                for spent, allowed in zip(worst[-1].parts, budget.parts, strict=True)
            )
    # and the worst case is nearly the whole budget: nothing is wasted
    most_spent = max(float(spent.parts[0]) for spent in worst)
    assert most_spent == pytest.approx(float(budget.parts[0]), rel=1e-9)


def test_a_charge_of_one_group_for_private_labels_would_be_too_little():
    assert cost(dp.Pure(1), (1, 1, 0)) > dp.Pure(1)


def test_records_beyond_the_maximum_do_not_matter():
    """Whatever stands in a person's excess records, the released mean has the same law."""
    points = polar_sphere(6, 0.4, seed=1)
    persons = ["p", "p", "q", "p", "q", "r"]
    plan = plan_cohort(MEAN, Cohort({EVERYONE: 6}, max_per_person=2), dp.Pure(10**9), "laplace")
    first = release_cohort(plan, points, persons=persons).releases[EVERYONE].value
    moved = points.copy()
    moved[3] = [np.sin(0.5), 0.0, np.cos(0.5)]
    second = release_cohort(plan, moved, persons=persons).releases[EVERYONE].value
    assert float(BALL.space.dist(first, second)) < 1e-6
    moved[1] = moved[3]
    third = release_cohort(plan, moved, persons=persons).releases[EVERYONE].value
    assert float(BALL.space.dist(first, third)) > 1e-3


def test_the_first_records_of_a_person_count():
    marks = beyond_maximum(["a", "b", "a", "a", "b", "b"], 2)
    assert marks.tolist() == [False, False, False, True, False, True]
    with pytest.raises(GeomdpError, match="no person"):
        beyond_maximum(["a", ""], 1)


def test_an_invalid_record_of_the_last_group_stops_before_the_first_draw(monkeypatch):
    points = polar_sphere(6, 0.4, seed=1)
    points[5] = 0
    plan = plan_cohort(MEAN, Cohort({"a": 3, "b": 3}), dp.Pure(50), "laplace")
    monkeypatch.setattr(dp.Plan, "release", lambda *_, **__: pytest.fail("it drew"))
    with pytest.raises(GeomdpError, match="norm"):
        release_cohort(plan, points, ["a"] * 3 + ["b"] * 3)


def test_plan_files_come_back_and_alterations_are_refused():
    cohort = Cohort({"a": 30, "b": 20}, private_labels=True)
    document = plan_cohort(MEAN, cohort, dp.GDP(1), "wrapped-gaussian").to_json()
    assert cohort_plan_from_json(document).to_json() == document
    for key, value in {
        "budget": dp.GDP(2).to_json(),
        "record_budget": dp.GDP(1).to_json(),
        "cohort": {**document["cohort"], "labels": "public"},
        "composition": "parallel",
    }.items():
        with pytest.raises(GeomdpError, match="altered"):
            cohort_plan_from_json({**document, key: value})


def test_cohorts_that_cannot_be():
    for sizes, private, most in [({}, False, 1), ({"": 3}, False, 1), ({"a": 3}, True, 1)]:
        with pytest.raises(GeomdpError):
            Cohort(sizes, private, most)
    with pytest.raises(GeomdpError):
        Cohort({"a": 3, "b": 3}, False, 0)
