"""Which cases are lived: every pair of values that may meet meets early, chosen greedily.

A table is factors (a name and its values) and rules (which values may meet). Cases come one after
the other; each is the best of a few that were drawn, by the number of pairs that it is the first to
hold. After the last pair the next array begins, with other company for every pair.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, count, islice
from random import Random
from typing import TypeAlias

#: A value of every factor, by its name.
Case: TypeAlias = Mapping[str, str]
#: Two values that meet, each with the name of its factor.
Pair: TypeAlias = tuple[tuple[str, str], tuple[str, str]]
#: Pairs that no case holds yet; in order, so that a seed gives the same cases everywhere.
Pairs: TypeAlias = dict[Pair, None]
#: Cases that are drawn for each that is taken.
CANDIDATES = 12


@dataclass(frozen=True)
class Factor:
    """Something that varies: its name, and the values that it may have."""

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Rule:
    """Which values of two factors may meet, and why: so a pair that may not is known at once."""

    why: str
    factors: tuple[str, str]
    test: Callable[[str, str], bool]

    def allows(self, case: Case) -> bool:
        """Tell whether it holds, or is about what is not chosen yet."""
        one, other = self.factors
        return one not in case or other not in case or self.test(case[one], case[other])


@dataclass(frozen=True)
class Table:
    """Factors and rules."""

    factors: tuple[Factor, ...]
    rules: tuple[Rule, ...]

    def allows(self, case: Case) -> bool:
        """Tell whether no rule speaks against what is chosen so far."""
        return all(rule.allows(case) for rule in self.rules)

    def cases(self, seed: int) -> Iterator[dict[str, str]]:
        """Walk over cases without end."""
        for number in count():
            yield from _array(self, Random(f"{seed} {number}"))

    def first(self, many: int, seed: int) -> list[dict[str, str]]:
        """Return the first cases of a seed."""
        return list(islice(self.cases(seed), many))


def pairs_of(case: Case) -> list[Pair]:
    """Return the pairs of values that a case holds.

    >>> pairs_of({"b": "2", "a": "1"})
    [(('a', '1'), ('b', '2'))]
    """
    return list(combinations(sorted(case.items()), 2))


def all_pairs(table: Table) -> Pairs:
    """Return the pairs of values that no rule speaks against."""
    meetings = (
        {one.name: v, other.name: w}
        for one, other in combinations(table.factors, 2)
        for v in one.values
        for w in other.values
    )
    return {pair: None for case in meetings if table.allows(case) for pair in pairs_of(case)}


def _array(table: Table, rng: Random) -> Iterator[dict[str, str]]:
    """Cases that hold every pair that may meet."""
    left = all_pairs(table)
    while left:
        best: dict[str, str] = {}
        for pair in rng.sample(list(left), min(CANDIDATES, len(left))):
            case = _completed(table, dict(pair), left, rng)
            if case is None:
                left.pop(pair, None)  # allowed by itself, and in no case
            elif _gain(case, left) > _gain(best, left):
                best = case
        for pair in pairs_of(best):
            left.pop(pair, None)
        if best:
            yield best


def _completed(
    table: Table, case: dict[str, str], left: Pairs, rng: Random
) -> dict[str, str] | None:
    """Choose what is open, factor by factor, going back where rules leave nothing."""
    factor = next((factor for factor in table.factors if factor.name not in case), None)
    if factor is None:
        return {factor.name: case[factor.name] for factor in table.factors}
    options = [{**case, factor.name: value} for value in factor.values]
    rng.shuffle(options)
    for option in sorted(options, key=lambda option: -_gain(option, left)):
        whole = _completed(table, option, left, rng) if table.allows(option) else None
        if whole is not None:
            return whole
    return None


def _gain(case: Case, left: Pairs) -> int:
    """Return how many pairs a case would be the first to hold."""
    return sum(pair in left for pair in pairs_of(case))
