"""The noise that one site adds to its own integers, for a plan of any linear statistic."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

import numpy as np

from geomdp.consortia.shares import Modulus
from geomdp.consortia.splitting import common_scale, root_above
from geomdp.errors import MechanismRefusedError
from geomdp.intervals import float_above
from geomdp.mechanisms.base import Request
from geomdp.mechanisms.gaussian_noise import allowed_mu
from geomdp.noise.entropy import Entropy
from geomdp.noise.lattice import Lattice
from geomdp.noise.lattice_gaussian import rounded_gaussian
from geomdp.noise.negative_binomial import laplace_share
from geomdp.plans.single import SinglePlan
from geomdp.privacy import Cost, GaussianCost, PureCost
from geomdp.statistics.linear import LinearStatistic

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
    largest = _largest_sum(linear, lattice, counted, request.n)
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


def _largest_sum(linear: LinearStatistic, lattice: Lattice, counted: Sequence[int], n: int) -> int:
    """Bound the size of a coordinate's sum over many times the expected records."""
    # No entry of a vector is longer than the vector.
    longest = ceil(root_above(Fraction(lattice.largest_square)))
    most = (int(linear.largest[i]) * longest ** int(linear.degrees[i]) for i in counted)
    return MANY * n * max(most)
