"""The bridge to dp-accounting: privacy loss distributions and events.

dp-accounting takes about a second to import, so it is imported when it is first asked.
"""

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from geomdp.errors import BudgetError
from geomdp.intervals import interval, precision, round_down, round_up
from geomdp.privacy.base import Budget
from geomdp.privacy.budgets import GDP, ZCDP

if TYPE_CHECKING:
    from dp_accounting import DpEvent

#: What one convolution by Fourier transform may get wrong in delta (docs/theory/composition.md).
CONVOLUTION_ERROR = 1e-13
#: Steps of the loss grid: the smallest loss gets this many, the whole range at most the second.
FINEST, MOST_STEPS = 200, 10**5


def accountant_epsilon(budgets: Sequence[Budget], delta: Fraction) -> Fraction | None:
    """Epsilon of the composition by dp-accounting's privacy loss distributions, rounded up.

    None where that route is closed: a ``ZCDP`` budget has no worst privacy loss distribution, and
    a delta near the error of the Fourier transform cannot be resolved.
    """
    if any(isinstance(budget, ZCDP) for budget in budgets):
        return None
    normal = [budget for budget in budgets if isinstance(budget, GDP)]
    pieces = Counter(budget for budget in budgets if budget and not isinstance(budget, GDP))
    if any(normal):
        pieces[sum(normal[1:], start=normal[0])] += 1  # exact, and one distribution instead of many
    if not pieces:
        return Fraction(0)
    error = CONVOLUTION_ERROR * pieces.total()
    target = float(round_down(delta)) - error
    if target < 1000 * error:
        return None
    epsilon = _composed(pieces).get_epsilon_for_delta(target)
    return round_up(Fraction(epsilon)) if 0 < epsilon < float("inf") else None


def _composed(pieces: Counter[Budget]) -> Any:
    """Privacy loss distribution of all pieces together."""
    step = _grid_step(pieces)
    composed = None
    for budget, count in pieces.items():
        part = _loss_distribution(budget, step).self_compose(count)
        composed = part if composed is None else composed.compose(part)
    return composed


def _grid_step(pieces: Counter[Budget]) -> float:
    """Grid of the losses: fine, not too long, and with the smallest loss (just) on the grid.

    Losses are rounded up to the grid; hundreds of releases of one kind would add that up.
    """
    least = min((reach for budget in pieces if (reach := _reach(budget)) > 0), default=1.0)
    whole = sum(_reach(budget) * count for budget, count in pieces.items())
    step = max(min(1e-4, least / FINEST), whole / MOST_STEPS)
    return least * (1 + 1e-9) / math.floor(least / step) if step <= least else step


def _reach(budget: Budget) -> float:
    """Size of the privacy loss: only the grid depends on it."""
    return budget.mu * (10 + budget.mu) if isinstance(budget, GDP) else float(budget.parts[0])


def _loss_distribution(budget: Budget, step: float) -> Any:
    """Worst privacy loss distribution within one budget, rounded to be pessimistic."""
    from dp_accounting.pld import privacy_loss_distribution as pld
    from dp_accounting.pld.common import DifferentialPrivacyParameters

    if isinstance(budget, GDP):
        return pld.from_gaussian_mechanism(
            _noise_multiplier(budget), value_discretization_interval=step
        )
    parts = [float(round_up(part)) for part in budget.parts]
    return pld.from_privacy_parameters(DifferentialPrivacyParameters(*parts), step)


def _noise_multiplier(budget: GDP) -> float:
    """1/mu, rounded down: less noise is the pessimistic side."""
    with precision(128):
        return float(round_down(1 / interval(budget.parts[0]).sqrt()))


def dp_event(budget: Budget) -> "DpEvent":
    """Give the dp-accounting event whose worst case is exactly the budget's.

    ``Pure`` becomes binary randomised response, which dominates every epsilon-private mechanism;
    Laplace noise in one dimension does not. ``GDP`` becomes Gaussian noise of multiplier 1/mu,
    ``ZCDP`` its own event, and nothing left no operation. Account with
    ``NeighboringRelation.REPLACE_ONE``, the relation of this package: no accountant of
    dp-accounting then understates the loss, but its PLD accountant doubles that of Gaussian events
    (docs/theory/composition.md, "Events").

    Raises
    ------
    BudgetError
        For ``Approximate``, which has no event: convert the mechanism's own guarantee instead.

    Examples
    --------
    >>> dp_event(GDP(0.5))
    GaussianDpEvent(noise_multiplier=2.0)
    """
    import dp_accounting

    if not budget:
        return dp_accounting.NoOpDpEvent()
    if budget.is_pure:
        with precision(128):
            noise = float(round_down(2 / (1 + interval(budget.parts[0]).exp())))
        return dp_accounting.RandomizedResponseDpEvent(noise_parameter=noise, num_buckets=2)
    if isinstance(budget, GDP):
        return dp_accounting.GaussianDpEvent(noise_multiplier=_noise_multiplier(budget))
    if isinstance(budget, ZCDP):
        return dp_accounting.ZCDpEvent(rho=float(round_up(budget.parts[0])))
    raise BudgetError(
        f"dp-accounting has no event for {budget!r}; give the GDP or ZCDP guarantee of the "
        "mechanism, or compose with geomdp.privacy.compose."
    )
