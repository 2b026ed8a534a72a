"""Pictures of faces from the tables of studies: clouds of points, rings, and meshes on a disk."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from geomdp.surfaces.curves.radial import curves_to_mesh
from geomdp.surfaces.pictures import FRONT, draw_surface
from geomdp.typing import Array
from geomdp_papers.studies.table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The two angles from which faces are shown: turn and tilt in degrees.
ANGLES = (FRONT, (55.0, 5.0))


def points_of(part: Table, columns: Sequence[str] = ("x", "y", "z")) -> Array:
    """Return the points that rows hold.

    >>> points_of(Table([{"x": 1, "y": 2, "z": 3}])).tolist()
    [[1.0, 2.0, 3.0]]
    """
    return np.stack([part.column(name) for name in columns], axis=1)


def turned(points: Array, view: tuple[float, float]) -> Array:
    """Turn points about the vertical axis, then tilt them.

    >>> turned(np.array([[0.0, 0, 1]]), (90, 0)).round(9).tolist()
    [[1.0, 0.0, 0.0]]
    """
    turn, tilt = np.radians(view)
    about = np.array([[np.cos(turn), 0, np.sin(turn)], [0, 1, 0], [-np.sin(turn), 0, np.cos(turn)]])
    over = np.array([[1, 0, 0], [0, np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), np.cos(tilt)]])
    return np.asarray(points @ (over @ about).T)


def draw_cloud(
    axes: "Axes", points: Array, view: tuple[float, float] = FRONT, color: str | None = None
) -> None:
    """Draw points, the nearer the darker, or all in one colour."""
    seen = turned(points, view)
    seen = seen[np.argsort(seen[:, 2])]
    shade = {"color": color} if color else {"c": -seen[:, 2], "cmap": "copper"}
    axes.scatter(seen[:, 0], seen[:, 1], s=1.2, lw=0, rasterized=True, **shade)
    axes.set_aspect("equal")
    axes.axis("off")


def draw_rings(axes: "Axes", part: Table, view: tuple[float, float] = FRONT) -> None:
    """Draw the surface that rings span."""
    rings = len(part.values("ring"))
    draw_surface(axes, curves_to_mesh(points_of(part).reshape(rings, -1, 3)), view)
    axes.collections[0].set_rasterized(True)


def draw_curves(axes: "Axes", part: Table, view: tuple[float, float] = FRONT) -> None:
    """Draw rings as closed lines over the surface that they span."""
    rings = len(part.values("ring"))
    for ring in points_of(part).reshape(rings, -1, 3):
        seen = turned(np.concatenate([ring, ring[:1]]), view)
        axes.plot(seen[:, 0], seen[:, 1], color="#0072B2", lw=0.5, rasterized=True)
    axes.set_aspect("equal")
    axes.axis("off")
