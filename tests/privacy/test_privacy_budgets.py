import json
import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geomdp.errors import BudgetError
from geomdp.privacy import GDP, ZCDP, Approximate, Budget, Pure, budget_from_json

decimals = st.decimals(min_value="1e-9", max_value="1e6", allow_nan=False, places=9)
budgets = st.one_of(
    st.builds(Pure, decimals),
    st.builds(GDP, decimals),
    st.builds(ZCDP, decimals),
    st.builds(Approximate, decimals, st.decimals("1e-9", "0.1", places=9)),
    st.builds(lambda a, b: GDP(a) + GDP(b), decimals, decimals),
)


@pytest.mark.parametrize(
    ("whole", "tenth"), [(Pure(1), Pure(0.1)), (ZCDP(1), ZCDP(0.1)), (GDP(1), GDP("sqrt(0.1)"))]
)
def test_ten_tenths_are_the_whole(whole: Budget, tenth: Budget) -> None:
    assert tenth * 10 == whole
    assert sum([tenth] * 10) == whole
    assert sum([0.1] * 10) != 1.0  # what floats would have said


@pytest.mark.parametrize(
    "number", [0.1, "0.1", "1/10", Decimal("0.1"), Fraction(1, 10), np.float64(0.1)]
)
def test_numbers_are_read_as_the_decimal_they_print_as(number: object) -> None:
    assert Pure(number).parts == (Fraction(1, 10),)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "number", [-1, "\r\n-2", math.nan, math.inf, "inf", "x", None, True, "1/0", [1]]
)
def test_invalid_numbers_are_refused_in_one_sentence(number: object) -> None:
    for kind in (Pure, GDP, ZCDP, lambda x: Approximate(x, 1e-6), lambda x: Approximate(1, x)):
        with pytest.raises(BudgetError, match=r"^[^.]*must (be|lie)") as caught:
            kind(number)  # type: ignore[operator]
        assert str(caught.value).endswith(".")
        assert str(caught.value).isprintable()


@pytest.mark.parametrize("delta", [1, 1.5, "1"])
def test_delta_lies_strictly_below_one(delta: object) -> None:
    with pytest.raises(BudgetError, match="at least 0 and below 1"):
        Approximate(1, delta)  # type: ignore[arg-type]
    with pytest.raises(BudgetError, match="at least 0 and below 1"):
        Approximate(1, 0.5) * 2


@settings(deadline=None)
@given(budgets, st.lists(decimals, min_size=1, max_size=6))
def test_splits_compose_back_exactly(budget: Budget, weights: list[Decimal]) -> None:
    shares = budget.split(*weights)
    assert sum(shares) == budget
    assert all(share <= budget for share in shares)


@settings(deadline=None)
@given(budgets)
def test_json_and_repr_round_trip_exactly(budget: Budget) -> None:
    assert budget_from_json(json.loads(json.dumps(budget.to_json()))) == budget
    third = budget.split(1, 2)[0]
    assert budget_from_json(third.to_json()) == third
    assert eval(repr(third)) == third  # the repr is the constructor call


@settings(deadline=None)
@given(budgets, st.integers(1, 50))
def test_what_is_spent_and_what_is_left_make_the_whole(budget: Budget, k: int) -> None:
    whole = budget.split(*[1] * (k + 1))[0] * (k + 1)
    share = whole.split(*[1] * (k + 1))[0]
    assert (whole - share) + share == whole == share * (k + 1)
    assert hash(whole) == hash(budget)


def test_gdp_adds_in_squares() -> None:
    assert GDP(3) + GDP(4) == GDP(5)
    assert (GDP(1) * 2).mu == pytest.approx(math.sqrt(2), rel=1e-16)
    assert GDP(5) - GDP(3) == GDP(4)


def test_comparison() -> None:
    assert Pure(1) < Pure(2) <= Pure(2)
    assert Pure(2) > Pure(1)
    assert not Approximate(1, 0.1) <= Approximate(2, 0.01)
    assert not Approximate(2, 0.01) <= Approximate(1, 0.1)
    assert Approximate(1, 0.01) < Approximate(1, 0.1)
    assert Pure(1) != ZCDP(1)
    assert len({Pure(1), Pure("1.0"), ZCDP(1)}) == 2


def test_kinds_do_not_mix() -> None:
    for operation in (
        lambda: Pure(1) + ZCDP(1),
        lambda: Pure(1) < ZCDP(1),
        lambda: GDP(1) - Pure(1),
        lambda: Pure(1) >= GDP(1),
    ):
        with pytest.raises(BudgetError, match="not of one kind"):
            operation()


def test_overdraft_prints_requested_remaining_difference() -> None:
    with pytest.raises(BudgetError) as caught:
        Pure(0.5) - Pure(0.75)
    for text in ("Requested Pure(epsilon=0.75)", "remaining Pure(epsilon=0.5)", "epsilon -0.25"):
        assert text in str(caught.value)
    with pytest.raises(BudgetError, match=r"difference epsilon 0, delta -0\.1: that is more"):
        Approximate(1, 0.1) - Approximate(1, 0.2)


@pytest.mark.parametrize("kind", [Pure, GDP, ZCDP])
def test_nothing_left_is_a_budget(kind: type[Any]) -> None:
    nothing = kind(1) - kind(1)
    assert nothing == kind(0) < kind(1)
    assert not nothing
    assert kind(1)
    assert nothing + kind(1) == kind(1) == kind(1) - nothing
    assert nothing.split(1, 2) == (nothing, nothing)
    assert budget_from_json(nothing.to_json()) == nothing == eval(repr(nothing))
    with pytest.raises(BudgetError, match=r"must be greater than 0 to release anything.* = 0\b"):
        nothing.spendable()
    assert kind(1).spendable() == kind(1)
    with pytest.raises(BudgetError, match="negative"):
        kind.from_parts(Fraction(-1))


def test_either_part_of_approximate_may_be_used_up() -> None:
    whole = Approximate(1, 1e-6)
    assert whole - Approximate(0, 1e-6) == Approximate(1, 0)
    assert whole - Approximate(1, 0) == Approximate(0, 1e-6)
    for rest in (Approximate(1, 0), Approximate(0, 1e-6)):
        assert rest
        with pytest.raises(BudgetError, match="to release anything"):
            rest.spendable()
    assert not whole - whole


@pytest.mark.parametrize("times", [0, -1, 1.5, True])
def test_only_whole_multiples(times: object) -> None:
    with pytest.raises(BudgetError, match="whole number"):
        Pure(1) * times  # type: ignore[operator]


@pytest.mark.parametrize("data", [{}, {"kind": "x"}, {"kind": "pure", "rho": "1"}, {"kind": "gdp"}])
def test_json_that_is_no_budget(data: dict[str, str]) -> None:
    with pytest.raises(BudgetError):
        budget_from_json(data)


@settings(deadline=None)
@given(budgets)
def test_describe_is_one_sentence_with_the_number(budget: Budget) -> None:
    text = budget.describe()
    number = {"pure": "epsilon", "approximate": "epsilon", "gdp": "mu", "zcdp": "rho"}[budget.kind]
    assert f"{getattr(budget, number):.6g}" in text
    assert text.endswith(".")


@pytest.mark.parametrize(
    "text",
    [
        *("1e400", "1e-900", "1e999999999", "1e-999999999"),
        *("1e-300_9223372036854775808", "1" * 5000, "1/" + "3" * 5000),
        *(10**400, 10**5000, Fraction(1, 10**5000), Decimal("1e999999")),
    ],
    ids=lambda number: type(number).__name__,
)
def test_numbers_out_of_all_proportion_are_refused_at_once(text):
    for make in (Pure, GDP, ZCDP, lambda delta: Approximate(1, delta)):
        with pytest.raises(BudgetError) as caught:
            make(text)
        assert len(str(caught.value)) < 200
