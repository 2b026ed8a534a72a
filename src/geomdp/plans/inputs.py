"""A request in plan files: the public inputs that every shape of plan has."""

from collections.abc import Sequence
from typing import Any, get_args

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.mechanisms import Request
from geomdp.privacy import Budget, GaussianFormula, Unit, budget_from_json
from geomdp.readings.base import Reading, reading_from_json, reading_to_json, require_reading
from geomdp.readings.names import checked_names, names_to_json
from geomdp.serial import Document
from geomdp.spaces.admission import Policy
from geomdp.statistics import Statistic, statistic_from_json
from geomdp.statistics.sensitivity import Bound

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
    """Check every public input and put them together.

    >>> import geomdp as dp
    >>> make_request(dp.Summary(dp.Sphere(2), 0.01), None, dp.Pure(1)).invalid
    'refuse'
    """
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
        names=document.get("names", ()),
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
