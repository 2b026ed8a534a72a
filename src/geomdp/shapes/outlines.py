"""Closed outlines: from drawings without correspondence to landmarks, and smoothed afterwards.

Each rule looks at one outline at a time, so that the landmarks of a record depend on no other.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.spaces.numerics import linalg

#: Vertices or landmarks, one a row.
Points: TypeAlias = NDArray[np.float64]

#: Where the first landmark may lie; each rule reads the outline itself and nothing else.
STARTS = ("first", "left", "right", "top", "bottom", "farthest")


def resample_outline(points: Any, landmarks: int, start: str = "first") -> Points:
    """Place landmarks on a closed outline, equally spaced in arc length, counter-clockwise.

    What :func:`require_outline` refuses is refused here too.

    Parameters
    ----------
    points
        Vertices (n, 2) of one closed outline, in order along it either way; a repeated last point
        is dropped.
    landmarks
        Their number, at least 3: public, the same for every record.
    start
        Public rule for the first landmark: the ``"first"`` vertex, or the first among the vertices
        furthest ``"left"``, ``"right"``, ``"top"``, ``"bottom"``, or ``"farthest"`` from the centre
        of the outline (unchanged by rotations).

    Returns
    -------
    NDArray
        Landmarks (landmarks, 2).

    Examples
    --------
    >>> square = [[0, 0], [0, 2], [2, 2], [2, 0]]
    >>> resample_outline(square, 4, start="bottom").tolist()
    [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]
    """
    if landmarks < 3:
        raise GeomdpError(f"An outline needs at least 3 landmarks, not {landmarks}.")
    if start not in STARTS:
        raise GeomdpError(f"start is one of {', '.join(STARTS)}, not {start!r}.")
    outline = _counter_clockwise(require_outline(points))
    # Landmarks are measured from a vertex, so the rule must pick it before the arc length starts.
    closed = np.roll(outline, -_first_vertex(outline, start), axis=0)
    closed = np.concatenate([closed, closed[:1]])
    arc = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(closed, axis=0), axis=1))])
    at = arc[-1] * np.arange(landmarks) / landmarks
    return np.stack([np.interp(at, arc, closed[:, axis]) for axis in range(2)], axis=-1)


def _counter_clockwise(outline: Points) -> Points:
    """Turn the outline around, keeping its first vertex, if it runs clockwise."""
    x, y = (outline - outline[0]).T
    area = np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) / 2
    return outline if area > 0 else np.roll(outline[::-1], 1, axis=0)


def _first_vertex(outline: Points, start: str) -> int:
    x, y = outline.T
    if start == "farthest":
        closed = np.concatenate([outline, outline[:1]])
        length = np.linalg.norm(np.diff(closed, axis=0), axis=1)
        # The centre of the curve, not of its vertices, which a scanner may place unevenly.
        center = length @ (closed[1:] + closed[:-1]) / (2 * np.sum(length))
        return int(np.argmax(np.linalg.norm(outline - center, axis=1)))
    height = {"first": np.zeros(len(outline)), "left": -x, "right": x, "top": y, "bottom": -y}
    return int(np.argmax(height[start]))


def require_outline(points: Any) -> Points:
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


def _vertices(points: Any) -> tuple[Points, NDArray[np.intp]]:
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


def _nearby(a: Points, b: Points) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
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


def _turn(a: Points, b: Points, c: Points) -> Points:
    """Sign of the turn from a over b to c."""
    (ux, uy), (vx, vy) = (b - a).T, (c - a).T
    return np.sign(ux * vy - uy * vx)


def _segments_meet(a: Points, b: Points, c: Points, d: Points) -> NDArray[np.bool_]:
    """Whether segment ab meets segment cd, end points included."""
    straddles = _turn(a, b, c) * _turn(a, b, d) <= 0
    straddled = _turn(c, d, a) * _turn(c, d, b) <= 0
    # Segments on one line straddle each other trivially: compare their boxes as well.
    low, high = np.minimum(a, b), np.maximum(a, b)
    overlap = np.all((low <= np.maximum(c, d)) & (np.minimum(c, d) <= high), axis=-1)
    return straddles & straddled & overlap


def _folds_back(a: Points, b: Points, c: Points) -> NDArray[np.bool_]:
    """Whether the edge from b to c runs back along the edge from a to b."""
    return (_turn(a, b, c) == 0) & (np.sum((b - a) * (c - b), axis=-1) < 0)


def smooth_shapes(shapes: Any, bandwidth: float) -> NDArray[np.complex128]:
    """Smooth closed outlines by local linear regression along them, and return preshapes.

    The landmarks are taken as equally spaced along the outline. A Gaussian kernel around each is
    then symmetric, the local slope does not change the fitted value, and local linear regression
    is a weighted mean of the landmarks around: the same weights everywhere, wrapped around the end.

    Parameters
    ----------
    shapes
        Complex landmarks (..., k), for example released preshapes.
    bandwidth
        Public standard deviation of the kernel, as a share of the outline, below 1/2. It must not
        be chosen by looking at the records.

    Returns
    -------
    NDArray
        Centred landmarks of norm 1: points of ``PlanarShapes(k)``.

    Examples
    --------
    >>> circle = np.exp(2j * np.pi * np.arange(40) / 40)
    >>> rough = circle * (1 + 0.1 * (-1.0) ** np.arange(40))
    >>> smooth = smooth_shapes(rough, 0.05)
    >>> bool(np.ptp(np.abs(smooth)) < 0.01 * np.ptp(np.abs(rough)))
    True
    """
    outlines = np.asarray(shapes, dtype=complex)
    if not 0 < bandwidth < 0.5:
        raise GeomdpError(f"The bandwidth is a share of the outline below 1/2, not {bandwidth}.")
    if outlines.ndim == 0 or outlines.shape[-1] < 3 or not np.all(np.isfinite(outlines)):
        raise InvalidRecordError("Smoothing needs at least 3 finite complex landmarks a shape.")
    smooth = linalg.row_product(outlines, _weights(outlines.shape[-1], bandwidth))
    smooth = smooth - np.mean(smooth, axis=-1, keepdims=True)
    size = np.linalg.norm(smooth, axis=-1, keepdims=True)
    if np.any(size <= 1e-12 * np.linalg.norm(outlines, axis=-1, keepdims=True)):
        raise GeomdpError("This bandwidth shrinks the outline to a point; use a smaller one.")
    return smooth / size


def _weights(k: int, bandwidth: float) -> Points:
    """Symmetric matrix of kernel weights, each column summing to 1."""
    step = np.arange(k) / k
    # Laps 1 and 2 matter only for bandwidths near the limit.
    laps = np.arange(-3, 4)[:, None]
    kernel = np.sum(np.exp(-(((step + laps) / bandwidth) ** 2) / 2), axis=0)
    index = np.arange(k)
    return np.asarray(kernel[(index[:, None] - index) % k] / np.sum(kernel))
