"""Surfaces in space: two shaded views, their profile, and a mesh that can be turned in the page."""

import base64
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from geomdp.report.pictures.ink import SOFT, to_png
from geomdp.report.pictures.scene import Scene
from geomdp.report.pictures.styles import Panel, Style, style_of
from geomdp.report.rendering import Html, part, render
from geomdp.statistics.capabilities import HasMesh
from geomdp.typing import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from geomdp.surfaces.mesh.surface import Surface

#: An edge by its two ends, the smaller number first.
Edge: TypeAlias = tuple[int, int]


def profile(public: "Surface", vertices: Array) -> Array:
    """Return the profile (m, 2) of a surface that has the triangles of a public one.

    The edges that are cut are the public surface's, so that the profiles of several surfaces go
    through the same places of it. The surface looks to the right.
    """
    across = public.vertices[:, 0] - public.vertices[:, 0].mean()
    here, there = np.array(_longest_cut(public.faces, across > 0)).T
    share = (across[here] / (across[here] - across[there]))[:, None]
    met = (1 - share) * vertices[here] + share * vertices[there]
    return np.asarray(met[:, [2, 1]])


def _longest_cut(faces: Array, right: Array) -> list[Edge]:
    """Return the edges between the two sides, in order, along the longest line that they form."""
    neighbours: dict[Edge, list[Edge]] = {}
    sides = right[faces].sum(axis=1)
    for a, b, c in faces[(sides == 1) | (sides == 2)].tolist():
        edges = [(min(ends), max(ends)) for ends in ((a, b), (b, c), (c, a))]
        first, second = (edge for edge in edges if right[edge[0]] != right[edge[1]])
        neighbours.setdefault(first, []).append(second)
        neighbours.setdefault(second, []).append(first)
    ends = sorted(edge for edge, near in neighbours.items() if len(near) == 1)
    return max((_walk(end, neighbours) for end in ends or sorted(neighbours)), key=len)


def _walk(at: Edge, neighbours: dict[Edge, list[Edge]]) -> list[Edge]:
    """Follow a line from one of its edges."""
    seen = {at: None}
    while fresh := [edge for edge in neighbours[at] if edge not in seen]:
        at = fresh[0]
        seen[at] = None
    return list(seen)


#: Vertices are drawn on a grid of this many steps each way: finer than any screen.
STEPS = 32_000
#: Half the width of a picture, in units of how far the template reaches.
ROOM = 1.05


def mesh_of(statistic: Any, value: Array) -> "Surface":
    """Return the mesh of a released mean surface."""
    mesh: Surface = statistic.mesh_of(np.asarray(value))
    return mesh


def view_of(*, template: bool, side: bool) -> Panel:
    """Return what draws the released surface, or the public template, from one side."""
    # A blank keeps the sizes alike; the caption says of what the picture is.
    title = ", ".join(["public template"] * template + ["from the side"] * side) or " "

    def draw(axes: "Axes", statistic: Any, scene: Scene) -> None:
        from geomdp.surfaces.pictures import FRONT, SIDE

        value = statistic.public_value if template else scene.value
        _draw(axes, statistic, value, SIDE if side else FRONT)
        axes.set_title(title, color=SOFT, fontsize=9)

    return draw


def _draw(axes: "Axes", statistic: Any, value: Array, view: tuple[float, float]) -> None:
    """Draw a surface at the scale of the template, whatever the noise did to its size."""
    from geomdp.surfaces.pictures import draw_surface

    draw_surface(axes, mesh_of(statistic, value), view)
    template = mesh_of(statistic, statistic.public_value).vertices
    reach = ROOM * float(np.max(np.linalg.norm(template - template.mean(axis=0), axis=1)))
    for low, high, put in (
        (*axes.get_xlim(), axes.set_xlim),
        (*axes.get_ylim(), axes.set_ylim),
    ):
        put((low + high) / 2 - reach, (low + high) / 2 + reach)


def turnable(surface: "Surface", alt: str) -> Html:
    """Return a mesh that a script (``turn.js``) lets the reader turn; on paper it is a picture."""
    from matplotlib.figure import Figure

    from geomdp.surfaces.pictures import draw_surface

    figure = Figure(figsize=(4, 4), layout="constrained")
    draw_surface(figure.add_subplot(), surface)
    return turning(surface.vertices, surface.faces, to_png(figure, alt), alt)


def turning_html(surface: "Surface", title: str = "A surface") -> str:
    """Return a page in which any mesh can be turned; it asks for nothing outside itself.

    Examples
    --------
    >>> from geomdp.surfaces.mesh.procedural import template_face
    >>> turning_html(template_face(), "A face").count("<canvas")
    1
    """
    return render("turn", title=title, picture=turnable(surface, title), script="turn.js")


def turning(vertices: Array, faces: Array, still: Html, alt: str) -> Html:
    """Return triangles that the reader can turn, with a ``still`` picture for paper."""
    middle = (vertices.max(axis=0) + vertices.min(axis=0)) / 2
    centred = vertices - middle
    size = float(np.max(np.linalg.norm(centred, axis=1)))
    corners = _bytes(np.round(centred / size * STEPS), "<i2")
    return part("turn", still, alt, corners, _bytes(faces, "<u4"))


def _bytes(numbers: Array, dtype: str) -> str:
    return base64.b64encode(np.ascontiguousarray(numbers, dtype=dtype).tobytes()).decode("ascii")


@style_of.register
def _(statistic: HasMesh) -> Style:
    return Style(
        tuple(view_of(template=old, side=side) for old in (False, True) for side in (False, True)),
        "from two sides, and the public template for comparison",
        raster=True,
        cloud=False,
        turnable=_turned,
        trace=_profile,
        difference=_away,
    )


def _turned(statistic: Any, value: Array) -> Html:
    return turnable(mesh_of(statistic, value), "The released surface")


def _away(statistic: Any, value: Array) -> Html:
    """Colour a surface by its distance from the public template."""
    from geomdp.surfaces.pictures import difference_map

    template = mesh_of(statistic, statistic.public_value)
    drawn = difference_map(mesh_of(statistic, value), template)
    return to_png(drawn, "Distance from the public template, in colours")


def _profile(statistic: Any, value: Array, ball: Any) -> Array:
    """Return the cut through the middle of a surface, for pictures of several."""
    public = mesh_of(statistic, statistic.public_value)
    return profile(public, mesh_of(statistic, value).vertices)
