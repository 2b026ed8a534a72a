"""The Laplace mechanism restricted to the public ball."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import ClassVar

import numpy as np

from geomdp.errors import MechanismRefusedError
from geomdp.intervals import float_above
from geomdp.mechanisms.ball_acceptance import boundary_acceptance, is_hopeless
from geomdp.mechanisms.ball_constant import (
    covers,
    fixed_point_factor,
    least_factor,
    restricted_scale,
)
from geomdp.mechanisms.base import MANIFOLDS, MECHANISMS, Calibration, Mechanism, Request
from geomdp.mechanisms.forecast import Forecast, fewer_draws, forecast_of_sample, radial_forecast
from geomdp.mechanisms.grids import Grid, chart_grid, sample
from geomdp.mechanisms.laplace import require_point_and_pure
from geomdp.mechanisms.pair_law import PairLaw, distance_law, restricted_constant
from geomdp.noise.entropy import Entropy, SeededEntropy
from geomdp.noise.radial_law import BallLaplaceLaw
from geomdp.noise.rejection import draw_floats
from geomdp.privacy import PureCost
from geomdp.spaces.ball import Ball
from geomdp.spaces.euclidean import Euclidean
from geomdp.spaces.sphere import Sphere
from geomdp.statistics.encoded import Encoded
from geomdp.statistics.sensitivity import Sensitivity
from geomdp.typing import Array

#: A law that accepts less often than this at the edge of the ball is refused.
LEAST_ACCEPTANCE = 1e-2
TOO_MANY_TRIES = (
    f"laplace-ball would need more than {1 / LEAST_ACCEPTANCE:.0f} tries for a mean at the ball's "
    "boundary; use laplace, a larger n or a larger epsilon."
)
#: Numbers that a forecast draws, between limits: in high dimension lengths are alike.
FORECAST_NUMBERS, FEWEST_DRAWS, MOST_DRAWS = 1 << 14, 250, 1000


class LaplaceBall(Mechanism):
    """Noise that never leaves the ball, of scale ``2 Delta/eps``.

    Where it is proved, ``(1 + c) Delta/eps`` with c below 1.

    The constant of the restricted law depends on the footpoint, which is what the extra factor pays
    for: ``Delta/eps`` alone is not private here (docs/theory/laplace-ball.md).
    """

    name: ClassVar[str] = "laplace-ball"
    papers: ClassVar[tuple[str, ...]] = (MANIFOLDS,)

    def outline(self, request: Request) -> Calibration | None:
        """Return the least scale that could be proved, where a proof takes long."""
        ball = _ball(self.name, request)
        return self._with(request, least_factor) if covers(ball.space) else None

    def calibrate(self, request: Request) -> Calibration:
        """Refuse without a ball, and where rejection would practically never end."""
        return self._with(request, fixed_point_factor)

    def least_error(self, request: Request) -> float:
        """Mean distance of a draw at the centre, with the least scale and the least volume.

        Where curvature is at most k, volume grows along a geodesic at least as fast as where it is
        k (Bishop), so that draws there lie nearer.
        """
        ball = _ball(self.name, request)
        _, unit = _sensitivity_and_unit(request)
        scale = unit if covers(ball.space) else restricted_scale(2.0, unit)
        dim, (_, k_max) = ball.space.dim, ball.space.curvature_bounds
        model = Sphere(dim, k_max) if k_max > 0 else Euclidean(dim)
        return radial_forecast(model, scale, ball.radius).expected

    def _with(self, request: Request, factor_for: Callable[[Ball, float], float]) -> Calibration:
        ball = _ball(self.name, request)
        sensitivity, unit = _sensitivity_and_unit(request)
        boundary = ball.boundary_point()
        factor = 2.0
        if covers(ball.space):
            # The least scale of all accepts most: what is hopeless there needs no proof of another.
            if is_hopeless(BallLaplaceLaw(ball, boundary, unit), LEAST_ACCEPTANCE):
                raise MechanismRefusedError(TOO_MANY_TRIES)
            factor = factor_for(ball, unit)
        scale = restricted_scale(factor, unit)
        # Asked of an outline too: a forecast of a law that accepts nothing would never end.
        acceptance = boundary_acceptance(BallLaplaceLaw(ball, boundary, scale), LEAST_ACCEPTANCE)
        if acceptance < LEAST_ACCEPTANCE:
            raise MechanismRefusedError(TOO_MANY_TRIES)
        return Calibration(
            request,
            scale,
            sensitivity,
            PureCost(request.epsilon),
            law="Riemannian Laplace restricted to the ball",
            proof="laplace-ball",
            caveats=("the time a release takes depends on where the mean lies",),
            facts={"factor": factor, "acceptance at the boundary": acceptance},
        )

    def forecast(self, calibration: Calibration) -> Forecast:
        """Larger of the errors at the centre and the boundary, simulated at public points."""
        ball = calibration.ball
        dim = ball.space.dim
        draws = fewer_draws(int(np.clip(FORECAST_NUMBERS // dim, FEWEST_DRAWS, MOST_DRAWS)), dim)

        def errors(at: Array) -> Array:
            law = BallLaplaceLaw(ball, at, calibration.scale)
            return ball.space.dist(at, draw_floats(law, SeededEntropy(0), draws))

        worst = max((errors(p) for p in (ball.center, ball.boundary_point())), key=np.mean)
        return forecast_of_sample(worst, "worse of a mean at the centre and at the boundary")

    def grid(self, calibration: Calibration) -> Grid:  # noqa: D102
        return chart_grid(calibration.space, calibration.grid_exponent)

    def pair_law(  # noqa: D102
        self, calibration: Calibration, first: Encoded, second: Encoded
    ) -> PairLaw:
        ball, scale = calibration.ball, calibration.scale
        ends = calibration.estimates(first, second)
        law = distance_law(ball.space, ends, scale)
        return replace(law, constant=restricted_constant(ball, ends, scale))

    def draw(  # noqa: D102
        self, calibration: Calibration, encoded: Encoded, entropy: Entropy, size: int = 1
    ) -> Array:
        ball = calibration.ball
        law = BallLaplaceLaw(ball, calibration.estimate(encoded), calibration.scale)
        return sample(law, ball.space, calibration.grid_exponent, entropy, size)


def _ball(name: str, request: Request) -> Ball:
    ball = require_point_and_pure(name, request).ball
    if ball is None:
        raise MechanismRefusedError(f"{name} needs a statistic with a public ball; use laplace.")
    return ball


def _sensitivity_and_unit(request: Request) -> tuple[Sensitivity, float]:
    """Return the sensitivity, and the scale that would be enough on the whole space."""
    sensitivity = request.statistic.sensitivity(request.n, request.bound)
    return sensitivity, float_above(Fraction(sensitivity.value) / request.epsilon)


MECHANISMS.register(LaplaceBall.name, LaplaceBall())
