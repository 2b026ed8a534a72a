"""The noise that a site adds in every period, for running totals of sites.

A site sends weighted sums of what entered so far in integers, finer by the weights' digits. The
term for rounding counts in every period (docs/theory/consortium.md, section 7).
"""

from fractions import Fraction
from math import ceil
from typing import NamedTuple

from geomdp.consortia.shares import Modulus
from geomdp.consortia.site_noise import (
    DEVIATIONS,
    SiteNoise,
    coordinate_weights,
    largest_sum,
    linear_of,
)
from geomdp.consortia.splitting import root_above
from geomdp.intervals import float_above
from geomdp.mechanisms.base import Request
from geomdp.mechanisms.running_totals import DYADIC, RUNNING_TOTALS, Scheme
from geomdp.noise.lattice import Lattice
from geomdp.privacy import GaussianCost

#: Weights of periods are so many parts of one in a site's integers.
FINE = 1 << DYADIC


class PeriodNoise(NamedTuple):
    """What each site draws in every period, and what each period costs."""

    #: As of a plan of one period; its cost is that of all.
    each: SiteNoise
    #: Squares of mu of the periods in order: what a record of the first one spends in each.
    squares: tuple[Fraction, ...]


def period_noise(request: Request, scheme: Scheme, honest: int) -> PeriodNoise:
    """Return the noise with which any ``honest`` sites keep the promise over all periods."""
    linear = linear_of(request)
    lattice = Lattice.within(linear.radius, linear.record_bits)
    every = coordinate_weights(linear, lattice)
    counted = tuple(i for i, weight in enumerate(every) if weight > 0)
    weights = [every[i] / FINE for i in counted]
    square = RUNNING_TOTALS.unit_cost(request, scheme) * scheme.square
    changes = [c * c for c in scheme.coefficients]
    shares = shares_of_periods(changes, linear.diameter, weights, honest)
    scale = root_above(linear.diameter**2 * sum(shares) / (honest * square))
    spreads = tuple(float_above(scale / weight) for weight in weights)
    most = FINE * ceil(sum(scheme.coefficients)) * largest_sum(linear, lattice, counted, request.n)
    modulus = Modulus.holding(most + ceil(DEVIATIONS * max(spreads)) * honest)
    cost = GaussianCost.of_square(square)
    each = SiteNoise(honest, counted, spreads, (), float_above(scale), cost, modulus)
    return PeriodNoise(each, tuple(square * share / sum(shares) for share in shares))


def shares_of_periods(
    changes: list[Fraction], diameter: Fraction, weights: list[Fraction], honest: int
) -> list[Fraction]:
    """Return what each period costs, up to a factor: a change's square, AND ROUNDING, IN EACH.

    ``changes`` are the squares of the periods' weights; rounding counts up to a power of two.

    >>> shares_of_periods([Fraction(1), Fraction(1, 4)], Fraction(2), [Fraction(1)], 2)
    [Fraction(5, 4), Fraction(1, 2)]
    """
    rounding = honest**2 * sum((w * w for w in weights), Fraction(0)) / (4 * diameter**2)
    least = Fraction(1, FINE**2)  # as fine as the squares are: costs keep their few digits
    while least < rounding:
        least *= 2
    return [change + least for change in changes]
