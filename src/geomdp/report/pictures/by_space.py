"""Pictures of releases and plans, in the style of their space; every space has one."""

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from geomdp.plans import SinglePlan
from geomdp.plans.release import Release
from geomdp.readings import Reading
from geomdp.report.naming import Subject, subject_of, subject_of_curve
from geomdp.report.pictures import (
    faces,
    globes,
    landmarks,
    maps,
    matrices,
    outlines,
    products,
    shares,
)
from geomdp.report.pictures.ink import new_figure, own_settings, share_limits, to_png, to_svg
from geomdp.report.pictures.scene import (
    Scene,
    plan_scene,
    release_scene,
)
from geomdp.report.pictures.styles import Style, style_of
from geomdp.report.rendering import Html, Tiles, part, picture_or_words
from geomdp.statistics.base import Statistic

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Modules whose pictures register themselves when they are imported.
OWN_PICTURES = (faces, globes, landmarks, maps, matrices, outlines, products, shares)


def style_for(statistic: Statistic, reading: Reading | None = None) -> Style:
    """Return the picture that suits a statistic; bars where there is nothing better."""
    return style_of(subject_of(statistic, reading))


def style_shown(statistic: Statistic, reading: Reading | None = None) -> Style:
    """Return the picture of what is seen of a release: of a regression, of its curve's points."""
    return style_of(subject_of_curve(statistic, reading))


def picture_of(release: Release) -> Html:
    """Draw a released value, with points at the distance that 95 of 100 releases stay within.

    Examples
    --------
    >>> import geomdp as dp
    >>> plan = dp.plan(dp.Summary(dp.Sphere(2), 0.01), budget=dp.Pure(epsilon=1))
    >>> print(picture_of(plan.release([0.0, 0.0, 1.0]))[:20])
    <div class="panels">
    """
    plan = release.plan.single
    subject = subject_of(plan.statistic, plan.reading)
    return draw_subject(subject, release_scene(release), "value", "The released value")


def picture_at(plan: SinglePlan, name: str = "simulated", seed: int = 0) -> Html:
    """Draw what a release would look like if the truth were the public centre.

    Examples
    --------
    >>> import geomdp as dp
    >>> plan = dp.plan(dp.Summary(dp.SPD(2), 0.1), budget=dp.Pure(epsilon=1))
    >>> picture_at(plan) == picture_at(plan)
    True
    """
    subject = subject_of_curve(plan.statistic, plan.reading)
    scenes = {name: plan_scene(plan, seed=seed)}
    return multiples(subject, scenes, {name: "A simulated release"})[name]


@own_settings()
def draw_subject(
    subject: Subject, scene: Scene, name: str, alt: str, *, first: bool = False, width: float = 3.2
) -> Html:
    """Draw a scene in the style of its subject: all panels or the ``first`` alone."""
    style, drawn = style_of(subject), []
    for i, panel in enumerate(style.panels[:1] if first else style.panels):
        figure, axes = new_figure(width, 0.95 * width)
        panel(axes, subject, scene)
        drawn.append(_written(style, figure, f"{name}{i}", alt))
    return part("panels", drawn)


@own_settings()
def multiples(
    subject: Subject, scenes: Mapping[str, Scene], alts: Mapping[str, str], width: float = 2.2
) -> dict[str, Html]:
    """Draw scenes to be compared, one small picture each, all on the same axes.

    A scene that cannot be drawn becomes a sentence, as in :func:`picture_or_words`.
    """
    style = style_of(subject)
    figures: dict[str, tuple[Figure, Axes]] = {}
    for name, scene in scenes.items():
        with suppress(Exception), np.errstate(all="ignore"):
            figure, axes = new_figure(width, 0.95 * width)
            style.panels[0](axes, subject, scene)
            figures[name] = figure, axes
    share_limits([axes for _, axes in figures.values()])

    def drawing(name: str) -> Html:
        return part("panels", [_written(style, figures[name][0], name, alts[name])])

    return {name: picture_or_words(partial(drawing, name)) for name in scenes}


def tiled(subject: Subject, name: str, scenes: Mapping[str, Scene]) -> Tiles:
    """Draw scenes to be compared as tiles under their labels, as many in a row as fit."""
    labels = {f"{name}-{i}": label for i, label in enumerate(scenes)}
    pictures = multiples(subject, dict(zip(labels, scenes.values(), strict=True)), labels)
    return Tiles([(label, pictures[key]) for key, label in labels.items()])


def _written(style: Style, figure: "Figure", name: str, alt: str) -> Html:
    return to_png(figure, alt) if style.raster else to_svg(figure, name, alt)
