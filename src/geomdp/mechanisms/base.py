"""What every mechanism offers: refuse with a reason, calibrate, forecast, draw."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import ClassVar, TypeAlias

import numpy as np

from geomdp.errors import MechanismRefusedError
from geomdp.mechanisms.forecast import Forecast
from geomdp.mechanisms.grids import GRID_DIGITS, Grid, linear_grid
from geomdp.mechanisms.pair_law import PairLaw
from geomdp.noise.entropy import Entropy
from geomdp.noise.rejection import Law
from geomdp.options import Given, Option
from geomdp.privacy import Cost, Unit
from geomdp.privacy.base import Budget
from geomdp.privacy.gaussian import GaussianFormula
from geomdp.privacy.guarantee import Guarantee, Strength
from geomdp.readings.base import Reading
from geomdp.registry import Registry
from geomdp.spaces.admission import Policy
from geomdp.spaces.ball import Ball
from geomdp.spaces.base import Space
from geomdp.statistics.base import PointStatistic, Statistic
from geomdp.statistics.encoded import Encoded, as_encoded
from geomdp.statistics.linear import LinearStatistic
from geomdp.statistics.sensitivity import Bound, Sensitivity
from geomdp.typing import Array

#: Whom most mechanisms on spaces go back to.
MANIFOLDS = (
    "Reimherr, M., Bharath, K., Soto, C. (2021). Differential Privacy Over Riemannian Manifolds. "
    "Advances in Neural Information Processing Systems 34. arXiv:2111.02516."
)
#: Public numbers and remarks by name.
Facts: TypeAlias = Mapping[str, float | str]


@dataclass(frozen=True, eq=False)
class Request:
    """What is asked for: all of it public."""

    statistic: Statistic
    n: int
    budget: Budget
    bound: Bound = "sharp"
    #: How an (epsilon, delta) is turned into Gaussian noise.
    gaussian: GaussianFormula = "analytic"
    invalid: Policy = "refuse"
    unit: Unit = field(default_factory=Unit.record)
    #: What a raw record means; None where records are points already.
    reading: Reading | None = None
    #: Public names of a record's parts (:mod:`geomdp.readings.names`); they calibrate nothing.
    names: tuple[str, ...] = ()

    @property
    def share(self) -> Budget:
        """What the noise is calibrated to: the budget of one record."""
        return self.unit.record_budget(self.budget)

    @property
    def epsilon(self) -> Fraction:
        """Epsilon of one record's share, where the budget has one."""
        return self.share.parts[0]


@dataclass(frozen=True, eq=False)
class Calibration:
    """A mechanism fitted to a request: all of it public.

    Attributes
    ----------
    scale
        Length of the noise.
    sensitivity
        The bound it was calibrated with.
    cost
        The strongest statement that the mechanism makes about one record; None for a comparison,
        of which nothing is proved.
    law
        What is drawn, in words.
    proof
        Page of docs/theory with the proof.
    strength, caveats
        How far the promise goes, and what it leaves out.
    tries
        Public number of proposals, where it is fixed.
    facts
        Further public numbers and remarks for the manifest.
    """

    request: Request
    scale: float
    sensitivity: Sensitivity
    cost: Cost | None
    law: str
    proof: str
    strength: Strength = "exact"
    caveats: tuple[str, ...] = ()
    tries: int | None = None
    facts: Facts = field(default_factory=dict)

    @property
    def guarantee(self) -> Guarantee:
        """What a release will promise, in the budget that was asked for."""
        request = self.request
        return Guarantee(request.budget, self.strength, self.caveats, request.invalid, request.unit)

    @property
    def space(self) -> Space:
        """Where the released point lives."""
        return self._point_statistic.space

    @property
    def ball(self) -> Ball:
        """The public ball of the statistic."""
        ball = self._point_statistic.ball
        if ball is None:
            raise MechanismRefusedError("This statistic has no public ball.")
        return ball

    @property
    def _point_statistic(self) -> PointStatistic:
        if not isinstance(self.request.statistic, PointStatistic):
            raise MechanismRefusedError("This statistic is not a point of a space.")
        return self.request.statistic

    def estimate(self, records: Encoded | Array) -> Array:
        """Return the non-private answer, to the public tolerance."""
        statistic, encoded = self.request.statistic, as_encoded(records)
        tolerance = statistic.tolerance(self.request.n)
        return encoded.once("estimate", partial(statistic.estimate, encoded, tolerance))

    def estimates(self, first: Encoded, second: Encoded) -> tuple[Array, Array]:
        """Return the non-private answers of two data sets."""
        return self.estimate(first), self.estimate(second)

    @property
    def grid_exponent(self) -> int:
        """The public grid has steps of 2 to this power."""
        return int(np.floor(np.log2(self.scale))) - GRID_DIGITS


class Mechanism(ABC):
    """Calibration, exact draw and forecast of one mechanism; no space is named here."""

    name: ClassVar[str]
    #: Whom a release cites.
    papers: ClassVar[tuple[str, ...]] = ()
    #: What the command asks for it.
    options: ClassVar[tuple[Option, ...]] = ()
    #: Comparisons are reachable by name only; ``auto`` never picks them.
    comparison: ClassVar[bool] = False
    #: Whether it adds noise of one law to the coordinates of a linear statistic, so that a part of
    #: the largest change costs that part (docs/theory/persons.md, "Groups").
    in_coordinates: ClassVar[bool] = False
    #: Whether noise in coordinates has the tails of a Laplace law, and not of a Gaussian one.
    heavy: ClassVar[bool] = False
    #: Whether every draw looks at every record again, so that many draws take long.
    looks_at_records: ClassVar[bool] = False

    def asked(self, given: Given) -> str:
        """Name of the mechanism that a plan takes, by what was typed for the :attr:`options`."""
        return self.name

    def concerns(self, statistic: Statistic) -> bool:
        """Whether plans of a statistic should weigh this mechanism, or at least say why not."""
        return True

    def outline(self, request: Request) -> Calibration | None:
        """Return what :meth:`forecast` needs of a calibration that takes long; None if none does.

        With it ``auto`` sees what the mechanism could gain before it is calibrated. Refuses as
        :meth:`calibrate` does, for what can be told at once.
        """
        return None

    def least_error(self, request: Request) -> float:
        """Return a lower bound of the error that would be forecast, at the price of a formula.

        With it ``auto`` simulates nothing that cannot win; 0 where there is none. Refuses as
        :meth:`calibrate` does, for what can be told at once.
        """
        return 0.0

    @abstractmethod
    def calibrate(self, request: Request) -> Calibration:
        """Find the scale from public things alone.

        Raises
        ------
        MechanismRefusedError
            One sentence why this mechanism cannot serve the request, and what would help.
        """

    @abstractmethod
    def forecast(self, calibration: Calibration) -> Forecast:
        """Law of the error, from public things alone."""

    def settle(self, calibration: Calibration, encoded: Encoded) -> None:
        """Ask other machines for all that a draw needs of the records, while nothing is spent.

        What they answer is judged (:mod:`geomdp.statistics.solving.plausible`) and kept.
        """
        calibration.estimate(encoded)

    def coordinates(self, calibration: Calibration) -> LinearStatistic | None:
        """Return whose coordinates noise is added to; None if it is drawn on the space itself."""
        return None

    def grid(self, calibration: Calibration) -> Grid | None:
        """Return the public grid of released values, for verify; None where none is known."""
        linear = self.coordinates(calibration)
        return None if linear is None else linear_grid(linear, calibration.scale)

    def deviation(self, calibration: Calibration) -> float | None:
        """Return the deviation of noise on coordinates, in units of its profile; None without."""
        linear = self.coordinates(calibration)
        if linear is None:
            return None
        # A coordinate of Laplace noise in D dimensions has the variance (D + 1) scale^2
        # (docs/theory/functions.md, section 8).
        spread = float(np.sqrt(linear.noise_blocks[0] + 1)) if self.heavy else 1.0
        return calibration.scale * spread

    def least_ratio(self, calibration: Calibration) -> float | None:
        """Return the least scale that the proof allows, in sensitivities over epsilon (or mu).

        An audit compares in exact fractions. None where the proof has no such number.
        """
        factor = calibration.facts.get("factor")
        return None if factor is None else float(factor)

    def pair_law(self, calibration: Calibration, first: Encoded, second: Encoded) -> PairLaw | None:
        """Return the laws of two data sets, for an audit; None where no formula is known.

        ``PairLaw(log_ratio)`` states no more than their ratio; without any law an audit knows of
        draws alone.
        """
        return None

    def proposals(self, calibration: Calibration, encoded: Encoded) -> Law | None:
        """Return the law whose proposals a public number of tries makes; None if none is fixed."""
        return None

    @abstractmethod
    def draw(
        self, calibration: Calibration, encoded: Encoded, entropy: Entropy, size: int = 1
    ) -> Array:
        """Draw released values for encoded records; release, simulation and audit share it."""


#: Every mechanism by its name, in the order in which plans list them.
MECHANISMS: Registry[Mechanism] = Registry(
    "mechanism",
    own=("geomdp.mechanisms.*",),
    first=(
        *("laplace", "laplace-ball", "kng", "wrapped-laplace"),
        *("tangent-gaussian", "wrapped-gaussian", "riemannian-gaussian"),
        *("linear-laplace", "exponential"),
    ),
    error=MechanismRefusedError,
)


def require_epsilon(name: str, request: Request) -> None:
    """Refuse budgets without an epsilon; pure privacy is approximate too, whatever the delta."""
    if not request.budget.has_epsilon:
        raise MechanismRefusedError(f"{name} needs a pure ε, not {request.budget.words()}.")


def require_resolved(statistic: Statistic, length: float) -> None:
    """Refuse noise in coordinates so long that what it leads to is no point in floats."""
    ball = statistic.public_ball
    if ball is None or ball.space.resolves(ball.center, ball.reach, length):
        return
    raise MechanismRefusedError(
        f"Noise of length {length:.3g} would lead to matrices of {ball.space.spec} that are "
        "singular in floating point; use a larger n, a larger budget, a smaller radius or fewer "
        "variables."
    )
