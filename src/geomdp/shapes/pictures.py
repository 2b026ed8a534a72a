"""Pictures of outlines: colour runs along the parameterisation, from dark to light in grey too."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import GeomdpError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Runs from dark to light in even steps, so that it survives printing in grey.
COLOURS = "viridis"


def draw_outline(axes: "Axes", outline: Any, width: float = 1.6) -> None:
    """Draw one closed outline of complex landmarks, coloured from its first to its last.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> axes = Figure().subplots()
    >>> draw_outline(axes, np.exp(2j * np.pi * np.arange(20) / 20))
    >>> len(axes.collections)
    1
    """
    from matplotlib.collections import LineCollection

    z = np.asarray(outline, dtype=complex)
    ends = np.stack([z, np.roll(z, -1)], axis=1)
    segments = np.stack([ends.real, ends.imag], axis=-1)
    lines = LineCollection(list(segments), cmap=COLOURS, linewidths=width, capstyle="round")
    # The lightest tenth of the colours vanishes on white paper.
    lines.set_array(np.linspace(0.0, 0.9, len(z)))
    lines.set_clim(0.0, 1.0)
    axes.add_collection(lines)
    axes.set_aspect("equal")
    axes.autoscale_view()
    axes.set_axis_off()


def outline_grid(rows: Mapping[str, Any], columns: int = 6) -> "Figure":
    """Draw rows of outlines, for example draws of several mechanisms around a public shape.

    Parameters
    ----------
    rows
        Title of each row and its outlines (m, k), complex; at most ``columns`` are shown. Turn
        them to one another first (``PlanarShapes.align``).
    columns
        Outlines a row.

    Examples
    --------
    >>> circle = np.exp(2j * np.pi * np.arange(20) / 20)
    >>> figure = outline_grid({"one": [circle], "two": [circle, 2 * circle]}, columns=2)
    >>> len(figure.axes)
    4
    """
    from matplotlib.figure import Figure

    if not rows:
        raise GeomdpError("A grid of outlines needs at least one row.")
    figure = Figure(figsize=(1.7 * columns, 1.5 * len(rows)), layout="constrained")
    grid = figure.subplots(len(rows), columns, squeeze=False)
    for line, (title, outlines) in zip(grid, rows.items(), strict=True):
        for axes in line:
            axes.set_axis_off()
        for axes, outline in zip(line, outlines, strict=False):
            draw_outline(axes, outline)
        line[0].set_title(title, loc="left", fontsize=9)
    return figure


def mean_with_band(mean: Any, draws: Any, level: float = 0.95) -> "Figure":
    """Draw an outline and the band across it that holds a share of draws at each landmark.

    Parameters
    ----------
    mean
        Complex landmarks (k,).
    draws
        Outlines (m, k), turned to ``mean``: simulations around a public shape.
    level
        Share of the draws in the band, landmark by landmark.

    Examples
    --------
    >>> circle = np.exp(2j * np.pi * np.arange(20) / 20)
    >>> figure = mean_with_band(circle, circle * np.linspace(0.9, 1.1, 50)[:, None])
    >>> len(figure.axes[0].patches)
    1
    """
    from matplotlib.figure import Figure
    from matplotlib.patches import PathPatch

    outline = np.asarray(mean, dtype=complex)
    normal = _normals(outline)
    across = np.real(np.conj(normal) * (np.asarray(draws, dtype=complex) - outline))
    low, high = np.quantile(across, [(1 - level) / 2, (1 + level) / 2], axis=0)
    figure = Figure(figsize=(5, 4), layout="constrained")
    axes = figure.subplots()
    ring = _ring(outline + low * normal, outline + high * normal)
    # Narrow bands are hard to see, so the legend says how wide they are.
    widest = np.max(high - low) / np.max(np.abs(outline[:, None] - outline))
    label = f"{level:.0%} of draws, at most {widest:.1%} of the shape's length wide"
    axes.add_patch(PathPatch(ring, facecolor="0.75", edgecolor="none", label=label))
    # Black, because the light end of the colours would vanish on the band when printed in grey.
    closed = np.append(outline, outline[0])
    axes.plot(closed.real, closed.imag, color="black", linewidth=0.9)
    axes.set_aspect("equal")
    axes.set_axis_off()
    figure.legend(loc="outside lower center", frameon=False)
    return figure


def _normals(z: NDArray[np.complex128]) -> NDArray[np.complex128]:
    """Return unit vectors across a closed outline at its landmarks."""
    along = np.roll(z, -1) - np.roll(z, 1)
    size = np.abs(along)
    return -1j * along / np.where(size == 0, 1.0, size)


def _ring(inner: NDArray[np.complex128], outer: NDArray[np.complex128]) -> Any:
    """Region between two closed outlines: the second is traced backwards, which cuts it out."""
    from matplotlib.path import Path

    def closed(z: NDArray[np.complex128]) -> tuple[NDArray[np.float64], list[int]]:
        loop = np.append(z, z[0])
        codes = [int(Path.MOVETO)] + [int(Path.LINETO)] * (len(z) - 1) + [int(Path.CLOSEPOLY)]
        return np.stack([loop.real, loop.imag], axis=-1), codes

    (a, first), (b, second) = closed(outer), closed(inner[::-1])
    return Path(np.concatenate([a, b]), first + second)
