"""Laplace noise on all coordinates of a stacked statistic together: pure privacy."""

from collections.abc import Iterator
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
from geomdp.privacy import LaplaceCost, PureCost
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
    (docs/theory/regression.md). Where a statistic declares blocks, each has a draw of its own:
    classes (docs/theory/classes.md).
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
        together = len(linear.noise_blocks) == 1
        if not together:
            moved = float_above(linear.block_diameter / request.n)
            exact = Sensitivity(moved, exact.bound, exact.proof)
        reach = max(linear.radius, float(linear.block_diameter / 2))
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
            LaplaceCost(request.epsilon, linear.noise_profile.size)
            if together
            else PureCost(request.epsilon),
            law="Laplace in coordinates" + ", block by block" * (not together),
            proof=linear.proof if linear.pure_stack or not together else "functions",
        )

    def forecast(self, calibration: Calibration) -> Forecast:
        """Simulate with a seed, at public points; what shrinkage takes off is simulated beside."""
        linear = _linear(calibration.request)
        bias, entropy = linear.bias_deviations, SeededEntropy(0)
        flat = Euclidean(linear.noise_profile.size)
        draws = curved_draws(flat.dim)
        zeros = np.zeros(flat.dim)
        noise = _floats(linear, zeros, calibration.scale, entropy, draws) * linear.noise_profile
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
        note = linear.forecast_note(calibration.scale * float(np.sqrt(linear.noise_blocks[0] + 1)))
        return forecast_of_sample(errors, f"simulated; {note}".removesuffix("; "))

    def draw(  # noqa: D102
        self, calibration: Calibration, encoded: Encoded, entropy: Entropy, size: int = 1
    ) -> Array:
        linear = _linear(calibration.request)
        profile = np.asarray(linear.noise_profile)
        means = exact_mean(linear, encoded, np.asarray)
        units = [mean / Fraction(unit) for mean, unit in zip(means, profile.tolist(), strict=True)]
        at = np.array([float(unit) for unit in units])
        if not entropy.exact:
            return linear.decode(profile * _floats(linear, at, calibration.scale, entropy, size))
        # As with Gaussian noise, each coordinate has a grid as fine as its own noise asks.
        exponents = lattice_exponents(spreads_of(linear, calibration.scale))
        in_steps = np.ldexp(profile, -exponents)
        drawn = [
            np.concatenate(
                [
                    _rounded(LaplaceLaw(flat, at[part], calibration.scale), in_steps[part], entropy)
                    for flat, part in _blocks(linear)
                ]
            )
            for _ in range(size)
        ]
        # From here on only public integers are touched: post-processing.
        return linear.decode(np.ldexp(grid_floats(np.array(drawn), 0), exponents))


def _blocks(linear: LinearStatistic) -> Iterator[tuple[Euclidean, slice]]:
    """Walk over the blocks that noise is drawn for together, and where they stand."""
    spaces = {size: Euclidean(size) for size in set(linear.noise_blocks)}
    start = 0
    for size in linear.noise_blocks:
        yield spaces[size], slice(start, start + size)
        start += size


def _floats(linear: LinearStatistic, at: Array, scale: float, entropy: Entropy, size: int) -> Array:
    """Draw (size, D) in floats, never published, in units of the profile."""
    parts = [
        draw_floats(LaplaceLaw(flat, at[part], scale), entropy, size)
        for flat, part in _blocks(linear)
    ]
    return np.concatenate(parts, axis=-1)


def _rounded(law: LaplaceLaw, in_steps: Array, entropy: Entropy) -> Array:
    return np.asarray(draw_rounded(law, lambda y: y * linalg.like(in_steps, y), 0, entropy))


def _serves(statistic: Statistic) -> bool:
    if not isinstance(statistic, LinearStatistic):
        return False
    plain = statistic.value_space is None and bool(np.all(statistic.degrees == 1))
    return statistic.pure_stack or plain or len(statistic.noise_blocks) > 1


def _linear(request: Request) -> LinearStatistic:
    statistic = request.statistic
    if not isinstance(statistic, LinearStatistic) or not _serves(statistic):
        raise MechanismRefusedError(
            "linear-laplace serves mean functions, surfaces and labelled points, mean and "
            "dispersion together, and regressions; for other means take wrapped-laplace."
        )
    return statistic


MECHANISMS.register(LinearLaplace.name, LinearLaplace())
