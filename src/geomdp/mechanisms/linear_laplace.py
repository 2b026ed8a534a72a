"""Laplace noise on all coordinates of a stacked statistic together: pure privacy."""

from fractions import Fraction
from typing import ClassVar

import numpy as np

from geomdp.errors import MechanismRefusedError
from geomdp.intervals import float_above
from geomdp.mechanisms.base import (
    MANIFOLDS,
    MECHANISMS,
    Calibration,
    Request,
    require_epsilon,
    require_resolved,
)
from geomdp.mechanisms.forecast import Forecast, curved_draws, forecast_of_sample, leading
from geomdp.mechanisms.gaussian_noise import exact_mean
from geomdp.mechanisms.grids import grid_floats, lattice_exponents, spreads_of
from geomdp.mechanisms.wrapped import NoiseOnCoordinates
from geomdp.noise.directions import normals, uniforms_for_normals
from geomdp.noise.entropy import Entropy, SeededEntropy
from geomdp.noise.radial_law import LaplaceLaw
from geomdp.noise.rejection import draw_floats, draw_rounded
from geomdp.privacy import LaplaceCost
from geomdp.spaces.euclidean import Euclidean
from geomdp.spaces.numerics import linalg
from geomdp.statistics.base import Statistic
from geomdp.statistics.encoded import Encoded
from geomdp.statistics.linear import LinearStatistic
from geomdp.statistics.sensitivity import Sensitivity
from geomdp.typing import Array

#: Covers that the exact mean becomes the nearest floats, in half diameters and units of rounding: a
#: stack is at most twice as long as the radius.
FOOTPOINT_ROUNDING = 16


class LinearLaplace(NoiseOnCoordinates):
    """Density ``exp(-|noise / noise_profile| / scale)`` on the coordinates.

    For functions, surfaces and labelled points (docs/theory/functions.md, section 8), and for whole
    stacks of means: mean and dispersion (docs/theory/moments.md), and regressions
    (docs/theory/regression.md).
    """

    name: ClassVar[str] = "linear-laplace"
    papers: ClassVar[tuple[str, ...]] = (MANIFOLDS,)
    in_coordinates: ClassVar[bool] = True
    heavy: ClassVar[bool] = True

    def concerns(self, statistic: Statistic) -> bool:
        """Mean coordinates that are no point of a space: those are served by wrapped-laplace."""
        return _serves(statistic)

    def calibrate(self, request: Request) -> Calibration:
        """Refuse other statistics, and budgets without an epsilon."""
        linear = _linear(request)
        require_epsilon(self.name, request)
        exact = linear.sensitivity(request.n, request.bound)
        reach = max(linear.radius, float(linear.diameter / 2))
        rounding = FOOTPOINT_ROUNDING * reach * float(np.finfo(float).eps)
        sensitivity = Sensitivity(
            float(np.nextafter(exact.value + rounding, np.inf)), exact.bound, exact.proof
        )
        scale = float_above(Fraction(sensitivity.value) / request.epsilon)
        require_resolved(linear, scale * linear.vector_dim)
        return Calibration(
            request,
            scale,
            sensitivity,
            LaplaceCost(request.epsilon, linear.noise_profile.size),
            law="Laplace in coordinates",
            proof=linear.proof if linear.pure_stack else "functions",
        )

    def forecast(self, calibration: Calibration) -> Forecast:
        """Simulate with a seed, at public points; what shrinkage takes off is simulated beside."""
        linear = _linear(calibration.request)
        bias, entropy = linear.bias_deviations, SeededEntropy(0)
        flat = Euclidean(linear.noise_profile.size)
        draws = curved_draws(flat.dim)
        law = LaplaceLaw(flat, np.zeros(flat.dim), calibration.scale)
        noise = draw_floats(law, entropy, draws) * linear.noise_profile
        if not np.any(bias):
            errors = linear.error_of(noise)
        else:
            drawn, rest = leading(bias, flat.dim)
            off = drawn * normals(
                entropy.uniforms((draws, uniforms_for_normals(drawn.size))), drawn.size
            )
            off[:, : flat.dim] += noise * linear.error_scale
            errors = np.hypot(np.linalg.norm(off, axis=-1), rest)
        # A coordinate of Laplace noise in D dimensions has the variance (D + 1) scale^2.
        note = linear.forecast_note(calibration.scale * float(np.sqrt(flat.dim + 1)))
        return forecast_of_sample(errors, f"simulated; {note}".removesuffix("; "))

    def draw(  # noqa: D102
        self, calibration: Calibration, encoded: Encoded, entropy: Entropy, size: int = 1
    ) -> Array:
        linear = _linear(calibration.request)
        profile = np.asarray(linear.noise_profile)
        means = exact_mean(linear, encoded, np.asarray)
        units = [mean / Fraction(unit) for mean, unit in zip(means, profile.tolist(), strict=True)]
        law = LaplaceLaw(
            Euclidean(profile.size), np.array([float(unit) for unit in units]), calibration.scale
        )
        if not entropy.exact:
            return linear.decode(profile * draw_floats(law, entropy, size))
        # As with Gaussian noise, each coordinate has a grid as fine as its own noise asks.
        exponents = lattice_exponents(spreads_of(linear, calibration.scale))
        in_steps = np.ldexp(profile, -exponents)
        drawn = [
            draw_rounded(law, lambda y: y * linalg.like(in_steps, y), 0, entropy)
            for _ in range(size)
        ]
        # From here on only public integers are touched: post-processing.
        return linear.decode(np.ldexp(grid_floats(np.array(drawn), 0), exponents))


def _serves(statistic: Statistic) -> bool:
    if not isinstance(statistic, LinearStatistic):
        return False
    plain = statistic.value_space is None and bool(np.all(statistic.degrees == 1))
    return statistic.pure_stack or plain


def _linear(request: Request) -> LinearStatistic:
    statistic = request.statistic
    if not isinstance(statistic, LinearStatistic) or not _serves(statistic):
        raise MechanismRefusedError(
            "linear-laplace serves mean functions, surfaces and labelled points, mean and "
            "dispersion together, and regressions; for other means take wrapped-laplace."
        )
    return statistic


MECHANISMS.register(LinearLaplace.name, LinearLaplace())
