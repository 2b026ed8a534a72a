"""Smallest mu whose Gaussian trade-off lies below that of a law of finitely many losses, proved.

Guesses are made in floats and decided in interval arithmetic; the tail, where atoms end, is that of
a normal law (docs/theory/riemannian-gaussian.md, sections 3 and 4).
"""

from dataclasses import dataclass

import numpy as np

from geomdp.intervals import Interval, interval, precision
from geomdp.mechanisms.radial_cells import BITS
from geomdp.privacy.gaussian import normal_cdf
from geomdp.typing import Array

#: Relative room between a guess in floats and what intervals have to confirm.
GUESS = 1e-7


@dataclass(frozen=True, eq=False)
class NormalTail:
    """The loss exceeds every s with probability at most ``factor * P(N(mean, deviation^2) > s)``.

    Attributes
    ----------
    factor, mean, deviation
        Intervals.
    """

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
    """Weights at losses ``0, step, 2 step, ...`` and at infinity.

    Attributes
    ----------
    weights, least_weights
        Upper and lower bounds, from loss 0 on, where losses that are not positive are counted.
    total
        True sum of these weights, as an interval.
    step
        Between losses.
    lost
        Further weight, in units of the total, whose loss is not bounded.
    checked
        Up to this loss, in steps, the atoms decide; from there on ``tail``.
    tail
        None where there are no losses beyond the last atom.
    """

    weights: Array
    least_weights: Array
    total: Interval
    step: float
    lost: Interval
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
