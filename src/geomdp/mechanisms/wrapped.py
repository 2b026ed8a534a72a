"""Noise in the tangent space at the public centre, then the exponential map: on every space."""

from fractions import Fraction
from typing import ClassVar

import numpy as np

from geomdp.errors import MechanismRefusedError
from geomdp.intervals import float_above, interval, precision, round_up
from geomdp.mechanisms.base import (
    MANIFOLDS,
    MECHANISMS,
    Calibration,
    Mechanism,
    Request,
    require_epsilon,
    require_resolved,
)
from geomdp.mechanisms.forecast import (
    Forecast,
    curved_draws,
    forecast_of_sample,
    gaussian_forecast,
    radial_forecast,
)
from geomdp.mechanisms.gaussian_noise import allowed_mu, draw_around, exact_mean
from geomdp.mechanisms.grids import sample, spreads_of
from geomdp.mechanisms.one_sided import BITS, generalized_sine
from geomdp.mechanisms.pair_law import PairLaw, flat_laplace_law, gaussian_law
from geomdp.noise.entropy import Entropy, SeededEntropy
from geomdp.noise.radial_law import LaplaceLaw
from geomdp.noise.rejection import draw_floats
from geomdp.privacy import GaussianCost, LaplaceCost
from geomdp.privacy.gaussian import sigma_for
from geomdp.spaces.ball import Ball
from geomdp.spaces.euclidean import Euclidean
from geomdp.statistics.capabilities import HasGradient
from geomdp.statistics.encoded import Encoded
from geomdp.statistics.linear import LinearStatistic
from geomdp.statistics.sensitivity import Sensitivity
from geomdp.statistics.tangent_mean import TangentMean
from geomdp.typing import Array

#: Float error of coordinates at the centre, in units of the space's bound for one logarithm: the
#: isometry to the origin and the frame come on top of it (docs/theory/wrapped.md).
FRAME_ROUNDING = 4


def stretch(ball: Ball) -> float:
    """How much the logarithm at the centre can stretch distances within the ball.

    ``r s / sin(r s)`` with ``s = sqrt(k_max)`` on positive curvature, else 1
    (docs/theory/wrapped.md).
    """
    _, k_max = ball.space.curvature_bounds
    if k_max <= 0 or ball.is_wide:  # on a wide ball there is only the mean of the logs
        return 1.0
    with precision(BITS):
        radius = interval(ball.radius)
        return float(round_up(radius / generalized_sine(k_max, radius)))


def works_in_coordinates(request: Request) -> bool:
    """Tell whether the space is a vector space in disguise and the statistic a mean on it.

    Then the mean is exact on a lattice, and its coordinates need no matrix functions in intervals.
    """
    view = request.statistic.as_linear()
    return view is not None and view[0].flat


def tangent_of(name: str, request: Request) -> TangentMean:
    """Coordinates at the centre of the statistic's ball, or a refusal."""
    statistic = request.statistic
    if isinstance(statistic, TangentMean):
        return statistic
    if isinstance(statistic, HasGradient):
        return TangentMean(statistic.ball)
    raise MechanismRefusedError(
        f"{name} needs a Fréchet or tangent mean, whose ball has a public centre."
    )


def wrapped_sensitivity(name: str, request: Request) -> Sensitivity:
    """Sensitivity of the coordinates at the centre that the noise is added to."""
    tangent = tangent_of(name, request)
    if request.statistic.as_linear() is not None:
        exact = tangent.sensitivity(request.n, request.bound)
        # The exact mean becomes the nearest floats where a law needs a footpoint in floats.
        rounding = 2 * tangent.radius * float(np.finfo(float).eps)
        return Sensitivity(
            float(np.nextafter(exact.value + rounding, np.inf)), "sharp", exact.proof
        )
    inner = request.statistic.sensitivity(request.n, request.bound)
    ball = tangent.ball
    rounding = 2 * FRAME_ROUNDING * ball.space.log_rounding(ball.center, ball.radius)
    value = stretch(ball) * inner.value * (1 + 1e-12) + rounding
    return Sensitivity(value, inner.bound, inner.proof)


def mean_coordinates(calibration: Calibration, encoded: Encoded) -> list[Fraction]:
    """Coordinates at the centre of the non-private mean, as exact numbers."""
    view = calibration.request.statistic.as_linear()
    if view is not None:
        linear, to_coordinates = view
        return exact_mean(linear, encoded, to_coordinates)
    ball = calibration.ball
    point = calibration.estimate(encoded)
    coordinates = np.asarray(ball.space.frame_log(ball.center, point[None]))[0]
    return [Fraction(value) for value in coordinates.tolist()]


def coordinates_at_center(name: str, request: Request) -> LinearStatistic:
    """Return whose coordinates noise is added to: its own, or the logarithm at the centre."""
    view = request.statistic.as_linear()
    return tangent_of(name, request) if view is None else view[0]


def float_means(calibration: Calibration, first: Encoded, second: Encoded) -> tuple[Array, Array]:
    """Coordinates of the non-private means of two data sets, in floats."""
    here, there = (
        np.array([float(mean) for mean in mean_coordinates(calibration, encoded)])
        for encoded in (first, second)
    )
    return here, there


def draw_wrapped_laplace(
    calibration: Calibration, encoded: Encoded, entropy: Entropy, size: int
) -> Array:
    """Draw in flat coordinates at the centre, rounded with proof, then decode."""
    tangent = tangent_of("Laplace noise in coordinates", calibration.request)
    footpoint = np.array([float(mean) for mean in mean_coordinates(calibration, encoded)])
    flat = Euclidean(tangent.space.dim)
    law = LaplaceLaw(flat, footpoint, calibration.scale)
    return tangent.decode(sample(law, flat, calibration.grid_exponent, entropy, size))


class NoiseOnCoordinates(Mechanism):
    """What mechanisms share that add noise to mean coordinates, own ones or at the centre."""

    def settle(self, calibration: Calibration, encoded: Encoded) -> None:
        """Find the mean's coordinates."""
        mean_coordinates(calibration, encoded)

    def coordinates(self, calibration: Calibration) -> LinearStatistic:  # noqa: D102
        return coordinates_at_center(self.name, calibration.request)

    def least_ratio(self, calibration: Calibration) -> float:
        """One: the sensitivity is that of the coordinates."""
        return 1.0

    def pair_law(  # noqa: D102
        self, calibration: Calibration, first: Encoded, second: Encoded
    ) -> PairLaw:
        linear, ends = self.coordinates(calibration), float_means(calibration, first, second)
        if self.heavy:
            return flat_laplace_law(linear, ends, calibration.scale)
        return gaussian_law(linear, ends, spreads_of(linear, calibration.scale))


class WrappedLaplace(NoiseOnCoordinates):
    """``exp(log(mean) + N)`` at the centre, N with density ``exp(-|N| / scale)``: pure."""

    name: ClassVar[str] = "wrapped-laplace"
    papers: ClassVar[tuple[str, ...]] = (MANIFOLDS,)
    in_coordinates: ClassVar[bool] = True
    heavy: ClassVar[bool] = True

    def calibrate(self, request: Request) -> Calibration:
        """Refuse budgets without an epsilon."""
        sensitivity = wrapped_sensitivity(self.name, request)
        require_epsilon(self.name, request)
        scale = float_above(Fraction(sensitivity.value) / request.epsilon)
        tangent = tangent_of(self.name, request)
        tangent.require_resolution(scale * tangent.space.dim)
        require_resolved(tangent, scale * tangent.space.dim)
        return Calibration(
            request,
            scale,
            sensitivity,
            # The exponential map is post-processing of the flat law.
            LaplaceCost(request.epsilon, tangent.space.dim),
            law="Laplace in the tangent space at the centre",
            proof="wrapped",
            facts={"factor": stretch(tangent.ball)},
        )

    def forecast(self, calibration: Calibration) -> Forecast:
        """Use the Gamma law on a flat space, a seeded simulation at public points elsewhere."""
        tangent = tangent_of(self.name, calibration.request)
        flat = Euclidean(tangent.space.dim)
        if tangent.flat:
            return radial_forecast(flat, calibration.scale)
        law = LaplaceLaw(flat, np.zeros(flat.dim), calibration.scale)
        noise = draw_floats(law, SeededEntropy(0), curved_draws(flat.dim))
        return forecast_of_sample(tangent.error_of(noise), _note(calibration, tangent))

    def draw(  # noqa: D102
        self, calibration: Calibration, encoded: Encoded, entropy: Entropy, size: int = 1
    ) -> Array:
        return draw_wrapped_laplace(calibration, encoded, entropy, size)


class WrappedGaussian(NoiseOnCoordinates):
    """``exp(log(mean) + sigma Z)`` at the centre, the noise correctly rounded."""

    name: ClassVar[str] = "wrapped-gaussian"
    papers: ClassVar[tuple[str, ...]] = (MANIFOLDS,)

    def calibrate(self, request: Request) -> Calibration:
        """Refuse tangent means, which ``tangent-gaussian`` serves, and purely private budgets."""
        if isinstance(request.statistic, TangentMean):
            raise MechanismRefusedError(
                f"{self.name} on a TangentMean is tangent-gaussian; use that."
            )
        sensitivity = wrapped_sensitivity(self.name, request)
        mu = allowed_mu(self.name, request)
        scale = sigma_for(sensitivity.value, mu)
        tangent = tangent_of(self.name, request)
        length = scale * float(np.sqrt(tangent.space.dim))
        tangent.require_resolution(length)
        require_resolved(tangent, length)
        return Calibration(
            request,
            scale,
            sensitivity,
            GaussianCost(mu),
            law="Gaussian in the tangent space at the centre",
            proof="wrapped",
            facts={"factor": stretch(tangent.ball)},
        )

    def forecast(self, calibration: Calibration) -> Forecast:
        """Use the chi law on a flat space, a seeded simulation at public points elsewhere."""
        tangent = tangent_of(self.name, calibration.request)
        forecast = gaussian_forecast(tangent, calibration.scale)
        note = "" if tangent.flat else _note(calibration, tangent)
        return Forecast(forecast.radii, forecast.cdf, forecast.expected, note)

    def draw(  # noqa: D102
        self, calibration: Calibration, encoded: Encoded, entropy: Entropy, size: int = 1
    ) -> Array:
        tangent = tangent_of(self.name, calibration.request)
        spreads = np.full(tangent.space.dim, calibration.scale)
        means = mean_coordinates(calibration, encoded)
        return tangent.decode(draw_around(means, spreads, entropy, size))


def _note(calibration: Calibration, tangent: TangentMean) -> str:
    note = "simulated: worse of a mean at the centre and at the boundary"
    if calibration.request.statistic is tangent and tangent.bias_note:
        return f"{note}; {tangent.bias_note}"
    return note


MECHANISMS.register(WrappedGaussian.name, WrappedGaussian())
MECHANISMS.register(WrappedLaplace.name, WrappedLaplace())
