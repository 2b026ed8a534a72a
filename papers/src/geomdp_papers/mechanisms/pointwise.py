"""Laplace noise on every coordinate of every landmark: the papers' baseline for shapes.

Bounds on the coordinates follow from the public ball; the paper takes them from the data, which is
not private (docs/theory/comparisons.md).
"""

from fractions import Fraction
from typing import ClassVar

import numpy as np

from geomdp.errors import MechanismRefusedError
from geomdp.intervals import float_above
from geomdp.mechanisms.base import Calibration, Mechanism, Request
from geomdp.mechanisms.forecast import Forecast, fewer_draws, forecast_of_sample
from geomdp.mechanisms.kng import KNG
from geomdp.mechanisms.laplace import require_point_and_pure
from geomdp.noise.entropy import Entropy, SeededEntropy
from geomdp.spaces import Ball, PlanarShapes
from geomdp.statistics.encoded import Encoded
from geomdp.statistics.frechet import FrechetMean
from geomdp.statistics.sensitivity import Sensitivity
from geomdp.typing import Array

FORECAST_DRAWS = 2000


class PointwiseLaplace(Mechanism):
    """Average the preshapes turned to the public centre, then noise each coordinate on its own.

    Every one of the 2k coordinates is released with ``epsilon / (2k)``.
    """

    name: ClassVar[str] = "pointwise-laplace"
    papers: ClassVar[tuple[str, ...]] = KNG.papers  # Soto et al. (2022)
    comparison: ClassVar[bool] = True
    aligned: ClassVar[bool] = True

    def calibrate(self, request: Request) -> Calibration:
        """Refuse everything but the Fréchet mean of planar shapes."""
        statistic = require_point_and_pure(self.name, request)
        if not isinstance(statistic, FrechetMean) or not isinstance(statistic.space, PlanarShapes):
            raise MechanismRefusedError(f"{self.name} compares means of planar shapes only.")
        bound = coordinate_bound(statistic.ball) if self.aligned else 1.0
        value = 2 * bound / request.n
        pieces = 2 * statistic.space.landmarks
        scale = float_above(Fraction(pieces * value) / request.epsilon)
        alignment = "rotated to the public centre" if self.aligned else "none"
        return Calibration(
            request,
            scale,
            Sensitivity(value, request.bound, "comparisons"),
            None,
            law="independent Laplace noise on every coordinate of every landmark",
            proof="comparisons",
            strength="idealised",
            facts={"alignment": alignment, "coordinate bound": bound},
        )

    def forecast(self, calibration: Calibration) -> Forecast:
        """Shape distance of noised copies of the public centre."""
        center = calibration.ball.center
        count = fewer_draws(FORECAST_DRAWS, 2 * center.size)
        draws = self.draw(calibration, Encoded.of(center[None]), SeededEntropy(0), count)
        note = "noise around the public centre; the mean of turned preshapes is not the statistic"
        return forecast_of_sample(calibration.space.dist(center, draws), note)

    def draw(  # noqa: D102
        self, calibration: Calibration, encoded: Encoded, entropy: Entropy, size: int = 1
    ) -> Array:
        space, center = calibration.space, calibration.ball.center
        assert isinstance(space, PlanarShapes)  # calibrate() refused everything else
        shapes = np.asarray(encoded)
        shapes = space.align(shapes, to=center) if self.aligned else shapes
        u = entropy.uniforms((2, size, space.landmarks)) - 0.5
        noise = -calibration.scale * np.sign(u) * np.log1p(-2 * np.abs(u))
        return space.canonical(np.mean(shapes, axis=0) + noise[0] + 1j * noise[1])


class PointwiseLaplaceUnaligned(PointwiseLaplace):
    """The same without turning the shapes: rotations add up to noise, and the bounds are wider."""

    name: ClassVar[str] = "pointwise-laplace-unaligned"
    aligned: ClassVar[bool] = False


def coordinate_bound(ball: Ball) -> float:
    """Largest change of a coordinate of a shape of the ball, turned to the centre.

    Turned preshapes lie on the unit sphere at most the radius apart, hence the chord.

    >>> import geomdp as dp
    >>> round(coordinate_bound(Ball(dp.PlanarShapes(3), [0, 1, 1j], 0.15)), 6)
    0.149859
    """
    return float(2 * np.sin(ball.radius / 2) * (1 + 1e-9))
