"""What is covered when plans are chosen by looking at releases: no road that releases choose."""

import pytest

from geomdp.errors import BudgetError
from geomdp.ledger.accounts import admits, priced
from geomdp.privacy import (
    GDP,
    ZCDP,
    Approximate,
    ApproximateCost,
    GaussianCost,
    LaplaceCost,
    Pure,
    PureCost,
    implies,
    total,
)

GRANTED = Approximate(2, 1e-6)
GAUSS = GaussianCost("0.2")


def most(first, more, granted=GRANTED):
    """How many of ``more`` a budget admits after ``first``."""
    count = 0
    while admits(granted, [first, *[more] * (count + 1)]):
        count += 1
    return count


@pytest.mark.parametrize("cost", [GAUSS, PureCost("0.2"), LaplaceCost("0.2", dim=9)], ids=repr)
def test_costs_of_one_kind_are_admitted_as_far_as_they_fit(cost):
    """One kind has one shortest road, so that nothing is lost."""
    count = most(cost, cost)
    assert ((count + 1) * cost).fits(GRANTED)
    assert not ((count + 2) * cost).fits(GRANTED)


def test_one_release_may_take_the_whole_budget():
    for cost in (ApproximateCost(2, 1e-6), PureCost(2)):
        assert admits(GRANTED, [cost])
    assert not admits(GRANTED, [ApproximateCost(2, 2e-6)])


def test_the_curve_is_chosen_by_the_first_cost_and_not_by_later_ones():
    """The same costs in another order are covered by a curve that the first did not choose."""
    granted, pure = Approximate(5, 1e-6), PureCost("0.2")
    costs = [GAUSS, *[pure] * 18]
    assert implies(total(costs).price(ZCDP), granted)
    assert not implies(total(costs).price(GDP), granted)
    assert total(costs).fits(granted)  # which holds where the order was fixed in advance
    assert not admits(granted, costs)
    assert admits(granted, costs[::-1])


def test_bounded_losses_are_covered_beside_every_curve():
    """Where no loss exceeds epsilon, nothing is left for delta: both roads together are safe."""
    granted = Approximate(1, 1e-9)
    assert admits(granted, [PureCost("0.5"), PureCost("0.5")])
    assert not admits(granted, [PureCost("0.5"), GaussianCost("0.2")])


def test_a_failure_is_charged_only_where_it_came_first():
    one = ApproximateCost("0.5", "4e-7")
    assert admits(GRANTED, [one, one])
    assert priced(GRANTED, [one, one]) == Approximate(1, 1e-6)
    assert not admits(GRANTED, [one, one, one])
    assert admits(GRANTED, [one, PureCost("0.5")])
    assert not admits(GRANTED, [one, GAUSS])
    assert not admits(GRANTED, [GAUSS, one])
    assert not admits(GRANTED, [PureCost("0.5"), one])
    with pytest.raises(BudgetError):
        priced(GRANTED, [GAUSS, one])


@pytest.mark.parametrize("granted", [Pure(1), GDP(1), ZCDP(1), GRANTED])
def test_nothing_spent_is_nothing(granted):
    assert priced(granted, []).parts[0] == 0
    assert admits(granted, [])


@pytest.mark.parametrize("granted", [Pure(1), GDP(1), ZCDP(1), GRANTED])
def test_what_is_admitted_is_priced_within_the_grant(granted):
    cost = PureCost("0.1")
    count = most(cost, cost, granted)
    assert priced(granted, [cost] * (count + 1)) <= granted
    assert not priced(granted, [cost] * (count + 2)) <= granted
