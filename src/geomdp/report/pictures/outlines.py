"""Planar shapes as outlines, and mean functions as curves."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from geomdp.curves import DistributionMean, FunctionMean
from geomdp.readings.names import links_of
from geomdp.report.pictures.ink import ACCENT, FAINT, INK, SOFT, TINT
from geomdp.report.pictures.landmarks import (
    MOST_NUMBERS,
    fill_marks,
    join_landmarks,
    label_points,
)
from geomdp.report.pictures.scene import Scene
from geomdp.report.pictures.styles import Style, style_of
from geomdp.spaces.planar_shapes import PlanarShapes
from geomdp.typing import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_outline(axes: "Axes", space: Any, scene: Scene) -> None:
    """Draw a shape with its landmarks in order, turned to fit the public centre.

    Where the public centre's landmarks do not run along an outline, a line through them would mean
    nothing: they are drawn as points.
    """
    upright = scene.value if scene.ball is None else scene.ball.center
    value, linked = _curve(space.align(scene.value, to=upright)), links_of(scene.names)
    joined = is_outline(upright) and not linked
    line, faint, dots = ("-", "-", (0, (1.5, 2))) if joined else ("none", "none", "none")
    mark = "None" if joined else "."
    if scene.region is not None:
        swept = scene.region.swept(lambda shapes: _pairs(space, shapes, upright))
        fill_marks(axes, *swept, joined=joined)
    else:
        if joined:
            axes.fill(*value, facecolor=TINT, edgecolor="none", alpha=0.6)
        for shape in scene.cloud:
            curve = _curve(space.align(shape, to=upright))
            axes.plot(*curve, marker=mark, color=SOFT, lw=0.6, alpha=0.6, ls=faint, ms=2)
    join_landmarks(axes, value.T, scene.names, color=ACCENT)
    if scene.ball is not None:
        join_landmarks(axes, _curve(upright).T, scene.names, color=INK, ls=":")
        axes.plot(*_curve(upright), marker=mark, color=INK, lw=1, ls=dots, ms=3)
    axes.plot(*value, color=ACCENT, lw=1.6, ls=line)
    axes.plot(*value, ".", color=ACCENT, ms=5)
    if 0 < len(scene.names) <= MOST_NUMBERS:
        label_points(axes, value.T[:-1], scene.names)
    axes.set_aspect("equal")
    axes.axis("off")


#: Landmarks beyond which nobody looks whether lines cross: so many are an outline.
MOST_CROSSED = 400


def is_outline(shape: Array) -> bool:
    """Tell whether a closed line through landmarks (k,) in their order crosses itself nowhere."""
    count = len(shape)
    if not 4 <= count <= MOST_CROSSED:
        return True
    start, end = np.asarray(shape), np.roll(shape, -1)
    along = end - start

    def side(points: Array) -> Array:
        return np.sign(np.imag(np.conj(along)[:, None] * (points[None] - start[:, None])))

    apart = side(start) * side(end) < 0  # the ends of one lie on both sides of another
    near = (np.arange(count)[:, None] - np.arange(count)[None]) % count
    return not bool(np.any(apart & apart.T & (near > 1) & (near < count - 1)))


def draw_curves(axes: "Axes", statistic: Any, scene: Scene) -> None:
    """Draw a mean function: one line a channel, or a closed curve of two on a circle."""
    if _is_loop(statistic, scene.value):
        for curve in scene.cloud:
            axes.plot(*_loop(curve), color=SOFT, lw=0.6, alpha=0.6)
        axes.plot(*_loop(statistic.template), color=INK, lw=1, ls=(0, (1.5, 2)))
        axes.plot(*_loop(scene.value), color=ACCENT, lw=1.7)
        axes.set_aspect("equal")
        return
    points = _places(statistic, scene.value)
    for curve in scene.cloud:
        axes.plot(points, _channels(curve), color=FAINT, lw=0.7)
    axes.plot(points, _channels(statistic.template), color=INK, lw=1, ls=(0, (1.5, 2)))
    axes.plot(points, _channels(scene.value), color=ACCENT, lw=1.7)
    axes.set_xlabel("t")


def trace_outline(space: Any, value: NDArray[np.complex128], ball: Any) -> NDArray[np.float64]:
    """Return a shape as a closed line, turned to fit the public centre."""
    return _curve(space.align(value, to=value if ball is None else ball.center)).T


def trace_curve(statistic: Any, value: NDArray[np.float64], ball: Any) -> NDArray[np.float64]:
    """Return a function of one channel as a line, or a closed curve."""
    if _is_loop(statistic, value):
        return _loop(value).T
    return np.column_stack([_places(statistic, value), value])


def _is_loop(statistic: Any, value: NDArray[np.float64]) -> bool:
    return np.shape(value)[:-1] == (2,) and bool(statistic.grid.closed)


def _places(statistic: Any, value: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(getattr(statistic.grid, "points", np.arange(np.shape(value)[-1])))


def _channels(curve: NDArray[np.float64]) -> NDArray[np.float64]:
    """Put samples first, as matplotlib draws several lines."""
    return np.reshape(curve, (-1, np.shape(curve)[-1])).T


def _loop(curve: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.concatenate([curve, curve[:, :1]], axis=1)


def _pairs(space: Any, shapes: Array, upright: Array) -> Array:
    turned = np.asarray(space.align(shapes, to=upright))
    return np.stack([turned.real, turned.imag], axis=-1)


def _curve(shape: NDArray[np.complex128]) -> NDArray[np.float64]:
    closed = np.append(shape, shape[:1])
    return np.stack([closed.real, closed.imag])


@style_of.register
def _(space: PlanarShapes) -> Style:
    caption = (
        "as landmarks, joined in their order where they run along an outline; dotted, or as small "
        "points: the public centre"
    )
    return Style((draw_outline,), caption, trace=trace_outline, fills=True)


def draw_quantiles(axes: "Axes", statistic: Any, scene: Scene) -> None:
    """Draw a quantile function in its range."""
    draw_curves(axes, statistic, scene)
    axes.set_ylim(statistic.low, statistic.high)
    axes.set_xlabel("share of readings")


@style_of.register
def _(statistic: DistributionMean) -> Style:
    caption = "as quantiles: what a share of the readings stays below; dotted: the public centre"
    axes = ("share of readings", "value")
    return Style((draw_quantiles,), caption, trace=trace_curve, axes=axes)


@style_of.register
def _(statistic: FunctionMean) -> Style:
    loop = _is_loop(statistic, statistic.template)
    return Style(
        (draw_curves,),
        "as a function; dotted: the public template",
        trace=trace_curve if loop or statistic.template.ndim == 1 else None,
        axes=None if loop else ("t", "value"),
    )
