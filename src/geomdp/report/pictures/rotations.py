"""Rotations: where they take the three axes, on a globe."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from geomdp.report.pictures.ink import ACCENT, INK, SOFT
from geomdp.report.pictures.scene import Scene
from geomdp.report.pictures.spheres import draw_ground, plain
from geomdp.report.pictures.styles import Style, style_of
from geomdp.report.pictures.tensors import CORNER, SIDE
from geomdp.spaces.ball import Ball
from geomdp.spaces.rotations import Rotations
from geomdp.typing import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_frame_corner(axes: "Axes", space: Any, scene: Scene) -> None:
    """Draw the turned axes, seen from the corner between the axes.

    Examples
    --------
    >>> import geomdp as dp
    >>> from geomdp.report.pictures.ink import new_figure
    >>> figure, axes = new_figure(3, 3)
    >>> identity = np.array([0.0, 0.0, 0.0, 1.0])
    >>> draw_frame_corner(axes, dp.Rotations(), Scene(identity, identity[None]))
    >>> [text.get_text() for text in axes.texts]
    ['x', 'y', 'z']
    """
    _frame(axes, space, scene, CORNER)


def draw_frame_side(axes: "Axes", space: Any, scene: Scene) -> None:
    """Draw the turned axes, seen along the second axis."""
    _frame(axes, space, scene, SIDE)


def _frame(axes: "Axes", space: Any, scene: Scene, view: NDArray[np.float64]) -> None:
    draw_ground(axes, view)
    cloud = _seen(space, scene.cloud, view).reshape(-1, 3)
    axes.plot(*cloud[:, :2].T, ".", color=SOFT, ms=3, mew=0, alpha=0.7)
    if scene.ball is not None:
        for tip in _seen(space, scene.ball.center, view):
            axes.plot([0, tip[0]], [0, tip[1]], color=INK, lw=1, ls=(0, (1.5, 2)))
    for name, tip in zip("xyz", _seen(space, scene.value, view), strict=True):
        axes.plot([0, tip[0]], [0, tip[1]], color=ACCENT, lw=1.7)
        # Hollow: on the far side.
        axes.plot(*tip[:2], "o", ms=5, mec=ACCENT, mfc=ACCENT if tip[2] > 0 else "none")
        axes.annotate(name, 1.13 * tip[:2], color=INK, ha="center", va="center", fontsize=9)
    plain(axes, 1.2)


def trace_frame(space: Any, rotation: Array, ball: Any) -> NDArray[np.float64]:
    """Return the turned axes as lines from the origin, seen from the corner between the axes.

    Examples
    --------
    >>> import geomdp as dp
    >>> trace_frame(dp.Rotations(), np.array([0.0, 0.0, 0.0, 1.0]), None).shape
    (9, 2)
    """
    tips = _seen(space, rotation, CORNER)[:, :2]
    return np.stack([0 * tips, tips, np.full_like(tips, np.nan)], axis=1).reshape(-1, 2)


def globe_beneath(axes: "Axes", space: Any, ball: Ball | None, names: tuple[str, ...]) -> None:
    """Draw the globe, and the names of the axes where the public centre takes them."""
    draw_ground(axes, CORNER)
    public = np.array([0.0, 0.0, 0.0, 1.0]) if ball is None else ball.center
    for name, tip in zip("xyz", _seen(space, public, CORNER), strict=True):
        axes.annotate(name, 1.13 * tip[:2], color=SOFT, ha="center", va="center", fontsize=9)


def _seen(space: Any, rotations: Array, view: NDArray[np.float64]) -> NDArray[np.float64]:
    """Tips (..., 3 axes, 3) of the turned axes, as the viewer sees them."""
    tips: NDArray[np.float64] = np.swapaxes(space.matrices(rotations), -1, -2) @ view.T
    return tips


@style_of.register
def _(space: Rotations) -> Style:
    return Style(
        (draw_frame_corner, draw_frame_side),
        "by where it takes the three axes, from a corner and from the side (hollow: on the far "
        "side; dotted: the public centre)",
        trace=trace_frame,
        ground=globe_beneath,
    )
