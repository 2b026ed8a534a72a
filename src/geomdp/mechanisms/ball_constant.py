"""How much the normalising constant of the restricted Laplace law can move.

On a space of constant curvature the derivative of the log constant at a footpoint is the length of
the mean unit direction towards a draw, over the scale. Its supremum c gives the valid scale
``(1 + c) Delta / eps``. Bounded in interval arithmetic (docs/theory/laplace-ball.md).
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from geomdp.intervals import Interval, float_above, from_floats, infinity, interval, pi, precision
from geomdp.mechanisms.one_sided import (
    BITS,
    even_nodes,
    generalized_cotangent,
    generalized_sine,
    half_angle,
    mass_above,
    mass_below,
    share_of_directions,
)
from geomdp.spaces.ball import Ball
from geomdp.spaces.base import Space

#: Cells of a sum along the radius, and of one that need not be sharp.
CELLS, ROUGH_CELLS = 100, 20
#: Room between the mean direction at the boundary and the bound that is proved for all footpoints.
ROOM = 2.0**-8
#: Footpoints that a proof may look at before it gives up.
MOST_OFFSETS = 400


def covers(space: Space) -> bool:
    """Tell whether the proof page covers the space: constant curvature."""
    low, high = space.curvature_bounds
    return low == high and space.dim > 1


def fixed_point_factor(ball: Ball, unit: float) -> float:
    """Return a factor f <= 2 with ``f >= 1 + c(restricted_scale(f, unit))``, proved.

    ``unit`` is Delta / eps. Where no smaller factor can be proved it is 2, which always holds.
    """
    curvature, _ = ball.space.curvature_bounds
    return _factor(ball.space.dim, curvature, ball.radius, unit)


def least_factor(ball: Ball, unit: float) -> float:
    """Return where the search for :func:`fixed_point_factor` begins: no smaller one is found."""
    curvature, _ = ball.space.curvature_bounds
    return _least(ball.space.dim, curvature, ball.radius, unit)


def restricted_scale(factor: float, unit: float) -> float:
    """Scale of the noise: the product, rounded up."""
    return float(np.nextafter(factor * unit, np.inf))


@lru_cache(maxsize=256)
def _factor(dim: int, curvature: float, radius: float, unit: float) -> float:
    """Prove a guess, or a little more."""
    factor, room = _least(dim, curvature, radius, unit), ROOM
    with precision(BITS):
        while factor < 2.0:
            law = RestrictedLaw(dim, curvature, radius, restricted_scale(factor, unit))
            if law.proves(factor - 1.0):
                return factor
            factor, room = factor + room, 2 * room
    return 2.0


@lru_cache(maxsize=256)
def _least(dim: int, curvature: float, radius: float, unit: float) -> float:
    """Guess from the boundary, where the mean direction is longest as a rule."""
    factor = 2.0
    with precision(BITS):
        for _ in range(6):
            law = RestrictedLaw(dim, curvature, radius, restricted_scale(factor, unit))
            factor = min(2.0, 1.0 + law.direction_above(radius) + ROOM)
    return factor


@dataclass(frozen=True)
class RestrictedLaw:
    """Laplace laws of one scale on a ball of constant curvature, one for each footpoint."""

    dim: int
    curvature: float
    radius: float
    scale: float

    def proves(self, limit: float) -> bool:
        """Prove that the mean direction is at most ``limit`` long at every footpoint.

        From the boundary inwards: what is known at one offset bounds the next stretch, since the
        length cannot grow fast (formula 3 of the page), until formula (4) covers the rest.
        """
        offset = self.radius
        for _ in range(MOST_OFFSETS):
            if self._inner_bound(offset) <= limit:
                return True
            # Far from the limit a rough sum tells as much.
            length = self.direction_above(offset, ROUGH_CELLS)
            if not length < limit - ROOM:
                length = self.direction_above(offset)
            if not 0 <= length < limit:
                return False
            offset = float(np.nextafter(offset - self._step(length, limit), np.inf))
            if offset <= 0:
                return True
        return False

    def direction_above(self, offset: float, cells: int = CELLS) -> float:
        """Upper bound of the mean direction's length at one footpoint: formula (2)."""
        if offset == 0:
            return 0.0
        moment = total = interval(0)
        end = float(np.nextafter(self.radius + offset, np.inf))
        nodes = even_nodes(self._float_log, 1e-6 * self._spread, end, cells)
        # Where noise is as wide as the ball, directions change faster than the weight.
        nodes = np.union1d(nodes, np.linspace(nodes[0], nodes[-1], cells))
        inside = self.radius - offset
        if nodes[0] < inside < nodes[-1]:
            nodes = np.union1d(nodes, [inside])
        rows = [(t, self.log_weight(t), self._half_angle(offset, t)) for t in from_floats(nodes)]
        for (a, log_a, y_a), (b, log_b, y_b) in pairwise(rows):
            middle = (a + b) / 2
            above = mass_above(self.log_weight(middle), self._slope(middle), b - a)
            moment = moment + above * self._largest_moment(y_a.upper(), y_b.lower())
            share = share_of_directions(self.dim, y_b.lower())
            total = total + mass_below(log_a, log_b, b - a) * share
        (first, log_first, _), (last, log_last, _) = rows[0], rows[-1]
        moment = moment + self._head(first, log_first) + self._tail(last, log_last, offset)
        return _up(moment * self._unit_moment / total)

    def log_weight(self, t: Interval) -> Interval:
        """Log density of the distance from the footpoint, were there no ball."""
        return (self.dim - 1) * generalized_sine(self.curvature, t).log() - t / self.scale

    @property
    def _spread(self) -> float:
        return min(self.radius, self.scale)

    def _float_log(self, t: float) -> float:
        return float(self.log_weight(interval(t)).mid())

    def _slope(self, t: Interval) -> Interval:
        cotangent = generalized_cotangent(self.curvature, t)
        return (self.dim - 1) * cotangent - 1 / interval(self.scale)

    def _half_angle(self, offset: float, t: Interval) -> Interval:
        """Directions at this distance that stay in the ball; it decreases with the distance."""
        return half_angle(self.curvature, interval(offset), t, interval(self.radius))

    def _largest_moment(self, y_high: Interval, y_low: Interval) -> Interval:
        """Largest ``sin^(d-1)`` of the widest angle within a cell, over which y decreases."""
        half = interval(1) / 2
        if y_high >= half and y_low <= half:
            return interval(1)
        y = y_low if y_low > half else y_high
        return (4 * y * (1 - y)).max(interval(0)) ** (interval(self.dim - 1) / 2)

    @property
    def _unit_moment(self) -> Interval:
        """Mean cosine over a half space of directions, which multiplies ``sin^(d-1)``."""
        half = interval(self.dim - 1) / 2
        ratio = (half + interval(1) / 2).gamma() / (half.gamma() * pi().sqrt())
        return ratio / (self.dim - 1)

    def _head(self, first: Interval, log_first: Interval) -> Interval:
        """Bound of the mass before the first node, where the weight increases."""
        return first * log_first.exp() if self._slope(first) >= 0 else infinity()

    def _tail(self, last: Interval, log_last: Interval, offset: float) -> Interval:
        """Bound of the mass behind the last node."""
        if last >= self.radius + interval(offset):
            return interval(0)
        slope = self._slope(last)
        return log_last.exp() / -slope if slope < 0 else infinity()

    def _step(self, length: float, limit: float) -> float:
        """How far inwards the length certainly stays below the limit: formula (3)."""
        inverse = 1 / interval(self.dim)
        low, high = interval(length), interval(limit)
        gain = ((high + inverse) / (low + inverse) * (1 - low) / (1 - high)).log()
        turn = interval(0)
        if self.curvature > 0:
            turn = (-generalized_cotangent(self.curvature, interval(2 * self.radius))).max(turn)
        least = inverse.min((1 - high) * (high + inverse))
        rate = (1 + inverse) * (1 / interval(self.scale) + turn / least)
        return max(0.0, -_up(-gain / rate))

    def _inner_bound(self, offset: float) -> float:
        """Bound of the length at this footpoint and all further in: formula (4)."""
        if not offset < self.radius:
            return 1.0
        gap = interval(self.radius) - offset
        slope = self._slope(gap)
        if not slope < 0:
            return 1.0
        nodes = even_nodes(self._float_log, 1e-6 * self._spread, self.radius - offset, 32)
        inside = [(t, self.log_weight(t)) for t in from_floats(nodes) if t <= gap]
        parts = (mass_below(la, lb, b - a) for (a, la), (b, lb) in pairwise(inside))
        total = sum(parts, interval(0))
        tail = self.log_weight(gap).exp() / -slope
        return _up(tail * self._unit_moment / total)


def _up(value: Interval) -> float:
    """Return a float not below the interval, and 1 (always a valid bound) for what is no number."""
    upper = float_above(value)
    return upper if upper < 1.0 else 1.0
