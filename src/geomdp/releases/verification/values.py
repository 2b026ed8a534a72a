"""What can be said of a released value without the data, and whether it lies on its public grid."""

from collections.abc import Iterator

import numpy as np

from geomdp.errors import GeomdpError, MissingExtraError
from geomdp.mechanisms.grids import Grid
from geomdp.plans import SinglePlan
from geomdp.plans.release import Release
from geomdp.releases.verification.verdict import Finding, Problem, Remark
from geomdp.spaces.ball import Ball
from geomdp.spaces.base import Space
from geomdp.typing import Array

#: A projected value may lie this much of the radius outside its ball, for rounding.
ROUNDING = 1e-9
#: Projecting stops at most an eighth of the radius inside the ball, for rounding.
EDGE = 0.87
#: Noise may lead where floats do not resolve a point of the space: this near counts as one.
NEARLY = 1e-9


def value_findings(release: Release) -> Iterator[Finding]:
    """Check shape, space, ball and grid of a value of one mechanism."""
    made = release.plan.single
    value = release.value
    statistic, like = made.statistic, made.statistic.public_value
    if value.shape != like.shape or value.dtype.newbyteorder("=") != like.dtype:
        what = f"{value.dtype} of shape {value.shape}"
        yield Problem("value", f"an array of {what} is no value of this statistic")
        return
    if not made.is_private:
        yield Remark("value", "not checked: a comparison uses no grid and may leave the space")
        return
    cover = statistic.as_cover()
    if cover is not None:
        if not cover.is_radius(value):
            yield Problem("value", "it is no radius of the stated grid")
        return
    if statistic.value_space is not None:
        found = list(_membership(statistic.value_space, value))
        yield from found
        if found:
            return
    if made.has_sites:
        yield from _opened(release)
    elif statistic.public_ball is not None and release.manifest["projected"]:
        yield from _projected(statistic.public_ball, made, value)
    else:
        yield from _grid(made, value)


def _membership(space: Space, value: Array) -> Iterator[Finding]:
    reason = space.contains(value).reason
    if not reason:
        return
    if _is_unresolved(space, value):
        yield Remark("value", f"not checked: noise led where floats do not resolve {space.spec}")
    else:
        yield Problem("value", f"it does not lie on {space.spec}: {reason}")


def _opened(release: Release) -> Iterator[Finding]:
    """Make a value again of the totals that sites opened: signatures, roster, sums and all."""
    try:
        follows = release.plan.single.follows_from(release.manifest)
    except MissingExtraError as error:
        yield Remark("consortium", f"not checked: {error}")
        return
    except GeomdpError as error:
        yield Problem("consortium", str(error).rstrip("."))
        return
    except (LookupError, TypeError, ValueError, AttributeError):
        yield Problem("consortium", "it is damaged")
        return
    largest = float(np.max(np.abs(release.value), initial=0.0))
    if follows is None or not np.all(np.abs(follows - release.value) <= ROUNDING * largest):
        yield Problem("value", "it does not follow from the totals that the aggregators signed")


def _is_unresolved(space: Space, value: Array) -> bool:
    """Tell whether a value is nearly a point of an unbounded space, or beyond all floats."""
    if space.injectivity_radius < float("inf"):
        return False
    if not np.all(np.isfinite(value)):
        return True
    origin = np.asarray(space.origin(np.zeros(space.dim)))
    nearby = value + NEARLY * np.max(np.abs(value)) * origin
    return bool(space.contains(nearby))


def _projected(ball: Ball, made: SinglePlan, value: Array) -> Iterator[Finding]:
    distance = float(np.asarray(ball.space.dist(ball.center, value)))
    if not distance <= ball.radius * (1 + ROUNDING):
        yield Problem("projected", "it is stated, but the value lies outside the ball")
    elif distance < EDGE * ball.radius and not np.array_equal(value, ball.center):
        yield from _grid(made, value)  # inside the ball, projecting changes nothing


def _grid(made: SinglePlan, value: Array) -> Iterator[Finding]:
    if made.released_periods:  # it follows from sums that lie on one
        return
    match on_grid(made, value):
        case False:
            step = f"2^{made.calibration.grid_exponent}"
            yield Problem("value", f"it does not lie on the stated grid of step {step}")
        case None:
            yield Remark(
                "value", "not checked against the grid, which cannot be read off floats here"
            )


# --- Whether a released value lies on the public grid that its plan states.
#
# A value was rounded to multiples of public steps in public coordinates, and then made a point of
# its space in floats (docs/theory/exact-release.md, docs/theory/lattice-gaussian.md). Here the way
# is gone back: coordinates of the value, the nearest multiples, and the point that belongs to them.


#: Coordinates whose float error is above this part of a step cannot be judged.
RESOLVED = 0.25
#: Units of the last place that a change of coordinates may cost beside what is measured.
SLACK = 64


def on_grid(made: SinglePlan, value: Array) -> bool | None:
    """Tell whether a value lies on the grid of a plan; None where floats cannot tell."""
    cover = made.statistic.as_cover()
    if cover is not None:
        return cover.is_radius(value)
    chart = made._mechanism.grid(made.calibration)
    if chart is None:
        return None
    try:
        with np.errstate(all="ignore"):
            fits = _fits(chart, value)
            return None if fits is False and made.may_wrap else fits
    except (ArithmeticError, ValueError, np.linalg.LinAlgError):
        return None  # beyond what floats resolve


def _fits(chart: Grid, value: Array) -> bool | None:
    at = chart.coordinates(value)
    if not np.all(np.isfinite(at)):
        return None
    units = _unscaled(at / chart.steps) if chart.scaled else at / chart.steps
    nearest = np.rint(units)
    again = chart.point(nearest * chart.steps)
    # Another machine may round otherwise: what this way costs here says what it may cost there.
    back = chart.coordinates(again) / chart.steps
    if chart.scaled:
        back = back * (np.linalg.norm(nearest) / np.linalg.norm(back))
    cost = np.max(np.abs(back - nearest) * chart.steps)
    unit = np.finfo(float).eps * max(np.max(np.abs(value)), np.max(np.abs(at)))
    tolerance = (4 * cost + SLACK * unit) / chart.steps
    judged = tolerance < RESOLVED  # written so that NaN is not judged
    if not np.any(judged):
        return None
    if np.array_equal(again, value):
        return True
    return bool(np.all(np.abs(units - nearest)[judged] <= tolerance[judged]))


def _unscaled(units: Array) -> Array:
    """Undo the division by the length: the multiple of ``units`` that is nearest to integers.

    Rounding moves a vector by at most half a step a coordinate, hence its length by at most
    ``sqrt(D) / 2`` steps, and so the largest coordinate, which is then tried at each integer.
    """
    largest = int(np.argmax(np.abs(units)))
    reach = int(np.ceil(np.sqrt(units.size))) + 1
    integers = np.rint(units[largest]) + np.arange(-reach, reach + 1)
    tried = units * (integers / units[largest])[:, None]
    misses = np.max(np.abs(tried - np.rint(tried)), axis=-1)
    return np.asarray(tried[int(np.argmin(misses))])
