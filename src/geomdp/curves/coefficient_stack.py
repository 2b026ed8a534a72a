"""What statistics share that ask of curves' coefficients what others ask of points.

The leading coefficients of a curve, or of a surface laid over a template, are a point of a
Euclidean ball of radius tau about the origin: moments and regressions serve them as they are.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from geomdp.curves.function_mean import FunctionMean
from geomdp.curves.grids import Grid
from geomdp.errors import GeomdpError
from geomdp.spaces.admission import Admitted
from geomdp.spaces.ball import Ball
from geomdp.spaces.euclidean import Euclidean
from geomdp.spaces.record_shape import RecordShape
from geomdp.statistics.linear import ClippedStatistic
from geomdp.statistics.moments import STACK_BITS, LogStack
from geomdp.statistics.pooling import Pooling
from geomdp.typing import Array

if TYPE_CHECKING:
    from geomdp.surfaces.surface_mean import SurfaceMean


class CoefficientStack(ClippedStatistic):
    """A statistic of curves or surfaces that is one of their coefficients, unshrunk.

    Its ``functions`` say how a record becomes coefficients: template, tau, kernel, grid, and the
    ``terms`` kept of each channel, which a plan chooses where they are left out.
    """

    functions: FunctionMean | SurfaceMean
    record_bits: ClassVar[int] = STACK_BITS
    value_is_record: ClassVar[bool] = False

    @property
    @abstractmethod
    def stack(self) -> LogStack:
        """The same of points of a Euclidean ball."""

    @property
    def drawn_as(self) -> FunctionMean | SurfaceMean:
        """Curves or surfaces, and not their coefficients."""
        return self.functions

    def edge_records(self, around: Any, most: int) -> Array:
        """Return records with one coefficient as large as may be."""
        width = self.functions.vector_dim
        return self.functions.decode(self.radius * np.eye(min(most, width), width))

    @cached_property
    def coefficient_ball(self) -> Ball:
        """Where the coefficients lie."""
        if self.functions.terms is None:
            raise GeomdpError("terms are left out, which a plan chooses; see its statistic.")
        dim = self.functions.vector_dim
        return Ball(Euclidean(dim), np.zeros(dim), self.functions.radius)

    @property
    def terms_in_words(self) -> str:
        """How many terms are kept, where that is known already."""
        terms = self.functions.terms
        return "leading terms" if terms is None else f"{terms} leading terms"

    @property
    def radius(self) -> float:
        """Norm that every encoded record is clipped to."""
        return self.functions.radius

    @property
    def mean(self) -> FunctionMean | SurfaceMean:
        """The mean whose records these are."""
        return self.functions

    @property
    def tau(self) -> float | None:  # type: ignore[override]
        """Public bound on the length of a record's coefficients; None where it is left out."""
        return self.functions.tau

    @property
    def loud(self) -> int:
        """All coefficients of a record: none is shrunk."""
        return self.blocks[0]

    @property
    def widest_tau(self) -> float:
        """As of the mean."""
        return self.functions.widest_tau

    def lengths(self, records: Any) -> Admitted:
        """Length (n,) of each record before it is clipped."""
        return self.functions.lengths(records)

    def clipped_at(self, tau: float) -> Self:
        """Return the statistic with another ``tau``."""
        return replace(self, functions=self.functions.clipped_at(tau))  # type: ignore[type-var]

    @property
    def pooling(self) -> Pooling | None:
        """As of the mean."""
        return self.functions.pooling

    @property
    def of_persons(self) -> Self:
        """The same of curves that lie over the template already."""
        return replace(self, functions=self.functions.of_persons)  # type: ignore[type-var]

    @property
    def diameter(self) -> Fraction:  # noqa: D102
        return self.stack.diameter

    @property
    def reach_squared(self) -> Fraction:  # noqa: D102
        return self.stack.reach_squared

    @property
    def shrinkage(self) -> Array:  # noqa: D102
        return self.stack.shrinkage

    @property
    def degrees(self) -> Array:  # noqa: D102
        return self.stack.degrees

    @property
    def noise_profile(self) -> Array:  # noqa: D102
        return self.stack.noise_profile

    @property
    def error_scale(self) -> Array:
        """Errors are measured in the clipping norm."""
        return self.stack.error_scale

    def error_of(self, noise: Array) -> Array:  # noqa: D102
        return self.stack.error_of(noise)

    def integer_sums(self, vectors: Any) -> Any:  # noqa: D102
        return self.stack.integer_sums(vectors)

    def mean_coordinates(self, encoded: Any) -> Array:  # noqa: D102
        return self.stack.mean_coordinates(encoded)

    @property
    def blocks(self) -> tuple[int, ...]:  # noqa: D102
        return self.stack.blocks

    @property
    def public_record(self) -> Array:
        """The template."""
        return self.functions.public_record

    @property
    def record_shape(self) -> RecordShape:
        """A curve or surface on the grid."""
        return self.functions.record_shape

    @property
    def grid(self) -> Grid | None:
        """Where curves are sampled; None for surfaces."""
        return self.functions.grid

    @property
    def fills_gaps(self) -> bool:  # noqa: D102
        return self.functions.fills_gaps

    @property
    def public_value(self) -> Array:  # noqa: D102
        return self.stack.public_value

    def decode(self, coordinates: Array) -> Array:  # noqa: D102
        return self.stack.decode(coordinates)

    def to_coordinates(self, values: Array) -> Array:  # noqa: D102
        return self.stack.to_coordinates(values)

    @property
    def left_out(self) -> float:
        """Share of the kernel's variance that no term kept carries."""
        return float(np.sum(self.functions.functions.spectrum.left_out))

    def forecast_note(self, scale: float) -> str:  # noqa: D102
        return (
            f"{self.stack.forecast_note(scale)}; what curves do beyond {self.functions.terms} "
            f"terms, {100 * self.left_out:.2g}% of the kernel's variance, is left out"
        )
