"""What each record becomes, computed for that record alone: the reference of every batch."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

import geomdp as dp
from geomdp.plans import Plan, SinglePlan
from geomdp.sources.records import GROUP

from .question import LIMIT, Data


def rows_alone(plan: SinglePlan, data: Data, unit: dp.Unit, label: str | None) -> NDArray[Any]:
    """Return the rows of a plan, or of the plan of one group, record by record."""
    mine = [i for i in range(len(data.raw)) if label is None or (data.group or [])[i] == label]
    if unit.of == "person" and unit.max_records is None:
        return _persons(plan, data, mine)
    skipped = beyond_limit(data) if unit.of == "person" else set()
    public = plan.statistic.public_row
    return np.array([public if i in skipped else _row(plan, data, i) for i in mine])


def _row(plan: SinglePlan, data: Data, place: int) -> Any:
    return _admitted(plan.statistic, point_of(plan, data.raw[place]), _beside(data, [place]))


def _admitted(statistic: Any, points: Any, covariates: Mapping[str, Any]) -> Any:
    one = dp.Records(points, covariates=covariates) if statistic.covariate_names else points
    return np.asarray(statistic.admit(one).records)[0]


def point_of(plan: Plan, raw: Any) -> Any:
    """Return one raw record as a batch of one point; what is no raw record has no number."""
    if plan.reading is None:
        return [raw] if isinstance(raw, tuple) else np.asarray(raw)[None]
    return plan.reading.points(np.asarray(raw)[None])


def _beside(data: Data, places: list[int]) -> dict[str, NDArray[Any]]:
    columns = {**data.covariates, **({} if data.group is None else {GROUP: data.group})}
    return {name: np.array([column[i] for i in places]) for name, column in columns.items()}


def beyond_limit(data: Data) -> set[int]:
    """Return the records beyond a person's limit, in the order of the data."""
    seen: dict[str, int] = {}
    beyond = set()
    for i, who in enumerate(data.person or []):
        seen[who] = seen.get(who, 0) + 1
        if seen[who] > LIMIT:
            beyond.add(i)
    return beyond


def _persons(plan: SinglePlan, data: Data, mine: list[int]) -> NDArray[Any]:
    """Return one row a person, in the order of their names, then those without records."""
    owned: dict[str, list[int]] = {}
    for i in mine:
        owned.setdefault((data.person or [])[i], []).append(i)
    rows = [_person(plan, data, owned[who]) for who in sorted(owned)]
    absent = [plan.statistic.of_persons.public_row] * (plan.n - len(rows))
    return np.array([*rows, *absent])


def _person(plan: SinglePlan, data: Data, places: list[int]) -> Any:
    statistic, pooling = plan.statistic, plan.statistic.pooling
    assert pooling is not None
    total = np.zeros(pooling.dim)
    for i in places:
        one = point_of(plan, data.raw[i])
        one = dp.Records(one, covariates=_beside(data, [i])) if pooling.names else one
        total += pooling.vectors(one).records[0]
    point = pooling.records((total / len(places))[None])
    nobody = np.zeros(len(places), dtype=np.intp)
    covariates = statistic.pooled_covariates(_beside(data, places), nobody, 1)
    return _admitted(statistic.of_persons, point, covariates)


def prepared_rows(prepared: Any) -> list[NDArray[Any]]:
    """Return the encoded rows of what is prepared, one array a group; of stages, the first's."""
    if hasattr(prepared, "ready"):
        return [rows for one in prepared.ready.values() for rows in prepared_rows(one)]
    if hasattr(prepared, "first"):
        return prepared_rows(prepared.first)
    return [np.asarray(prepared.encoded)]
