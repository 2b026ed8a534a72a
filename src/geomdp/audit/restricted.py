"""Constants of Laplace laws restricted to a ball, by quadrature from the definition.

Written apart from :mod:`geomdp.mechanisms.ball_constant`, so that an audit does not believe what it
checks. Constant curvature only: there the share of a sphere around the footpoint that lies in the
ball is an incomplete beta function of the angle.
"""

from itertools import pairwise

import numpy as np
from scipy.special import betainc

from geomdp.spaces.ball import Ball
from geomdp.typing import Array

#: Nodes on each piece.
NODES = 200
#: Distances from the centre at which the loss is compared.
OFFSETS = 200


def log_constant(ball: Ball, offset: float, scale: float) -> float:
    """Log integral of ``exp(-distance / scale)`` over the ball, from a point at ``offset``.

    Up to the area of the unit sphere, which all footpoints share.

    Examples
    --------
    >>> import geomdp as dp
    >>> ball = Ball(dp.Euclidean(3), np.zeros(3), 1.0)
    >>> closed = 2 - 5 * np.exp(-1.0)  # the integral of t^2 exp(-t) over [0, 1]
    >>> bool(np.isclose(log_constant(ball, 0.0, 1.0), np.log(closed)))
    True
    """
    end = ball.radius + offset
    marks = [0.0, scale, 4 * scale, 16 * scale, 60 * scale, ball.radius - offset, end]
    breaks = np.unique(np.clip(marks, 0.0, end))
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    angle = np.pi * (nodes + 1) / 4
    total = 0.0
    for low, high in pairwise(breaks.tolist()):
        # The square of a sine makes the square roots at the ends of a piece smooth.
        t = low + (high - low) * np.sin(angle) ** 2
        step = (high - low) * np.sin(2 * angle) * weights * np.pi / 4
        total += float(np.sum(_ring(ball, offset, t) * np.exp(-t / scale) * step))
    return float(np.log(total))


def largest_loss(ball: Ball, apart: float, scale: float) -> float:
    """Return the largest loss of two laws whose footpoints in the ball are at most ``apart``.

    A constant depends on the footpoint's distance from the centre alone, and falls with it, so that
    the worst two lie on a ray.

    Examples
    --------
    >>> import geomdp as dp
    >>> line = Ball(dp.Euclidean(1), np.zeros(1), 1.0)
    >>> round(largest_loss(line, 1.0, 0.01), 3)  # from the centre to the end: half of the mass
    100.693
    """
    starts = np.linspace(0.0, ball.radius - apart, OFFSETS).tolist()
    falls = (
        log_constant(ball, at, scale) - log_constant(ball, min(at + apart, ball.radius), scale)
        for at in starts
    )
    return apart / scale + max(falls)


def _ring(ball: Ball, offset: float, t: Array) -> Array:
    """Area, around the footpoint, of the part of the sphere of radius ``t`` in the ball."""
    if ball.space.dim == 1:  # two points at a distance, of which one or both are in the ball
        return np.where(t <= ball.radius - offset, 1.0, 0.5)
    curvature = ball.space.curvature_bounds[0]
    root = np.sqrt(abs(curvature))
    length = t if curvature == 0 else (np.sin if curvature > 0 else np.sinh)(root * t) / root
    cosine = np.where(
        t <= ball.radius - offset, -1.0, _least_cosine(curvature, ball.radius, offset, t)
    )
    part = betainc((ball.space.dim - 1) / 2, 0.5, 1 - cosine**2) / 2
    return length ** (ball.space.dim - 1) * np.where(cosine >= 0, part, 1 - part)


def _least_cosine(curvature: float, radius: float, offset: float, t: Array) -> Array:
    """Cosine, at the footpoint, of the widest angle to the centre that stays in the ball."""
    if offset == 0:
        return np.full_like(t, -1.0)
    s = np.sqrt(abs(curvature))
    if curvature == 0:
        cosine = (offset**2 + t**2 - radius**2) / (2 * offset * t)
    elif curvature > 0:
        top = np.cos(s * radius) - np.cos(s * offset) * np.cos(s * t)
        cosine = top / (np.sin(s * offset) * np.sin(s * t))
    else:
        top = np.cosh(s * offset) * np.cosh(s * t) - np.cosh(s * radius)
        cosine = top / (np.sinh(s * offset) * np.sinh(s * t))
    return np.clip(cosine, -1.0, 1.0)
