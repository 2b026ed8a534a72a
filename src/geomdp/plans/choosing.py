"""From public inputs to a request, and which mechanism serves it best."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, get_args

import numpy as np

from geomdp.errors import GeomdpError, MechanismRefusedError
from geomdp.mechanisms import MECHANISMS, Mechanism, Request
from geomdp.plans.single import Alternative, SinglePlan
from geomdp.privacy import Budget, GaussianFormula, Unit, budget_from_json
from geomdp.readings.base import Reading, reading_from_json, reading_to_json, require_reading
from geomdp.readings.names import checked_names, names_from_json, names_to_json
from geomdp.registry import foreign_package
from geomdp.runtime.threads import one_blas_thread
from geomdp.serial import Document
from geomdp.spaces.admission import Policy
from geomdp.spaces.chart_space import only_a_chart
from geomdp.statistics import Statistic, statistic_from_json
from geomdp.statistics.base import PointStatistic
from geomdp.statistics.sensitivity import Bound

#: Said of a mechanism whose forecast is known and whose calibration would not be used, and of one
#: for which a lower bound of the forecast is known.
NOT_FINISHED = "if it can serve"
NOT_SIMULATED = "or more, if it can serve"


def choose(request: Request, mechanism: str = "auto") -> SinglePlan:
    """Plan with the mechanism named, or with the one whose forecast error is the smallest.

    Errors are those of what people use: denoised, where a rule is known.

    Comparisons and mechanisms of other packages are taken only by name: what is installed beside
    this package must not change a plan.

    Raises ``MechanismRefusedError`` if it cannot serve, or none can.
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
            if any(not expected < other.least_error for other in candidates):
                others.append(Alternative(option.name, expected, doubt))
            else:
                unless_refused(step, option)
    if not candidates:
        reasons = " ".join(str(refusal) for refusal in refusals)
        raise MechanismRefusedError(f"No mechanism can serve this request. {reasons}")
    best, *rest = sorted(candidates, key=lambda p: p.least_error)
    others += [Alternative(p.mechanism, p.expected_error) for p in rest]
    ranked = sorted(others, key=lambda other: other.expected_error or 0.0)
    return SinglePlan(best._mechanism, best.calibration, best.forecast, (*ranked, *refusals))


def _options(request: Request) -> Iterator[Mechanism]:
    for option in MECHANISMS.values():
        if option.comparison or foreign_package(option) is not None:
            continue
        if option.concerns(request.statistic):
            yield option


# --- A request in plan files: the public inputs that every shape of plan has.


#: More records than there are bytes on earth; beyond, floats stop being exact.
MOST_RECORDS = 10**15


def make_request(
    statistic: Statistic,
    n: int | None,
    budget: Budget | None,
    *,
    unit: Unit | None = None,
    bound: Bound = "sharp",
    gaussian: GaussianFormula = "analytic",
    invalid: Policy | None = None,
    reading: Reading | None = None,
    names: Sequence[str] = (),
) -> Request:
    """Check every public input and put them together."""
    if not isinstance(budget, Budget):
        raise GeomdpError(f"A plan needs a budget such as Pure(epsilon=1), not {budget!r}.")
    budget = budget.spendable()
    who = Unit.record() if unit is None else unit
    if not isinstance(who, Unit):
        raise GeomdpError(f"The unit must be Unit.record() or Unit.person(...), not {unit!r}.")
    size = _public_n(statistic, n, who)
    statistic = statistic.under(who.record_budget(budget), size)
    policy = statistic.policies[0] if invalid is None else invalid
    _one_of("bound", bound, get_args(Bound))
    _one_of("gaussian", gaussian, get_args(GaussianFormula))
    _one_of("invalid", policy, statistic.policies)
    require_reading(reading, statistic.record_space, statistic.needs_n)
    told = checked_names(names, statistic)
    return Request(statistic, size, budget, bound, gaussian, policy, who, reading, told)


def request_to_json(request: Request) -> Document:
    """Describe a request exactly."""
    return {
        "statistic": request.statistic.to_json(),
        "n": request.n,
        "budget": request.budget.to_json(),
        "unit": request.unit.to_json(),
        "bound": request.bound,
        "gaussian": request.gaussian,
        "invalid": request.invalid,
        **reading_to_json(request.reading),
        **names_to_json(request.names),
    }


def request_from_json(document: Document) -> Request:
    """Inverse of :func:`request_to_json`."""
    return make_request(
        statistic_from_json(document["statistic"]),
        document["n"],
        budget_from_json(document["budget"]),
        unit=Unit.from_json(document["unit"]),
        bound=document["bound"],
        gaussian=document["gaussian"],
        invalid=document["invalid"],
        reading=reading_from_json(document.get("reading")),
        names=names_from_json(document),
    )


def _public_n(statistic: Statistic, n: int | None, unit: Unit) -> int:
    if not statistic.needs_n:
        return 1
    whole = isinstance(n, int | np.integer) and not isinstance(n, bool)
    if n is None or not whole or not 2 <= n <= MOST_RECORDS:
        raise GeomdpError(
            f"The number of {unit.plural} n must be public and a whole number from 2 to "
            f"{MOST_RECORDS:.0e}, not {repr(n)[:20]}: one {unit.counted} alone cannot be averaged."
        )
    return int(n)


def _one_of(name: str, value: Any, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise GeomdpError(f"{name} must be {' or '.join(map(repr, choices))}, not {value!r}.")
