"""What a release of curves says: the mean with its band, and of moments how curves vary."""

from functools import partial
from typing import Any

import numpy as np

from geomdp.curves import FunctionMean, FunctionMoments, RingGrid, error_band
from geomdp.plans import SinglePlan
from geomdp.releases.estimates import FunctionMomentsEstimate, function_moments_of
from geomdp.releases.release import Release
from geomdp.report.markup import Html
from geomdp.report.meaning_of_distance import title_of
from geomdp.report.moments_section import consequences
from geomdp.report.page import figure, paragraphs, section
from geomdp.report.pictures.by_space import draw_subject, picture_or_words
from geomdp.report.pictures.scene import Scene, single_plan
from geomdp.report.pictures.styles import style_of
from geomdp.typing import Array

#: Components that are drawn at most, and how many standard deviations to either side.
MOST_COMPONENTS, STEPS = 3, 2.0

BAND = (
    "Faint: the edge of its 95% band at each point, by the choice of curves, the privacy noise, "
    "and what the terms left out would typically hold."
)


OF_THE_CURVES = (
    "Faint: the edge of a 95% band, which a plan has before anything is released. At each point it "
    "covers the mean of the clipped curves themselves, by the privacy noise and by what smoothing "
    "takes off a mean up to twice as far from the template as the plan guesses. How curves were "
    "chosen is not in it: moments tell of the population."
)


@consequences.register
def _(statistic: FunctionMean, release: Release) -> Html:
    # A loop in the plane, or rings, have no band that a line on either side would show.
    if style_of(statistic).axes is None or isinstance(statistic.grid, RingGrid):
        return Html("")
    banded = partial(_banded, single_plan(release), release.value)
    return section("How far the mean may be", picture_or_words(banded))


@consequences.register
def _(statistic: FunctionMoments, release: Release) -> Html:
    found = function_moments_of(release)
    components = found.principal_components()
    drawn = [picture_or_words(partial(_mean, found))]
    drawn += [picture_or_words(partial(_component, found, i)) for i in range(len(components))][
        :MOST_COMPONENTS
    ]
    deviations = ", ".join(f"{one.deviation:.4g}" for one in components)
    return section(
        "What follows from it",
        paragraphs("Mean and variation of the clipped curves, from the release alone."),
        drawn,
        paragraphs(
            f"Standard deviations along the components that stand above the noise: {deviations}."
            if components
            else "No component of variation stands above the noise: none is drawn."
        ),
    )


@title_of.register
def _(statistic: FunctionMoments) -> str:
    return "Private mean and covariance of curves"


def _banded(plan: SinglePlan, value: Array) -> Html:
    caption = f"The released mean (bold). {OF_THE_CURVES}"
    return _drawn(plan.statistic, value, error_band(plan), "band", "Mean and band", caption)


def _mean(found: FunctionMomentsEstimate) -> Html:
    caption = f"The released mean (bold) {style_of(found.functions).caption}. {BAND}"
    named = "moments-mean", "Mean and band", caption
    return _drawn(found.functions, found.mean, found.band(), *named)


def _component(found: FunctionMomentsEstimate, number: int) -> Html:
    one = found.principal_components()[number]
    caption = (
        f"Component {number + 1}: the mean (bold), and {STEPS:g} standard deviations "
        f"({one.deviation:.3g} each) to either side."
    )
    away = STEPS * one.deviation * one.function
    named = f"component{number}", f"Component {number + 1}", caption
    return _drawn(found.functions, found.mean, away, *named)


def _drawn(subject: Any, mean: Array, away: Array, name: str, alt: str, caption: str) -> Html:
    """Draw the mean, and curves that lie so far to either side of it."""
    scene = Scene(mean, np.stack([mean - away, mean + away]))
    return figure(draw_subject(subject, scene, name, alt), caption)
