"""Groups and persons: what is charged, what is refused, what counts."""

import itertools

import numpy as np
import pytest

import geomdp as dp
from geomdp.datasets import polar_sphere
from geomdp.errors import GeomdpError
from geomdp.plans import plan_from_json
from geomdp.plans.pooling import beyond_maximum, require_persons
from geomdp.privacy import compose, group

BALL = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)
MEAN = dp.FrechetMean(BALL)
BUDGETS = [dp.Pure(1), dp.GDP(1), dp.ZCDP("0.5"), dp.Approximate(1, 1e-6)]


def unit(private, most):
    labels = "private" if private else "public"
    return dp.Unit.record(labels) if most == 1 else dp.Unit.person(most, labels=labels)


def cost(budget, changes):
    """What the groups' releases cost when this many records change in each."""
    return compose([group(budget, c) for c in changes if c])


@pytest.mark.parametrize("budget", BUDGETS, ids=lambda b: b.kind)
@pytest.mark.parametrize("most", [1, 2, 3])
@pytest.mark.parametrize("private", [False, True])
def test_no_neighbour_costs_more_than_promised(budget, most, private):
    """All ways in which one person's records can change (docs/theory/groups.md)."""
    share = unit(private, most).record_budget(budget)
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


@pytest.mark.parametrize("private", [False, True])
@pytest.mark.parametrize("most", [1, 2, 3])
@pytest.mark.parametrize("budget", BUDGETS, ids=lambda b: b.kind)
def test_the_joint_cost_fits_the_promise(budget, most, private):
    mechanism = "laplace" if budget.kind in ("pure", "approximate") else "wrapped-gaussian"
    sizes = {"a": 900, "b": 1200, "c": 900}
    made = dp.plan(MEAN, n=sizes, budget=budget, mechanism=mechanism, unit=unit(private, most))
    assert made.cost.fits(budget)
    # A thousandth less would not do for what is additive: the cost is not an understatement.
    if budget.kind in ("pure", "gdp"):
        small, _ = budget.split(999, 1)
        assert not made.cost.fits(small)


def test_records_beyond_the_maximum_do_not_matter():
    """Whatever stands in a person's excess records, the released mean has the same law."""
    points = polar_sphere(6, 0.4, seed=1)
    persons = ["p", "p", "q", "p ", "q", "r"]
    person = dp.Unit.person(max_records=2)
    plan = dp.plan(MEAN, n=6, budget=dp.Pure(10**9), mechanism="laplace", unit=person)

    def released(records):
        return plan.release(dp.Records(records, person=persons)).value

    first = released(points)
    moved = points.copy()
    moved[3] = [np.sin(0.5), 0.0, np.cos(0.5)]
    assert float(BALL.space.dist(first, released(moved))) < 1e-6
    moved[3] = np.nan  # nor does it matter whether they are valid
    assert float(BALL.space.dist(first, released(moved))) < 1e-6
    moved[1] = [np.sin(0.5), 0.0, np.cos(0.5)]
    assert float(BALL.space.dist(first, released(moved))) > 1e-3


def test_the_first_records_of_a_person_count():
    marks = beyond_maximum(np.array(["a", "b", "a", "a", "b", "b"]), 2)
    assert marks.tolist() == [False, False, False, True, False, True]
    with pytest.raises(GeomdpError, match="no person"):
        require_persons(dp.Records(np.zeros((2, 1)), person=["a", ""]))


def test_an_invalid_record_of_the_last_group_stops_before_the_first_draw(monkeypatch):
    from geomdp.noise.entropy import SystemEntropy

    points = polar_sphere(6, 0.4, seed=1)
    points[5] = 0
    plan = dp.plan(MEAN, n={"a": 3, "b": 3}, budget=dp.Pure(50), mechanism="laplace")
    monkeypatch.setattr(SystemEntropy, "take", lambda *_: pytest.fail("it drew"))
    with pytest.raises(GeomdpError, match="norm"):
        plan.release(dp.Records(points, group=["a"] * 3 + ["b"] * 3))


def test_plan_files_come_back_and_alterations_are_refused():
    labels = dp.Unit.record(labels="private")
    made = dp.plan(
        MEAN, n={"a": 30, "b": 20}, budget=dp.GDP(1), mechanism="wrapped-gaussian", unit=labels
    )
    document = made.to_json()
    assert plan_from_json(document).to_json() == document
    derived = document["derived"]
    for changed in (
        {"budget": dp.GDP(2).to_json()},
        {"derived": {**derived, "share": dp.GDP(1).to_json()}},
        {"unit": {**document["unit"], "labels": "public"}},
        {"derived": {**derived, "composition": "parallel"}},
        {"derived": {**derived, "cost": None}},
    ):
        with pytest.raises(GeomdpError, match="altered"):
            plan_from_json({**document, **changed})


@pytest.mark.parametrize(
    ("n", "unit"),
    [
        ({}, None),
        ({"a": 3}, None),
        ({"": 3, "b": 3}, None),
        ({"a": 3, "b": 1}, None),
        (3, dp.Unit.record(labels="private")),
    ],
)
def test_groups_that_cannot_be(n, unit):
    with pytest.raises(GeomdpError):
        dp.plan(MEAN, n=n, budget=dp.Pure(1), unit=unit)


GROUPS = dp.plan(MEAN, n={"a": 2, "b": 3}, budget=dp.Pure(100), mechanism="laplace")
POINTS = polar_sphere(5, 0.4, seed=1)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (POINTS, "the plan has groups"),
        (dp.Records(POINTS, group=list("aabbc")), "'c' is not in the plan"),
        (dp.Records(POINTS, group=list("aaabb")), "'a' has 3 records where the plan says 2"),
        (dp.Records(POINTS, group=list("aabbb"), person=list("vwxyz")), "no maximum"),
    ],
)
def test_labels_and_persons_are_public_facts(data, sentence, monkeypatch):
    from geomdp.noise.entropy import SystemEntropy

    monkeypatch.setattr(SystemEntropy, "take", lambda *_: pytest.fail("it drew"))
    with pytest.raises(GeomdpError) as caught:
        GROUPS.release(data)
    assert sentence in str(caught.value).replace("The plan", "the plan")


def test_the_forecast_of_groups_is_the_worst_groups():
    assert GROUPS.expected_error == max(plan.expected_error for plan in GROUPS.plans.values())
    assert "group a" in GROUPS.forecast.note


def test_private_labels_and_more_records_than_the_maximum_are_refused():
    person = dp.Unit.person(max_records=1 + 1, labels="private")
    made = dp.plan(MEAN, n={"a": 2, "b": 3}, budget=dp.Pure(100), unit=person)
    with pytest.raises(GeomdpError, match="true public maximum"):
        made.release(dp.Records(POINTS, group=list("aabbb"), person=list("pppqr")))
