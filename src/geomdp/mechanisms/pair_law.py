"""The laws of a mechanism on two data sets, from its densities: what an audit compares with draws.

The densities are those of the proof pages (docs/theory/laplace.md, laplace-ball.md, kng.md,
wrapped.md, riemannian-gaussian.md, lattice-gaussian.md, private-ball.md), written apart from
calibrations, draws and :mod:`geomdp.mechanisms.ball_constant`, so that an audit does not believe
what it checks. It uses them to choose events and to say how much a pair of data sets can leak at
most; its lower bounds rest on counts alone.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np

from geomdp.noise.kng_law import gradient_norms
from geomdp.spaces.ball import Ball
from geomdp.spaces.base import Space
from geomdp.statistics.linear import LinearStatistic
from geomdp.typing import Array

#: Nodes for the distance and for the angle of two flat laws.
NODES = 400
#: Mass of the distances left out at either end.
LEFT_OUT = 1e-15
#: Nodes on each piece of a restricted law's constant.
PIECE_NODES = 200
#: Distances from the centre at which the loss of restricted laws is compared.
OFFSETS = 200


@dataclass(frozen=True, eq=False)
class PairLaw:
    """Log density ratio of the two laws of a pair, and what bounds it.

    Attributes
    ----------
    log_ratio
        Of values (m, ...), up to a constant that :attr:`constant` holds where it is known.
    size
        Loss of the pair in the plan's own currency (epsilon or mu), the constant left out; draws
        tell it where the constant is not known.
    constant
        Log of the second law's constant over the first's; None where only draws can tell.
    delta
        Exact delta at an epsilon, the same in both directions; None where only draws can tell.
    """

    log_ratio: Callable[[Array], Array]
    size: float = 0.0
    constant: float | None = None
    delta: Callable[[float], float] | None = None

    def exact(self, first: Array, second: Array) -> float:
        """Return the loss of the pair: the sum of :meth:`parts`."""
        return sum(self.parts(first, second))

    def parts(self, first: Array, second: Array) -> tuple[float, float]:
        """Return what exponents and constants add to the loss, from draws where needed.

        Without a formula for the constants, their ratio is the mean of exp(-log ratio) over draws
        of the first law, and the supremum is the largest value at any draw.
        """
        if self.constant is not None:
            return self.size, abs(self.constant)
        here, there = self.log_ratio(first), self.log_ratio(second)
        ratio = float(np.log(np.mean(np.exp(-here))))
        seen = np.concatenate([here, there])
        return max((float(np.max(seen)), ratio), (float(np.max(-seen)), -ratio), key=sum)


def distance_law(space: Space, ends: tuple[Array, Array], scale: float) -> PairLaw:
    """Return Laplace laws around two points, whose constants are the same."""
    here, there = ends

    def log_ratio(values: Array) -> Array:
        return np.asarray(space.dist(there, values) - space.dist(here, values)) / scale

    return PairLaw(log_ratio, float(space.dist(here, there)) / scale, 0.0)


def squared_distance_law(
    space: Space, ends: tuple[Array, Array], scale: float, mu: float
) -> PairLaw:
    """Return Riemannian Gaussian laws around two points, of which ``mu`` is known."""
    here, there = ends

    def log_ratio(values: Array) -> Array:
        squares = np.asarray(space.dist(there, values) ** 2 - space.dist(here, values) ** 2)
        return squares / (2 * scale**2)

    return PairLaw(log_ratio, mu, 0.0)


def gradient_law(
    space: Space, sets: tuple[Array, Array], means: tuple[Array, Array], scale: float
) -> PairLaw:
    """Return K-norm gradient laws of two sets of records, worst at their means; no constants."""

    def log_ratio(values: Array) -> Array:
        here, there = (gradient_norms(space, values, records) for records in sets)
        return (there - here) / scale

    return PairLaw(log_ratio, float(np.max(np.abs(log_ratio(np.stack(means))))))


def flat_laplace_law(linear: LinearStatistic, ends: tuple[Array, Array], scale: float) -> PairLaw:
    """Return Laplace laws in coordinates, which are measured in units of the noise's profile."""
    unit = np.asarray(linear.noise_profile)
    here, there = (end / unit for end in ends)

    def log_ratio(values: Array) -> Array:
        y = linear.to_coordinates(values) / unit
        far, near = (lengths(y - at) for at in (there, here))
        return (far - near) / scale

    starts = np.cumsum([0, *linear.noise_blocks[:-1]])

    def lengths(away: Array) -> Array:
        """Length of each block of noise that is drawn by itself, added up."""
        return np.asarray(np.sum(np.sqrt(np.add.reduceat(away**2, starts, axis=-1)), axis=-1))

    loss = float(lengths(here - there)) / scale
    together = len(linear.noise_blocks) == 1
    delta = partial(laplace_delta, len(here), loss) if together else None
    return PairLaw(log_ratio, loss, 0.0, delta)


def gaussian_law(linear: LinearStatistic, ends: tuple[Array, Array], spreads: Array) -> PairLaw:
    """Return Gaussian laws in coordinates, of these standard deviations."""
    here, there = ends
    weights = (here - there) / spreads**2

    def log_ratio(values: Array) -> Array:
        return (linear.to_coordinates(values) - (here + there) / 2) @ weights

    mu = float(np.linalg.norm((here - there) / spreads))
    return PairLaw(log_ratio, mu, 0.0, partial(gaussian_delta, mu))


def listed_law(laws: tuple[Array, Array], place: Callable[[Array], Array]) -> PairLaw:
    """Return two laws on a list of values, known exactly; ``place`` finds values in it."""
    with np.errstate(divide="ignore", invalid="ignore"):  # what neither draws
        ratios = np.log(laws[0]) - np.log(laws[1])

    def delta(at: float) -> float:
        over = (np.maximum(p - np.exp(at) * q, 0.0) for p, q in (laws, laws[::-1]))
        return float(max(np.sum(part) for part in over))

    possible = (laws[0] > 0) & (laws[1] > 0)
    worst = float(np.max(np.abs(ratios[possible])))
    return PairLaw(lambda values: np.asarray(ratios[place(values)]), worst, 0.0, delta)


def restricted_constant(ball: Ball, ends: tuple[Array, Array], scale: float) -> float | None:
    """Log ratio of the constants of two restricted Laplace laws; None where curvature varies."""
    low, high = ball.space.curvature_bounds
    if low != high:
        return None
    offsets = (float(ball.space.dist(ball.center, at)) for at in ends)
    here, there = (log_constant(ball, min(offset, ball.radius), scale) for offset in offsets)
    return there - here


def log_constant(ball: Ball, offset: float, scale: float) -> float:
    """Log integral of ``exp(-distance / scale)`` over the ball, from a point at ``offset``.

    By quadrature from the definition, up to the area of the unit sphere, which all footpoints
    share. Constant curvature only: there the share of a sphere around the footpoint that lies in
    the ball is an incomplete beta function of the angle.
    """
    end = ball.radius + offset
    marks = [0.0, scale, 4 * scale, 16 * scale, 60 * scale, ball.radius - offset, end]
    breaks = np.unique(np.clip(marks, 0.0, end))
    nodes, weights = np.polynomial.legendre.leggauss(PIECE_NODES)
    angle = np.pi * (nodes + 1) / 4
    total = 0.0
    for low, high in pairwise(breaks.tolist()):
        # The square of a sine makes the square roots at the ends of a piece smooth.
        t = low + (high - low) * np.sin(angle) ** 2
        step = (high - low) * np.sin(2 * angle) * weights * np.pi / 4
        total += float(np.sum(_ring(ball, offset, t) * np.exp(-t / scale) * step))
    return float(np.log(total))


def largest_loss(ball: Ball, apart: float, scale: float) -> float:
    """Return the largest loss of two laws whose footpoints in the ball are at most ``apart``.

    A constant depends on the footpoint's distance from the centre alone, and falls with it, so that
    the worst two lie on a ray.
    """
    starts = np.linspace(0.0, ball.radius - apart, OFFSETS).tolist()
    falls = (
        log_constant(ball, at, scale) - log_constant(ball, min(at + apart, ball.radius), scale)
        for at in starts
    )
    return apart / scale + max(falls)


def _ring(ball: Ball, offset: float, t: Array) -> Array:
    """Area, around the footpoint, of the part of the sphere of radius ``t`` in the ball."""
    if ball.space.dim == 1:  # two points at a distance, of which one or both are in the ball
        return np.where(t <= ball.radius - offset, 1.0, 0.5)
    from scipy.special import betainc

    curvature = ball.space.curvature_bounds[0]
    root = np.sqrt(abs(curvature))
    length = t if curvature == 0 else (np.sin if curvature > 0 else np.sinh)(root * t) / root
    cosine = np.where(
        t <= ball.radius - offset, -1.0, _least_cosine(curvature, ball.radius, offset, t)
    )
    part = betainc((ball.space.dim - 1) / 2, 0.5, 1 - cosine**2) / 2
    return length ** (ball.space.dim - 1) * np.where(cosine >= 0, part, 1 - part)


def _least_cosine(curvature: float, radius: float, offset: float, t: Array) -> Array:
    """Cosine, at the footpoint, of the widest angle to the centre that stays in the ball."""
    if offset == 0:
        return np.full_like(t, -1.0)
    s = np.sqrt(abs(curvature))
    if curvature == 0:
        cosine = (offset**2 + t**2 - radius**2) / (2 * offset * t)
    elif curvature > 0:
        top = np.cos(s * radius) - np.cos(s * offset) * np.cos(s * t)
        cosine = top / (np.sin(s * offset) * np.sin(s * t))
    else:
        top = np.cosh(s * offset) * np.cosh(s * t) - np.cosh(s * radius)
        cosine = top / (np.sinh(s * offset) * np.sinh(s * t))
    return np.clip(cosine, -1.0, 1.0)


def laplace_delta(dim: int, loss: float, epsilon: float) -> float:
    """Return delta of two Laplace laws in coordinates (dim,), ``loss`` scales apart."""
    from scipy.special import gammainccinv, gammaincinv, gammaln

    low, high = gammaincinv(dim, LEFT_OUT), gammainccinv(dim, LEFT_OUT)
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    t = low + (high - low) * (nodes + 1) / 2
    mass = weights * (high - low) / 2 * np.exp((dim - 1) * np.log(t) - t - gammaln(dim))
    cosines, shares = _directions(dim, nodes, weights)
    far = np.sqrt(t[:, None] ** 2 + 2 * loss * t[:, None] * cosines + loss**2)
    return float(mass @ np.maximum(0.0, -np.expm1(epsilon - (far - t[:, None]))) @ shares)


def _directions(dim: int, nodes: Array, weights: Array) -> tuple[Array, Array]:
    """Cosines with the line of the two footpoints, and their shares of the unit sphere."""
    if dim == 1:
        return np.array([-1.0, 1.0]), np.array([0.5, 0.5])
    angle = np.pi * (nodes + 1) / 2
    shares = weights * np.sin(angle) ** (dim - 2)
    return np.cos(angle), shares / np.sum(shares)


def gaussian_delta(mu: float, epsilon: float) -> float:
    """Return delta of two Gaussian laws ``mu`` standard deviations apart."""
    from scipy.special import ndtr

    if mu == 0:
        return 0.0
    at = epsilon / mu
    return float(ndtr(mu / 2 - at) - np.exp(epsilon) * ndtr(-mu / 2 - at))
