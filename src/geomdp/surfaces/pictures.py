"""Pictures of surfaces: shaded views without OpenGL, and difference maps."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.surfaces.mesh.surface import Surface
from geomdp.typing import Floats, Indices

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Directions of view, in degrees: turn about the vertical axis, then tilt.
FRONT, SIDE = (0.0, 0.0), (42.0, 8.0)

_SKIN = np.array([0.86, 0.70, 0.60])
_LIGHTS = ((np.array([-0.55, 0.60, 0.70]), 1.05), (np.array([0.80, 0.00, 0.40]), 0.15))
_AMBIENT = 0.02
_SMOOTH_FACES = 10_000


def draw_surface(
    axes: "Axes",
    surface: Surface,
    view: tuple[float, float] = FRONT,
    colors: Floats | None = None,
) -> None:
    """Draw one shaded view: triangles sorted by depth, Lambert shading from two lamps.

    Parameters
    ----------
    axes : matplotlib Axes
        Where to draw.
    surface : Surface
        With y up and z towards the viewer.
    view : (float, float)
        Turn and tilt in degrees.
    colors : array (v, 3), optional
        Red, green, blue of the vertices; skin by default.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from geomdp.surfaces.mesh.procedural import template_face
    >>> axes = Figure().add_subplot()
    >>> draw_surface(axes, template_face())
    >>> len(axes.collections)
    1
    """
    from matplotlib.collections import PolyCollection

    points = surface.vertices @ _turn(*view).T
    light = _shading(points, surface.faces)[:, None]
    rgb = light * _SKIN
    if colors is not None:  # softer light, so that colours keep their meaning
        rgb = (0.55 + 0.45 * light) * colors
    corners = _split(np.concatenate([points, rgb], axis=1)[surface.faces])
    corners, rgb = corners[:, :, :3], np.clip(corners[:, :, 3:].mean(axis=1), 0, 1)
    order = np.argsort(corners[:, :, 2].mean(axis=1))
    triangles: Any = corners[order][:, :, :2]  # matplotlib is typed for lists, and fast on arrays
    axes.add_collection(
        PolyCollection(
            triangles,
            facecolors=rgb[order],
            edgecolors=rgb[order],  # antialiased triangles leak light along common edges
            linewidths=0.8,
        )
    )
    axes.set_aspect("equal")
    axes.autoscale_view()
    axes.axis("off")


def shaded_views(
    surfaces: Surface | Sequence[Surface],
    titles: Sequence[str] = (),
    views: Sequence[tuple[float, float]] = (FRONT, SIDE),
) -> "Figure":
    """Draw surfaces in columns and views in rows, all at one scale.

    Examples
    --------
    >>> from geomdp.surfaces.mesh.procedural import template_face
    >>> len(shaded_views(template_face()).axes)
    2
    """
    shown = [surfaces] if isinstance(surfaces, Surface) else list(surfaces)
    figure, grid = _panels(len(views), len(shown))
    for column, surface in enumerate(shown):
        for row, view in enumerate(views):
            draw_surface(grid[row][column], surface, view)
        if column < len(titles):
            grid[0][column].set_title(titles[column], fontsize=11)
    _same_limits(grid)
    return figure


def difference_map(
    surface: Surface, reference: Surface, limit: float | None = None, unit: str = "unit-area length"
) -> "Figure":
    """Colour a surface by its vertex distance from a reference in vertex correspondence.

    Parameters
    ----------
    limit : float, optional
        Distance at the end of the colour scale; the largest 1% is cut off by default.
    unit : str
        Label of the colour bar.

    Examples
    --------
    >>> from geomdp.surfaces.mesh.procedural import procedural_face, template_face
    >>> len(difference_map(procedural_face(1), template_face()).axes)
    3
    """
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    if surface.vertices.shape != reference.vertices.shape:
        raise GeomdpError(
            f"{surface.label} has {len(surface.vertices)} vertices and {reference.label} has "
            f"{len(reference.vertices)}; a difference map needs vertex correspondence."
        )
    gap = np.linalg.norm(surface.vertices - reference.vertices, axis=1)
    norm = Normalize(0, limit if limit is not None else float(np.quantile(gap, 0.99)) or 1.0)
    palette = colormaps["YlOrRd"]
    colors = palette(norm(gap))[:, :3]
    figure, grid = _panels(1, 2)
    for axes, view in zip(grid[0], (FRONT, SIDE), strict=True):
        draw_surface(axes, surface, view, colors)
    _same_limits(grid)
    figure.colorbar(ScalarMappable(norm, palette), ax=list(grid[0]), label=f"distance ({unit})")
    return figure


def _turn(yaw: float, pitch: float) -> Floats:
    a, b = np.radians([yaw, pitch])
    about_y = np.array([[np.cos(a), 0, np.sin(a)], [0, 1, 0], [-np.sin(a), 0, np.cos(a)]])
    about_x = np.array([[1, 0, 0], [0, np.cos(b), -np.sin(b)], [0, np.sin(b), np.cos(b)]])
    turn: Floats = about_x @ about_y
    return turn


def _shading(points: Floats, faces: Indices) -> Floats:
    """Lambert shading of vertex normals, which looks smoother than that of triangles."""
    normals = Surface(points, faces).vertex_normals
    light = np.full(len(points), _AMBIENT)
    for direction, strength in _LIGHTS:
        # The squared half cosine has no edge where a lamp sets, unlike the clipped cosine.
        cosine = normals @ (direction / np.linalg.norm(direction))
        light += strength * ((1 + cosine) / 2) ** 2
    return light


def _split(corners: Floats) -> Floats:
    """Quarter the triangles of coarse meshes, corner colours too, so that no facet is seen."""
    while len(corners) < _SMOOTH_FACES:
        a, b, c = np.moveaxis(corners, 1, 0)
        ab, bc, ca = (a + b) / 2, (b + c) / 2, (c + a) / 2
        parts = ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))
        corners = np.concatenate([np.stack(part, axis=1) for part in parts])
    return corners


def _panels(rows: int, columns: int) -> tuple["Figure", list[list["Axes"]]]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(3.0 * columns + 0.4, 3.6 * rows + 0.3), layout="constrained")
    return figure, [list(row) for row in figure.subplots(rows, columns, squeeze=False)]


def _same_limits(grid: list[list["Axes"]]) -> None:
    for row in grid:
        for axis in ("x", "y"):
            limits = [getattr(axes, f"get_{axis}lim")() for axes in row]
            low, high = min(lim[0] for lim in limits), max(lim[1] for lim in limits)
            for axes in row:
                getattr(axes, f"set_{axis}lim")(low, high)
