"""What a report says of a regression: its curve in pictures, slopes with errors, coefficients."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from geomdp.plans.release import Release
from geomdp.releases.estimates import (
    Effect,
    RegressionEstimate,
    function_regression_of,
    regression_of,
)
from geomdp.releases.estimates.moments import ConfidenceRegion
from geomdp.report import words
from geomdp.report.naming import Subject, subject_of_curve
from geomdp.report.pictures.by_space import tiled
from geomdp.report.pictures.scene import Scene, unit_directions
from geomdp.report.pictures.styles import style_of
from geomdp.report.rendering import Content, Figure, Section, Table, pictures_or_words
from geomdp.report.sections import MOST_DRAWN, MOST_LEVELS, SECTIONS
from geomdp.report.words import capital
from geomdp.statistics.covariates import Covariate, Design

#: Coordinates of which a table lists coefficients.
MOST_COEFFICIENTS = 24


def regression_section(release: Release) -> Section:
    """Return slopes with their errors, and pictures along the curve."""
    found, plan = regression_of(release), release.plan
    covers, more = words.BAND_OF_REGRESSION, _coefficients(found, plan.names)
    return _along_covariates(found, found.describe(), covers, release, more)


def curve_regression_section(release: Release) -> Section:
    """Return the same of curves and surfaces."""
    found = function_regression_of(release)
    covers = words.BAND_OF_REGRESSION if style_of(curve_subject(release)).cloud else words.NO_BAND
    return _along_covariates(found.coefficients, found.describe(), covers, release)


def curve_subject(release: Release) -> Subject:
    """Return what pictures of a regression's curve are of."""
    return subject_of_curve(release.plan.statistic, release.plan.reading)


def curve_scene(release: Release, at: Mapping[str, Any]) -> Scene:
    """Return the curve of a regression at one place, with its band."""
    plan = release.plan
    if plan.statistic.public_ball is not None:
        return _scene(regression_of(release), dict(at), plan.names)
    found = function_regression_of(release)
    directions = unit_directions(found.statistic.stack.dim)
    return Scene(found.predict(**at), found.edge(directions, **at), names=plan.names)


def _along_covariates(
    found: RegressionEstimate,
    told: str,
    covers: str,
    release: Release,
    more: Sequence[Content] = (),
) -> Section:
    drawings = [
        partial(_along, found.statistic.design, one, i, release)
        for i, one in enumerate(found.statistic.design.covariates[:MOST_DRAWN])
    ]
    heads = ["covariate", "change, as a distance", "error by noise", "error by sampling"]
    every = found.statistic.design.covariates
    rows = [_row(what, *effect) for one in every for what, effect in _effects(found, one).items()]
    return Section(
        "The curve",
        [
            f"{capital(told)}. {words.FOLLOWS}",
            *pictures_or_words(drawings),
            covers,
            Table(heads, rows, "stack"),
            *more,
        ],
    )


def _effects(found: RegressionEstimate, covariate: Covariate) -> dict[str, tuple[Effect, float]]:
    """Return what a covariate does: from end to end, or level against the first level.

    Each as the effect of a unit, and how many units it is.
    """
    name, ends = covariate.name, covariate.range_ends
    if ends is not None:
        low, high = ends
        return {f"{name}, from {low:g} to {high:g}": (found.slope(name), high - low)}
    first, *others = covariate.level_names
    return {
        f"{name}, {other} against {first}": (found.difference(name, first, other), 1.0)
        for other in others
    }


def _row(what: str, effect: Effect, factor: float = 1.0) -> list[str]:
    numbers = (effect.length, effect.privacy, effect.sampling)
    return [what, *(f"{factor * number:.3g}" for number in numbers)]


def _coefficients(found: RegressionEstimate, names: Sequence[str]) -> list[Content]:
    """Return the curve as numbers: its log in the middle, and what each covariate adds to that."""
    dim, space, center = (
        found.statistic.dim,
        found.statistic.ball.space,
        found.statistic.ball.center,
    )
    if dim > MOST_COEFFICIENTS:
        return []
    design = found.statistic.design
    effects = {k: v for one in design.covariates for k, v in _effects(found, one).items()}
    middle = np.asarray(space.frame_log(center, found.predict(**design.middle)))
    columns = [middle, *(factor * effect.vector for effect, factor in effects.values())]
    rows = [
        [name, *(f"{number:.4g}" for number in row)]
        for name, row in zip(
            names if len(names) == dim else [str(i + 1) for i in range(dim)],
            np.stack(columns, axis=1),
            strict=True,
        )
    ]
    at = ", ".join(
        f"{name} {value if isinstance(value, str) else format(value, 'g')}"
        for name, value in design.middle.items()
    )
    table = Table(["coordinate", f"at {at}", *effects], rows, "numbers")
    return [words.COEFFICIENTS, table]


def _along(design: Design, covariate: Covariate, number: int, release: Release) -> Figure:
    """Draw the curve at five values of a number, or at each level."""
    scenes = {
        label: curve_scene(release, at) for label, at in design.along(covariate.name)[:MOST_LEVELS]
    }
    drawn = tiled(curve_subject(release), f"curve{number}", scenes)
    others = [name for name in design.names if name != covariate.name]
    rest = f"; {', '.join(others)} in the middle or at the first level" if others else ""
    return Figure(drawn, f"Along {covariate.name}{rest}.")


def _scene(found: RegressionEstimate, at: dict[str, Any], names: tuple[str, ...]) -> Scene:
    """Return the curve at one place, with points of the space on the edge of its band."""
    ball, band = found.statistic.ball, found.band(**at)
    edge = band.middle + band.radius * unit_directions(found.statistic.dim)
    return Scene(
        found.predict(**at),
        np.asarray(found.statistic.tangent.decode(edge)),
        ring=ball.space.dim == 2,
        ball=ball,
        region=_region(found, at),
        names=names,
    )


def _region(found: RegressionEstimate, at: dict[str, Any]) -> ConfidenceRegion | None:
    """Return the band at one place as a region, where it is a ball about its middle."""
    ball, band = found.statistic.ball, found.band(**at)
    if ball.form is not None:
        return None
    unit = ConfidenceRegion(ball, band.middle, np.eye(band.middle.size), band.level)
    return replace(unit, covariance=unit.covariance * band.radius**2 / unit.threshold)


SECTIONS.register("regression", regression_section)
SECTIONS.register("curve-regression", curve_regression_section)
