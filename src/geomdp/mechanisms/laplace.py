"""The Riemannian Laplace mechanism on homogeneous spaces (Reimherr et al. 2021, Theorem 1)."""

from fractions import Fraction
from typing import ClassVar

from geomdp.errors import MechanismRefusedError
from geomdp.intervals import float_above
from geomdp.mechanisms.base import (
    MANIFOLDS,
    MECHANISMS,
    Calibration,
    Mechanism,
    Request,
    require_epsilon,
    require_resolved,
)
from geomdp.mechanisms.forecast import Forecast, radial_forecast
from geomdp.mechanisms.grids import Grid, chart_grid, sample
from geomdp.mechanisms.pair_law import PairLaw, distance_law, flat_laplace_law
from geomdp.mechanisms.wrapped import (
    coordinates_at_center,
    draw_wrapped_laplace,
    float_means,
    mean_coordinates,
    works_in_coordinates,
    wrapped_sensitivity,
)
from geomdp.noise.entropy import Entropy
from geomdp.noise.radial_law import LaplaceLaw
from geomdp.privacy import Cost, LaplaceCost, PureCost
from geomdp.spaces.base import Space
from geomdp.statistics.base import PointStatistic
from geomdp.statistics.encoded import Encoded
from geomdp.statistics.linear import LinearStatistic
from geomdp.statistics.tangent_mean import is_flat
from geomdp.typing import Array


def _cost(space: Space, epsilon: Fraction) -> Cost:
    """Return the tight curve of the flat law where it applies (docs/theory/composition.md)."""
    unbounded = space.injectivity_radius == float("inf")  # unlike the circle
    flat = is_flat(space) and unbounded
    return LaplaceCost(epsilon, space.dim) if flat else PureCost(epsilon)


def require_point_and_pure(name: str, request: Request) -> PointStatistic:
    """Return the statistic if a purely private mechanism on a space can serve it."""
    if not isinstance(request.statistic, PointStatistic):
        raise MechanismRefusedError(f"{name} needs a statistic that is a point of a space.")
    require_epsilon(name, request)
    return request.statistic


class Laplace(Mechanism):
    """Noise with density ``exp(-distance / scale)`` over the whole space, ``scale = Delta/eps``.

    On a homogeneous space the normalising constant is the same everywhere, hence no factor 2
    (docs/theory/laplace.md).
    """

    name: ClassVar[str] = "laplace"
    papers: ClassVar[tuple[str, ...]] = (MANIFOLDS,)
    heavy: ClassVar[bool] = True

    def calibrate(self, request: Request) -> Calibration:
        """Refuse other kinds of budget, and scales at which the law does not exist."""
        space = require_point_and_pure(self.name, request).space
        if works_in_coordinates(request):
            sensitivity = wrapped_sensitivity(self.name, request)
        else:
            sensitivity = request.statistic.sensitivity(request.n, request.bound)
        scale = float_above(Fraction(sensitivity.value) / request.epsilon)
        if works_in_coordinates(request):
            require_resolved(request.statistic, scale * space.dim)
        limit = space.laplace_rate_limit
        if limit * scale >= 1:
            raise MechanismRefusedError(
                f"The Laplace law on {space.spec} exists only for a scale below {1 / limit:.6g}, "
                f"but this budget needs {scale:.6g}; use {scale * limit:.3g} times as many "
                f"{request.unit.plural} or epsilon, a smaller radius, laplace-ball, or the "
                "log-Euclidean metric."
            )
        return Calibration(
            request,
            scale,
            sensitivity,
            _cost(space, request.epsilon),
            law="Riemannian Laplace on the whole space",
            proof="laplace",
            facts={"factor": 1.0},
        )

    def forecast(self, calibration: Calibration) -> Forecast:  # noqa: D102
        return radial_forecast(calibration.space, calibration.scale)

    def settle(self, calibration: Calibration, encoded: Encoded) -> None:
        """Find the mean, or its coordinates where the law is drawn in those."""
        if works_in_coordinates(calibration.request):
            mean_coordinates(calibration, encoded)
        else:
            calibration.estimate(encoded)

    def coordinates(self, calibration: Calibration) -> LinearStatistic | None:
        """Those of a vector space in disguise, where the law is the same and cheaper."""
        request = calibration.request
        return coordinates_at_center(self.name, request) if works_in_coordinates(request) else None

    def grid(self, calibration: Calibration) -> Grid | None:  # noqa: D102
        if works_in_coordinates(calibration.request):
            return super().grid(calibration)
        return chart_grid(calibration.space, calibration.grid_exponent)

    def pair_law(  # noqa: D102
        self, calibration: Calibration, first: Encoded, second: Encoded
    ) -> PairLaw:
        linear = self.coordinates(calibration)
        if linear is not None:
            ends = float_means(calibration, first, second)
            return flat_laplace_law(linear, ends, calibration.scale)
        ends = calibration.estimates(first, second)
        return distance_law(calibration.space, ends, calibration.scale)

    def draw(  # noqa: D102
        self, calibration: Calibration, encoded: Encoded, entropy: Entropy, size: int = 1
    ) -> Array:
        if works_in_coordinates(calibration.request):
            return draw_wrapped_laplace(calibration, encoded, entropy, size)
        law = LaplaceLaw(calibration.space, calibration.estimate(encoded), calibration.scale)
        return sample(law, calibration.space, calibration.grid_exponent, entropy, size)


MECHANISMS.register(Laplace.name, Laplace())
