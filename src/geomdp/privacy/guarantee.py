"""What a release promises, and how far the promise goes."""

from dataclasses import dataclass
from typing import Any, Literal

from geomdp.privacy.base import Budget
from geomdp.privacy.budgets import budget_from_json

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

_WORDS: dict[str, str] = {
    "exact": "holds for the numbers as computed",
    "idealised": "holds for ideal real numbers; floating-point noise is not covered",
    "asymptotic": "holds only in the limit of an infinitely long Markov chain",
    "none": "NOT PRIVATE",
}


@dataclass(frozen=True)
class Guarantee:
    """A budget, how strongly it holds, and what it leaves out.

    Neighbouring data sets have the same public size and differ in one record (replace-one).

    Examples
    --------
    >>> from geomdp.privacy import Pure
    >>> print(Guarantee(Pure(1)))
    Pure(epsilon=1), replace-one neighbours, holds for the numbers as computed, a data set with ...
    """

    budget: Budget
    strength: Strength = "exact"
    caveats: tuple[str, ...] = ()
    invalid: Literal["refuse", "public"] = "refuse"

    def __str__(self) -> str:
        strength, invalid = _WORDS[self.strength], INVALID_WORDS[self.invalid]
        parts = [repr(self.budget), "replace-one neighbours", strength, invalid, *self.caveats]
        return ", ".join(parts)

    def to_json(self) -> dict[str, Any]:
        """Describe exactly."""
        return {
            "budget": self.budget.to_json(),
            "neighbours": "replace-one",
            "strength": self.strength,
            "invalid": self.invalid,
            "caveats": list(self.caveats),
        }

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> "Guarantee":
        """Inverse of :meth:`to_json`."""
        budget = budget_from_json(document["budget"])
        caveats = tuple(document["caveats"])
        return cls(budget, document["strength"], caveats, document.get("invalid", "refuse"))
