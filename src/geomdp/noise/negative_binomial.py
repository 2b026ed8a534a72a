"""Shares of discrete Laplace noise, exact: differences of two negative binomial numbers.

A negative binomial number is the sum of a Poisson number of logarithmic ones; both are functions of
uniform real numbers, whose bits are drawn until intervals decide (docs/theory/consortium.md,
section 4).
"""

from fractions import Fraction

from geomdp import intervals
from geomdp.noise.entropy import Entropy, UniformReals


def laplace_share(rate: Fraction, sites: int, entropy: Entropy) -> int:
    """Draw one of ``sites`` shares whose sum has weights ``exp(-rate |k|)`` on the integers."""
    return negative_binomial(rate, sites, entropy) - negative_binomial(rate, sites, entropy)


def negative_binomial(rate: Fraction, sites: int, entropy: Entropy) -> int:
    """Draw a number of shape ``1/sites``: so many of them add up to a geometric one.

    The geometric number is k with a probability in proportion to ``exp(-rate k)``.
    """
    terms = _poisson(rate, sites, entropy)
    return sum(_logarithmic(rate, entropy) for _ in range(terms))


def _poisson(rate: Fraction, sites: int, entropy: Entropy) -> int:
    """Draw how many terms there are: Poisson of mean ``-log(1 - exp(-rate)) / sites``."""
    number = UniformReals(entropy, 1)

    def decided(bits: int) -> int:
        mean = -_log_gap(rate) / sites
        weight = (-mean).exp()
        below, count = weight, 0
        uniform = number.intervals(bits)[0, 0]
        while not _is_less(uniform, below):
            count += 1
            weight = weight * mean / count
            below = below + weight
        return count

    return intervals.decide(decided)


def _logarithmic(rate: Fraction, entropy: Entropy) -> int:
    """Draw k = 1, 2, ... with a probability in proportion to ``exp(-rate k) / k``.

    By the method of Kemp 1981, doi:10.2307/2346348.
    """
    number = UniformReals(entropy, 2)

    def decided(bits: int) -> int:
        u, v = number.intervals(bits)[0]
        base = 1 - (u * _log_gap(rate)).exp()
        # 1 + floor(x) is the integer nearest to x + 1/2.
        return intervals.nearest_integer(v.log() / base.log() + intervals.dyadic(1, -1))

    return intervals.decide(decided)


def _log_gap(rate: Fraction) -> intervals.Interval:
    return (1 - (-intervals.interval(rate)).exp()).log()


def _is_less(a: intervals.Interval, b: intervals.Interval) -> bool:
    if a < b:
        return True
    if a > b:
        return False
    raise intervals.Ambiguous
