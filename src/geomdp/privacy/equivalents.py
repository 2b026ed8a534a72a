"""Epsilon and delta beside every mu and rho, so that promises of all kinds can be compared."""

from fractions import Fraction
from math import floor, log10

from geomdp.privacy.base import Budget
from geomdp.privacy.budgets import Approximate
from geomdp.privacy.conversion import convert
from geomdp.privacy.exact import short_text

#: No delta that is shown beside a mu is larger.
LARGEST_DELTA = Fraction(1, 10**6)
#: A delta must stay this many times below one person in n.
FAR_BELOW = 10


def usual_delta(n: int) -> Fraction:
    """Return the power of ten at which promises to n units are compared: far below ``1/n``.

    >>> usual_delta(300), usual_delta(10**7)
    (Fraction(1, 1000000), Fraction(1, 100000000))
    """
    return min(LARGEST_DELTA, Fraction(1, 10 ** (1 - floor(-log10(n)))))


def as_epsilon(budget: Budget, n: int) -> Budget:
    """Return a mu or rho as an epsilon at the usual delta, rounded up; other budgets as they are.

    >>> from geomdp.privacy import GDP, Pure
    >>> round(as_epsilon(GDP(1), 300).epsilon, 2), as_epsilon(Pure(1), 300)
    (4.89, Pure(epsilon=1))
    """
    return budget if budget.has_epsilon else convert(budget, Approximate, usual_delta(n))


def budget_words(budget: Budget, n: int) -> str:
    """Name a budget to people, and beside a mu or rho the epsilon and delta that it implies.

    >>> from geomdp.privacy import GDP, Pure
    >>> budget_words(Pure(1), 300), budget_words(GDP(1), 300)
    ('ε = 1, pure', 'μ = 1 (Gaussian; ε = 4.89 at δ = 1e-6)')
    """
    same = as_epsilon(budget, n)
    if same is budget:
        return budget.words()
    beside = f"ε = {same.number:.3g} at δ = {short_text(same.parts[1])}"
    return f"{budget.words().removesuffix(')')}; {beside})"
