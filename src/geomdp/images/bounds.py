"""Where every covariance descriptor lies (proof: docs/theory/descriptor-radius.md)."""

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import GeomdpError
from geomdp.images.descriptors import GREY, RGB, feature_count, require_eta, require_shape
from geomdp.spaces.ball import Ball
from geomdp.spaces.spd import SPD


def descriptor_bounds(
    channels: int,
    shape: tuple[int, int],
    eta: float = 1e-6,
    bound: Literal["sharp", "paper"] = "sharp",
) -> tuple[NDArray[np.float64], float]:
    """Public centre and log-Euclidean radius of a ball that holds every descriptor.

    Parameters
    ----------
    channels : int
        1 for grey, 3 for RGB.
    shape : (int, int)
        Height and width of the images.
    eta : float
        The regularisation given to :func:`covariance_descriptors`.
    bound : {"sharp", "paper"}
        "sharp" centres the ball in the middle of the possible logarithms of eigenvalues; "paper"
        is Theorem 5 of paper 3, around the identity.

    Returns
    -------
    center : ndarray (k, k)
    radius : float

    Examples
    --------
    >>> _, sharp = descriptor_bounds(1, (28, 28))
    >>> _, paper = descriptor_bounds(1, (28, 28), bound="paper")
    >>> round(sharp, 2), round(paper, 2)
    (22.01, 41.45)
    """
    _require_channels(channels)
    require_shape(tuple(shape))
    require_eta(eta)
    k = feature_count(channels)
    lowest = math.log(eta)
    if bound == "paper":
        highest = math.log({GREY: 14, RGB: 16}[channels] + eta)
        return np.eye(k), math.sqrt(k) * max(abs(lowest), abs(highest))
    if bound == "sharp":
        highest = math.log(largest_eigenvalue(channels, shape) + eta)
        middle = (lowest + highest) / 2
        return math.exp(middle) * np.eye(k), math.sqrt(k) * (highest - lowest) / 2
    raise GeomdpError(f'bound must be "sharp" or "paper"; got {bound!r}.')


def largest_eigenvalue(channels: int, shape: tuple[int, int]) -> float:
    """Bound on the eigenvalues of a covariance of features (before eta): a bound on its trace.

    Popoviciu: a variable in an interval of length R has a variance of at most R^2 / 4. The variance
    of the positions is known exactly.
    """
    positions = sum((side + 1) / (12 * (side - 1)) for side in shape)
    unit_ranges = channels + 4  # the channels, |I_x|, |I_y|, |I_xx|, |I_yy|: each in [0, 1]
    length_squared = 5 / 4  # of the gradient, below the 2 of |I_x|, |I_y| <= 1
    angle = math.pi / 2
    return positions + (unit_ranges + length_squared + angle**2) / 4


def _require_channels(channels: int) -> None:
    if channels not in (GREY, RGB):
        raise GeomdpError(f"Images have 1 channel (grey) or 3 (RGB); got channels={channels}.")


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
