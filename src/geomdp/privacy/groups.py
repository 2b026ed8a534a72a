"""Group privacy: what a promise about one record means for a person with up to k records.

Formulas and proofs: docs/theory/composition.md, "Groups". The maximum k is public.
"""

from fractions import Fraction

from geomdp.errors import BudgetError
from geomdp.intervals import Interval, interval, precision, round_down, round_up
from geomdp.privacy.base import Budget
from geomdp.privacy.budgets import Approximate
from geomdp.privacy.exact import read_count


def group(budget: Budget, k: int) -> Budget:
    """State a budget per record as one per person of at most ``k`` records, rounded up.

    Examples
    --------
    >>> from geomdp.privacy import ZCDP, Pure
    >>> group(Pure(0.1), 3), group(ZCDP(0.1), 3)
    (Pure(epsilon=0.3), ZCDP(rho=0.9))
    """
    count = read_count(k, "k")
    if not budget.has_delta:
        return budget.from_parts(budget.parts[0] * count**budget.group_power)
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
    >>> from geomdp.privacy import GDP
    >>> per_record(GDP(1), 4)
    GDP(mu=0.25)
    """
    count = read_count(k, "k")
    if not budget.has_delta:
        return budget.from_parts(budget.parts[0] / count**budget.group_power)
    epsilon, delta = budget.parts
    if count == 1:
        return budget
    with precision(128):
        share = round_down(interval(delta) / _growth(epsilon / count, count))
    return Approximate.from_parts(epsilon / count, share)


def _growth(epsilon: Fraction, k: int) -> Interval:
    """``1 + e^epsilon + ... + e^{(k-1) epsilon}``, the factor on delta."""
    if not epsilon:
        return interval(k)
    return interval(k * epsilon).expm1() / interval(epsilon).expm1()
