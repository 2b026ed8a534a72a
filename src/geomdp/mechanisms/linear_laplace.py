"""Laplace noise on all coordinates of a stacked statistic together: pure privacy."""

from fractions import Fraction
from typing import ClassVar

import numpy as np

from geomdp.errors import MechanismRefusedError
from geomdp.intervals import float_above
from geomdp.mechanisms.base import (
    MECHANISMS,
    Calibration,
    Mechanism,
    Request,
    require_resolved,
    sample,
)
from geomdp.mechanisms.forecast import Forecast, forecast_of_sample
from geomdp.mechanisms.gaussian_noise import exact_mean
from geomdp.mechanisms.linear_forecast import curved_draws
from geomdp.noise.entropy import Entropy, SeededEntropy
from geomdp.noise.laplace_law import LaplaceLaw
from geomdp.noise.rejection import draw_floats
from geomdp.privacy import LaplaceCost
from geomdp.privacy.budgets import Approximate, Pure
from geomdp.spaces.euclidean import Euclidean
from geomdp.statistics.base import Statistic
from geomdp.statistics.encoded import Encoded
from geomdp.statistics.moments import MeanAndDispersion
from geomdp.statistics.regression import Regression
from geomdp.statistics.sensitivity import Sensitivity
from geomdp.typing import Array

#: Covers that the exact mean becomes the nearest floats, in units of radius and rounding: a stack
#: is at most twice as long as the radius.
FOOTPOINT_ROUNDING = 16


class LinearLaplace(Mechanism):
    """Density ``exp(-|noise| / scale)`` on a whole stack of means.

    Mean and dispersion (docs/theory/moments.md), and regressions (docs/theory/regression.md).
    """

    name: ClassVar[str] = "linear-laplace"

    def concerns(self, statistic: Statistic) -> bool:
        """Stacks only; the mean alone is served by wrapped-laplace."""
        return isinstance(statistic, MeanAndDispersion | Regression)

    def calibrate(self, request: Request) -> Calibration:
        """Refuse other statistics, and budgets without an epsilon."""
        linear = _stack(request)
        if not isinstance(request.budget, Pure | Approximate):
            raise MechanismRefusedError(
                f"{self.name} is calibrated by Pure(epsilon), not by {request.budget!r}."
            )
        exact = linear.sensitivity(request.n, request.bound)
        rounding = FOOTPOINT_ROUNDING * linear.radius * float(np.finfo(float).eps)
        sensitivity = Sensitivity(
            float(np.nextafter(exact.value + rounding, np.inf)), exact.bound, exact.proof
        )
        scale = float_above(Fraction(sensitivity.value) / request.epsilon)
        require_resolved(linear, scale * linear.dim)
        return Calibration(
            request,
            scale,
            sensitivity,
            LaplaceCost(request.epsilon, linear.noise_profile.size),
            law="Laplace in coordinates",
            proof=linear.proof,
        )

    def forecast(self, calibration: Calibration) -> Forecast:
        """Simulate with a seed, at public points."""
        linear = _stack(calibration.request)
        flat = Euclidean(linear.noise_profile.size)
        law = LaplaceLaw(flat, np.zeros(flat.dim), calibration.scale)
        noise = draw_floats(law, SeededEntropy(0), curved_draws(flat.dim))
        # A coordinate of Laplace noise in D dimensions has the variance (D + 1) scale^2.
        note = linear.forecast_note(calibration.scale * float(np.sqrt(flat.dim + 1)))
        return forecast_of_sample(linear.error_of(noise), f"simulated; {note}")

    def draw(  # noqa: D102
        self, calibration: Calibration, encoded: Encoded, entropy: Entropy, size: int = 1
    ) -> Array:
        linear = _stack(calibration.request)
        means = exact_mean(linear, encoded, np.asarray)
        flat = Euclidean(linear.noise_profile.size)
        law = LaplaceLaw(flat, np.array([float(mean) for mean in means]), calibration.scale)
        return linear.decode(sample(law, flat, calibration.grid_exponent, entropy, size))


def _stack(request: Request) -> MeanAndDispersion | Regression:
    if not isinstance(request.statistic, MeanAndDispersion | Regression):
        raise MechanismRefusedError(
            "linear-laplace serves mean and dispersion together, and regressions."
        )
    return request.statistic


MECHANISMS.register(LinearLaplace.name, LinearLaplace())
