"""A person without a maximum may leave a group for another: what all of it costs together.

The loss is computed, not sampled: prepared groups hold the encoded records of both data sets, and
noise in coordinates turns a change of their exact means into a loss (docs/theory/persons.md).
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import geomdp as dp
from geomdp.curves import FunctionMean, FunctionMoments, FunctionRegression, Matern
from geomdp.errors import GeomdpError
from geomdp.mechanisms.gaussian_noise import exact_mean
from geomdp.plans.parallel import ParallelPlan
from geomdp.privacy import GDP, ZCDP, Approximate, GaussianCost, Pure

BALL = dp.Ball(dp.Sphere(2), [0.0, 0.0, 1.0], 0.5)
AGE = {"age": (20, 90)}
CURVES = FunctionMean(np.zeros(24), tau=1.0, kernel=Matern(0.5), phi=0.01, terms=3)
SIZE = 12
LABELS = ("a", "b", "c", "d")

STATISTICS = {
    "tangent mean": dp.TangentMean(BALL),
    "moments": dp.Moments(BALL),
    "regression": dp.Regression(BALL, covariates=AGE),
    "curves": replace(CURVES, terms=None),
    "moments of curves": FunctionMoments(CURVES),
    "regression of curves": FunctionRegression(CURVES, covariates=AGE),
}


def planned(statistic, budget, groups=1, labels="public", among=4):
    unit = dp.Unit.person(groups=groups, labels=labels)
    return dp.plan(statistic, n=dict.fromkeys(LABELS[:among], SIZE), budget=budget, unit=unit)


def raw(statistic, vectors):
    """Points whose rows are these vectors, and covariates beside them where they are asked for."""
    found = statistic.records_at(vectors)
    return found if isinstance(found, dp.Records) else dp.Records(np.asarray(found))


def data_of(statistic, vector, where):
    """One person with the same records in every group named, and an absent roster elsewhere."""
    found = raw(statistic, np.repeat(vector[None], len(where), axis=0))
    columns = {name: list(column) for name, column in (found.covariates or {}).items()}
    return dp.Records(
        found.points, group=list(where), person=["p"] * len(where), covariates=columns
    )


def changes(plan, here, there):
    """Length of each group's change over its noise scale, in units of the noise."""
    found = []
    before, after = (plan.prepare(data).ready for data in (here, there))
    for label, single in plan.plans.items():
        linear = single.statistic
        means = [exact_mean(linear, ready[label].encoded) for ready in (before, after)]
        units = [Fraction(unit) for unit in np.asarray(linear.noise_profile).tolist()]
        moved = [(x - y) / unit for x, y, unit in zip(*means, units, strict=True)]
        found.append(float(sum(part**2 for part in moved)) ** 0.5 / single.scale)
    return np.array(found)


def corners(statistic, rng, count=3):
    """Vectors at the edge of every block: the worst that one record can be."""
    for _ in range(count):
        parts = [rng.standard_normal(size) for size in statistic.blocks]
        yield np.concatenate([statistic.radius * part / np.linalg.norm(part) for part in parts])


def worst(plan, groups, measure):
    """Largest joint loss over persons who stay, who leave all groups, and who leave some."""
    statistic, rng = next(iter(plan.plans.values())).statistic, np.random.default_rng(0)
    labels = list(plan.plans)
    found = []
    for vector in corners(statistic, rng):
        mine = data_of(statistic, vector, labels[:groups])
        for start in range(groups + 1):
            others = labels[start : start + groups]
            for sign in (1.0, -1.0):
                there = data_of(statistic, sign * vector, others)
                found.append(measure(changes(plan, mine, there)))
    return max(found)


@pytest.mark.parametrize("labels", ["public", "private"])
@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("name", [name for name in STATISTICS if name != "moments of curves"])
def test_pure_losses_of_all_groups_add_up_to_the_promise(name, groups, labels):
    plan = planned(STATISTICS[name], Pure(1), groups, labels)
    loss = worst(plan, groups, np.sum)
    assert 0.98 < loss <= 1
    assert plan.cost.price(Pure) <= Pure(1)
    assert plan.cost.price(Pure).epsilon > 0.999


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("name", STATISTICS)
@pytest.mark.parametrize("budget", [GDP(1), ZCDP(0.5)], ids=repr)
def test_gaussian_losses_of_all_groups_add_up_to_the_promise(name, groups, budget):
    plan = planned(STATISTICS[name], budget, groups)
    mu = worst(plan, groups, np.linalg.norm)
    assert plan.cost.fits(budget)
    assert 0.9 < mu <= 1


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("name", ["moments", "regression"])
def test_approximate_losses_of_all_groups_add_up_to_the_promise(name, groups):
    budget = Approximate(1, 1e-6)
    plan = planned(STATISTICS[name], budget, groups)
    assert plan.cost.fits(budget)
    if plan.cost.largest_loss() is None:
        assert GaussianCost(worst(plan, groups, np.linalg.norm)).fits(budget)
    else:
        assert worst(plan, groups, np.sum) <= 1


def test_leaving_costs_what_the_statistic_says():
    """Formerly a person who moved cost sqrt 3 times the promise of Moments."""
    plan = planned(dp.Moments(BALL), Pure(1))
    asked = plan.plans["a"].statistic
    moved = changes(
        plan,
        data_of(asked, np.array([0.5, 0.0]), ["a"]),
        data_of(asked, np.array([0.5, 0.0]), ["b"]),
    )
    assert moved == pytest.approx([0.5, 0.5, 0.0, 0.0], abs=1e-5)
    uncharged = dp.plan(asked, n=SIZE, budget=Pure(1)).scale
    assert plan.plans["a"].scale / uncharged == pytest.approx(3**0.5, rel=1e-5)
    slopes = planned(dp.Regression(BALL, covariates=AGE), Pure(1)).share.epsilon
    assert slopes == pytest.approx(2 * 2**0.5 / 15**0.5, rel=1e-5)


def test_statistics_that_are_not_linear_are_charged_in_every_group():
    asked = dp.FrechetMean(dp.Ball(dp.Sphere(2), BALL.center, 0.5))
    for groups, among, charged in ((1, 4, 2), (2, 4, 4), (2, 3, 3), (2, 2, 2)):
        plan = planned(asked, Pure(1), groups, among=among)
        assert plan.share == Pure(Fraction(1, charged))
        assert plan.cost.price(Pure) == Pure(1)
        assert planned(asked, GDP(1), groups, among=among).share == GDP(f"sqrt(1/{charged})")


def test_tangent_means_pay_nothing_for_leaving():
    for budget in (Pure(1), GDP(1), ZCDP(1), Approximate(1, 1e-6)):
        assert planned(dp.TangentMean(BALL), budget).share == budget


def test_records_with_a_maximum_stay_in_their_groups():
    unit = dp.Unit.person(max_records=3)
    plan = dp.plan(dp.Moments(BALL), n={"a": 9, "b": 9}, budget=Pure(1), unit=unit)
    assert plan.share == Pure("1/3")
    assert not plan.unit.moves


def test_a_plan_whose_groups_spend_more_than_their_share_is_none():
    """The mutant: the factor of a person who leaves is left out."""
    plan = planned(dp.Moments(BALL), Pure(1))
    asked = plan.plans["a"].statistic
    spent = {label: dp.plan(asked, n=SIZE, budget=Pure(1)) for label in LABELS}
    with pytest.raises(GeomdpError, match="charged otherwise"):
        ParallelPlan(Pure(1), plan.of, spent)


def test_the_public_record_is_zero_in_integers():
    for statistic in STATISTICS.values():
        made = dp.plan(statistic, n=SIZE, budget=GDP(1)).statistic
        assert made.public_row.shape == (made.vector_dim,)
        assert not np.any(made.public_row)
