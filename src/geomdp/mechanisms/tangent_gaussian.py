"""Gaussian noise on the coordinates of a linear statistic (Utpala et al. 2023, and paper 4)."""

from typing import ClassVar

import numpy as np

from geomdp.errors import MechanismRefusedError
from geomdp.mechanisms.base import (
    MECHANISMS,
    Calibration,
    Request,
    require_resolved,
)
from geomdp.mechanisms.forecast import Forecast, gaussian_forecast
from geomdp.mechanisms.gaussian_noise import allowed_mu, draw_around
from geomdp.mechanisms.grids import spreads_of
from geomdp.mechanisms.wrapped import NoiseOnCoordinates, mean_coordinates
from geomdp.noise.entropy import Entropy
from geomdp.noise.lattice import Lattice
from geomdp.privacy import GaussianCost
from geomdp.privacy.gaussian import sigma_for
from geomdp.statistics.encoded import Encoded
from geomdp.statistics.linear import LinearStatistic
from geomdp.typing import Array

#: Who added Gaussian noise to the coordinates of a flat metric.
LOG_EUCLIDEAN = (
    "Utpala, S., Vepakomma, P., Miolane, N. (2023). Differentially Private Fréchet Mean on the "
    "Manifold of Symmetric Positive Definite (SPD) Matrices with log-Euclidean Metric. "
    "Transactions on Machine Learning Research. arXiv:2208.04245."
)


class TangentGaussian(NoiseOnCoordinates):
    """``decode(shrinkage * mean + sigma * noise_profile * Z)``: flat spaces, linear statistics.

    Records are rounded to a public lattice, clipped there in integers and summed exactly; the noise
    is correctly rounded. The guarantee is that of the ideal Gaussian mechanism
    (docs/theory/lattice-gaussian.md).
    """

    name: ClassVar[str] = "tangent-gaussian"
    papers: ClassVar[tuple[str, ...]] = (LOG_EUCLIDEAN,)
    in_coordinates: ClassVar[bool] = True

    def calibrate(self, request: Request) -> Calibration:
        """Refuse statistics that are not linear, and budgets that Gaussian noise cannot meet."""
        linear = self._linear(request)
        mu = allowed_mu(self.name, request)
        sensitivity = linear.sensitivity(request.n, request.bound)
        scale = sigma_for(sensitivity.value, mu)
        linear.require_resolution(scale * float(np.linalg.norm(linear.noise_profile)))
        vector = linear.noise_profile[linear.degrees == 1]
        require_resolved(request.statistic, scale * float(np.linalg.norm(vector)))
        step = Lattice.within(linear.radius, linear.record_bits).step
        return Calibration(
            request,
            scale,
            sensitivity,
            GaussianCost(mu),
            law="Gaussian in coordinates, correctly rounded",
            proof="lattice-gaussian",
            facts={
                "lattice step of a record": step,
                "largest error of a record by its lattice": linear.lattice_error(step),
            },
        )

    def forecast(self, calibration: Calibration) -> Forecast:
        """Use the chi law where all coordinates weigh the same, a seeded simulation elsewhere."""
        return gaussian_forecast(self.coordinates(calibration), calibration.scale)

    def draw(  # noqa: D102
        self, calibration: Calibration, encoded: Encoded, entropy: Entropy, size: int = 1
    ) -> Array:
        linear, means = self.coordinates(calibration), mean_coordinates(calibration, encoded)
        spreads = spreads_of(linear, calibration.scale)
        return linear.decode(draw_around(means, spreads, entropy, size))

    def _linear(self, request: Request) -> LinearStatistic:
        view = request.statistic.as_linear()
        if view is None:
            raise MechanismRefusedError(
                f"{self.name} needs a linear statistic or a Fréchet mean on a flat space; use "
                "TangentMean, or wrapped-gaussian."
            )
        return view[0]


MECHANISMS.register(TangentGaussian.name, TangentGaussian())
