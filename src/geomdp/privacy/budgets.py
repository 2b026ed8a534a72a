"""Budgets: small exact values that say how much privacy a release may cost.

Each kind holds *parts*, the exact numbers that add up when releases are composed (epsilon for
:class:`Pure`, epsilon and delta for :class:`Approximate`, mu squared for :class:`GDP`, rho for
:class:`ZCDP`), so that sums, splits and differences are exact. The proofs that they add up are in
docs/theory/composition.md; the kinds are those of Dwork and Roth (doi:10.1561/0400000042), Dong,
Roth and Su (arXiv:1905.02383), and Bun and Steinke (arXiv:1605.02065). The float properties
(``epsilon``, ``delta``, ``mu``, ``rho``) are the nearest floats, for reading; calibrations that
must not overspend start from ``parts``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any, Self

from geomdp.errors import BudgetError
from geomdp.options import BUDGET, Given, Option, OptionError
from geomdp.privacy.base import Budget
from geomdp.privacy.exact import (
    Number,
    exact_sqrt,
    exact_text,
    read_amount,
    read_failure,
    short_text,
)

EPSILON = Option("--epsilon", "Pure privacy.", panel=BUDGET)
DELTA = Option("--delta", "With --epsilon (or --error): approximate privacy.", panel=BUDGET)
MU = Option("--mu", "Gaussian privacy.", panel=BUDGET)
RHO = Option("--rho", "Zero-concentrated privacy.", panel=BUDGET)


@dataclass(frozen=True, init=False, repr=False)
class Pure(Budget):
    """Pure differential privacy: no event becomes more than ``e**epsilon`` times as likely.

    Parameters
    ----------
    epsilon
        Not negative; a float is read as the decimal it prints as.

    Examples
    --------
    >>> Pure(0.1) * 10 == Pure(1)
    True
    >>> Pure(1) - Pure(1)
    Pure(epsilon=0)
    """

    kind = "pure"
    options = (EPSILON,)
    part_names = ("epsilon",)
    number_name = "epsilon"
    has_epsilon = True

    def __init__(self, epsilon: Number) -> None:
        object.__setattr__(self, "parts", (read_amount(epsilon, "epsilon"),))

    @property
    def epsilon(self) -> float:
        """Nearest float."""
        return float(self.parts[0])

    def words(self) -> str:  # noqa: D102
        return f"ε = {short_text(self.parts[0])}, pure"

    def describe(self) -> str:
        """Say in one sentence what the budget promises."""
        return (
            f"Pure differential privacy with epsilon {self.epsilon:.6g}: replacing one record "
            f"changes the probability of any outcome by a factor of at most "
            f"e^{self.epsilon:.6g}."
        )

    def _texts(self) -> dict[str, str]:
        return {"epsilon": exact_text(self.parts[0])}


@dataclass(frozen=True, init=False, repr=False)
class Approximate(Budget):
    """Approximate differential privacy: ``e**epsilon``, up to a probability ``delta``.

    Composes by adding both numbers, and is ordered in both at once (two budgets may be
    incomparable).

    Examples
    --------
    >>> Approximate(0.5, 1e-6) + Approximate(0.5, 1e-6)
    Approximate(epsilon=1, delta=0.000002)
    """

    kind = "approximate"
    options = (EPSILON, DELTA)
    part_names = ("epsilon", "delta")
    number_name = "epsilon"
    has_epsilon = has_delta = True

    def __init__(self, epsilon: Number, delta: Number) -> None:
        parts = (read_amount(epsilon, "epsilon"), read_failure(delta))
        object.__setattr__(self, "parts", parts)

    @classmethod
    def from_parts(cls, *parts: Fraction) -> Self:
        """Build from exact epsilon and delta."""
        budget = super().from_parts(*parts)
        read_failure(budget.parts[1])
        return budget

    @property
    def epsilon(self) -> float:
        """Nearest float."""
        return float(self.parts[0])

    @property
    def delta(self) -> float:
        """Nearest float."""
        return float(self.parts[1])

    def words(self) -> str:  # noqa: D102
        epsilon, delta = (short_text(part) for part in self.parts)
        return f"ε = {epsilon}, δ = {delta}"

    def describe(self) -> str:
        """Say in one sentence what the budget promises."""
        return (
            f"Approximate differential privacy with epsilon {self.epsilon:.6g} and delta "
            f"{self.delta:.6g}: replacing one record changes the probability p of any outcome "
            f"to at most e^{self.epsilon:.6g} p + {self.delta:.6g}."
        )

    def _texts(self) -> dict[str, str]:
        return {"epsilon": exact_text(self.parts[0]), "delta": exact_text(self.parts[1])}


@dataclass(frozen=True, init=False, repr=False)
class GDP(Budget):
    """Gaussian differential privacy: as hard as telling N(0, 1) from N(mu, 1).

    Squares add up, so mu squared is what is held exactly; ``mu`` may also be given as the text
    ``"sqrt(...)"``, which is how an irrational mu prints.

    Examples
    --------
    >>> GDP(0.3) + GDP(0.4)
    GDP(mu=0.5)
    >>> GDP(1) * 2
    GDP(mu='sqrt(2)')
    """

    kind = "gdp"
    options = (MU,)
    part_names = ("mu squared",)
    number_name = "mu"
    number_power = group_power = 2

    def __init__(self, mu: Number) -> None:
        if isinstance(mu, str) and mu.startswith("sqrt(") and mu.endswith(")"):
            square = read_amount(mu[len("sqrt(") : -1], "The square of mu")
        else:
            square = read_amount(mu, "mu") ** 2
        object.__setattr__(self, "parts", (square,))

    @property
    def mu(self) -> float:
        """Nearest float (of the square root taken to 40 digits)."""
        root = exact_sqrt(self.parts[0])
        if root is not None:
            return float(root)
        with localcontext(prec=40):
            return float((Decimal(self.parts[0].numerator) / self.parts[0].denominator).sqrt())

    def words(self) -> str:  # noqa: D102
        return f"μ = {short_text(Fraction(self.mu))} (Gaussian)"

    def describe(self) -> str:
        """Say in one sentence what the budget promises."""
        return (
            f"Gaussian differential privacy with mu {self.mu:.6g}: telling whether one record was "
            f"replaced is at least as hard as telling N(0, 1) from N({self.mu:.6g}, 1) by one draw."
        )

    def _texts(self) -> dict[str, str]:
        root, square = exact_sqrt(self.parts[0]), exact_text(self.parts[0])
        return {"mu": f"sqrt({square})" if root is None else exact_text(root)}


@dataclass(frozen=True, init=False, repr=False)
class ZCDP(Budget):
    """Zero-concentrated differential privacy: Renyi divergence of order a at most ``rho a``.

    Examples
    --------
    >>> ZCDP(0.1) < ZCDP("0.11")
    True
    """

    kind = "zcdp"
    options = (RHO,)
    part_names = ("rho",)
    number_name = "rho"
    group_power = 2

    def __init__(self, rho: Number) -> None:
        object.__setattr__(self, "parts", (read_amount(rho, "rho"),))

    @property
    def rho(self) -> float:
        """Nearest float."""
        return float(self.parts[0])

    def words(self) -> str:  # noqa: D102
        return f"ρ = {short_text(self.parts[0])} (zero-concentrated)"

    def describe(self) -> str:
        """Say in one sentence what the budget promises."""
        return (
            f"Zero-concentrated differential privacy with rho {self.rho:.6g}: replacing one record "
            f"moves the law of the release by a Renyi divergence of order a of at most "
            f"{self.rho:.6g} a, for every a > 1."
        )

    def _texts(self) -> dict[str, str]:
        return {"rho": exact_text(self.parts[0])}


KINDS: Mapping[str, type[Budget]] = {kind.kind: kind for kind in (Pure, Approximate, GDP, ZCDP)}
#: All options of budgets.
BUDGET_OPTIONS = (EPSILON, DELTA, MU, RHO)


def budget_from_options(given: Given) -> Budget:
    """Build the one budget that was typed: the kind whose numbers these are."""
    typed = {option.key: given[option.key] for option in BUDGET_OPTIONS if given.said(option)}
    for kind in KINDS.values():
        if typed.keys() == {option.key for option in kind.options}:
            return kind(**typed)
    raise OptionError("give one budget: --epsilon, --epsilon with --delta, --mu, --rho, or --error")


def budget_maker(kind: str, delta: Number | None) -> Callable[[Any], Budget]:
    """Return what makes a budget of a kind from one number, approximate with a ``delta``."""
    if delta is None:
        return KINDS[kind]
    if KINDS[kind].options != (EPSILON,):
        raise OptionError("--delta goes with --kind pure: approximate privacy")
    return lambda epsilon: Approximate(epsilon, delta)


def budget_from_json(data: Mapping[str, Any]) -> Budget:
    """Rebuild a budget from what :meth:`Budget.to_json` gave.

    Examples
    --------
    >>> budget_from_json({"kind": "gdp", "mu": "sqrt(2)"}) == GDP(1) * 2
    True
    """
    if not isinstance(data, Mapping):
        raise BudgetError(f"A budget is described by its kind and numbers, not by {data!r}.")
    names = dict(data)
    kind = KINDS.get(str(names.pop("kind", None)))
    if kind is None:
        raise BudgetError(f"A budget's kind must be one of {', '.join(KINDS)}; got {dict(data)}.")
    try:
        return kind(**names)
    except TypeError:
        raise BudgetError(
            f"These are not the numbers of a {kind.__name__} budget: {names}."
        ) from None
