"""Running totals of a growing data set: coefficients, weights, and the law of their error.

In step t noise is added to ``sum_s c_(t-s) x_s``, x_s the sum over the records that entered in step
s; the running totals are weighted sums of what was published. Proofs: docs/theory/over-time.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb, fsum
from typing import ClassVar

import numpy as np

from geomdp.errors import MechanismRefusedError
from geomdp.intervals import interval, precision, round_up
from geomdp.mechanisms.base import Calibration, Request
from geomdp.mechanisms.gaussian_noise import allowed_mu, integer_totals, mean_of_totals
from geomdp.mechanisms.grids import Grid, lattice_exponents, spreads_of
from geomdp.mechanisms.tangent_gaussian import TangentGaussian
from geomdp.privacy import GaussianCost
from geomdp.statistics.encoded import Encoded
from geomdp.statistics.linear import LinearView
from geomdp.typing import Array

#: Coefficients are multiples of 2 to minus this power, so that weighted integer sums stay exact.
DYADIC = 24
#: Page of docs/theory with the proof.
PROOF = "over-time"


def square_root(steps: int) -> tuple[Fraction, ...]:
    """Return the coefficients ``C(2i, i) / 4^i``, rounded to dyadic numbers."""
    unit = 1 << DYADIC
    return tuple(Fraction(round(Fraction(comb(2 * i, i) * unit, 4**i)), unit) for i in range(steps))


@dataclass(frozen=True)
class Scheme:
    """Coefficients ``c_0 = 1, c_1, ...`` of a public number of steps, and what follows."""

    coefficients: tuple[Fraction, ...]

    @property
    def steps(self) -> int:
        """How many releases there may be."""
        return len(self.coefficients)

    @property
    def square(self) -> Fraction:
        """Sum of the squares: what a record costs over all steps, in units of one release."""
        return sum((c * c for c in self.coefficients), Fraction(0))

    @cached_property
    def weights(self) -> Array:
        """First column (T,) of ``B = A C^-1``, which turns what was published into totals."""
        c = [float(one) for one in self.coefficients]
        inverse = [1 / c[0]]
        for k in range(1, self.steps):
            inverse.append(-fsum(c[i] * inverse[k - i] for i in range(1, k + 1)) / c[0])
        return np.array([fsum(inverse[: k + 1]) for k in range(self.steps)])

    @property
    def lengths(self) -> Array:
        """Deviation (T,) of each running total, in units of the noise of a step."""
        return np.sqrt(np.cumsum(self.weights**2))

    @property
    def largest_error(self) -> float:
        """Deviation of the last total, in units of the noise of one release alone."""
        return float(np.sqrt(float(self.square)) * np.max(self.lengths))

    @property
    def rms_error(self) -> float:
        """Root mean square of the deviations of all totals, in the same units."""
        return float(np.sqrt(float(self.square) * np.mean(self.lengths**2)))

    def mixed(self, sums: Sequence[Sequence[Fraction]]) -> list[Fraction]:
        """Return what noise is added to in the step that the last of the sums entered in."""
        mixed = [Fraction(0)] * len(sums[-1])
        for c, one in zip(reversed(self.coefficients[: len(sums)]), sums, strict=True):
            mixed = [before + c * more for before, more in zip(mixed, one, strict=True)]
        return mixed

    def totals(self, published: Array) -> Array:
        """Return the running totals (t, D) that belong to what was published (t, D): free.

        Term by term, so that every machine adds alike.
        """
        found = np.zeros_like(published)
        with np.errstate(all="ignore"):
            for t in range(len(published)):
                for s in range(t + 1):
                    found[t] += self.weights[t - s] * published[s]
        return found


class RunningTotals(TangentGaussian):
    """Noise on weighted sums of the records of each step, of which totals are read off."""

    name: ClassVar[str] = "running-totals"

    def view(self, request: Request) -> LinearView:
        """Return what is asked as a sum of coordinates, or refuse."""
        found = request.statistic.as_linear()
        if found is None:
            raise MechanismRefusedError(
                "Releases over time need a linear statistic: TangentMean, moments, classes, an "
                "extrinsic mean, distributions, curves, maps, or a Fréchet mean on a flat space."
            )
        return found

    def unit_cost(self, request: Request, scheme: Scheme) -> Fraction:
        """Square of mu of a record in one step of coefficient 1: the budget over all steps."""
        if request.budget.has_epsilon:
            raise MechanismRefusedError(
                f"Releases over time add Gaussian noise, whose steps add up exactly; plan with "
                f"GDP(mu) or ZCDP(rho) (--mu, --rho), not {request.budget.words()}."
            )
        return Fraction(allowed_mu(self.name, request)) ** 2 / scheme.square

    def noise(self, request: Request, scheme: Scheme) -> float:
        """Deviation of a step's noise on sums, in units of the profile, rounded up."""
        square = self.view(request).linear.diameter ** 2 / self.unit_cost(request, scheme)
        with precision(128):
            return float(np.nextafter(float(round_up(interval(square).sqrt())), np.inf))

    def calibrated(
        self, request: Request, scheme: Scheme, step: int, again: bool = False
    ) -> Calibration:
        """Return the calibration of the running mean after a step (from 1) over n records.

        Its cost is what the step adds to the record that has spent most: one of the first step. A
        step that is drawn again costs what it may add to any record: a whole release.
        """
        linear = self.view(request).linear
        scale = self.noise(request, scheme) * float(scheme.lengths[step - 1]) / request.n
        linear.require_resolution(scale * float(np.linalg.norm(linear.noise_profile)))
        added = scheme.coefficients[0 if again else step - 1] ** 2
        return Calibration(
            request,
            scale,
            linear.sensitivity(request.n, request.bound),
            GaussianCost.of_square(self.unit_cost(request, scheme) * added),
            law="weighted sums of Gaussian noise in coordinates, correctly rounded",
            proof=PROOF,
            facts={"noise of a step on sums": self.noise(request, scheme)},
        )

    def grid(self, calibration: Calibration) -> Grid | None:
        """Return no grid: totals are weighted sums; what was published lies on one."""
        return None

    def sums(self, request: Request, encoded: Encoded | None) -> list[Fraction]:
        """Return the exact sums (D,) of the records of one step; of none they are 0."""
        linear = self.view(request).linear
        none = [0] * linear.degrees.size
        found = none if encoded is None else integer_totals(request.statistic, encoded)
        return mean_of_totals(linear, found, 1)

    def steps_of(self, request: Request, scheme: Scheme) -> tuple[Array, Array]:
        """Return the deviations (D,) of a step's noise, and the steps (D,) of its lattice."""
        spreads = spreads_of(self.view(request).linear, self.noise(request, scheme))
        return spreads, np.ldexp(1.0, lattice_exponents(spreads))


RUNNING_TOTALS = RunningTotals()
