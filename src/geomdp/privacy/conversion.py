"""Conversion between kinds of budget, where it is valid: a promise of one kind as one of another.

Formulas and proofs: docs/theory/composition.md. Results are rounded up: the converted budget
is always a weaker promise than the one given.
"""

from fractions import Fraction
from typing import TypeVar, cast

import flint

from geomdp.errors import BudgetError
from geomdp.privacy.base import Budget
from geomdp.privacy.budgets import GDP, ZCDP, Approximate, Pure
from geomdp.privacy.certified import Ball, ball, round_up, smallest, surely
from geomdp.privacy.exact import Number, read_delta
from geomdp.privacy.gaussian import gaussian_profile, normal_cdf

Kind = TypeVar("Kind", bound=Budget)

#: Smallest epsilon a conversion returns: (0, delta) has no budget of its own here.
LEAST_EPSILON = Fraction(1, 10**9)

_REASONS = {
    (Approximate, Pure): "with probability delta anything may happen",
    (GDP, Pure): "its privacy loss is unbounded",
    (ZCDP, Pure): "its privacy loss is unbounded",
    (Approximate, GDP): "with probability delta anything may happen",
    (
        ZCDP,
        GDP,
    ): "mu = sqrt(2 rho) does not follow from it",
    (Approximate, ZCDP): "with probability delta anything may happen",
}


def convert(budget: Budget, kind: type[Kind], delta: Number | None = None) -> Kind:
    """State a budget's promise as one of another kind.

    Parameters
    ----------
    budget
        What was promised.
    kind
        The class asked for: ``Pure``, ``Approximate``, ``GDP`` or ``ZCDP``.
    delta
        The failure probability, needed to convert to ``Approximate`` and only there.

    Returns
    -------
    A budget of that kind that every mechanism within ``budget`` satisfies, rounded up.

    Raises
    ------
    BudgetError
        Where no such promise follows (for example from ``Approximate`` to ``Pure``).

    Examples
    --------
    >>> convert(Pure(1), GDP)
    GDP(mu=1.232035385345)
    >>> convert(GDP(1), Approximate, delta=1e-6)
    Approximate(epsilon=4.886554117463, delta=0.000001)
    """
    if (delta is not None) is not (kind is Approximate) and type(budget) is not kind:
        raise BudgetError(
            f"delta is needed to convert to Approximate and nowhere else; converting {budget!r} to "
            f"{kind.__name__} got delta={delta}."
        )
    reason = _REASONS.get((type(budget), kind))
    if reason is not None:
        raise BudgetError(f"{budget!r} cannot be stated as {kind.__name__}, since {reason}.")
    if kind is Approximate and delta is not None:
        return cast(Kind, _to_approximate(budget, read_delta(delta)))
    if isinstance(budget, kind):
        return budget
    if kind is GDP:
        return cast(Kind, _pure_to_gdp(budget.parts[0]))
    # The square of epsilon (Pure) or mu itself squared (GDP), halved, is rho: exact.
    square = budget.parts[0] ** 2 if isinstance(budget, Pure) else budget.parts[0]
    return cast(Kind, ZCDP.from_parts(square / 2))


def _to_approximate(budget: Budget, delta: Fraction) -> Approximate:
    if isinstance(budget, Approximate):
        if budget.parts[1] > delta:
            raise BudgetError(
                f"{budget!r} cannot be stated with the smaller delta {float(delta):g}; ask for at "
                f"least its own."
            )
        return Approximate.from_parts(budget.parts[0], delta)
    if isinstance(budget, Pure):
        return Approximate.from_parts(budget.parts[0], delta)
    square = budget.parts[0]
    epsilon = (
        _gdp_epsilon(square, delta) if isinstance(budget, GDP) else _zcdp_epsilon(square, delta)
    )
    return Approximate.from_parts(max(epsilon, LEAST_EPSILON), delta)


def _pure_to_gdp(epsilon: Fraction) -> GDP:
    """``mu = -2 Phi^{-1}(1/(1 + e^epsilon))``: randomised response is the worst case."""

    def enough(mu: Fraction) -> bool:
        return surely(lambda: (normal_cdf(-ball(mu) / 2), 1 / (1 + ball(epsilon).exp())))

    return GDP(smallest(enough, start=Fraction(1)))


def _gdp_epsilon(mu_squared: Fraction, delta: Fraction) -> Fraction:
    """Smallest epsilon with ``gaussian_profile(mu, epsilon) <= delta``, rounded up."""

    def enough(epsilon: Fraction) -> bool:
        return surely(
            lambda: (gaussian_profile(ball(mu_squared).sqrt(), ball(epsilon)), ball(delta))
        )

    # Where delta alone covers everything no smallest positive epsilon exists.
    return LEAST_EPSILON if enough(LEAST_EPSILON) else smallest(enough, start=Fraction(1))


def _zcdp_epsilon(rho: Fraction, delta: Fraction) -> Fraction:
    """Epsilon by the Renyi order that serves best; every order is valid, so only it is a float."""
    from scipy.optimize import minimize_scalar

    def objective(log_excess: float) -> float:
        order = Fraction(2.0**log_excess) + 1
        with flint.ctx.workprec(128):
            return float(_renyi_epsilon(order, rho, delta).mid())

    best = minimize_scalar(
        objective, bounds=(-40.0, 60.0), method="bounded", options={"xatol": 1e-9}
    )
    with flint.ctx.workprec(256):
        epsilon = _renyi_epsilon(Fraction(2.0**best.x) + 1, rho, delta)
        return round_up(epsilon) if epsilon > 0 else LEAST_EPSILON


def _renyi_epsilon(order: Fraction, rho: Fraction, delta: Fraction) -> Ball:
    """Epsilon at one Renyi order as a ball: formula (2) of docs/theory/composition.md."""
    a = ball(order)
    return a * ball(rho) - (a * ball(delta)).log() / (a - 1) + (1 - 1 / a).log()
