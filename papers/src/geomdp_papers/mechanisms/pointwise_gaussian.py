"""Point by point: independent Gaussian noise on every point, the baseline of paper 4.

Every point is clipped on its own and released by its own Gaussian mechanism. N mechanisms with
budgets mu/sqrt(N) compose to mu, and together they are one Gaussian mechanism on all coordinates,
whose sensitivity is ``2 bound sqrt(N) / n``. (Paper 4 leaves out the 1/n.)
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from geomdp.errors import MechanismRefusedError
from geomdp.mechanisms.base import MANIFOLDS, Calibration, Mechanism, Request
from geomdp.mechanisms.forecast import Forecast
from geomdp.mechanisms.tangent_gaussian import TangentGaussian
from geomdp.noise.entropy import Entropy
from geomdp.statistics.base import Statistic
from geomdp.statistics.encoded import Encoded
from geomdp.typing import Array

if TYPE_CHECKING:
    from geomdp_papers.point_mean import PointMean

#: A point may lie this many times farther out than the root mean square over all points: where
#: only the latter is stated, this makes a bound for single points that seldom clips.
REACH = 2.0


@dataclass(frozen=True, eq=False)
class Points:
    """A statistic whose records are points that can also be released one by one."""

    #: The mean of the points, each clipped on its own, with the same template.
    mean: "PointMean"
    #: Points (n, N, d) of encoded records.
    of_encoded: Callable[[Array], Array]
    #: Values, in the statistic's own shape, with given points (..., N, d).
    as_values: Callable[[Array], Array]


class PointwiseGaussian(Mechanism):
    """Independent Gaussian noise on points that are clipped one by one: for comparison only."""

    name: ClassVar[str] = "pointwise-gaussian"
    papers: ClassVar[tuple[str, ...]] = (MANIFOLDS,)
    comparison: ClassVar[bool] = True

    def __init__(self) -> None:
        self._gaussian = TangentGaussian()

    def calibrate(self, request: Request) -> Calibration:
        """Calibrate one Gaussian mechanism for all points together."""
        inner = self._gaussian.calibrate(_on_points(request))
        law = "independent Gaussian noise on every point, each point clipped on its own"
        facts = {**inner.facts, "point_bound": points_of(request.statistic).mean.bound}
        return replace(inner, request=request, cost=None, law=law, facts=facts)

    def forecast(self, calibration: Calibration) -> Forecast:
        """Root mean square distance over the points."""
        return self._gaussian.forecast(_inner(calibration))

    def draw(  # noqa: D102
        self, calibration: Calibration, encoded: Encoded, entropy: Entropy, size: int = 1
    ) -> Array:
        points = points_of(calibration.request.statistic)
        parts = (points.mean.encode(points.of_encoded(chunk)) for chunk in encoded.chunks())
        made = Encoded.of(*parts)
        return points.as_values(self._gaussian.draw(_inner(calibration), made, entropy, size))


def points_of(statistic: Statistic) -> Points:
    """Return the points of a statistic, or refuse what has none."""
    from geomdp.surfaces.surface_mean import SurfaceMean  # takes long to import
    from geomdp_papers.point_mean import PointMean  # registers itself, which looks at all others

    if isinstance(statistic, PointMean):
        mean = statistic
        if mean.clip == "joint":
            mean = PointMean(mean.template, REACH * mean.bound, "each")
        return Points(mean, statistic.decode, lambda points: points)
    if isinstance(statistic, SurfaceMean):
        curves = statistic.template_curves
        return Points(
            PointMean(curves.reshape(-1, 3), REACH * statistic.radius, "each"),
            lambda encoded: statistic.decode(encoded).reshape(len(encoded), -1, 3),
            lambda points: points.reshape(*points.shape[:-2], *curves.shape),
        )
    raise MechanismRefusedError(
        "pointwise-gaussian needs a statistic of labelled points, such as SurfaceMean or PointMean."
    )


def _inner(calibration: Calibration) -> Calibration:
    return replace(calibration, request=_on_points(calibration.request))


def _on_points(request: Request) -> Request:
    return replace(request, statistic=points_of(request.statistic).mean)
