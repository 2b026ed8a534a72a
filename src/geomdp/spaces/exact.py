"""Distances between the points that floats stand for, in interval arithmetic."""

import numpy as np

from geomdp import intervals
from geomdp.spaces.ball import Ball
from geomdp.spaces.base import Space
from geomdp.spaces.product import Product
from geomdp.spaces.spd_affine import AffineSPD
from geomdp.typing import Array

#: Bits of the references; ill-conditioned matrices need more than points do.
BITS = 200


def exact(space: Space, x: Array) -> Array:
    """Return the points that floats stand for, as intervals."""
    return space.canonical(intervals.from_floats(x))


def distances(space: Space, p: Array, x: Array) -> Array:
    """Distances in intervals, also of points so close that eigenvalues are not separated."""
    if isinstance(space, Product):
        parts = zip(space.factors, space.weights, space.split(p), space.split(x), strict=True)
        return np.sqrt(sum(w * _from_point(f, c, part) ** 2 for f, w, c, part in parts))
    if isinstance(space, AffineSPD):
        logs = space.frame_log(p, x)
        return np.sqrt(np.sum(logs * logs, axis=-1))
    return space.dist(p, x)


def distances_from(ball: Ball, x: Array) -> Array:
    """Distances in intervals of float points from the centre of a ball."""
    return _from_point(ball.space, exact(ball.space, ball.center), exact(ball.space, x))


def _from_point(space: Space, p: Array, x: Array) -> Array:
    """Distances in intervals from one point, also of that point itself."""
    ideal = distances(space, p, x)
    # The root of an interval around 0 is undefined: such a point is the centre to all its bits.
    undefined = np.array([bool(distance.is_nan()) for distance in ideal], dtype=bool)
    if np.any(undefined):
        at, others = intervals.to_floats(p), intervals.to_floats(x[undefined])
        if not np.all(space.dist(at, others) < 1e-15):
            raise AssertionError(f"{space.spec} has no distance in interval arithmetic")
        ideal[undefined] = intervals.from_floats(np.zeros(int(undefined.sum())))
    return ideal


def overshoot(ball: Ball, points: Array) -> Array:
    """Proved distances from the centre, less the radius: at most 0 inside the ball.

    >>> import geomdp as dp
    >>> ball = dp.Ball(dp.Euclidean(1), center=[0.0], radius=1.0)
    >>> overshoot(ball, np.array([[0.5], [3.0]])).tolist()
    [-0.5, 2.0]
    """
    if ball.space.chart_only:  # no intervals: privacy rests on clipping in integers alone
        return np.asarray(ball.space.dist(ball.center, points)) - ball.radius
    with intervals.precision(BITS):
        return np.array([float((d - ball.radius).upper()) for d in distances_from(ball, points)])
