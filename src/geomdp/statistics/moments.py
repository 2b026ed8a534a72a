"""Mean and second moment of the records' logs together, for the price of the mean.

Proofs: docs/theory/moments.md.
"""

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from geomdp.privacy.base import Budget
from geomdp.spaces.admission import Admitted
from geomdp.spaces.ball import Ball
from geomdp.spaces.base import Space
from geomdp.statistics.base import STATISTICS, InBall
from geomdp.statistics.denoising import Rule, mean_rule_in
from geomdp.statistics.linear import LinearStatistic
from geomdp.statistics.sensitivity import Moved
from geomdp.statistics.tangent_mean import TangentMean
from geomdp.typing import Array

#: Digits of a record: sums of products of two entries are then exact in 64 bits, chunk by chunk.
STACK_BITS = 24


@dataclass(frozen=True, eq=False)
class LogStack(InBall, LinearStatistic):
    """Means of a record's clipped log and of products of entries: moments, regressions."""

    ball: Ball
    record_bits: ClassVar[int] = STACK_BITS
    value_is_record: ClassVar[bool] = False

    @cached_property
    def tangent(self) -> TangentMean:
        """The mean in the same ball: how points become coordinates and back."""
        return TangentMean(self.ball)

    @property
    def dim(self) -> int:
        """Dimension of the space."""
        return self.ball.space.dim

    @property
    def radius(self) -> float:  # noqa: D102
        return self.ball.radius

    def mean_coordinates(self, encoded: Any) -> Array:
        """Coordinates (D,) of the non-private answer, in floats."""
        vectors = np.asarray(encoded)
        return np.asarray(self.shrinkage * self.integer_sums(vectors) / len(vectors))


@dataclass(frozen=True, eq=False)
class LogMoments(LogStack):
    """What both share: logs at the centre, clipped, and the mean as the first coordinates."""

    proof: ClassVar[str] = "moments"
    section: ClassVar[str] = "moments"
    has_moments: ClassVar[bool] = True
    pictured: ClassVar[bool] = False  # the mean and its region are

    @property
    def mean_space(self) -> Space:  # noqa: D102
        return self.ball.space

    @property
    def diameter(self) -> Fraction:
        """Twice the radius, as of the mean alone."""
        return 2 * Fraction(self.radius)

    @property
    def blocks(self) -> tuple[int, ...]:
        """The log."""
        return (self.dim,)

    @cached_property
    def rule(self) -> Rule | None:
        """The mean, which stands first, by what is proved of it."""
        return mean_rule_in(self.ball)

    def records_at(self, vectors: Array) -> Array:
        """Points with these logs."""
        return self.tangent.decode(vectors)

    @property
    def flat(self) -> bool:  # noqa: D102
        return self.tangent.flat

    def admit(self, records: Any) -> Admitted:
        """Coordinates (n, d) of the logs at the centre, none longer than the radius."""
        return self.tangent.admit(records)

    @property
    def error_scale(self) -> Array:
        """The forecast is that of the mean."""
        return np.where(np.arange(self.noise_profile.size) < self.dim, 1.0, 0.0)

    def error_of(self, noise: Array) -> Array:
        """Distance of the released mean from the mean."""
        return self.tangent.error_of(noise[..., : self.dim])

    @property
    def bias_note(self) -> str:  # noqa: D102
        return "; ".join(filter(None, ("of the mean", self.tangent.bias_note)))

    def moved_by_clipping(self, outer: float) -> Moved | None:
        """Take that of the mean."""
        return self.tangent.moved_by_clipping(outer)

    @abstractmethod
    def mean_log(self, value: Array) -> Array:
        """Coordinates (..., d) of the mean in values, in the frame at the centre."""

    def mean_point(self, value: Array) -> Array:
        """Points of the space that the means in values stand for."""
        space = self.ball.space
        return np.asarray(space.canonical(space.frame_exp(self.ball.center, self.mean_log(value))))


@dataclass(frozen=True, eq=False)
class Moments(LogMoments):
    """Mean and second moment of the clipped logs at the centre, hence mean and covariance.

    A release is an array (d + 1, d): the mean, then the matrix of second moments, in the
    orthonormal frame at the centre, also where the ball is shaped; :func:`geomdp.moments_of` turns
    it into a mean with a confidence region, a covariance, principal geodesics and a synthetic
    sample. Both cost what the mean alone does. Under a ``Pure`` budget :class:`MeanAndDispersion`
    is asked instead.

    Parameters
    ----------
    ball
        Public centre and radius; may be wide.

    Examples
    --------
    >>> import geomdp as dp
    >>> ball = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)
    >>> both, mean = (dp.plan(s(ball), n=100, budget=dp.GDP(1)) for s in (Moments, dp.TangentMean))
    >>> both.scale == mean.scale
    True
    """

    tag: ClassVar[str] = "moments"
    value_note: ClassVar[str] = (
        "First row: the mean of the logs at the centre; below: the mean of their products."
    )

    def under(self, budget: Budget, n: int) -> LinearStatistic:
        """Under pure privacy a whole covariance would cost d(d+1)/2 more dimensions of noise."""
        return MeanAndDispersion(self.ball) if budget.is_pure else self

    @cached_property
    def _pairs(self) -> tuple[Array, Array]:
        return np.triu_indices(self.dim)

    @cached_property
    def shrinkage(self) -> Array:  # noqa: D102
        return np.ones(self.dim + self._pairs[0].size)

    @cached_property
    def degrees(self) -> Array:  # noqa: D102
        return np.where(np.arange(self.shrinkage.size) < self.dim, 1, 2)

    @cached_property
    def noise_profile(self) -> Array:
        """One on the mean; on the matrix isotropic in the Frobenius norm, sqrt(2) radius wide.

        That is the width at which the pair costs what the mean does; less would not do.
        """
        rows, columns = self._pairs
        # Rounded up: on the diagonal sqrt(2) r, and r beside it, where an entry stands for two.
        diagonal = np.nextafter(np.sqrt(2.0) * self.radius, np.inf)
        return np.r_[np.ones(self.dim), np.where(rows == columns, diagonal, self.radius)]

    @property
    def reach_squared(self) -> Fraction:
        """That of the log, and half as much of its outer product."""
        return 3 * Fraction(self.radius) ** 2 / 2

    def integer_sums(self, vectors: Any) -> Any:
        """Add up the vectors and their outer products: both blocks from the same vectors."""
        return np.concatenate([vectors.sum(axis=0), (vectors.T @ vectors)[self._pairs]])

    @property
    def public_value(self) -> Array:
        """No mean and no spread."""
        return np.zeros((self.dim + 1, self.dim))

    def decode(self, coordinates: Array) -> Array:
        """Arrays (..., d + 1, d): the mean, then the symmetric matrix."""
        rows, columns = self._pairs
        value = np.empty((*coordinates.shape[:-1], self.dim + 1, self.dim))
        value[..., 0, :] = coordinates[..., : self.dim]
        value[..., 1 + rows, columns] = coordinates[..., self.dim :]
        value[..., 1 + columns, rows] = coordinates[..., self.dim :]
        return value if self.ball.roots is None else _carried(value, self.ball.roots[0])

    def mean_log(self, value: Array) -> Array:  # noqa: D102
        return np.asarray(value)[..., 0, :]

    def to_coordinates(self, values: Array) -> Array:  # noqa: D102
        rows, columns = self._pairs
        white = values if self.ball.roots is None else _carried(values, self.ball.roots[1])
        return np.concatenate([white[..., 0, :], white[..., 1 + rows, columns]], axis=-1)

    def forecast_note(self, scale: float) -> str:
        """Say what the noise does to the covariance, before anyone spends."""
        width = np.sqrt(2.0) * self.radius * scale
        values = np.ones(self.dim)
        if self.ball.form is not None:
            values = np.linalg.eigvalsh(self.ball.form)
        # Symmetric noise E, coloured: the mean square of A^(1/2) E A^(1/2).
        size = width * np.sqrt((np.sum(values) ** 2 + np.sum(values**2)) / 2)
        edge = width * np.sqrt(2 * self.dim)
        low, high = (edge * float(part(values)) for part in (np.min, np.max))
        below = (
            f"{edge:.3g}" if self.ball.form is None else f"{low:.3g} to {high:.3g}, by direction,"
        )
        texts = (
            self.bias_note,
            f"the covariance is off by about {size:.3g} in the Frobenius norm, and variances below "
            f"{below} drown in noise",
            self.tangent.form_note,
        )
        return "; ".join(filter(None, texts))

    def title_in(self, seen: Any) -> str:  # noqa: D102
        return f"Private mean and covariance {seen.preposition} {seen.title}"

    def describe(self) -> str:  # noqa: D102
        return (
            f"mean and covariance of the logs at the centre on {self.ball.space.spec}, "
            f"{'' if self.ball.form is None else 'shaped '}ball of radius {self.radius:.6g}"
        )


@dataclass(frozen=True, eq=False)
class MeanAndDispersion(LogMoments):
    """Mean of the clipped logs and mean of their squared lengths, for little more than the mean.

    A release is an array (d + 1,): the mean, then the mean squared length, both at the centre; in a
    shaped ball the length is that of the form.
    """

    tag: ClassVar[str] = "dispersion"
    pure_stack: ClassVar[bool] = True

    @property
    def _factor(self) -> float:
        """On the squared length, so that the stack moves no further than the mean alone."""
        return float(np.sqrt(2.0) / self.radius)

    @cached_property
    def shrinkage(self) -> Array:  # noqa: D102
        return np.r_[np.ones(self.dim), self._factor]

    @cached_property
    def degrees(self) -> Array:  # noqa: D102
        return np.r_[np.ones(self.dim, dtype=int), 2]

    @cached_property
    def noise_profile(self) -> Array:  # noqa: D102
        return np.ones(self.dim + 1)

    @property
    def reach_squared(self) -> Fraction:
        """That of the log, and twice as much of its squared length, by the factor as it is."""
        square = Fraction(self.radius) ** 2
        return square + (Fraction(self._factor) * square) ** 2

    def integer_sums(self, vectors: Any) -> Any:
        """Add up the vectors and their squared lengths: both from the same vectors."""
        return np.r_[vectors.sum(axis=0), np.sum(vectors * vectors)]

    @property
    def public_value(self) -> Array:
        """No mean and no spread."""
        return np.zeros(self.dim + 1)

    def decode(self, coordinates: Array) -> Array:
        """Arrays (..., d + 1): the mean, then the mean squared length."""
        value = np.array(coordinates)
        value[..., :-1] = self.ball.coloured(value[..., :-1])
        value[..., -1] /= self._factor
        return value

    def mean_log(self, value: Array) -> Array:  # noqa: D102
        return np.asarray(value)[..., :-1]

    def to_coordinates(self, values: Array) -> Array:  # noqa: D102
        coordinates = np.array(values)
        coordinates[..., :-1] = self.ball.whitened(coordinates[..., :-1])
        coordinates[..., -1] *= self._factor
        return coordinates

    def title_in(self, seen: Any) -> str:  # noqa: D102
        return f"Private mean and dispersion {seen.preposition} {seen.title}"

    def describe(self) -> str:  # noqa: D102
        return (
            f"mean and dispersion of the logs at the centre on {self.ball.space.spec}, ball of "
            f"radius {self.radius:.6g}"
        )


def _carried(value: Array, root: Array) -> Array:
    """Mean and matrix under a symmetric linear map: to the whitened coordinates or back."""
    mean, matrix = value[..., :1, :] @ root, root @ value[..., 1:, :] @ root
    return np.concatenate([mean, matrix], axis=-2)


STATISTICS.register(Moments.tag, Moments)
STATISTICS.register(MeanAndDispersion.tag, MeanAndDispersion)
