"""How many tries the K-norm gradient mechanism needs on the worst data set (docs/theory/kng.md)."""

from fractions import Fraction

import numpy as np

from geomdp.noise.kng_envelope import MEAN_ROOM, Envelope
from geomdp.noise.tangent_hat import TangentHat
from geomdp.spaces import linalg
from geomdp.spaces.ball import Ball
from geomdp.typing import Array

#: Nodes of the quadrature along the radius.
NODES = 4000
#: Room for the quadrature's error.
SAFETY = 0.99


def least_acceptance(ball: Ball, envelope: Envelope, hat: TangentHat, scale: float) -> float:
    """Lower bound of the acceptance of the public envelope over all data sets in the ball.

    The gradient is bounded above, the volume and the share of directions that stay in the ball
    below, by comparison with constant curvature; the worst mean lies on the boundary.
    """
    space = ball.space
    inner = ball.radius - envelope.slack - space.log_rounding(ball.center, ball.radius)
    top = min(inner, hat.knots[-1] * envelope.shrink)
    t = (np.arange(NODES) + 0.5) * top / NODES
    share = _share_of_directions(space.dim, _widest_cosine(ball, inner, t))
    logs = _least_log_volume(ball, t) - _largest_gradient(ball, t) / scale
    mass = np.sum(np.exp(logs - hat.top) * share) * top / NODES
    # The public shape is a multiple of the identity, so that one entry is its determinant's root.
    stretch = float(envelope.shape[0, 0])
    jacobian = stretch * (stretch / envelope.shrink) ** (space.dim - 1)
    proposed = float(np.sum(hat.areas(np.ones(1)))) * jacobian
    return float(SAFETY * mass / proposed * np.exp(-2 * envelope.slack / scale))


def tries_needed(acceptance: float, epsilon: Fraction, delta: Fraction) -> float:
    """Return N with ``e^epsilon (1 - acceptance)^N <= delta``; one spare try covers rounding.

    >>> tries_needed(0.5, Fraction(1), Fraction(1, 1000))
    13.0
    """
    if acceptance <= 0:
        return float("inf")
    return float(np.ceil((np.log(float(delta)) - float(epsilon)) / np.log1p(-acceptance) + 1))


def _largest_gradient(ball: Ball, t: Array) -> Array:
    """Upper bound of the gradient at distance ``t`` from the mean (Soto et al. 2022, Lemma 1).

    Sharper than the lemma for negative curvature: the mean squared distance of the records is at
    most the squared radius, and the Hessian's bound is concave in the squared distance.
    """
    k_min, _ = ball.space.curvature_bounds
    if k_min >= 0:
        return t
    return t * linalg.x_coth_x(np.sqrt(-k_min) * (MEAN_ROOM * ball.radius + t))


def _least_log_volume(ball: Ball, t: Array) -> Array:
    """Volume density of the space of constant curvature ``k_max`` (Günther)."""
    _, k_max = ball.space.curvature_bounds
    root = np.sqrt(abs(k_max))
    sine = {1: np.sin(root * t), -1: np.sinh(root * t), 0: t}[int(np.sign(k_max))]
    return (ball.space.dim - 1) * np.log(sine / (root or 1.0))


def _widest_cosine(ball: Ball, inner: float, t: Array) -> Array:
    """Cosine of the widest angle at a boundary point that certainly stays inside (Toponogov)."""
    k, _ = ball.space.curvature_bounds
    r, s = ball.radius, np.sqrt(abs(k))
    if k == 0:
        return (r**2 + t**2 - inner**2) / (2 * r * t)
    if k > 0:
        return (np.cos(s * inner) - np.cos(s * r) * np.cos(s * t)) / (np.sin(s * r) * np.sin(s * t))
    product = np.cosh(s * r) * np.cosh(s * t)
    return (product - np.cosh(s * inner)) / (np.sinh(s * r) * np.sinh(s * t))


def _share_of_directions(dim: int, cosine: Array) -> Array:
    """Share of unit vectors whose first coordinate is above ``cosine`` (at least 0)."""
    from scipy.special import betainc

    if dim == 1:
        return np.where(cosine < 1, 0.5, 0.0)
    return betainc((dim - 1) / 2, 0.5, np.clip(1 - cosine**2, 0.0, 1.0)) / 2
