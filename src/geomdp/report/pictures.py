"""Pictures of releases and plans, in the style of their space; every space has one."""

from collections.abc import Callable

import numpy as np

from geomdp.plans import SinglePlan
from geomdp.release import Release
from geomdp.report import (
    correlations,
    disk,
    faces,
    landmarks,
    outlines,
    products,
    rotations,
    spheres,
    tensors,
)
from geomdp.report.ink import new_figure, to_png, to_svg
from geomdp.report.markup import Html, tag
from geomdp.report.scene import Scene, plan_scene, release_scene, single_plan, subject_of
from geomdp.report.styles import Style, style_of
from geomdp.statistics.base import Statistic

#: Modules whose pictures register themselves when they are imported.
OWN_PICTURES = (
    correlations,
    disk,
    faces,
    landmarks,
    outlines,
    products,
    rotations,
    spheres,
    tensors,
)


def style_for(statistic: Statistic) -> Style:
    """Return the picture that suits a statistic; bars where there is nothing better.

    Examples
    --------
    >>> import geomdp as dp
    >>> style_for(dp.Summary(dp.Sphere(2), 0.1)).caption[:12]
    'on the globe'
    """
    return style_of(subject_of(statistic))


def picture_of(release: Release) -> Html:
    """Draw a released value, with points at the distance that 95 of 100 releases stay within.

    Examples
    --------
    >>> import geomdp as dp
    >>> plan = dp.plan(dp.Summary(dp.Sphere(2), 0.01), budget=dp.Pure(epsilon=1))
    >>> picture_of(plan.release([0.0, 0.0, 1.0]))[:20]
    '<div class="panels">'
    """
    plan = single_plan(release)
    return draw(plan.statistic, release_scene(plan, release.value), "value", "The released value")


def picture_or_words(drawing: Callable[[], Html]) -> Html:
    """Return a picture, or a sentence where noise led beyond what can be drawn.

    A release cannot be drawn again because its picture fails, so that this is total; and nothing
    of the failure is told, since the page is published.

    Examples
    --------
    >>> picture_or_words(lambda: Html(1 / 0))
    '<p class="small">The value lies beyond what a picture can show; value.npy holds it.</p>'
    """
    try:
        with np.errstate(all="ignore"):
            return drawing()
    except Exception:
        text = "The value lies beyond what a picture can show; value.npy holds it."
        return tag("p", text, class_="small")


def picture_at(plan: SinglePlan, name: str = "simulated", seed: int = 0) -> Html:
    """Draw what a release would look like if the truth were the public centre.

    Examples
    --------
    >>> import geomdp as dp
    >>> plan = dp.plan(dp.Summary(dp.SPD(2), 0.1), budget=dp.Pure(epsilon=1))
    >>> picture_at(plan) == picture_at(plan)
    True
    """
    scene = plan_scene(plan, seed=seed)
    return draw(plan.statistic, scene, name, "A simulated release", first=True, width=2.2)


def draw(
    statistic: Statistic,
    scene: Scene,
    name: str,
    alt: str,
    *,
    first: bool = False,
    width: float = 3.2,
) -> Html:
    """Draw a scene, all panels or the ``first`` alone, each ``width`` inches wide.

    Examples
    --------
    >>> import geomdp as dp
    >>> import numpy as np
    >>> scene = Scene(np.ones(3), np.ones((1, 3)))
    >>> draw(dp.Summary(dp.Euclidean(3), 0.1), scene, "one", "three numbers").count("<svg")
    1
    """
    return draw_subject(subject_of(statistic), scene, name, alt, first=first, width=width)


def draw_subject(
    subject: object, scene: Scene, name: str, alt: str, *, first: bool = False, width: float = 3.2
) -> Html:
    """Draw a scene in the style of a space, or of a statistic whose value is no point of one."""
    style, drawn = style_of(subject), []
    for i, panel in enumerate(style.panels[:1] if first else style.panels):
        figure, axes = new_figure(width, 0.95 * width)
        panel(axes, subject, scene)
        drawn.append(to_png(figure, alt) if style.raster else to_svg(figure, f"{name}{i}", alt))
    return tag("div", drawn, class_="panels")
