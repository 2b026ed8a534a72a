"""Comparison with the unit sphere: what an upper curvature bound says about distances and logs.

Lengths are in units where the curvature bound is one: multiply them by ``sqrt(k_max)`` first.
Proofs: ``docs/theory/sensitivity-of-the-mean.md`` and ``docs/theory/gradient-sensitivity.md``.
"""

import numpy as np

from geomdp.errors import InvalidBallError
from geomdp.typing import Array

_GOLDEN = (np.sqrt(5.0) - 1.0) / 2.0
#: Shrinks the bracket below 1e-8; the width is flat at its maximum, so its error is far below 1e-9.
_STEPS = 40


def hessian_floor(u: float | Array) -> Array:
    r"""Smallest eigenvalue that the Hessian of half a squared distance can have.

    With ``u = k_max * rho**2`` this is :math:`g(u) = \sqrt u \cot \sqrt u`, and one for ``u <= 0``
    (nonpositive curvature: the radial direction has eigenvalue one, all others at least that).
    Defined below ``pi**2``; concave and decreasing, one at zero, zero at ``(pi/2)**2``.
    """
    u = np.asarray(u, dtype=np.float64)
    if not np.all(u < np.pi**2):
        raise InvalidBallError(
            "Two points are a half turn of the comparison sphere apart, where squared distances "
            "stop being smooth; use a smaller radius."
        )
    root = np.sqrt(np.maximum(u, 0.0))
    safe = np.where(root > 0.0, root, 1.0)
    return np.where(root > 0.0, safe / np.tan(safe), 1.0)[()]


def log_diameter(radius: Array, offset: Array) -> Array:
    r"""Diameter of a ball of the unit sphere, seen through the log map at one of its points.

    The value is :math:`L_\delta = \sup \lVert \log_x y - \log_x z \rVert` over ``y, z`` in the ball
    of the given radius, for ``x`` at distance ``offset`` from its centre. It bounds the same
    supremum on every space of curvature at most one. The supremum is a mirror pair of boundary
    points, so one search over the boundary finds it (``docs/theory/gradient-sensitivity.md``). It
    increases in both, and is ``2 * radius`` at offset zero.
    """
    radius, offset = np.broadcast_arrays(np.asarray(radius, float), np.asarray(offset, float))
    if not np.all((offset >= 0.0) & (offset <= radius) & (radius < np.pi / 2)):
        raise InvalidBallError(
            "The comparison needs 0 <= offset <= radius < pi/2 in units of the curvature bound; "
            "use a smaller radius."
        )
    low, high = np.full(radius.shape, -1.0), np.ones(radius.shape)
    for _ in range(_STEPS):  # golden section: the width has a single peak on [-1, 1]
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        falling = _half_width(radius, offset, left) > _half_width(radius, offset, right)
        low, high = np.where(falling, low, left), np.where(falling, right, high)
    return (2.0 * _half_width(radius, offset, (low + high) / 2.0))[()]


def log_diameter_bound(radius: float) -> float:
    r"""Proved upper bound of ``log_diameter(radius, radius)``, as close as a float tells.

    All logs at a boundary point lie in a ball whose radius has a closed form for every distance
    ``s`` between 0 and ``2 * radius``. Bisection only finds a good ``s``: a bad one would give a
    larger bound, never a wrong one (``docs/theory/gradient-sensitivity.md``).
    """
    low, high = 0.0, 2.0 * radius
    for _ in range(_STEPS):
        middle = (low + high) / 2.0
        edge, slope = _tangent(radius, middle)
        low, high = (middle, high) if 2.0 * edge * slope < 1.0 else (low, middle)
    s = (low + high) / 2.0
    edge, slope = _tangent(radius, s)
    return float(2.0 * np.sqrt(s**2 - edge / slope + 1.0 / (4.0 * slope**2)))


def _tangent(radius: float, s: float) -> tuple[float, float]:
    """Value and slope, in ``s**2``, of the convex function X of the proof, at offset ``radius``."""
    half = np.tan(s / 2.0)
    cotangent = 1.0 / np.tan(radius)
    slope = cotangent * (half / s + (1.0 + half**2) / 2.0) / 2.0
    return float(s * cotangent * half), float(slope)


def _half_width(radius: Array, offset: Array, tau: Array) -> Array:
    """Distance from the axis of the log of the boundary point ``radius + tau * offset`` away.

    The half-angle formulas of the spherical triangle (centre, x, boundary point), arranged so that
    nothing cancels for small balls or offsets: every sine is divided by its argument.
    """
    near, far = (1.0 - tau) / 2.0, (1.0 + tau) / 2.0
    ratio = _sinc(offset * near) * _sinc(offset * far) / _sinc(offset) ** 2
    product = near * far * ratio * np.sin(radius - offset * near) * np.sin(radius + offset * far)
    return 2.0 * np.sqrt(np.maximum(product, 0.0)) / _sinc(radius + tau * offset)


def _sinc(x: Array) -> Array:
    """Return ``sin(x) / x``, one at zero."""
    return np.sinc(x / np.pi)
