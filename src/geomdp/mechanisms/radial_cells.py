"""Cells of distance and of direction around the footpoint of a Riemannian Gaussian.

Everything that depends on one coordinate alone is made here in interval arithmetic and handed on as
floats on the safe side (docs/theory/riemannian-gaussian.md, section 4). Curvature is 1 or -1.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from geomdp.intervals import Interval, from_floats, integral, interval, pi, precision
from geomdp.mechanisms.one_sided import (
    generalized_cotangent,
    generalized_sine,
    mass_above,
    mass_below,
    share_of_directions,
)
from geomdp.typing import Array

#: Bits of the tables.
BITS = 128
#: Relative room for rounding an interval to a float.
ROOM = 2.0**-50
#: Cells of direction.
DIRECTIONS = 512
#: Dimension up to which all their shares are resolved.
RESOLVED = 40


def up(value: Interval) -> float:
    """Float not below a nonnegative interval."""
    return float(value.upper()) * (1 + ROOM)


def down(value: Interval) -> float:
    """Float not above a nonnegative interval."""
    return max(0.0, float(value.lower()) * (1 - ROOM))


@dataclass(frozen=True, eq=False)
class RadialCells:
    """Cells between increasing distances ``edges`` (exact), of a law with log-concave weight."""

    edges: Array
    #: Upper and lower bounds of the weight of each cell, and the weight of all.
    mass: Array
    least_mass: Array
    total: Interval
    #: Logarithm of the unit in which weights are counted.
    peak: Interval
    #: Between them lies the mean distance in each cell, from the cell's middle.
    first_mean: Array
    last_mean: Array


def radial_cells(
    dim: int, sphere: bool, sigma: float, mode: float, end: float, cells: int
) -> RadialCells:
    """Cells of equal width from 0 to ``end``; beyond pi, where a sphere ends, is no weight."""
    edges = np.linspace(0.0, end, cells + 1)
    sign = 1.0 if sphere else -1.0
    with precision(BITS):
        inverse_square = 1 / interval(sigma) ** 2

        def log_weight(t: Interval) -> Interval:
            return (dim - 1) * generalized_sine(sign, t).log() - t * t * inverse_square / 2

        def slope(t: Interval) -> Interval:
            return (dim - 1) * generalized_cotangent(sign, t) - t * inverse_square

        nodes, peak = from_floats(edges), log_weight(interval(mode))
        widths = [b - a for a, b in pairwise(nodes)]
        middles = [(a + b) / 2 for a, b in pairwise(nodes)]
        # The weight vanishes at 0, and at the end of a sphere.
        inner = nodes[1:-1] if sphere and end >= np.pi else nodes[1:]
        above = [
            mass_above(log_weight(t) - peak, slope(t), h)
            for t, h in zip(middles, widths, strict=True)
        ]
        logs = [log_weight(t) - peak for t in inner]
        below = [
            down(mass_below(a, b, h))
            for a, b, h in zip(logs[:-1], logs[1:], widths[1:], strict=False)
        ]
        total = _weight(dim, sign, inverse_square, nodes[-1], peak)
        slopes = np.array([np.inf, *(float(slope(t).mid()) for t in inner), -np.inf])
    slopes = slopes[: cells + 1]
    half = np.diff(edges) / 2
    # Rounding of slopes and widths is far below the room taken here.
    spread = np.where(np.isfinite(slopes), np.abs(slopes) * 1e-9, 0.0)
    first = half * _least_mean((slopes - spread)[1:] * half)
    last = -half * _least_mean(-(slopes + spread)[:-1] * half)
    mass = np.array([up(m) for m in above]) + 1e-300
    # Nothing is claimed of cells that end where the weight vanishes.
    least = np.concatenate([[0.0], below, np.zeros(cells - 1 - len(below))])
    return RadialCells(edges, mass, least, total, peak, first, last)


def _weight(
    dim: int, sign: float, inverse_square: Interval, end: Interval, peak: Interval
) -> Interval:
    """Weight of all distances: an entire function, so FLINT's integral encloses it quickly."""
    last = pi().min(end) if sign > 0 else end

    def integrand(t: Interval, _analytic: bool) -> Interval:
        return generalized_sine(sign, t) ** (dim - 1) * (-t * t * inverse_square / 2 - peak).exp()

    return integral(integrand, last, 60)


def _least_mean(x: Array) -> Array:
    """Lower bound of ``coth x - 1/x``: the mean on [-1, 1] of a law with log slope ``x``."""
    bounded = np.clip(x, -3.0, 1.0)
    value = np.where(bounded < 0, bounded / 3, bounded / 3 - bounded**3 / 45)
    return np.maximum(value - 1e-9 * np.abs(value), -1.0)


@dataclass(frozen=True, eq=False)
class DirectionCells:
    """Cells of the angle to the other point, by ``y``, the square of the half angle's sine."""

    #: Bounds of y at the edges of cells.
    low: Array
    high: Array
    #: Upper bounds of the share of directions, and of the mean of y, in each cell.
    share: Array
    mean: Array

    def beyond(self, first: int) -> "DirectionCells":
        """Cells from one on, which gets the share of all before it."""
        share = np.append(np.sum(self.share[: first + 1]), self.share[first + 1 :])
        return DirectionCells(self.low[first:], self.high[first:], share, self.mean[first:])


@lru_cache(maxsize=16)
def direction_cells(dim: int, cells: int = DIRECTIONS) -> DirectionCells:
    """Cells of equal angle from 0 to pi, an even number."""
    # Shares near both poles are as small as the width of a cell to the power of the dimension. In
    # high dimension the smallest are not resolved, and bounded by the rounding: below 2^-1000.
    with precision(BITS + 24 * min(dim, RESOLVED)):
        angles = [pi() * j / cells for j in range(cells + 1)]
        squares = [(angle / 2).sin() ** 2 for angle in angles]
        half = [interval(0), *(share_of_directions(dim, y) for y in squares[1 : cells // 2 + 1])]
        near = [b - a for a, b in pairwise(half)]
        # Directions are as many on either side of a right angle.
        share = near + near[::-1]
        # Mean cosine: the integral of cos sin^(d-2) is sin^(d-1) / (d-1).
        order = interval(dim - 1) / 2
        scale = (order + interval(0.5)).gamma() / (order.gamma() * pi().sqrt())
        flux = [scale * angle.sin() ** (dim - 1) / (dim - 1) for angle in angles[:-1]]
        flux.append(interval(0))
        cosine = [(b - a) / s for a, b, s in zip(flux[:-1], flux[1:], share, strict=True)]
        mean = np.array([up((1 - c) / 2) for c in cosine])
        low, high = (np.array([f(y) for y in squares]) for f in (down, up))
        mean = np.fmin(mean, high[1:])  # not a number where a share is not resolved
        return DirectionCells(low, high, np.array([up(s) for s in share]), mean)
