"""Which width of a Riemannian Gaussian on rotations keeps a Gaussian mu: in closed form.

Rotations are a sphere of dimension 3 on which opposite points are one. Near a point they are that
sphere, and beyond a quarter turn of it there is nothing (docs/theory/rotations.md, section 3).
Lengths are in units of the curvature radius: half the angle of a rotation.
"""

import numpy as np

from geomdp.errors import MechanismRefusedError
from geomdp.intervals import Interval, interval, pi, precision
from geomdp.mechanisms.gaussian_domination import NormalTail
from geomdp.mechanisms.radial_cells import BITS, up
from geomdp.mechanisms.riemannian_certificate import least_mu_of_tail

#: Dimension of the space.
DIM = 3
#: Widths that are tried for a certificate before the mechanism refuses.
ATTEMPTS = 12


def projective_mu(shift: float, sigma: float) -> float:
    """Proved mu of two laws of width ``sigma`` at two points ``shift`` apart; infinite if none.

    >>> round(projective_mu(1e-3, 1e-3), 5), projective_mu(0.1, 2.0)
    (1.0, inf)
    """
    with precision(BITS):
        width = interval(sigma)
        spread, ratio = (DIM - 1) * width**2, interval(shift) / width
        room = constant_floor(width)
        if not room > 0:
            return float("inf")
        root = (1 + spread / 3).sqrt()
        tail = NormalTail(root**-DIM / room, ratio**2 / 2, ratio / root)
        return least_mu_of_tail(tail, up(ratio * root))


def constant_floor(sigma: Interval) -> Interval:
    """Lower bound of the law's constant, in units of that of a flat law of the same width.

    >>> round(float(constant_floor(interval(0.1))), 6)
    0.99
    """
    # The flat law's mass beyond a quarter turn, where the space ends.
    cut = (pi() / 2) ** 2 / (2 * sigma**2)
    beyond = cut.gamma_upper(interval(DIM) / 2, regularized=1)
    return 1 - DIM * (DIM - 1) * sigma**2 / 6 - beyond


def projective_width_for(shift: float, mu: float) -> tuple[float, float]:
    """Return a width whose proved mu stays below the ``mu`` given, and that proved mu.

    >>> sigma, certified = projective_width_for(0.01, 1.0)
    >>> round(sigma, 4), certified <= 1.0
    (0.01, True)
    """
    width = shift / mu
    for _ in range(ATTEMPTS):
        certified = projective_mu(shift, width)
        if 0 < certified <= mu:
            return width, certified
        if not certified < np.inf:
            break
        width *= certified / mu * (1 + 1e-9)
    raise MechanismRefusedError(
        "No mu of the Riemannian Gaussian on rotations could be certified for this budget: its "
        "noise would reach around the space; use wrapped-gaussian, or a larger n."
    )
