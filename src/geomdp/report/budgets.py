"""A ladder of budgets around a plan's own, and the number that a budget is known by."""

from collections.abc import Sequence
from fractions import Fraction

from geomdp.errors import GeomdpError
from geomdp.privacy import Budget

#: Steps of the ladder.
FACTORS = tuple(Fraction(text) for text in ("1/10", "1/5", "1/2", "1", "2", "5", "10"))


def ladder(budget: Budget) -> list[Budget]:
    """Return budgets of one kind whose leading number is up to ten times smaller or larger.

    >>> from geomdp.privacy import GDP
    >>> [round(step.mu, 3) for step in ladder(GDP(1))][:3]
    [0.1, 0.2, 0.5]
    """
    return [budget.scaled(factor) for factor in FACTORS]


def in_order(budgets: Sequence[Budget]) -> list[Budget]:
    """Return budgets of one kind from the smallest; refuse a mixture.

    >>> from geomdp.privacy import Pure
    >>> in_order([Pure(2), Pure(1)])
    [Pure(epsilon=1), Pure(epsilon=2)]
    """
    if len({type(budget) for budget in budgets}) > 1:
        raise GeomdpError("A plan page compares budgets of one kind; make one page a kind.")
    return sorted(budgets, key=lambda budget: budget.number)


def name_of(budget: Budget) -> str:
    """Return what that number is called.

    >>> from geomdp.privacy import Approximate
    >>> name_of(Approximate(1, 1e-6))
    'epsilon (delta = 1e-06)'
    """
    beside = f" (delta = {float(budget.parts[1]):g})" if budget.has_delta else ""
    return f"{budget.number_name}{beside}"
