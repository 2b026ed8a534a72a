"""Which mechanism serves a request best."""

from geomdp.errors import MechanismRefusedError
from geomdp.mechanisms import MECHANISMS, Request
from geomdp.plans.single import Alternative, SinglePlan
from geomdp.registry import foreign_package
from geomdp.spaces.chart_space import only_a_chart
from geomdp.statistics.base import PointStatistic


def choose(request: Request, mechanism: str = "auto") -> SinglePlan:
    """Plan with the mechanism named, or with the one whose forecast error is the smallest.

    Comparisons and mechanisms of other packages are taken only by name: what is installed beside
    this package must not change a plan.

    Raises
    ------
    MechanismRefusedError
        If it cannot serve, or none can.

    Examples
    --------
    >>> import numpy as np, geomdp as dp
    >>> ball = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)
    >>> choose(Request(dp.FrechetMean(ball), 100, dp.Pure(1))).mechanism
    'laplace'
    """
    statistic = request.statistic
    if isinstance(statistic, PointStatistic) and statistic.space.chart_only:
        raise MechanismRefusedError(only_a_chart(statistic.space))
    if mechanism != "auto":
        chosen = MECHANISMS.named(mechanism)
        fitted = chosen.calibrate(request)
        return SinglePlan(chosen, fitted, chosen.forecast(fitted))
    candidates, refusals = [], []
    for option in MECHANISMS.values():
        if option.comparison or foreign_package(option) is not None:
            continue
        if not option.concerns(request.statistic):
            continue
        try:
            fitted = option.calibrate(request)
        except MechanismRefusedError as error:
            refusals.append(Alternative(option.name, None, str(error)))
            continue
        candidates.append(SinglePlan(option, fitted, option.forecast(fitted)))
    if not candidates:
        reasons = " ".join(str(refusal) for refusal in refusals)
        raise MechanismRefusedError(f"No mechanism can serve this request. {reasons}")
    best, *others = sorted(candidates, key=lambda p: p.expected_error)
    ranked = [Alternative(p.mechanism, p.expected_error) for p in others]
    return SinglePlan(best._mechanism, best.calibration, best.forecast, (*ranked, *refusals))
