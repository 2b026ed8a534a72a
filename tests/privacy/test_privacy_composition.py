import math
import subprocess
import sys
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geomdp.errors import BudgetError
from geomdp.privacy import (
    GDP,
    ZCDP,
    Approximate,
    Budget,
    Pure,
    analytic_mu,
    compose,
    convert,
    delta_of_epsilon,
    dp_event,
    group,
    implies,
    per_record,
)
from geomdp.privacy.accounting import accountant_epsilon

numbers = st.floats(0.01, 5)


def test_generic_conversion_of_pure() -> None:
    assert convert(Pure(1), GDP).mu == pytest.approx(1.232, abs=5e-4)
    assert convert(Pure("1e-9"), ZCDP) == ZCDP("5e-19")  # exact where rounding would cost more
    assert convert(Pure(1), Approximate, delta=1e-6) == Approximate(1, 1e-6)
    assert convert(GDP(0.3) + GDP(0.4), ZCDP) == ZCDP(0.125)


@settings(deadline=None)
@given(numbers)
def test_pure_to_gdp_covers_randomised_response(epsilon: float) -> None:
    mu = convert(Pure(epsilon), GDP)
    with mpmath.workdps(40):
        lie = 1 / (1 + mpmath.exp(mpmath.mpf(repr(epsilon))))
        root = mpmath.sqrt(mpmath.mpf(mu.parts[0].numerator) / mu.parts[0].denominator)
        assert mpmath.ncdf(-root / 2) <= lie
        assert mpmath.ncdf(-root * (1 - mpmath.mpf("1e-11")) / 2) > lie


@settings(deadline=None)
@given(numbers, st.floats(1e-10, 0.1))
def test_gdp_to_approximate_is_the_dual_curve(mu: float, delta: float) -> None:
    budget = convert(GDP(mu), Approximate, delta=delta)
    assert delta_of_epsilon(mu, budget.parts[0]) <= delta * (1 + 1e-12)
    if budget.epsilon > 1e-6:
        assert delta_of_epsilon(mu, budget.parts[0] * (1 - Fraction(1, 10**9))) > delta


@settings(deadline=None)
@given(numbers, st.floats(1e-10, 0.1))
def test_zcdp_conversion_lies_between_the_gaussian_and_the_textbook(
    mu: float, delta: float
) -> None:
    rho = convert(GDP(mu), ZCDP)
    epsilon = convert(rho, Approximate, delta=delta).epsilon
    textbook = rho.rho + 2 * math.sqrt(rho.rho * math.log(1 / delta))
    assert convert(GDP(mu), Approximate, delta=delta).epsilon <= epsilon < textbook


def test_zcdp_conversion_is_the_minimum_over_orders() -> None:
    rho, delta = 0.5, 1e-6
    orders = [1 + 10 ** (k / 200) for k in range(-600, 600)]
    grid = min(a * rho + math.log(1 / (a * delta)) / (a - 1) + math.log1p(-1 / a) for a in orders)
    ours = convert(ZCDP(rho), Approximate, delta=delta).epsilon
    assert ours <= grid <= ours * (1 + 1e-4)


@pytest.mark.parametrize(
    ("budget", "kind"),
    [
        (Approximate(1, 1e-6), Pure),
        (GDP(1), Pure),
        (ZCDP(1), Pure),
        (Approximate(1, 1e-6), GDP),
        (ZCDP(1), GDP),
        (Approximate(1, 1e-6), ZCDP),
    ],
)
def test_conversions_that_do_not_hold(budget: Budget, kind: type[Budget]) -> None:
    with pytest.raises(BudgetError, match="since"):
        convert(budget, kind)


def test_conversion_and_its_delta() -> None:
    with pytest.raises(BudgetError, match="delta is needed"):
        convert(GDP(1), Approximate)
    with pytest.raises(BudgetError, match="delta is needed"):
        convert(Pure(1), GDP, delta=1e-6)
    with pytest.raises(BudgetError, match="smaller delta"):
        convert(Approximate(1, 1e-6), Approximate, delta=1e-7)
    assert convert(Approximate(1, 1e-7), Approximate, delta=1e-6) == Approximate(1, 1e-6)
    assert convert(GDP(1), GDP) == GDP(1)
    # Where delta alone covers the whole profile nothing is left for epsilon.
    assert convert(GDP(1e-6), Approximate, delta=0.1) == Approximate(0, 0.1)
    assert convert(ZCDP(1e-12), Approximate, delta=0.1) == Approximate(0, 0.1)
    with pytest.raises(BudgetError, match="delta above 0"):
        convert(GDP(1), Approximate, delta=0)


@settings(deadline=None, max_examples=30)
@given(numbers)
def test_pure_to_zcdp_covers_randomised_response_and_no_less_does(epsilon: float) -> None:
    rho = convert(Pure(epsilon), ZCDP).parts[0]
    with mpmath.workdps(40):
        eps = mpmath.mpf(repr(epsilon))
        for excess in (mpmath.mpf(10) ** -12, mpmath.mpf("0.5"), 1, 7, 100):
            renyi = (
                mpmath.log(mpmath.cosh((excess + 0.5) * eps)) - mpmath.log(mpmath.cosh(eps / 2))
            ) / excess
            assert renyi <= (1 + excess) * mpmath.mpf(rho.numerator) / rho.denominator
            if excess < 1e-6:  # tight in the limit of order 1
                assert (
                    renyi > (1 - mpmath.mpf("1e-10")) * mpmath.mpf(rho.numerator) / rho.denominator
                )


@pytest.mark.parametrize("zero", [Pure(0), GDP(0), ZCDP(0), Approximate(0, 0)])
def test_nothing_converts_to_nothing(zero: Budget) -> None:
    for kind in (Pure, GDP, ZCDP):
        assert convert(zero, kind) == kind(0)
    assert convert(zero, Approximate, delta=1e-6) == Approximate(0, 1e-6)
    assert compose([zero, zero], delta=1e-6) == Approximate(0, 1e-6)
    assert dp_event(zero).__class__.__name__ == "NoOpDpEvent"
    assert group(zero, 3) == zero == per_record(zero, 3)


def test_without_a_delta_approximate_is_pure() -> None:
    assert convert(Approximate(1, 0), Pure) == Pure(1)
    assert convert(Approximate(1, 0), GDP) == convert(Pure(1), GDP)
    assert Approximate(0, 3e-6) <= group(Approximate(0, 1e-6), 3) < Approximate(0, 3.00001e-6)
    assert Approximate(0, 0.99999e-6) < per_record(Approximate(0, 3e-6), 3) <= Approximate(0, 1e-6)


def test_implies() -> None:
    edge = convert(GDP(1), Approximate, delta=1e-6)
    assert implies(GDP(1), edge)
    assert not implies(GDP(1), Approximate(edge.parts[0] * (1 - Fraction(1, 10**9)), 1e-6))
    edge = convert(ZCDP(1), Approximate, delta=1e-6)
    assert implies(ZCDP(1), edge)
    assert not implies(ZCDP(1), Approximate(edge.parts[0] * (1 - Fraction(1, 10**9)), 1e-6))
    assert implies(Pure(1), GDP("1.24"))
    assert not implies(Pure(1), GDP("1.23"))
    assert not implies(GDP(1), Pure(100))
    assert not implies(GDP(1), Approximate(100, 0))
    assert implies(GDP(0), Pure(0))
    # What the analytic calibration allows is within its budget, with no rounding in between.
    for epsilon in ("0.1", "0.7", "1", "3"):
        mu = analytic_mu(epsilon, 1e-6)
        assert implies(GDP(mu), Approximate(epsilon, 1e-6))


def test_closed_forms() -> None:
    assert compose([Pure(1), Pure(2)]) == Pure(3)
    assert compose([GDP(3), GDP(4)]) == GDP(5)
    assert compose([Pure(1), Approximate(1, 1e-6)]) == Approximate(2, 1e-6)
    assert compose([Pure(1), GDP(1)]) == convert(Pure(1), GDP) + GDP(1)
    assert compose([Pure(1), GDP(1), ZCDP(1)]) == convert(Pure(1), ZCDP) + ZCDP("1.5")


def test_composition_that_needs_a_delta() -> None:
    with pytest.raises(BudgetError, match="delta"):
        compose([Approximate(1, 1e-6), GDP(1)])
    with pytest.raises(BudgetError, match="must exceed the sum"):
        compose([Approximate(1, 1e-6), GDP(1)], delta=1e-6)
    with pytest.raises(BudgetError, match="nothing to compose"):
        compose([])


def pld_epsilon(events: list[Any], delta: float) -> float:
    """Dp-accounting's own answer, on its default grid."""
    from dp_accounting.pld import privacy_loss_distribution as pld
    from dp_accounting.pld.common import DifferentialPrivacyParameters as Parameters

    parts = [
        pld.from_gaussian_mechanism(1 / b.mu)
        if isinstance(b, GDP)
        else pld.from_privacy_parameters(Parameters(b.epsilon, getattr(b, "delta", 0.0)))
        for b in events
    ]
    total = parts[0]
    for part in parts[1:]:
        total = total.compose(part)
    return total.get_epsilon_for_delta(delta)


@pytest.mark.parametrize(
    ("budgets", "delta"),
    [
        ([Pure(1), GDP(1)], 1e-6),
        ([GDP(1), Approximate(0.5, 1e-8), Pure(0.3)], 1e-6),
        ([Pure(0.1)] * 30, 1e-5),
        ([Approximate(0.1, 1e-9)] * 20, 1e-6),
        ([GDP(0.5), GDP(1.2)], 1e-7),
    ],
)
def test_mixed_composition_against_dp_accounting(budgets: list[Budget], delta: float) -> None:
    ours = compose(budgets, delta=delta)
    assert isinstance(ours, Approximate)
    assert ours.delta == delta
    assert ours.epsilon == pytest.approx(pld_epsilon(budgets, delta), rel=2e-3)


def test_composition_is_not_below_the_exact_curve() -> None:
    """Two binary randomised responses, enumerated by hand."""
    epsilon, delta = 1.0, 0.05
    p = 1 / (1 + math.exp(-epsilon))
    losses = [(2 * epsilon, p * p), (0.0, 2 * p * (1 - p)), (-2 * epsilon, (1 - p) ** 2)]
    exact = 2 * epsilon + math.log1p(-delta / losses[0][1])
    ours = compose([Pure(1), Pure(1)], delta=delta).parts[0]
    assert exact <= ours <= exact * 1.001


def test_better_than_sums_and_never_worse_than_any_route() -> None:
    many = [Pure(0.05)] * 100
    assert compose(many, delta=1e-6).parts[0] < Pure("2.7").parts[0]
    tiny = Fraction(1, 10**15)  # too small for Fourier transforms: closed forms answer
    by_mu = convert(compose([GDP(1), Pure(1)]), Approximate, delta=tiny)
    by_rho = convert(convert(Pure(1), ZCDP) + ZCDP(0.5), Approximate, delta=tiny)
    assert compose([GDP(1), Pure(1)], delta=tiny) == min(by_mu, by_rho)
    assert compose([ZCDP(0.1), Approximate(1, 1e-8)], delta=1e-6).parts[0] > 1


@pytest.mark.slow
@settings(max_examples=10, deadline=None)
@given(st.lists(numbers, min_size=1, max_size=3), numbers, st.sampled_from([Pure, GDP]))
def test_one_more_release_never_costs_less(first: list[float], more: float, kind: Any) -> None:
    budgets = [GDP(x) for x in first]
    less = compose(budgets, delta=1e-6).parts[0]
    slack = 1 + Fraction(1, 10**9)  # results are rounded up
    assert less <= compose([*budgets, kind(more)], delta=1e-6).parts[0] * slack


@settings(deadline=None)
@given(numbers, st.integers(1, 20))
def test_groups_and_their_inverse(x: float, k: int) -> None:
    for budget in (Pure(x), GDP(x), ZCDP(x)):
        assert per_record(group(budget, k), k) == budget
    assert group(GDP(x), k).mu == pytest.approx(k * x)
    budget = Approximate(x, 1e-6)
    share = per_record(budget, k)
    assert group(share, k) <= Approximate(x, "0.000001000001")
    # k changes of one record in turn: delta_j+1 = e^eps delta_j + delta, as exact as floats are.
    total = 0.0
    for _ in range(k):
        total = math.exp(share.epsilon) * total + share.delta
    assert total <= 1e-6 * (1 + 1e-9)


def test_groups_refuse() -> None:
    with pytest.raises(BudgetError, match="promises nothing"):
        group(Approximate(2, 1e-3), 10)
    with pytest.raises(BudgetError, match="whole number"):
        group(Pure(1), 0)
    assert group(Approximate(1, 1e-6), 1) == Approximate(1, 1e-6)
    assert per_record(Approximate(1, 1e-6), 1) == Approximate(1, 1e-6)


def test_events_round_trip_through_the_accountants() -> None:
    import dp_accounting
    from dp_accounting.pld import PLDAccountant
    from dp_accounting.rdp import RdpAccountant

    relation = dp_accounting.NeighboringRelation
    pure = PLDAccountant(relation.REPLACE_ONE).compose(dp_event(Pure(1)))
    assert pure.get_epsilon(0) == pytest.approx(1, abs=2e-4)
    normal = PLDAccountant(relation.ADD_OR_REMOVE_ONE).compose(dp_event(GDP(1)))
    expected = convert(GDP(1), Approximate, delta=1e-6).epsilon
    assert expected <= normal.get_epsilon(1e-6) <= expected * (1 + 1e-6)
    doubled = PLDAccountant(relation.REPLACE_ONE).compose(dp_event(GDP(1)))
    assert doubled.get_epsilon(1e-6) > 2 * expected  # as the docstring warns
    renyi = RdpAccountant(neighboring_relation=relation.REPLACE_ONE).compose(dp_event(ZCDP(0.5)))
    ours = convert(ZCDP(0.5), Approximate, delta=1e-6).epsilon
    assert ours <= renyi.get_epsilon(1e-6) <= ours * 1.001
    with pytest.raises(BudgetError, match="no event"):
        dp_event(Approximate(1, 1e-6))


def test_laplace_noise_in_one_dimension_does_not_dominate_pure_privacy() -> None:
    """Why Pure becomes randomised response: at epsilon' = 0 Laplace noise has the smaller delta."""
    assert -math.expm1(-0.5) < math.tanh(0.5)


def test_importing_is_cheap() -> None:
    names = ["dp_accounting", "scipy.optimize"]
    code = f"import sys, geomdp.privacy; print(*(name in sys.modules for name in {names}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_the_accountant_gains_over_plain_sums():
    assert 1 < accountant_epsilon([Pure(0.1)] * 20, Fraction(1, 10**6)) < 2
