"""Landmarks in space: from two sides, what they sweep over, and points to turn in the page."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from geomdp.readings.names import links_of
from geomdp.report.pictures.faces import turning
from geomdp.report.pictures.ink import ACCENT, INK, SOFT, TINT, new_figure, to_png
from geomdp.report.pictures.scene import Scene
from geomdp.report.pictures.styles import Style, style_of
from geomdp.report.rendering import Html
from geomdp.spaces.ball import Ball
from geomdp.spaces.size_and_shape import SizeAndShape
from geomdp.typing import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Corners of an ellipse or of the hull of two.
CORNERS = 48


def fill_marks(axes: "Axes", places: Array, spread: Array, *, joined: bool = False) -> None:
    """Fill the ellipses that marks sweep over, or the band of the closed outline through them.

    A point between two marks moves with both, so that it stays in the convex hull of their
    ellipses; at the marks the band is no wider than need be.
    """
    from matplotlib.collections import PolyCollection

    there, far = (np.roll(one, -joined, 0) for one in (places, spread))
    polygons = list(hulls(places, spread, there, far))
    # Opaque and of one colour: what is swept twice is no darker.
    axes.add_collection(PolyCollection(polygons, facecolors=TINT, edgecolors=TINT, lw=0.4))
    axes.autoscale_view()


def hulls(here: Array, spread: Array, there: Array, far: Array) -> NDArray[np.float64]:
    """Return the convex hulls of pairs of ellipses as polygons (k, corners, 2)."""
    turn = 2 * np.pi * np.arange(CORNERS) / CORNERS
    normals = np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    (a, reach_a), (b, reach_b) = (_edge(p, q, normals) for p, q in ((here, spread), (there, far)))
    return np.where((reach_a >= reach_b)[..., None], a, b)


def _edge(
    places: Array, spread: Array, normals: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points of ellipses that lie farthest in given directions, and how far that is."""
    moved = np.einsum("kij,cj->kci", spread, normals)
    width = np.sqrt(np.maximum(np.einsum("kci,ci->kc", moved, normals), np.finfo(float).tiny))
    points = places[:, None] + moved / width[..., None]
    return points, np.einsum("kci,ci->kc", points, normals)


#: Half the size of a landmark that can be turned, in units of the configuration's reach.
BEAD = 0.035
#: The two longest directions of landmarks.
BROADSIDE = (0, 1)
#: More landmarks than this have no numbers.
MOST_NUMBERS = 30
#: Corners and faces of an octahedron.
OCTAHEDRON = np.concatenate([np.eye(3), -np.eye(3)])
FACES = np.array(
    [[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]]
)


def draw_landmarks(
    axes: "Axes", space: Any, scene: Scene, shown: tuple[int, int] = BROADSIDE
) -> None:
    """Draw landmarks as seen across two of their directions, the longest first."""
    public, plane = _stage(space, scene.value, scene.ball, shown)
    value = _projected(space, scene.value, public, plane)
    if scene.region is not None:
        fill_marks(axes, *scene.region.swept(lambda one: _projected(space, one, public, plane)))
    else:
        for shape in scene.cloud:
            axes.plot(*_projected(space, shape, public, plane).T, ".", color=SOFT, ms=3, mew=0)
    join_landmarks(axes, value, scene.names, color=ACCENT)
    if scene.ball is not None:
        join_landmarks(axes, public @ plane.T, scene.names, color=INK, ls=":")
        axes.plot(*(public @ plane.T).T, "o", mec=INK, mfc="none", ms=6, mew=0.7)
    axes.plot(*value.T, "o", color=ACCENT, ms=4)
    if space.landmarks <= MOST_NUMBERS:
        label_points(axes, value, scene.names)
    axes.set_aspect("equal")
    axes.axis("off")


def trace_landmarks(space: Any, value: Array, ball: Ball | None) -> NDArray[np.float64]:
    """Return landmarks as seen across the two longest directions of the public centre."""
    public, plane = _stage(space, value, ball, BROADSIDE)
    return _projected(space, value, public, plane)


def names_beneath(axes: "Axes", space: Any, ball: Ball | None, names: tuple[str, ...]) -> None:
    """Write names or numbers where the landmarks of the public centre are."""
    if ball is not None and space.landmarks <= MOST_NUMBERS:
        label_points(axes, trace_landmarks(space, ball.center, ball), names)


def _stage(
    space: Any, value: Array, ball: Ball | None, shown: tuple[int, int]
) -> tuple[Array, NDArray[np.float64]]:
    """Return the public landmarks that others are turned to, and the plane (2, m) to draw in."""
    public = space.canonical(value if ball is None else ball.center)
    return public, np.linalg.svd(public)[2][list(shown)]


def join_landmarks(
    axes: "Axes", points: NDArray[np.float64], names: Sequence[str], **line: Any
) -> None:
    """Draw the links that a plan declares between landmarks (k, 2)."""
    for pair in links_of(names):
        axes.plot(*points[list(pair)].T, lw=1, **line)


def label_points(axes: "Axes", points: NDArray[np.float64], names: Sequence[str]) -> None:
    """Write the names of landmarks (k, 2) beside them, or their numbers."""
    named = len(names) == len(points)
    for i, point in enumerate(points):
        axes.annotate(
            names[i] if named else str(i + 1),
            point,
            (4, 4),
            textcoords="offset points",
            color=SOFT,
            fontsize=8,
            parse_math=False,
        )


def _projected(
    space: Any, shape: Array, public: Array, plane: NDArray[np.float64]
) -> NDArray[np.float64]:
    seen: NDArray[np.float64] = space.align(shape, to=public) @ plane.T
    return seen


def turnable_landmarks(space: Any, value: Array) -> Html:
    """Return landmarks as small beads that the reader can turn; on paper they are a picture."""
    points = np.asarray(space.canonical(value))
    reach = float(np.max(np.linalg.norm(points, axis=1)))
    vertices = (points[:, None] + BEAD * reach * OCTAHEDRON).reshape(-1, 3)
    faces = (FACES + len(OCTAHEDRON) * np.arange(len(points))[:, None, None]).reshape(-1, 3)
    figure, axes = new_figure(3.2, 3.0)
    draw_landmarks(axes, space, Scene(points, points[None]))
    alt = "The released landmarks"
    return turning(vertices, faces, to_png(figure, alt), alt)


@style_of.register
def _(space: SizeAndShape) -> Style:
    caption = "as landmarks, turned to fit the public centre (open circles)"
    flat = space.m == 2
    return Style(
        (draw_landmarks,) if flat else (draw_landmarks, partial(draw_landmarks, shown=(0, 2))),
        caption if flat else f"{caption}, from two sides",
        fills=True,
        turnable=None if flat else turnable_landmarks,
        trace=trace_landmarks,
        marks=True,
        ground=names_beneath,
    )
