"""Hostile records for any statistic: of its space, or arrays of numbers like its template."""

import numpy as np

from geomdp.spaces.ball import Ball
from geomdp.statistics.base import Statistic
from geomdp.statistics.cover_radius import CoverRadius
from geomdp.testing import hostile_records
from geomdp.typing import Array

#: Numbers at the edges of what a double can hold, and no numbers.
EDGES = np.array([0.0, -0.0, 5e-324, 1e-300, 1e-154, 1.0, 1e17, 1e154, 1e300, np.inf, np.nan])


def hostile(statistic: Statistic, count: int, rng: np.random.Generator) -> Array:
    """Return hostile records (count, ...) for a statistic.

    Examples
    --------
    >>> from geomdp.statistics.point_mean import PointMean
    >>> hostile(PointMean(np.zeros((5, 2)), 1.0), 7, np.random.default_rng(0)).shape
    (7, 5, 2)
    """
    ball = getattr(statistic, "ball", None)
    if isinstance(statistic, CoverRadius):
        ball = Ball(statistic.space, statistic.center, statistic.top, wide=True)
    if ball is not None:
        return hostile_records(ball.space, ball, count, rng)
    template = np.asarray(statistic.public_record)
    shape = (count, *template.shape)
    each = (count, *(1,) * template.ndim)
    sizes = 10.0 ** rng.uniform(-300, 300, size=each)
    with np.errstate(all="ignore"):
        kinds = [
            template + sizes * rng.standard_normal(shape),
            template * sizes,
            np.where(rng.random(shape) < 0.05, rng.choice(EDGES, size=shape), template),
            rng.choice(EDGES[:-2], size=shape) * rng.choice([-1.0, 1.0], size=shape),
            (template + rng.standard_normal(shape)).astype(np.float32).astype(float),
        ]
    return np.stack(kinds)[rng.integers(len(kinds), size=count), np.arange(count)]
