"""Directions: the globe, a close-up of it, and the circle."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from geomdp.report.pictures.ink import ACCENT, FAINT, INK, SOFT, TINT
from geomdp.report.pictures.scene import Scene, sphere_about
from geomdp.report.pictures.styles import BARS, Style, style_of
from geomdp.spaces.sphere import Sphere

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Spacing of the graticule, and the steepest view, in degrees: from a pole meridians are a star.
GRATICULE, STEEPEST = 30, 50.0
#: What the axes of a close-up about the public centre measure.
TANGENT = "distance from the public centre"


def draw_ground(axes: "Axes", view: NDArray[np.float64]) -> None:
    """Draw an empty globe: its disk and the lines that face the viewer."""
    turn = np.linspace(0, 2 * np.pi, 181)
    axes.fill(np.cos(turn), np.sin(turn), facecolor=TINT, edgecolor=SOFT, lw=1, alpha=0.55)
    for line in graticule():
        front(axes, line @ view.T, color=FAINT, lw=0.7)


def draw_globe(axes: "Axes", space: Any, scene: Scene) -> None:
    """Draw an orthographic globe, seen from above the public centre.

    Examples
    --------
    >>> import geomdp as dp
    >>> from geomdp.report.pictures.ink import new_figure
    >>> figure, axes = new_figure(3, 3)
    >>> north = np.array([0.0, 0.0, 1.0])
    >>> draw_globe(axes, dp.Sphere(2), Scene(north, north[None]))
    >>> axes.get_aspect()
    1.0
    """
    view = _view(scene.value if scene.ball is None else scene.ball.center)
    draw_ground(axes, view)
    if scene.ball is not None:
        edge = sphere_about(space, scene.ball.center, scene.ball.radius)
        front(axes, _closed(_unit(edge)) @ view.T, color=INK, lw=1, ls=(0, (4, 3)))
    cloud = _unit(scene.cloud) @ view.T
    if scene.ring:
        seen = _closed(cloud)[_closed(cloud)[:, 2] > 0]
        axes.fill(seen[:, 0], seen[:, 1], facecolor=ACCENT, edgecolor=ACCENT, alpha=0.35, lw=1)
    else:
        axes.plot(*cloud[cloud[:, 2] > 0, :2].T, ".", color=ACCENT, alpha=0.6, ms=6, mew=0)
    x, y, z = _unit(scene.value) @ view.T
    # Hollow: on the far side.
    axes.plot(x, y, "o", ms=5, mec=ACCENT, mfc=ACCENT if z > 0 else "none")
    plain(axes, 1.03)


def draw_close_up(axes: "Axes", space: Any, scene: Scene) -> None:
    """Draw what surrounds the value on a surface, in its tangent plane: distances from it are true.

    Examples
    --------
    >>> import geomdp as dp
    >>> from geomdp.report.pictures.ink import new_figure
    >>> figure, axes = new_figure(3, 3)
    >>> bottom = np.array([0.0, 0.0, 1.0])
    >>> cloud = sphere_about(dp.Hyperbolic(2), bottom, 0.5)
    >>> draw_close_up(axes, dp.Hyperbolic(2), Scene(bottom, cloud, ring=True))
    >>> bool(axes.get_xlim()[1] > 0.5)
    True
    """
    reach = float(np.max(space.dist(scene.value, scene.cloud), initial=1e-300))
    around = space.frame_log(scene.value, scene.cloud)
    if not scene.ring:
        turn = np.linspace(0, 2 * np.pi, 181)
        around = reach * np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    axes.fill(*_closed(around).T, facecolor=ACCENT, edgecolor=ACCENT, alpha=0.3, lw=1)
    axes.plot(0, 0, "o", ms=5, color=ACCENT)
    if scene.ball is not None:
        edge = sphere_about(space, scene.ball.center, scene.ball.radius)
        axes.plot(*_closed(space.frame_log(scene.value, edge)).T, color=INK, lw=1, ls=(0, (4, 3)))
    axes.axhline(0, color=FAINT, lw=0.6, zorder=0)
    axes.axvline(0, color=FAINT, lw=0.6, zorder=0)
    axes.set_xlim(-1.35 * reach, 1.35 * reach)
    axes.set_ylim(-1.35 * reach, 1.35 * reach)
    axes.set_aspect("equal")
    axes.set_xlabel("distance from the released value")
    axes.locator_params(nbins=5)


def draw_circle(axes: "Axes", space: Any, scene: Scene) -> None:
    """Draw points of the circle ``Sphere(1)``.

    Examples
    --------
    >>> import geomdp as dp
    >>> from geomdp.report.pictures.ink import new_figure
    >>> figure, axes = new_figure(3, 3)
    >>> east = np.array([1.0, 0.0])
    >>> draw_circle(axes, dp.Sphere(1), Scene(east, east[None]))
    >>> len(axes.lines)
    4
    """
    circle_beneath(axes)
    x, y = _unit(scene.value)
    axes.plot([0, x], [0, y], color=ACCENT, lw=1.5)
    axes.plot(*_unit(scene.cloud).T, ".", color=SOFT, ms=5, mew=0)
    axes.plot(x, y, "o", ms=6, color=ACCENT)
    plain(axes, 1.12)


def circle_beneath(axes: "Axes", *_: Any) -> None:
    """Draw the circle."""
    turn = np.linspace(0, 2 * np.pi, 181)
    axes.plot(np.cos(turn), np.sin(turn), color=FAINT, lw=1)


def trace_circle(space: Any, value: NDArray[np.float64], ball: Any) -> NDArray[np.float64]:
    """Return a point of the circle as a line from the middle."""
    return np.stack([np.zeros(2), _unit(value)])


def trace_close_up(space: Any, value: NDArray[np.float64], ball: Any) -> NDArray[np.float64]:
    """Return a point of a surface in the plane that touches it at the public centre."""
    center = value if ball is None else ball.center
    return np.asarray(space.frame_log(center, value))[None]


def _unit(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points scaled to norm 1, whatever the curvature."""
    scaled: NDArray[np.float64] = points / np.linalg.norm(points, axis=-1, keepdims=True)
    return scaled


def _view(toward: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows right, up, towards the viewer, for a viewer above ``toward`` but not over a pole."""
    x, y, z = _unit(toward)
    longitude = np.arctan2(y, x) if np.hypot(x, y) > 1e-9 else 0.0
    latitude = np.clip(np.arcsin(z), -np.radians(STEEPEST), np.radians(STEEPEST))
    c, s, cl, sl = np.cos(longitude), np.sin(longitude), np.cos(latitude), np.sin(latitude)
    return np.array([[-s, c, 0.0], [-sl * c, -sl * s, cl], [cl * c, cl * s, sl]])


def graticule() -> list[NDArray[np.float64]]:
    """Meridians and parallels as curves of unit vectors."""
    fine, lines = np.radians(np.arange(-180, 181, 3)), []
    for degrees in range(0, 180, GRATICULE):
        c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
        lines.append(np.stack([c * np.cos(fine), s * np.cos(fine), np.sin(fine)], axis=-1))
    for degrees in range(-90 + GRATICULE, 90, GRATICULE):
        c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
        lines.append(np.stack([c * np.cos(fine), c * np.sin(fine), 0 * fine + s], axis=-1))
    return lines


def front(axes: "Axes", line: NDArray[np.float64], **style: Any) -> None:
    """Draw the part of a curve that faces the viewer."""
    seen = np.where(line[:, 2:] > 0, line[:, :2], np.nan)
    axes.plot(*seen.T, **style)


def _closed(line: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.concatenate([line, line[:1]])


def plain(axes: "Axes", limit: float) -> None:
    """Leave nothing but the picture, from ``-limit`` to ``limit`` each way."""
    axes.set_xlim(-limit, limit)
    axes.set_ylim(-limit, limit)
    axes.set_aspect("equal")
    axes.axis("off")


@style_of.register
def _(space: Sphere) -> Style:
    if space.dim == 1:
        return Style((draw_circle,), "on the circle", trace=trace_circle, ground=circle_beneath)
    if space.dim > 2:
        return BARS
    return Style(
        (draw_globe, draw_close_up),
        "on the globe and, enlarged, in the plane that touches it there; "
        "dashed: the edge of the public ball",
        trace=trace_close_up,
        axes=(TANGENT, TANGENT),
    )
