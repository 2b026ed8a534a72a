"""Mean and second moment of the records' logs together, for the price of the mean.

Proofs: docs/theory/moments.md.
"""

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from geomdp.errors import InvalidBallError
from geomdp.privacy.base import Budget
from geomdp.privacy.budgets import Pure
from geomdp.serial import Document
from geomdp.spaces.admission import Admitted
from geomdp.spaces.ball import Ball
from geomdp.spaces.record_shape import RecordShape
from geomdp.statistics.base import STATISTICS
from geomdp.statistics.linear import LinearStatistic
from geomdp.statistics.tangent_mean import TangentMean
from geomdp.typing import Array

#: Digits of a record: sums of products of two entries are then exact in 64 bits, chunk by chunk.
MOMENT_BITS = 24


@dataclass(frozen=True, eq=False)
class _LogMoments(LinearStatistic):
    """What both share: logs at the centre, clipped, and the mean as the first coordinates."""

    ball: Ball
    proof: ClassVar[str] = "moments"
    record_bits: ClassVar[int] = MOMENT_BITS

    def __post_init__(self) -> None:
        if self.ball.form is not None:
            raise InvalidBallError("Moments need a round ball; a shaped one serves TangentMean.")

    @cached_property
    def _tangent(self) -> TangentMean:
        return TangentMean(self.ball)

    @property
    def dim(self) -> int:
        """Dimension of the space."""
        return self.ball.space.dim

    @property
    def radius(self) -> float:
        return self.ball.radius

    @property
    def diameter(self) -> Fraction:
        """Twice the radius, as of the mean alone."""
        return 2 * Fraction(self.radius)

    @property
    def flat(self) -> bool:
        return self._tangent.flat

    @property
    def public_record(self) -> Array:
        return self.ball.center

    @property
    def record_shape(self) -> RecordShape:
        """A point of the space."""
        return self.ball.space.record_shape

    @property
    def public_ball(self) -> Ball:
        """Centre and radius of the logs."""
        return self.ball

    @classmethod
    def in_ball(cls, ball: Ball) -> Self:
        """Build from the ball alone."""
        return cls(ball)

    def admit(self, records: Any) -> Admitted:
        """Coordinates (n, d) of the logs at the centre, none longer than the radius."""
        return self._tangent.admit(records)

    def encode_public(self, at: Any) -> Array:
        return self._tangent.encode_public(at)

    def mean_coordinates(self, encoded: Any) -> Array:
        """Coordinates (D,) of the non-private answer, in floats."""
        vectors = np.asarray(encoded)
        return np.asarray(self.shrinkage * self.integer_sums(vectors) / len(vectors))

    @property
    def error_scale(self) -> Array:
        """The forecast is that of the mean."""
        return np.where(np.arange(self.noise_profile.size) < self.dim, 1.0, 0.0)

    def error_of(self, noise: Array) -> Array:
        """Distance of the released mean from the mean."""
        return self._tangent.error_of(noise[..., : self.dim])

    @abstractmethod
    def to_coordinates(self, values: Array) -> Array:
        """Inverse of :meth:`decode`."""

    def to_json(self) -> Document:
        return {"tag": self.tag, **self.ball.to_json()}

    @classmethod
    def from_json(cls, document: Document) -> Self:
        """Inverse of :meth:`to_json`."""
        return cls(Ball.from_json(document))


@dataclass(frozen=True, eq=False)
class Moments(_LogMoments):
    """Mean and second moment of the clipped logs at the centre, hence mean and covariance.

    A release is an array (d + 1, d): the mean, then the matrix of second moments, in the
    orthonormal frame at the centre; :func:`geomdp.moments_of` turns it into a mean with a
    confidence region, a covariance, principal geodesics and a synthetic sample. Both cost what the
    mean alone does. Under a ``Pure`` budget :class:`MeanAndDispersion` is asked instead.

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

    def under(self, budget: Budget) -> LinearStatistic:
        """Under pure privacy a whole covariance would cost d(d+1)/2 more dimensions of noise."""
        return MeanAndDispersion(self.ball) if isinstance(budget, Pure) else self

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
        return value

    def to_coordinates(self, values: Array) -> Array:  # noqa: D102
        rows, columns = self._pairs
        return np.concatenate([values[..., 0, :], values[..., 1 + rows, columns]], axis=-1)

    @property
    def bias_note(self) -> str:  # noqa: D102
        return "; ".join(filter(None, ("of the mean", self._tangent.bias_note)))

    def forecast_note(self, scale: float) -> str:
        """Say what the noise does to the covariance, before anyone spends."""
        width = np.sqrt(2.0) * self.radius * scale
        size, edge = width * np.sqrt(self.dim * (self.dim + 1) / 2), width * np.sqrt(2 * self.dim)
        return (
            f"{self.bias_note}; the covariance is off by about {size:.3g} in the Frobenius norm, "
            f"and variances below {edge:.3g} drown in noise"
        )

    def describe(self) -> str:  # noqa: D102
        return (
            f"mean and covariance of the logs at the centre on {self.ball.space.spec}, ball of "
            f"radius {self.radius:.6g}"
        )


@dataclass(frozen=True, eq=False)
class MeanAndDispersion(_LogMoments):
    """Mean of the clipped logs and mean of their squared lengths, for little more than the mean.

    A release is an array (d + 1,): the mean, then the mean squared length, both at the centre.

    Parameters
    ----------
    ball
        Public centre and radius; may be wide.

    Examples
    --------
    >>> import geomdp as dp
    >>> ball = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)
    >>> made = dp.plan(Moments(ball), n=1000, budget=dp.Pure(1))
    >>> made.statistic.tag, made.mechanism
    ('dispersion', 'linear-laplace')
    """

    tag: ClassVar[str] = "dispersion"

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
        value[..., -1] /= self._factor
        return value

    def to_coordinates(self, values: Array) -> Array:  # noqa: D102
        coordinates = np.array(values)
        coordinates[..., -1] *= self._factor
        return coordinates

    @property
    def bias_note(self) -> str:  # noqa: D102
        return "; ".join(filter(None, ("of the mean", self._tangent.bias_note)))

    def describe(self) -> str:  # noqa: D102
        return (
            f"mean and dispersion of the logs at the centre on {self.ball.space.spec}, ball of "
            f"radius {self.radius:.6g}"
        )


STATISTICS.register(Moments.tag, Moments)
STATISTICS.register(MeanAndDispersion.tag, MeanAndDispersion)
