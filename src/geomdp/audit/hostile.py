"""Hostile records for any statistic: of its space, or arrays of numbers like its template.

Covariates are hostile too, where the statistic needs them.
"""

from typing import Any

import numpy as np

from geomdp.sources.records import Records
from geomdp.spaces.ball import Ball
from geomdp.statistics.base import Statistic
from geomdp.statistics.cover_radius import CoverRadius
from geomdp.statistics.linear import LinearStatistic
from geomdp.testing import hostile_records
from geomdp.typing import Array

#: Numbers at the edges of what a double can hold, and no numbers.
EDGES = np.array([0.0, -0.0, 5e-324, 1e-300, 1e-154, 1.0, 1e17, 1e154, 1e300, np.inf, np.nan])


#: What a covariate may be sent as.
CELLS = (0, -1.0, 1e300, -1e300, 5e-324, np.inf, -np.inf, np.nan, None, "", "f", "m", "<x>", "7")


def hostile(statistic: Statistic, count: int, rng: np.random.Generator) -> Any:
    """Return hostile records (count, ...) for a statistic; ``Records`` where it has covariates.

    Examples
    --------
    >>> from geomdp.statistics.point_mean import PointMean
    >>> hostile(PointMean(np.zeros((5, 2)), 1.0), 7, np.random.default_rng(0)).shape
    (7, 5, 2)
    """
    names = statistic.covariate_names
    points = _hostile_points(statistic, count, rng)
    if not names:
        return points
    cells = np.array(CELLS, dtype=object)
    sent = {name: rng.choice(cells, size=count) for name in names}
    if isinstance(statistic, LinearStatistic):
        # Half of them with declared values: a record is invalid as a whole else.
        likely = statistic.records_at(rng.standard_normal((count, statistic.vector_dim)))
        keep = rng.random(count) < 0.5
        sent = {name: np.where(keep, likely.covariates[name], sent[name]) for name in names}
    return Records(points, covariates=sent)


def _hostile_points(statistic: Statistic, count: int, rng: np.random.Generator) -> Array:
    ball = getattr(statistic, "ball", None)
    if isinstance(statistic, CoverRadius):
        ball = Ball(statistic.space, statistic.center, statistic.top, wide=True)
    space = statistic.record_space
    if isinstance(statistic, LinearStatistic) and ball is None and space is not None:
        ball = Ball.whole(space)  # only means by an embedding have a space and no ball
    template = np.asarray(statistic.public_record)
    if ball is not None and template.ndim > ball.center.ndim:
        return _hostile_maps(ball, template.shape, count, rng)
    if ball is not None:
        return hostile_records(ball.space, ball, count, rng)
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


def _hostile_maps(
    ball: Ball, shape: tuple[int, ...], count: int, rng: np.random.Generator
) -> Array:
    """Return maps of hostile points, half of them of valid ones: a map is invalid as a whole."""
    points = count * int(np.prod(shape)) // ball.center.size
    any_maps, valid_maps = (
        hostile_records(ball.space, ball, points, rng, valid=valid).reshape(count, *shape)
        for valid in (False, True)
    )
    chosen = rng.integers(0, 2, size=(count, *(1,) * len(shape))) == 1
    return np.where(chosen, any_maps, valid_maps)
