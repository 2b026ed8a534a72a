"""What a release of the moments of curves says: the mean with its band, and how curves vary."""

from functools import partial

import numpy as np

from geomdp.estimates import FunctionMomentsEstimate, function_moments_of
from geomdp.functions import FunctionMoments
from geomdp.release import Release
from geomdp.report.markup import Html
from geomdp.report.meaning_of_distance import title_of
from geomdp.report.moments_section import consequences
from geomdp.report.page import figure, paragraphs, section
from geomdp.report.pictures import draw_subject, picture_or_words
from geomdp.report.scene import Scene
from geomdp.report.styles import style_of
from geomdp.typing import Array

#: Components that are drawn at most, and how many standard deviations to either side.
MOST_COMPONENTS, STEPS = 3, 2.0

BAND = (
    "Faint: the edge of its 95% band at each point, by the choice of curves, the privacy noise, "
    "and what the terms left out would typically hold."
)


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


def _mean(found: FunctionMomentsEstimate) -> Html:
    caption = f"The released mean (bold) {style_of(found.functions).caption}. {BAND}"
    return _drawn(found, found.band(), "moments-mean", "Mean and band", caption)


def _component(found: FunctionMomentsEstimate, number: int) -> Html:
    one = found.principal_components()[number]
    caption = (
        f"Component {number + 1}: the mean (bold), and {STEPS:g} standard deviations "
        f"({one.deviation:.3g} each) to either side."
    )
    away = STEPS * one.deviation * one.function
    return _drawn(found, away, f"component{number}", f"Component {number + 1}", caption)


def _drawn(found: FunctionMomentsEstimate, away: Array, name: str, alt: str, caption: str) -> Html:
    """Draw the mean, and curves that lie so far to either side of it."""
    scene = Scene(found.mean, np.stack([found.mean - away, found.mean + away]))
    return figure(draw_subject(found.functions, scene, name, alt), caption)
