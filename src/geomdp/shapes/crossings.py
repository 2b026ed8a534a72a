"""Closed outlines that cross themselves are found, named and refused."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError


def require_outline(points: Any) -> NDArray[np.float64]:
    """Return the vertices of a closed outline that does not cross itself, or one clear sentence.

    Meant for drawn outlines, such as a public template. Landmarks need no order and may be joined
    in a way that crosses; so may released outlines, before they are smoothed.

    Parameters
    ----------
    points
        Vertices (n, 2) of one closed outline, in order along it.

    Returns
    -------
    NDArray
        The vertices, without those equal to the next one.

    Raises
    ------
    InvalidRecordError
        If the outline has missing points, fewer than three different ones, no inside, or crosses
        or touches itself.

    Examples
    --------
    >>> require_outline([[0, 0], [1, 0], [1, 1], [1, 1]]).tolist()
    [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]
    >>> try:
    ...     require_outline([[0, 0], [1, 1], [1, 0], [0, 1]])
    ... except InvalidRecordError as error:
    ...     print(str(error).split(" (")[0])
    The outline crosses itself: the edge from vertex 0 meets the edge from vertex 2
    """
    outline, _ = _vertices(points)
    if np.linalg.matrix_rank(outline - np.mean(outline, axis=0)) < 2:
        raise InvalidRecordError("The outline encloses no area: its points lie on one line.")
    edges = crossing_edges(points)
    if edges is not None:
        raise InvalidRecordError(
            f"The outline crosses itself: the edge from vertex {edges[0]} meets the edge from "
            f"vertex {edges[1]} (counted from 0); list its points in order along it."
        )
    return outline


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
    a, index = _vertices(points)
    n = len(a)
    b = np.roll(a, -1, axis=0)
    first, second = _nearby(a, b)
    meet = _segments_meet(a[first], b[first], a[second], b[second])
    after = second - first == 1
    around = (first == 0) & (second == n - 1)
    # Neighbours always share a vertex; they overlap only if one folds back on the other.
    folds = np.where(
        around, _folds_back(a[-1], a[0], a[1]), _folds_back(a[first], b[first], b[second])
    )
    found = np.flatnonzero(np.where(after | around, folds, meet))
    if not found.size:
        return None
    i, j = min(zip(first[found], second[found], strict=True))
    return int(index[i]), int(index[j])


def _vertices(points: Any) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Vertices that differ from the next one, and their places in ``points``."""
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
    if len(np.unique(outline, axis=0)) < 3:
        raise InvalidRecordError("An outline needs at least three different points.")
    index = np.flatnonzero(np.any(outline != np.roll(outline, -1, axis=0), axis=1))
    return outline[index], index


def _nearby(
    a: NDArray[np.float64], b: NDArray[np.float64]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Pairs i < j of edges whose shadows on one line overlap: few on outlines, and all that meet.

    The line is oblique, because the edges of outlines traced on pixels share their x or y.
    """
    oblique = np.array([0.8290375725550417, 0.5591929034707469])  # cosine and sine of 34 degrees
    ends = np.stack([a @ oblique, b @ oblique])
    slack = 8 * np.finfo(float).eps * np.max(np.abs(a))
    low, high = np.min(ends, axis=0) - slack, np.max(ends, axis=0) + slack
    order = np.argsort(low)
    # In this order the shadows that begin before the i-th ends are those up to last[i].
    last = np.searchsorted(low[order], high[order], side="right")
    count = last - np.arange(len(a)) - 1
    place = np.repeat(np.arange(len(a)), count)
    offset = np.arange(len(place)) - np.repeat(np.cumsum(count) - count, count)
    one, other = order[place], order[place + 1 + offset]
    return np.minimum(one, other), np.maximum(one, other)


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
