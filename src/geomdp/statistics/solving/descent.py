"""Gradient descent to the Fréchet mean: a step and a number of passes that always suffice."""

from dataclasses import dataclass

import numpy as np

from geomdp.errors import InvalidBallError
from geomdp.spaces.model_sphere import hessian_floor
from geomdp.spaces.numerics import elementary


@dataclass(frozen=True)
class Descent:
    """How gradient descent reaches a tolerance on every data set in a ball.

    ``step`` is the multiple of the mean log that a step follows; records are read ``passes``
    times at most.
    """

    step: float
    passes: int


def plan_descent(radius: float, k_min: float, k_max: float, tolerance: float) -> Descent:
    """Step and passes that bring the gradient below a tolerance, from any point of the ball.

    The ball holds the records and the start; ``k_min >= 0`` where ``k_max > 0``. Proved in
    docs/theory/tolerance.md.
    """
    if k_max > 0.0:
        if k_min < 0.0:
            raise InvalidBallError("No rate is proved for curvature of both signs.")
        root = float(np.sqrt(k_max))
        return _inside_the_ball(radius * root, tolerance * root)
    if k_min == 0.0:
        return Descent(1.0, 2)
    # From a point of the ball, points that are better lie within 4 radius of every record.
    smoothness = largest_hessian(4 * radius, k_min)
    passes = smoothness * np.log(4 * smoothness * (radius / tolerance) ** 2)
    return Descent(1.0 / smoothness, int(np.ceil(passes)) + 1)


def largest_hessian(distance: float, k_min: float) -> float:
    """Largest eigenvalue of the Hessian of half a squared distance, up to a distance."""
    return float(elementary.x_coth_x(np.asarray(distance * np.sqrt(max(0.0, -k_min)))))


def _inside_the_ball(radius: float, tolerance: float) -> Descent:
    """Plan steps that never leave a ball of curvature between 0 and 1."""
    step = float(hessian_floor(radius**2))
    # From this gradient on, the Hessian is at least step / 2 and stays so.
    small = step / (2 * np.tan(radius))
    approach = 2 * radius**2 / (step * (1 - step / 2) * small**2)
    finish = 2 * np.log(max(1.0, small / tolerance)) / step**2
    return Descent(step, int(np.ceil(approach) + np.ceil(finish)) + 1)
