"""Lay curves over a public template: elastic registration of one record at a time.

Square-root velocity functions ``q = f'/sqrt|f'|``, and the warp gamma that brings
``sqrt(gamma') q(gamma)`` nearest to the template's, found by dynamic programming over a grid: no
iteration that could stop early, and no record that knows of another. So it is preprocessing that
costs no privacy (docs/theory/functions.md, section 11). Velocities: Srivastava, Klassen, Joshi and
Jermyn 2011, doi:10.1109/TPAMI.2010.184.
"""

from __future__ import annotations

from math import gcd
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from geomdp.curves.grids import Grid
from geomdp.curves.resampling import interpolate
from geomdp.errors import InvalidRecordError
from geomdp.typing import Floats

#: How a plan says that curves are laid over its template.
CurveRegistration: TypeAlias = Literal["elastic"]
#: Points of the even grid on which warps are searched, at most.
NODES = 101
#: Steepest slope of a warp, and its inverse the flattest.
STEEPEST = 5
#: Price of a warp's distance from the identity, in units of the template's own square integral:
#: without it noise would be warped away too.
STIFFNESS = 0.02
#: Records warped at once.
CHUNK = 256
#: Samples beyond this are cut off, so that no square can overflow.
LARGEST = 1e100


class Registered(NamedTuple):
    """Curves laid over the template (n, *channels, m), and their warps (n, m) of the domain.

    ``curves[i]`` is record i, read at ``warps[i]``.
    """

    curves: Floats
    warps: Floats


def register_curves(curves: Floats, template: Floats, grid: Grid) -> Registered:
    """Lay curves (n, *channels, m) over a PUBLIC template (*channels, m), each by itself.

    On the circle the starting point is found too. A curve with a missing sample is left as it is.

    Examples
    --------
    >>> from geomdp.curves import IntervalGrid, register_curves
    >>> grid = IntervalGrid(np.linspace(0, 1, 60))
    >>> bump = lambda at: np.exp(-((grid.points - at) ** 2) / 0.01)
    >>> late = register_curves(np.stack([bump(0.6)]), bump(0.5), grid)
    >>> float(grid.points[np.argmax(late.curves[0])].round(1))
    0.5
    """
    curves = np.array(curves, dtype=np.float64)
    if curves.shape[1:] != template.shape:
        raise InvalidRecordError(
            f"Curves must have the template's shape {template.shape}, not {curves.shape[1:]}."
        )
    warps = np.broadcast_to(grid.points, (len(curves), grid.points.size)).copy()
    whole = np.flatnonzero(np.isfinite(curves).reshape(len(curves), -1).all(axis=1))
    flat = np.clip(curves, -LARGEST, LARGEST).reshape(len(curves), -1, grid.points.size)
    public = template.reshape(-1, grid.points.size)
    with np.errstate(all="ignore"):  # tiny and huge slopes are what they are
        for start in range(0, whole.size, CHUNK):
            rows = whole[start : start + CHUNK]
            warps[rows] = _warps(flat[rows], public, grid)
        closed = grid.closed
        for row in whole.tolist():
            at = warps[row] % 1.0 if closed else warps[row]
            read = interpolate(grid.points, flat[row], at, closed, "pchip")
            curves[row] = read.reshape(template.shape)
    return Registered(curves, warps)


def _warps(curves: Floats, template: Floats, grid: Grid) -> Floats:
    """Warps (n, m) of finite curves (n, d, m)."""
    closed = grid.closed
    first, length = (0.0, 1.0) if closed else (grid.points[0], np.ptp(grid.points))
    nodes = np.linspace(0, 1, min(NODES, grid.points.size + closed))
    at = (first + length * nodes) % 1.0 if closed else first + length * nodes
    goal = _velocity(interpolate(grid.points, template, at, closed, "pchip"), closed)
    own = _velocity(interpolate(grid.points, curves, at, closed, "pchip"), closed)
    shift = np.zeros(len(curves), dtype=int)
    if closed:
        shift = _best_shifts(own[..., :-1], goal[..., :-1])
        ahead = (np.arange(nodes.size) + shift[:, None]) % (nodes.size - 1)
        own = np.take_along_axis(own, ahead[:, None, :], axis=-1)
    path = nodes[shift][:, None] + _best_paths(goal, own)
    where = (grid.points - first) / length
    return first + length * np.stack([np.interp(where, nodes, row) for row in path])


def _velocity(curves: Floats, closed: bool) -> Floats:
    """Square-root velocity (..., d, G) of curves on even nodes of the unit interval."""
    step = 1 / (curves.shape[-1] - 1)
    if closed:  # the last node is the first
        ring = curves[..., :-1]
        slope = (np.roll(ring, -1, axis=-1) - np.roll(ring, 1, axis=-1)) / (2 * step)
        slope = np.concatenate([slope, slope[..., :1]], axis=-1)
    else:
        slope = np.gradient(curves, step, axis=-1)
    speed = np.linalg.norm(slope, axis=-2, keepdims=True)
    return slope / np.sqrt(np.maximum(speed, np.finfo(float).tiny))


def _best_shifts(own: Floats, goal: Floats) -> np.ndarray:
    """Return the starting points (n,) at which unwarped loops resemble the template most."""
    product = np.fft.rfft(own) * np.conj(np.fft.rfft(goal))
    likeness = np.fft.irfft(product.sum(axis=-2), own.shape[-1])
    return np.argmax(likeness, axis=-1)


def _best_paths(goal: Floats, own: Floats) -> Floats:
    """Warps (n, G) of [0, 1] that bring velocities ``own`` (n, d, G) nearest to ``goal`` (d, G)."""
    count, size = len(own), goal.shape[-1]
    slopes = [
        (a, b) for a in range(1, STEEPEST + 1) for b in range(1, STEEPEST + 1) if gcd(a, b) == 1
    ]
    price = STIFFNESS * float(np.mean(np.sum(goal**2, axis=0)))
    cost = np.full((size, count, size), np.inf)
    cost[0, :, 0] = 0.0
    chosen = np.zeros((size, count, size), dtype=np.int8)
    read = {s: _along(own, *s) for s in slopes}
    for i in range(1, size):
        for number, (a, b) in enumerate(slopes):
            if a > i:
                continue
            gap = goal[:, i - a + 1 : i + 1] - read[a, b]  # (n, j, d, a), j is where the step ends
            step = np.sum(gap**2, axis=(-2, -1)) + a * price * (1 - np.sqrt(b / a)) ** 2
            total = np.full((count, size), np.inf)
            total[:, b:] = cost[i - a, :, :-b] + step[:, b:]
            better = total < cost[i]
            cost[i] = np.where(better, total, cost[i])
            chosen[i] = np.where(better, number, chosen[i])
    return _walk_back(chosen, slopes)


def _along(own: Floats, a: int, b: int) -> Floats:
    """Velocities (n, j, d, a) along a step of slope b/a that ends at node j."""
    size = own.shape[-1]
    back = b * (a - 1 - np.arange(a)) / a  # nodes before the end
    at = np.clip(np.arange(size)[:, None] - back, 0, size - 1)
    low = np.minimum(at.astype(int), size - 2)
    part = at - low
    values = own[..., low] * (1 - part) + own[..., low + 1] * part  # (n, d, j, a)
    return np.sqrt(b / a) * np.moveaxis(values, 1, 2)


def _walk_back(chosen: np.ndarray, slopes: list[tuple[int, int]]) -> Floats:
    """Turn the best steps into warps (n, G): from the end (1, 1) to the start (0, 0)."""
    size, count, _ = chosen.shape
    nodes = np.linspace(0, 1, size)
    paths = np.empty((count, size))
    for row in range(count):
        i = j = size - 1
        corners = [(i, j)]
        while i > 0:
            a, b = slopes[chosen[i, row, j]]
            i, j = i - a, j - b
            corners.append((i, j))
        places = np.array(corners[::-1])
        paths[row] = np.interp(nodes, nodes[places[:, 0]], nodes[np.maximum(places[:, 1], 0)])
    return paths
