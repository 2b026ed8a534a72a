"""Matrices: ellipses, ellipsoids from two sides, squares, heat maps, and eigenvalues."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from geomdp.report.pictures.flat import MOST_NAMES
from geomdp.report.pictures.ink import ACCENT, FAINT, INK, SOFT, TINT
from geomdp.report.pictures.scene import Scene
from geomdp.report.pictures.styles import BARS, Panel, Style, style_of
from geomdp.spaces.correlation import Correlation
from geomdp.spaces.grassmannian import Grassmannian
from geomdp.spaces.symmetric import SPDPoints
from geomdp.typing import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Rows right, up, towards the viewer: along the second axis, and from a corner.
SIDE = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
CORNER = np.array(
    [
        [-np.sqrt(1 / 2), np.sqrt(1 / 2), 0.0],
        [-np.sqrt(1 / 6), -np.sqrt(1 / 6), np.sqrt(2 / 3)],
        [np.sqrt(1 / 3), np.sqrt(1 / 3), np.sqrt(1 / 3)],
    ]
)
#: Spectra narrower than this are drawn on a plain scale: few ticks of a log scale fall into it.
DECADE = 10.0
_TURN = np.linspace(0, 2 * np.pi, 121)
_CIRCLE = np.stack([np.cos(_TURN), np.sin(_TURN)])


def draw_ellipse(axes: "Axes", space: Any, scene: Scene) -> None:
    """Draw a 2 x 2 matrix as the ellipse ``x^T P^-1 x = 1``: half axes are roots of eigenvalues."""
    _silhouettes(axes, scene, np.eye(2))
    values, vectors = np.linalg.eigh(scene.value)
    for length, axis in zip(np.sqrt(values), vectors.T, strict=True):
        ends = np.outer([-length, length], axis)
        axes.plot(*ends.T, color=ACCENT, lw=1)
    axes.set_aspect("equal")
    axes.locator_params(nbins=5)


def draw_squares(axes: "Axes", space: Any, scene: Scene) -> None:
    """Draw the entries of a larger matrix as squares of that area; hollow ones are negative."""
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    matrix = np.asarray(scene.value)
    k = len(matrix)
    side = np.sqrt(np.abs(matrix) / np.max(np.abs(matrix)))
    patches = [
        Rectangle((j - side[i, j] / 2, i - side[i, j] / 2), side[i, j], side[i, j])
        for i in range(k)
        for j in range(k)
    ]
    faces = [ACCENT if entry > 0 else "none" for entry in matrix.flat]
    axes.add_collection(PatchCollection(patches, facecolors=faces, edgecolors=ACCENT, lw=0.6))
    axes.set_xlim(-0.7, k - 0.3)
    axes.set_ylim(k - 0.3, -0.7)
    axes.set_aspect("equal")
    axes.spines[["top", "right", "left", "bottom"]].set_color(FAINT)
    axes.spines[["top", "right"]].set_visible(True)
    name_rows(axes, k, scene.names)


def name_rows(axes: "Axes", k: int, names: Sequence[str]) -> None:
    """Write names beside the rows and columns of a matrix; first and last number without them."""
    if len(names) == k <= MOST_NAMES:
        small = min(9.0, 200.0 / k)
        axes.set_xticks(range(k), names, rotation=90, fontsize=small, parse_math=False)
        axes.set_yticks(range(k), names, fontsize=small, parse_math=False)
    else:
        axes.set_xticks([0, k - 1], ["1", str(k)])
        axes.set_yticks([0, k - 1], ["1", str(k)])


def draw_eigenvalues(axes: "Axes", space: Any, scene: Scene) -> None:
    """Draw the spectrum of a matrix, with the spectra of the cloud."""
    index = np.arange(1, len(scene.value) + 1)
    for matrix in scene.cloud:
        axes.plot(index, np.linalg.eigvalsh(matrix)[::-1], color=FAINT, lw=0.8)
    axes.plot(index, np.linalg.eigvalsh(scene.value)[::-1], ".-", color=ACCENT, lw=1.3, ms=5)
    drawn = np.concatenate([np.asarray(line.get_ydata()) for line in axes.lines])
    if drawn.min() > 0 and drawn.max() > DECADE * drawn.min():
        axes.set_yscale("log")
    axes.set_xlabel("eigenvalues, largest first")


def trace_eigenvalues(space: Any, value: NDArray[np.float64], ball: Any) -> NDArray[np.float64]:
    """Return the eigenvalues against their ranks."""
    return np.column_stack([np.arange(1, len(value) + 1), np.linalg.eigvalsh(value)[::-1]])


def trace_ellipse(space: Any, value: NDArray[np.float64], ball: Any) -> NDArray[np.float64]:
    """Return the outline of a small matrix, seen from the corner between the axes."""
    return _outline(np.eye(2) if space.k == 2 else CORNER[:2], value).T


def draw_ellipsoid(
    axes: "Axes", space: Any, scene: Scene, view: NDArray[np.float64] = CORNER
) -> None:
    """Draw a 3 x 3 matrix: silhouettes, principal circles (behind: dotted), coordinate axes."""
    names = scene.names if len(scene.names) == 3 else "xyz"
    values, vectors = np.linalg.eigh(scene.value)
    # So that the names of the axes, which are seen at a slant, stay outside.
    slant = float(np.max(np.hypot(*view[:2])))
    largest = float(np.max(np.linalg.eigvalsh(scene.cloud), initial=0.0))
    reach = 1.3 * np.sqrt(max(values[-1], largest)) / slant
    for name, tip in zip(names, reach * view[:2].T, strict=True):
        axes.plot([0, tip[0]], [0, tip[1]], color=FAINT, lw=0.8, zorder=0)
        if np.hypot(*tip) > 0.1 * reach:
            axes.annotate(name, tip, color=SOFT, ha="center", fontsize=9, parse_math=False)
    _silhouettes(axes, scene, view[:2])
    half = vectors * np.sqrt(values)
    for i, j in ((0, 1), (1, 2), (0, 2)):
        line = (view @ half[:, [i, j]] @ _CIRCLE).T
        for front, style in ((True, "-"), (False, ":")):
            part = np.where((line[:, 2:] > 0) == front, line[:, :2], np.nan)
            axes.plot(*part.T, color=ACCENT, lw=0.9, ls=style)
    axes.set_aspect("equal")
    axes.axis("off")


def _silhouettes(axes: "Axes", scene: Scene, plane: NDArray[np.float64]) -> None:
    """Outlines of the ellipsoids as seen in a plane: the outline of P is the ellipse of A P A^T."""
    outline = _outline(plane, scene.value)
    axes.fill(*outline, facecolor=TINT, edgecolor="none", alpha=0.7)
    for matrix in scene.cloud:
        axes.plot(*_outline(plane, matrix), color=SOFT, lw=0.6, alpha=0.6)
    if scene.ball is not None:
        axes.plot(*_outline(plane, scene.ball.center), color=INK, lw=1, ls=(0, (1.5, 2)))
    axes.plot(*outline, color=ACCENT, lw=1.7)


def _outline(plane: NDArray[np.float64], matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    seen = plane @ matrix @ plane.T
    curve: NDArray[np.float64] = np.linalg.cholesky(seen) @ _CIRCLE
    return curve


def _by_entries(panel: Panel, told: str, *, raster: bool = False) -> Style:
    return Style(
        (panel, draw_eigenvalues),
        f"entry by entry ({told}) and by its eigenvalues",
        raster=raster,
        trace=trace_eigenvalues,
        marks=True,
        axes=("eigenvalues, largest first", "size"),
    )


@style_of.register
def _(space: SPDPoints) -> Style:
    if space.k == 1:
        return BARS
    if space.k > 3:
        return _by_entries(
            draw_squares, "the area of a square is the size of the entry; hollow: negative"
        )
    name = "ellipse" if space.k == 2 else "ellipsoid"
    corner, side = draw_ellipsoid, partial(draw_ellipsoid, view=SIDE)
    return Style(
        (draw_ellipse,) if space.k == 2 else (corner, side),
        f"as the {name} with half axes √eigenvalue; dotted: the public centre",
        trace=trace_ellipse,
    )


#: More variables than this are drawn as pixels.
MOST_CELLS = 30


def draw_heat_map(axes: "Axes", space: Any, scene: Scene) -> None:
    """Draw a correlation matrix cell by cell."""
    heat_map(axes, scene.value, scene.names)


def heat_map(axes: "Axes", matrix: Array, names: Sequence[str] = ()) -> None:
    """Draw a matrix of correlations; the stronger the darker, two colours for the two signs.

    Parameters
    ----------
    axes
        Of matplotlib.
    matrix
        Entries between -1 and 1.
    names
        Public names of the variables (regions of a brain), one a row; numbers where left out.

    Examples
    --------
    >>> from geomdp.report.pictures.ink import new_figure
    >>> figure, axes = new_figure(3, 3)
    >>> heat_map(axes, np.eye(2), ["left", "right"])
    >>> [text.get_text() for text in axes.get_xticklabels()]
    ['left', 'right']
    """
    from matplotlib.collections import PatchCollection
    from matplotlib.colors import to_rgba
    from matplotlib.patches import Rectangle

    matrix = np.asarray(matrix)
    k = len(matrix)
    cells = [Rectangle((j - 0.5, i - 0.5), 1, 1) for i in range(k) for j in range(k)]
    strength = np.clip(np.abs(matrix), 0.0, 1.0).ravel().tolist()
    signs = (ACCENT if entry >= 0 else INK for entry in matrix.flat)
    colours = [to_rgba(sign, alpha) for sign, alpha in zip(signs, strength, strict=True)]
    axes.add_collection(PatchCollection(cells, facecolors=colours, edgecolors="none", lw=0))
    axes.set_xlim(-0.5, k - 0.5)
    axes.set_ylim(k - 0.5, -0.5)
    axes.set_aspect("equal")
    name_rows(axes, k, names)


@style_of.register
def _(space: Correlation) -> Style:
    told = "the stronger the darker; blue: positive, black or white: negative"
    return _by_entries(draw_heat_map, told, raster=space.k > MOST_CELLS)


@style_of.register
def _(space: Grassmannian) -> Style:
    told = "as the matrix that projects onto it; blue: positive, black or white: negative"
    return _by_entries(draw_heat_map, told, raster=space.m > MOST_CELLS)
