"""Several released values in one picture, and how far they are from each other."""

from collections.abc import Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from geomdp.plans import ParallelPlan
from geomdp.plans.release import Release
from geomdp.releases.estimates.denoised import shown_by_group
from geomdp.report import words
from geomdp.report.naming import Subject, in_words, subject_of
from geomdp.report.pictures.charts import draw_trace
from geomdp.report.pictures.ink import INK, new_figure, to_svg
from geomdp.report.pictures.scene import Scene
from geomdp.report.pictures.styles import Style, style_of
from geomdp.report.rendering import Figure, Html, Section, Table, part, picture_or_words
from geomdp.spaces.ball import Ball
from geomdp.statistics.base import Statistic
from geomdp.statistics.linear import LinearStatistic
from geomdp.typing import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Pairs of groups that are compared at most.
MOST_PAIRS = 15


def together(release: Release, made: ParallelPlan) -> Section | str:
    """Return all groups in one picture, and the distances between their released values.

    Nothing of regressions: what they release is no mean that could be drawn or lie apart.
    """
    asked = made.statistic
    if asked.covariate_names:
        return ""
    values = {label: asked.mean_point(part.value) for label, part in release.parts.items()}
    seen = {label: asked.mean_point(one) for label, one in shown_by_group(release).items()}
    drawn = overlay(subject_of(asked, made.reading), seen, asked.public_ball, made.names)
    picture = "" if drawn is None else Figure(drawn, words.GROUPS_CHART)
    distances = picture_or_words(lambda: _distances(values, made))
    if not picture and not distances:
        return ""
    return Section(
        "The groups together", [picture, distances, words.DISTANCES if distances else ""]
    )


def _distances(values: Mapping[str, Array], made: ParallelPlan) -> Table | str:
    rows = []
    for a, b in list(combinations(values, 2))[:MOST_PAIRS]:
        noise = made.plans[a].expected_error + made.plans[b].expected_error
        statistic = made.plans[a].statistic  # what its plan left out is chosen there
        apart = distance(statistic, values[a], values[b])
        if apart is None:
            return ""
        told = (in_words(statistic, one, made.reading) for one in (apart, noise))
        rows.append([f"{a}, {b}", *told])
    heads = ["groups", "distance of the private means", "by noise alone, at most"]
    return Table(heads, rows, "stack")


def distance(statistic: Statistic, a: Array, b: Array) -> float | None:
    """Return how far two values are apart, measured as errors are; None if nothing tells."""
    if np.shape(a) != np.shape(b):  # each group's plan chose how much it tells of curves
        return None
    space = statistic.record_space
    if space is not None:
        return float(space.dist(a, b))
    if isinstance(statistic, LinearStatistic):
        gap = statistic.to_coordinates(a) - statistic.to_coordinates(b)
        return float(statistic.error_of(gap[None])[0])
    return None


def overlay(
    subject: Subject,
    values: Mapping[str, Array],
    ball: Ball | None,
    names: tuple[str, ...] = (),
    name: str = "overlay",
) -> Html | None:
    """Draw several values in one picture, told apart by line or mark; None where none suits."""
    style = style_of(subject)
    if style.apart is not None:
        scenes = {k: style.apart(subject, Scene(v, v[None], ball=ball)) for k, v in values.items()}
        return _side_by_side(scenes, names, name)
    if style.trace is None:
        return None
    lines = {label: style.trace(subject, value, ball) for label, value in values.items()}
    figure, axes = new_figure(4.4, 3.0)
    if style.ground is not None:
        style.ground(axes, subject, ball, names)
    for i, (label, line) in enumerate(lines.items()):
        draw_trace(axes, line, i, label, marks=style.marks or len(line) == 1)
    _label(axes, style, next(iter(lines.values())), names)
    legend = axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    for text in legend.get_texts():
        text.set_color(INK)
    return to_svg(figure, name, "The released values of all groups")


def _label(axes: "Axes", style: Style, line: Array, names: tuple[str, ...]) -> None:
    from matplotlib.ticker import MaxNLocator

    if style.axes is None:
        axes.set_aspect("equal")
        axes.axis("off")
        return
    axes.set_xlabel(style.axes[0])
    axes.set_ylabel(style.axes[1])
    axes.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=style.marks))
    if len(names) == len(line) and style.marks:
        axes.set_xticks(line[:, 0], names, rotation=90, parse_math=False)


def _side_by_side(
    scenes: Mapping[str, list[tuple[Any, Scene]]], names: tuple[str, ...], name: str
) -> Html | None:
    """Draw the parts of several values, each part in a picture of its own."""
    drawn: list[tuple[str, Html]] = []
    for i, (factor, first) in enumerate(next(iter(scenes.values()))):
        values = {label: parts[i][1].value for label, parts in scenes.items()}
        picture = overlay(factor, values, first.ball, name=f"{name}{i}")
        if picture is not None:
            title = names[i] if len(names) > i else f"part {i + 1}"
            drawn.append((title, picture))
    return part("titled", drawn) if drawn else None
