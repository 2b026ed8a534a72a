"""What comes out: rows that are functions of one record each, and draws where they are forecast."""

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import stats

import geomdp as dp
from geomdp.plans import Plan, SinglePlan
from geomdp.statistics.cover_radius import Cover

from .question import Question
from .rows import point_of, prepared_rows, rows_alone

#: Draws of a case, the quantile that none exceeds, and draws that decide where one did.
DRAWS, BEYOND, DECIDING = 5, 0.999, 60
#: Encoded rows that are known already, by group.
Rows: TypeAlias = dict[Any, NDArray[Any]]
#: Chance at which so many so small errors are too good to be true, and so many large ones too bad.
CHANCE = 1e-6


def leaves(release: dp.Release) -> Iterator[tuple[str | None, Any]]:
    """Yield the values of a release by group; of stages, the last one's."""
    if release.plan.parts:
        yield from ((label, part.value) for label, part in release.parts.items())
    else:
        yield None, release.value


def _last_plan(release: dp.Release, label: str | None) -> SinglePlan:
    """Return the plan that a value follows: of stages, the last one's."""
    part = release if label is None else release.parts[label]
    while part.parts:
        part = list(part.parts.values())[-1]
    assert isinstance(part.plan, SinglePlan)
    return part.plan


def require_rows(question: Question, plan: Plan, prepared: Any) -> None:
    """Ask that prepared rows are those of each record alone."""
    plans: Any = plan.parts or {None: plan if isinstance(plan, SinglePlan) else plan.rule.plan(())}
    found = prepared_rows(prepared)
    for rows, (label, one) in zip(found, plans.items(), strict=True):
        assert len(rows) == one.n, f"{len(rows)} rows of {one.n}"
        alone = rows_alone(one, question.data, plan.unit, label)
        # Of two halves, drawn in order, the first stage sees the first.
        _require_equal(rows, alone[: one.n] if plan.public_statistic.in_stages else alone)


def _require_equal(rows: NDArray[Any], alone: NDArray[Any]) -> None:
    assert rows.shape == alone.shape, f"rows {rows.shape}, alone {alone.shape}"
    different = np.flatnonzero(_changed(rows, alone))
    if different.size:
        far = float(np.max(np.abs(rows - alone)))
        word = "in the last bits" if far < 1e-9 else f"by {far:.3g}"
        raise AssertionError(f"{different.size} of {len(rows)} rows differ {word} from rows alone")


def _changed(one: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
    """Mark the rows whose bits differ."""
    size = len(one)
    bits = (np.ascontiguousarray(x + 0.0).view(np.uint8).reshape(size, -1) for x in (one, other))
    first, second = bits
    return np.any(first != second, axis=1)


def require_bystanders(
    good: list[NDArray[Any]], rows: list[NDArray[Any]], question: Question, place: int
) -> None:
    """Ask that one record changed one row, and nobody else's."""
    assert [len(part) for part in rows] == [len(part) for part in good], "another number of rows"
    changed = np.concatenate([_changed(a, b) for a, b in zip(good, rows, strict=True)])
    assert np.count_nonzero(changed) <= 1, f"{np.count_nonzero(changed)} rows changed by one record"
    alone = question.unit == "record" and question.groups == "none"
    if alone and np.any(changed):
        assert changed[place], f"record {place} changed row {int(np.argmax(changed))}"


def require_forecast(question: Question, plan: Plan, prepared: Any) -> None:
    """Ask that none of five draws is beyond the forecast; where one is, many decide."""
    rows: Rows = {}
    releases = [prepared.draw() for _ in range(DRAWS)]
    for release in releases if question.stages in ("find-ball", "ball alone") else ():
        _require_found(question, plan, release)
    chances = np.array([_chances(question, plan, release, rows) for release in releases])
    if np.any(chances > BEYOND):
        more = [_chances(question, plan, prepared.draw(), rows) for _ in range(DECIDING)]
        beyond, size = np.count_nonzero(np.array(more) > BEYOND), np.size(more)
        unlikely = stats.binom.sf(beyond - 1, size, 1 - BEYOND) < CHANCE
        assert not unlikely, f"{beyond} of {size} draws beyond the 99.9% of the forecast"
    if chances.size and _is_exact(plan):
        luck = stats.gamma.sf(-np.sum(np.log(np.maximum(chances, 1e-300))), chances.size)
        assert luck > CHANCE, f"less noise than forecast (chance {luck:.1g})"


def _require_found(question: Question, plan: Any, release: dp.Release) -> None:
    """Ask that what was found in stages lies among the records, wherever these are."""
    statistic: Any = _last_plan(release, None).statistic
    points = np.concatenate([point_of(plan, raw) for raw in question.data.raw])
    spread = float(np.max(question.home.dist(question.middle, points)))
    if isinstance(statistic, Cover):
        ball = dp.ball_of(release)
        found, reach = ball.center, ball.radius
    elif statistic.value_space is None:
        found, reach = _mean_point(release), 0.0
    else:
        found, reach = release.value, 0.0
    laws = [plan.forecast, *plan.rule.forecasts().values()]
    reach += spread + max(law.quantile(BEYOND) for law in laws)
    far = float(question.home.dist(question.middle, found))
    assert far <= reach, f"found {far:.3g} away from records within {spread:.3g} of their middle"


def _mean_point(release: dp.Release) -> Any:
    """Return the mean that moments, a regression or classes tell."""
    statistic: Any = _last_plan(release, None).statistic
    if statistic.mean_space is not None:
        return statistic.mean_point(release.value)
    parts = statistic.split(release.value)
    return statistic.tangent.decode(parts.sums.sum(axis=0) if statistic.labelled else parts.mean)


def _is_exact(plan: Plan) -> bool:
    """Tell whether errors follow the forecast, and are not only bounded by it."""
    bias = getattr(plan.statistic, "bias_deviations", np.zeros(1))
    one_stage = isinstance(plan, SinglePlan) or bool(plan.parts)
    return one_stage and not np.any(bias)


def _chances(question: Question, plan: Plan, release: dp.Release, known: Rows) -> list[float]:
    """Return how likely no larger an error is, by the forecast of each value: 0 to 1."""
    found = []
    for label, value in leaves(release):
        one = _last_plan(release, label)
        if isinstance(one.statistic, Cover):
            continue
        space = one.statistic.value_space
        if space is not None and not space.contains(value):
            continue  # noise led where floats hold no point: verify judges that
        if isinstance(plan, SinglePlan) or plan.parts:
            if label not in known:
                known[label] = _rows_of(question, plan, one, label)
            rows = known[label]
        else:  # every release of stages has a last plan of its own
            rows = _rows_of(question, plan, one, label)
        error, law = error_of(one, value, rows), one.forecast
        # A sample tells nothing of errors below its smallest.
        found.append(float(np.interp(error, law.radii, law.cdf, right=1)))
    return found


def _rows_of(question: Question, plan: Plan, one: SinglePlan, label: str | None) -> NDArray[Any]:
    if not one.statistic.needs_n:
        return np.asarray(one.statistic.admit(question.data.raw[0]).records)
    return rows_alone(one, question.data, plan.unit, label)


def error_of(plan: SinglePlan, value: Any, rows: NDArray[Any]) -> float:
    """Return the distance between a value and the statistic of encoded rows."""
    statistic: Any = plan.statistic
    view = statistic.as_linear()
    if view is None:
        true = statistic.estimate(rows, statistic.tolerance(plan.n))
    else:  # on balls so wide that floats hold no points of them, too
        true = view.linear.estimate(view.to_coordinates(rows))
    if statistic.value_space is not None:
        return float(statistic.value_space.dist(value, true))
    noise = statistic.to_coordinates(value) - statistic.to_coordinates(true)
    return float(statistic.error_of(noise[None])[0])
