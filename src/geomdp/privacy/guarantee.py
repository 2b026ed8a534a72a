"""What a release promises, to whom, and how far the promise goes."""

from dataclasses import dataclass
from fractions import Fraction
from math import floor, log10
from typing import Any, Literal

from geomdp.privacy.base import Budget
from geomdp.privacy.budgets import Approximate
from geomdp.privacy.conversion import convert
from geomdp.privacy.exact import short_text
from geomdp.privacy.units import REPLACE_ONE, Unit

#: ``exact``: holds for the program as it runs; ``idealised``: for real-number arithmetic only;
#: ``asymptotic``: in the limit of a long Markov chain; ``none``: a comparison that is not private.
Strength = Literal["exact", "idealised", "asymptotic", "none"]

#: What happens to an invalid record, and which data sets are neighbours by it: the same words in
#: docs/theory/clipping.md and SECURITY.md.
INVALID_WORDS: dict[str, str] = {
    "refuse": "a data set with an invalid record is refused: neighbours are data sets of valid "
    "records",
    "public": "an invalid record counts as the public record: neighbours are all data sets of n "
    "records",
}

ONE_RECORD = Unit.record()

_WORDS: dict[str, str] = {
    "exact": "holds for the numbers as computed",
    "idealised": "holds for ideal real numbers; floating-point noise is not covered",
    "asymptotic": "holds only in the limit of an infinitely long Markov chain",
    "none": "NOT PRIVATE",
}


def invalid_words(policy: str, unit: Unit) -> str:
    """Return the words for a policy where n counts what this unit says."""
    return INVALID_WORDS[policy].replace("of n records", f"of n {unit.plural}")


@dataclass(frozen=True)
class Guarantee:
    """A budget, how strongly it holds, what it leaves out, and to whom it is promised.

    Neighbouring data sets have the same public size and differ in one unit.

    Examples
    --------
    >>> from geomdp.privacy import Pure
    >>> print(Guarantee(Pure(1)))
    ε = 1, pure; replace-one neighbours, holds for the numbers as computed, a data set with ...
    >>> print(Guarantee(Pure(1), unit=Unit.person(max_records=4)))
    ε = 1, pure; neighbours: all records of one person, at most 4, are replaced, holds for ...
    """

    budget: Budget
    strength: Strength = "exact"
    caveats: tuple[str, ...] = ()
    invalid: Literal["refuse", "public"] = "refuse"
    unit: Unit = ONE_RECORD

    def __str__(self) -> str:
        plain = self.unit == ONE_RECORD
        who = f"{REPLACE_ONE} neighbours" if plain else f"neighbours: {self.unit}"
        strength, invalid = _WORDS[self.strength], invalid_words(self.invalid, self.unit)
        return ", ".join([f"{self.budget.words()}; {who}", strength, invalid, *self.caveats])

    def to_json(self) -> dict[str, Any]:
        """Describe exactly."""
        return {
            "budget": self.budget.to_json(),
            "neighbours": self.unit.neighbours(),
            "unit": self.unit.to_json(),
            "strength": self.strength,
            "invalid": self.invalid,
            "caveats": list(self.caveats),
        }


# --- epsilon and delta beside every mu and rho, so that promises of all kinds can be compared


#: No delta that is shown beside a mu is larger.
LARGEST_DELTA = Fraction(1, 10**6)
#: A delta must stay this many times below one person in n.
FAR_BELOW = 10


def usual_delta(n: int) -> Fraction:
    """Return the power of ten at which promises to n units are compared: far below ``1/n``."""
    return min(LARGEST_DELTA, Fraction(1, 10 ** (1 - floor(-log10(n)))))


def as_epsilon(budget: Budget, n: int) -> Budget:
    """Return a mu or rho as an epsilon at the usual delta, rounded up; others as they are."""
    return budget if budget.has_epsilon else convert(budget, Approximate, usual_delta(n))


def budget_words(budget: Budget, n: int) -> str:
    """Name a budget to people, and beside a mu or rho the epsilon and delta that it implies."""
    same = as_epsilon(budget, n)
    if same is budget:
        return budget.words()
    beside = f"ε = {same.number:.3g} at δ = {short_text(same.parts[1])}"
    return f"{budget.words().removesuffix(')')}; {beside})"
