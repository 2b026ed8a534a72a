"""What all budgets share: exact composition, splitting, comparison, JSON."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

from geomdp.errors import BudgetError
from geomdp.options import Option
from geomdp.privacy.exact import Number, exact_text, literal, read_count, read_positive


@dataclass(frozen=True, init=False, repr=False)
class Budget(ABC):
    """A number with a meaning: how much privacy a release may cost.

    ``a + b`` composes, ``k * a`` composes k times, ``a - b`` is what ``b`` leaves of ``a``, and
    ``a <= b`` says that whoever may spend ``b`` may spend ``a``. A budget may be zero: what is left
    when all is spent, from which nothing can be released. Kinds do not mix here:
    :func:`geomdp.privacy.compose` and :func:`geomdp.privacy.convert` do that where it is valid.
    """

    #: The exact numbers that add up under composition.
    parts: tuple[Fraction, ...]

    #: Name of the kind in JSON.
    kind: ClassVar[str]
    #: What the command asks for: one option a number, together a budget of this kind.
    options: ClassVar[tuple[Option, ...]]
    #: What the parts are called.
    part_names: ClassVar[tuple[str, ...]]
    #: What the number is called by which a budget of this kind is known, and which power of it is
    #: the first part.
    number_name: ClassVar[str]
    number_power: ClassVar[int] = 1
    #: Power of k by which the first part grows for a person of k records.
    group_power: ClassVar[int] = 1
    #: Whether it states an epsilon, and whether that may fail with a probability delta.
    has_epsilon: ClassVar[bool] = False
    has_delta: ClassVar[bool] = False

    @property
    def is_pure(self) -> bool:
        """Whether it states an epsilon that never fails."""
        return self.has_epsilon and not self.has_delta

    @property
    def number(self) -> float:
        """The number that it is known by: the nearest float."""
        return float(getattr(self, self.number_name))

    def scaled(self, factor: Fraction) -> Self:
        """Return a budget of ``factor`` times the number; a delta stays."""
        return self.from_parts(factor**self.number_power * self.parts[0], *self.parts[1:])

    @classmethod
    def from_parts(cls, *parts: Fraction) -> Self:
        """Build a budget of this kind from its exact parts; checks nothing but their signs."""
        if min(parts) < 0:
            texts = ", ".join(exact_text(part) for part in parts)
            raise BudgetError(f"No part of a {cls.__name__} budget may be negative; got {texts}.")
        budget = cls.__new__(cls)
        object.__setattr__(budget, "parts", parts)
        return budget

    def __add__(self, other: Self) -> Self:
        theirs = self._parts_of(other)
        return self.from_parts(*(a + b for a, b in zip(self.parts, theirs, strict=True)))

    def __radd__(self, zero: int) -> Self:
        if zero != 0:
            return NotImplemented
        return self  # so that sum() works, which starts from 0

    def __mul__(self, times: int) -> Self:
        count = read_count(times, "The number of compositions")
        return self.from_parts(*(count * part for part in self.parts))

    __rmul__ = __mul__

    def __sub__(self, spent: Self) -> Self:
        theirs = self._parts_of(spent)
        left = [a - b for a, b in zip(self.parts, theirs, strict=True)]
        if min(left) < 0:
            named = zip(self.part_names, left, strict=True)
            difference = ", ".join(f"{name} {exact_text(part)}" for name, part in named)
            raise BudgetError(
                f"Requested {spent}, remaining {self}, difference {difference}: that is more "
                "than is left; ask for less, or start from a larger budget."
            )
        return self.from_parts(*left)

    def __bool__(self) -> bool:
        """Tell whether anything is left."""
        return any(self.parts)

    def spendable(self) -> Self:
        """Return the budget if a release can be calibrated with it: no part may be zero.

        Examples
        --------
        >>> from geomdp.privacy import Pure
        >>> (Pure(1) - Pure(1)).spendable()
        Traceback (most recent call last):
        geomdp.errors.BudgetError: epsilon must be greater than 0 to release anything, ...
        """
        for name, part in zip(self.part_names, self.parts, strict=True):
            if part == 0:
                raise BudgetError(
                    f"{name} must be greater than 0 to release anything, but the budget is "
                    f"{self.words()}; give a larger one."
                )
        return self

    def __le__(self, other: Self) -> bool:
        return all(a <= b for a, b in zip(self.parts, self._parts_of(other), strict=True))

    def __lt__(self, other: Self) -> bool:
        return self <= other and self != other

    def __ge__(self, other: Self) -> bool:
        return all(a >= b for a, b in zip(self.parts, self._parts_of(other), strict=True))

    def __gt__(self, other: Self) -> bool:
        return self >= other and self != other

    def split(self, *weights: Number) -> tuple[Self, ...]:
        """Divide into budgets in proportion to ``weights`` that compose back to exactly this one.

        Examples
        --------
        >>> from geomdp.privacy import GDP, Pure
        >>> Pure(1).split(1, 3)
        (Pure(epsilon=0.25), Pure(epsilon=0.75))
        >>> GDP(1).split(9, 16)
        (GDP(mu=0.6), GDP(mu=0.8))
        """
        if not weights:
            raise BudgetError(
                "split needs at least one weight, for example split(1, 1) for halves."
            )
        numbers = [read_positive(weight, "A weight") for weight in weights]
        total = sum(numbers, Fraction(0))
        return tuple(self.from_parts(*(w * p / total for p in self.parts)) for w in numbers)

    def to_json(self) -> dict[str, str]:
        """Return an exact description that JSON can hold.

        Examples
        --------
        >>> from geomdp.privacy import Approximate
        >>> Approximate(1, 1e-6).to_json()
        {'kind': 'approximate', 'epsilon': '1', 'delta': '0.000001'}
        """
        return {"kind": self.kind, **self._texts()}

    @abstractmethod
    def words(self) -> str:
        """Name the budget as people write it, not as code: see :func:`budget_words`."""

    @abstractmethod
    def describe(self) -> str:
        """Say in one sentence what the budget promises."""

    @abstractmethod
    def _texts(self) -> dict[str, str]:
        """Exact texts of the constructor's arguments, by name."""

    def _parts_of(self, other: "Budget") -> tuple[Fraction, ...]:
        if type(other) is not type(self):
            raise BudgetError(
                f"{self} and {other!r} are not of one kind; use geomdp.privacy.convert or "
                "geomdp.privacy.compose to bring them together where that is valid."
            )
        return other.parts

    def __repr__(self) -> str:
        arguments = ", ".join(f"{name}={literal(text)}" for name, text in self._texts().items())
        return f"{type(self).__name__}({arguments})"
