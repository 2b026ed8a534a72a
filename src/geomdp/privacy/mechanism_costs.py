"""What single mechanisms say of themselves: the costs that sums are made of.

Conversions and proofs: docs/theory/composition.md, "Costs".
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Self

from geomdp.errors import BudgetError
from geomdp.privacy.accounting import dp_event
from geomdp.privacy.base import Budget
from geomdp.privacy.budgets import GDP, Approximate, Pure
from geomdp.privacy.conversion import bounded_range_rho, pure_mu_squared, pure_rho
from geomdp.privacy.costs import Cost
from geomdp.privacy.exact import (
    Number,
    exact_text,
    literal,
    read_amount,
    read_count,
    read_failure,
    root_above,
)
from geomdp.privacy.groups import group
from geomdp.privacy.laplace_gdp import gdp_of_laplace

if TYPE_CHECKING:
    from dp_accounting import DpEvent


@dataclass(frozen=True, init=False, repr=False)
class _EpsilonCost(Cost):
    """A loss of at most epsilon; what else is known stands in further fields."""

    epsilon: Fraction

    def largest_loss(self) -> Fraction:
        """Epsilon itself, apart from a failure."""
        return self.epsilon

    def to_json(self) -> dict[str, Any]:
        """Describe exactly."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        texts = {n: exact_text(v) if isinstance(v, Fraction) else v for n, v in values.items()}
        return {"kind": self.kind, **texts}

    def __repr__(self) -> str:
        given = {n: v for n, v in self.to_json().items() if n != "kind" and v is not False}
        texts = (f"{n}={literal(v) if isinstance(v, str) else v}" for n, v in given.items())
        return f"{type(self).__name__}({', '.join(texts)})"


@dataclass(frozen=True, init=False, repr=False)
class PureCost(_EpsilonCost):
    """Pure privacy: no outcome becomes more than ``e**epsilon`` times as likely.

    With a bounded range the log-ratios of each pair of neighbours lie in an interval of length
    ``epsilon``, as those of the exponential mechanism do: as pure privacy no better, but in other
    currencies worth about half.

    Examples
    --------
    >>> from geomdp.privacy import ZCDP
    >>> PureCost(1).price(GDP), PureCost(1, bounded_range=True).price(GDP)
    (GDP(mu=1.232035385345), GDP(mu=0.6238925920986))
    >>> PureCost(1, bounded_range=True).price(ZCDP)
    ZCDP(rho=0.1233015614823)
    """

    kind = "pure"
    bounded_range: bool

    def __init__(self, epsilon: Number, bounded_range: bool = False) -> None:
        object.__setattr__(self, "epsilon", read_amount(epsilon, "epsilon"))
        object.__setattr__(self, "bounded_range", bool(bounded_range))

    def mu_squared(self) -> Fraction:
        """Randomised response is the worst; with a bounded range it needs half the epsilon."""
        return pure_mu_squared(self.epsilon / 2 if self.bounded_range else self.epsilon)

    def rho(self) -> Fraction:
        """``epsilon tanh(epsilon/2)``; with a bounded range about a quarter, or less."""
        return (bounded_range_rho if self.bounded_range else pure_rho)(self.epsilon)

    def covers(self, other: Cost) -> bool:
        """Compare epsilons; a bounded range covers nothing but bounded ranges."""
        if isinstance(other, PureCost) and (other.bounded_range or not self.bounded_range):
            return self.epsilon >= other.epsilon
        return super().covers(other)

    @property
    def dp_event(self) -> "DpEvent":
        """Randomised response; with a bounded range Gaussian noise, which composes better."""
        return super().dp_event if self.bounded_range else dp_event(Pure(self.epsilon))

    def for_group(self, k: int) -> Cost:
        """K steps, each of at most epsilon; ranges add up too."""
        return PureCost(read_count(k, "k") * self.epsilon, self.bounded_range)

    def partly(self, square: Fraction) -> Cost:
        """So much of the largest loss, and of the range."""
        return PureCost(root_above(square) * self.epsilon, self.bounded_range)

    def words(self) -> str:
        """Say epsilon and whether the range is bounded."""
        extra = " and bounded range" if self.bounded_range else ""
        return f"pure privacy of epsilon {float(self.epsilon):.6g}{extra}"


@dataclass(frozen=True, init=False, repr=False)
class GaussianCost(Cost):
    """Gaussian noise: as hard as telling N(0, 1) from N(mu, 1), no more and no less.

    Examples
    --------
    >>> GaussianCost(0.3) + GaussianCost(0.4), 2 * GaussianCost(1)
    (GaussianCost(mu=0.5), GaussianCost(mu='sqrt(2)'))
    """

    kind = "gaussian"
    budget: GDP

    def __init__(self, mu: Number) -> None:
        object.__setattr__(self, "budget", GDP(mu))

    @classmethod
    def merge(cls, counts: Mapping[Self, int]) -> Mapping[Self, int]:
        """Squares add up exactly, so that all Gaussian noise is one term."""
        square = sum((times * cost.mu_squared() for cost, times in counts.items()), Fraction(0))
        return {cls.of_square(square): 1}

    @classmethod
    def of_square(cls, square: Fraction) -> Self:
        """Build from the exact square of mu."""
        made = cls(0)
        object.__setattr__(made, "budget", GDP.from_parts(square))
        return made

    @property
    def mu(self) -> float:
        """Nearest float."""
        return self.budget.mu

    def largest_loss(self) -> Fraction | None:
        """Unbounded, unless there is no cost."""
        return None if self.budget else Fraction(0)

    def mu_squared(self) -> Fraction:
        """Square of mu, exactly."""
        return self.budget.parts[0]

    def rho(self) -> Fraction:
        """Half of mu squared, exactly."""
        return self.budget.parts[0] / 2

    def covers(self, other: Cost) -> bool:
        """Compare mu."""
        return isinstance(other, GaussianCost) and self.budget >= other.budget

    def for_group(self, k: int) -> Cost:
        """K steps move the mean k times as far."""
        return GaussianCost.of_square(read_count(k, "k") ** 2 * self.mu_squared())

    def partly(self, square: Fraction) -> Cost:
        """So much of the way: squares of mu, exactly."""
        return GaussianCost.of_square(square * self.mu_squared())

    def to_json(self) -> dict[str, Any]:
        """Describe exactly."""
        return {**self.budget.to_json(), "kind": self.kind}

    def words(self) -> str:
        """Say mu."""
        return f"Gaussian noise of mu {self.mu:.6g}"

    def __repr__(self) -> str:
        return repr(self.budget).replace("GDP", "GaussianCost")


@dataclass(frozen=True, init=False, repr=False)
class LaplaceCost(_EpsilonCost):
    """Noise with density ``exp(-|x|/s)`` in flat space, the value moving at most ``epsilon s``.

    Pure privacy of ``epsilon``, but far less in other currencies, the more so the larger ``dim``
    is (docs/theory/gaussian-calibration.md, "Laplace noise"). On curved spaces, and on a circle,
    only :class:`PureCost` is proved.

    Examples
    --------
    >>> LaplaceCost(1, dim=10).price(Pure), round(LaplaceCost(1, dim=10).price(GDP).mu, 6)
    (Pure(epsilon=1), 0.323953)
    """

    kind = "laplace"
    dim: int

    def __init__(self, epsilon: Number, dim: int) -> None:
        object.__setattr__(self, "epsilon", read_amount(epsilon, "epsilon"))
        object.__setattr__(self, "dim", read_count(dim, "dim"))

    def mu_squared(self) -> Fraction:
        """Tight value for the law in ``dim`` dimensions."""
        return gdp_of_laplace(self.epsilon, self.dim).parts[0] if self.epsilon else Fraction(0)

    def rho(self) -> Fraction:
        """Take what follows from mu or from epsilon, whichever is less."""
        return min(pure_rho(self.epsilon), self.mu_squared() / 2)

    def covers(self, other: Cost) -> bool:
        """Compare epsilons in the same dimension: the largest shift is the worst."""
        if not isinstance(other, LaplaceCost) or self.dim != other.dim:
            return False
        return self.epsilon >= other.epsilon

    def for_group(self, k: int) -> Cost:
        """K steps move the footpoint k times as far: the same law at k times epsilon."""
        return LaplaceCost(read_count(k, "k") * self.epsilon, self.dim)

    def partly(self, square: Fraction) -> Cost:
        """So much of the way: the same law at a smaller epsilon."""
        return LaplaceCost(root_above(square) * self.epsilon, self.dim)

    def words(self) -> str:
        """Say epsilon and the dimension."""
        flat = "dimension" if self.dim == 1 else "dimensions"
        return f"Laplace noise in {self.dim} flat {flat} of epsilon {float(self.epsilon):.6g}"


@dataclass(frozen=True, init=False, repr=False)
class ApproximateCost(_EpsilonCost):
    """Pure privacy up to a failure of probability ``delta``, as after a fixed number of tries.

    Examples
    --------
    >>> from geomdp.privacy import Approximate
    >>> spent = ApproximateCost(1, 1e-7) + PureCost(1)
    >>> spent.price(Approximate, delta=1e-7)
    Approximate(epsilon=2, delta=1e-7)
    """

    kind = "approximate"
    delta: Fraction

    def __init__(self, epsilon: Number, delta: Number) -> None:
        object.__setattr__(self, "epsilon", read_amount(epsilon, "epsilon"))
        object.__setattr__(self, "delta", read_failure(delta))

    def mu_squared(self) -> Fraction:
        """Take that of pure privacy, where nothing fails."""
        return pure_mu_squared(self.epsilon)

    def rho(self) -> Fraction:
        """Take that of pure privacy, where nothing fails."""
        return pure_rho(self.epsilon)

    def failure(self) -> Fraction:
        """Delta itself."""
        return self.delta

    def covers(self, other: Cost) -> bool:
        """Compare epsilon and delta."""
        if not isinstance(other, ApproximateCost):
            return False
        return self.epsilon >= other.epsilon and self.delta >= other.delta

    def for_group(self, k: int) -> Cost:
        """As the budget of the same numbers."""
        return ApproximateCost(*group(Approximate(self.epsilon, self.delta), k).parts)

    def words(self) -> str:
        """Say epsilon and delta."""
        failure = f"up to a failure of probability {float(self.delta):.6g}"
        return f"pure privacy of epsilon {float(self.epsilon):.6g} {failure}"


def cost_of(budget: Budget) -> Cost:
    """Return the cost of a release of which no more is known than that it keeps a budget.

    >>> cost_of(Pure(1)), cost_of(GDP(0.5))
    (PureCost(epsilon=1), GaussianCost(mu=0.5))
    """
    if isinstance(budget, Pure):
        return PureCost(budget.parts[0])
    if isinstance(budget, GDP):
        return GaussianCost.of_square(budget.parts[0])
    if isinstance(budget, Approximate):
        return ApproximateCost(*budget.parts)
    raise BudgetError(
        f"{budget!r} alone has no price in other kinds of budget; ask for Pure, Approximate or GDP."
    )
