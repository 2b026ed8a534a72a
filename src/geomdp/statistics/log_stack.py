"""What statistics share that stack means of the logs at the centre and of their products."""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from geomdp.serial import Document
from geomdp.spaces.ball import Ball
from geomdp.spaces.record_shape import RecordShape
from geomdp.statistics.linear import LinearStatistic
from geomdp.statistics.tangent_mean import TangentMean
from geomdp.typing import Array

#: Digits of a record: sums of products of two entries are then exact in 64 bits, chunk by chunk.
STACK_BITS = 24


@dataclass(frozen=True, eq=False)
class LogStack(LinearStatistic):
    """Means of a record's clipped log and of products of entries: moments, regressions.

    Parameters
    ----------
    ball
        Public centre and radius.
    """

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

    @property
    def public_record(self) -> Array:  # noqa: D102
        return self.ball.center

    @property
    def record_shape(self) -> RecordShape:
        """A point of the space."""
        return self.ball.space.record_shape

    @property
    def public_ball(self) -> Ball:
        """Centre and radius of the logs."""
        return self.ball

    def mean_coordinates(self, encoded: Any) -> Array:
        """Coordinates (D,) of the non-private answer, in floats."""
        vectors = np.asarray(encoded)
        return np.asarray(self.shrinkage * self.integer_sums(vectors) / len(vectors))

    @abstractmethod
    def to_coordinates(self, values: Array) -> Array:
        """Inverse of :meth:`decode`, for values (..., *shape)."""

    def to_json(self) -> Document:  # noqa: D102
        return {"tag": self.tag, **self.ball.to_json()}
