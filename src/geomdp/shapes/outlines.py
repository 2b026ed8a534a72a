"""Closed outlines without correspondence, turned into landmarks by a public rule.

The rule looks at one outline at a time, so that the landmarks of a record depend on no other.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import GeomdpError, InvalidRecordError

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
        If the outline has missing points, fewer than three different ones, or no inside.

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
    outline = _counter_clockwise(_as_outline(points))
    # Landmarks are measured from a vertex, so the rule must pick it before the arc length starts.
    closed = np.roll(outline, -_first_vertex(outline, start), axis=0)
    closed = np.concatenate([closed, closed[:1]])
    arc = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(closed, axis=0), axis=1))])
    at = arc[-1] * np.arange(k) / k
    return np.stack([np.interp(at, arc, closed[:, axis]) for axis in range(2)], axis=-1)


def crossing_edges(points: Any) -> tuple[int, int] | None:
    """Return the first two edges of a closed outline that cross or touch, or None if it is simple.

    Edge i joins vertex i to the next one; neighbours may share their vertex only.

    Examples
    --------
    >>> crossing_edges([[0, 0], [1, 0], [1, 1], [0, 1]]) is None
    True
    >>> crossing_edges([[0, 0], [1, 1], [1, 0], [0, 1]])
    (0, 2)
    """
    a = _as_outline(points)
    n = len(a)
    b = np.roll(a, -1, axis=0)
    first, second = np.triu_indices(n, 1)
    meet = _segments_meet(a[first], b[first], a[second], b[second])
    after = second - first == 1
    around = (first == 0) & (second == n - 1)
    # Neighbours always share a vertex; they overlap only if one folds back on the other.
    folds = np.where(
        around, _folds_back(a[-1], a[0], a[1]), _folds_back(a[first], b[first], b[second])
    )
    found = np.flatnonzero(np.where(after | around, folds, meet))
    return (int(first[found[0]]), int(second[found[0]])) if found.size else None


def _as_outline(points: Any) -> NDArray[np.float64]:
    """Vertices of one outline without repeated neighbours, or one clear sentence."""
    try:
        outline = np.asarray(points, dtype=float)
    except (TypeError, ValueError) as error:
        raise InvalidRecordError("An outline must be an array (n, 2) of numbers.") from error
    if outline.ndim != 2 or outline.shape[1] != 2:
        raise InvalidRecordError(
            f"An outline must have shape (n, 2), not {outline.shape}; check the order of the axes."
        )
    if not np.all(np.isfinite(outline)):
        raise InvalidRecordError("The outline has a missing or infinite point; leave it out.")
    moves = np.any(outline != np.roll(outline, -1, axis=0), axis=1)
    if len(np.unique(outline, axis=0)) < 3:
        raise InvalidRecordError("An outline needs at least three different points.")
    return outline[moves]


def _counter_clockwise(outline: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn the outline around, keeping its first vertex, if it runs clockwise."""
    centred = outline - outline[0]
    x, y = centred.T
    terms = x * np.roll(y, -1) - y * np.roll(x, -1)
    area = np.sum(terms) / 2
    if abs(area) <= len(outline) * np.finfo(float).eps * np.sum(np.abs(terms)):
        raise InvalidRecordError("The outline encloses no area, so that it has no orientation.")
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


def _turn(
    a: NDArray[np.float64], b: NDArray[np.float64], c: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Sign of the turn from a over b to c."""
    (ux, uy), (vx, vy) = (b - a).T, (c - a).T
    return np.sign(ux * vy - uy * vx)


def _segments_meet(
    a: NDArray[np.float64], b: NDArray[np.float64], c: NDArray[np.float64], d: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Whether segment ab meets segment cd, end points included."""
    straddles = _turn(a, b, c) * _turn(a, b, d) <= 0
    straddled = _turn(c, d, a) * _turn(c, d, b) <= 0
    # Segments on one line straddle each other trivially: compare their boxes as well.
    low, high = np.minimum(a, b), np.maximum(a, b)
    overlap = np.all((low <= np.maximum(c, d)) & (np.minimum(c, d) <= high), axis=-1)
    return straddles & straddled & overlap


def _folds_back(
    a: NDArray[np.float64], b: NDArray[np.float64], c: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Whether the edge from b to c runs back along the edge from a to b."""
    return (_turn(a, b, c) == 0) & (np.sum((b - a) * (c - b), axis=-1) < 0)
