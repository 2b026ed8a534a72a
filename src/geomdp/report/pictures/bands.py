"""What outlines and landmarks sweep over while an estimate runs through its confidence region."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from geomdp.report.pictures.ink import TINT
from geomdp.typing import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Corners of an ellipse or of the hull of two.
CORNERS = 48


def fill_marks(axes: "Axes", places: Array, spread: Array) -> None:
    """Fill the ellipses that marks sweep over.

    Examples
    --------
    >>> from geomdp.report.pictures.ink import new_figure
    >>> figure, axes = new_figure(3, 3)
    >>> fill_marks(axes, np.zeros((2, 2)), np.tile(np.eye(2), (2, 1, 1)))
    >>> len(axes.collections)
    1
    """
    _fill(axes, hulls(places, spread, places, spread))


def fill_outline(axes: "Axes", places: Array, spread: Array) -> None:
    """Fill the band that a closed outline through marks sweeps over.

    A point between two marks moves with both, so that it stays in the convex hull of their
    ellipses; at the marks the band is no wider than need be.
    """
    _fill(axes, hulls(places, spread, np.roll(places, -1, 0), np.roll(spread, -1, 0)))


def hulls(here: Array, spread: Array, there: Array, far: Array) -> NDArray[np.float64]:
    """Return the convex hulls of pairs of ellipses as polygons (k, corners, 2).

    >>> square = hulls(np.zeros((1, 2)), np.eye(2)[None], np.ones((1, 2)), np.eye(2)[None])
    >>> bool(np.isclose(np.max(square), 2.0)), bool(np.isclose(np.min(square), -1.0))
    (True, True)
    """
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


def _fill(axes: "Axes", polygons: NDArray[np.float64]) -> None:
    from matplotlib.collections import PolyCollection

    # Opaque and of one colour: what is swept twice is no darker.
    axes.add_collection(PolyCollection(list(polygons), facecolors=TINT, edgecolors=TINT, lw=0.4))
    axes.autoscale_view()
