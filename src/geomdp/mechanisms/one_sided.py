"""One-sided integrals of radial laws with proof, for constants that a guarantee rests on.

A radial law has a log-concave weight along the radius and a share of directions that counts. Chords
bound the logarithm of the weight from below and tangents from above, cell by cell; shares are taken
at the end of a cell that is on the safe side (docs/theory/one-sided-sums.md).
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from geomdp.intervals import Interval, interval, pi
from geomdp.noise.hat import crossing

#: Bits of the sums.
BITS = 96
#: Beyond this fall of the log weight there is nothing worth counting.
DROP = 45.0
#: Points on each side of the mode that cells are laid out by.
GUIDES = 48


def generalized_sine(curvature: float, x: Interval) -> Interval:
    """``sin(s x)/s``, ``x`` or ``sinh(s x)/s`` for curvature ``s^2``, 0 or ``-s^2``."""
    if curvature == 0:
        return x
    if abs(curvature) == 1:  # nearly always
        return x.sin() if curvature > 0 else x.sinh()
    root = interval(abs(curvature)).sqrt()
    return ((root * x).sin() if curvature > 0 else (root * x).sinh()) / root


def generalized_cotangent(curvature: float, x: Interval) -> Interval:
    """Logarithmic derivative of :func:`generalized_sine`."""
    if curvature == 0:
        return 1 / x
    if abs(curvature) == 1:
        return x.cot() if curvature > 0 else x.coth()
    root = interval(abs(curvature)).sqrt()
    return root * ((root * x).cot() if curvature > 0 else (root * x).coth())


def half_angle(curvature: float, side: Interval, t: Interval, opposite: Interval) -> Interval:
    """``sin^2(angle / 2)`` between two sides of a triangle, from the lengths of all three.

    Below 0 or above 1 where no triangle has these sides: the opposite side is too short or long.
    """
    product = generalized_sine(curvature, (opposite + side - t) / 2)
    product = product * generalized_sine(curvature, (opposite - side + t) / 2)
    return product / (generalized_sine(curvature, side) * generalized_sine(curvature, t))


def share_of_directions(dim: int, y: Interval) -> Interval:
    """Share of directions within an angle of a given one; ``y`` is its half sine squared."""
    if y <= 0:
        return interval(0)
    if y >= 1:
        return interval(1)
    if dim == 1:
        return interval(1) / 2 if (y > 0 and y < 1) else interval(0.5, 0.5)
    if y > 0 and y < 1:
        return _share_inside(dim, y)
    # The interval reaches over an end: the share increases from 0 to 1.
    low, high = (share_of_directions(dim, end) for end in (y.lower(), y.upper()))
    return low.union(high)


def _share_inside(dim: int, y: Interval) -> Interval:
    if dim == 2:
        return 2 * y.sqrt().asin() / pi()
    if dim == 3:
        return y
    half = interval(dim - 1) / 2
    if y > 0.5:  # from the other end, where the function takes a fiftieth of the time
        return 1 - (1 - y).beta_lower(half, half, regularized=True)
    return y.beta_lower(half, half, regularized=True)


def mass_below(log_low: Interval, log_high: Interval, width: Interval) -> Interval:
    """Lower bound of the integral of a log-concave weight over a cell, from its ends: the chord."""
    return width * ((log_low + log_high) / 2).exp() * (1 + (log_high - log_low) ** 2 / 24)


def mass_above(log_middle: Interval, slope: Interval, width: Interval) -> Interval:
    """Upper bound of the integral of a log-concave weight over a cell: its middle's tangent."""
    return width * log_middle.exp() * (2 + (slope * width / 2).cosh()) / 3


def even_nodes(
    log_weight: Callable[[float], float], low: float, high: float, cells: int
) -> NDArray[np.float64]:
    """Return ends of cells over the part of [low, high] where a log-concave weight lies.

    The log weight falls by half the square of even steps from node to node, as a Gaussian would.
    Any increasing nodes give a valid sum; these give a sharp one whatever the law's scale.
    """
    left, right = low, high
    for _ in range(100):
        a, b = left + (right - left) / 3, right - (right - left) / 3
        left, right = (a, right) if log_weight(a) < log_weight(b) else (left, b)
    mode = (left + right) / 2
    top = log_weight(mode)
    first, last = (crossing(log_weight, top - DROP, mode, end) for end in (low, high))
    rough = np.linspace(0, 1, GUIDES + 1)
    # Fine on both sides of the mode and, if it is steep there, at the left end.
    start = first + (mode - first) * rough**8
    points = np.unique(np.concatenate([start, first + (mode - first) * rough, [mode]]))
    points = np.concatenate([points, mode + (last - mode) * rough[1:]])
    fall = np.sqrt(2 * np.maximum(top - np.array([log_weight(t) for t in points]), 0.0))
    steps = np.maximum.accumulate(np.where(points < mode, -fall, fall))
    nodes = np.interp(np.linspace(steps[0], steps[-1], cells + 1), steps, points)
    return np.unique(np.concatenate([[first], nodes[1:-1], [last]]))
