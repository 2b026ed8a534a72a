"""Group privacy: what a promise about one record means for a person with up to k records.

Formulas and proofs: docs/theory/composition.md, "Groups". The maximum k is public.
"""

from fractions import Fraction

from geomdp.errors import BudgetError
from geomdp.intervals import Interval, interval, precision, round_down, round_up
from geomdp.privacy.base import Budget
from geomdp.privacy.budgets import GDP, ZCDP, Approximate
from geomdp.privacy.exact import read_count


def group(budget: Budget, k: int) -> Budget:
    """State a budget per record as one per person of at most ``k`` records, rounded up.

    Examples
    --------
    >>> from geomdp.privacy import Pure
    >>> group(Pure(0.1), 3), group(ZCDP(0.1), 3)
    (Pure(epsilon=0.3), ZCDP(rho=0.9))
    """
    count = read_count(k, "k")
    if not isinstance(budget, Approximate):
        return budget.from_parts(budget.parts[0] * count ** _power(budget))
    epsilon, delta = budget.parts
    if count == 1:
        return budget
    with precision(128):
        total = round_up(interval(delta) * _growth(epsilon, count))
    if total >= 1:
        raise BudgetError(
            f"{budget!r} promises nothing for a person of {count} records, since delta would reach "
            f"{float(total):.3g}; use a smaller delta or fewer records per person."
        )
    return Approximate.from_parts(count * epsilon, total)


def per_record(budget: Budget, k: int) -> Budget:
    """Give the budget per record that keeps a person of at most ``k`` records within ``budget``.

    The inverse of :func:`group`, rounded down.

    Examples
    --------
    >>> per_record(GDP(1), 4)
    GDP(mu=0.25)
    """
    count = read_count(k, "k")
    if not isinstance(budget, Approximate):
        return budget.from_parts(budget.parts[0] / count ** _power(budget))
    epsilon, delta = budget.parts
    if count == 1:
        return budget
    with precision(128):
        share = round_down(interval(delta) / _growth(epsilon / count, count))
    return Approximate.from_parts(epsilon / count, share)


def _power(budget: Budget) -> int:
    """Power of k by which the part of a one-part budget grows (GDP holds mu squared)."""
    return 2 if isinstance(budget, GDP | ZCDP) else 1


def _growth(epsilon: Fraction, k: int) -> Interval:
    """``1 + e^epsilon + ... + e^{(k-1) epsilon}``, the factor on delta."""
    if not epsilon:
        return interval(k)
    return interval(k * epsilon).expm1() / interval(epsilon).expm1()
