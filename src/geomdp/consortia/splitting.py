"""The splitting lemma: what the noise of several honest sites hides together.

``h`` sites each add ``round(sigma Z)`` to their integers and the sum is opened. A change ``k`` of
the sum is split over the sites as evenly as integers allow, and moves each Gaussian before it is
rounded (docs/theory/consortium.md, section 1).
"""

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt

from geomdp.errors import GeomdpError

#: Bits to which a root is resolved.
_ROOT_BITS = 128


def loss_squared(shift: Sequence[int], spreads: Sequence[Fraction], honest: int) -> Fraction:
    """Square of the mu that a change of the opened sum costs, noise of each coordinate by itself.

    >>> loss_squared([4], [Fraction(2)], honest=4), loss_squared([4, 0], [Fraction(2)] * 2, 4)
    (Fraction(5, 4), Fraction(3, 2))
    """
    moved = (Fraction(k * k, honest) + Fraction(honest, 4) for k in shift)
    return sum((part / s**2 for part, s in zip(moved, spreads, strict=True)), Fraction(0))


def common_scale(
    diameter: Fraction, weights: Sequence[Fraction], honest: int, mu: Fraction
) -> Fraction:
    """Scale t at which noise of spread ``t / weight`` a coordinate costs at most mu; rounded up.

    ``diameter`` bounds the length of one record's change, each coordinate times its weight.
    """
    rounding = Fraction(honest, 4) * sum((w * w for w in weights), Fraction(0))
    return root_above((diameter**2 / honest + rounding) / mu**2)


def honest_sites(roster: int, colluding: int) -> int:
    """Return how many sites carry the noise in the worst case, or refuse.

    A site that sees the result takes its own noise off, so that at least one always counts as
    colluding.
    """
    if colluding < 1:
        raise GeomdpError(
            "At least one site may collude: each that sees the result takes its own noise off; "
            "use colluding=1 or more."
        )
    if roster - colluding < 1:
        raise GeomdpError(
            f"A roster of {roster} sites of which {colluding} may collude has no honest one left; "
            "use a larger roster or fewer colluding sites."
        )
    return roster - colluding


def root_above(square: Fraction) -> Fraction:
    """Root of a positive fraction, rounded up in its last of 128 bits."""
    size = square.numerator.bit_length() - square.denominator.bit_length()
    shift = max(0, _ROOT_BITS - size // 2)
    whole = (square.numerator << (2 * shift)) // square.denominator
    return Fraction(isqrt(whole) + 1, 1 << shift)
