"""The public ball of covariance descriptors, ready for a plan."""

from typing import Literal

from geomdp.images.bounds import descriptor_bounds
from geomdp.spaces.ball import Ball
from geomdp.spaces.spd import SPD


def descriptor_ball(
    channels: int,
    shape: tuple[int, int],
    eta: float = 1e-6,
    bound: Literal["sharp", "paper"] = "sharp",
) -> Ball:
    """Ball of log-Euclidean positive definite matrices that holds every descriptor.

    Parameters are those of :func:`descriptor_bounds`: all public.

    Examples
    --------
    >>> ball = descriptor_ball(1, (28, 28))
    >>> ball.space.spec, round(ball.radius, 2)
    ('spd:9:log-euclidean', 22.01)
    >>> sizes = [descriptor_ball(1, (28, 28), bound=name).radius for name in ("sharp", "paper")]
    >>> [round(2 * radius / 10_000, 5) for radius in sizes]  # sensitivities at n = 10,000
    [0.0044, 0.00829]
    """
    center, radius = descriptor_bounds(channels, shape, eta, bound)
    return Ball(SPD(len(center), metric="log-euclidean"), center, radius)
