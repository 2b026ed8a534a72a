"""Vectors as bars, points of the plane: the pictures that always work."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from geomdp.report.pictures.ink import ACCENT, INK, SOFT, TINT
from geomdp.report.pictures.scene import Scene, sphere_about

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Bars beyond this number would be thinner than a line.
MOST_BARS = 200
#: More names than this do not fit beside each other.
MOST_NAMES = 40


def draw_bars(axes: "Axes", space: Any, scene: Scene) -> None:
    """Draw the coordinates of a point as bars, with those of the cloud as ticks.

    Points that are arrays of numbers are drawn entry by entry, so that every space has a picture.
    """
    from matplotlib.ticker import MaxNLocator

    bars = _numbers(scene.value)[:MOST_BARS]
    index = np.arange(1, bars.size + 1)
    axes.bar(index, bars, width=0.7, color=TINT, edgecolor=ACCENT, lw=1)
    for point in scene.cloud:
        axes.plot(index, _numbers(point)[:MOST_BARS], "_", color=SOFT, ms=6, mew=0.8, alpha=0.7)
    axes.axhline(0, color=SOFT, lw=0.8)
    if len(scene.names) == bars.size <= MOST_NAMES:
        axes.set_xticks(index, scene.names, rotation=90, parse_math=False)
        return
    axes.set_xlabel("coordinate")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))


def draw_plane(axes: "Axes", space: Any, scene: Scene) -> None:
    """Draw a point of the plane with the public ball."""
    draw_cloud(axes, scene.cloud, scene.ring)
    if scene.ball is not None:
        edge = sphere_about(space, scene.ball.center, scene.ball.radius)
        axes.plot(*closed(edge).T, color=INK, lw=1, ls=(0, (4, 3)))
    axes.plot(*scene.value, "o", ms=5, color=ACCENT)
    axes.set_aspect("equal")
    axes.locator_params(nbins=5)
    if len(scene.names) == 2:
        axes.set_xlabel(scene.names[0], parse_math=False)
        axes.set_ylabel(scene.names[1], parse_math=False)


def trace_bars(space: Any, value: Any, ball: Any) -> NDArray[np.float64]:
    """Return the entries of a point against their numbers."""
    numbers = _numbers(value)[:MOST_BARS]
    return np.column_stack([np.arange(1, numbers.size + 1), numbers])


def trace_plane(space: Any, value: Any, ball: Any) -> NDArray[np.float64]:
    """Return a point of the plane."""
    return np.asarray(value)[None]


def draw_cloud(axes: "Axes", points: NDArray[np.float64], ring: bool) -> None:
    """Draw points (m, 2) faintly, or what they enclose if they run around."""
    if ring:
        axes.fill(*closed(points).T, facecolor=ACCENT, edgecolor=ACCENT, alpha=0.3, lw=1)
    else:
        axes.plot(*points.T, ".", color=SOFT, ms=4, mew=0)


def _numbers(point: Any) -> NDArray[np.float64]:
    """All entries of a point, real parts first."""
    flat = np.asarray(point).reshape(-1)
    return np.concatenate([flat.real, flat.imag]) if np.iscomplexobj(flat) else flat.astype(float)


def closed(line: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a line that ends where it begins."""
    return np.concatenate([line, line[:1]])
