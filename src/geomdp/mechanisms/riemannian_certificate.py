"""Proved mu of the Riemannian Gaussian: cells where the mass is, closed forms for narrow noise.

docs/theory/riemannian-gaussian.md, sections 3 to 5. Lengths are in units of the curvature radius.
"""

from dataclasses import dataclass

import numpy as np

from geomdp.intervals import Interval, interval, pi, precision
from geomdp.mechanisms.dominating_losses import LossCells
from geomdp.mechanisms.radial_cells import BITS, RadialCells, radial_cells, up
from geomdp.privacy.gaussian import normal_cdf
from geomdp.typing import Array

#: Relative room between a guess in floats and what intervals have to confirm.
GUESS = 1e-7


@dataclass(frozen=True, eq=False)
class NormalTail:
    """The loss exceeds every s with probability at most ``factor P(N(mean, deviation^2) > s)``."""

    factor: Interval
    mean: Interval
    deviation: Interval

    def dominated(self, mu: Interval, start: Interval) -> bool:
        """Tell whether losses beyond ``start`` are surely no worse than those of ``mu``."""
        z, other = (start - self.mean) / self.deviation, start / mu - mu / 2
        return bool(
            self.deviation < mu
            and z >= other
            and self.factor * normal_cdf(-z) <= normal_cdf(-other)
        )


@dataclass(frozen=True, eq=False)
class LossAtoms:
    """Weights at losses ``0, step, 2 step, ...`` and at infinity."""

    #: Upper and lower bounds, from loss 0 on, where losses that are not positive are counted; and
    #: their true sum.
    weights: Array
    least_weights: Array
    total: Interval
    step: float
    #: Further weight, in units of the total, whose loss is not bounded.
    lost: Interval
    #: Up to this loss, in steps, the atoms decide; from there on the tail, if there is one.
    checked: int
    tail: NormalTail | None

    def divergences(self) -> list[Interval]:
        """Upper bounds of the hockey-stick divergences at 0, step, ..., as intervals.

        What is above is summed, or what is below is left out of 1: formula (7) of the proof page.
        """
        with precision(BITS):
            above = [direct + self.lost for direct in self._sums_above()]
            return [
                direct if direct <= rest else rest
                for direct, rest in zip(above, self._sums_below(), strict=True)
            ]

    def _sums_above(self) -> list[Interval]:
        """Sum ``weight (1 - e^(epsilon - loss))`` over larger losses: positive terms only."""
        ratio, total = (-interval(self.step)).exp(), self.total.lower()
        mass = divergence = interval(0)
        found = [divergence]
        for weight in self.weights[:0:-1]:
            mass = mass + interval(float(weight)) / total
            divergence = ratio * divergence + (1 - ratio) * mass
            found.append(divergence)
        return found[::-1]

    def _sums_below(self) -> list[Interval]:
        """Leave the sum of ``weight min(1, e^(epsilon - loss))`` out of 1; sharp near 1."""
        ratio, total = (-interval(self.step)).exp(), self.total.upper() * (1 + self.lost)
        weights = [interval(float(weight)) / total for weight in self.least_weights]
        beyond, tilted = [interval(0)], interval(0)
        for weight in weights[:0:-1]:
            tilted = ratio * (tilted + weight)
            beyond.append(tilted)
        mass, found = interval(0), []
        for weight, tail in zip(weights, beyond[::-1], strict=True):
            mass = mass + weight
            found.append(1 - mass - tail)
        return found

    def least_mu(self, guess: float, most: float = float("inf")) -> float:
        """Smallest mu that is proved, or infinity; above ``most``, of no use, it is not proved."""
        divergences = self.divergences()[: self.checked + 1]
        values = np.array([float(d) for d in divergences])
        low, high = guess / 2, guess * 1.5
        if not self._seems(values, high):
            return float("inf")
        while high > low * (1 + GUESS):
            middle = (low + high) / 2
            low, high = (low, middle) if self._seems(values, middle) else (middle, high)
        mu = high * (1 + GUESS)
        return mu if mu > most or self._surely(divergences, mu) else float("inf")

    def _seems(self, divergences: Array, mu: float) -> bool:
        from scipy.special import log_ndtr

        middle = self.step * (np.arange(self.checked) + 0.5)
        power, size = -middle / mu + mu / 2, -middle / mu - mu / 2
        seen = [
            np.exp(log_ndtr(power)) - np.exp(log_ndtr(size) + middle + side * self.step / 2)
            for side in (-1, 1)
        ]
        inside = np.all(divergences[:-1] <= seen[0]) and np.all(divergences[1:] <= seen[1])
        return bool(inside) and self._tail_holds(mu)

    def _surely(self, divergences: list[Interval], mu: float) -> bool:
        """Decide (6) of the proof page for each step."""
        with precision(BITS):
            ratio, step = interval(mu), interval(self.step)
            factor = step.exp()
            slope = interval(1)
            for k in range(self.checked):
                middle = step * (2 * k + 1) / 2
                power = normal_cdf(ratio / 2 - middle / ratio)
                size = normal_cdf(-ratio / 2 - middle / ratio)
                if not divergences[k] <= power - slope * size:
                    return False
                slope = slope * factor
                if not divergences[k + 1] <= power - slope * size:
                    return False
        return self._tail_holds(mu)

    def _tail_holds(self, mu: float) -> bool:
        if self.tail is None:
            return True
        with precision(BITS):
            start = interval(self.step) * self.checked
            return self.tail.dominated(interval(mu), start)


#: Width of a cell of distance, in widths of the law; a range has at least so many cells.
CELL, FEWEST = 1 / 48, 400
#: Steps of the grid of losses in one mu.
STEPS = 64
#: Cells reach this many widths beyond the mode, and the tail begins that many before their end.
REACH, MARGIN = 36.0, 5.0
#: Narrow noise, by ``dim (dim - 1) sigma^2``: closed forms cost less than cells.
NARROW = 2e-3
#: Hyperbolic laws that reach further out than this overflow.
FURTHEST = 600.0


@dataclass(frozen=True)
class Pair:
    """Riemannian Gaussian laws of width ``sigma`` at two points ``shift`` apart.

    The dimension is at least 2; on a ``sphere`` curvature is 1, else -1.
    """

    dim: int
    sphere: bool
    shift: float
    sigma: float


def certified_mu(pair: Pair, mode: float, rough: float, most: float = float("inf")) -> float:
    """Proved mu of a pair, of which ``rough`` is expected; infinite where there is none.

    Cells are laid out around ``mode``, where the radial law peaks, about. A mu above ``most`` is
    too large for its purpose, and returned without the last step of a proof.
    """
    closed = narrow_mu(pair)
    narrow = pair.dim * (pair.dim - 1) * pair.sigma**2 <= NARROW and closed < np.inf
    if narrow or not 0 < rough < np.inf:
        return closed
    return min(closed, _mu_of_cells(pair, mode, rough, most))


def narrow_mu(pair: Pair) -> float:
    """Mu in closed form, sharp for narrow noise: formulas (8) and (9) of the proof page."""
    with precision(BITS):
        sigma = interval(pair.sigma)
        spread, ratio = (pair.dim - 1) * sigma**2, interval(pair.shift) / sigma
        if not pair.sphere:
            return up(ratio / (1 - spread).sqrt()) if spread < 1 else float("inf")
        return mu_of_constant(pair.dim, ratio, spread, 1 - pair.dim * spread / 6)


def mu_of_constant(dim: int, ratio: Interval, spread: Interval, floor: Interval) -> float:
    """Mu on positive curvature, by a lower bound of the law's constant in units of a flat law's."""
    if not floor > 0:
        return float("inf")
    root = (1 + spread / 3).sqrt()
    tail = NormalTail(root**-dim / floor, ratio**2 / 2, ratio / root)
    return least_mu_of_tail(tail, up(ratio * root))


def least_mu_of_tail(tail: NormalTail, low: float) -> float:
    """Smallest mu, about, for which a normal tail is enough from loss 0 on."""
    low *= 1 + 1e-12
    step = 1e-9
    while step < 1:
        if tail.dominated(interval(low * (1 + step)), interval(0)):
            return low * (1 + step)
        step *= 1.5
    return float("inf")


def _mu_of_cells(pair: Pair, mode: float, rough: float, most: float) -> float:
    whole = pair.sphere and mode + REACH * pair.sigma >= np.pi
    end = float(np.nextafter(np.pi, 4.0)) if whole else mode + REACH * pair.sigma
    if not end <= FURTHEST:
        return float("inf")
    count = max(FEWEST, int(np.ceil(end / (CELL * pair.sigma))))
    radial = radial_cells(pair.dim, pair.sphere, pair.sigma, mode, end, count)
    step = rough / STEPS

    def steps_to(distance: float) -> int:
        """Grid steps up to the largest loss within a distance, by the triangle inequality."""
        return int(np.ceil(pair.shift * (distance + pair.shift / 2) / pair.sigma**2 / step)) + 1

    last = steps_to(end)
    above, below = LossCells(pair.sphere, pair.shift, pair.sigma).atoms(
        radial, pair.dim, step, last
    )
    checked, tail, lost = last, None, interval(0)
    if not whole:
        checked = steps_to(end - MARGIN * pair.sigma)
        with precision(BITS):
            tail, lost = (_spherical_tail if pair.sphere else _hyperbolic_tail)(pair, radial)
    atoms = LossAtoms(above, below, radial.total, step, lost, checked, tail)
    return atoms.least_mu(rough, most)


def _spherical_tail(pair: Pair, radial: RadialCells) -> tuple[NormalTail, Interval]:
    """Tail on a sphere by comparison with flat space, and the weight beyond the cells."""
    sigma, ratio = interval(pair.sigma), interval(pair.shift) / interval(pair.sigma)
    root = (1 + (pair.dim - 1) * sigma**2 / 3).sqrt()
    half, total = interval(pair.dim) / 2, radial.total.lower() * radial.peak.exp()
    narrow = sigma / root
    flat = interval(2) ** (half - 1) * half.gamma() * narrow**pair.dim
    end = interval(float(radial.edges[-1]))
    # Weight beyond the end, by the upper incomplete gamma function.
    beyond = flat * (end**2 / (2 * narrow**2)).gamma_upper(half, regularized=1)
    return NormalTail(flat / total, ratio**2 / 2, ratio / root), beyond / total


def _hyperbolic_tail(pair: Pair, radial: RadialCells) -> tuple[NormalTail, Interval]:
    """Tail on hyperbolic space by the triangle inequality, and the weight beyond the cells."""
    sigma, shift, growth = interval(pair.sigma), interval(pair.shift), pair.dim - 1
    ratio = shift / sigma
    total = radial.total.lower() * radial.peak.exp()
    line = (growth**2 * sigma**2 / 2).exp() * sigma * (2 * pi()).sqrt() / 2**growth
    factor = line / total
    end = interval(float(radial.edges[-1]))
    lost = factor * normal_cdf(growth * sigma - end / sigma)
    return NormalTail(factor, ratio**2 / 2 + growth * shift, ratio), lost
