"""A law of finitely many privacy losses that is worse than that of two Riemannian Gaussians.

Cells of distance and direction become atoms on a grid of losses. Which functions are convex or
concave, and so on which side chords and means lie: docs/theory/riemannian-gaussian.md, section 4.
Only operations that IEEE 754 rounds correctly are used, and the functions proved in
:mod:`geomdp.noise.float_functions`.
"""

from dataclasses import dataclass

import numpy as np

from geomdp.intervals import from_floats, interval, precision
from geomdp.mechanisms.radial_cells import (
    BITS,
    DirectionCells,
    RadialCells,
    direction_cells,
    up,
)
from geomdp.noise import float_functions
from geomdp.typing import Array

#: Rows of cells that are handled at once.
ROWS = 64
#: Room for the rounding of sums and products of floats, relative to the largest number in them.
ROUNDING = 1e-13
#: Relative room for the rounding of sums of up to a hundred million positive floats.
SUMMATION = 1e-7
#: Room for a million numbers that are too small for floats.
UNDERFLOW = 1e-305
#: Cells by which directions are taken to have no positive loss later than they have none; widths
#: beyond the usual at which a place across the way has no weight; radii up to where space is flat.
MARGIN, ACROSS, NEARLY_FLAT = 4.0, 11.0, 0.5
#: By how much a cosine is moved until its distance is surely on the safe side; the most by which
#: a distance is.
NUDGE, LARGE_NUDGE = 1e-12, 1e-6


@dataclass(frozen=True)
class LossCells:
    """Bounds of the privacy loss of width ``sigma`` on cells of distance and direction."""

    sphere: bool
    shift: float
    sigma: float

    def atoms(self, radial: RadialCells, dim: int, step: float, last: int) -> Array:
        """Weights at ``0, step, ..., last * step``, times the total: upper and lower bounds.

        The law with the upper weights has larger hockey-stick divergences at every epsilon >= 0.
        Losses that are not positive count as 0.
        """
        every, sums = direction_cells(dim), np.zeros((2, last + 1))
        for start in range(0, radial.mass.size, ROWS):
            rows = slice(start, start + ROWS)
            first = self._first_direction(radial.edges[start : start + 2], dim, every.share.size)
            directions = every.beyond(first)
            places = _places(*self._bounds(radial, directions, rows), step, last)
            for side, mass in enumerate((radial.mass, radial.least_mass)):
                sums[side] += _collect(places, mass[rows, None] * directions.share, last)
        # Shares of directions are upper bounds on both sides, by far less than this.
        return np.stack(
            [
                sums[0] * (1 + SUMMATION) + UNDERFLOW,
                np.maximum(sums[1] * (1 - SUMMATION) - UNDERFLOW, 0.0),
            ]
        )

    def _first_direction(self, edges: Array, dim: int, count: int) -> int:
        """Choose the cell of directions as which all before it count; any choice is valid.

        The loss increases with the direction. Before that cell it is not positive, or what is so
        far across the way to the other point has no weight beside what lies as far along it.
        """
        near, width = float(edges[0]), float(edges[1] - edges[0])
        sine, tangent = (np.sin, np.tan) if self.sphere else (np.sinh, np.tanh)
        if not sine(near) > 0:
            return 0
        # The loss vanishes where y = (1 - cot(t) tan(shift / 2)) / 2, on a sphere.
        even = np.arccos(np.clip(tangent(self.shift / 2) / tangent(near), -1.0, 1.0))
        angle = even - MARGIN * (np.pi / count + width / sine(near))
        across = self.sigma * (np.sqrt(dim) + ACROSS)
        if across < near < NEARLY_FLAT:
            angle = max(angle, np.pi - np.arcsin(across / near))
        return int(np.clip(angle * count / np.pi, 0, count - 1))

    def _bounds(
        self, radial: RadialCells, directions: DirectionCells, rows: slice
    ) -> tuple[Array, Array, Array]:
        """Lower bounds, upper bounds of the mean, and upper bounds of the loss on each cell."""
        edges = radial.edges[rows.start : rows.stop + 1]
        left, right = edges[:-1], edges[1:]
        first, last = radial.first_mean[rows, None], radial.last_mean[rows, None]
        width = (right - left)[:, None]
        at_low = self._losses(edges, directions.low, upper=False)
        low = at_low[:, :-1]
        if not self.sphere:
            # Convex in the distance, with slopes up to shift/sigma^2; concave in the direction.
            steepest = width * self.shift / self.sigma**2 * (1 + ROUNDING)
            high = self._losses(edges, directions.high, upper=True)[:, 1:]
            ends = self._losses(edges, directions.mean, upper=True)
            mean = np.maximum(
                *(
                    (ends[:-1] + ends[1:]) / 2 + (ends[1:] - ends[:-1]) * m / width
                    for m in (first, last)
                )
            )
            return (low[:-1] + low[1:] - steepest) / 2, mean, np.maximum(high[:-1], high[1:])
        # Concave in the distance, convex in the direction.
        middle = self._losses((left + right) / 2, directions.high, upper=True)
        mean = _mean_on_sphere(middle, at_low, (first, last), directions, width)
        top, ends = middle[:, 1:], at_low[:, 1:]
        steep = np.maximum(top - ends[:-1], top - ends[1:])
        return np.minimum(low[:-1], low[1:]), mean, top + np.maximum(steep, 0.0)

    def _losses(self, t: Array, y: Array, *, upper: bool) -> Array:
        """Upper or lower bound of ``(T^2 - t^2) / 2 sigma^2``, T the distance to the other."""
        bound = (_on_sphere if self.sphere else _on_hyperbolic)(t, y, self.shift, upper)
        far, square = bound**2, t[:, None] ** 2
        room = ROUNDING * (far + square)
        return (far - square + (room if upper else -room)) / (2 * self.sigma**2)


def _mean_on_sphere(
    middle: Array,
    ends: Array,
    means: tuple[Array, Array],
    directions: DirectionCells,
    width: Array,
) -> Array:
    """Mean loss: a supergradient at the middle distance, then the chord over directions."""
    slopes = (2 * (middle - ends[:-1]) / width, 2 * (ends[1:] - middle) / width)
    moved = [slope * mean for slope in slopes for mean in means]
    at_mean = middle + np.maximum(np.maximum(*moved[:2]), np.maximum(*moved[2:]))
    gap = directions.low[1:] - directions.high[:-1]
    part = np.minimum((directions.mean - directions.low[:-1]) / gap * (1 + 1e-9), 1.0)
    left, right = at_mean[:, :-1], at_mean[:, 1:]
    return left + np.maximum(right - left, 0.0) * part


def _on_hyperbolic(t: Array, y: Array, shift: float, upper: bool) -> Array:
    """Bound T with ``sinh^2(T/2) = sinh^2((t - shift)/2) + sinh(shift) sinh(t) y``."""
    with precision(BITS):
        side = interval(shift)
        distances = from_floats(t)
        near = np.array([up(((b - side) / 2).sinh() ** 2) for b in distances])
        factor = np.array([up(side.sinh() * b.sinh()) for b in distances])
    x = near[:, None] + factor[:, None] * y
    # e^T, with a relative error of a few units in the last place.
    growth = 1 + 2 * x + 2 * np.sqrt(x) * np.sqrt(1 + x)
    distance = -float_functions.log(1 / growth)
    error = 2.0**-46 * (1 + distance)
    return distance + error if upper else np.maximum(distance - error, 0.0)


def _on_sphere(t: Array, y: Array, shift: float, upper: bool) -> Array:
    """Bound T with ``cos T = cos(t - shift) - 2 sin(shift) sin(t) y``, proved afterwards.

    A guess is moved to that side until the proved cosine says that it is beyond.
    """
    with precision(BITS):
        side = interval(shift)
        distances = from_floats(t)
        near = np.array([float((b - side).cos()) for b in distances])
        factor = np.array([float(2 * side.sin() * b.sin()) for b in distances])
    cosine = near[:, None] - np.maximum(factor, 0.0)[:, None] * y
    guess = np.arccos(np.clip(cosine, -1.0, 1.0))
    nudge = NUDGE / np.maximum(np.sin(guess), NUDGE / LARGE_NUDGE)
    if upper:
        high = np.minimum(guess + nudge, np.pi)
        surely = cosine - float_functions.turn(high / (2 * np.pi))[0] > 3 * ROUNDING / 10
        return np.where(surely, high, np.nextafter(np.pi, 4.0))
    low = np.maximum(guess - nudge, 0.0)
    surely = float_functions.turn(low / (2 * np.pi))[0] - cosine > 3 * ROUNDING / 10
    return np.where(surely, low, 0.0)


def _places(
    low: Array, mean: Array, high: Array, step: float, last: int
) -> tuple[Array, Array, Array]:
    """Points of the grid below and above each cell, and the share that moves to the upper one."""
    below, above = np.floor(low / step), np.ceil(high / step)
    width = (above - below) * step
    share = share_above(np.clip(mean - below * step, 0.0, width), width)
    # No loss is larger than the last point of the grid, though its bounds may be.
    lower, upper = (np.clip(place, 0, last).astype(np.intp) for place in (below, above))
    return lower, upper, share


def _collect(places: tuple[Array, Array, Array], mass: Array, last: int) -> Array:
    lower, upper, share = places
    part = mass * share
    sums = np.bincount(upper.ravel(), part.ravel(), last + 1)
    return sums + np.bincount(lower.ravel(), (mass - part).ravel(), last + 1)


def share_above(x: Array, width: Array) -> Array:
    """Upper bound of ``(1 - e^-x) / (1 - e^-width)``, 0 <= x <= width, from products alone."""
    w = np.minimum((width - x) / 2, 1.0)
    growth = 1 + w + w * w / 2 + w**3 / 4
    share = np.where(width - x < 2, x / width * growth * (1 + ROUNDING), 1.0)
    return np.minimum(share + ROUNDING, 1.0)
