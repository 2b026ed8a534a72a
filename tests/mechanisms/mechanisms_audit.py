"""Laplace densities of two releases and their losses, for audits without draws."""

from dataclasses import dataclass

import numpy as np

from geomdp.mechanisms.pair_law import log_constant
from geomdp.spaces import Ball, Space

CLOUD = 20_000


@dataclass(frozen=True, eq=False)
class Density:
    """The Laplace density around a footpoint, on the whole space or restricted to a ball.

    On the whole of a homogeneous space all constants are the same, and left out.
    """

    space: Space
    footpoint: np.ndarray
    scale: float
    ball: Ball | None = None

    def log(self, x):
        value = -self.space.dist(self.footpoint, x) / self.scale - self.log_constant()
        if self.ball is None:
            return value
        inside = self.space.dist(self.ball.center, x) <= self.ball.radius
        return np.where(inside, value, -np.inf)

    def log_constant(self):
        if self.ball is None:
            return 0.0
        offset = float(self.space.dist(self.ball.center, self.footpoint))
        return log_constant(self.ball, offset, self.scale)


def probes(first, second, seed=0):
    """Points where two laws may differ most: on the geodesic through the footpoints, and around."""
    space = first.space
    reach = 30 * max(first.scale, second.scale)
    if first.ball is not None:
        reach = 2 * first.ball.radius
    reach = min(reach, 0.9 * space.injectivity_radius, 6.0)
    toward = space.log(first.footpoint, second.footpoint)
    length = float(space.norm(first.footpoint, toward))
    steps = np.linspace(-reach, reach, 2001) / (length or 1.0)
    line = space.exp(first.footpoint, steps.reshape((-1,) + (1,) * toward.ndim) * toward)
    rng = np.random.default_rng(seed)
    v = rng.normal(size=(CLOUD, space.dim))
    v *= (reach * rng.uniform(size=(CLOUD, 1)) ** 2) / np.linalg.norm(v, axis=1, keepdims=True)
    around = space.move(first.footpoint, space.exp(space.origin(v), space.from_frame(v)))
    both = [np.stack([first.footpoint, second.footpoint]), line, around]
    return space.canonical(np.concatenate(both))


def losses(first, second, points):
    """Log density ratio where at least one density is positive."""
    a, b = first.log(points), second.log(points)
    possible = np.isfinite(a) | np.isfinite(b)
    return a[possible] - b[possible]


def worst_loss(first, second):
    """Largest privacy loss found, in either direction."""
    return float(np.max(np.abs(losses(first, second, probes(first, second)))))
