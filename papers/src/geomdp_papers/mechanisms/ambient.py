"""Noise in the space around the manifold: the papers' baseline, for comparison only.

Euclidean Laplace noise on the coordinates of the Fréchet mean: the upper triangle of a matrix, or
the vector in R^(d+1). The result leaves the manifold (docs/theory/comparisons.md).
"""

from dataclasses import replace
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import MechanismRefusedError
from geomdp.intervals import float_above
from geomdp.mechanisms.base import MANIFOLDS, Calibration, Mechanism, Request
from geomdp.mechanisms.forecast import Forecast, radial_forecast
from geomdp.mechanisms.laplace import require_point_and_pure
from geomdp.noise.directions import uniforms_for_normals, unit_vectors
from geomdp.noise.entropy import Entropy
from geomdp.spaces import Ball, Sphere
from geomdp.spaces.base import Space
from geomdp.spaces.euclidean import Euclidean
from geomdp.spaces.spd_affine import AffineSPD
from geomdp.statistics.encoded import Encoded
from geomdp.statistics.frechet import FrechetMean
from geomdp.statistics.sensitivity import Sensitivity
from geomdp.typing import Array


class AmbientLaplace(Mechanism):
    """Laplace noise in the ambient coordinates; values are not projected back.

    ``bound="sharp"`` uses a proved sensitivity. ``bound="paper"`` uses the papers' ``2 r_E / n``,
    which holds for the ambient mean but not for the Fréchet mean, and is marked as not private.
    """

    name: ClassVar[str] = "ambient-laplace"
    papers: ClassVar[tuple[str, ...]] = (MANIFOLDS,)
    comparison: ClassVar[bool] = True

    def calibrate(self, request: Request) -> Calibration:
        """Refuse everything but Fréchet means on spheres and of positive definite matrices."""
        statistic = require_point_and_pure(self.name, request)
        if not isinstance(statistic, FrechetMean) or not isinstance(
            statistic.space, AffineSPD | Sphere
        ):
            raise MechanismRefusedError(
                f"{self.name} compares Fréchet means on spheres and of positive definite matrices "
                "with noise around them; use laplace elsewhere."
            )
        paper = request.bound == "paper"
        value = (_paper_movement if paper else _movement)(statistic, request)
        scale = float_above(Fraction(value) / request.epsilon)
        return Calibration(
            request,
            scale,
            Sensitivity(value, request.bound, "comparisons"),
            None,
            law="Euclidean Laplace in ambient coordinates, not projected back",
            proof="comparisons",
            strength="none" if paper else "idealised",
        )

    def forecast(self, calibration: Calibration) -> Forecast:
        """Length of the noise in ambient coordinates."""
        radial = radial_forecast(Euclidean(_ambient_dim(calibration)), calibration.scale)
        note = "distance in ambient coordinates; the value is not a point of the space"
        return replace(radial, note=note)

    def draw(  # noqa: D102
        self, calibration: Calibration, encoded: Encoded, entropy: Entropy, size: int = 1
    ) -> Array:
        center = to_ambient(calibration.space, calibration.estimate(encoded))
        return from_ambient(calibration.space, center + _noise(calibration, entropy, size))


def to_ambient(space: Space, points: Array) -> NDArray[np.float64]:
    """Coordinates in the space around: the upper triangle of a matrix, or the vector itself.

    >>> import geomdp as dp
    >>> to_ambient(dp.SPD(2), np.array([[1.0, 2.0], [2.0, 5.0]])).tolist()
    [1.0, 2.0, 5.0]
    """
    if isinstance(space, AffineSPD):
        rows, columns = np.triu_indices(space.k)
        return np.asarray(points)[..., rows, columns]
    return np.asarray(points)


def from_ambient(space: Space, coordinates: Array) -> NDArray[np.float64]:
    """Inverse of :func:`to_ambient`; the result need not be a point of the space.

    >>> import geomdp as dp
    >>> from_ambient(dp.SPD(2), np.array([1.0, 2.0, 5.0])).tolist()
    [[1.0, 2.0], [2.0, 5.0]]
    """
    if not isinstance(space, AffineSPD):
        return np.asarray(coordinates)
    index = np.zeros((space.k, space.k), dtype=int)
    index[np.triu_indices(space.k)] = np.arange(space.dim)
    return np.asarray(coordinates)[..., np.maximum(index, index.T)]


def project_back(space: Space, values: Array) -> NDArray[np.float64]:
    """Nearest points of a sphere: free post-processing.

    The cone of positive definite matrices is open and has no nearest point.

    >>> import geomdp as dp
    >>> project_back(dp.Sphere(1), np.array([3.0, 4.0])).tolist()
    [0.6, 0.8]
    """
    if not isinstance(space, Sphere):
        raise MechanismRefusedError(f"There is no nearest point on {space.spec} to project to.")
    return np.asarray(space.canonical(np.asarray(values)))


def share_off_manifold(space: Space, values: Array) -> float:
    """Share of values that are not points of the space.

    >>> import geomdp as dp
    >>> share_off_manifold(dp.SPD(1), np.array([[[1.0]], [[-1.0]]]))
    0.5
    """
    return float(np.mean([not space.contains(value) for value in np.asarray(values)]))


def _movement(statistic: FrechetMean, request: Request) -> float:
    """Proved bound on the movement of the Fréchet mean in ambient coordinates."""
    intrinsic = statistic.sensitivity(request.n, "sharp").value
    if isinstance(statistic.space, Sphere):
        return intrinsic
    reach = _largest_eigenvalue(statistic.ball) * np.exp(statistic.ball.radius)
    return float(reach * np.expm1(intrinsic) * (1 + 1e-9))


def _paper_movement(statistic: FrechetMean, request: Request) -> float:
    """Return the papers' ``2 r_E / n``, r_E the radius of a Euclidean ball around the ball."""
    ball = statistic.ball
    if isinstance(ball.space, Sphere):
        return 2 * ball.radius / request.n
    return float(2 * _largest_eigenvalue(ball) * np.expm1(ball.radius) / request.n)


def _largest_eigenvalue(ball: Ball) -> float:
    return float(np.linalg.eigvalsh(ball.center)[-1])


def _ambient_dim(calibration: Calibration) -> int:
    return to_ambient(calibration.space, calibration.ball.center).size


def _noise(calibration: Calibration, entropy: Entropy, size: int) -> NDArray[np.float64]:
    """Euclidean Laplace noise: a Gamma radius, as a sum of exponentials, and a direction."""
    count = _ambient_dim(calibration)
    radius = -np.sum(np.log(entropy.uniforms((size, count))), axis=-1, keepdims=True)
    directions = unit_vectors(entropy.uniforms((size, uniforms_for_normals(count))), count)
    return calibration.scale * radius * directions
