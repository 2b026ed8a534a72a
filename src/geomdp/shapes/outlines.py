"""Closed outlines without correspondence, turned into landmarks by a public rule.

The rule looks at one outline at a time, so that the landmarks of a record depend on no other.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import GeomdpError
from geomdp.shapes.crossings import require_outline

#: Where the first landmark may lie; each rule reads the outline itself and nothing else.
STARTS = ("first", "left", "right", "top", "bottom", "farthest")


def resample_outline(points: Any, k: int, start: str = "first") -> NDArray[np.float64]:
    """Place ``k`` landmarks on a closed outline, equally spaced in arc length, counter-clockwise.

    Parameters
    ----------
    points
        Vertices (n, 2) of one closed outline, in order along it either way; a repeated last point
        is dropped.
    k
        Number of landmarks, at least 3: public, the same for every record.
    start
        Public rule for the first landmark: the ``"first"`` vertex, or the first among the vertices
        furthest ``"left"``, ``"right"``, ``"top"``, ``"bottom"``, or ``"farthest"`` from the centre
        of the outline (unchanged by rotations).

    Returns
    -------
    NDArray
        Landmarks (k, 2).

    Raises
    ------
    InvalidRecordError
        If the outline has missing points, fewer than three different ones, no inside, or crosses
        itself.

    Examples
    --------
    >>> square = [[0, 0], [0, 2], [2, 2], [2, 0]]
    >>> resample_outline(square, 4, start="bottom").tolist()
    [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]
    """
    if k < 3:
        raise GeomdpError(f"An outline needs at least 3 landmarks, not {k}.")
    if start not in STARTS:
        raise GeomdpError(f"start is one of {', '.join(STARTS)}, not {start!r}.")
    outline = _counter_clockwise(require_outline(points))
    # Landmarks are measured from a vertex, so the rule must pick it before the arc length starts.
    closed = np.roll(outline, -_first_vertex(outline, start), axis=0)
    closed = np.concatenate([closed, closed[:1]])
    arc = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(closed, axis=0), axis=1))])
    at = arc[-1] * np.arange(k) / k
    return np.stack([np.interp(at, arc, closed[:, axis]) for axis in range(2)], axis=-1)


def _counter_clockwise(outline: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn the outline around, keeping its first vertex, if it runs clockwise."""
    x, y = (outline - outline[0]).T
    area = np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) / 2
    return outline if area > 0 else np.roll(outline[::-1], 1, axis=0)


def _first_vertex(outline: NDArray[np.float64], start: str) -> int:
    x, y = outline.T
    if start == "farthest":
        closed = np.concatenate([outline, outline[:1]])
        length = np.linalg.norm(np.diff(closed, axis=0), axis=1)
        # The centre of the curve, not of its vertices, which a scanner may place unevenly.
        center = length @ (closed[1:] + closed[:-1]) / (2 * np.sum(length))
        return int(np.argmax(np.linalg.norm(outline - center, axis=1)))
    height = {"first": np.zeros(len(outline)), "left": -x, "right": x, "top": y, "bottom": -y}
    return int(np.argmax(height[start]))
