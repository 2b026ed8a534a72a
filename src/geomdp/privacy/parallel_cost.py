"""Parallel composition: releases from disjoint groups of records, of which a neighbour changes few.

Proofs: docs/theory/groups.md, docs/theory/persons.md.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

from geomdp.errors import BudgetError
from geomdp.privacy.costs import Cost, total
from geomdp.privacy.exact import read_count
from geomdp.privacy.mechanism_costs import ApproximateCost, GaussianCost, LaplaceCost, PureCost


@dataclass(frozen=True)
class ParallelCost(Cost):
    """One of several costs, whichever is worst in the currency asked; made by :func:`parallel`."""

    kind = "parallel"
    branches: tuple[Cost, ...]

    def largest_loss(self) -> Fraction | None:
        """Largest of all."""
        losses = [branch.largest_loss() for branch in self.branches]
        finite = [loss for loss in losses if loss is not None]
        return max(finite) if len(finite) == len(losses) else None

    def mu_squared(self) -> Fraction:
        """Largest of all."""
        return max(branch.mu_squared() for branch in self.branches)

    def rho(self) -> Fraction:
        """Largest of all."""
        return max(branch.rho() for branch in self.branches)

    def failure(self) -> Fraction:
        """Largest of all."""
        return max(branch.failure() for branch in self.branches)

    def for_group(self, k: int) -> Cost:
        """Each branch for the group."""
        return parallel(branch.for_group(k) for branch in self.branches)

    def partly(self, square: Fraction) -> Cost:
        """Each branch in part."""
        return parallel(branch.partly(square) for branch in self.branches)

    def to_json(self) -> dict[str, Any]:
        """Describe exactly."""
        return {"kind": self.kind, "branches": [branch.to_json() for branch in self.branches]}

    def words(self) -> str:
        """List the branches."""
        return f"the worst of: {' or '.join(branch.words() for branch in self.branches)}"

    def __repr__(self) -> str:
        return f"parallel([{', '.join(map(repr, self.branches))}])"


def parallel(costs: Iterable[Cost], groups: int = 1) -> Cost:
    """Cost of releases from disjoint groups, of which a neighbour changes at most ``groups``.

    Group sizes are public. ``groups`` is 1 for public labels and 2 for private ones
    (:attr:`geomdp.privacy.Unit.changed_groups`).

    Examples
    --------
    >>> from geomdp.privacy import GaussianCost, PureCost
    >>> parallel([GaussianCost(1)] * 5)
    GaussianCost(mu=1)
    >>> parallel([PureCost(1), PureCost(2), PureCost(2)], groups=2)
    2 * PureCost(epsilon=2)
    """
    changed = read_count(groups, "The number of groups")
    kept = _needed([cost for cost in costs if cost], changed)
    sums = {total(some) for some in combinations(kept, min(changed, len(kept)))}
    worst = _needed(sorted(sums, key=repr), 1)
    return worst[0] if len(worst) == 1 else ParallelCost(tuple(worst))


def moves(groups: int, among: int) -> list[tuple[int, int]]:
    """In how many groups a person can be replaced, and in how many others come or go.

    A person counts in at most ``groups`` of ``among`` before and after. Only what no other way
    exceeds is listed.
    """
    counted = min(read_count(groups, "The number of groups"), among)
    least = max(0, 2 * counted - among)
    return [(both, 2 * (counted - both)) for both in range(least, counted + 1)]


def moving(costs: Sequence[Cost], groups: int, absence: Fraction) -> Cost:
    """Cost of releases by group where a person counts in at most ``groups``, before and after.

    Where they stay their value is replaced; where they come or go it is the public one on one side,
    which costs a part (:meth:`Cost.partly`) of the square ``absence``.
    """
    gone = [cost.partly(absence) for cost in costs]
    ways = moves(groups, len(costs))
    if absence >= 1:  # then whoever changes the most groups costs the most
        ways = ways[:1]
    return parallel(
        total(parallel(some, count) for some, count in ((costs, both), (gone, others)) if count)
        for both, others in ways
    )


def _needed(costs: Sequence[Cost], changed: int) -> list[Cost]:
    """Leave out costs that as many others cover as can change at a time.

    A choice of ``changed`` costs that has such a one leaves one of its covers free to replace it.
    Of costs that cover one another the first ones stay.
    """
    return [
        cost
        for i, cost in enumerate(costs)
        if changed
        > sum(
            other.covers(cost) and (j < i or not cost.covers(other))
            for j, other in enumerate(costs)
            if j != i
        )
    ]


# --- costs read back from JSON


def cost_from_json(data: Mapping[str, Any]) -> Cost:
    """Rebuild a cost from what :meth:`Cost.to_json` gave.

    Examples
    --------
    >>> cost_from_json({"kind": "laplace", "epsilon": "1", "dim": 3})
    LaplaceCost(epsilon=1, dim=3)
    """
    try:
        fields = dict(data)
        return _READERS[fields.pop("kind")](**fields)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BudgetError(f"This describes no cost: {data!r}.") from error


def _composed(terms: list[Mapping[str, Any]]) -> Cost:
    return total(cost_from_json(term["cost"]) * term["times"] for term in terms)


def _parallel(branches: list[Mapping[str, Any]]) -> Cost:
    return parallel(cost_from_json(branch) for branch in branches)


_READERS: Mapping[str, Callable[..., Cost]] = {
    **{kind.kind: kind for kind in (PureCost, GaussianCost, LaplaceCost, ApproximateCost)},
    "composed": _composed,
    "parallel": _parallel,
}
