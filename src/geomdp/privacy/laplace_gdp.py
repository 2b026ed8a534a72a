"""The Gaussian guarantee of l2-Laplace noise: the tight mu, by certified quadrature.

In R^d the law with density proportional to ``exp(-|x|/s)`` hides a shift of length ``epsilon s``
far better than pure epsilon-privacy says, and the better the larger d is. Formulas, and the proof
that the mu returned is not below the tight one: docs/theory/gaussian-calibration.md, "Laplace
noise".
"""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias, TypeVar

from geomdp.intervals import Interval, integral, interval, pi, precision, round_up
from geomdp.privacy.budgets import GDP
from geomdp.privacy.exact import Number, read_count, read_positive
from geomdp.privacy.gaussian import gaussian_profile, largest_private_mu, normal_cdf

Result = TypeVar("Result")
#: A point (t, delta(t)) of the Laplace profile.
Node: TypeAlias = tuple[Fraction, Interval]

#: Relative price of the certificate: the mu returned exceeds the largest one seen by this much.
SLACK = Fraction(1, 10**7)
#: Parts of [0, epsilon] that the certificate starts from.
START = 16
#: Bits of the quadrature, and the bits asked of its result.
BITS = 192
ACCURACY = 96


def gdp_of_laplace(epsilon: Number, dim: int) -> GDP:
    """GDP budget of l2-Laplace noise in R^dim that is ``epsilon``-private, rounded up.

    The exact two-point trade-off over all of its privacy profile, true to 2e-7 relative. Takes
    a tenth of a second at small ``dim``, about two at 1000, a minute at 10,000; results are kept.
    Flat spaces only: on curved ones use the generic conversion
    (:func:`geomdp.privacy.convert`), which assumes nothing but pure privacy.

    Examples
    --------
    >>> round(gdp_of_laplace(1, dim=2).mu, 6), round(gdp_of_laplace(1, dim=10).mu, 6)
    (0.759745, 0.323953)
    """
    return GDP(_laplace_mu(read_positive(epsilon, "epsilon"), read_count(dim, "dim")))


@lru_cache(maxsize=256)
def _laplace_mu(epsilon: Fraction, dim: int) -> Fraction:
    """Largest mu at the nodes, plus slack, after refining until every gap is covered."""
    delta = _profile(epsilon, dim)
    nodes = [epsilon * i / START for i in range(START + 1)]
    values = {t: delta(t) for t in nodes}
    seen = max(_mu_at(t, values[t]) for t in nodes[:-1])
    gaps = list(pairwise(nodes))
    while gaps:
        left, right = gaps.pop()
        mu = seen * (1 + SLACK)
        if _covers(mu, (left, values[left]), (right, values[right])):
            continue
        middle = (left + right) / 2
        values[middle] = delta(middle)
        seen = max(seen, _mu_at(middle, values[middle]))
        gaps += [(left, middle), (middle, right)]
    return round_up(seen * (1 + SLACK))


def _mu_at(epsilon: Fraction, delta: Interval) -> Fraction:
    """Mu of the Gaussian profile through one point, rounded down: only where to start from."""
    return largest_private_mu(epsilon, delta.lower)


def _covers(mu: Fraction, left: Node, right: Node) -> bool:
    """Prove that the Gaussian profile lies above the Laplace one between two nodes.

    As functions of k = e^epsilon both are convex: the Laplace profile lies below its chord, the
    Gaussian one above its tangents, and two lines are compared at the two ends.
    """
    with precision(BITS):
        (t0, d0), (t1, d1) = left, right
        k0, k1, m = interval(t0).exp(), interval(t1).exp(), interval(mu)
        # Any point of tangency is valid; the one with the chord's slope, clipped, serves best.
        slope = float(((d0 - d1) / (k1 - k0)).mid())
        t = min(max(_point_of_slope(float(mu), slope), t0), t1)
        height, steepness = gaussian_profile(m, interval(t)), normal_cdf(-m / 2 - interval(t) / m)
        return all(
            height - steepness * (k - interval(t).exp()) >= d.upper()
            for k, d in ((k0, d0), (k1, d1))
        )


def _point_of_slope(mu: float, slope: float) -> Fraction:
    """Epsilon at which the Gaussian profile falls with a given slope in e^epsilon."""
    from scipy.special import ndtri

    if not 0 < slope < 1:
        return Fraction(0)
    return Fraction(float(-mu * (ndtri(slope) + mu / 2)))


def _profile(epsilon: Fraction, dim: int) -> Callable[[Fraction], Interval]:
    """Privacy profile t -> delta(t) of the Laplace law, 0 <= t <= epsilon, as intervals.

    Formula (6) of the proof page; in one dimension its closed form.
    """
    if dim == 1:
        return lambda t: _in_bits(lambda: -((interval(t) - interval(epsilon)) / 2).expm1())
    first, second = _in_bits(lambda: _bessel_weights(interval(epsilon) / 2, dim))

    def delta(t: Fraction) -> Interval:
        if t >= epsilon:
            return interval(0)
        z, half = interval(epsilon) / 2, interval(t) / 2

        def integrand(angle: Interval, _analytic: bool) -> Interval:
            sine = angle.sin()
            weight = sine ** (dim - 2) * (first + second * sine * sine)
            return (z * angle.cos() - half).sinh() * weight

        return 2 * half.exp() * _integral(integrand, interval(t / epsilon).acos())

    return lambda t: _in_bits(lambda: delta(t))


def _integral(integrand: Callable[[Interval, bool], Interval], end: Interval) -> Interval:
    """Integrate a positive function from 0 to ``end``, to a relative accuracy of 96 bits.

    The error bound is part of the interval returned; the size seen on a few points only tells the
    quadrature when to stop, which in the far tail an absolute tolerance could not.
    """
    heights = [abs(integrand(end * i / 64, False)).upper() for i in range(1, 64)]
    tolerance = end * max(heights) * interval(2) ** -ACCURACY
    return integral(integrand, end, ACCURACY, tolerance)


def _bessel_weights(z: Interval, dim: int) -> tuple[Interval, Interval]:
    """Weights of the two powers of the sine in formula (6)."""
    nu, half = interval(Fraction(dim, 2) - 1), interval(Fraction(1, 2))
    root = pi().sqrt()
    first = z * (z / 2) ** nu * z.bessel_k(nu + 1) / (root * (nu + half).gamma())
    second = z * (z / 2) ** (nu + 1) * z.bessel_k(nu) / (root * (nu + half + 1).gamma())
    return first, second


def _in_bits(compute: Callable[[], Result]) -> Result:
    with precision(BITS):
        return compute()
