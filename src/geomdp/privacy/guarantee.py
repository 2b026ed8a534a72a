"""What a release promises, to whom, and how far the promise goes."""

from dataclasses import dataclass
from typing import Any, Literal

from geomdp.privacy.base import Budget
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
    """Return the words for a policy where n counts what this unit says.

    >>> invalid_words("public", Unit.person())[-26:]
    'all data sets of n persons'
    """
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
