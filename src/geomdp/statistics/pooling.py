"""Where the records of one person are averaged: a centre, and how far the average may reach."""

from typing import NamedTuple

import numpy as np

from geomdp.spaces.base import Space
from geomdp.typing import Array


class Pooling(NamedTuple):
    """A public point at which logs are averaged, and a bound on the length of an average.

    >>> import geomdp as dp
    >>> at = Pooling(dp.Euclidean(2), np.zeros(2), 1.0)
    >>> at.points(np.array([[0.0, 5.0], [0.5, 0.0]])).tolist()
    [[0.0, 1.0], [0.5, 0.0]]
    """

    space: Space
    center: Array
    reach: float

    def points(self, means: Array) -> Array:
        """Points of the space that stand for mean logs (N, d), each shortened to the reach.

        What has no finite coordinates is the centre.
        """
        with np.errstate(all="ignore"):
            lengths = np.sqrt(np.sum(means * means, axis=-1, keepdims=True))
            shorter = means * (self.reach / np.maximum(lengths, self.reach))
            shorter = np.where(np.isfinite(lengths), shorter, 0.0)
            points = np.asarray(self.space.frame_exp(self.center, shorter))
            points = np.asarray(self.space.canonical(points))
        axes = tuple(range(1, points.ndim))
        good = np.all(np.isfinite(points), axis=axes, keepdims=True)
        return np.where(good, points, self.center)
