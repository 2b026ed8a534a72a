"""Correlation matrices: heat maps with the names of the variables, and eigenvalues."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from geomdp.report.pictures.ink import ACCENT, INK
from geomdp.report.pictures.scene import Scene
from geomdp.report.pictures.styles import Style, style_of
from geomdp.report.pictures.tensors import draw_eigenvalues, name_rows, trace_eigenvalues
from geomdp.spaces.correlation import Correlation
from geomdp.typing import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: More variables than this are drawn as pixels.
MOST_CELLS = 30


def draw_heat_map(axes: "Axes", space: Any, scene: Scene) -> None:
    """Draw a correlation matrix cell by cell.

    Examples
    --------
    >>> import geomdp as dp
    >>> from geomdp.report.pictures.ink import new_figure
    >>> figure, axes = new_figure(3, 3)
    >>> draw_heat_map(axes, dp.Correlation(4), Scene(np.eye(4), np.eye(4)[None]))
    >>> len(axes.collections)
    1
    """
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
    return Style(
        (draw_heat_map, draw_eigenvalues),
        "entry by entry (the stronger the darker; blue: positive, black or white: negative) and by "
        "its eigenvalues",
        raster=space.k > MOST_CELLS,
        trace=trace_eigenvalues,
        marks=True,
        axes=("eigenvalues, largest first", "size"),
    )
