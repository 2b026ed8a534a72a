"""What can be said of a released value without the data."""

from collections.abc import Iterator

import numpy as np

from geomdp.plans import SinglePlan
from geomdp.releases.release import Release
from geomdp.releases.verification.grid import on_grid
from geomdp.releases.verification.problems import Finding, Problem, Remark
from geomdp.spaces.ball import Ball
from geomdp.spaces.base import Space
from geomdp.statistics.cover_radius import Cover
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
    if isinstance(statistic, Cover):
        if not statistic.is_radius(value):
            yield Problem("value", "it is no radius of the stated grid")
        return
    if statistic.value_space is not None:
        found = list(_membership(statistic.value_space, value))
        yield from found
        if found:
            return
    if statistic.public_ball is not None and release.manifest["projected"]:
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
    match on_grid(made, value):
        case False:
            step = f"2^{made.calibration.grid_exponent}"
            yield Problem("value", f"it does not lie on the stated grid of step {step}")
        case None:
            yield Remark(
                "value", "not checked against the grid, which cannot be read off floats here"
            )
