"""Spheres, hyperbolic planes and rotations: the globe, a close-up, the circle, Poincaré's disk."""

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from geomdp.report.pictures.flat import closed, draw_cloud
from geomdp.report.pictures.ink import ACCENT, FAINT, INK, SOFT, TINT
from geomdp.report.pictures.matrices import CORNER, SIDE
from geomdp.report.pictures.scene import Scene, sphere_about
from geomdp.report.pictures.styles import BARS, Style, style_of
from geomdp.spaces.axes import Axes as Lines
from geomdp.spaces.ball import Ball
from geomdp.spaces.base import Space
from geomdp.spaces.hyperbolic import Hyperbolic
from geomdp.spaces.rotations import Rotations
from geomdp.spaces.sphere import Sphere
from geomdp.typing import Array

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
    """Draw an orthographic globe, seen from above the public centre."""
    view = _view(scene.value if scene.ball is None else scene.ball.center)
    draw_ground(axes, view)
    if scene.ball is not None:
        edge = sphere_about(space, scene.ball.center, scene.ball.radius)
        front(axes, closed(_unit(edge)) @ view.T, color=INK, lw=1, ls=(0, (4, 3)))
    cloud = _unit(scene.cloud) @ view.T
    if scene.ring:
        seen = closed(cloud)[closed(cloud)[:, 2] > 0]
        axes.fill(seen[:, 0], seen[:, 1], facecolor=ACCENT, edgecolor=ACCENT, alpha=0.35, lw=1)
    else:
        axes.plot(*cloud[cloud[:, 2] > 0, :2].T, ".", color=ACCENT, alpha=0.6, ms=6, mew=0)
    x, y, z = _unit(scene.value) @ view.T
    # Hollow: on the far side.
    axes.plot(x, y, "o", ms=5, mec=ACCENT, mfc=ACCENT if z > 0 else "none")
    plain(axes, 1.03)


def draw_close_up(axes: "Axes", space: Any, scene: Scene) -> None:
    """Draw what surrounds the value, in its tangent plane: distances from it are true."""
    reach = float(np.max(space.dist(scene.value, scene.cloud), initial=1e-300))
    around = space.frame_log(scene.value, scene.cloud)
    if not scene.ring:
        turn = np.linspace(0, 2 * np.pi, 181)
        around = reach * np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    axes.fill(*closed(around).T, facecolor=ACCENT, edgecolor=ACCENT, alpha=0.3, lw=1)
    axes.plot(0, 0, "o", ms=5, color=ACCENT)
    if scene.ball is not None:
        edge = sphere_about(space, scene.ball.center, scene.ball.radius)
        axes.plot(*closed(space.frame_log(scene.value, edge)).T, color=INK, lw=1, ls=(0, (4, 3)))
    axes.axhline(0, color=FAINT, lw=0.6, zorder=0)
    axes.axvline(0, color=FAINT, lw=0.6, zorder=0)
    axes.set_xlim(-1.35 * reach, 1.35 * reach)
    axes.set_ylim(-1.35 * reach, 1.35 * reach)
    axes.set_aspect("equal")
    axes.set_xlabel("distance from the released value")
    axes.locator_params(nbins=5)


def draw_circle(axes: "Axes", space: Any, scene: Scene) -> None:
    """Draw points of the circle ``Sphere(1)``."""
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


def plain(axes: "Axes", limit: float) -> None:
    """Leave nothing but the picture, from ``-limit`` to ``limit`` each way."""
    axes.set_xlim(-limit, limit)
    axes.set_ylim(-limit, limit)
    axes.set_aspect("equal")
    axes.axis("off")


@style_of.register
def _(space: Lines) -> Style:
    return style_of(Sphere(space.dim))


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


def draw_disk(axes: "Axes", space: Any, scene: Scene) -> None:
    """Draw a point of the hyperbolic plane in Poincaré's disk."""
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
    plain(axes, 1.03)


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


def draw_frame(axes: "Axes", space: Any, scene: Scene, view: NDArray[np.float64] = CORNER) -> None:
    """Draw the turned axes as seen from somewhere."""
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
    """Return the turned axes as lines from the origin, seen from the corner between the axes."""
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
        (draw_frame, partial(draw_frame, view=SIDE)),
        "by where it takes the three axes, from a corner and from the side (hollow: on the far "
        "side; dotted: the public centre)",
        trace=trace_frame,
        ground=globe_beneath,
    )
