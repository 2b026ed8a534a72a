"""Whether admitted records lie in the ball, decided in interval arithmetic."""

import numpy as np

from geomdp.intervals import Ambiguous, from_floats, precision
from geomdp.spaces.ball import Ball
from geomdp.typing import Array

#: Records closer to the boundary than this part of the radius are compared with proof.
CLOSE = 1e-6
#: At most so many of them, the farthest first.
MOST = 200
BITS = 200


def outside(ball: Ball, points: Array) -> int:
    """Count points whose distance from the centre is certainly above the radius, or no number.

    Examples
    --------
    >>> import geomdp as dp
    >>> ball = Ball(dp.Euclidean(1), np.zeros(1), 1.0)
    >>> outside(ball, np.array([[1.0], [1.0 + 1e-15], [np.nan]]))
    2
    """
    with np.errstate(all="ignore"):
        distance = np.asarray(ball.space.dist(ball.center, points))
    finite = np.isfinite(distance)
    order = np.argsort(-np.where(finite, distance, 0.0))[:MOST]
    close = order[finite[order] & (distance[order] > ball.radius * (1 - CLOSE))]
    return int(np.sum(~finite)) + sum(_beyond(ball, points[i]) for i in close.tolist())


def _beyond(ball: Ball, point: Array) -> bool:
    with precision(BITS):
        here, there = (from_floats(np.asarray(p)[None]) for p in (ball.center, point))
        try:
            distance = ball.space.dist(here, there)[0]
        except Ambiguous:  # equal eigenvalues, which no precision tells apart
            rounding = ball.space.log_rounding(ball.center, ball.radius)
            return not float(ball.space.dist(ball.center, point)) <= ball.radius + rounding
        # Written so that a ball that is no number counts as beyond.
        return not distance <= ball.radius and not distance.overlaps(type(distance)(ball.radius))
