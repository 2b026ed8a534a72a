"""Certified lower bounds of the gradient's length, and the proposals that go with them.

Proofs: docs/theory/kng-envelope.md. The gradient is that of half the mean squared distance to the
records, at ``exp(v)`` seen from a point near their mean; ``t`` is the length of ``v``.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from geomdp.spaces.ball import Ball
from geomdp.spaces.base import Space
from geomdp.spaces.model_sphere import hessian_floor
from geomdp.spaces.numerics import elementary
from geomdp.typing import Array

#: Beyond so many dimensions no table of all pairs of directions is made: it takes longer than the
#: tries that it saves, and soon more memory than there is.
MOST_DIRECTIONS = 1000
#: Steps of the one-sided sums that bound integrals along a geodesic.
STEPS = 64
#: Relative room for float rounding in the constants of an envelope.
ROUNDING = 1e-9
#: The records' root mean squared distance from a computed mean is at most this times the radius:
#: proved for means whose gradient is at most 5e-4 radii long.
MEAN_ROOM = 1.001


@dataclass(frozen=True, eq=False)
class Envelope:
    """Proposals ``v = shape w`` with ``w`` isotropic, and the bound that they rest on.

    The gradient at ``exp(v)`` is at least ``|w| - slack`` up to the ``knot``, and grows at least
    with ``slope`` from there to the ``end``.
    """

    #: Symmetric matrix in the frame that the space's isometry carries from the origin; one number,
    #: as a 1 x 1 matrix, for that multiple of the identity.
    shape: NDArray[np.float64]
    #: Factor for which the volume around ``v`` is at most the envelope at ``shrink * |w|``.
    shrink: float
    knot: float
    slope: float
    end: float
    slack: float


def public_envelope(ball: Ball, reach: float, slack: float) -> Envelope:
    """Return the envelope that holds around the mean of every data set in the ball."""
    return _ellipsoid(ball, public_slope(ball, reach) * np.eye(1), reach, slack)


def envelope_around(
    ball: Ball, point: Array, records: Array, reach: float, slack: float
) -> Envelope:
    """Return the better of two envelopes around any point of the ball, sharp up to ``reach``.

    ``slack`` is at least the length of the gradient there: small near the mean of the records.
    """
    if ball.space.curvature_bounds == (0.0, 0.0):
        return _ellipsoid(ball, np.eye(1), reach, slack)
    log, hessian = ball.space.log_and_hessian(point, records)
    distances = np.minimum(ball.space.norm(point, log), 2 * ball.radius)
    isotropic = _mean_floor(ball, distances, reach)
    if ball.space.dim > MOST_DIRECTIONS:
        return _ellipsoid(ball, isotropic * np.eye(1), reach, slack)
    weights = mean_growth(ball, distances, reach) / len(records)
    frame = _frame(ball.space, point)
    trailing = (-1,) + (1,) * len(ball.space.point_shape)
    bends = [np.sum(weights.reshape(trailing) * (e - hessian(e)), axis=0) for e in frame]
    bend = _coordinates(ball.space, point, np.stack(bends))
    anisotropic = np.eye(ball.space.dim) - (bend + bend.T) / 2
    values = np.linalg.eigvalsh(anisotropic)
    if values[0] <= 0 or np.sum(np.log(values)) < len(values) * np.log(isotropic):
        return _ellipsoid(ball, isotropic * np.eye(1), reach, slack)
    return _ellipsoid(ball, anisotropic, reach, slack)


def public_slope(ball: Ball, reach: float) -> float:
    """Return c such that the gradient is at least ``c t`` on every data set, up to ``reach``."""
    _, k_max = ball.space.curvature_bounds
    if k_max <= 0:
        return 1.0
    floor = float(hessian_floor(4 * ball.radius**2 * k_max))
    # The growth increases with the distance of a record, which is at most the diameter.
    growth = float(mean_growth(ball, np.array([2 * ball.radius]), reach)[0])
    bent = k_max * (ball.radius * MEAN_ROOM) ** 2 / 3 * growth
    return max(floor, float(1 - bent)) * (1 - ROUNDING)


def mean_growth(ball: Ball, distances: Array, reach: float) -> Array:
    """How much the bend ``1 - Hessian`` of a record can change on the way, on average.

    An upper bound for positive curvature, where the bend is positive; a lower one for negative
    curvature, where it is negative: either way the bound on the gradient is from below. Both
    integrands are monotone, so that sums over right ends are one-sided.
    """
    low, high = ball.space.curvature_bounds
    positive = high > 0
    root = np.sqrt(high if positive else -low)
    if root == 0:
        return np.ones_like(distances)
    start = root * distances[:, None]
    path = root * reach * np.arange(1, STEPS + 1) / STEPS
    cap = 2 * root * ball.radius
    x = np.minimum(start + path, cap)
    beyond = np.maximum(start + path - cap, 0.0)
    logs = _log_stretch(x, positive) - _log_stretch(start, positive)
    rate = _bend(cap, positive) / cap
    ratio = np.exp(2 * (logs + beyond * (rate if positive else -rate)))
    grown = 3 * _bend(x, positive) / x**2 * ratio
    return np.mean(grown, axis=1) * (1 + ROUNDING if positive else 1 - ROUNDING)


def _bend(x: Array, positive: bool) -> Array:
    """``1 - x cot x``, or ``x coth x - 1``; accurate for small ``x``."""
    x = np.asarray(x, dtype=float)
    sign = 1.0 if positive else -1.0
    series = x**2 / 3 * (1 + sign * x**2 / 15 * (1 + sign * 2 * x**2 / 21))
    safe = np.where(x < 0.05, 1.0, x)
    exact = 1 - elementary.x_cot_x(safe) if positive else elementary.x_coth_x(safe) - 1
    return np.where(x < 0.05, series, exact)


def _log_stretch(x: Array, positive: bool) -> Array:
    """``log(x / sin x)``, or ``log(x / sinh x)``."""
    return -np.log(elementary.sinc(x)) if positive else -elementary.log_sinhc(x)


def _mean_floor(ball: Ball, distances: Array, reach: float) -> float:
    """Slope of the isotropic bound: Hessians at least as far away as the path allows."""
    _, k_max = ball.space.curvature_bounds
    path = reach * np.arange(1, STEPS + 1) / STEPS
    far = np.minimum(distances[:, None] + path, 2 * ball.radius)
    return float(np.mean(hessian_floor(k_max * far**2))) * (1 - ROUNDING)


def _frame(space: Space, point: Array) -> Array:
    """Image at ``point`` of the origin's frame under the isometry that ``move`` applies."""
    step = min(1.0, space.injectivity_radius / 4)
    return space.log(point, space.frame_exp(point, step * np.eye(space.dim))) / step


def _coordinates(space: Space, point: Array, v: Array) -> NDArray[np.float64]:
    """Coordinates of tangent vectors at ``point`` in that frame: no table of all products."""
    longest = float(np.max(space.norm(point, v)))
    step = min(1.0, space.injectivity_radius / 4) / max(longest, 1.0)
    return np.asarray(space.frame_log(point, space.exp(point, step * v))) / step


def _ellipsoid(ball: Ball, slopes: NDArray[np.float64], reach: float, slack: float) -> Envelope:
    """Turn ``gradient >= t <d, slopes d>`` (d the direction) into an elliptical bound.

    By the inequality of the means ``<d, slopes d> >= sqrt(<d, Q d>)`` for
    ``Q = 2 q slopes - q^2``, any q; then ``shape`` is ``Q^(-1/2)``.
    """
    _, k_max = ball.space.curvature_bounds
    values, vectors = np.linalg.eigh(slopes)
    q = min(float(np.mean(values)), 1.5 * float(values[0]))
    roots = np.sqrt(q * (2 * values - q)) * (1 - ROUNDING)
    low, high = float(roots[0]), float(roots[-1])
    shape = (vectors / roots) @ vectors.T
    shrink = (1 - ROUNDING) / high if k_max > 0 else (1 + ROUNDING) / low
    floor = float(hessian_floor(4 * ball.radius**2 * k_max))
    # Released points lie in the ball up to a grid step, which slack covers many times.
    end = high * (1 + ROUNDING) * (2 * ball.radius + slack)
    slope = min(floor / high, 1.0) * (1 - ROUNDING)
    return Envelope(shape, shrink, low * reach, slope, end, slack)
