"""How far the Fréchet mean, or its gradient, can move when one record changes.

All bounds depend on public numbers only: the radius of the ball, the number of records and the
upper bound on the sectional curvature. ``radius`` must also be below half the injectivity radius,
which :func:`geomdp.spaces.largest_radius` takes into account.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from geomdp.errors import GeomdpError, InvalidBallError
from geomdp.spaces.model_sphere import hessian_floor, log_diameter, log_diameter_bound

#: ``sharp``: the smallest bound we can prove; ``paper``: the bound of Reimherr et al. (2021,
#: arXiv:2111.02516), of gradients that of Soto et al. (2022, arXiv:2209.12667).
Bound: TypeAlias = Literal["sharp", "paper"]

#: Largest ``radius * sqrt(k_max)``.
_LIMITS: dict[str, float] = {"sharp": np.pi / 3, "paper": np.pi / 4}

#: Covers the rounding error of every formula here (docs/theory/sensitivity-of-the-mean.md).
_ROUND_UP = 1.0 + 1e-9

#: The same where a formula is well conditioned on the whole range.
_CLOSE = 1.0 + 1e-12

#: Radii this close to a limit are refused: the formulas lose digits there, beyond what we round up.
_EDGE = 1.0 - 1e-6


@dataclass(frozen=True)
class Sensitivity:
    """A proved bound on the change of a statistic between neighbouring data sets.

    Attributes
    ----------
    value : float
        The bound, in the unit of distances on the space.
    bound : str
        Which bound it is: ``"sharp"`` or ``"paper"``.
    proof : str
        Name of the page in ``docs/theory`` that proves it.

    Examples
    --------
    >>> Sensitivity(value=0.04, bound="sharp", proof="sensitivity-of-the-mean").value
    0.04
    """

    value: float
    bound: str
    proof: str


def frechet_mean_sensitivity(
    radius: float, n: int, k_max: float, bound: Bound = "sharp"
) -> Sensitivity:
    r"""Largest distance between the Fréchet means of neighbouring data sets in a ball.

    For nonpositive curvature it is :math:`2r/n`, exactly. For :math:`k > 0` it is at most
    :math:`2\tan(r\sqrt k)/(n\sqrt k)`, and no bound of the form constant over n can be smaller;
    ``bound="paper"`` gives the larger :math:`2r(2-h)/(nh)` of Reimherr et al. (2021), Theorem 2.
    """
    _check(radius, n, k_max, _limit(bound))
    return Sensitivity(_mean_movement(radius, k_max, bound) / n, bound, "sensitivity-of-the-mean")


def _mean_movement(radius: float, k_max: float, bound: Bound) -> float:
    """Return the sensitivity times n."""
    if k_max <= 0.0:
        return 2.0 * radius
    if bound == "sharp":
        root = np.sqrt(k_max)
        return float(2.0 * np.tan(radius * root) / root * _ROUND_UP)
    floor = float(hessian_floor(4.0 * radius**2 * k_max))
    return 2.0 * radius * (2.0 - floor) / floor * _ROUND_UP


def gradient_sensitivity(
    radius: float, n: int, k_max: float, bound: Bound = "sharp"
) -> Sensitivity:
    r"""Largest change of the gradient of the Fréchet energy, over all points of the ball.

    The energy is half the mean squared distance to the records. Only for
    :math:`r\sqrt k < \pi/4`, since the K-norm gradient mechanism needs a convex energy.

    ``bound="paper"`` is Theorem 2 of Soto et al. (2022).
    """
    _check(radius, n, k_max, min(_limit(bound), np.pi / 4))
    return Sensitivity(_gradient_movement(radius, k_max, bound) / n, bound, "gradient-sensitivity")


def _gradient_movement(radius: float, k_max: float, bound: Bound) -> float:
    """Return the sensitivity times n."""
    if k_max <= 0.0:
        return 2.0 * radius
    if bound == "sharp":
        root = np.sqrt(k_max)
        # The log diameter grows with the offset, so the worst point lies on the boundary.
        found = float(log_diameter(radius * root, radius * root) / root * _ROUND_UP)
        # A search may stop short of the maximum; the bound is proved wherever a search ends.
        return max(found, float(log_diameter_bound(radius * root) / root * _CLOSE))
    return 2.0 * radius * (2.0 - float(hessian_floor(4.0 * radius**2 * k_max))) * _ROUND_UP


def convexity(radius: float, k_max: float, tolerance: float) -> float:
    r"""Modulus :math:`\lambda`: a gradient below the tolerance puts the mean within tolerance/λ.

    A point of the ball where the gradient of the energy is at most ``tolerance`` lies within
    ``tolerance / convexity(...)`` of the Fréchet mean, so a solver that always stops there adds
    ``2 * tolerance / convexity(...)`` to the sensitivity (``docs/theory/tolerance.md``).

    It is one for nonpositive curvature, else
    :math:`g(r^2k) - \text{tolerance}\sqrt k\tan(r\sqrt k)`; ``tolerance`` includes rounding error.
    """
    _check(radius, 1, k_max, _limit("sharp"))
    if k_max <= 0.0:
        return 1.0
    root = np.sqrt(k_max)
    ideal = hessian_floor(radius**2 * k_max)
    floor = ideal - tolerance * root * np.tan(radius * root)
    # Where the difference is a millionth of its terms it has lost more than we round.
    if not (tolerance >= 0.0 and floor > (1.0 - _EDGE) * ideal):
        raise GeomdpError(
            f"A gradient tolerance of {tolerance:g} cannot locate the mean in a ball of radius "
            f"{radius:g} at curvature {k_max:g}; use a smaller one, not below 0."
        )
    return float(floor / _ROUND_UP)


def _limit(bound: str) -> float:
    """Return the largest ``radius * sqrt(k_max)`` of a bound."""
    if bound not in _LIMITS:
        raise GeomdpError(f"There is no bound {bound!r}; choose one of {', '.join(_LIMITS)}.")
    return _LIMITS[bound]


def _check(radius: float, n: int, k_max: float, limit: float) -> None:
    """Refuse numbers that the theorems do not cover."""
    if not (0.0 < radius < np.inf):
        raise InvalidBallError(f"The radius is {radius}; it must be positive and finite.")
    if not n >= 1:
        raise GeomdpError(f"The number of records is {n}; it must be at least 1.")
    if np.isnan(k_max) or np.isinf(k_max):
        raise InvalidBallError(f"The curvature bound is {k_max}; it must be finite.")
    if k_max > 0.0 and not radius * np.sqrt(k_max) < limit * _EDGE:
        raise InvalidBallError(
            f"The radius {radius:g} is too large for curvature {k_max:g}: the bound holds only "
            f"below {limit / np.sqrt(k_max):.6g}; use a smaller radius or the tangent mean."
        )


class Moved(NamedTuple):
    """How far clipping moves an answer at most (docs/theory/what-clipping-does.md).

    ``per_record`` for a share of 1 of the records clipped, where all lie within a public outer
    radius; ``per_excess`` for a mean excess over the radius of 1.
    """

    per_record: float
    per_excess: float


#: Pieces of the ball on which the constant of a Fréchet mean is bounded, end by end.
PIECES = 2000


def excess_constant(outer: float, k_max: float, injectivity: float) -> float | None:
    """Bound how far a Fréchet mean moves for a mean excess of 1 that is moved radially.

    Both within ``outer`` of the centre; None where that is beyond the theory: half the injectivity
    radius, and ``pi / (2 sqrt(k_max))`` (docs/theory/what-clipping-does.md, section 3).
    """
    if not outer < injectivity / 2:
        return None
    if k_max <= 0.0:
        return 1.0
    reach = outer * float(np.sqrt(k_max))
    if not reach < np.pi / 2 * _EDGE:
        return None
    offsets = np.linspace(0.0, reach, PIECES + 1)
    away = reach + offsets[1:]  # the numerator grows with the offset of the mean
    spread = np.arccos(np.minimum(1.0, np.cos(reach) / np.cos(offsets[:-1])))
    return float(np.max(away / np.sin(away) / hessian_floor(spread**2)) * _ROUND_UP)
