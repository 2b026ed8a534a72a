"""Composition: what several releases on the same records promise together, across kinds.

Rules and proofs: docs/theory/composition.md. Closed forms are exact or rounded up in interval
arithmetic; where they end, the privacy loss distributions of dp-accounting take over
(:mod:`geomdp.privacy.accounting`).
"""

from collections.abc import Callable, Sequence
from fractions import Fraction

from geomdp.errors import BudgetError
from geomdp.privacy.accounting import accountant_epsilon
from geomdp.privacy.base import Budget
from geomdp.privacy.budgets import GDP, ZCDP, Approximate, Pure
from geomdp.privacy.conversion import convert
from geomdp.privacy.exact import Number, exact_text, read_delta


def compose(budgets: Sequence[Budget], delta: Number | None = None) -> Budget:
    """Compose budgets of any kinds into one that covers them all.

    Parameters
    ----------
    budgets
        What each release may cost, on the same records.
    delta
        Where given, the result is ``Approximate`` with this delta and the smallest epsilon that
        any valid route gives. Needed where ``Approximate`` meets ``GDP`` or ``ZCDP``.

    Returns
    -------
    One kind alone keeps its kind, exactly; ``Pure`` with ``Approximate`` adds up to
    ``Approximate``; ``Pure`` with ``GDP`` becomes ``GDP``; anything with ``ZCDP`` becomes ``ZCDP``.

    Examples
    --------
    >>> compose([Pure(0.1)] * 10)
    Pure(epsilon=1)
    >>> compose([Pure(1), GDP(1)])
    GDP(mu='sqrt(2.517911190742202640769025)')
    >>> compose([GDP(1), Approximate(1, 1e-7)], delta=1e-6)  # doctest: +ELLIPSIS
    Approximate(epsilon=5.8..., delta=0.000001)
    """
    if not budgets:
        raise BudgetError("There is nothing to compose; give at least one budget.")
    if delta is not None:
        return _compose_at(budgets, read_delta(delta))
    kinds = {type(budget) for budget in budgets}
    if len(kinds) == 1:
        return _total(budgets)
    if Approximate not in kinds:
        kind = ZCDP if ZCDP in kinds else GDP
        return _total([convert(budget, kind) for budget in budgets])
    if kinds == {Pure, Approximate}:
        return Approximate.from_parts(*_basic(budgets))
    raise BudgetError(
        "Approximate budgets compose with GDP or ZCDP ones only at a delta for the whole; "
        "give compose(..., delta=...)."
    )


def _total(budgets: Sequence[Budget]) -> Budget:
    return sum(budgets[1:], start=budgets[0])


def _basic(budgets: Sequence[Budget]) -> tuple[Fraction, Fraction]:
    """Add up epsilon and delta over the Pure and the Approximate budgets."""
    plain = [budget.parts for budget in budgets if budget.has_epsilon]
    epsilon = sum((parts[0] for parts in plain), Fraction(0))
    return epsilon, sum((part for parts in plain for part in parts[1:]), Fraction(0))


def _compose_at(budgets: Sequence[Budget], delta: Fraction) -> Approximate:
    """Best epsilon at ``delta`` over all valid routes."""
    routes: list[Callable[[Sequence[Budget], Fraction], Fraction | None]] = [
        _by_sums,
        lambda b, d: _by_kind(b, d, GDP),
        lambda b, d: _by_kind(b, d, ZCDP),
        accountant_epsilon,
    ]
    found = [epsilon for route in routes if (epsilon := route(budgets, delta)) is not None]
    if not found:
        raise BudgetError(
            f"No epsilon goes with delta {exact_text(delta)} here: it must exceed the sum of the "
            f"deltas already promised, {exact_text(_basic(budgets)[1])}."
        )
    return Approximate.from_parts(min(found), delta)


def _by_sums(budgets: Sequence[Budget], delta: Fraction) -> Fraction | None:
    """Compose by plain sums, where every budget is Pure or Approximate."""
    if not all(budget.has_epsilon for budget in budgets):
        return None
    epsilon, promised = _basic(budgets)
    return epsilon if promised <= delta else None


def _by_kind(
    budgets: Sequence[Budget], delta: Fraction, kind: type[GDP] | type[ZCDP]
) -> Fraction | None:
    """All but the Approximate budgets in one kind, converted at the delta the others leave."""
    rest = [budget for budget in budgets if budget.has_delta]
    curves = [budget for budget in budgets if not budget.has_delta]
    epsilon, promised = _basic(rest)
    impossible = kind is GDP and any(isinstance(budget, ZCDP) for budget in curves)
    if not curves or impossible or promised >= delta:
        return None
    total = _total([convert(budget, kind) for budget in curves])
    return epsilon + convert(total, Approximate, delta=delta - promised).parts[0]
