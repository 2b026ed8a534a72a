"""The noise that one site adds to its own integers, for a plan of any linear statistic."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, sqrt
from typing import Any, ClassVar

import numpy as np

from geomdp.consortia.shares import Modulus
from geomdp.consortia.splitting import common_scale, root_above
from geomdp.errors import MechanismRefusedError
from geomdp.intervals import float_above
from geomdp.mechanisms import Calibration, Forecast, Mechanism
from geomdp.mechanisms.base import Request, require_resolved
from geomdp.mechanisms.forecast import forecast_of_sample, gaussian_forecast
from geomdp.mechanisms.gaussian_noise import allowed_mu, integer_totals, mean_of_totals
from geomdp.noise.entropy import Entropy
from geomdp.noise.lattice import Lattice
from geomdp.noise.lattice_gaussian import rounded_gaussian
from geomdp.noise.negative_binomial import laplace_share
from geomdp.plans.single import SinglePlan
from geomdp.privacy import Cost, GaussianCost, PureCost
from geomdp.statistics.encoded import Encoded
from geomdp.statistics.linear import LinearStatistic
from geomdp.typing import Array

#: Sums are read off if there are at most so many times the expected records.
MANY = 16
#: Nor does noise of so many deviations leave the modulus.
DEVIATIONS = 64


@dataclass(frozen=True)
class SiteNoise:
    """What each site draws: rounded Gaussians, or shares of discrete Laplace noise.

    Attributes
    ----------
    honest
        Sites whose noise together keeps the promise.
    counted
        Coordinates that are shared: those that are shrunk to nothing are 0 for everybody.
    spreads
        Standard deviation on each of them, in lattice steps; empty where the noise is pure.
    rates
        Exponents of discrete Laplace noise on each; empty where it is Gaussian.
    scale
        Standard deviation that one site adds to the sum, in units of the statistic's profile.
    cost
        What the opened total tells of one record.
    modulus
        In which sum and noise are shared.
    """

    honest: int
    counted: tuple[int, ...]
    spreads: tuple[float, ...]
    rates: tuple[Fraction, ...]
    scale: float
    cost: Cost
    modulus: Modulus

    def draw(self, entropy: Entropy) -> list[int]:
        """Draw one site's noise, exactly."""
        if self.rates:
            return [laplace_share(rate, self.honest, entropy) for rate in self.rates]
        zeros = [Fraction(0)] * len(self.counted)
        return rounded_gaussian(zeros, np.array(self.spreads), entropy)


def site_noise(plan: SinglePlan, honest: int) -> SiteNoise:
    """Return the noise that makes any ``honest`` sites keep the plan's promise together.

    Nothing of it depends on the number of records (docs/theory/consortium.md).
    """
    request = plan.request
    linear = linear_of(request)
    lattice = Lattice.within(linear.radius, linear.record_bits)
    every = coordinate_weights(linear, lattice)
    counted = tuple(i for i, weight in enumerate(every) if weight > 0)
    weights = [every[i] for i in counted]
    pure = request.budget.has_epsilon and not request.budget.has_delta
    if pure:
        # The l1 length of a change is at most sqrt(d) times its l2 length.
        length = root_above(Fraction(len(weights))) * linear.diameter
        rates = tuple(request.epsilon * weight / length for weight in weights)
        scale = root_above(Fraction(2, honest)) * length / request.epsilon
        cost: Cost = PureCost(request.epsilon)
    else:
        mu = Fraction(allowed_mu("a consortium", request))
        rates = ()
        scale = common_scale(linear.diameter, weights, honest, mu)
        cost = GaussianCost(mu)
    spreads = tuple(float_above(scale / weight) for weight in weights)
    largest = largest_sum(linear, lattice, counted, request.n)
    noise = ceil(DEVIATIONS * max(spreads)) * honest
    return SiteNoise(
        honest,
        counted,
        () if pure else spreads,
        rates,
        float_above(scale),
        cost,
        Modulus.holding(largest + noise),
    )


def linear_of(request: Request) -> LinearStatistic:
    """Return the linear statistic whose integers sites add up, or refuse."""
    view = request.statistic.as_linear()
    if view is None:
        raise MechanismRefusedError(
            "Sites can add up linear statistics only; use TangentMean in place of a Fréchet mean, "
            "or moments, regressions, curves or maps."
        )
    return view.linear


def coordinate_weights(linear: LinearStatistic, lattice: Lattice) -> list[Fraction]:
    """Return what one lattice step of each coordinate's sum counts in units of the profile."""
    step = Fraction(2) ** lattice.exponent
    columns = (linear.shrinkage.tolist(), linear.degrees.tolist(), linear.noise_profile.tolist())
    return [
        abs(Fraction(shrunk)) * step**degree / Fraction(profile)
        for shrunk, degree, profile in zip(*columns, strict=True)
    ]


def largest_sum(linear: LinearStatistic, lattice: Lattice, counted: Sequence[int], n: int) -> int:
    """Bound the size of a coordinate's sum over many times the expected records."""
    # No entry of a vector is longer than the vector.
    longest = ceil(root_above(Fraction(lattice.largest_square)))
    most = (int(linear.largest[i]) * longest ** int(linear.degrees[i]) for i in counted)
    return MANY * n * max(most)


#: Numbers that a forecast of pure noise draws.
_DRAWN = 1 << 19


@dataclass(frozen=True, eq=False)
class NoiseOfSites(Mechanism):
    """Noise that each site draws for itself, added to exact integer sums."""

    name: ClassVar[str] = "site-noise"
    in_coordinates: ClassVar[bool] = True

    noise: SiteNoise
    count: int

    def calibrate(self, request: Any) -> Calibration:
        """Refuse: a consortium is planned with its sites, by ``geomdp.consortium``."""
        raise MechanismRefusedError("Noise of sites is planned by geomdp consortium plan.")

    def fitted(self, asked: SinglePlan, n: int, caveats: tuple[str, ...]) -> Calibration:
        """Return the calibration for an opened or expected number of records."""
        linear = linear_of(asked.request)
        request = replace(asked.request, n=n)
        scale = self.noise.scale * sqrt(self.count) / n
        linear.require_resolution(scale * float(np.linalg.norm(linear.noise_profile)))
        vector = linear.noise_profile[linear.degrees == 1]
        require_resolved(request.statistic, scale * float(np.linalg.norm(vector)))
        kind = "discrete Laplace" if self.noise.rates else "rounded Gaussian"
        law = f"{kind} noise of {self.count} sites in coordinates, each drawn exactly"
        sensitivity = linear.sensitivity(n, request.bound)
        told = (*asked.calibration.caveats, *caveats)
        return Calibration(
            request, scale, sensitivity, self.noise.cost, law, "consortium", caveats=told
        )

    def coordinates(self, calibration: Calibration) -> LinearStatistic:  # noqa: D102
        return linear_of(calibration.request)

    def forecast(self, calibration: Calibration) -> Forecast:
        """Use the Gaussian law, or simulate shares of Laplace noise."""
        linear = self.coordinates(calibration)
        if not self.noise.rates or np.any(linear.bias_deviations):
            return gaussian_forecast(linear, calibration.scale)
        size = linear.noise_profile.size
        drawn = self._shares(np.random.default_rng(0), max(64, _DRAWN // size), size)
        errors = linear.error_of(calibration.scale * linear.noise_profile * drawn)
        note = "simulated: shares of Laplace noise"
        more = linear.forecast_note(calibration.scale)
        return forecast_of_sample(errors, "; ".join(filter(None, (note, more))))

    def draw(
        self, calibration: Calibration, encoded: Encoded, entropy: Entropy, size: int = 1
    ) -> Array:
        """Draw for forecasts and pictures alone: releases are opened, not drawn."""
        linear, n = self.coordinates(calibration), calibration.request.n
        totals = integer_totals(calibration.request.statistic, encoded)
        center = np.array([float(m) for m in mean_of_totals(linear, totals, len(encoded))])
        rng = np.random.default_rng(int.from_bytes(entropy.take(8), "little"))
        shape = (size, len(totals))
        drawn = self._shares(rng, *shape) if self.noise.rates else rng.normal(size=shape)
        scale = self.noise.scale * sqrt(self.count) / n
        noise = np.where(linear.shrinkage != 0, scale * linear.noise_profile * drawn, 0.0)
        return np.asarray(linear.decode(center + noise))

    def _shares(self, rng: np.random.Generator, rows: int, columns: int) -> Array:
        """Draw sums of all sites' shares, of deviation 1: differences of Gamma numbers."""
        shape = self.count / self.noise.honest
        one, two = rng.gamma(shape, size=(2, rows, columns))
        return np.asarray((one - two) / sqrt(2 * shape))
