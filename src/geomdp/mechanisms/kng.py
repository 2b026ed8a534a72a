"""The K-norm gradient mechanism for the Fréchet mean, sampled exactly.

Soto, Bharath, Reimherr and Slavković 2022, Shape and structure preserving differential privacy.
"""

from dataclasses import replace
from fractions import Fraction
from typing import ClassVar

import numpy as np

from geomdp.errors import MechanismRefusedError
from geomdp.intervals import float_above
from geomdp.mechanisms.ball_acceptance import (
    boundary_acceptance,
    least_acceptance,
    most_acceptance,
    tries_needed,
)
from geomdp.mechanisms.base import MECHANISMS, Calibration, Mechanism, Request
from geomdp.mechanisms.forecast import Forecast
from geomdp.mechanisms.grids import Grid, chart_grid, sample
from geomdp.mechanisms.pair_law import PairLaw, gradient_law, restricted_constant
from geomdp.noise.entropy import Entropy
from geomdp.noise.kng_envelope import envelope_around, public_envelope
from geomdp.noise.kng_law import KngLaw, gradient_norms
from geomdp.noise.rejection import rounded_candidate, try_once
from geomdp.privacy import ApproximateCost, PureCost
from geomdp.spaces.ball import Ball
from geomdp.spaces.model_sphere import hessian_floor
from geomdp.statistics.capabilities import HasGradient
from geomdp.statistics.encoded import Encoded, as_encoded
from geomdp.typing import Array

#: A law that accepts less often than this at the edge of the ball is refused.
LEAST_ACCEPTANCE = 1e-4
#: More tries than this, always made, are refused.
MOST_TRIES = 100_000
#: Room, in units of the scale, for the grid on which the gradient is evaluated.
GRID_ROOM = 1e-4
FORECAST_RADII = 2000
#: A computed mean must be this good, in units of the radius (``MEAN_ROOM`` rests on it).
MEAN_TOLERANCE = 5e-4
#: What a fixed number of tries does not level out.
FIXED_CAVEAT = (
    "every data set takes the same number of tries and gradients, but the time of computing the "
    "mean and of deciding close calls still varies a little with the data"
)


#: Whom the gradient's law goes back to.
SHAPES = (
    "Soto, C., Bharath, K., Reimherr, M., Slavković, A. (2022). Shape And Structure Preserving "
    "Differential Privacy. Advances in Neural Information Processing Systems 35. arXiv:2209.12667."
)


class KNG(Mechanism):
    """Density ``exp(-|gradient| / scale)`` on the ball, ``scale = 2 Delta / eps``.

    With ``Pure(eps)`` proposals are made until one is accepted: exact and purely private, but the
    time it takes depends on the data. With ``Approximate(eps, delta)`` the same public number of
    proposals is always made, each with its gradient, and delta pays for the case that none is
    accepted, when the public centre is released (docs/theory/kng.md).
    """

    name: ClassVar[str] = "kng"
    papers: ClassVar[tuple[str, ...]] = (SHAPES,)
    looks_at_records: ClassVar[bool] = True

    def outline(self, request: Request) -> Calibration:
        """Refuse other statistics and budgets, and balls on which the energy is not convex."""
        statistic = require_gradient(self.name, request)
        sensitivity = statistic.gradient_sensitivity(request.n, request.bound)
        return Calibration(
            request,
            float_above(Fraction(2 * sensitivity.value) / request.epsilon),
            sensitivity,
            PureCost(request.epsilon),
            law="K-norm gradient restricted to the ball",
            proof="kng",
            caveats=("the time a release takes depends on the data",),
            facts={"factor": 2.0},
        )

    def calibrate(self, request: Request) -> Calibration:
        """Refuse also what would take too many tries, for the worst data set."""
        calibration = self.outline(request)
        if request.share.has_delta:
            statistic = require_gradient(self.name, request)
            return replace(
                calibration,
                cost=ApproximateCost(*request.share.parts),
                caveats=(FIXED_CAVEAT,),
                tries=_fixed_tries(statistic, request, calibration.scale),
            )
        _require_acceptance(calibration)
        return calibration

    def forecast(self, calibration: Calibration) -> Forecast:
        """Worst case over data sets: the gradient is at least h times the distance (Lemma 1)."""
        ball = calibration.ball
        _, k_max = ball.space.curvature_bounds
        floor = float(hessian_floor(4 * ball.radius**2 * k_max))
        end = min(2 * ball.radius, 8 * reach(ball, calibration.scale / floor))
        radii = end * (np.arange(FORECAST_RADII) + 0.5) / FORECAST_RADII
        logs = ball.space.log_volume_envelope(radii) - floor * radii / calibration.scale
        mass = np.exp(logs - np.max(logs))
        mass /= np.sum(mass)
        note = "worst case over data sets (Lemma 1 of Soto et al. 2022)"
        return Forecast(radii, np.cumsum(mass) - mass / 2, float(np.sum(radii * mass)), note)

    def settle(self, calibration: Calibration, encoded: Encoded) -> None:
        """Find the mean, and bring every record here: gradients need them all."""
        calibration.estimate(encoded)
        encoded.whole()

    def grid(self, calibration: Calibration) -> Grid:  # noqa: D102
        return chart_grid(calibration.space, calibration.grid_exponent)

    def least_ratio(self, calibration: Calibration) -> float:
        """Two: its constant moves with the records as well."""
        return 2.0

    def pair_law(  # noqa: D102
        self, calibration: Calibration, first: Encoded, second: Encoded
    ) -> PairLaw:
        space, scale = calibration.space, calibration.scale
        means = calibration.estimates(first, second)
        law = gradient_law(space, (first.whole(), second.whole()), means, scale)
        # On flat spaces the gradient is the difference from the mean: a restricted Laplace law.
        flat = space.curvature_bounds == (0.0, 0.0)
        constant = restricted_constant(calibration.ball, means, scale) if flat else None
        return replace(law, constant=constant)

    def proposals(self, calibration: Calibration, encoded: Encoded) -> KngLaw | None:  # noqa: D102
        return None if calibration.tries is None else kng_law(calibration, encoded)

    def draw(  # noqa: D102
        self, calibration: Calibration, encoded: Encoded, entropy: Entropy, size: int = 1
    ) -> Array:
        law = kng_law(calibration, encoded)
        space, exponent = calibration.space, calibration.grid_exponent
        if calibration.tries is None or not entropy.exact:
            return sample(law, space, exponent, entropy, size)
        rounded = [_fixed_draw(law, calibration.tries, entropy) for _ in range(size)]
        return space.point(np.array(rounded).astype(float) * 2.0**exponent)


def require_gradient(name: str, request: Request) -> HasGradient:
    """Return the statistic if the mechanism can serve it."""
    statistic = request.statistic
    if not isinstance(statistic, HasGradient):
        raise MechanismRefusedError(
            f"{name} serves means of points that have a gradient, as FrechetMean; use laplace."
        )
    if not request.budget.has_epsilon:
        raise MechanismRefusedError(
            f"{name} needs a pure ε, or ε with a δ for a fixed number of tries, not "
            f"{request.budget.words()}."
        )
    ball = statistic.ball
    k_min, k_max = ball.space.curvature_bounds
    if k_min < 0 < k_max:
        raise MechanismRefusedError(
            f"{name} has an envelope only where all curvature has one sign, unlike on "
            f"{ball.space.spec}; use laplace or wrapped-laplace."
        )
    limit = np.pi / (4 * np.sqrt(k_max)) if k_max > 0 else np.inf
    if not ball.radius < limit * (1 - 1e-6):
        raise MechanismRefusedError(
            f"{name} needs a radius below {limit:.6g} on {ball.space.spec}, where the energy is "
            f"convex, not {ball.radius:.6g}; use a smaller ball or laplace."
        )
    if statistic.tolerance(request.n) > MEAN_TOLERANCE * ball.radius:
        raise MechanismRefusedError(
            f"{name} cannot resolve gradients on so wide a ball in floating point; use a Gaussian "
            "mechanism for flat spaces, or a smaller radius."
        )
    return statistic


def reach(ball: Ball, scale: float) -> float:
    """Public distance that few draws exceed: where envelopes should be sharp."""
    d = ball.space.dim
    return float(min(2 * ball.radius, 1.25 * scale * (d + 4 * np.sqrt(d) + 4)))


def kng_law(calibration: Calibration, encoded: Encoded) -> KngLaw:
    """Law of the release for these records, with the envelope that the budget asks for.

    The point and the slack decide how fast the sampler is, never what it samples.
    """
    ball, scale = calibration.ball, calibration.scale
    point, records = calibration.estimate(encoded), as_encoded(encoded).whole()
    distance = reach(ball, scale)
    public = _slack(calibration.request, scale)
    gradient = float(gradient_norms(ball.space, point[None], records)[0])
    if calibration.tries is not None:
        # The public slack grants the gradient one tolerance; more than that is never seen.
        spare = max(0.0, gradient - calibration.request.statistic.tolerance(calibration.request.n))
        envelope = public_envelope(ball, distance, public + spare)
    else:
        envelope = envelope_around(ball, point, records, distance, public + gradient)
    return KngLaw(ball, records, point, envelope, scale, calibration.grid_exponent)


def _slack(request: Request, scale: float) -> float:
    """Gradient at the mean, error of evaluating it, and change within a grid cell (all public)."""
    return 2 * request.statistic.tolerance(request.n) + GRID_ROOM * scale


def _require_acceptance(calibration: Calibration) -> None:
    """Refuse if sampling would practically never end for a mean on the boundary of the ball."""
    law = kng_law(calibration, Encoded.of(calibration.ball.boundary_point()[None]))
    if boundary_acceptance(law, LEAST_ACCEPTANCE) < LEAST_ACCEPTANCE:
        raise MechanismRefusedError(
            f"kng would need more than {1 / LEAST_ACCEPTANCE:.0f} tries for a mean on the ball's "
            "boundary; use laplace, a larger n or a larger epsilon."
        )


def _fixed_tries(statistic: HasGradient, request: Request, scale: float) -> int:
    """Public number of tries whose failure on every data set costs at most delta."""
    ball = statistic.ball
    envelope = public_envelope(ball, reach(ball, scale), _slack(request, scale))
    law = KngLaw(ball, ball.center[None], ball.center, envelope, scale, 0)
    # Most laws that are refused need no proof: not even what a bound lets be accepted is enough.
    fewest = tries_needed(min(1.0, most_acceptance(law)), *request.share.parts)
    if not fewest <= MOST_TRIES:
        raise MechanismRefusedError(_too_many_tries(fewest))
    acceptance = least_acceptance(ball, envelope, law.hat, scale)
    # Written so that NaN is refused too.
    if not 0 < acceptance <= 1:
        raise MechanismRefusedError(
            "kng has no proved rate of acceptance on this ball, so that no number of tries is "
            "enough; use a pure ε, or laplace."
        )
    tries = tries_needed(acceptance, *request.share.parts)
    if not tries <= MOST_TRIES:
        raise MechanismRefusedError(_too_many_tries(tries))
    return int(tries)


def _too_many_tries(tries: float) -> str:
    return (
        f"kng would always have to make {tries:.3g} tries or more, beyond {MOST_TRIES}; use a pure "
        "ε, for which their number depends on the data, or a larger n."
    )


def _fixed_draw(law: KngLaw, tries: int, entropy: Entropy) -> Array:
    """Make all tries, take the first success, and fall back on the public centre."""
    coordinates = law.ball.space.coordinates
    attempts = [try_once(law, entropy) for _ in range(tries)]
    numbers = next((attempt for attempt in attempts if attempt is not None), None)
    if numbers is None:
        return np.rint(coordinates(law.ball.center) * 2.0**-law.grid_exponent).astype(int)
    return rounded_candidate(law, numbers, coordinates, law.grid_exponent)


MECHANISMS.register(KNG.name, KNG())
