"""Calibration of Gaussian noise: which mu = sensitivity/sigma a budget allows.

Formulas and proofs: docs/theory/gaussian-calibration.md. Every mu is rounded down and every sigma
up, with the last decision in interval arithmetic.
"""

import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Literal, TypeAlias

from geomdp.errors import BudgetError
from geomdp.intervals import Interval, interval, largest, precision, round_down, round_up, surely
from geomdp.privacy.base import Budget
from geomdp.privacy.budgets import GDP, ZCDP, Approximate
from geomdp.privacy.exact import Number, exact_sqrt, read_delta, read_number, read_positive

#: How an (epsilon, delta) budget becomes a noise scale; ``analytic`` is exact, the others papers'.
GaussianFormula: TypeAlias = Literal["analytic", "classical", "mirshani"]

#: Smallest normal float.
SMALLEST = sys.float_info.min


def delta_of_epsilon(mu: Number, epsilon: Number) -> float:
    """Exact delta of the Gaussian mechanism at ``epsilon``, rounded up.

    ``Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu)``, with as many bits as the
    cancellation of the two terms needs.

    Parameters
    ----------
    mu
        Sensitivity divided by the standard deviation of the noise.
    epsilon
        Any real number that is not negative.

    Examples
    --------
    >>> delta_of_epsilon(1, 1)
    0.1269367375067
    """
    ratio, loss = read_positive(mu, "mu"), read_number(epsilon, "epsilon")
    if loss < 0:
        raise BudgetError(f"epsilon must not be negative, not {epsilon}.")
    bits = 128
    while True:
        with precision(bits):
            delta = gaussian_profile(interval(ratio), interval(loss))
            if delta < SMALLEST:  # below every float: round up to the smallest one
                return SMALLEST
            if delta > 0 and delta.rel_accuracy_bits() > 53:
                return float(round_up(delta))
        bits *= 2


def gaussian_profile(mu: Interval, epsilon: Interval) -> Interval:
    """Delta of the Gaussian mechanism as an interval: formula (1) of the proof page."""
    shift = epsilon / mu
    return normal_cdf(mu / 2 - shift) - epsilon.exp() * normal_cdf(-mu / 2 - shift)


def normal_cdf(x: Interval) -> Interval:
    """Distribution function of N(0, 1), accurate in the lower tail."""
    return (-x / interval(2).sqrt()).erfc() / 2


def analytic_mu(epsilon: Number, delta: Number) -> float:
    """Largest mu whose Gaussian mechanism is (epsilon, delta)-private, rounded down.

    Examples
    --------
    >>> analytic_mu(1, 1e-5)
    0.2680511232112
    """
    loss, failure = read_positive(epsilon, "epsilon"), read_delta(delta)
    return float(largest_private_mu(loss, lambda: interval(failure)))


def largest_private_mu(epsilon: Fraction, delta: Callable[[], Interval]) -> Fraction:
    """Largest mu with ``gaussian_profile(mu, epsilon) <= delta``, rounded down.

    ``delta`` is asked for anew at each precision. The profile increases in mu, so bisection finds
    the limit, and each step is decided with proof.
    """
    return largest(
        lambda mu: surely(lambda: (gaussian_profile(interval(mu), interval(epsilon)), delta())),
        start=Fraction(1),
    )


def analytic_sigma(sensitivity: float, epsilon: Number, delta: Number) -> float:
    """Smallest Gaussian standard deviation that is (epsilon, delta)-private, rounded up.

    Parameters
    ----------
    sensitivity
        How far one record can move the statistic; a float is taken at its binary value.
    epsilon, delta
        The budget; a float is read as the decimal it prints as.

    Examples
    --------
    >>> analytic_sigma(1.0, 1, 1e-5)
    3.730631634818
    """
    return sigma_for(sensitivity, analytic_mu(epsilon, delta))


def classical_sigma(sensitivity: float, epsilon: Number, delta: Number) -> float:
    """Textbook standard deviation ``sensitivity sqrt(2 ln(1.25/delta))/epsilon``, rounded up.

    Raises
    ------
    BudgetError
        At epsilon >= 1, where the textbook formula is not private in general.

    Examples
    --------
    >>> classical_sigma(1.0, 0.5, 1e-5)
    9.689610525215
    """
    return sigma_for(sensitivity, gaussian_mu(Approximate(epsilon, delta), "classical"))


def sigma_for(sensitivity: float, mu: float) -> float:
    """Give the standard deviation ``sensitivity/mu``, rounded up.

    Examples
    --------
    >>> sigma_for(1.0, 0.5)
    2.0
    """
    size = Fraction(sensitivity) if 0 < sensitivity < float("inf") else Fraction(0)
    if size <= 0:
        raise BudgetError(f"The sensitivity must be positive and finite, not {sensitivity}.")
    sigma = round_up(size / read_positive(mu, "mu"))
    if sigma > Fraction(sys.float_info.max):
        raise BudgetError(f"A mu of {mu:g} needs more noise than floats can hold; ask for more.")
    return float(sigma)


def gaussian_mu(budget: Budget, formula: GaussianFormula = "analytic") -> float:
    """Largest mu = sensitivity/sigma that a budget allows Gaussian noise, rounded down.

    Parameters
    ----------
    budget
        ``GDP`` (its mu), ``ZCDP`` (``sqrt(2 rho)``) or ``Approximate``.
    formula
        For an ``Approximate`` budget only: ``"analytic"`` is the exact one; ``"classical"`` the
        textbook's (epsilon < 1); ``"mirshani"`` that of Theorem A.2 in paper 4 (epsilon <= 1, and
        with sigma squared where the paper prints sigma).

    Examples
    --------
    >>> gaussian_mu(ZCDP(0.5)), gaussian_mu(Approximate(0.5, 1e-5), "mirshani")
    (1.0, 0.1011968586412)
    """
    if isinstance(budget, GDP):
        return _root_down(budget.spendable().parts[0])
    if isinstance(budget, ZCDP):
        return _root_down(2 * budget.spendable().parts[0])
    if not budget.has_delta:
        raise BudgetError(
            f"Gaussian noise cannot meet {budget.words()}, since its privacy loss is unbounded; "
            "ask for GDP, ZCDP or Approximate, or use a Laplace mechanism."
        )
    epsilon, delta = budget.spendable().parts
    if formula == "analytic":
        return analytic_mu(epsilon, delta)
    return _textbook_mu(epsilon, delta, formula)


def _textbook_mu(epsilon: Fraction, delta: Fraction, formula: str) -> float:
    """``epsilon/sqrt(2 ln(c/delta))``, c = 5/4 (classical) or 2 (Mirshani et al.), rounded down."""
    if formula not in ("classical", "mirshani"):
        raise BudgetError(
            f"The formula must be 'analytic', 'classical' or 'mirshani', not {formula!r}."
        )
    classical = formula == "classical"
    if epsilon > 1 or (classical and epsilon == 1):
        limit = "epsilon < 1" if classical else "epsilon <= 1"
        raise BudgetError(
            f"The {formula} formula is proved for {limit} only, not at {float(epsilon):g}; "
            "use gaussian='analytic'."
        )
    with precision(128):
        log = (interval(Fraction(5, 4) if classical else Fraction(2)) / interval(delta)).log()
        return float(round_down(interval(epsilon) / (2 * log).sqrt()))


def _root_down(square: Fraction) -> float:
    root = exact_sqrt(square)
    with precision(128):
        return float(round_down(interval(square).sqrt() if root is None else root))
