"""One draw of a mechanism around each of many points, in one batch."""

import numpy as np
from numpy.random import Generator

from geomdp.plans import SinglePlan
from geomdp.typing import Array
from geomdp_papers.mechanisms.ambient import from_ambient, to_ambient


def noised(made: SinglePlan, points: Array, rng: Generator) -> Array:
    """Draw once around each public point, for laws that are the same around every point.

    So are Laplace laws on a homogeneous space, which depend on the distance alone (then all draws
    are made at the ball's centre, and carried over in orthonormal frames), and noise that is added
    in the space around.

    Examples
    --------
    >>> import geomdp as dp
    >>> mean = dp.FrechetMean(dp.Ball(dp.Sphere(2), [0, 0, 1], 0.3))
    >>> made = dp.plan(mean, n=50, budget=dp.Pure(1), mechanism="laplace")
    >>> noised(made, np.eye(3), np.random.default_rng(0)).shape
    (3, 3)
    """
    space, center = made.calibration.space, made.calibration.ball.center
    drawn = made.simulate(center, size=len(points), seed=int(rng.integers(2**31)))
    if made.mechanism == "ambient-laplace":
        moves = to_ambient(space, drawn) - to_ambient(space, center)
        return from_ambient(space, to_ambient(space, points) + moves)
    return np.asarray(space.frame_exp(points, space.frame_log(center, drawn)))
