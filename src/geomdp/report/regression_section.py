"""What a release of a regression says: slopes with their errors, and pictures along the curve."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from geomdp.curves import FunctionRegression
from geomdp.releases.estimates import (
    Effect,
    RegressionEstimate,
    function_regression_of,
    regression_of,
)
from geomdp.releases.estimates.moments import ConfidenceRegion
from geomdp.releases.release import Release
from geomdp.report.markup import Html, table
from geomdp.report.meaning_of_distance import spoken, title_of
from geomdp.report.moments_section import consequences
from geomdp.report.page import figure, paragraphs, section
from geomdp.report.pictures.by_space import picture_or_words, tiled
from geomdp.report.pictures.scene import Scene, Subject, single_plan, subject_in, unit_directions
from geomdp.report.pictures.styles import style_of
from geomdp.statistics.capabilities import HasMesh
from geomdp.statistics.covariates import Covariate, Interval, Levels
from geomdp.statistics.regression import Regression
from geomdp.typing import Array

#: Covariates along which the curve is drawn at most, and levels of one.
MOST_CURVES, MOST_LEVELS = 3, 6

COVERS = (
    "The curve is bold; faint is the edge of its 95% band, or filled all that it sweeps over. It "
    "counts the privacy noise and the choice of records, where records spread alike about the "
    "curve. It does not count what clipping or curvature do to the curve."
)


NO_BAND = (
    "Errors are root mean square distances over the surface, at area one. They count the privacy "
    "noise and the choice of records, and not what clipping or the terms left out do to the curve."
)

#: What a curve says at values of the covariates, to be drawn.
SceneAt: TypeAlias = Callable[[dict[str, Any]], Scene]


@consequences.register
def _(statistic: Regression, release: Release) -> Html:
    found, made = regression_of(release), single_plan(release)
    subject = subject_in(statistic.ball.space, made.reading)

    def scene(at: dict[str, Any]) -> Scene:
        return _scene(found, at, made.names)

    return _section(found, found.describe(), COVERS, subject, scene)


@consequences.register
def _(statistic: FunctionRegression, release: Release) -> Html:
    found, functions = function_regression_of(release), statistic.functions
    directions = unit_directions(statistic.stack.dim)

    def scene(at: dict[str, Any]) -> Scene:
        return Scene(found.predict(**at), found.edge(directions, **at), names=release.plan.names)

    covers = COVERS if style_of(functions).cloud else NO_BAND
    return _section(found.coefficients, found.describe(), covers, functions, scene)


def _section(
    found: RegressionEstimate, words: str, covers: str, subject: Subject, scene: SceneAt
) -> Html:
    drawn = [
        picture_or_words(partial(_along, found, one, i, subject, scene))
        for i, one in enumerate(found.statistic.design.covariates[:MOST_CURVES])
    ]
    return section(
        "The curve",
        paragraphs(f"{words[:1].upper()}{words[1:]}. All of it follows from the release alone."),
        _effects(found),
        paragraphs(covers),
        drawn,
    )


def _effects(found: RegressionEstimate) -> Html:
    rows = []
    for one in found.statistic.design.covariates:
        if isinstance(one, Interval):
            what = f"{one.name}, from {one.low:g} to {one.high:g}"
            rows.append(_row(what, found.slope(one.name), one.high - one.low))
        elif isinstance(one, Levels):
            first = one.levels[0]
            rows += [
                _row(
                    f"{one.name}, {other} against {first}", found.difference(one.name, first, other)
                )
                for other in one.levels[1:]
            ]
    heads = ["covariate", "change, as a distance", "error by noise", "error by sampling"]
    return table(heads, rows, class_="stack")


def _row(what: str, effect: Effect, factor: float = 1.0) -> list[str]:
    numbers = (effect.length, effect.privacy, effect.sampling)
    return [what, *(f"{factor * number:.3g}" for number in numbers)]


def _along(
    found: RegressionEstimate, covariate: Covariate, number: int, subject: Subject, scene: SceneAt
) -> Html:
    """Draw the curve at five values of a number, or at each level."""
    places = found.curve(covariate.name)[:MOST_LEVELS]
    drawn = tiled(subject, f"curve{number}", {label: scene(at) for label, at in places})
    others = [name for name in found.statistic.design.names if name != covariate.name]
    rest = f"; {', '.join(others)} in the middle or at the first level" if others else ""
    return figure(drawn, f"Along {covariate.name}{rest}.")


def _scene(found: RegressionEstimate, at: dict[str, Any], names: tuple[str, ...]) -> Scene:
    ball = found.statistic.ball
    return Scene(
        found.predict(**at),
        _edge(found, at),
        ring=ball.space.dim == 2,
        ball=ball,
        region=_region(found, at),
        names=names,
    )


def _edge(found: RegressionEstimate, at: dict[str, Any]) -> Array:
    """Points of the space on the edge of the band: around it in the plane, else in directions."""
    band = found.band(**at)
    edge = band.middle + band.radius * unit_directions(found.statistic.dim)
    return np.asarray(found.statistic.tangent.decode(edge))


def _region(found: RegressionEstimate, at: dict[str, Any]) -> ConfidenceRegion | None:
    """Return the band at one place as a region, where it is a ball about its middle."""
    ball, band = found.statistic.ball, found.band(**at)
    if ball.form is not None:
        return None
    unit = ConfidenceRegion(ball, band.middle, np.eye(band.middle.size), band.level)
    return replace(unit, covariance=unit.covariance * band.radius**2 / unit.threshold)


@title_of.register
def _(statistic: Regression) -> str:
    names = ", ".join(statistic.design.names)
    return f"Private regression on {names}: {spoken(statistic.ball.space)}"


@title_of.register
def _(statistic: FunctionRegression) -> str:
    names = ", ".join(statistic.design.names)
    what = "surfaces" if isinstance(statistic.functions, HasMesh) else "curves"
    return f"Private regression on {names}: {what}"
