"""What a release of a regression says: slopes with their errors, and pictures along the curve."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from geomdp.estimates import Effect, RegressionEstimate, regression_of
from geomdp.estimates.region import ConfidenceRegion
from geomdp.plans import SinglePlan
from geomdp.release import Release
from geomdp.report.markup import Html, table, tag
from geomdp.report.meaning_of_distance import spoken, title_of
from geomdp.report.moments_section import consequences
from geomdp.report.page import figure, paragraphs, section
from geomdp.report.pictures import multiples, picture_or_words
from geomdp.report.scene import Scene, single_plan, subject_in, unit_directions
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


@consequences.register
def _(statistic: Regression, release: Release) -> Html:
    found = regression_of(release)
    words = found.describe()
    made = single_plan(release)
    drawn = [
        picture_or_words(partial(_along, found, one, i, made))
        for i, one in enumerate(_drawn(statistic))
    ]
    return section(
        "The curve",
        paragraphs(f"{words[:1].upper()}{words[1:]}. All of it follows from the release alone."),
        _effects(found),
        paragraphs(COVERS),
        drawn,
    )


def _drawn(statistic: Regression) -> tuple[Covariate, ...]:
    return statistic.design.covariates[:MOST_CURVES]


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


def _along(found: RegressionEstimate, covariate: Covariate, number: int, made: SinglePlan) -> Html:
    """Draw the curve at five values of a number, or at each level."""
    places = found.curve(covariate.name)[:MOST_LEVELS]
    labels = {f"curve{number}-{i}": label for i, (label, _) in enumerate(places)}
    scenes = {
        name: _scene(found, at, made.names) for name, (_, at) in zip(labels, places, strict=True)
    }
    subject = subject_in(found.statistic.ball.space, made.reading)
    pictures = multiples(subject, scenes, labels)
    tiles = [
        tag("div", tag("h3", label), pictures[name], class_="tile")
        for name, label in labels.items()
    ]
    others = [name for name in found.statistic.design.names if name != covariate.name]
    rest = f"; {', '.join(others)} in the middle or at the first level" if others else ""
    return figure(tag("div", tiles, class_="grid"), f"Along {covariate.name}{rest}.")


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
