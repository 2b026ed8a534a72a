"""The two settings of papers 1 and 2: SPD(2) and the sphere S^2, with their samples.

Paper 1 leaves radius and sampler of its matrices to a supplement that is not at hand: r = 1.5 and
the Wishart law are those of paper 2's supplement (B.3.1), whose figure continues paper 1's. Neither
paper states the sensitivity of its Euclidean noise on the sphere for Figure 1: the natural
candidates stand here, and one is found by what holds with it (see ``Trial``).
"""

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


def _h(doubled: float) -> float:
    """Return the curvature term of the papers' Theorem 2 on the unit sphere, of 2r."""
    return float(doubled / np.tan(doubled))


_R = SETTINGS["sphere"].ball.radius
_H = _h(2 * _R)
#: Sensitivities of Euclidean noise on the sphere that one could mean, as multiples of 2r/n.
CANDIDATES = {
    "2r/n": 1.0,
    "2 sin(r)/n": float(np.sin(_R) / _R),
    "4 sin(r/2)/n": float(2 * np.sin(_R / 2) / _R),
    "2 tan(r)/n": float(np.tan(_R) / _R),
    "2r(2 - h)/n": 2 - _H,
    "2r(2 - h)/(n h)": (2 - _H) / _H,
}
#: The one that all statements of both papers hold with, and how claims name it.
FOUND = "2r(2 - h)/n"
UNSTATED = "sensitivity of the Euclidean noise on the sphere (papers 1 and 2)"
FOUND_WORDS = f"Euclidean sensitivity {FOUND}, one of {len(CANDIDATES)}"
