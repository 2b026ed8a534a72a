"""The inverse of planning: the smallest budget whose forecast error is small enough."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from geomdp.errors import GeomdpError, MechanismRefusedError
from geomdp.plans.inputs import make_request
from geomdp.plans.planning import plan
from geomdp.privacy import Budget, Pure, Unit
from geomdp.runtime.surroundings import undisturbed
from geomdp.statistics import Statistic
from geomdp.statistics.sensitivity import Bound

#: Where :func:`budget_for` stops looking.
SMALLEST_BUDGET, LARGEST_BUDGET = 1e-6, 1e6


@undisturbed()
def budget_for(
    statistic: Statistic,
    *,
    n: int | Mapping[str, int] | None = None,
    error: float,
    kind: Callable[[float], Budget] = Pure,
    quantile: float | None = None,
    mechanism: str = "auto",
    bound: Bound = "sharp",
    unit: Unit | None = None,
) -> Budget:
    """Return the smallest budget, to three digits, whose forecast error is at most ``error``.

    Parameters
    ----------
    statistic, n, mechanism, bound, unit
        As for :func:`plan`; with groups the error is that of the group with the largest.
    error
        The error wanted: its mean, or the ``quantile`` if one is given. What is known in advance
        cannot wait for a tau that is found: of a statistic without tau it is the error with the tau
        that is chosen from n and the budget, of ``plan(statistic.under(budget, n), ...)``.
    kind
        Makes a budget from a number: ``Pure``, ``GDP``, or ``lambda e: Approximate(e, 1e-6)``.

    Examples
    --------
    >>> import geomdp as dp
    >>> ball = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)
    >>> budget_for(dp.FrechetMean(ball), n=1000, error=0.01)
    Pure(epsilon=0.219)

    Without tau, a plan of ``mean`` itself would find one first, and say its error by case.

    >>> from geomdp.surfaces import SurfaceMean, make_template, template_face
    >>> mean = SurfaceMean(make_template(template_face()), rings=8, points=24)
    >>> budget = budget_for(mean, n=1000, error=0.002, kind=dp.GDP)
    >>> made = dp.plan(mean.under(budget, 1000), n=1000, budget=budget)
    >>> made.shape, round(made.expected_error, 4)
    ('single', 0.002)
    """
    if not 0 < error < float("inf"):
        raise GeomdpError(f"The error wanted must be positive and finite, not {error}.")

    sizes: Any = n

    def forecast(value: float) -> float:
        try:
            budget = kind(value)
            asked = _in_one_stage(statistic, n, budget, unit)
            made = plan(asked, n=sizes, budget=budget, mechanism=mechanism, bound=bound, unit=unit)
        except MechanismRefusedError:
            return float("inf")
        return made.expected_error if quantile is None else made.error_quantile(quantile)

    low, high = _bracket(lambda value: forecast(value) <= error)
    while high / low > 1.001:
        middle = float(np.sqrt(low * high))
        low, high = (low, middle) if forecast(middle) <= error else (middle, high)
    return kind(_three_digits_up(high))


def _in_one_stage(
    statistic: Any, n: int | Mapping[str, int] | None, budget: Budget, unit: Unit | None
) -> Any:
    """Return what is asked with everything chosen that was left out, after n is checked.

    Questions that say their stages themselves stay; by group, plans choose anyway.
    """
    if isinstance(n, Mapping) or not isinstance(statistic, Statistic):
        return statistic
    return make_request(statistic, n, budget, unit=unit).statistic


def _bracket(enough: Callable[[float], bool]) -> tuple[float, float]:
    """Budgets a factor 8 apart, of which the larger is enough and the smaller is not."""
    value = 1.0
    if enough(value):
        while enough(value / 8) and value > SMALLEST_BUDGET:
            value /= 8
        return value / 8, value
    while not enough(value * 8):
        value *= 8
        if value > LARGEST_BUDGET:
            raise MechanismRefusedError(
                f"No budget below {LARGEST_BUDGET:g} gives so small an error; use more records, a "
                "smaller radius or another mechanism."
            )
    return value, value * 8


def _three_digits_up(value: float) -> float:
    """Round up to three significant digits."""
    exponent = int(np.floor(np.log10(value))) - 2
    return float(f"{np.ceil(value / 10.0**exponent):.0f}e{exponent}")
