"""Auditing tools: the privacy loss of two released laws, from their densities or from draws.

Densities and their constants are written here from the definitions, independently of the package.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy import stats
from scipy.integrate import quad

from geomdp.spaces import Ball, Space

CLOUD = 20_000


@dataclass(frozen=True, eq=False)
class Density:
    """The Laplace density around a footpoint, on the whole space or restricted to a ball."""

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
        """Log of the integral of ``exp(-distance / scale)`` over the support."""
        if self.ball is not None:
            offset = float(self.space.dist(self.ball.center, self.footpoint))
            return np.log(_sphere_cap_integral(self.ball.radius, offset, self.scale))
        if self.space.spec == "sphere:2":
            s = self.scale
            return np.log(2 * np.pi * s**2 * (1 + np.exp(-np.pi / s)) / (1 + s**2))
        assert self.space.spec == "spd:2"
        return np.log(_spd2_integral(self.scale))


def _sphere_cap_integral(radius, offset, scale):
    """Integral over a ball of S^2, in polar coordinates around the footpoint."""

    def ring(t):
        # Half the angle of the circle of radius t that lies inside the ball.
        if t <= radius - offset:
            half = np.pi
        else:
            cosine = np.cos(radius) - np.cos(offset) * np.cos(t)
            half = np.arccos(np.clip(cosine / (np.sin(offset) * np.sin(t)), -1, 1))
        return 2 * half * np.sin(t) * np.exp(-t / scale)

    breaks = np.unique(np.clip([0.0, scale, 4 * scale, radius - offset, radius + offset], 0, np.pi))
    breaks = breaks[breaks <= radius + offset]
    pieces = pairwise(breaks)
    return sum(quad(ring, a, b, epsabs=0, epsrel=1e-11, limit=400)[0] for a, b in pieces)


def _spd2_integral(scale):
    """SPD(2) is the product of a line and a hyperbolic plane of curvature -1/2."""
    nodes, weights = np.polynomial.legendre.leggauss(60)
    sines = np.sin(np.pi * (nodes + 1) / 2)

    def ring(t):
        growth = np.sqrt(2) * np.sinh(t * sines / np.sqrt(2)) @ weights * np.pi / 2
        return 2 * np.pi * t * growth * np.exp(-t / scale)

    end = 60 / (1 / scale - np.sqrt(0.5))
    return quad(ring, 0, end, points=[scale, 4 * scale], epsabs=0, epsrel=1e-11, limit=400)[0]


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


def epsilon_bounds(hits, others, size, confidence=0.9999):
    """Bounds of ``log(P / P')`` for one event, from counts in two samples (Clopper-Pearson)."""
    miss = (1 - confidence) / 2

    def interval(count):
        low = stats.beta.ppf(miss, count, size - count + 1) if count else 0.0
        high = stats.beta.ppf(1 - miss, count + 1, size - count) if count < size else 1.0
        return low, high

    (low, high), (other_low, other_high) = interval(hits), interval(others)
    with np.errstate(divide="ignore"):
        return float(np.log(low) - np.log(other_high)), float(np.log(high) - np.log(other_low))
