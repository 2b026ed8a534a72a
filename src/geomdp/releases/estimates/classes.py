"""What follows from released classes: means, sizes, covariances, a test, and discriminants.

Formulas: docs/theory/classes.md, section 4.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.plans.release import Release
from geomdp.plans.single import SinglePlan
from geomdp.releases.estimates.denoised import denoised_of
from geomdp.releases.estimates.spectra import on_trace
from geomdp.runtime.surroundings import undisturbed
from geomdp.statistics.classes import UNKNOWN, Classes
from geomdp.typing import Array


class ClassTest(NamedTuple):
    """Whether the classes have one mean: the statistic, and its chi-square with a scale."""

    statistic: float
    scale: float
    freedom: float

    @property
    def p_value(self) -> float:
        """Probability of so large a statistic if classes did not differ."""
        from scipy.special import chdtrc

        return float(chdtrc(self.freedom, self.statistic / self.scale))

    def power(self, shift: float, level: float = 0.05) -> float:
        """Return how often it finds classes whose means add this much to the statistic."""
        from scipy.stats import chi2, ncx2

        bar = chi2.isf(level, self.freedom)
        return float(ncx2.sf(bar, self.freedom, max(shift, 1e-300) / self.scale))


@dataclass(frozen=True, eq=False)
class ClassesEstimate:
    """What a release of classes says; made by :func:`classes_of`.

    Attributes
    ----------
    asked
        The statistic.
    n
        Public number of records, or of persons.
    value
        What was released.
    noise
        Standard deviation of the noise on each number of it.
    better
        What was released, denoised, where it is.
    """

    asked: Classes
    n: int
    value: Array
    noise: Array
    better: Array | None = None

    @property
    def labels(self) -> tuple[str, ...]:
        """The public list of classes."""
        return self.asked.labels

    @cached_property
    def _counts(self) -> Array:
        """Noisy counts; BELOW 1 THEY COUNT AS 1."""
        return np.maximum(self.n * self.asked.split(self.value).shares, 1.0)

    @property
    def sizes(self) -> dict[str, float]:
        """Noisy number of records of each class; the rest of n is unknown, where it is told."""
        found = dict(zip(self.labels, self._counts.tolist(), strict=True))
        return found if UNKNOWN in found else {**found, UNKNOWN: self.n - sum(found.values())}

    @property
    def size_error(self) -> float:
        """Standard error, by noise, of the size of a class on the list."""
        return float(self.n * self.asked.split(self.noise).shares[0])

    @cached_property
    def white(self) -> Array:
        """Means (K, d) of the classes' clipped logs, in the ball's own coordinates."""
        return np.asarray(self.n * self.asked.split(self.value).sums / self._counts[:, None])

    @property
    def coordinates(self) -> Array:
        """Means (K, d) of the classes' clipped logs, in the frame at the centre."""
        return np.asarray(self.asked.ball.coloured(self.white))

    @property
    def means(self) -> Array:
        """Points of the space, class by class."""
        return self._points(self.coordinates)

    @property
    def denoised_means(self) -> Array:
        """Points of the space with less error, by noisy counts as they are: free.

        Errors, covariances, the test and discriminants are those of the means as released.
        """
        value = self.value if self.better is None else self.better
        sums = self.asked.split(value).sums
        return self._points(self.asked.ball.coloured(self.n * sums / self._counts[:, None]))

    def _points(self, coordinates: Array) -> Array:
        space = self.asked.ball.space
        at = space.frame_exp(self.asked.ball.center, coordinates)
        return np.asarray(space.canonical(at))

    @cached_property
    def _spread(self) -> Array:
        """Variances (K,) of the noise on a coordinate of each mean: of its sum and its count."""
        deviation = self.asked.split(self.noise)
        away = np.sum(self.white**2, axis=1) / self.asked.dim
        variance = deviation.sums[:, 0] ** 2 + deviation.shares**2 * away
        return np.asarray(variance * (self.n / self._counts) ** 2)

    @property
    def errors(self) -> dict[str, tuple[float, float]]:
        """Error of each class mean, as a distance at the centre: by noise, and by sampling.

        Without second moments nothing is known of the latter: NaN.
        """
        form = float(np.sum(self.asked.ball.coloured(np.eye(self.asked.dim)) ** 2))
        noise = np.sqrt(self._spread * form)
        sampling = np.full(len(noise), np.nan)
        if len(self.asked.split(self.value).second):
            traces = [np.trace(self.covariance(label)) for label in self.labels]
            sampling = np.sqrt(np.array(traces) / self._counts)
        pairs = zip(noise.tolist(), sampling.tolist(), strict=True)
        return dict(zip(self.labels, pairs, strict=True))

    # --- covariances ----------------------------------------------------------------------------

    @cached_property
    def _raw_pooled(self) -> Array:
        """Covariance within classes, whitened: unbiased, and perhaps not positive."""
        self._require_second()
        shares = self._counts / self.n
        second = self.asked.split(self.value).second.sum(axis=0)
        own = np.einsum("k,ki,kj->ij", shares, self.white, self.white)
        excess = float(np.sum(shares * self._spread))
        return np.asarray((second - own) / np.sum(shares) + excess * np.eye(self.asked.dim))

    def _raw_of(self, k: int) -> Array:
        if self.asked.second != "by-class":
            return self._raw_pooled
        own = np.outer(self.white[k], self.white[k])
        second = self.asked.split(self.value).second[k] * self.n / self._counts[k]
        return np.asarray(second - own + self._spread[k] * np.eye(self.asked.dim))

    @property
    def pooled_covariance(self) -> Array:
        """Covariance (d, d) of records about their class means, in the frame at the centre."""
        return self._coloured(on_trace(self._raw_pooled))

    def covariance(self, label: str) -> Array:
        """Covariance (d, d) of a class: its own where it was released, else the pooled one."""
        return self._coloured(on_trace(self._raw_of(self._place(label))))

    def _coloured(self, matrix: Array) -> Array:
        ball = self.asked.ball
        return np.asarray(ball.coloured(ball.coloured(matrix).T).T)

    def _place(self, label: str) -> int:
        if label not in self.labels:
            raise GeomdpError(f"There is no class {label!r}; there are {', '.join(self.labels)}.")
        return self.labels.index(label)

    def _require_second(self) -> None:
        if self.asked.second == "none":
            raise GeomdpError(
                "No second moments were released; plan with GDP, ZCDP or Approximate, and "
                'second="pooled".'
            )

    @property
    def _matrix_noise(self) -> float:
        """Deviation of the noise on an entry off the diagonal of the pooled second moment."""
        entry = float(self.asked.split(self.noise).second[0, 0, -1])
        return entry * float(np.sqrt(len(self.asked.split(self.value).second)))

    # --- whether classes differ -----------------------------------------------------------------

    def test(self) -> ClassTest:
        """Test whether all classes have one mean of clipped logs; sampling and noise included."""
        weights = self._counts / np.sum(self._counts)
        away = self.white - weights @ self.white
        statistic = float(np.sum(self._counts * np.sum(away**2, axis=1)))
        d, raw, noise = self.asked.dim, self._raw_pooled, self._matrix_noise
        trace = max(float(np.trace(raw)), 0.0)
        # Diagonal entries carry the root of 2 times the noise: d (d + 1) noise^2 in all.
        square = float(np.sum(raw**2)) - d * (d + 1) * noise**2
        square = float(np.clip(square, trace**2 / d, trace**2))
        unsure = 2 * d * noise**2 * (len(weights) - 1) ** 2
        return null_law(statistic, self._counts, self._spread, (d, trace, square), unsure)

    # --- discriminants --------------------------------------------------------------------------

    def scores(self, points: Any, quadratic: bool = False) -> Array:
        """Logarithms (m, K), up to a constant, of how likely points belong to each class."""
        self._require_second()
        v = np.asarray(self.asked.tangent.admit(points).records)
        log_share = np.log(self._counts / np.sum(self._counts))
        columns = []
        for k, mean in enumerate(self.white):
            share = 1.0 if not quadratic else self.n / self._counts[k]
            matrix = self._with_ridge(self._raw_of(k) if quadratic else self._raw_pooled, share)
            away = v - mean
            solved = np.linalg.solve(matrix, away.T).T
            size = np.linalg.slogdet(matrix)[1] if quadratic else 0.0
            columns.append(log_share[k] - (np.sum(away * solved, axis=1) + size) / 2)
        return np.stack(columns, axis=1)

    def _with_ridge(self, raw: Array, share: float) -> Array:
        """Return a positive matrix: variances that noise drowns count as its edge."""
        d = self.asked.dim
        edge = self._matrix_noise * share * np.sqrt(2.0 * d)
        least = 1e-6 * self.asked.radius**2
        positive = on_trace(raw)
        return np.asarray(positive + (edge / 2 + np.mean(self._spread) + least) * np.eye(d))

    def predict(self, points: Any, quadratic: bool = False) -> list[str]:
        """Return the likeliest class of each point."""
        return [self.labels[k] for k in np.argmax(self.scores(points, quadratic), axis=1)]

    def describe(self) -> str:
        """Say in a sentence what was found."""
        sizes = ", ".join(f"{label} {size:.0f}" for label, size in self.sizes.items())
        said = f"sizes {sizes}, each ± {self.size_error:.2g} by noise"
        if self.asked.second == "none":
            return said
        return f"{said}; that all classes have one mean has p = {self.test().p_value:.3g}"


def null_law(
    statistic: float,
    counts: Array,
    spread: Array,
    within: tuple[int, float, float],
    unsure: float = 0.0,
) -> ClassTest:
    """Fit a scaled chi-square to the statistic where classes do not differ (section 4).

    ``within`` are the dimension, and trace and squared norm of the covariance within classes;
    ``unsure`` is the variance that is added since the trace is known up to noise.
    """
    d, trace, square = within
    root = np.sqrt(counts / np.sum(counts))
    project = np.eye(len(counts)) - np.outer(root, root)
    own = counts * spread
    mean = float(np.sum(np.diag(project) * (trace + d * own)))
    pair = square + (own[:, None] + own) * trace + d * own[:, None] * own
    variance = 2 * float(np.sum(project**2 * pair)) + unsure
    mean, variance = max(mean, 1e-300), max(variance, 1e-300)
    return ClassTest(statistic, variance / (2 * mean), 2 * mean**2 / variance)


def class_power(plan: SinglePlan, distance: float, deviation: float, level: float = 0.05) -> float:
    """Return how often the test will find two classes so far apart, before anything is released.

    Parameters
    ----------
    plan
        Of ``Classes``.
    distance
        Of the means of two classes; those of others lie half way between them.
    deviation
        Root of the mean squared distance of records from their class mean, in all directions
        alike: a public guess.
    level
        Of the test.

    Examples
    --------
    >>> import geomdp as dp
    >>> ball = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)
    >>> made = dp.plan(dp.Classes(ball, ("a", "b")), n=1000, budget=dp.GDP(1))
    >>> class_power(made, 0.05, 0.2) > class_power(made, 0.01, 0.2) > 0.05
    True
    """
    asked: Any = plan.statistic
    k, d, n = asked.count, asked.dim, plan.n
    counts = np.full(k, n / k)
    sums = asked.split(asked.deviations(float(plan.noise_deviation or 0.0))).sums[:, 0]
    law = null_law(0.0, counts, (k * sums) ** 2, (d, deviation**2, deviation**4 / d))
    return law.power(n / k * distance**2 / 2, level)


@undisturbed()
def classes_of(release: Release) -> ClassesEstimate:
    """Read class means, sizes, covariances, a test and discriminants off a release of ``Classes``.

    Parameters
    ----------
    release
        Of ``Classes``, alone or as the last stage of ``Refined``.

    Examples
    --------
    >>> import geomdp as dp
    >>> ball = dp.Ball(dp.Euclidean(2), center=np.zeros(2), radius=2.0)
    >>> points = np.r_[np.full((500, 2), -0.5), np.full((500, 2), 0.5)]
    >>> records = dp.Records(points, group=["a"] * 500 + ["b"] * 500)
    >>> plan = dp.plan(dp.Classes(ball, ("a", "b")), n=1000, budget=dp.GDP(1))
    >>> found = classes_of(plan.release(records))
    >>> found.test().p_value < 0.01, found.predict([[-0.4, -0.4], [0.4, 0.4]])
    (True, ['a', 'b'])
    """
    last = release.answer
    asked: Any = last.plan.statistic
    if not last.plan.one_value or not hasattr(asked, "deviations"):
        raise GeomdpError("Only a release of Classes has classes.")
    plan = last.plan.single
    noise = asked.deviations(float(plan.noise_deviation or 0.0))
    better = np.asarray(denoised_of(last))
    return ClassesEstimate(asked, plan.n, np.asarray(last.value), noise, better)
