"""Several released values in one picture, and how far they are from each other."""

from collections.abc import Mapping
from itertools import combinations

from geomdp.plans import ParallelPlan
from geomdp.release import Release
from geomdp.report.charts import draw_trace
from geomdp.report.ink import INK, new_figure, to_svg
from geomdp.report.markup import Html, join, table
from geomdp.report.meaning_of_distance import in_words
from geomdp.report.page import figure, paragraphs, section
from geomdp.report.pictures import picture_or_words
from geomdp.report.scene import Subject, subject_of
from geomdp.report.styles import style_of
from geomdp.spaces.ball import Ball
from geomdp.statistics.moments import LogMoments
from geomdp.typing import Array

#: Pairs of groups that are compared at most.
MOST_PAIRS = 15


def together(release: Release, made: ParallelPlan) -> Html:
    """Return all groups in one picture, and the distances between their released values."""
    values = {label: _point(part) for label, part in release.parts.items()}
    subject = subject_of(made.statistic, made.reading)
    ball = made.statistic.public_ball
    caption = "The private means of all groups, told apart by their lines or marks."
    drawn = overlay(subject, values, ball, made.names)
    picture = [] if drawn is None else [figure(drawn, caption)]
    distances = picture_or_words(lambda: _distances(values, made))
    return section("The groups together", join([*picture, distances]))


def _point(release: Release) -> Array:
    asked = release.plan.statistic
    return asked.mean_point(release.value) if isinstance(asked, LogMoments) else release.value


def _distances(values: Mapping[str, Array], made: ParallelPlan) -> Html:
    statistic = made.statistic
    ball = statistic.public_ball
    space = statistic.value_space if ball is None else ball.space
    if space is None:
        return Html("")
    rows = []
    for a, b in list(combinations(values, 2))[:MOST_PAIRS]:
        noise = made.plans[a].expected_error + made.plans[b].expected_error
        apart = float(space.dist(values[a], values[b]))
        words = (in_words(statistic, one, made.reading) for one in (apart, noise))
        rows.append([f"{a}, {b}", *words])
    note = (
        "Noise alone would move two equal means apart by at most the last column, on average; a "
        "smaller distance says nothing about the groups. Distances follow from the releases and "
        "cost nothing."
    )
    heads = ["groups", "distance of the private means", "by noise alone, at most"]
    return join([table(heads, rows, class_="stack"), paragraphs(note)])


def overlay(
    subject: Subject, values: Mapping[str, Array], ball: Ball | None, names: tuple[str, ...] = ()
) -> Html | None:
    """Draw several values in one picture, told apart by line or mark; None where none suits.

    Examples
    --------
    >>> import numpy as np
    >>> import geomdp as dp
    >>> both = {"a": np.array([0.0, 1.0]), "b": np.array([1.0, 0.0])}
    >>> overlay(dp.Euclidean(2), both, None).count("<svg")
    1
    """
    from matplotlib.ticker import MaxNLocator

    style = style_of(subject)
    if style.trace is None:
        return None
    figure, axes = new_figure(5.2, 3.4)
    for i, (label, value) in enumerate(values.items()):
        line = style.trace(subject, value, ball)
        draw_trace(axes, line, i, label, marks=style.marks or len(line) == 1)
    if style.axes is None:
        axes.set_aspect("equal")
        axes.axis("off")
    else:
        axes.set_xlabel(style.axes[0])
        axes.set_ylabel(style.axes[1])
        axes.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=style.marks))
        if len(names) == len(line) and style.marks:
            axes.set_xticks(line[:, 0], names, rotation=90, parse_math=False)
    legend = axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    for text in legend.get_texts():
        text.set_color(INK)
    return to_svg(figure, "overlay", "The released values of all groups")
