"""The baseline of Utpala et al. (2023): Gaussian noise on the entries of the mean matrix."""

from fractions import Fraction
from typing import ClassVar

import numpy as np

from geomdp.errors import MechanismRefusedError
from geomdp.mechanisms.base import Calibration, Mechanism, Request
from geomdp.mechanisms.forecast import LEAST_DRAWS, Forecast, chi_forecast
from geomdp.mechanisms.gaussian_noise import allowed_mu, draw_around
from geomdp.mechanisms.tangent_gaussian import TangentGaussian
from geomdp.noise.directions import normals, uniforms_for_normals
from geomdp.noise.entropy import Entropy, SeededEntropy
from geomdp.privacy.gaussian import sigma_for
from geomdp.spaces import symmetric
from geomdp.spaces.ball import Ball
from geomdp.spaces.spd import LogEuclideanSPD
from geomdp.spaces.spd_affine import AffineSPD
from geomdp.statistics.encoded import Encoded
from geomdp.statistics.frechet import FrechetMean
from geomdp.statistics.sensitivity import Sensitivity
from geomdp.typing import Array

#: Draws at the public centre that estimate how often the result is not positive definite, and the
#: numbers that they take: large matrices are decomposed slowly, and alike.
MOST_DRAWS, NUMBERS = 2000, 1 << 20


class AmbientGaussian(Mechanism):
    """``mean + sigma W`` with W a symmetric Gaussian matrix: private, but often not a covariance.

    The sensitivity of the Fréchet mean in the Frobenius norm is that on the space times the largest
    eigenvalue ``lambda_max(center) e^r``. The ``2 (e^r - 1) / n`` of the paper belongs to the
    arithmetic mean and is too small for this one (docs/theory/wrapped.md, section 4).
    """

    name: ClassVar[str] = "ambient-gaussian"
    papers: ClassVar[tuple[str, ...]] = TangentGaussian.papers
    comparison: ClassVar[bool] = True

    def calibrate(self, request: Request) -> Calibration:
        """Refuse everything but the Fréchet mean of positive definite matrices."""
        ball = _spd_ball(self.name, request)
        mu = allowed_mu(self.name, request)
        sensitivity = ambient_sensitivity(request, ball)
        scale = sigma_for(sensitivity.value, mu)
        return Calibration(
            request,
            scale,
            sensitivity,
            None,
            law="Gaussian on the entries of the matrix",
            proof="wrapped",
            facts={"share not positive definite at the centre": _share_indefinite(ball, scale)},
        )

    def forecast(self, calibration: Calibration) -> Forecast:
        """Use the chi law of the Frobenius distance."""
        share = calibration.facts["share not positive definite at the centre"]
        note = f"Frobenius distance; not positive definite in {100 * float(share):.3g}% of releases"
        return chi_forecast(calibration.space.dim, calibration.scale, note)

    def draw(  # noqa: D102
        self, calibration: Calibration, encoded: Encoded, entropy: Entropy, size: int = 1
    ) -> Array:
        entries = symmetric.to_vector(calibration.estimate(encoded))
        means = [Fraction(value) for value in entries.tolist()]
        spreads = np.full(len(means), calibration.scale)
        drawn = draw_around(means, spreads, entropy, size)
        return symmetric.from_vector(drawn, calibration.space.point_shape[0])


def ambient_sensitivity(request: Request, ball: Ball) -> Sensitivity:
    """Sensitivity in the Frobenius norm; the float entries of the mean are rounded by the way."""
    inner = request.statistic.sensitivity(request.n, request.bound)
    largest = float(np.linalg.eigvalsh(ball.center)[-1] * np.exp(ball.radius) * (1 + 1e-9))
    return Sensitivity(inner.value * largest, inner.bound, inner.proof)


def _spd_ball(name: str, request: Request) -> Ball:
    statistic = request.statistic
    if isinstance(statistic, FrechetMean) and isinstance(
        statistic.space, AffineSPD | LogEuclideanSPD
    ):
        return statistic.ball
    raise MechanismRefusedError(
        f"{name} is a comparison for Fréchet means of positive definite matrices only."
    )


def _share_indefinite(ball: Ball, scale: float) -> float:
    """Share of simulated releases at the public centre that are not positive definite."""
    k = ball.space.point_shape[0]
    draws = min(MOST_DRAWS, max(LEAST_DRAWS, NUMBERS // ball.space.dim))
    u = SeededEntropy(0).uniforms((draws, uniforms_for_normals(ball.space.dim)))
    noise = symmetric.from_vector(scale * normals(u, ball.space.dim), k)
    smallest = np.linalg.eigvalsh(ball.center + noise)[:, 0]
    return float(np.mean(smallest <= 0))
