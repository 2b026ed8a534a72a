"""The exact delta(epsilon) of a pair of laws: what the best event for that epsilon can show.

For a log density ratio L of the first law over the second, ``delta(epsilon)`` is the mean of
``max(0, 1 - exp(epsilon - L))`` over the first, and the event ``L >= epsilon`` attains it
(docs/theory/attackers-odds.md). In high dimension nearly all mass has a small L, so that delta says
how much of a loss any event can show.
"""

import numpy as np
from scipy.special import gammainccinv, gammaincinv, gammaln, ndtr

from geomdp.typing import Array

#: Nodes for the distance and for the angle.
NODES = 400
#: Mass of the distances left out at either end.
LEFT_OUT = 1e-15


def laplace_delta(dim: int, loss: float, epsilon: float) -> float:
    """Return delta of two Laplace laws in coordinates (dim,), ``loss`` scales apart.

    Examples
    --------
    >>> closed = 1 - np.exp((0.5 - 1) / 2)  # one dimension: the mass beyond where L is 0.5
    >>> bool(np.isclose(laplace_delta(1, 1.0, 0.5), closed, atol=1e-4))
    True
    >>> laplace_delta(5, 1.0, 1.0)
    0.0
    """
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
    """Return delta of two Gaussian laws ``mu`` standard deviations apart.

    Examples
    --------
    >>> round(gaussian_delta(1.0, 1.0), 6)
    0.126937
    """
    if mu == 0:
        return 0.0
    at = epsilon / mu
    return float(ndtr(mu / 2 - at) - np.exp(epsilon) * ndtr(-mu / 2 - at))


def delta_over_draws(losses: Array, epsilon: float) -> float:
    """Return the mean over draws of the first law, where no formula is at hand.

    >>> delta_over_draws(np.array([0.0, 1.0]), 1.0)
    0.0
    """
    return float(np.mean(np.maximum(0.0, -np.expm1(epsilon - losses))))
