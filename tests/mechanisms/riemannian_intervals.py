"""Errors of tests between two Riemannian Gaussian laws, enclosed in intervals: slow, but certain.

Formulas (1) to (3) of docs/theory/riemannian-gaussian.md, integrated by FLINT, whose error bound
needs a bound of the integrand on complex discs; the share of directions is bounded by
``|y|^h max|1 - s y|^(h-1) / (h B(h, h))``, 0 <= s <= 1, where that is below a disc of radius 1.
"""

from functools import cache

import flint

from geomdp.mechanisms.one_sided import generalized_sine, share_of_directions
from geomdp.mechanisms.riemannian_mu import TwoLaws

#: Bits asked of an integral on each part of its range.
ACCURACY = 34

#: The certified mu of two laws, proved once for all tests.
certified = cache(TwoLaws.certified_mu)


def enclosed_powers(law, loss):
    """Balls around the probabilities, under either law, that the loss exceeds ``loss``."""
    with flint.ctx.workprec(128):
        return _powers(law, flint.arb(loss))


def _powers(law, loss):
    shift, sigma = flint.arb(law.shift), flint.arb(law.sigma)
    square, drop = 2 * sigma**2 * loss, sigma**2 * loss / shift
    last = flint.arb.pi() if law.sphere else flint.arb.pos_inf()
    end = (drop + shift / 2).max(flint.arb(law.mode)) + 14 * sigma
    end, half, fall = end.min(last), last, flint.arb(0)
    if law.sphere:
        half = last - shift / 2
        fall = sigma**2 * loss / (2 * half)

    def angle(t, a, b):
        k = 1.0 if law.sphere else -1.0
        product = generalized_sine(k, a / 2) * generalized_sine(k, b / 2)
        return product / (generalized_sine(k, shift) * generalized_sine(k, t))

    def above(t):
        reach = t + shift + (t * t + square).sqrt()
        return angle(t, reach, (2 * shift * t + shift * shift - square) / reach)

    def below(t):
        other = (t * t - square).sqrt()
        gap = other + t - shift if float(t.real.mid()) > law.shift else other - t + shift
        return angle(t, gap, (2 * shift * t - shift * shift - square) / gap)

    start, far = drop - shift / 2, drop + shift / 2
    whole = (flint.arb(law.mode) + 14 * sigma).min(last)
    total = _integral(law, flint.arb(0), whole, None)
    power = _integral(law, abs(start), (half - fall).min(end), above)
    if start < 0:
        power += _integral(law, flint.arb(0), -start, None)
    outer = (half + fall).min(end)
    size = _integral(law, far, outer, below) + _integral(law, outer, end, None)
    return power / total, size / total


def _integral(law, low, high, half_angle):
    width, turn = high - low, flint.arb.pi()
    if not width > 0:
        return flint.arb(0)
    mode, k = flint.arb(law.mode), 1.0 if law.sphere else -1.0

    def integrand(x, _analytic):
        t = low + width * (x * turn / 2).sin() ** 2
        weight = (generalized_sine(k, t) / generalized_sine(k, mode)) ** (law.dim - 1)
        weight *= ((mode**2 - t * t) / (2 * flint.arb(law.sigma) ** 2)).exp()
        weight *= (x * turn).sin() * width * turn / 2
        if half_angle is None:
            return weight
        y = half_angle(t)
        if x.imag == 0:
            share = share_of_directions(law.dim, y.real) if y.is_finite() else flint.arb.nan()
            return weight * (share if share.is_finite() else flint.arb(0.5, 0.5))
        return _disc(law.dim, weight, y, t)

    heights = [abs(integrand(flint.acb(i) / 24, False)).upper() for i in range(1, 24)]
    accuracy = flint.arb(2) ** -ACCURACY
    goal = max(heights) * accuracy
    return flint.acb.integral(integrand, 0, 1, rel_tol=accuracy, abs_tol=goal).real


def _disc(dim, weight, y, t):
    half = flint.arb(dim - 1) / 2
    beta = half.gamma() ** 2 / (2 * half).gamma()
    for size, base in ((abs(y).upper(), 0), (abs(1 - y).upper(), 1)):
        if size < 0.99 and abs(t.imag) < 3:
            edge = 1 + size if dim >= 3 else 1 - size
            bound = base + size**half * edge ** (half - 1) / (half * beta)
            radius = (abs(weight).upper() * bound).upper()
            return flint.acb(flint.arb(0, radius), flint.arb(0, radius))
    return flint.acb(flint.arb.nan())
