"""Mean, covariance, error bars and more from a release of ``Moments``: all post-processing.

Formulas and coverage: docs/theory/moments.md, section 3, and docs/theory/covariances.md.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.plans.release import Release
from geomdp.releases.estimates.spectra import chi_square, on_trace
from geomdp.runtime.surroundings import undisturbed
from geomdp.spaces.ball import Ball
from geomdp.statistics.moments import MeanAndDispersion, Moments
from geomdp.statistics.tangent_mean import TangentMean
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
        return chi_square(self.level, self.mean.size)

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

        Marks lie in the plane (m, k, 2), where they are ``seen`` of points (m, ...). Their places
        (k, 2) in the middle, and matrices Q (k, 2, 2): to first order each mark sweeps over the
        ellipse ``x^T Q^-1 x <= 1`` about its place.
        """
        scale = STEP * float(np.sqrt(np.max(np.linalg.eigvalsh(self.covariance))))
        steps = scale * np.eye(self.mean.size)
        ends = [seen(self._points(self.mean + sign * steps)) for sign in (1, -1)]
        slopes = (ends[0] - ends[1]) / (2 * scale)
        spread = np.einsum("dki,de,ekj->kij", slopes, self.threshold * self.covariance, slopes)
        return seen(self._points(self.mean[None]))[0], spread

    def _points(self, coordinates: Array) -> Array:
        return np.asarray(self.ball.space.frame_exp(self.ball.center, coordinates))


@dataclass(frozen=True, eq=False)
class PrincipalGeodesic:
    """A geodesic through the mean along which records vary, as far as noise lets tell.

    ``direction``: unit vector (d,) in the frame at the centre. ``deviation``: standard deviation of
    the records along it. ``estimate``: where it comes from.
    """

    direction: Array
    deviation: float
    estimate: "MomentsEstimate"

    def points(self, steps: Array) -> Array:
        """Points at so many standard deviations from the mean."""
        away = np.asarray(steps)[..., None] * self.deviation * self.direction
        return self.estimate.point(self.estimate.coordinates + away)


@dataclass(frozen=True, eq=False)
class MomentsEstimate:
    """What a release of moments says about the records; made by :func:`moments_of`.

    Attributes
    ----------
    ball
        Public or released; coordinates belong to the frame at its centre.
    n
        Number of records, or of persons.
    coordinates
        Released mean of the clipped logs.
    second
        Released mean of their outer products; None under pure privacy.
    squared
        Released mean of their squared lengths.
    noise
        Standard deviation of the noise on each coordinate of the mean.
    """

    ball: Ball
    n: int
    coordinates: Array
    second: Array | None
    squared: float
    noise: float

    @property
    def dim(self) -> int:
        """Dimension of the space."""
        return self.coordinates.size

    @property
    def has_region(self) -> bool:
        """Whether its error is known in every direction: not under pure privacy."""
        return self.second is not None

    @property
    def mean(self) -> Array:
        """Released point: the exponential of the mean log at the centre."""
        return self.point(self.coordinates)

    def point(self, coordinates: Array) -> Array:
        """Points of the space that belong to coordinates at the centre."""
        space = self.ball.space
        return np.asarray(space.canonical(space.frame_exp(self.ball.center, coordinates)))

    @property
    def edge(self) -> float:
        """Eigenvalue that noise alone exceeds in the covariance about once in ten releases.

        In a shaped ball: of the whitened covariance, where noise is the same in all directions.
        """
        return float(np.sqrt(2.0) * self.ball.radius * self.noise * np.sqrt(2.0 * self.dim))

    @property
    def _form(self) -> Array:
        """What the noise of the mean is proportional to."""
        return np.eye(self.dim) if self.ball.form is None else self.ball.form

    @cached_property
    def raw_covariance(self) -> Array:
        """Unbiased for the covariance of the clipped logs; noise may make it indefinite."""
        if self.second is None:
            raise GeomdpError(
                "Pure privacy released a dispersion and no covariance; plan with GDP, ZCDP or "
                "Approximate."
            )
        own = np.outer(self.coordinates, self.coordinates)
        return self.second - own + self.noise**2 * self._form

    @cached_property
    def covariance(self) -> Array:
        """Covariance (d, d) of the clipped logs in the frame at the centre.

        The nearest one to the unbiased estimate that has its trace, which noise blurs least
        (docs/theory/covariances.md): in a shaped ball nearest where noise is the same all round.
        """
        if self.ball.roots is None:
            return on_trace(self.raw_covariance)
        colour, white = self.ball.roots
        return np.asarray(colour @ on_trace(white @ self.raw_covariance @ white) @ colour)

    @property
    def dispersion(self) -> float:
        """Mean squared distance of the clipped logs from their mean; not negative.

        In a shaped ball under pure privacy, in the norm of the form.
        """
        if self.second is None:
            white = self.ball.whitened(self.coordinates)
            own = float(white @ white) - self.dim * self.noise**2
        else:
            own = float(self.coordinates @ self.coordinates - np.trace(self._form) * self.noise**2)
        return max(0.0, self.squared - own)

    @cached_property
    def mean_covariance(self) -> Array:
        """Covariance of the released mean: sampling, with the noise edge added, and privacy."""
        widened = self.raw_covariance + self.edge * self._form
        if self.ball.roots is None:
            positive = _positive(widened)
        else:  # where noise is isotropic, and back
            colour, white = self.ball.roots
            positive = colour @ _positive(white @ widened @ white) @ colour
        return positive / self.n + self.noise**2 * self._form

    def confidence_region(self, level: float = 0.95) -> ConfidenceRegion:
        """Region for the expected clipped log of a record, sampling and privacy noise together.

        It is not a region for the Fréchet mean of unclipped records: :attr:`bias_bound` says how
        far clipped records' Fréchet mean can be.
        """
        if not 0 < level < 1:
            raise GeomdpError(f"A level lies between 0 and 1, not {level}.")
        return ConfidenceRegion(self.ball, self.coordinates, self.mean_covariance, level)

    @property
    def bias_bound(self) -> float:
        """Bound on the distance of the clipped records' Fréchet mean, at the released length."""
        return TangentMean(self.ball).worst_case_bias(float(np.linalg.norm(self.coordinates)))

    def principal_geodesics(self) -> list[PrincipalGeodesic]:
        """Directions of variation, the strongest first: only those that stand above the noise."""
        values, vectors = np.linalg.eigh(self.covariance)
        seen = self.raw_covariance - self.edge * self._form
        above = np.einsum("ki,kl,li->i", vectors, seen, vectors)
        return [
            PrincipalGeodesic(vectors[:, i], float(np.sqrt(values[i])), self)
            for i in np.argsort(-values)
            if above[i] > 0 and values[i] > 0
        ]

    def synthetic(self, count: int, seed: int | None = None) -> Array:
        """Draw points with the released mean and covariance: free, as often as you like."""
        values, vectors = np.linalg.eigh(self.covariance)
        # The symmetric root: it does not depend on the signs of eigenvectors.
        root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
        normal = np.random.default_rng(seed).standard_normal((count, self.dim))
        return self.point(self.coordinates + normal @ root.T)

    def describe(self) -> str:
        """Say in words what stands above the noise, and what the region is about."""
        if self.second is None:
            return f"mean and dispersion {self.dispersion:.4g}, from pure privacy: no error bars"
        seen = len(self.principal_geodesics())
        half = self.confidence_region().half_axes[0]
        return (
            f"{seen} of {self.dim} principal components stand above the noise (variance "
            f"{self.edge:.3g}); the mean of the clipped logs is known to {half:.3g} or better at "
            f"95%; the Fréchet mean of the clipped points is at most {self.bias_bound:.3g} away "
            "from it"
        )


@undisturbed()
def moments_of(release: Release) -> MomentsEstimate:
    """Read mean, covariance, error bars and more off a release of ``Moments``: no further cost.

    Parameters
    ----------
    release
        Of ``Moments``, alone or as the last stage of ``Refined``; of a plan by group, a part.

    Examples
    --------
    >>> import geomdp as dp
    >>> ball = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)
    >>> points = dp.datasets.polar_sphere(2000, radius=0.3, seed=0)
    >>> found = moments_of(dp.plan(dp.Moments(ball), n=2000, budget=dp.GDP(1)).release(points))
    >>> found.mean.shape, found.covariance.shape, found.synthetic(5).shape
    ((3,), (2, 2), (5, 3))
    >>> bool(found.confidence_region(0.95).contains(found.mean))
    True
    """
    last = release.answer
    asked = last.plan.statistic
    if not last.plan.one_value or not isinstance(asked, Moments | MeanAndDispersion):
        raise GeomdpError("Only a release of Moments has moments; of a plan by group, take a part.")
    plan, value = last.plan.single, np.asarray(last.value)
    if isinstance(asked, Moments):
        squared = float(np.trace(value[1:]))
        return MomentsEstimate(asked.ball, plan.n, value[0], value[1:], squared, plan.scale)
    # A coordinate of Laplace noise in D dimensions has the variance (D + 1) scale^2.
    noise = plan.scale * float(np.sqrt(asked.dim + 2))
    return MomentsEstimate(asked.ball, plan.n, value[:-1], None, float(value[-1]), noise)


def _positive(matrix: Array) -> Array:
    """Nearest positive semidefinite matrix."""
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray((vectors * np.maximum(values, 0.0)) @ vectors.T)
