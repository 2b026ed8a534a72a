"""Costs: the strongest statement that a calibrated mechanism makes about itself.

A budget is what may be spent; a cost is what a release spends. Costs compose (also adaptively) and
are priced in every kind of budget, each by the best road known to us, rounded up. Proofs:
docs/theory/composition.md, "Costs". What single mechanisms say of themselves is in
:mod:`geomdp.privacy.mechanism_costs`.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, cast

from geomdp.errors import BudgetError
from geomdp.privacy.accounting import dp_event
from geomdp.privacy.base import Budget
from geomdp.privacy.budgets import GDP, ZCDP, Approximate, Pure
from geomdp.privacy.conversion import Kind, convert, implies
from geomdp.privacy.exact import Number, read_count, read_failure

if TYPE_CHECKING:
    from dp_accounting import DpEvent

#: So many of the dearest releases are tried apart from the curve, besides none and all of them.
MOST_APART = 8


class Known(NamedTuple):
    """What is known about one release, made ``times`` times."""

    loss: Fraction | None
    mu_squared: Fraction
    rho: Fraction
    times: int


class Road(NamedTuple):
    """Epsilons that add up plainly, and a curve for the other releases."""

    plain: Fraction
    curve: GDP | ZCDP


def roads(known: Sequence[Known]) -> Iterator[Road]:
    """Every split that is tried: those apart that the curve would charge most, the rest on it."""
    bounded = [(release.loss, release) for release in known if release.loss is not None]
    bounded.sort(key=lambda pair: (pair[1].mu_squared, pair[0]), reverse=True)
    unbounded = [release for release in known if release.loss is None]
    for apart in sorted({*range(min(len(bounded), MOST_APART + 1)), len(bounded)}):
        plain = sum((loss * release.times for loss, release in bounded[:apart]), Fraction(0))
        rest = [release for _, release in bounded[apart:]] + unbounded
        yield Road(plain, GDP.from_parts(_sum(r.times * r.mu_squared for r in rest)))
        if rest:
            yield Road(plain, ZCDP.from_parts(_sum(r.times * r.rho for r in rest)))


def _sum(parts: Iterator[Fraction]) -> Fraction:
    return sum(parts, Fraction(0))


def best_epsilon(known: Sequence[Known], delta: Fraction) -> Fraction | None:
    """Smallest epsilon at ``delta`` over all roads, rounded up; None where there is none."""
    if delta < 0:
        return None
    return min(
        (
            road.plain + convert(road.curve, Approximate, delta).parts[0]
            for road in roads(known)
            if delta or not road.curve
        ),
        default=None,
    )


def within(known: Sequence[Known], epsilon: Fraction, delta: Fraction) -> bool:
    """Tell whether some road proves (epsilon, delta)-privacy."""
    return delta >= 0 and any(
        implies(road.curve, Approximate.from_parts(epsilon - road.plain, delta))
        for road in roads(known)
        if road.plain <= epsilon
    )


class Cost(ABC):
    """What a release spends: ``a + b`` composes, ``k * a`` composes k times.

    ``price`` states it as a budget of any kind, ``fits`` tells whether a budget covers it. Equal
    costs are equal whatever the order in which they were added.

    Examples
    --------
    >>> from geomdp.privacy import GaussianCost, PureCost
    >>> spent = 3 * PureCost(0.1) + GaussianCost(0.3) + GaussianCost(0.4)
    >>> print(spent.describe())
    Adaptive composition: Gaussian noise of mu 0.5; 3 times pure privacy of epsilon 0.1.
    >>> spent.price(GDP).mu < 0.55
    True
    """

    #: Name in JSON.
    kind: ClassVar[str]

    @abstractmethod
    def largest_loss(self) -> Fraction | None:
        """Epsilon of pure privacy, apart from the failure; None where the loss is unbounded."""

    @abstractmethod
    def mu_squared(self) -> Fraction:
        """Square of the mu of Gaussian privacy, apart from the failure."""

    @abstractmethod
    def rho(self) -> Fraction:
        """Rho of concentrated privacy, apart from the failure."""

    def failure(self) -> Fraction:
        """Probability with which anything may happen."""
        return Fraction(0)

    def terms(self) -> "tuple[tuple[Cost, int], ...]":
        """Give the releases that add up, and how often each occurs; none where none is spent."""
        return ((self, 1),) if self else ()

    @classmethod
    def merge(cls, counts: Mapping[Self, int]) -> Mapping[Self, int]:
        """Restate a sum of costs of this class by fewer of them, where nothing is lost."""
        return counts

    def covers(self, other: "Cost") -> bool:
        """Tell whether every mechanism of cost ``other`` satisfies this statement too.

        False means not proved here. Prices in every currency are not enough for this: a sum is
        priced by its parts.

        Examples
        --------
        >>> from geomdp.privacy import PureCost
        >>> PureCost(1).covers(PureCost(1, bounded_range=True))
        True
        """
        return self == other

    def __bool__(self) -> bool:
        """Tell whether anything is spent."""
        return self.largest_loss() != 0 or self.failure() > 0

    def __add__(self, other: "Cost") -> "Cost":
        return total((self, other)) if isinstance(other, Cost) else NotImplemented

    def __radd__(self, zero: int) -> "Cost":
        return self if zero == 0 else NotImplemented  # so that sum() works, which starts from 0

    def __mul__(self, times: int) -> "Cost":
        count = read_count(times, "The number of compositions")
        return _summed((term, count * often) for term, often in self.terms())

    __rmul__ = __mul__

    @abstractmethod
    def for_group(self, k: int) -> "Cost":
        """Cost of a person with at most ``k`` records, where this is the cost of one record.

        Proof: docs/theory/composition.md, "Groups".
        """

    def partly(self, square: Fraction) -> "Cost":
        """Cost of a change that is the root of ``square`` as far as the one this is the cost of.

        Only of mechanisms whose loss grows with the distance (docs/theory/persons.md, "Groups").
        The whole cost where no more is known.
        """
        return self

    def price(self, kind: type[Kind], delta: Number | None = None) -> Kind:
        """State the cost as a budget of one kind: an upper bound, by the best road known.

        Parameters
        ----------
        kind
            The class asked for: ``Pure``, ``Approximate``, ``GDP`` or ``ZCDP``.
        delta
            The failure probability, needed for ``Approximate`` and only there.

        Raises
        ------
        BudgetError
            Where no budget of that kind covers the cost.

        Examples
        --------
        >>> from geomdp.privacy import LaplaceCost
        >>> LaplaceCost(1, dim=10).price(Approximate, delta=1e-6)
        Approximate(epsilon=1, delta=0.000001)
        >>> LaplaceCost(1, dim=55).price(Approximate, delta=1e-6).epsilon < 0.6
        True
        """
        if (delta is not None) is not (kind is Approximate):
            raise BudgetError(
                f"delta is needed to price in Approximate and nowhere else; pricing in "
                f"{kind.__name__} got delta={delta}."
            )
        if delta is not None:
            return cast(Kind, self._price_at(read_failure(delta)))
        if self.failure():
            raise self._no_price(kind, "with probability delta anything may happen")
        if kind is GDP:
            return cast(Kind, GDP.from_parts(self.mu_squared()))
        if kind is ZCDP:
            return cast(Kind, ZCDP.from_parts(self.rho()))
        loss = self.largest_loss()
        if loss is None:
            raise self._no_price(kind, "its privacy loss is unbounded")
        return cast(Kind, Pure.from_parts(loss))

    def fits(self, budget: Budget) -> bool:
        """Tell whether the budget surely covers the cost.

        Examples
        --------
        >>> from geomdp.privacy import GaussianCost
        >>> GaussianCost(1).fits(GDP(1)), GaussianCost(1).fits(Pure(100))
        (True, False)
        """
        if budget.has_delta:
            epsilon, delta = budget.parts
            return within(self._known(), epsilon, delta - self.failure())
        try:
            return self.price(type(budget)) <= budget
        except BudgetError:
            return False

    @property
    def dp_event(self) -> "DpEvent":
        """Event of dp-accounting that is no better than this cost."""
        return dp_event(self.price(GDP))

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Return an exact description that JSON can hold."""

    @abstractmethod
    def words(self) -> str:
        """Name the cost in a few words, in the middle of a sentence."""

    def describe(self) -> str:
        """Say in one sentence what the release is known to satisfy."""
        words = self.words()
        return f"{words[:1].upper()}{words[1:]}."

    def _price_at(self, delta: Fraction) -> Approximate:
        epsilon = best_epsilon(self._known(), delta - self.failure())
        if epsilon is None:
            raise self._no_price(
                Approximate,
                f"delta {float(delta):g} does not exceed {float(self.failure()):g}, which is "
                "already promised",
            )
        return Approximate.from_parts(epsilon, delta)

    def _known(self) -> list[Known]:
        return [
            Known(term.largest_loss(), term.mu_squared(), term.rho(), times)
            for term, times in self.terms()
        ]

    def _no_price(self, kind: type[Budget], reason: str) -> BudgetError:
        return BudgetError(f"{self!r} has no price in {kind.__name__}, since {reason}.")


@dataclass(frozen=True)
class ComposedCost(Cost):
    """Several costs together, each release free to depend on those before it; made by ``+``."""

    kind = "composed"
    #: Different costs with how often each occurs, in a fixed order.
    counts: tuple[tuple[Cost, int], ...]

    def terms(self) -> tuple[tuple[Cost, int], ...]:
        """Give the costs that were composed."""
        return self.counts

    def largest_loss(self) -> Fraction | None:
        """Sum of all."""
        losses = [(term.largest_loss(), times) for term, times in self.terms()]
        finite = [times * loss for loss, times in losses if loss is not None]
        return sum(finite, Fraction(0)) if len(finite) == len(losses) else None

    def mu_squared(self) -> Fraction:
        """Sum of all."""
        return sum((times * term.mu_squared() for term, times in self.terms()), Fraction(0))

    def rho(self) -> Fraction:
        """Sum of all."""
        return sum((times * term.rho() for term, times in self.terms()), Fraction(0))

    def failure(self) -> Fraction:
        """Sum of all."""
        return sum((times * term.failure() for term, times in self.terms()), Fraction(0))

    def for_group(self, k: int) -> Cost:
        """Each term for the group: a group changes every release as it changes one."""
        return _summed((term.for_group(k), times) for term, times in self.terms())

    def partly(self, square: Fraction) -> Cost:
        """Each term in part."""
        return _summed((term.partly(square), times) for term, times in self.terms())

    @property
    def dp_event(self) -> "DpEvent":
        """Composition of the terms' events."""
        import dp_accounting

        if not self.terms():
            return dp_accounting.NoOpDpEvent()
        return dp_accounting.ComposedDpEvent(
            [
                dp_accounting.SelfComposedDpEvent(term.dp_event, times)
                for term, times in self.terms()
            ]
        )

    def to_json(self) -> dict[str, Any]:
        """Describe exactly."""
        terms = [{"times": times, "cost": term.to_json()} for term, times in self.terms()]
        return {"kind": self.kind, "terms": terms}

    def words(self) -> str:
        """List what was composed."""
        if not self.terms():
            return "nothing is spent"
        parts = [
            f"{times} times {term.words()}" if times > 1 else term.words()
            for term, times in self.terms()
        ]
        return f"adaptive composition: {'; '.join(parts)}"

    def __repr__(self) -> str:
        parts = [f"{times} * {term!r}" if times > 1 else repr(term) for term, times in self.terms()]
        return " + ".join(parts) or "NO_COST"


#: What a release costs that looks at no records.
NO_COST = ComposedCost(())


def total(costs: Iterable[Cost]) -> Cost:
    """Compose costs on the same records; each release may depend on those before it.

    Examples
    --------
    >>> from geomdp.privacy import GaussianCost
    >>> total([GaussianCost(0.3), GaussianCost(0.4)]), total([])
    (GaussianCost(mu=0.5), NO_COST)
    """
    return _summed(term for cost in costs for term in cost.terms())


def _summed(terms: Iterable[tuple[Cost, int]]) -> Cost:
    """Sum of terms in the one form in which equal sums are equal."""
    by_class: dict[type[Cost], dict[Cost, int]] = {}
    for term, times in terms:
        counts = by_class.setdefault(type(term), {})
        counts[term] = counts.get(term, 0) + times
    merged = [pair for kind, counts in by_class.items() for pair in kind.merge(counts).items()]
    if [times for _, times in merged] == [1]:
        return merged[0][0]
    return ComposedCost(tuple(sorted(merged, key=repr)))
