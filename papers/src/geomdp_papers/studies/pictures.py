"""One style for all figures of the studies: colours, sizes and small helpers."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from cycler import cycler

from geomdp.typing import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from geomdp_papers.studies.study import Study
    from geomdp_papers.studies.table import Table

#: Okabe and Ito's colours, which most colour-blind readers tell apart too; yellow is left out.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#7A5195")
MARKERS = "os^Dv<>P"
#: What every figure is drawn with, whatever the machine's own settings are.
STYLE: Any = {
    "axes.prop_cycle": cycler(color=COLORS),
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.titlesize": 9,
    "axes.labelsize": 9,
    "axes.formatter.use_mathtext": True,
    "errorbar.capsize": 2,
    "figure.constrained_layout.use": True,
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "grid.color": "0.9",
    "grid.linewidth": 0.6,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "lines.linewidth": 1.2,
    "lines.markersize": 4,
    "svg.fonttype": "path",
    "svg.hashsalt": "geomdp",
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
}
#: Width and height in inches, unless a study asks for others.
SIZE = (7.0, 4.2)


def drawn(study: "Study", table: "Table") -> "Figure":
    """Return a study's figure in the common style."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(STYLE):
        figure = Figure(figsize=SIZE, layout="constrained")
        study.draw(figure, table)
        figure.canvas.draw()
    return figure


def save_figure(study: "Study", table: "Table", file: Path) -> None:
    """Write a study's figure; SVG files are the same at every writing."""
    import matplotlib as mpl

    figure = drawn(study, table)
    with mpl.rc_context(STYLE):
        figure.savefig(file, metadata={"Date": None}, dpi=150)


def ticks_at(axes: "Axes", values: Sequence[float] | Array, form: str = "{:g}") -> None:
    """Put ticks at these values of a logarithmic axis, leaving out those that would touch.

    >>> from matplotlib.figure import Figure
    >>> axes = Figure().add_subplot()
    >>> axes.set(xscale="log")  # doctest: +ELLIPSIS
    [...]
    >>> ticks_at(axes, [10, 11, 20, 100])
    >>> axes.get_xticks().tolist()
    [10.0, 20.0, 100.0]
    """
    kept: list[float] = []
    ordered = sorted(float(value) for value in set(values))
    span = np.log(ordered[-1] / ordered[0]) or 1.0
    for value in ordered:
        if not kept or np.log(value / kept[-1]) > span / 9:
            kept.append(value)
    axes.set_xticks(kept, [form.format(value) for value in kept])
    axes.minorticks_off()


def band(
    axes: "Axes", x: Array, y: Array, spread: Array, number: int, label: str, style: str = "-"
) -> None:
    """Draw a curve with its marker, and a band of so much on either side."""
    color, marker = COLORS[number % len(COLORS)], MARKERS[number % len(MARKERS)]
    axes.plot(x, y, style, marker=marker, ms=3, color=color, label=label)
    low = np.maximum(y - spread, np.min(y[y > 0], initial=np.inf) * 1e-2)
    axes.fill_between(x, low, y + spread, color=color, alpha=0.2, lw=0)
