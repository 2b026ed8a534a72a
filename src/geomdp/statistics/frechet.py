"""The statistic ``FrechetMean``: the mean of records clipped into a public ball.

The mean of a product is the product of the means. Each factor has its own signs of curvature, and
so a proved road to its mean, also where the product has both (docs/theory/tolerance.md, Products).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, ClassVar, TypeAlias, cast

import numpy as np

from geomdp.errors import InvalidBallError, MechanismRefusedError
from geomdp.spaces.admission import Admitted
from geomdp.spaces.ball import Ball, largest_radius
from geomdp.spaces.base import Space
from geomdp.spaces.product import Product
from geomdp.statistics.base import STATISTICS, InBall, PointStatistic, Statistic
from geomdp.statistics.encoded import Encoded, as_encoded
from geomdp.statistics.linear import LinearView
from geomdp.statistics.sensitivity import (
    Bound,
    Moved,
    Sensitivity,
    convexity,
    excess_constant,
    frechet_mean_sensitivity,
    gradient_sensitivity,
)
from geomdp.statistics.solving.descent import Descent, largest_hessian, plan_descent
from geomdp.statistics.solving.passes import MeanResult, Passes
from geomdp.statistics.solving.plausible import refuse
from geomdp.statistics.solving.precision import gradient_norm, refine_mean
from geomdp.statistics.solving.solver import descend, solve
from geomdp.statistics.tangent_mean import TangentMean, is_flat
from geomdp.typing import Array


@dataclass(frozen=True, eq=False)
class Factor:
    """One factor of a product: the ball that the parts of records lie in.

    ``root`` is that of its weight: what a length there counts in the product.
    """

    space: Product
    number: int
    ball: Ball
    root: float

    def part(self, encoded: Encoded) -> Encoded:
        """Return this factor's part of records, wherever they lie."""
        return encoded.mapped(partial(_part, self.space, self.number))


def factors_of(ball: Ball) -> tuple[Factor, ...]:
    """Return the factors of a ball on a product; none where its space is no product."""
    if not ball.space.factors:
        return ()
    space = cast(Product, ball.space)
    roots = np.sqrt(np.asarray(space.weights)).tolist()
    centers = space.split(np.asarray(ball.center))
    # Rounded up, so that no part of a record lies outside.
    balls = (
        Ball(factor, center, float(np.nextafter(ball.radius / root, np.inf)), wide=True)
        for factor, center, root in zip(space.factors, centers, roots, strict=True)
    )
    parts = enumerate(zip(balls, roots, strict=True))
    return tuple(Factor(space, number, part, root) for number, (part, root) in parts)


def _part(space: Product, number: int, rows: Array) -> Array:
    return np.ascontiguousarray(space.split(rows)[number])


#: A way to the mean: from encoded records, a tolerance and a start to a certified point.
Road: TypeAlias = Callable[[Encoded, float, Array], MeanResult]

#: Solver tolerance in units of 2 radius / n: its price in noise is about twice this.
RELATIVE_TOLERANCE = 1e-5
#: Share of the tolerance, over the Hessian, that the factors of a product have together; and the
#: least convexity that it is enough for (docs/theory/tolerance.md, "Products").
FACTOR_ROOM, LEAST_CONVEXITY = 8, 0.5
TOO_WIDE = (
    "A mean on so wide a ball cannot be computed as a point in floating point; use laplace or "
    "tangent-gaussian, which work in coordinates, or a smaller radius."
)
#: Covers the relative error of the length of one tangent vector (docs/theory/tolerance.md).
NORM_ROOM = 8 / 7


@dataclass(frozen=True, eq=False)
class FrechetMean(InBall, PointStatistic):
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

    def as_linear(self) -> LinearView | None:
        """Return it as its tangent mean, which it is on a flat space."""
        if not is_flat(self.space) or self.ball.is_wide or self.ball.form is not None:
            return None
        tangent = TangentMean(self.ball)
        return LinearView(tangent, tangent.coordinates)

    def embedded(self) -> Statistic | None:  # noqa: D102
        if self.space.embedding is None or self.ball.form is not None:
            return None
        return STATISTICS["extrinsic-mean"].in_ball(self.ball)

    def of_classes(self, labels: tuple[str, ...]) -> Statistic | None:  # noqa: D102
        return STATISTICS["classes"](self.ball, labels)  # type: ignore[call-arg]

    def admit(self, records: Any) -> Admitted:  # noqa: D102
        return self.ball.admit(records)

    def moved_by_clipping(self, outer: float) -> Moved | None:
        """Bound it by the mean excess, times a constant of curvature and outer radius."""
        space, ball = self.ball.space, self.ball
        constant = excess_constant(outer, space.curvature_bounds[1], space.injectivity_radius)
        if constant is None:
            return None
        return Moved(constant * max(0.0, outer - ball.radius), constant)

    def tolerance(self, n: int) -> float:
        """Bound on the gradient at the computed mean: public, and above what rounding can spoil."""
        self._require_covered()
        wanted = RELATIVE_TOLERANCE * 2 * self.ball.radius / n
        rounding = self._rounding(n)
        if not rounding <= self.ball.radius / 8:
            raise MechanismRefusedError(TOO_WIDE)
        found = max(wanted, 4 * self._steepest * self._room * rounding)
        k_max = self.space.curvature_bounds[1]
        if self._factors and not convexity(self.ball.radius, k_max, found) >= LEAST_CONVEXITY:
            raise MechanismRefusedError(TOO_WIDE)
        return found

    @cached_property
    def _factors(self) -> tuple[tuple[Factor, "FrechetMean"], ...]:
        """The factors of a product, each with its mean; none where the space is no product."""
        return tuple((factor, FrechetMean(factor.ball)) for factor in factors_of(self.ball))

    @property
    def _steepest(self) -> float:
        """Bound on the Hessian between points of the ball."""
        return largest_hessian(2 * self.ball.radius, self.space.curvature_bounds[0])

    @property
    def _room(self) -> float:
        """How many times closer than the tolerance each factor of a product is solved."""
        return FACTOR_ROOM * self._steepest * math.sqrt(len(self._factors)) if self._factors else 1

    def _require_covered(self) -> None:
        """Refuse what the bounds on the mean, or on the way to it, do not reach."""
        if self.ball.form is not None:
            raise InvalidBallError("A shaped ball serves tangent means only; use TangentMean.")
        if self.ball.is_wide:
            raise InvalidBallError(
                f"The radius of a Fréchet mean on {self.space.spec} must stay below "
                f"{largest_radius(self.space):.12g}, not {self.ball.radius:.6g}; find a ball first "
                "(Refined, PrivateBall), or use TangentMean."
            )
        for mean in [one for _, one in self._factors] or [self]:
            mean._descent(self.ball.radius)  # which refuses curvature of both signs

    def _rounding(self, n: int) -> float:
        """Bound on the float error of the mean of n logs: that of one, and of adding them up."""
        return self.space.log_rounding(self.ball.center, self.ball.radius) * (
            1 + (int(n).bit_length() + 8) / 8
        )

    def sensitivity(self, n: int, bound: Bound) -> Sensitivity:
        """Ideal sensitivity plus the price ``2 tol / lambda`` of the solver's tolerance."""
        _, k_max = self.space.curvature_bounds
        tolerance = self.tolerance(n)
        ideal = frechet_mean_sensitivity(self.ball.radius, n, k_max, bound)
        price = 2 * tolerance / convexity(self.ball.radius, k_max, tolerance)
        return Sensitivity(float(np.nextafter(ideal.value + price, np.inf)), bound, ideal.proof)

    def gradient_sensitivity(self, n: int, bound: Bound) -> Sensitivity:
        """Change of the gradient between neighbours, plus twice the error of evaluating it.

        That error is far below the tolerance to which means are computed, which serves as its
        bound.
        """
        _, k_max = self.space.curvature_bounds
        ideal = gradient_sensitivity(self.ball.radius, n, k_max, bound)
        price = 2 * self.tolerance(n)
        return Sensitivity(
            float(np.nextafter(ideal.value + price, np.inf)), ideal.bound, ideal.proof
        )

    def estimate(self, encoded: Any, tolerance: float) -> Array:
        """Mean of clipped records: a point of the ball, certified to the tolerance.

        Newton's method does it. Where it misses, slower methods follow whose success is proved, the
        last of them in high precision (docs/theory/tolerance.md). Never raises: on records of the
        ball the last resort is the best point found. Products are solved factor by factor.
        """
        if self._factors:
            return self._by_factor(encoded, tolerance)
        roads: tuple[Road, ...] = (self._newton, self._descend, self._refine)
        data = as_encoded(encoded)
        if data.in_memory:
            data = Encoded.of(np.asarray(data))
        best = MeanResult(self.ball.center, np.inf, 0)
        for road in roads:
            try:
                with np.errstate(all="ignore"):
                    found = road(data, tolerance, best.point)
            except (ArithmeticError, ValueError):  # np.linalg.LinAlgError is a ValueError
                continue
            if found.gradient_norm <= tolerance:
                return found.point
            self._require_plausible(data, found.gradient_norm)
            if found.gradient_norm < best.gradient_norm:
                best = found
        self._require_plausible(data, best.gradient_norm, last=True)
        return best.point

    def _require_plausible(self, data: Encoded, norm: float, last: bool = False) -> None:
        """Refuse a gradient from other machines that is longer than the ball is wide.

        No records have one. Where floats could not tell it, another road is tried.
        """
        longest = 2 * NORM_ROOM**2 * self.ball.radius
        wrong = not norm <= longest and (last or np.isfinite(norm))
        if wrong and data.elsewhere is not None:
            refuse(len(data))

    def _by_factor(self, encoded: Any, tolerance: float) -> Array:
        """Mean of each factor, so close that what joining and projecting add stays within."""
        data, goal = as_encoded(encoded), tolerance / self._room
        parts = [mean.estimate(f.part(data), goal / f.root) for f, mean in self._factors]
        point = self._factors[0][0].space.join(*parts)
        return self.ball.clip(point[None])[0]

    def _newton(self, encoded: Encoded, tolerance: float, start: Array) -> MeanResult:
        passes = Passes.of(self.space, encoded, self.ball.center)
        goal = (tolerance - self._rounding(len(encoded))) / 2
        return self._certify(passes, solve(passes, tol=goal, start=self.ball.center))

    def _descend(self, encoded: Encoded, tolerance: float, start: Array) -> MeanResult:
        passes = Passes.of(self.space, encoded, self.ball.center)
        goal = (tolerance - self._rounding(len(encoded))) / 2
        way = self._descent(goal)
        return self._certify(passes, descend(passes, tol=goal, start=self.ball.center, descent=way))

    def _refine(self, encoded: Encoded, tolerance: float, start: Array) -> MeanResult:
        """Descend in high precision, and certify the float that is nearest to the end."""
        goal = tolerance / 8
        end = refine_mean(self.space, encoded, start, self._descent(goal), goal)
        point = self.ball.clip(end[None])[0]
        return MeanResult(point, gradient_norm(self.space, point, encoded) * (1 + 1e-9), 0)

    def _descent(self, goal: float) -> Descent:
        return plan_descent(self.ball.radius, *self.space.curvature_bounds, goal)

    def _certify(self, passes: Passes, result: MeanResult) -> MeanResult:
        """Project into the ball, and bound the true gradient at the point that is returned."""
        point = self.ball.clip(result.point[None])[0]
        if not np.array_equal(point, result.point):
            result = passes.evaluate(point, result.passes)
        bound = NORM_ROOM * result.gradient_norm + self._rounding(int(passes.total))
        return MeanResult(point, bound, result.passes)

    def describe(self) -> str:  # noqa: D102
        return f"Fréchet mean on {self.space.spec}, ball of radius {self.ball.radius:.6g}"


STATISTICS.register(FrechetMean.tag, FrechetMean)
