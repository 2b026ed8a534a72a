"""The two settings of papers 1 and 2: SPD(2) and the sphere S^2, with their samples."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

import geomdp as dp
from geomdp.datasets import polar_sphere, wishart_in_ball
from geomdp.typing import Array


@dataclass(frozen=True)
class Setting:
    """A ball, and a sampler of records in it."""

    ball: dp.Ball
    sample: Callable[[int, int], Array]

    def records(self, n: int, rng: Generator) -> Array:
        """Draw ``n`` records."""
        return self.sample(n, int(rng.integers(2**31)))


#: By the name of the space.
SETTINGS = {
    "spd": Setting(
        dp.Ball(dp.SPD(2), np.eye(2), 1.5),
        lambda n, seed: wishart_in_ball(n, 2, 1.5, seed),
    ),
    "sphere": Setting(
        dp.Ball(dp.Sphere(2), np.array([0.0, 0.0, 1.0]), np.pi / 8),
        lambda n, seed: polar_sphere(n, np.pi / 8, seed),
    ),
}
