"""The hyperbolic plane in Poincaré's disk."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from geomdp.report.pictures.flat import closed, draw_cloud
from geomdp.report.pictures.ink import ACCENT, FAINT, INK, SOFT, TINT
from geomdp.report.pictures.scene import Scene, sphere_about
from geomdp.report.pictures.spheres import TANGENT, draw_close_up, trace_close_up
from geomdp.report.pictures.styles import Style, style_of
from geomdp.spaces.base import Space
from geomdp.spaces.hyperbolic import Hyperbolic

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_disk(axes: "Axes", space: Any, scene: Scene) -> None:
    """Draw a point of the hyperbolic plane in Poincaré's disk.

    Examples
    --------
    >>> import geomdp as dp
    >>> from geomdp.report.pictures.ink import new_figure
    >>> figure, axes = new_figure(3, 3)
    >>> bottom = np.array([0.0, 0.0, 1.0])
    >>> draw_disk(axes, dp.Hyperbolic(2), Scene(bottom, bottom[None]))
    >>> axes.get_aspect()
    1.0
    """
    turn = np.linspace(0, 2 * np.pi, 181)
    axes.fill(np.cos(turn), np.sin(turn), facecolor=TINT, edgecolor=SOFT, lw=1, alpha=0.55)
    for radius in (1.0, 2.0, 3.0):
        axes.plot(
            *(np.tanh(radius / 2) * np.stack([np.cos(turn), np.sin(turn)])), color=FAINT, lw=0.7
        )
    if scene.ball is not None:
        edge = _poincare(sphere_about(space, scene.ball.center, scene.ball.radius))
        axes.plot(*closed(edge).T, color=INK, lw=1, ls=(0, (4, 3)))
    draw_cloud(axes, _poincare(scene.cloud), scene.ring)
    axes.plot(*_poincare(scene.value), "o", ms=5, color=ACCENT)
    axes.set_xlim(-1.03, 1.03)
    axes.set_ylim(-1.03, 1.03)
    axes.set_aspect("equal")
    axes.axis("off")


@style_of.register
def _(space: Hyperbolic) -> Style:
    if space.dim != 2:
        return style_of.dispatch(Space)(space)
    return Style(
        (draw_disk, draw_close_up),
        "in Poincaré's disk (circles at distances 1, 2, 3 from the origin) and, enlarged, in the "
        "tangent plane; dashed: the edge of the public ball",
        trace=trace_close_up,
        axes=(TANGENT, TANGENT),
    )


def _poincare(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Stereographic projection of the hyperboloid: s / (1 + h)."""
    disk: NDArray[np.float64] = points[..., :-1] / (1 + points[..., -1:])
    return disk
