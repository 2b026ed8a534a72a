"""Costs compose exactly, and no price is below what the worst mechanism really costs."""

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geomdp.errors import BudgetError
from geomdp.privacy import (
    GDP,
    NO_COST,
    ZCDP,
    Approximate,
    ApproximateCost,
    ComposedCost,
    Cost,
    GaussianCost,
    LaplaceCost,
    ParallelCost,
    Pure,
    PureCost,
    Unit,
    analytic_mu,
    convert,
    cost_from_json,
    gdp_of_laplace,
    parallel,
    total,
)
from geomdp.privacy.costs import Known, best_epsilon

SLACK = 1 + Fraction(1, 10**9)  # prices are rounded up to 13 digits

decimals = st.decimals("0.01", "6", places=2)
pures = st.builds(PureCost, decimals, st.booleans())
gaussians = st.builds(GaussianCost, decimals)
laplaces = st.builds(LaplaceCost, st.sampled_from(["0.5", "1", "4"]), st.sampled_from([1, 4]))
approximates = st.builds(ApproximateCost, decimals, st.just("1e-9"))
atoms = st.one_of(pures, gaussians, laplaces, approximates)
costs = st.lists(st.tuples(atoms, st.integers(1, 30)), max_size=4).map(
    lambda terms: total(times * cost for cost, times in terms)
)
DELTA = Fraction(1, 10**6)


def epsilon_of(cost: Cost, delta: Fraction = DELTA) -> Fraction:
    return cost.price(Approximate, delta=delta).parts[0]


# --- algebra ---


@settings(deadline=None, max_examples=40)
@given(costs, costs, costs, st.integers(1, 5))
def test_sums_are_values(a: Cost, b: Cost, c: Cost, k: int) -> None:
    assert a + b == b + a
    assert hash(a + b) == hash(b + a)
    assert (a + b) + c == a + (b + c) == total([c, b, a])
    assert k * a == a * k == total([a] * k) == sum([a] * k)
    assert a + NO_COST == a == NO_COST + a
    assert 2 * (a + b) == 2 * a + 2 * b


@settings(deadline=None, max_examples=40)
@given(costs)
def test_json_and_repr_round_trip(cost: Cost) -> None:
    assert cost_from_json(json.loads(json.dumps(cost.to_json()))) == cost
    assert eval(repr(cost)) == cost
    assert cost.describe().endswith(".")


def test_thirds_survive_json() -> None:
    cost = 3 * PureCost("1/3", bounded_range=True) + GaussianCost("sqrt(1/3)")
    assert cost_from_json(json.loads(json.dumps(cost.to_json()))) == cost == eval(repr(cost))
    assert cost_from_json(PureCost("1/3").to_json()) != PureCost("1/3", bounded_range=True)


@settings(deadline=None, max_examples=40)
@given(costs, costs)
def test_prices_add_up_exactly(a: Cost, b: Cost) -> None:
    for kind in (Pure, GDP, ZCDP):
        try:
            whole = (a + b).price(kind)
        except BudgetError:
            assert (a + b).failure() or (kind is Pure and (a + b).largest_loss() is None)
        else:
            assert whole == a.price(kind) + b.price(kind)


@settings(deadline=None, max_examples=12)
@given(costs, costs)
def test_approximate_price_is_monotone_and_below_the_sum(a: Cost, b: Cost) -> None:
    one, other, both = epsilon_of(a), epsilon_of(b), epsilon_of(a + b, 2 * DELTA)
    assert both <= (one + other) * SLACK
    assert max(one, other) <= epsilon_of(a + b) * SLACK
    assert epsilon_of(a, 2 * DELTA) <= one * SLACK


@settings(deadline=None, max_examples=25)
@given(costs)
def test_a_cost_fits_its_prices_and_nothing_less(cost: Cost) -> None:
    price = cost.price(Approximate, delta=DELTA)
    assert cost.fits(price)
    if price.parts[0]:
        assert not cost.fits(Approximate(price.parts[0] * (1 - Fraction(1, 10**8)), DELTA))
    if not cost.failure():
        assert cost.fits(cost.price(GDP))
        assert cost.fits(cost.price(ZCDP))
        assert cost.fits(Pure(0)) is (not cost)


# --- exactness ---


def test_exact_prices() -> None:
    assert 10 * PureCost(0.1) != PureCost(1)  # ten releases say more than their sum
    assert (10 * PureCost(0.1)).price(Pure) == Pure(1)
    assert GaussianCost(0.3) + GaussianCost(0.4) == GaussianCost(0.5)
    assert 4 * GaussianCost(1) == GaussianCost(2)
    assert (GaussianCost(0.3) + GaussianCost(0.4)).price(ZCDP) == ZCDP(0.125)
    ranged = PureCost(1, bounded_range=True)
    assert ranged.price(ZCDP) == ZCDP("0.1233015614823") < ZCDP("1/8")
    assert (4 * ranged).rho() == 4 * ranged.rho()
    assert LaplaceCost(1, 5).price(Pure) == Pure(1)
    assert LaplaceCost(1, 5).price(GDP) == gdp_of_laplace(1, 5)
    assert LaplaceCost(1, 5).price(ZCDP) == convert(gdp_of_laplace(1, 5), ZCDP)
    assert LaplaceCost(1, 1).price(ZCDP) == convert(Pure(1), ZCDP)  # less than mu^2/2 in one
    assert PureCost(20, bounded_range=True).price(ZCDP) < ZCDP("16.01") < convert(Pure(20), ZCDP)


def test_gaussian_price_is_the_exact_curve() -> None:
    assert GaussianCost(1).price(Approximate, delta=1e-6) == convert(GDP(1), Approximate, 1e-6)
    for epsilon in ("0.1", "0.37", "1", "8"):
        assert GaussianCost(analytic_mu(epsilon, 1e-6)).fits(Approximate(epsilon, 1e-6))


def test_every_road_is_taken_where_it_is_the_shortest() -> None:
    # Plain sums: one release.
    assert epsilon_of(PureCost(1)) == 1
    # GDP: noise in many dimensions.
    assert epsilon_of(LaplaceCost(1, 55)) == epsilon_of(GaussianCost(gdp_of_laplace(1, 55).mu))
    # ZCDP: many small releases.
    many = 1000 * PureCost("0.1")
    assert epsilon_of(many) == convert(many.price(ZCDP), Approximate, DELTA).parts[0]
    assert epsilon_of(many) < convert(many.price(GDP), Approximate, DELTA).parts[0]
    # A split: one large loss apart, the Gaussian on its curve.
    mixed = PureCost(10) + GaussianCost(0.1)
    assert epsilon_of(mixed) == 10 + epsilon_of(GaussianCost(0.1))


def test_a_failure_is_taken_off_delta_first() -> None:
    tries = ApproximateCost(1, 1e-7)
    assert tries.price(Approximate, delta=1e-7) == Approximate(1, 1e-7)
    both = tries + GaussianCost(0.1)
    assert epsilon_of(both) == 1 + epsilon_of(GaussianCost(0.1), DELTA - Fraction(1, 10**7))
    # As many as make plain sums bad share a curve, which the budgets alone do not know.
    many = 200 * ApproximateCost("0.1", "1e-9")
    assert many.failure() == Fraction(2, 10**7)
    assert epsilon_of(many) == epsilon_of(200 * PureCost("0.1"), DELTA - many.failure()) < 20
    assert not tries.fits(Approximate(5, 1e-8))
    assert tries.fits(Approximate(1, 1e-7))
    assert not tries.fits(Approximate("0.5", 1e-7))


@pytest.mark.parametrize(
    ("cost", "kind", "delta"),
    [
        (GaussianCost(1), Pure, None),
        (ApproximateCost(1, 1e-6), Pure, None),
        (ApproximateCost(1, 1e-6), GDP, None),
        (ApproximateCost(1, 1e-6) + GaussianCost(1), ZCDP, None),
        (ApproximateCost(1, 1e-6), Approximate, 1e-7),
        (GaussianCost(1), Approximate, 0),
    ],
)
def test_prices_that_do_not_exist(cost: Cost, kind: Any, delta: float | None) -> None:
    with pytest.raises(BudgetError, match="has no price in"):
        cost.price(kind, delta)
    if delta is None:
        assert not cost.fits(kind(1000))


def test_delta_is_asked_for_where_it_is_needed() -> None:
    with pytest.raises(BudgetError, match="delta is needed"):
        PureCost(1).price(Approximate)
    with pytest.raises(BudgetError, match="delta is needed"):
        PureCost(1).price(GDP, delta=1e-6)


@pytest.mark.parametrize(
    "zero",
    [
        NO_COST,
        PureCost(0),
        PureCost(0, True),
        GaussianCost(0),
        LaplaceCost(0, 3),
        ApproximateCost(0, 0),
    ],
)
def test_nothing_spent(zero: Cost) -> None:
    assert not zero
    assert zero + PureCost(1) == PureCost(1)
    assert total([zero, zero]) == 3 * zero == NO_COST
    for kind in (Pure, GDP, ZCDP):
        assert zero.price(kind) == kind(0)
        assert zero.fits(kind(0))
        assert not PureCost(1).fits(kind(0))
    assert zero.price(Approximate, delta=0) == Approximate(0, 0)
    assert cost_from_json(zero.to_json()) == zero
    assert type(zero.dp_event).__name__ == "NoOpDpEvent"
    assert parallel([zero, PureCost(1)]) == PureCost(1)


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"kind": "x"},
        {"kind": "pure"},
        {"kind": "pure", "epsilon": "-1"},
        {"kind": "laplace", "epsilon": "1", "dim": 0},
        {"kind": "composed", "terms": [{"times": 0, "cost": {"kind": "gaussian", "mu": "1"}}]},
        {"kind": "composed", "terms": 3},
        {"kind": "parallel", "branches": ["pure"]},
    ],
)
def test_json_that_is_no_cost(data: dict[str, Any]) -> None:
    with pytest.raises(BudgetError, match=r"no cost|must be"):
        cost_from_json(data)


# --- dominance: against the exact curves of the worst mechanisms ---


def bounded_range_pair(epsilon: float, t: float) -> tuple[float, float]:
    """Q and P of the outcome with log-ratio t, where the other outcome has t - epsilon."""
    q = -math.expm1(t - epsilon) / (math.exp(t) - math.exp(t - epsilon))
    return q, q * math.exp(t)


def worst_bounded_range(epsilon: float) -> list[tuple[float, float]]:
    shares = np.linspace(0.02, 0.98, 49)
    return [bounded_range_pair(epsilon, epsilon * s) for s in shares]


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0, 12.0])
def test_bounded_range_gdp_is_tight(epsilon: float) -> None:
    mu = PureCost(epsilon, bounded_range=True).price(GDP).mu
    # A pair (false alarm p, miss q) at the kink needs mu >= -Phi^-1(p) - Phi^-1(q).
    needed = [
        float(
            -mpmath.sqrt(2)
            * (mpmath.erfinv(2 * mpmath.mpf(q) - 1) + mpmath.erfinv(1 - 2 * mpmath.mpf(p)))
        )
        for q, p in worst_bounded_range(epsilon)
    ]
    assert max(needed) <= mu * (1 + 1e-12)
    assert max(needed) > mu * (1 - 1e-9)  # so any mutant that understates mu is caught
    assert needed.index(max(needed)) == 24  # at the symmetric pair, t = epsilon/2


def renyi(q: float, p: float, order: float) -> float:
    moment = p**order * q ** (1 - order) + (1 - p) ** order * (1 - q) ** (1 - order)
    return math.log(moment) / (order - 1)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0, 8.0, 12.0])
def test_bounded_range_zcdp_covers_all_orders_and_is_tight(epsilon: float) -> None:
    rho = PureCost(epsilon, bounded_range=True).price(ZCDP).rho
    ratios = [
        renyi(q, p, order) / (order * rho)
        for q, p in worst_bounded_range(epsilon)
        for order in (1.0001, 1.01, 1.1, 1.5, 2.0, 5.0, 20.0)
    ]
    assert 0.999 < max(ratios) <= 1 + 1e-9  # Hoeffding's epsilon^2/8 is 1.63 times this at 8


def test_the_symmetric_half_does_not_dominate_bounded_range() -> None:
    """Why bounded range is no pure privacy of half the epsilon: only its GDP is that."""
    q, p = bounded_range_pair(1.0, 0.9)
    assert math.log(p / q) > 0.5
    assert not PureCost("0.5").covers(PureCost(1, bounded_range=True))


def loss_distribution(cost: Cost, t: float = 0.5) -> Any:
    """Distribution of the loss of a mechanism that has this cost, rounded to be optimistic."""
    from dp_accounting.pld import privacy_loss_distribution as pld

    grid: dict[str, Any] = {"value_discretization_interval": 1e-3, "pessimistic_estimate": False}
    if isinstance(cost, GaussianCost):
        return pld.from_gaussian_mechanism(1 / cost.mu, use_connect_dots=False, **grid)
    if isinstance(cost, LaplaceCost):
        assert cost.dim == 1
        return pld.from_laplace_mechanism(1 / float(cost.epsilon), use_connect_dots=False, **grid)
    loss, failure = float(cost.largest_loss() or 0), float(cost.failure())
    if isinstance(cost, PureCost) and cost.bounded_range:
        q, p = bounded_range_pair(loss, t * loss)
    else:
        q, p = 1 / (1 + math.exp(loss)), 1 / (1 + math.exp(-loss))
    laws = [{0: math.log(x * (1 - failure)), 1: math.log((1 - x) * (1 - failure))} for x in (q, p)]
    if failure:  # outcomes that give the answer away
        laws[0][2] = laws[1][3] = math.log(failure)
    return pld.from_two_probability_mass_functions(*laws, symmetric=False, **grid)


def least_delta(cost: Cost, epsilon: float, t: float = 0.5) -> float:
    composed = None
    for term, times in cost.terms():
        part = loss_distribution(term, t).self_compose(times)
        composed = part if composed is None else composed.compose(part)
    return composed.get_delta_for_epsilon(epsilon)


MIXES: Sequence[Cost] = [
    PureCost(1) + GaussianCost(1),
    20 * PureCost("0.2"),
    20 * PureCost("0.4", bounded_range=True) + GaussianCost("0.5"),
    PureCost(3) + 5 * PureCost("0.2") + GaussianCost("0.1"),
    LaplaceCost(1, 1) + GaussianCost("0.3"),
    8 * LaplaceCost("0.3", 1) + PureCost("0.1", bounded_range=True),
    20 * ApproximateCost("0.2", "1e-7") + GaussianCost(1),
]


@pytest.mark.parametrize("cost", MIXES, ids=repr)
def test_price_is_not_below_the_privacy_loss_distribution(cost: Cost) -> None:
    delta = 1e-5
    epsilon = cost.price(Approximate, delta=delta).epsilon
    for t in (0.3, 0.5, 0.7):
        assert least_delta(cost, epsilon, t) <= delta * (1 + 1e-6)
    # Power: a price of four fifths would be caught.
    assert max(least_delta(cost, 0.8 * epsilon, t) for t in (0.3, 0.5, 0.7)) > delta


MUTANTS = {
    "mu of half the square": lambda known: known._replace(mu_squared=known.mu_squared / 2),
    "rho of half": lambda known: known._replace(rho=known.rho / 2),
    "one release of many": lambda known: known._replace(times=1),
    "loss of half": lambda known: known._replace(loss=known.loss and known.loss / 2),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_understated_costs_are_caught(mutant: str) -> None:
    """Each mutation of what is known makes some price that the check above refutes."""
    delta, caught = 1e-5, []
    for cost in [*MIXES, 100 * PureCost("0.1"), PureCost(1)]:
        known = [
            MUTANTS[mutant](Known(term.largest_loss(), term.mu_squared(), term.rho(), times))
            for term, times in cost.terms()
        ]
        epsilon = best_epsilon(known, Fraction(str(delta)) - cost.failure())
        assert epsilon is not None
        caught.append(least_delta(cost, float(epsilon)) > delta * (1 + 1e-6))
    assert any(caught)


# --- groups ---


def test_parallel_composition() -> None:
    assert parallel([PureCost(1), PureCost(2)]) == PureCost(2)
    assert parallel([PureCost(1, bounded_range=True), PureCost(1)]) == PureCost(1)
    assert len(parallel([PureCost(2, bounded_range=True), PureCost(1)]).to_json()["branches"]) == 2
    assert parallel([LaplaceCost(1, 3), LaplaceCost(2, 3)]) == LaplaceCost(2, 3)
    assert parallel([ApproximateCost(1, 1e-6), ApproximateCost(2, 1e-6)]).failure() == DELTA
    assert parallel([]) == NO_COST
    mixed = parallel([PureCost(1), GaussianCost(1)])
    assert isinstance(mixed, ParallelCost)
    assert mixed.price(GDP) == PureCost(1).price(GDP)
    assert mixed.price(ZCDP) == GaussianCost(1).price(ZCDP)
    with pytest.raises(BudgetError, match="unbounded"):
        mixed.price(Pure)
    assert cost_from_json(json.loads(json.dumps(mixed.to_json()))) == mixed == eval(repr(mixed))
    assert epsilon_of(mixed) >= max(epsilon_of(PureCost(1)), epsilon_of(GaussianCost(1)))
    assert parallel([ApproximateCost(2, 1e-7), ApproximateCost(1, 1e-6)]).failure() == DELTA
    tries = parallel([PureCost(5), ApproximateCost(1, 1e-6)])
    assert (tries.failure(), tries.largest_loss()) == (DELTA, 5)
    assert not tries.fits(Approximate(5, 1e-7))
    again = 2 * mixed + PureCost(1)
    assert again.price(GDP) == 3 * PureCost(1).price(GDP)


def test_private_labels_charge_the_two_worst_groups() -> None:
    changed = Unit.record(labels="private").changed_groups
    costs = [PureCost(1), PureCost(3), PureCost(2), PureCost(2)]
    assert parallel(costs, changed) == PureCost(3) + PureCost(2)
    assert parallel([GaussianCost(3), GaussianCost(4), GaussianCost(1)], changed) == GaussianCost(5)
    assert parallel([PureCost(1)], changed) == PureCost(1)
    mixed = parallel([PureCost(1), PureCost(1), GaussianCost(1), GaussianCost(1)], changed)
    assert isinstance(mixed, ParallelCost)
    assert set(mixed.branches) == {
        2 * PureCost(1),
        PureCost(1) + GaussianCost(1),
        2 * GaussianCost(1),
    }


def test_a_sum_is_not_left_out_for_its_totals() -> None:
    """A sum that is larger in every currency may still have the smaller price, by a split road."""
    total_cost, single = PureCost(10) + GaussianCost("0.1"), GaussianCost("4.4")
    assert total_cost.price(GDP) > single.price(GDP)
    assert total_cost.price(ZCDP) > single.price(ZCDP)
    assert epsilon_of(total_cost) < epsilon_of(single)
    assert epsilon_of(parallel([total_cost, single])) >= epsilon_of(single)


@settings(deadline=None, max_examples=12)
@given(st.lists(atoms, min_size=1, max_size=4), st.integers(1, 3))
def test_parallel_is_at_least_every_choice(listed: list[Cost], groups: int) -> None:
    whole = parallel(listed, groups)
    for i in range(len(listed)):
        some = total(listed[i : i + groups])
        assert epsilon_of(some) <= epsilon_of(whole) * SLACK
        assert whole.mu_squared() >= some.mu_squared()
        assert whole.rho() >= some.rho()


# --- dp-accounting ---


def test_events_are_no_better_than_the_cost() -> None:
    import dp_accounting
    from dp_accounting.rdp import RdpAccountant

    cost = 3 * PureCost("0.5", bounded_range=True) + GaussianCost("0.5") + LaplaceCost(1, 4)
    event = cost.dp_event
    assert isinstance(event, dp_accounting.ComposedDpEvent)
    relation = dp_accounting.NeighboringRelation.REPLACE_ONE
    renyi_epsilon = RdpAccountant(neighboring_relation=relation).compose(event).get_epsilon(1e-6)
    by_mu = convert(cost.price(GDP), ZCDP)
    ours = convert(by_mu, Approximate, delta=1e-6).epsilon
    assert ours <= renyi_epsilon <= 1.01 * ours
    assert type(PureCost(1).dp_event).__name__ == "RandomizedResponseDpEvent"
    with pytest.raises(BudgetError, match="anything may happen"):
        ApproximateCost(1, 1e-6).dp_event  # noqa: B018


def test_frozen() -> None:
    with pytest.raises(AttributeError):
        PureCost(1).epsilon = Fraction(0)  # type: ignore[misc]
    assert replace(ComposedCost(()), counts=()) == NO_COST
    with pytest.raises(TypeError):
        PureCost(1) + 1  # type: ignore[operator]
