"""Warnings that a board would want, each with what would help, and none where none is due."""

from fractions import Fraction

import numpy as np
import pytest

import geomdp as dp
from geomdp.ledger.accounts import Account, Spending
from geomdp.ledger.chain import Entry
from geomdp.plans.about import light_of, noise_share
from geomdp.privacy import PureCost
from geomdp.privacy.guarantee import as_epsilon, budget_words, usual_delta


def line(n=1000, budget=None, radius=1.0, **options):
    ball = dp.Ball(dp.Euclidean(1), [0.0], radius=radius)
    return dp.plan(dp.FrechetMean(ball), n=n, budget=budget or dp.Pure(1), **options)


def names(plan):
    return [caution.name for caution in plan.warnings]


def test_a_sound_plan_has_none():
    made = line()
    assert made.warnings == ()
    assert "Warning" not in str(made)


@pytest.mark.parametrize(
    ("delta", "warned"), [("1e-3", True), ("2e-4", True), ("1e-4", False), ("1e-6", False)]
)
def test_delta_must_be_far_below_one_in_n(delta, warned):
    made = line(budget=dp.Approximate(1, delta))
    assert ("delta" in names(made)) is warned
    if warned:
        assert "1e-06 or less" in str(made)


@pytest.mark.parametrize(
    ("budget", "warned"),
    [
        (dp.Pure(10), False),
        (dp.Pure("10.1"), True),
        (dp.Approximate(11, 1e-6), True),
        (dp.GDP(1), False),
        (dp.GDP(3), True),
        (dp.ZCDP("0.5"), False),
        (dp.ZCDP(3), True),
    ],
    ids=repr,
)
def test_an_epsilon_above_ten_is_told_in_every_currency(budget, warned):
    assert ("epsilon" in names(line(budget=budget))) is warned


@pytest.mark.parametrize(
    ("n", "warned", "light"), [(100, False, "green"), (10, False, "amber"), (4, True, "red")]
)
def test_noise_is_compared_with_the_radius(n, warned, light):
    made = line(n=n, mechanism="laplace")
    assert noise_share(made) == pytest.approx(2 / n, rel=0.02)
    assert light_of(noise_share(made)) == light
    assert ("noise" in names(made)) is warned
    assert "better guess" not in str(made)


def test_where_the_noise_exceeds_the_ball_the_centre_is_a_better_guess():
    said = str(line(n=2, mechanism="laplace"))
    assert "The public centre, which costs nothing, would be a better guess." in said


def test_groups_are_named_and_told_once():
    made = line(n={"many": 1000, "few": 4})
    assert names(made) == ["noise"]
    assert str(made).count("Warning") == 1
    assert "In group few the expected noise" in str(made)


def test_stages_have_warnings_too():
    prior = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=1.0)
    made = dp.plan(dp.Refined(dp.FrechetMean(prior)), n=500, budget=dp.Pure(12))
    assert "epsilon" in names(made)
    assert "Warning" in str(made)


def test_statistics_without_a_ball_know_their_radius_or_have_none():
    assert dp.Summary(dp.Sphere(2), 0.1).public_radius is None
    assert noise_share(dp.plan(dp.Summary(dp.Sphere(2), 0.1), budget=dp.Pure(1))) is None
    from geomdp.curves import PoweredExponential
    from geomdp_papers.point_mean import PointMean

    assert PointMean(np.zeros((5, 3)), 0.5).public_radius == 0.5
    curves = dp.FunctionMean(np.zeros(40), tau=0.1, kernel=PoweredExponential(1.0), phi=0.01)
    assert curves.public_radius == pytest.approx(0.1)


@pytest.mark.parametrize("n", [2, 99, 10**5, 10**5 + 1, 10**9])
def test_the_usual_delta_is_far_below_one_in_n(n):
    assert 10 * n * usual_delta(n) <= 1
    assert usual_delta(n) <= Fraction(1, 10**6)


def test_epsilon_stands_beside_every_mu_and_rho():
    for budget in (dp.GDP("0.5"), dp.ZCDP("0.1")):
        same = as_epsilon(budget, 1000)
        assert f"ε = {same.epsilon:.3g} at δ = 1e-6" in budget_words(budget, 1000)
        assert budget_words(budget, 1000) in str(line(budget=budget))
    assert budget_words(dp.Pure(1), 1000) == "ε = 1, pure"


@pytest.mark.parametrize(("spent", "warned"), [("0.8", False), ("0.81", True), ("1", True)])
def test_a_budget_that_is_nearly_gone_is_told(spent, warned):
    body = {"number": 1, "kind": "debit", "cost": PureCost(spent).to_json()}
    account = Account("patients", dp.Pure(1), (Spending(Entry(1, "link", body)),))
    assert bool(account.warning) is warned
    if warned:
        assert "more than 80% of the budget" in account.warning
        assert "have more granted" in account.warning
