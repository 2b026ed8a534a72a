"""Pictures of mean functions, readable in grey: line styles, not colours, carry meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from geomdp.curves.grids import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Label, line style and grey of the template, the penalised mean and the private mean.
LINES = (
    ("template (public)", ":", "0.5"),
    ("penalised mean (not private)", "--", "0.4"),
    ("private mean", "-", "0.0"),
)


def mean_with_band(points: Floats, mean: Floats, half: Floats) -> Figure:
    """Draw a private mean (*channels, m) with its forecast band of this half width.

    The band is public: ``half`` is :func:`geomdp.curves.error_band` of the plan.
    """
    figure, panels = _panels(mean.size // points.size)
    flat = mean.reshape(-1, points.size)
    widths = np.broadcast_to(half, mean.shape).reshape(-1, points.size)
    for axes, curve, width in zip(panels, flat, widths, strict=True):
        axes.fill_between(points, curve - width, curve + width, color="0.85", label="forecast band")
        axes.plot(points, curve, color="black", label="private mean")
    _finish(panels)
    return figure


def private_against_shrunk(
    points: Floats, private: Floats, shrunk: Floats, template: Floats
) -> Figure:
    """Draw a private mean beside the penalised mean without noise and the public template.

    The penalised mean is not private: this picture is for simulations and studies.
    """
    figure, panels = _panels(private.size // points.size)
    for curves, (label, style, colour) in zip((template, shrunk, private), LINES, strict=True):
        for axes, curve in zip(panels, curves.reshape(-1, points.size), strict=True):
            axes.plot(points, curve, linestyle=style, color=colour, label=label)
    _finish(panels)
    return figure


def private_closed_curve(private: Floats, shrunk: Floats, template: Floats) -> Figure:
    """Draw planar closed curves (2, m) in the plane; the penalised mean is not private."""
    figure, (axes,) = _panels(1)
    for curve, (label, style, colour) in zip((template, shrunk, private), LINES, strict=True):
        closed = np.concatenate([curve, curve[:, :1]], axis=1)
        axes.plot(*closed, linestyle=style, color=colour, label=label)
    axes.set_aspect("equal")
    axes.legend(frameon=False)
    return figure


def _panels(count: int) -> tuple[Figure, list[Axes]]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.0 * count, 3.6), layout="constrained")
    return figure, list(figure.subplots(1, count, squeeze=False)[0])


def _finish(panels: list[Axes]) -> None:
    for index, axes in enumerate(panels):
        axes.set_xlabel("t")
        axes.set_title("" if len(panels) == 1 else f"channel {index}")
    panels[0].legend(frameon=False)
