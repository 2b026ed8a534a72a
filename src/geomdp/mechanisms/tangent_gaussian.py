"""Gaussian noise on the coordinates of a linear statistic (Utpala et al. 2023, and paper 4)."""

from typing import ClassVar

import numpy as np

from geomdp.errors import MechanismRefusedError
from geomdp.mechanisms.base import (
    MECHANISMS,
    Calibration,
    Mechanism,
    Request,
    require_resolved,
)
from geomdp.mechanisms.forecast import Forecast, gaussian_forecast
from geomdp.mechanisms.gaussian_noise import allowed_mu, draw_around, exact_mean
from geomdp.mechanisms.grids import spreads_of
from geomdp.mechanisms.pair_law import PairLaw, gaussian_law
from geomdp.mechanisms.wrapped import float_means
from geomdp.noise.entropy import Entropy
from geomdp.noise.lattice import Lattice
from geomdp.privacy import GaussianCost
from geomdp.privacy.gaussian import sigma_for
from geomdp.statistics.encoded import Encoded
from geomdp.statistics.linear import LinearStatistic, ToCoordinates
from geomdp.typing import Array

#: Who added Gaussian noise to the coordinates of a flat metric.
LOG_EUCLIDEAN = (
    "Utpala, S., Vepakomma, P., Miolane, N. (2023). Differentially Private Fréchet Mean on the "
    "Manifold of Symmetric Positive Definite (SPD) Matrices with log-Euclidean Metric. "
    "Transactions on Machine Learning Research."
)


class TangentGaussian(Mechanism):
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
        linear, _ = self._linear(request)
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
        linear, _ = self._linear(calibration.request)
        return gaussian_forecast(linear, calibration.scale)

    def settle(self, calibration: Calibration, encoded: Encoded) -> None:
        """Add up the records' integer vectors."""
        linear, to_coordinates = self._linear(calibration.request)
        exact_mean(linear, encoded, to_coordinates)

    def coordinates(self, calibration: Calibration) -> LinearStatistic:  # noqa: D102
        return self._linear(calibration.request)[0]

    def least_ratio(self, calibration: Calibration) -> float:  # noqa: D102
        return 1.0

    def pair_law(  # noqa: D102
        self, calibration: Calibration, first: Encoded, second: Encoded
    ) -> PairLaw:
        linear, ends = self.coordinates(calibration), float_means(calibration, first, second)
        return gaussian_law(linear, ends, spreads_of(linear, calibration.scale))

    def draw(  # noqa: D102
        self, calibration: Calibration, encoded: Encoded, entropy: Entropy, size: int = 1
    ) -> Array:
        linear, to_coordinates = self._linear(calibration.request)
        means = exact_mean(linear, encoded, to_coordinates)
        spreads = spreads_of(linear, calibration.scale)
        return linear.decode(draw_around(means, spreads, entropy, size))

    def _linear(self, request: Request) -> tuple[LinearStatistic, ToCoordinates]:
        view = request.statistic.as_linear()
        if view is None:
            raise MechanismRefusedError(
                f"{self.name} needs a linear statistic or a Fréchet mean on a flat space; use "
                "TangentMean, or wrapped-gaussian."
            )
        return view


MECHANISMS.register(TangentGaussian.name, TangentGaussian())
