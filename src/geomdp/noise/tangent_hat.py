"""A certified hat of many exponential pieces over a density that is log-concave section by section.

Each piece is a tangent of the log density. Heights are computed in intervals and rounded up,
so that the hat lies above the density with proof; the floats are then exact public constants. With
about forty pieces a proposal is accepted 99 times in 100 (docs/theory/kng-envelope.md).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from geomdp.intervals import float_above, from_floats, interval, precision
from geomdp.noise.hat import CERTIFY_BITS
from geomdp.spaces.numerics import linalg
from geomdp.typing import Array

#: A concave log density on an interval, for floats and for intervals: (function, low, high).
Section: TypeAlias = tuple[Callable[[Array], Array], float, float]

#: Pieces end where the log density has fallen by half the square of these: even Gaussian steps.
STEPS = np.concatenate([np.arange(0.3, 3.2, 0.3), [3.6, 4.3, 5.2, 6.5, 8.0]])


@dataclass(frozen=True, eq=False)
class TangentHat:
    """Log hat ``heights[j] + slopes[j] * (t - knots[j])`` between knot j and the next."""

    knots: NDArray[np.float64]
    heights: NDArray[np.float64]
    slopes: NDArray[np.float64]

    @property
    def top(self) -> float:
        """Height that areas are measured in: none is so much higher that it would overflow."""
        return float(np.max(self._peaks(np.empty(0))))

    def areas(self, like: Array) -> Array:
        """Areas under the pieces, in units of ``exp(top)`` and the arithmetic of ``like``."""
        steepness = linalg.constant(np.abs(self.slopes), like)
        fallen = 1 - np.exp(-steepness * self._widths(like))
        return np.exp(self._peaks(like) - self.top) * fallen / steepness

    def _widths(self, like: Array) -> Array:
        return linalg.constant(self.knots[1:], like) - linalg.constant(self.knots[:-1], like)

    def _peaks(self, like: Array) -> Array:
        """Height of each piece at its higher end; seen from there it falls, and is at most 1."""
        rising = linalg.constant(np.maximum(self.slopes, 0.0), like)
        return linalg.constant(self.heights, like) + rising * self._widths(like)

    def propose(self, u: Array) -> tuple[Array, Array]:
        """Return the radius with quantile ``u`` under the hat, and the log hat there."""
        areas = self.areas(u)
        ends = np.cumsum(areas)
        mass = u * ends[-1]
        piece = np.zeros(u.shape, dtype=int)
        for end in ends[:-1]:
            piece = piece + ~linalg.less(mass, end)
        rises = self.slopes[piece] > 0
        # From the higher end of the piece, at the right where it rises.
        between = np.where(rises, ends[piece] - mass, mass - (ends - areas)[piece])
        peak = self._peaks(u)[piece]
        slope = linalg.constant(self.slopes, u)[piece]
        fall = np.log(1 - abs(slope) * between / np.exp(peak - self.top))
        return linalg.constant(self.knots, u)[piece + rises] + fall / slope, peak + fall


def fit_tangent_hat(sections: Sequence[Section]) -> TangentHat:
    """Fit a hat to a log density that is concave on each of several adjacent sections."""
    knots: list[float] = []
    lines: list[tuple[float, float]] = []
    for function, low, high in sections:
        ends = _knots(function, low, high)
        with precision(CERTIFY_BITS):
            lines += _tangents(function, ends)
        knots += ends[:-1]
    knots.append(sections[-1][2])
    heights, slopes = np.array(lines).T
    return TangentHat(np.array(knots), heights, slopes)


def _tangents(f: Callable[[Array], Array], ends: list[float]) -> list[tuple[float, float]]:
    """Height at the left end and slope of a line certainly above ``f``, for each piece.

    Concave functions lie below both secants through neighbours of a point; what the float slope
    differs from them is added to the height.
    """
    edges = from_floats(np.array(ends))
    low, high = edges[:-1], edges[1:]
    touch, step = (low + high) / 2, (high - low) * interval(2.0**-60)
    if len(touch) > 1:
        # The outer pieces are long; what matters of them is the end next to the others.
        touch[0], touch[-1] = high[0], low[-1]
    below, at, above = f(np.concatenate([touch - step, touch, touch + step])).reshape(3, -1)
    lines = []
    for j in range(len(low)):
        steep, shallow = (at[j] - below[j]) / step[j], (above[j] - at[j]) / step[j]
        width = high[j] - low[j]
        # A horizontal line has no inverse; any other slope is as good.
        slope = float(steep.mid()) or float((-1 / width).mid())
        slack = ((steep - slope).abs_upper() + (slope - shallow).abs_upper()) * width
        height = at[j] + slack - slope * (touch[j] - low[j])
        lines.append((float_above(height), slope))
    return lines


def _knots(f: Callable[[Array], Array], low: float, high: float) -> list[float]:
    """Return the ends of one section's pieces: its own, its mode, and even steps around it."""
    mode = _mode(f, low, high)
    levels = float(f(np.array([mode]))[0]) - STEPS**2 / 2
    inner = [*_crossings(f, levels, mode, low), mode, *_crossings(f, levels, mode, high)]
    # Pieces far narrower than the section would only cost time.
    least = 1e-6 * (high - low)
    ends = [low]
    for knot in sorted(inner):
        if knot - ends[-1] > least and high - knot > least:
            ends.append(float(knot))
    return [*ends, high]


def _mode(f: Callable[[Array], Array], low: float, high: float) -> float:
    """Mode of a concave function by ternary search."""
    for _ in range(80):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        left, right = f(np.array([a, b]))
        low, high = (a, high) if left < right else (low, b)
    return (low + high) / 2


def _crossings(f: Callable[[Array], Array], levels: Array, mode: float, end: float) -> Array:
    """Where the function falls through each level between its mode and an end of the section."""
    inside, outside = np.full(len(levels), mode), np.full(len(levels), end)
    for _ in range(50):
        middle = (inside + outside) / 2
        above = f(middle) > levels
        inside, outside = np.where(above, middle, inside), np.where(above, outside, middle)
    return inside[f(np.array([end]))[0] < levels]
