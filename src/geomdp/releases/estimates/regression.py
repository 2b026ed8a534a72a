"""Curve, slopes, error bars and bands from a release of ``Regression``: all post-processing.

Formulas: docs/theory/regression.md, section 3. Nothing here fails on a released value: a design
that noise drowned is floored, and told.
"""

from dataclasses import dataclass
from functools import cache, cached_property
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.plans.release import Release
from geomdp.releases.estimates.denoised import denoised_of
from geomdp.runtime.surroundings import undisturbed
from geomdp.statistics.covariates import Interval, Levels
from geomdp.statistics.regression import Blocks, Regression
from geomdp.statistics.tangent_mean import is_flat
from geomdp.typing import Array

#: Released numbers beyond this are noise beyond all reason; their squares still are floats.
REASON = 1e30
#: Draws of the law of a band's width: seeded, so that a band is a function of the release.
DRAWS = 4000
#: Shares of sampling in an error for which its law is drawn; between them it hardly changes.
SHARES = 17
#: The spread about the curve is widened by so many standard deviations of its noise.
MARGIN = 1.645


class Spread(NamedTuple):
    """Mean squares of an error: noise in every direction alike, noise along the curve, sampling."""

    each: float
    along: float
    sampling: float


class ErrorParts(NamedTuple):
    """First-order error of a linear functional of the fit, coordinate by coordinate.

    Noise of variance ``each`` in every coordinate; that of the mean covariates along ``means``
    (p, d), and of their products along ``crossed`` (p, p, d); and of the records, with this mean
    square in all coordinates together.
    """

    each: float
    means: Array
    crossed: Array
    sampling: float


@dataclass(frozen=True, eq=False)
class Effect:
    """What a covariate changes, in the orthonormal frame at the centre.

    Attributes
    ----------
    vector
        Change (d,) of the logs: a unit of the covariate, or from one level to another.
    privacy, sampling
        Root mean square lengths of the errors that noise and the choice of records make.
    """

    vector: Array
    privacy: float
    sampling: float

    @property
    def length(self) -> float:
        """How far the curve moves, as a distance at the centre."""
        return float(np.linalg.norm(self.vector))

    @property
    def error(self) -> float:
        """Root mean square length of the whole error."""
        return float(np.hypot(self.privacy, self.sampling))


@dataclass(frozen=True, eq=False)
class Band:
    """Where the curve of all records' population passes, at one value of the covariates.

    It covers, with about the nominal probability over records and noise, the least squares fit of
    the population's clipped logs at these covariates, if records spread about the curve alike
    everywhere. It does not cover what clipping, curvature or a floor make of the curve.

    Attributes
    ----------
    statistic
        Says where the coordinates belong.
    middle
        Coordinates (d,) of the prediction, in which the ball is round.
    radius
        Width of the band in these coordinates: a distance at the centre if the ball is round.
    level
        Nominal probability.
    """

    statistic: Regression
    middle: Array
    radius: float
    level: float

    def contains(self, points: Any) -> Array:
        """Tell for points of the space whether they lie in the band."""
        ball = self.statistic.ball
        logs = np.asarray(ball.space.frame_log(ball.center, np.asarray(points)))
        return self.contains_coordinates(ball.whitened(logs))

    def contains_coordinates(self, coordinates: Array) -> Array:
        """Tell the same for coordinates (..., d) in which the ball is round."""
        away = np.asarray(coordinates) - self.middle
        return np.asarray(np.sqrt(np.sum(away * away, axis=-1)) <= self.radius)


@dataclass(frozen=True, eq=False)
class FittedCurve:
    """The curve that the means of a stack say: made by :func:`regression_of`.

    Attributes
    ----------
    statistic
        What was asked.
    n
        Number of records, or of persons.
    value
        The means: as released, or denoised.
    noise
        Standard deviation of the noise on each coordinate of the stack as it was released.
    """

    statistic: Regression
    n: int
    value: Array
    noise: float

    # --- the fit --------------------------------------------------------------------------------

    @cached_property
    def _blocks(self) -> Blocks:
        finite = np.where(np.isfinite(self.value), self.value, 0.0)
        return self.statistic.split(np.clip(finite, -REASON, REASON))

    @property
    def _noise_t(self) -> float:
        """Noise of a mean covariate."""
        return float(np.sqrt(2.0) * self.noise / self.statistic.radius)

    @cached_property
    def raw_covariance(self) -> Array:
        """Covariance (p, p) of the covariates' coordinates; noise may make it indefinite."""
        middle = self._blocks.covariates
        second = self.statistic.symmetric(self._blocks.squares)
        return second - np.outer(middle, middle) + self._noise_t**2 * np.eye(middle.size)

    @property
    def floor(self) -> float:
        """Eigenvalue below which the covariates' covariance is noise: a public number."""
        away = float(np.linalg.norm(self._blocks.covariates))
        return self.statistic.floor(self.noise, away)

    @cached_property
    def _eigen(self) -> tuple[Array, Array]:
        values, vectors = np.linalg.eigh(self.raw_covariance)
        return values, vectors

    @property
    def floored(self) -> int:
        """Directions of the covariates in which they vary less than noise does: slopes shrink."""
        return int(np.sum(~(self._eigen[0] > self.floor)))

    @cached_property
    def _inverse(self) -> Array:
        values, vectors = self._eigen
        return np.asarray((vectors / np.maximum(values, self.floor)) @ vectors.T)

    @cached_property
    def slopes(self) -> Array:
        """Slopes (p, d) for the coordinates of the covariates, where the ball is round."""
        found = self._blocks
        return self._inverse @ (found.products - np.outer(found.covariates, found.mean))

    @property
    def intercept(self) -> Array:
        """Coordinates (d,) of the curve where the covariates' coordinates are 0."""
        return np.asarray(self._blocks.mean - self._blocks.covariates @ self.slopes)

    # --- reading off ----------------------------------------------------------------------------

    def predict(self, /, **at: Any) -> Array:
        """Return the point of the curve at these values of all covariates.

        Never outside the ball, where no conditional mean of clipped logs can be.

        Raises
        ------
        GeomdpError
            For values that were not declared: beyond its range the curve says nothing.
        """
        return self._point(self._at(self.statistic.design.at(**at)))

    def _at(self, t: Array) -> Array:
        """Coordinates of the curve, shortened to the radius; the centre where noise overflowed."""
        with np.errstate(all="ignore"):
            raw = self.intercept + t @ self.slopes
            length = float(np.sqrt(np.sum(raw * raw)))
            shorter = raw * (self.statistic.radius / max(length, self.statistic.radius))
        return shorter if np.all(np.isfinite(shorter)) else np.zeros(self.statistic.dim)

    def _point(self, coordinates: Array) -> Array:
        with np.errstate(all="ignore"):
            point = np.asarray(self.statistic.tangent.decode(coordinates))
        return point if np.all(np.isfinite(point)) else np.array(self.statistic.ball.center)


@dataclass(frozen=True, eq=False)
class RegressionEstimate(FittedCurve):
    """What a release of a regression says; made by :func:`regression_of`.

    Attributes
    ----------
    heavy
        Whether the noise is Laplace's, in all coordinates together.
    better
        The means denoised, where they are.
    """

    heavy: bool = False
    better: Array | None = None

    @property
    def denoised(self) -> FittedCurve:
        """The curve with less error: free. Its slopes and predictions.

        Errors and bands are told about the curve as it was released.
        """
        value = self.value if self.better is None else self.better
        return FittedCurve(self.statistic, self.n, value, self.noise)

    def slope(self, name: str) -> Effect:
        """Return what one unit of a number changes: a year of age.

        >>> import geomdp as dp
        >>> ball = dp.Ball(dp.Euclidean(1), center=[0.0], radius=1.0)
        >>> asked = dp.Regression(ball, covariates={"age": (0, 10)})
        >>> age = np.linspace(0, 10, 20_000)
        >>> data = dp.Records(0.1 * age[:, None] - 0.5, covariates={"age": age})
        >>> found = dp.plan(asked, n=20_000, budget=dp.GDP(1)).release(data).regression
        >>> found.slope("age").vector.round(2).tolist(), found.slope("age").error < 0.01
        ([0.1], True)
        """
        covariate = self.statistic.design.named(name)
        if not isinstance(covariate, Interval):
            raise GeomdpError(f"{name} has levels; ask for difference({name!r}, from, to).")
        return self._effect(name, np.array([1 / covariate.half]))

    def difference(self, name: str, first: str, second: str) -> Effect:
        """Return what going from one level of a category to another changes."""
        covariate = self.statistic.design.named(name)
        if not isinstance(covariate, Levels):
            raise GeomdpError(f"{name} is a number; ask for slope({name!r}).")
        return self._effect(name, covariate.code(second) - covariate.code(first))

    def _effect(self, name: str, change: Array) -> Effect:
        design, ball = self.statistic.design, self.statistic.ball
        step = np.zeros(design.dim)
        step[design.places(name)] = design.share * change
        spread, root = self._spread(0.0, step), ball.coloured(np.eye(self.statistic.dim))
        # Of noise along the curve and of sampling no direction is known: the widest counts.
        widest = float(np.linalg.norm(root, 2)) ** 2
        noise = spread.each * float(np.sum(root**2)) + spread.along * widest
        return Effect(
            ball.coloured(step @ self.slopes),
            float(np.sqrt(noise)),
            float(np.sqrt(spread.sampling * widest)),
        )

    def band(self, level: float = 0.95, /, **at: Any) -> Band:
        """Return the band about the curve at these covariates, of noise and sampling together."""
        if not 0 < level < 1:
            raise GeomdpError(f"A level lies between 0 and 1, not {level}.")
        t = self.statistic.design.at(**at)
        return Band(self.statistic, self._at(t), self._width(self._spread(1.0, t), level), level)

    # --- errors ---------------------------------------------------------------------------------

    @cached_property
    def residual(self) -> float:
        """Mean squared distance of the clipped logs from the curve, rather too large than small."""
        statistic, found = self.statistic, self._blocks
        raw, used = self.raw_covariance, self.slopes
        # In coordinates where the ball is round; what noise adds to squares is taken off again.
        own = float(found.mean @ found.mean) - statistic.dim * self.noise**2
        explained = own + float(np.sum(used * (raw @ used)))
        margin = MARGIN * self.noise * statistic.radius
        left = float(found.length) - explained
        lost = self.n / max(1, self.n - 1 - statistic.design.dim)
        return float(np.clip(lost * max(left, 0.0) + margin, 0.0, statistic.radius**2))

    def error_parts(self, constant: float, t: Array) -> ErrorParts:
        """First-order error of ``constant * intercept + t @ slopes``."""
        middle, slopes = self._blocks.covariates, self.slopes
        off = t - constant * middle
        a = self._inverse @ off
        first = constant - float(middle @ a)
        each = self.noise**2 * (first**2 + float(a @ a))
        means = self._noise_t * (first * slopes + np.outer(a, self.intercept))
        crossed = a[:, None, None] * slopes[None] + a[None, :, None] * slopes[:, None]
        # Half beside the diagonal, each pair twice.
        crossed = self.noise / self.statistic.radius * crossed
        leverage = constant**2 + float(off @ a)
        return ErrorParts(each, means, crossed, self.residual * max(leverage, 0.0) / self.n)

    def _spread(self, constant: float, t: Array) -> Spread:
        each, means, crossed, sampling = self.error_parts(constant, t)
        return Spread(each, float(np.sum(means**2)) + float(np.sum(crossed**2)), sampling)

    def half_widths(self, functionals: Array, level: float = 0.95, /, **at: Any) -> Array:
        """Half widths (m,) of bands of linear functionals (m, d) of the curve's coordinates.

        Each by itself covers with about this probability. Of the choice of records no direction is
        known: for every functional all of it counts (docs/theory/regression.md, section 3).
        """
        if not 0 < level < 1:
            raise GeomdpError(f"A level lies between 0 and 1, not {level}.")
        with np.errstate(all="ignore"):
            each, means, crossed, sampling = self.error_parts(1.0, self.statistic.design.at(**at))
            lengths = np.sum(functionals**2, axis=-1)
            directed = [part.reshape(-1, self.statistic.dim) for part in (means, crossed)]
            along = np.sum((functionals @ np.concatenate(directed).T) ** 2, axis=-1)
            noise, chance = each * lengths + along, sampling * lengths
            total = noise + chance
            share = np.where(total > 0, chance / np.where(total > 0, total, 1.0), 0.0)
            widths = np.sqrt(total) * self._quantile(share, level)
            widest = 2 * self.statistic.radius * np.sqrt(lengths)
            return np.where(widths < widest, widths, widest)  # an overflow is the widest band

    def _quantile(self, share: Array, level: float) -> Array:
        """Quantiles of the size of an error of variance 1, of which sampling has this share."""
        if not self.heavy:
            return np.full(np.shape(share), NormalDist().inv_cdf((1 + level) / 2))
        return np.interp(share, *_heavy_quantiles(self.value.size, level))

    def _width(self, spread: Spread, level: float) -> float:
        """Length that the error stays below, if what has no known direction has one and the same.

        That is the spectrum for which large errors are likeliest, at the usual levels.
        """
        rng, dim = np.random.default_rng(0), self.statistic.dim
        first, along, sampling = rng.standard_normal((3, DRAWS))
        others = rng.chisquare(dim - 1, DRAWS) if dim > 1 else np.zeros(DRAWS)
        factor = np.ones(DRAWS)
        if self.heavy:
            size = self.value.size
            rest = rng.chisquare(max(1, size - dim - 1), DRAWS)
            length = np.sqrt(first**2 + along**2 + others + rest)
            factor = rng.gamma(size, size=DRAWS) / np.sqrt(size + 1) / length
        noise = factor * (np.sqrt(spread.each) * first + np.sqrt(spread.along) * along)
        line = noise + np.sqrt(spread.sampling) * sampling
        errors = np.sqrt(line**2 + factor**2 * spread.each * others)
        # Curve and prediction both lie in the ball. Written so that an overflow is the widest band.
        width, widest = float(np.quantile(errors, level)), 2 * self.statistic.radius
        return width if width < widest else widest

    # --- words ----------------------------------------------------------------------------------

    def describe(self) -> str:
        """Say what was fitted, and what the fit leaves out."""
        told = [
            f"least squares of {self.n} clipped logs on {self.statistic.design.describe()}",
            "what lies beyond the ball is clipped, which flattens slopes",
        ]
        if not is_flat(self.statistic.ball.space):
            told.append("the curve is straight at the centre, near to a geodesic but not one")
        if self.floored:
            told.append(
                f"in {self.floored} of {self.statistic.design.dim} directions the covariates vary "
                "less than the noise, so that slopes there are shrunk towards 0"
            )
        return "; ".join(told)


@cache
def _heavy_quantiles(size: int, level: float) -> tuple[Array, Array]:
    """Shares of sampling, and quantiles of the size of an error of variance 1 with that share.

    The rest is one coordinate of Laplace noise in ``size`` dimensions.
    """
    rng = np.random.default_rng(0)
    first, sampling = rng.standard_normal((2, DRAWS))
    length = np.sqrt(first**2 + rng.chisquare(max(1, size - 1), DRAWS))
    noise = first * rng.gamma(size, size=DRAWS) / np.sqrt(size + 1) / length
    shares = np.linspace(0.0, 1.0, SHARES)
    errors = np.abs(np.sqrt(1 - shares) * noise[:, None] + np.sqrt(shares) * sampling[:, None])
    return shares, np.quantile(errors, level, axis=0)


@undisturbed()
def regression_of(release: Release) -> RegressionEstimate:
    """Read the curve off a release of ``Regression``: no further cost.

    Parameters
    ----------
    release
        Of ``Regression``, alone or as the last stage of ``Refined``; of a plan by group, a part.

    Examples
    --------
    >>> import geomdp as dp
    >>> ball = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)
    >>> asked = dp.Regression(ball, covariates={"age": (20, 90)})
    >>> points = dp.datasets.polar_sphere(2000, radius=0.3, seed=0)
    >>> ages = np.linspace(20, 90, 2000)
    >>> made = dp.plan(asked, n=2000, budget=dp.GDP(1))
    >>> release = made.release(dp.Records(points, covariates={"age": ages}))
    >>> release.predict(age=50).shape, release.regression.floored
    ((3,), 0)
    >>> bool(release.regression.band(age=50).contains(release.predict(age=50)))
    True
    """
    last = release.answer
    asked = last.plan.statistic
    if not isinstance(asked, Regression):
        raise GeomdpError(NO_CURVE)
    return fit_of(last, asked)


#: What is said of releases that have no curve of their own.
NO_CURVE = "Only a release of Regression has a curve; of a plan by group, take a part."


def fit_of(release: Release, stack: Regression) -> RegressionEstimate:
    """Read a stack of means off a release with one value, with the noise of its mechanism."""
    plan, value = release.plan.single, np.asarray(release.value)
    noise = plan.noise_deviation
    if noise is None:
        raise GeomdpError(f"{plan.mechanism} adds no noise to coordinates that a curve could have.")
    better = np.asarray(denoised_of(release))
    return RegressionEstimate(stack, plan.n, value, noise, plan._mechanism.heavy, better)
