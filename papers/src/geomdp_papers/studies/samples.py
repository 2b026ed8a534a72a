"""Public samples that several studies draw: records of a ball, and around a point."""

import numpy as np
from numpy.random import Generator

import geomdp as dp
from geomdp.spaces.base import Space
from geomdp.typing import Array

#: Part of the records that lie within the radius, where their logs are Gaussian.
INSIDE = 0.99


def at_origin(space: Space, radius: float) -> dp.Ball:
    """Return the ball about the origin of a space.

    >>> at_origin(dp.Sphere(2), 0.3).radius
    0.3
    """
    return dp.Ball(space, np.asarray(space.origin(np.zeros(space.dim))), radius)


def uniform_in_ball(ball: dp.Ball, n: int, rng: Generator) -> Array:
    """Draw records with uniform directions and lengths.

    >>> uniform_in_ball(at_origin(dp.Sphere(2), 0.3), 5, np.random.default_rng(0)).shape
    (5, 3)
    """
    frame = rng.normal(size=(n, ball.space.dim))
    lengths = ball.radius * rng.uniform(size=(n, 1))
    frame *= lengths / np.linalg.norm(frame, axis=1, keepdims=True)
    return np.asarray(ball.space.frame_exp(ball.center, frame))


def deviation(dim: int, radius: float) -> float:
    """Return the deviation of Gaussian logs of which 99 of 100 are shorter than the radius.

    >>> round(deviation(1, 1.0), 4)
    0.3882
    """
    from scipy.special import gammaincinv

    return float(radius / np.sqrt(2 * gammaincinv(dim / 2, INSIDE)))


def gaussian_about(space: Space, center: Array, radius: float, n: int, rng: Generator) -> Array:
    """Draw records with Gaussian logs about a point, 99 of 100 within the radius.

    >>> gaussian_about(dp.Euclidean(2), np.zeros(2), 1.0, 5, np.random.default_rng(0)).shape
    (5, 2)
    """
    logs = deviation(space.dim, radius) * rng.standard_normal((n, space.dim))
    return np.asarray(space.frame_exp(center, logs))
