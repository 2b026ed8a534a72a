"""How far two functions that never fall can be apart, and integers that are surely such.

Two quantile functions cannot differ in their mean and around it as much as two vectors of a ball
can, so that there is less noise around the mean. Proof: docs/theory/distributions.md, section 2.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from math import isqrt, sqrt

import numpy as np
from numpy.typing import NDArray

from geomdp.curves.spectrum import polynomials
from geomdp.noise.lattice import Lattice
from geomdp.typing import Array, Floats

#: Bits to which rows of the basis are rounded, and by how much of itself all rounding together may
#: lengthen a distance: what is proved is a quarter of it.
BASIS_BITS, ROUNDED = 30, Fraction(1, 2**16)
#: Coordinates that noise is weighed for: as many as a mean distribution mostly needs.
COUNTED = 6
#: Bits of an entry of the basis that are multiplied at once, so that no sum exceeds 64 bits.
HALF = 15


def weight_around(of_mean: float, apart: float) -> float:
    """Return the largest b with ``of_mean m^2 + b V <= 1``, for any two functions of a range.

    m is the mean of their difference and V its variance, in units of the range; ``apart`` bounds
    ``m^2 + V`` where they lie in a ball. Then ``V <= 1/4``, and ``V <= |m| - m^2`` from 1/2 on.

    >>> weight_around(1.0, 1.0), round(weight_around(0.0, 1.0), 9), weight_around(5.0, 0.16)
    (2.0, 4.0, 6.25)
    """
    if apart <= 0.25:
        return 1 / apart
    if apart < 0.5:
        return (1 - of_mean * (apart - 0.25)) * 4
    corner = (1 - of_mean * apart**2) / (apart - apart**2) if apart < 1 else np.inf
    free = 2 * (1 + sqrt(max(1 - of_mean, 0.0)))
    # Where the curve is highest: within the ball or beyond it.
    return float(min(corner, free) if free <= 2 * (free - of_mean) * apart else corner)


@cache
def weights_within(apart: float) -> tuple[float, float]:
    """Return the weights of a mean and of what lies around it that cost least error.

    >>> [round(weight, 3) for weight in weights_within(1.0)]
    [0.82, 2.849]
    """
    choices = [share / 100 / apart for share in range(50, 101)]
    known = [(one, weight_around(one, apart)) for one in choices]
    return min(
        (pair for pair in known if pair[1] >= pair[0]),
        key=lambda pair: 1 / pair[0] + (COUNTED - 1) / pair[1],
    )


@dataclass(frozen=True, eq=False)
class Rising:
    """Integer vectors of functions that never fall, about a public one, within a ball.

    Parameters
    ----------
    center
        Public function (M,) that never falls, from 0 to ``width``.
    width
        Length of the range.
    radius
        Bound on the root mean square distance from the centre.
    bits
        To which the norm of a vector is resolved.
    """

    center: Floats
    width: float
    radius: float
    bits: int

    @property
    def diameter(self) -> Fraction:
        """Largest distance of two records' coordinates in units of :meth:`profile`, by theorem."""
        return Fraction(self.width) * (1 + ROUNDED)

    @property
    def reach_squared(self) -> Fraction:
        """Largest squared distance from the centre, in the same units."""
        within = Fraction(max(self.weights)) * Fraction(self.radius) ** 2 * (1 + ROUNDED) ** 2
        return min(within, self.diameter**2)

    @cached_property
    def weights(self) -> tuple[float, float]:
        """Of the mean, and of what lies around it."""
        return weights_within(min(1.0, (2 * self.radius / self.width) ** 2))

    def profile(self, size: int) -> Floats:
        """Noise (size,) on coordinates, of which the first is the mean's: NEVER LESS."""
        of_mean, around = (np.nextafter(1 / sqrt(one), np.inf) for one in self.weights)
        return np.r_[of_mean, np.full(size - 1, around)]

    @property
    def step(self) -> float:
        """One in an integer vector, as a number of the range."""
        return Lattice.within(self.radius, self.bits).step * sqrt(self.center.size)

    def kept(self, vectors: NDArray[np.int64], square: int) -> NDArray[np.int64]:
        """Make integer vectors (n, M) those of functions that never fall, within range and ball.

        Each of one record alone. What rounding moved comes back by as much; what is far from any
        such function, which no record is, counts as the centre.
        """
        top = int(self.width / self.step)
        middle = np.clip(np.rint(self.center / self.step), 0, top).astype(np.int64)
        inside = np.clip(np.maximum.accumulate(middle + vectors, axis=1), 0, top) - middle
        longest = isqrt(square) + 2 * sqrt(self.center.size) + 2
        long = np.sqrt(np.sum(inside.astype(float) ** 2, axis=1)) > longest
        inside[long] = 0
        return inside

    def sums(self, vectors: NDArray[np.int64], size: int) -> Array:
        """Add up integer coordinates (size,) of vectors (n, M), exactly."""
        high, low = _halves(self.center.size)
        total = vectors.sum(axis=0)
        parts = (half[:size] @ total for half in (high, low))
        first, second = (part.astype(object) for part in parts)
        return np.asarray(first * 2**HALF + second)


@cache
def _halves(points: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows of the polynomials as integers, in two parts."""
    rows = np.rint(np.ldexp(polynomials(points), BASIS_BITS)).astype(np.int64)
    return rows >> HALF, rows & (2**HALF - 1)
