"""Curves of the report and of the plan page."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from geomdp.mechanisms import Forecast
from geomdp.plans import Course
from geomdp.report.odds import Meaning
from geomdp.report.pictures.ink import ACCENT, FAINT, INK, SOFT, TINT, new_figure, to_svg
from geomdp.report.rendering import Html
from geomdp.typing import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Line styles and markers tell mechanisms apart in grey.
_MARKERS = "os^Dv"
_LINES = ("-", (0, (5, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1.5, 2)), (0, (3, 1, 1, 1, 1, 1)))


def error_chart(forecast: Forecast) -> Html:
    """Draw the probability that the error is below each distance."""
    figure, axes = new_figure(4.0, 2.5)
    likely = forecast.quantile(0.95)
    end = max(forecast.quantile(0.999), 1.15 * likely)
    x = np.linspace(0, end, 200)
    y = 100 * np.interp(x, forecast.radii, forecast.cdf, left=0.0, right=1.0)
    axes.fill_between(x, y, color=TINT, alpha=0.8, lw=0)
    axes.plot(x, y, color=ACCENT, lw=1.7)
    # Above the frame, where no curve is; one left of its line and one right, so that near lines do
    # not mix them up.
    for at, label, side, gap in (
        (forecast.expected, "expected", "right", -4),
        (likely, "95%", "left", 4),
    ):
        axes.axvline(at, color=INK, lw=1, ls=(0, (4, 3)))
        place: Any = {"xytext": (gap, 0), "textcoords": "offset points"}
        axes.annotate(label, (at, 104), ha=side, color=INK, annotation_clip=False, **place)
    axes.set_xlim(0, end)
    axes.set_ylim(0, 103)
    axes.set_xlabel("distance from the true statistic")
    axes.set_ylabel("share of releases below (%)")
    axes.locator_params(axis="x", nbins=5)
    return to_svg(figure, "error", "Distribution of the error")


def odds_chart(meaning: Meaning) -> Html:
    """Draw what an attacker knows after the release against what was known before."""
    figure, axes = new_figure(3.4, 3.1)
    x = np.linspace(1e-4, 1 - 1e-4, 300)
    y = meaning.bound(x)
    axes.fill_between(100 * x, 100 * x, 100 * y, color=TINT, alpha=0.8, lw=0)
    axes.plot(100 * x, 100 * y, color=ACCENT, lw=1.7)
    axes.plot([0, 100], [0, 100], color=SOFT, lw=1, ls=(0, (1.5, 2)))
    axes.set_xlim(0, 100)
    axes.set_ylim(0, 101)
    axes.set_aspect("equal")
    axes.set_xlabel(f"{meaning.before} (%)")
    axes.set_ylabel(f"{meaning.after} (%)")
    return to_svg(figure, "odds", "An attacker before and after the release")


def centile_chart(distances: Array, centiles: Array, level: float, radius: float) -> Html:
    """Draw the centile of a person against the distance from the mean, the region's edge marked."""
    figure, axes = new_figure(4.2, 2.6)
    axes.plot(distances, centiles, color=ACCENT, lw=1.7)
    axes.plot([0, radius, radius], [100 * level, 100 * level, 0], color=INK, lw=1, ls=(0, (4, 3)))
    axes.set_xlim(0, float(distances[-1]))
    axes.set_ylim(0, 101)
    axes.set_xlabel("standard deviations from the mean")
    axes.set_ylabel("centile")
    return to_svg(figure, "centiles", "Centile of a person against the distance from the mean")


def curves_chart(ages: Array, curves: Mapping[float, Array], name: str, number: int = 0) -> Html:
    """Draw centile curves over a covariate, each with its centile at its end.

    ``number`` tells several charts of a page apart.
    """
    figure, axes = new_figure(5.2, 3.6)
    for centile, curve in curves.items():
        middle = centile == 50
        axes.plot(ages, curve, color=ACCENT if middle else INK, lw=1.8 if middle else 0.9)
        if middle or centile in (min(curves), max(curves)):  # the others are too close
            place: Any = {"xytext": (4, 0), "textcoords": "offset points", "va": "center"}
            axes.annotate(f"{centile:g}", (ages[-1], curve[-1]), fontsize=8, color=INK, **place)
    axes.set_xlim(float(ages[0]), float(ages[-1]))
    axes.grid(color=FAINT, lw=0.5)
    axes.set_xlabel(name)
    axes.set_ylabel("value")
    return to_svg(figure, f"curves-{number}", f"Centile curves over {name}")


def draw_trace(
    axes: "Axes",
    line: Array,
    number: int,
    label: str,
    *,
    marks: bool,
) -> None:
    """Draw one of several lines (m, 2): its style or mark tells it apart, in grey too."""
    colour, k = ACCENT if number % 2 == 0 else INK, number % len(_LINES)
    shown: dict[str, Any] = {"ls": _LINES[k], "lw": 1.4}
    if marks:
        shown = {"ls": "none", "marker": _MARKERS[k], "mfc": "none", "ms": 5}
    axes.plot(*line.T, color=colour, label=label, **shown)


def budget_chart(
    budgets: Sequence[float],
    errors: Mapping[str, Sequence[float]],
    name: str,
    chosen: tuple[float, float],
) -> Html:
    """Draw the expected error against the budget, one line a mechanism; NaN where it refused.

    ``name``: what the budget's number is called. ``chosen``: budget and error of the plan, which is
    marked.
    """
    figure, axes = new_figure(4.2, 3.0)
    for i, (mechanism, line) in enumerate(errors.items()):
        colour, k = ACCENT if i == 0 else INK, i % len(_LINES)
        style: dict[str, Any] = {
            "ls": _LINES[k],
            "marker": _MARKERS[k],
            "color": colour,
            "mfc": "none",
        }
        axes.plot(budgets, line, label=mechanism, ms=4, lw=1.3, **style)
    axes.plot(*chosen, "o", ms=11, mfc="none", mec=ACCENT, mew=1.6)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks(budgets, [f"{b:g}" for b in budgets])
    axes.minorticks_off()
    axes.grid(color=FAINT, lw=0.5)
    axes.set_xlabel(name)
    axes.set_ylabel("expected error")
    axes.legend(frameon=False, labelcolor=INK)
    return to_svg(figure, "budgets", "Expected error against the budget")


def course_chart(course: Course, most: int) -> Html:
    """Draw the coordinates that moved most, period by period, in their 95% bands."""
    figure, axes = new_figure(4.6, 3.0)
    at, away = np.arange(len(course.periods)), 1.96 * course.deviations
    moved = np.ptp(course.means, axis=0) / np.min(course.deviations, axis=0)
    for number, column in enumerate(np.sort(np.argsort(-moved, kind="stable")[:most]).tolist()):
        middle, wide = course.means[:, column], away[:, column]
        axes.fill_between(at, middle - wide, middle + wide, color=TINT, alpha=0.6, lw=0)
        line = np.stack([at, middle], axis=1)
        draw_trace(axes, line, number, f"coordinate {column + 1}", marks=False)
        axes.plot(at, middle, "o", color=INK, ms=3)
    some = at[:: max(1, len(at) // 8)]
    axes.set_xticks(some, [course.periods[place] for place in some])
    axes.set_xlabel("period")
    axes.set_ylabel("running mean, from the centre")
    axes.legend(frameon=False, labelcolor=INK)
    return to_svg(figure, "course", "The running mean, period by period")


def sweep_chart(radii: Sequence[float], errors: Sequence[float], inside: Sequence[float]) -> Html:
    """Draw the expected error and the share of records inside against the radius of a ball."""
    figure, axes = new_figure(4.2, 2.6)
    axes.plot(radii, errors, "o-", color=ACCENT, lw=1.5, ms=4)
    axes.set_xlabel("radius")
    axes.set_ylabel("expected error", color=ACCENT)
    beside = axes.twinx()
    beside.plot(radii, [100 * share for share in inside], "s--", color=INK, lw=1, ms=3)
    beside.set_ylabel("records inside (%)", color=SOFT, fontsize=9)
    beside.tick_params(colors=SOFT, labelsize=9)
    beside.spines["top"].set_visible(False)
    return to_svg(figure, "sweep", "Expected error and records inside, by radius")
