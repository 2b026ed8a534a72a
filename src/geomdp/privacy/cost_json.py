"""Costs read back from JSON."""

from collections.abc import Callable, Mapping
from typing import Any

from geomdp.errors import BudgetError
from geomdp.privacy.costs import Cost, total
from geomdp.privacy.mechanism_costs import ApproximateCost, GaussianCost, LaplaceCost, PureCost
from geomdp.privacy.parallel_cost import parallel


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
