"""The statistic ``FrechetMean``: the mean of records clipped into a public ball."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from geomdp.errors import MechanismRefusedError
from geomdp.serial import Document, array_from_json, array_to_json
from geomdp.spaces import linalg
from geomdp.spaces.admission import Admitted
from geomdp.spaces.ball import Ball
from geomdp.spaces.base import Space
from geomdp.spaces.specs import space_from_spec
from geomdp.statistics.base import PointStatistic
from geomdp.statistics.sensitivity import (
    Bound,
    Sensitivity,
    convexity,
    frechet_mean_sensitivity,
)
from geomdp.statistics.solver import MeanResult, descend_mean, solve_mean
from geomdp.typing import Array

#: Solver tolerance in units of 2 radius / n: its price in noise is about twice this.
RELATIVE_TOLERANCE = 1e-5


@dataclass(frozen=True, eq=False)
class FrechetMean(PointStatistic):
    """Fréchet mean of the records, each clipped into the ball.

    Parameters
    ----------
    ball
        Public centre and radius.

    Examples
    --------
    >>> import geomdp as dp
    >>> mean = FrechetMean(dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=np.pi / 8))
    >>> round(mean.sensitivity(100, "sharp").value, 5)
    0.00828
    """

    ball: Ball
    tag: ClassVar[str] = "frechet-mean"

    @property
    def space(self) -> Space:  # type: ignore[override]
        """Where the records and the mean live."""
        return self.ball.space

    def admit(self, records: Any) -> Admitted:  # noqa: D102
        return self.ball.admit(records)

    def tolerance(self, n: int) -> float:
        """Bound on the gradient at the computed mean: public, and above what rounding can spoil."""
        wanted = RELATIVE_TOLERANCE * 2 * self.ball.radius / n
        if self._rounding > self.ball.radius / 8:
            raise MechanismRefusedError(
                "A mean on so wide a ball cannot be computed as a point in floating point; use "
                "laplace or tangent-gaussian, which work in coordinates, or a smaller radius."
            )
        return max(wanted, 4 * self._rounding)

    @property
    def _rounding(self) -> float:
        return self.space.log_rounding(self.ball.center, self.ball.radius)

    def sensitivity(self, n: int, bound: Bound) -> Sensitivity:
        """Ideal sensitivity plus the price ``2 tol / lambda`` of the solver's tolerance."""
        _, k_max = self.space.curvature_bounds
        tolerance = self.tolerance(n)
        ideal = frechet_mean_sensitivity(self.ball.radius, n, k_max, bound)
        price = 2 * tolerance / convexity(self.ball.radius, k_max, tolerance)
        return Sensitivity(float(np.nextafter(ideal.value + price, np.inf)), bound, ideal.proof)

    def estimate(self, encoded: Any, tolerance: float) -> Array:
        """Mean of clipped records, certified to the tolerance; the centre where that fails.

        The fallback keeps a failure from depending on a record through an exception; inside a ball
        the objective is strongly convex, so that the solver meets the tolerance on every data set
        (docs/theory/tolerance.md).
        """
        encoded = np.asarray(encoded)
        allowed = tolerance - self._rounding
        result = solve_mean(self.space, encoded, tol=allowed / 2, start=self.ball.center)
        if result.gradient_norm > allowed / 2:
            result = self._descend(encoded, allowed / 2)
        point = self.ball.clip(result.point[None])[0]
        if not np.array_equal(point, result.point):
            result = solve_mean(self.space, encoded, tol=np.inf, start=point)
        return result.point if result.gradient_norm <= allowed else self.ball.center

    def _descend(self, encoded: Array, tolerance: float) -> MeanResult:
        """Gradient descent from the centre with the proved rate and number of passes."""
        radius = self.ball.radius
        k_min, k_max = self.space.curvature_bounds
        # Points that are better than the centre lie within 3 radius of every record.
        smoothness = float(linalg.x_coth_x(np.asarray(3 * radius * np.sqrt(max(0.0, -k_min)))))
        condition = smoothness / convexity(radius, k_max, tolerance)
        passes = int(np.ceil(condition * np.log(condition * (radius / tolerance) ** 2))) + 1
        return descend_mean(
            self.space,
            encoded,
            tol=tolerance,
            start=self.ball.center,
            smoothness=smoothness,
            passes=passes,
        )

    def describe(self) -> str:  # noqa: D102
        return f"Fréchet mean on {self.space.spec}, ball of radius {self.ball.radius:.6g}"

    def to_json(self) -> Document:  # noqa: D102
        return {
            "tag": self.tag,
            "space": self.space.spec,
            "radius": self.ball.radius,
            "center": array_to_json(self.ball.center),
        }

    @classmethod
    def from_json(cls, document: Document) -> Self:
        """Inverse of :meth:`to_json`."""
        space = space_from_spec(document["space"])
        return cls(Ball(space, array_from_json(document["center"]), document["radius"]))
