"""What a budget covers when each plan may be chosen by looking at the releases before it.

A sum of costs that were fixed in advance may be priced by whichever road is shortest. Here the
costs themselves may hang on earlier releases, and so must not the road: docs/theory/ledger.md.
"""

from collections.abc import Sequence
from fractions import Fraction

from geomdp.errors import BudgetError
from geomdp.privacy import GDP, ZCDP, Approximate, Budget, Cost, convert, implies, total

#: Where curves are compared: not at the granted delta, which a later grant may change.
_USUAL_DELTA = Fraction(1, 10**6)


def admits(granted: Budget, costs: Sequence[Cost]) -> bool:
    """Tell whether a budget covers costs in the order in which they were chosen.

    Examples
    --------
    >>> from geomdp.privacy import GaussianCost, Pure, PureCost
    >>> admits(Pure(1), [PureCost(0.5)] * 2), admits(Pure(1), [PureCost(0.5)] * 3)
    (True, False)
    >>> admits(Approximate(5, 1e-6), [GaussianCost(0.7), GaussianCost(0.7)])
    True
    """
    spent = total(costs)
    if not granted.has_delta or len(costs) < 2:
        return spent.fits(granted)
    loss, (epsilon, delta) = spent.largest_loss(), granted.parts
    bounded = loss is not None and loss <= epsilon
    if costs[0].failure():
        return bounded and spent.failure() <= delta
    return not spent.failure() and (bounded or implies(_curve(costs), granted))


def priced(granted: Budget, costs: Sequence[Cost]) -> Budget:
    """Return what was spent in the currency that was granted; at the granted delta, if any.

    Examples
    --------
    >>> from geomdp.privacy import GaussianCost
    >>> priced(GDP(1), [GaussianCost(0.3), GaussianCost(0.4)])
    GDP(mu=0.5)

    Raises
    ------
    BudgetError
        Where the costs have no price in that currency.
    """
    spent = total(costs)
    if not granted.has_delta:
        return spent.price(type(granted))
    delta = granted.parts[1]
    if len(costs) < 2:
        return spent.price(Approximate, delta=delta)
    epsilons = [] if spent.largest_loss() is None else [spent.largest_loss() or Fraction(0)]
    if not spent.failure():
        epsilons.append(convert(_curve(costs), Approximate, delta).parts[0])
    elif not costs[0].failure() or spent.failure() > delta:
        epsilons = []  # a delta that comes later finds the granted one promised already
    if not epsilons:
        raise BudgetError("These costs have no price at the granted delta.")
    return Approximate.from_parts(min(epsilons), delta)


def _curve(costs: Sequence[Cost]) -> GDP | ZCDP:
    """Return all costs on the curve that is shorter for the first, which no release preceded."""
    first, spent = costs[0], total(costs)
    by_mu = convert(first.price(GDP), Approximate, _USUAL_DELTA).parts[0]
    by_rho = convert(first.price(ZCDP), Approximate, _USUAL_DELTA).parts[0]
    return spent.price(GDP) if by_mu <= by_rho else spent.price(ZCDP)
