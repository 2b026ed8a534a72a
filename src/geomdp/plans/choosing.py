"""Which mechanism serves a request best."""

from collections.abc import Callable, Iterator

from geomdp.errors import MechanismRefusedError
from geomdp.mechanisms import MECHANISMS, Mechanism, Request
from geomdp.plans.single import Alternative, SinglePlan
from geomdp.registry import foreign_package
from geomdp.runtime.threads import one_blas_thread
from geomdp.spaces.chart_space import only_a_chart
from geomdp.statistics.base import PointStatistic, Statistic

#: Said of a mechanism whose forecast is known and whose calibration would not be used, and of one
#: for which a lower bound of the forecast is known.
NOT_FINISHED = "if it can serve"
NOT_SIMULATED = "or more, if it can serve"


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
    require_curvature(request.statistic)
    with one_blas_thread():
        if mechanism != "auto":
            return _planned(MECHANISMS.named(mechanism), request)
        return _best(request)


def require_curvature(statistic: Statistic) -> None:
    """Refuse a statistic whose theorems need a bound that its space does not have."""
    if isinstance(statistic, PointStatistic) and statistic.space.chart_only:
        raise MechanismRefusedError(only_a_chart(statistic.space))


def _planned(mechanism: Mechanism, request: Request) -> SinglePlan:
    fitted = mechanism.calibrate(request)
    return SinglePlan(mechanism, fitted, mechanism.forecast(fitted))


def _best(request: Request) -> SinglePlan:
    """Weigh all mechanisms; what takes long is simulated or finished only if it could win."""
    candidates: list[SinglePlan] = []
    others: list[Alternative] = []
    refusals: list[Alternative] = []
    bounded: list[tuple[Mechanism, float]] = []
    outlined: list[tuple[Mechanism, float]] = []

    def begin(option: Mechanism) -> None:
        least = option.least_error(request)
        if least > 0:
            bounded.append((option, least))
        else:
            weigh(option)

    def weigh(option: Mechanism) -> None:
        outline = option.outline(request)
        if outline is None:
            finish(option)
        else:
            outlined.append((option, option.forecast(outline).expected))

    def finish(option: Mechanism) -> None:
        candidates.append(_planned(option, request))

    def unless_refused(step: Callable[[Mechanism], None], option: Mechanism) -> None:
        try:
            step(option)
        except MechanismRefusedError as error:
            refusals.append(Alternative(option.name, None, str(error)))

    for option in _options(request):
        unless_refused(begin, option)
    for known, step, doubt in ((bounded, weigh, NOT_SIMULATED), (outlined, finish, NOT_FINISHED)):
        for option, expected in known:
            if any(not expected < other.expected_error for other in candidates):
                others.append(Alternative(option.name, expected, doubt))
            else:
                unless_refused(step, option)
    if not candidates:
        reasons = " ".join(str(refusal) for refusal in refusals)
        raise MechanismRefusedError(f"No mechanism can serve this request. {reasons}")
    best, *rest = sorted(candidates, key=lambda p: p.expected_error)
    others += [Alternative(p.mechanism, p.expected_error) for p in rest]
    ranked = sorted(others, key=lambda other: other.expected_error or 0.0)
    return SinglePlan(best._mechanism, best.calibration, best.forecast, (*ranked, *refusals))


def _options(request: Request) -> Iterator[Mechanism]:
    for option in MECHANISMS.values():
        if option.comparison or foreign_package(option) is not None:
            continue
        if option.concerns(request.statistic):
            yield option
