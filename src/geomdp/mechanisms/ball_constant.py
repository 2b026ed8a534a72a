"""How much the normalising constant of the restricted Laplace law can move.

On a space of constant curvature the derivative of the log constant at a footpoint is the length of
the mean unit direction towards a draw, over the scale. Its supremum c gives the valid scale
``(1 + c) Delta / eps`` (docs/theory/laplace-ball.md).
"""

from functools import cache

import numpy as np

from geomdp.spaces.ball import Ball
from geomdp.spaces.base import Space
from geomdp.typing import Array

#: Footpoints and quadrature nodes: doubling either changes c by less than 1e-4 (tests).
OFFSETS = 64
NODES = 100


def covers(space: Space) -> bool:
    """Tell whether the proof page covers the space: constant curvature."""
    low, high = space.curvature_bounds
    return low == high and space.dim > 1


def mean_direction(ball: Ball, scale: float) -> float:
    """Upper bound of the mean direction's length over all footpoints in the ball.

    The largest value on a grid of offsets, plus the largest second difference on that grid: eight
    times the error that linear interpolation between the offsets can make.
    """
    # Finer towards the boundary, where the mean direction changes within a few scales.
    stretch = np.log1p(ball.radius / (ball.space.dim * scale))
    depth = np.expm1(stretch * np.linspace(1.0, 0.0, OFFSETS + 1)[1:]) / np.expm1(stretch)
    offsets = ball.radius * (1 - depth)
    values = np.array([_mean_cosine(ball.space, ball.radius, d, scale) for d in offsets])
    bend = np.max(np.abs(np.diff(values, n=2, prepend=0.0)))
    return min(1.0, float(np.max(values) + bend))


def fixed_point_factor(ball: Ball, unit: float) -> float:
    """Return a factor f <= 2 with ``f >= 1 + c(f * unit)``, checked; ``unit`` is Delta / eps.

    Examples
    --------
    >>> import geomdp as dp
    >>> ball = Ball(dp.Sphere(2), [0, 0, 1], np.pi / 8)
    >>> 1.6 < fixed_point_factor(ball, 0.02) < 1.7
    True
    """
    low, factor = 1.0, 2.0
    for _ in range(12):
        middle = (low + factor) / 2
        if 1.0 + mean_direction(ball, middle * unit) <= middle:
            factor = middle
        else:
            low = middle
    return factor


@cache
def _gauss() -> tuple[Array, Array]:
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    return nodes, weights


def _mean_cosine(space: Space, radius: float, offset: float, scale: float) -> float:
    """Mean cosine between draws and the ball's centre, seen from a footpoint at ``offset``."""
    nodes, weights = _gauss()
    total = moment = 0.0
    end = min(radius + offset, _reach(space, scale))
    peak = float(
        np.max(space.log_volume_envelope(end * (nodes + 1) / 2) - end * (nodes + 1) / 2 / scale)
    )
    # Below radius - offset all directions stay inside: two smooth pieces.
    for low, high in ((0.0, min(radius - offset, end)), (radius - offset, end)):
        if high - low < 1e-12 * radius:
            continue
        t = low + (high - low) * (nodes + 1) / 2
        mass = np.exp(space.log_volume_envelope(t) - t / scale - peak) * weights * (high - low)
        cosine = _smallest_cosine(space, radius, offset, t)
        share, mean = _cap(space.dim, cosine)
        total += float(np.sum(mass * share))
        moment += float(np.sum(mass * mean))
    return moment / total


def _reach(space: Space, scale: float) -> float:
    """Radius beyond which the law has less than e^-60 of its mass."""
    rate = 1 / scale - space.laplace_rate_limit
    return (60.0 + 2 * space.dim) / rate if rate > 0 else float("inf")


def _smallest_cosine(space: Space, radius: float, offset: float, t: Array) -> Array:
    """Cosine of the widest angle (seen from the footpoint) that stays in the ball at distance t."""
    _, k = space.curvature_bounds
    if k == 0:
        value = (offset**2 + t**2 - radius**2) / (2 * offset * t)
    elif k > 0:
        s = np.sqrt(k)
        value = (np.cos(s * radius) - np.cos(s * offset) * np.cos(s * t)) / (
            np.sin(s * offset) * np.sin(s * t)
        )
    else:
        s = np.sqrt(-k)
        value = (np.cosh(s * offset) * np.cosh(s * t) - np.cosh(s * radius)) / (
            np.sinh(s * offset) * np.sinh(s * t)
        )
    return np.clip(value, -1.0, 1.0)


def _cap(dim: int, cosine: Array) -> tuple[Array, Array]:
    """Integrals of 1 and cos over directions with cosine above ``cosine``, up to a constant."""
    from scipy.special import betainc, betaln

    half = (dim - 1) / 2
    full = np.exp(betaln(half, 0.5))
    # P(cos > c) by the incomplete beta function of sin^2, mirrored for negative c.
    part = full * betainc(half, 0.5, 1 - cosine**2) / 2
    share = np.where(cosine >= 0, part, full - part)
    return share, (1 - cosine**2) ** half / (dim - 1)
