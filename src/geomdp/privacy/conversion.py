"""Conversion between kinds of budget, where it is valid: a promise of one kind as one of another.

Formulas and proofs: docs/theory/composition.md. Results are rounded up: the converted budget
is always a weaker promise than the one given.
"""

from fractions import Fraction
from functools import lru_cache
from typing import TypeVar, cast

from geomdp.errors import BudgetError
from geomdp.intervals import Interval, interval, precision, round_up, smallest, surely
from geomdp.privacy.base import Budget
from geomdp.privacy.budgets import GDP, ZCDP, Approximate, Pure
from geomdp.privacy.exact import Number, read_failure
from geomdp.privacy.gaussian import gaussian_profile, normal_cdf

Kind = TypeVar("Kind", bound=Budget)


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
    budget = _simplest(budget, kind)
    if (delta is not None) is not (kind is Approximate) and type(budget) is not kind:
        raise BudgetError(
            f"delta is needed to convert to Approximate and nowhere else; converting {budget!r} to "
            f"{kind.__name__} got delta={delta}."
        )
    if reason := _reason(budget, kind):
        raise BudgetError(f"{budget!r} cannot be stated as {kind.__name__}, since {reason}.")
    if kind is Approximate and delta is not None:
        return cast(Kind, _to_approximate(budget, read_failure(delta)))
    if isinstance(budget, kind):
        return budget
    part = budget.parts[0]
    if kind is GDP:
        return cast(Kind, GDP.from_parts(pure_mu_squared(part)))
    rho = pure_rho(part) if budget.is_pure else part / 2  # of GDP: mu squared, halved
    return cast(Kind, ZCDP.from_parts(rho))


def implies(budget: Budget, other: Budget) -> bool:
    """Tell whether every mechanism within ``budget`` keeps the promise ``other``.

    Curves are compared at the other's own epsilon, so that no rounding of a result decides.

    Examples
    --------
    >>> implies(GDP(1), Approximate(5, 1e-6)), implies(GDP(1), Approximate(4, 1e-6))
    (True, False)
    """
    if other.has_delta and budget and not budget.has_epsilon:
        enough = _gdp_enough if isinstance(budget, GDP) else _zcdp_enough
        return other.parts[1] > 0 and enough(budget.parts[0], *other.parts)
    delta = other.parts[1] if other.has_delta else None
    try:
        return convert(budget, type(other), delta) <= other
    except BudgetError:
        return False


def _reason(budget: Budget, kind: type[Budget]) -> str:
    """Say why a budget states nothing of a kind; empty where it does."""
    if budget.has_delta and not kind.has_delta:
        return "with probability delta anything may happen"
    if kind is Pure and not budget.has_epsilon:
        return "its privacy loss is unbounded"
    follows = not (kind is GDP and type(budget) is ZCDP)
    return "" if follows else "mu = sqrt(2 rho) does not follow from it"


def _simplest(budget: Budget, kind: type[Budget]) -> Budget:
    """Restate what converts to every kind: a zero budget, and one whose delta is 0."""
    if not budget and kind is not Approximate:
        return kind.from_parts(*[Fraction(0) for _ in kind.part_names])
    if budget.has_delta and not budget.parts[1] and not kind.has_delta:
        return Pure.from_parts(budget.parts[0])
    return budget


def _to_approximate(budget: Budget, delta: Fraction) -> Approximate:
    if budget.has_delta:
        if budget.parts[1] > delta:
            raise BudgetError(
                f"{budget!r} cannot be stated with the smaller delta {float(delta):g}; ask for at "
                f"least its own."
            )
        return Approximate.from_parts(budget.parts[0], delta)
    part = budget.parts[0]
    if budget.is_pure or not part:
        return Approximate.from_parts(part, delta)
    if not delta:
        raise BudgetError(f"{budget!r} needs a delta above 0, since its privacy loss is unbounded.")
    epsilon = _gdp_epsilon(part, delta) if isinstance(budget, GDP) else _zcdp_epsilon(part, delta)
    return Approximate.from_parts(epsilon, delta)


@lru_cache(maxsize=1024)
def pure_mu_squared(epsilon: Fraction) -> Fraction:
    """Square of the mu that pure privacy implies, rounded up.

    ``mu = -2 Phi^{-1}(1/(1 + e^epsilon))``: randomised response is the worst case. A privacy loss
    of bounded range ``epsilon`` has the mu of ``epsilon/2``
    (docs/theory/composition.md, "Bounded range").
    """

    def enough(mu: Fraction) -> bool:
        return surely(lambda: (normal_cdf(-interval(mu) / 2), 1 / (1 + interval(epsilon).exp())))

    return smallest(enough, start=Fraction(1)) ** 2 if epsilon else Fraction(0)


def pure_rho(epsilon: Fraction) -> Fraction:
    """Smallest rho that pure privacy implies, ``epsilon tanh(epsilon/2)``, rounded up."""
    with precision(128):
        tight = round_up(interval(epsilon) * (interval(epsilon) / 2).tanh())
    return min(tight, epsilon**2 / 2)  # the textbook's, which is exact, where rounding costs more


def bounded_range_rho(epsilon: Fraction) -> Fraction:
    """Smallest rho that a bounded range implies, rounded up.

    ``x - 1 - log x`` with ``x = epsilon / (e**epsilon - 1)``: docs/theory/composition.md, "Bounded
    range".
    """
    if not epsilon:
        return Fraction(0)
    with precision(128):
        whole = interval(epsilon)
        left = -(-whole).expm1()  # 1 - e^-epsilon, also where e^epsilon has no number
        x = whole * (-whole).exp() / left
        tight = round_up(x - 1 + whole + (left / whole).log())
    return min(tight, epsilon**2 / 8)  # Hoeffding's, which is exact, where rounding costs more


def _gdp_enough(mu_squared: Fraction, epsilon: Fraction, delta: Fraction) -> bool:
    """Tell whether ``gaussian_profile(mu, epsilon) <= delta`` for sure."""
    return surely(
        lambda: (gaussian_profile(interval(mu_squared).sqrt(), interval(epsilon)), interval(delta))
    )


def _gdp_epsilon(mu_squared: Fraction, delta: Fraction) -> Fraction:
    """Smallest epsilon with ``gaussian_profile(mu, epsilon) <= delta``, rounded up."""

    def enough(epsilon: Fraction) -> bool:
        return _gdp_enough(mu_squared, epsilon, delta)

    # Where delta alone covers everything no smallest positive epsilon exists.
    return Fraction(0) if enough(Fraction(0)) else smallest(enough, start=Fraction(1))


def _zcdp_enough(rho: Fraction, epsilon: Fraction, delta: Fraction) -> bool:
    """Tell whether some Renyi order proves (epsilon, delta)-privacy."""
    order = _best_order(rho, delta)
    return surely(lambda: (_renyi_epsilon(order, rho, delta), interval(epsilon)))


def _zcdp_epsilon(rho: Fraction, delta: Fraction) -> Fraction:
    """Epsilon by the Renyi order that serves best, rounded up."""
    with precision(256):
        epsilon = _renyi_epsilon(_best_order(rho, delta), rho, delta)
        return round_up(epsilon) if epsilon > 0 else Fraction(0)


def _best_order(rho: Fraction, delta: Fraction) -> Fraction:
    """Renyi order that serves best; every order is valid, so it may be searched in floats."""
    from scipy.optimize import minimize_scalar

    def objective(log_excess: float) -> float:
        order = Fraction(2.0**log_excess) + 1
        with precision(128):
            return float(_renyi_epsilon(order, rho, delta).mid())

    best = minimize_scalar(
        objective, bounds=(-40.0, 60.0), method="bounded", options={"xatol": 1e-9}
    )
    return Fraction(2.0**best.x) + 1


def _renyi_epsilon(order: Fraction, rho: Fraction, delta: Fraction) -> Interval:
    """Epsilon at one Renyi order as an interval: formula (2) of docs/theory/composition.md."""
    a = interval(order)
    return a * interval(rho) - (a * interval(delta)).log() / (a - 1) + (1 - 1 / a).log()
