"""A confidence region: an ellipsoid in the tangent space at the centre, carried to the space."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from geomdp.spaces.ball import Ball
from geomdp.typing import Array

#: Step of a difference, in standard deviations of the estimate.
STEP = 1e-3


@dataclass(frozen=True, eq=False)
class ConfidenceRegion:
    """Where the expected clipped log lies, with a stated probability over records and noise.

    Attributes
    ----------
    ball
        Its centre is the base point of the coordinates.
    mean
        Coordinates (d,) of the middle.
    covariance
        Of the estimate: sampling and privacy noise together.
    level
        Nominal probability.

    Examples
    --------
    >>> import geomdp as dp
    >>> ball = dp.Ball(dp.Euclidean(2), center=np.zeros(2), radius=1.0)
    >>> region = ConfidenceRegion(ball, np.zeros(2), 0.01 * np.eye(2), 0.95)
    >>> region.half_axes.round(3).tolist(), bool(region.contains(np.array([0.2, 0.1])))
    ([0.245, 0.245], True)
    """

    ball: Ball
    mean: Array
    covariance: Array
    level: float

    @property
    def threshold(self) -> float:
        """Quantile of the chi-square law."""
        from scipy.stats import chi2

        return float(chi2.ppf(self.level, self.mean.size))

    @property
    def half_axes(self) -> Array:
        """Half lengths of the ellipsoid, the longest first, as distances at the centre."""
        return np.sqrt(self.threshold * np.linalg.eigvalsh(self.covariance)[::-1])

    def contains(self, points: Array) -> Array:
        """Tell for points of the space whether they lie in the region."""
        coordinates = self.ball.space.frame_log(self.ball.center, np.asarray(points))
        return self.contains_coordinates(np.asarray(coordinates))

    def contains_coordinates(self, coordinates: Array) -> Array:
        """Tell the same for coordinates (..., d) at the centre."""
        away = coordinates - self.mean
        solved = np.linalg.solve(self.covariance, away[..., None])[..., 0]
        return np.asarray(np.sum(away * solved, axis=-1) <= self.threshold)

    def boundary(self, count: int = 72, seed: int = 0) -> Array:
        """Points of the space on the boundary: evenly around in the plane, else at random."""
        dim = self.mean.size
        if dim == 2:
            angle = 2 * np.pi * np.arange(count) / count
            directions = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
        else:
            normal = np.random.default_rng(seed).standard_normal((count, dim))
            directions = normal / np.linalg.norm(normal, axis=-1, keepdims=True)
        root = np.linalg.cholesky(self.threshold * self.covariance)
        return self._points(self.mean + directions @ root.T)

    def swept(self, seen: Callable[[Array], Array]) -> tuple[Array, Array]:
        """Return what marks of a picture sweep over while the estimate runs through the region.

        Parameters
        ----------
        seen
            Where marks lie in the plane (m, k, 2), of points (m, ...) of the space.

        Returns
        -------
        tuple
            Their places (k, 2) in the middle, and matrices Q (k, 2, 2): to first order each mark
            sweeps over the ellipse ``x^T Q^-1 x <= 1`` about its place.

        Examples
        --------
        >>> import geomdp as dp
        >>> ball = dp.Ball(dp.Euclidean(2), center=np.zeros(2), radius=1.0)
        >>> region = ConfidenceRegion(ball, np.zeros(2), np.diag([0.01, 0.04]), 0.95)
        >>> region.swept(lambda points: points[:, None])[1].round(2).tolist()
        [[[0.06, 0.0], [0.0, 0.24]]]
        """
        scale = STEP * float(np.sqrt(np.max(np.linalg.eigvalsh(self.covariance))))
        steps = scale * np.eye(self.mean.size)
        ends = [seen(self._points(self.mean + sign * steps)) for sign in (1, -1)]
        slopes = (ends[0] - ends[1]) / (2 * scale)
        spread = np.einsum("dki,de,ekj->kij", slopes, self.threshold * self.covariance, slopes)
        return seen(self._points(self.mean[None]))[0], spread

    def _points(self, coordinates: Array) -> Array:
        return np.asarray(self.ball.space.frame_exp(self.ball.center, coordinates))
