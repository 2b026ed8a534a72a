"""The Riemannian Gaussian mechanism on spheres, hyperbolic spaces and rotations."""

from fractions import Fraction
from typing import ClassVar

import numpy as np

from geomdp.errors import MechanismRefusedError
from geomdp.mechanisms.base import MANIFOLDS, MECHANISMS, Calibration, Mechanism, Request
from geomdp.mechanisms.forecast import Forecast, forecast_of_density
from geomdp.mechanisms.gaussian_noise import allowed_mu
from geomdp.mechanisms.grids import Grid, chart_grid, sample
from geomdp.mechanisms.pair_law import PairLaw, squared_distance_law
from geomdp.mechanisms.riemannian_mu import TwoLaws, projective_mu, projective_width_for, width_for
from geomdp.noise.entropy import Entropy
from geomdp.noise.radial_law import RiemannianGaussianLaw
from geomdp.privacy import GaussianCost
from geomdp.spaces.base import Space
from geomdp.statistics.base import PointStatistic
from geomdp.statistics.encoded import Encoded
from geomdp.typing import Array

RADII = 2000
#: Up to this dimension a mu is certified within seconds.
MOST_DIMENSION = 1000


#: Who first bounded its mu.
GAUSSIAN = (
    "Jiang, Y., Chang, X., Liu, Y., Ding, L., Kong, L., Jiang, B. (2023). Gaussian Differential "
    "Privacy on Riemannian Manifolds. Advances in Neural Information Processing Systems 36. "
    "arXiv:2311.10101."
)


class RiemannianGaussian(Mechanism):
    """Noise with density ``exp(-distance^2 / (2 sigma^2))`` for the volume of the space.

    Its mu is not ``Delta / sigma`` on curved spaces: an upper bound is proved, from the
    trade-off between two laws at distance Delta (docs/theory/riemannian-gaussian.md).
    """

    name: ClassVar[str] = "riemannian-gaussian"
    papers: ClassVar[tuple[str, ...]] = (MANIFOLDS, GAUSSIAN)

    def calibrate(self, request: Request) -> Calibration:
        """Refuse spaces without constant curvature, and budgets that no width can meet."""
        space = self._space(request)
        mu = allowed_mu(self.name, request)
        sensitivity = request.statistic.sensitivity(request.n, request.bound)
        root = float(np.sqrt(abs(space.curvature_bounds[0])))
        # A hair more, since the product is rounded.
        shift = sensitivity.value * root * (1 + 1e-12)
        positive = space.curvature_bounds[0] > 0
        if positive and sensitivity.value * (1 + 1e-12) >= space.injectivity_radius:
            raise MechanismRefusedError(
                f"A sensitivity of {sensitivity.value:.6g} reaches around {space.spec}; use a "
                "larger n or a smaller radius."
            )
        if space.projective:
            width, certified = projective_width_for(shift, mu)
        else:
            width, certified = width_for(space.dim, positive, shift, mu)
        return Calibration(
            request,
            width / root,
            sensitivity,
            GaussianCost(Fraction(certified)),
            law="Riemannian Gaussian on the whole space",
            proof="rotations" if space.projective else "riemannian-gaussian",
        )

    def forecast(self, calibration: Calibration) -> Forecast:
        """Law of the radius, by quadrature."""
        space, sigma = calibration.space, calibration.scale
        end = min(space.injectivity_radius, self._reach(space, sigma))
        radii = np.linspace(0.0, end, RADII + 1)[1:-1]
        logs = space.log_volume_envelope(radii) - (radii / sigma) ** 2 / 2
        return forecast_of_density(radii, logs)

    def grid(self, calibration: Calibration) -> Grid:  # noqa: D102
        return chart_grid(calibration.space, calibration.grid_exponent)

    def least_ratio(self, calibration: Calibration) -> float:
        """None that a formula gives: its mu is proved for each width."""
        return 0.0

    def pair_law(  # noqa: D102
        self, calibration: Calibration, first: Encoded, second: Encoded
    ) -> PairLaw:
        space, sigma = calibration.space, calibration.scale
        ends = calibration.estimates(first, second)
        apart, root = float(space.dist(*ends)), float(np.sqrt(abs(space.curvature_bounds[0])))
        if apart == 0:
            mu = 0.0
        elif space.projective:
            mu = projective_mu(apart * root, sigma * root)
        else:
            positive = space.curvature_bounds[0] > 0
            mu = TwoLaws(space.dim, positive, apart * root, sigma * root).rough_mu()
        return squared_distance_law(space, ends, sigma, mu)

    def draw(  # noqa: D102
        self, calibration: Calibration, encoded: Encoded, entropy: Entropy, size: int = 1
    ) -> Array:
        point = calibration.estimate(encoded)
        law = RiemannianGaussianLaw(calibration.space, point, calibration.scale)
        return sample(law, calibration.space, calibration.grid_exponent, entropy, size)

    def _space(self, request: Request) -> Space:
        statistic = request.statistic
        if isinstance(statistic, PointStatistic):
            space = statistic.space
            if (space.space_form or space.projective) and space.dim > 1:
                if space.dim <= MOST_DIMENSION:
                    return space
                raise MechanismRefusedError(
                    f"{self.name} proves its mu up to dimension {MOST_DIMENSION}; use "
                    "wrapped-gaussian."
                )
        raise MechanismRefusedError(
            f"{self.name} needs a point of a sphere or hyperbolic space of dimension 2 or more, or "
            "a rotation; use wrapped-gaussian or tangent-gaussian."
        )

    @staticmethod
    def _reach(space: Space, sigma: float) -> float:
        """Beyond the mode by twelve widths there is no mass worth counting."""
        growth = (space.dim - 1) * sigma**2 if space.curvature_bounds[0] < 0 else 0.0
        return float(growth + sigma * (np.sqrt(space.dim) + 12))


MECHANISMS.register(RiemannianGaussian.name, RiemannianGaussian())
