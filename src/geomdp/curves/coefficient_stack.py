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
from geomdp.spaces.ball import Ball
from geomdp.spaces.euclidean import Euclidean
from geomdp.spaces.record_shape import RecordShape
from geomdp.statistics.linear import ClippedStatistic, forwarded
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
    # As of the functions, and as of the stack of their coefficients.
    tau: float | None = forwarded("functions.tau")
    radius: float = forwarded("functions.radius")
    widest_tau: float = forwarded("functions.widest_tau")
    pooling: Pooling | None = forwarded("functions.pooling")
    public_record: Array = forwarded("functions.public_record")
    record_shape: RecordShape = forwarded("functions.record_shape")
    grid: Grid | None = forwarded("functions.grid")
    fills_gaps: bool = forwarded("functions.fills_gaps")
    lengths = forwarded("functions.lengths")
    diameter: Fraction = forwarded("stack.diameter")
    reach_squared: Fraction = forwarded("stack.reach_squared")
    shrinkage: Array = forwarded("stack.shrinkage")
    degrees: Array = forwarded("stack.degrees")
    noise_profile: Array = forwarded("stack.noise_profile")
    error_scale: Array = forwarded("stack.error_scale")
    blocks: tuple[int, ...] = forwarded("stack.blocks")
    public_value: Array = forwarded("stack.public_value")
    even_value: Array = forwarded("stack.even_value")
    error_of = forwarded("stack.error_of")
    rule = forwarded("stack.rule")
    integer_sums = forwarded("stack.integer_sums")
    mean_coordinates = forwarded("stack.mean_coordinates")
    decode = forwarded("stack.decode")
    to_coordinates = forwarded("stack.to_coordinates")

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
    def mean(self) -> FunctionMean | SurfaceMean:
        """The mean whose records these are."""
        return self.functions

    @property
    def loud(self) -> int:
        """All coefficients of a record: none is shrunk."""
        return self.blocks[0]

    def clipped_at(self, tau: float) -> Self:
        """Return the statistic with another ``tau``."""
        return replace(self, functions=self.functions.clipped_at(tau))  # type: ignore[type-var]

    @property
    def of_persons(self) -> Self:
        """The same of curves that lie over the template already."""
        return replace(self, functions=self.functions.of_persons)  # type: ignore[type-var]

    @property
    def left_out(self) -> float:
        """Share of the kernel's variance that no term kept carries."""
        return float(np.sum(self.functions.functions.spectrum.left_out))

    def forecast_note(self, scale: float) -> str:  # noqa: D102
        return (
            f"{self.stack.forecast_note(scale)}; what curves do beyond {self.functions.terms} "
            f"terms, {100 * self.left_out:.2g}% of the kernel's variance, is left out"
        )
