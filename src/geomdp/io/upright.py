"""Released shapes as people look at them: turned to the template."""

from geomdp.spaces.planar_shapes import PlanarShapes
from geomdp.statistics.base import Statistic
from geomdp.typing import Array


def upright(value: Array, statistic: Statistic) -> Array:
    """Return a planar shape turned to the public centre; anything else as it is.

    A shape has no rotation, so that turning it is free post-processing.

    Examples
    --------
    >>> import numpy as np
    >>> import geomdp as dp
    >>> centre = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> mean = dp.FrechetMean(dp.Ball(dp.PlanarShapes(3), center=centre, radius=0.1))
    >>> turned = upright(1j * mean.ball.center, mean)
    >>> bool(np.abs(turned - mean.ball.center).max() < 1e-12)
    True
    """
    ball, space = statistic.public_ball, statistic.value_space
    if ball is None or not isinstance(space, PlanarShapes) or value.shape != ball.center.shape:
        return value
    return space.align(value, to=ball.center)
