"""A ladder of budgets around a plan's own, and the number that a budget is known by."""

from collections.abc import Sequence
from fractions import Fraction

from geomdp.errors import GeomdpError
from geomdp.privacy import GDP, ZCDP, Approximate, Budget, Pure

#: Steps of the ladder.
FACTORS = tuple(Fraction(text) for text in ("1/10", "1/5", "1/2", "1", "2", "5", "10"))


def ladder(budget: Budget) -> list[Budget]:
    """Return budgets of one kind whose leading number is up to ten times smaller or larger.

    >>> [round(step.mu, 3) for step in ladder(GDP(1))][:3]
    [0.1, 0.2, 0.5]
    """
    if isinstance(budget, Approximate):
        epsilon, delta = budget.parts
        return [Approximate.from_parts(factor * epsilon, delta) for factor in FACTORS]
    power = 2 if isinstance(budget, GDP) else 1  # GDP holds the square of mu
    return [budget.from_parts(factor**power * budget.parts[0]) for factor in FACTORS]


def in_order(budgets: Sequence[Budget]) -> list[Budget]:
    """Return budgets of one kind from the smallest; refuse a mixture.

    >>> in_order([Pure(2), Pure(1)])
    [Pure(epsilon=1), Pure(epsilon=2)]
    """
    if len({type(budget) for budget in budgets}) > 1:
        raise GeomdpError("A plan page compares budgets of one kind; make one page a kind.")
    return sorted(budgets, key=number_of)


def number_of(budget: Budget) -> float:
    """Return the number that a budget is known by.

    >>> number_of(GDP("0.5"))
    0.5
    """
    match budget:
        case Pure() | Approximate():
            return budget.epsilon
        case GDP():
            return budget.mu
        case ZCDP():
            return budget.rho
    raise TypeError(f"No number stands for {type(budget).__name__}.")


def name_of(budget: Budget) -> str:
    """Return what that number is called.

    >>> name_of(Approximate(1, 1e-6))
    'epsilon (delta = 1e-06)'
    """
    names = {Pure: "epsilon", GDP: "mu", ZCDP: "rho"}
    if isinstance(budget, Approximate):
        return f"epsilon (delta = {budget.delta:g})"
    return names[type(budget)]
