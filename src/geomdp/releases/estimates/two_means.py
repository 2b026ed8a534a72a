"""Whether two means differ, in any number of dimensions; and from which distance on it is seen.

Formulas and measured levels: docs/theory/covariances.md, section 3.
"""

from typing import NamedTuple

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.plans.base import Plan
from geomdp.releases.estimates.moments import MomentsEstimate
from geomdp.releases.estimates.spectra import on_simplex, tail
from geomdp.typing import Array


class Weighed(NamedTuple):
    """A weighted sum of squares, and its law if the means are equal.

    ``statistic``: the weighted square of the difference. ``weights``: of the squares of normal
    numbers that it is the sum of. ``deviation``: of the noise in the centre that the weights are
    scaled to.
    """

    statistic: float
    weights: Array
    deviation: float


class Spread(NamedTuple):
    """What noise and sampling do to a difference of two means, beside the records' covariance.

    ``base``: variance of the privacy noise on each coordinate of the difference. ``noise``:
    standard deviation of the privacy noise on the diagonal of the difference's covariance.
    ``sampling``: square of the relative error by which sampling blurs that covariance.
    """

    base: float
    noise: float
    sampling: float

    @classmethod
    def of(cls, radius: float, sizes: tuple[int, int], noises: tuple[float, float]) -> "Spread":
        """Return it for two releases of so many records with so much noise on the means."""
        parts = [np.sqrt(2.0) * radius * s / n for n, s in zip(sizes, noises, strict=True)]
        shares = [1 / n for n in sizes]
        blur = sum(share**3 for share in shares) / sum(shares) ** 2
        return cls(float(np.sum(np.square(noises))), float(np.hypot(*parts)), blur)

    def floor(self, mean_variance: float, dim: int) -> float:
        """Return what is added to every eigenvalue: what noise and sampling alone may make one."""
        edge = self.noise * np.sqrt(2.0 * dim) + self.base
        return float(edge + 2 * np.sqrt(self.sampling * dim) * mean_variance)


def weighed(a: MomentsEstimate, b: MomentsEstimate) -> Weighed:
    """Weigh the difference of two means by what is known of its covariance."""
    spread = Spread.of(a.ball.radius, (a.n, b.n), (a.noise, b.noise))
    first, second = _white(a), _white(b)
    both, total = (first, second), a.n + b.n
    mean = (a.n * first[0] + b.n * second[0]) / total
    own = ((a.n * a.noise) ** 2 + (b.n * b.noise) ** 2) / total**2
    about = np.outer(mean, mean) - own * np.eye(a.dim)
    shares = np.array([1 / a.n, 1 / b.n])
    raw = sum(share * (matrix - about) for share, (_, matrix) in zip(shares, both, strict=True))
    values, vectors = np.linalg.eigh(raw)
    along = vectors.T @ (first[0] - second[0])
    weights, slopes, blur = _weights(values, spread)
    centre = float(np.sum(weights * (values + spread.base)) - np.sum(slopes * blur))
    law = weights * (_likely(values, spread) + spread.base)
    law *= max(centre / np.sum(law), 1e-3)
    squares = np.sum(2 * weights**2 * np.diag(blur)) + np.sum((slopes * blur) ** 2)
    squares += (2 * np.sum(shares)) ** 2 * own * np.sum((weights * (vectors.T @ mean)) ** 2)
    return Weighed(float(weights @ along**2), law, float(np.sqrt(squares)))


def _white(found: MomentsEstimate) -> tuple[Array, Array]:
    """Return mean and second moment where the noise is the same in all directions."""
    matrix = found.raw_covariance + np.outer(found.coordinates, found.coordinates)
    if found.ball.roots is None:
        return found.coordinates, matrix - found.noise**2 * np.eye(found.dim)
    white = found.ball.roots[1]
    return found.coordinates @ white, white @ matrix @ white - found.noise**2 * np.eye(found.dim)


def _weights(values: Array, spread: Spread) -> tuple[Array, Array, Array]:
    """Return the weights of the eigenvectors, their divided differences, and entries' variances."""
    likely = on_simplex(values)
    blur = spread.noise**2 / 2 + spread.sampling * np.outer(likely, likely)
    weights = 1 / (np.maximum(values, 0.0) + spread.floor(float(np.mean(likely)), values.size))
    apart = values[:, None] - values[None]
    np.fill_diagonal(apart, 1.0)
    near = np.abs(apart) < 1e-9 * np.max(np.abs(values))  # where the quotient is the derivative
    slopes = (weights[:, None] - weights[None]) / np.where(near, 1.0, apart)
    slopes[near] = np.broadcast_to(np.where(values > 0, -(weights**2), 0.0), near.shape)[near]
    np.fill_diagonal(slopes, 2 * np.where(values > 0, -(weights**2), 0.0))
    return weights, slopes, blur


def _likely(values: Array, spread: Spread) -> Array:
    """Return eigenvalues above the noise as they are, those below projected among themselves."""
    above = values > spread.noise * np.sqrt(2.0 * values.size)
    likely = np.where(above, values, 0.0)
    if not np.all(above):
        likely[~above] = on_simplex(values[~above])
    return likely


def telling_distance(
    first: Plan, second: Plan, spread: float | None = None, level: float = 0.05, power: float = 0.8
) -> float:
    """Return how far apart two means must be for ``compare`` to tell, before anything is released.

    Where records are hardly more than dimensions and noise is small, less is seen.

    Parameters
    ----------
    first, second
        Plans of ``Moments`` in one ball, by a budget with a covariance.
    spread
        Root mean square distance of records from their mean, in every direction alike; by default
        the ball's radius, which is the most there can be. Of a shaped ball in the norm of the form.
    level, power
        Of the test.

    Examples
    --------
    >>> import geomdp as dp
    >>> ball = dp.Ball(dp.Euclidean(26), center=np.zeros(26), radius=1.0)
    >>> made = dp.plan(dp.Moments(ball), n=300, budget=dp.GDP(1))
    >>> round(telling_distance(made, made), 3), round(telling_distance(made, made, spread=0.3), 3)
    (0.09, 0.052)
    """
    from scipy.optimize import brentq

    ball = first.statistic.public_ball
    if ball is None or not (first.statistic.has_moments and second.statistic.has_moments):
        raise GeomdpError("Distances that are told are those between two plans of Moments.")
    dim, sizes = ball.space.dim, (first.single.n, second.single.n)
    both = Spread.of(ball.radius, sizes, (first.single.scale, second.single.scale))
    size = ball.radius if spread is None else spread
    variance = size**2 / dim * (1 / sizes[0] + 1 / sizes[1])
    weight = 1 / (variance + both.floor(variance, dim))
    blur = both.noise**2 / 2 + both.sampling * variance**2
    deviation = weight * float(np.sqrt(2 * dim * blur))
    law = np.full(dim, weight * (variance + both.base))
    most = 100 * float(np.sum(law))
    threshold = brentq(lambda x: tail(x, law, deviation) - level, law.sum(), most)
    shift = brentq(lambda s: tail(threshold, law, deviation, s) - power, 0.0, 1e4 * (dim + 10))
    return float(np.sqrt(shift * (variance + both.base)))
