"""Point by point: independent Gaussian noise on every point, the baseline of paper 4.

Every point is clipped on its own and released by its own Gaussian mechanism. N mechanisms with
budgets mu/sqrt(N) compose to mu, and together they are one Gaussian mechanism on all coordinates,
whose sensitivity is ``2 bound sqrt(N) / n``. (Paper 4 leaves out the 1/n.)
"""

from dataclasses import replace
from typing import ClassVar

from geomdp.errors import MechanismRefusedError
from geomdp.mechanisms.base import MECHANISMS, Calibration, Mechanism, Request
from geomdp.mechanisms.forecast import Forecast
from geomdp.mechanisms.tangent_gaussian import TangentGaussian
from geomdp.noise.entropy import Entropy
from geomdp.statistics.encoded import Encoded
from geomdp.statistics.point_mean import Pointwise
from geomdp.typing import Array


class PointwiseGaussian(Mechanism):
    """Independent Gaussian noise on points that are clipped one by one: for comparison only."""

    name: ClassVar[str] = "pointwise-gaussian"
    comparison: ClassVar[bool] = True

    def __init__(self) -> None:
        self._gaussian = TangentGaussian()

    def calibrate(self, request: Request) -> Calibration:
        """Calibrate one Gaussian mechanism for all points together."""
        inner = self._gaussian.calibrate(_on_points(request))
        law = "independent Gaussian noise on every point, each point clipped on its own"
        bound = _pointwise(request).as_points().bound
        facts = {**inner.facts, "point_bound": bound}
        return replace(inner, request=request, cost=None, law=law, facts=facts)

    def forecast(self, calibration: Calibration) -> Forecast:
        """Root mean square distance over the points."""
        return self._gaussian.forecast(_inner(calibration))

    def draw(  # noqa: D102
        self, calibration: Calibration, encoded: Encoded, entropy: Entropy, size: int = 1
    ) -> Array:
        statistic = _pointwise(calibration.request)
        inner = statistic.as_points()
        parts = (inner.encode(statistic.points_of(chunk)) for chunk in encoded.chunks())
        points = Encoded.of(*parts)
        return statistic.from_points(
            self._gaussian.draw(_inner(calibration), points, entropy, size)
        )


def _inner(calibration: Calibration) -> Calibration:
    return replace(calibration, request=_on_points(calibration.request))


def _on_points(request: Request) -> Request:
    return replace(request, statistic=_pointwise(request).as_points())


def _pointwise(request: Request) -> Pointwise:
    if not isinstance(request.statistic, Pointwise):
        raise MechanismRefusedError(
            "pointwise-gaussian needs a statistic of labelled points, such as SurfaceMean or "
            "PointMean."
        )
    return request.statistic


MECHANISMS.register(PointwiseGaussian.name, PointwiseGaussian())
