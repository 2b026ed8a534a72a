"""The exponential mechanism on a grid of radii, with a one-sided score."""

from fractions import Fraction
from typing import ClassVar

import numpy as np

from geomdp.errors import MechanismRefusedError
from geomdp.intervals import float_above
from geomdp.mechanisms.base import (
    MANIFOLDS,
    MECHANISMS,
    Calibration,
    Mechanism,
    Request,
    require_epsilon,
)
from geomdp.mechanisms.forecast import Forecast, forecast_of_sample
from geomdp.mechanisms.pair_law import PairLaw, listed_law
from geomdp.noise.discrete_exponential import draw_indices, probabilities
from geomdp.noise.entropy import Entropy
from geomdp.privacy import PureCost
from geomdp.statistics.base import Statistic
from geomdp.statistics.cover_radius import Cover
from geomdp.statistics.encoded import Encoded
from geomdp.typing import Array

#: Quantiles of its law that stand for a forecast.
FORECAST_DRAWS = 4000


class Exponential(Mechanism):
    """Radius j of the grid with probability proportional to ``2**j exp(-epsilon k_j)``.

    The score is one-sided, so that epsilon needs no half, and the log-ratios of neighbours have a
    bounded range of epsilon (docs/theory/private-ball.md, section 1).
    """

    name: ClassVar[str] = "exponential"
    papers: ClassVar[tuple[str, ...]] = (MANIFOLDS,)

    def concerns(self, statistic: Statistic) -> bool:
        """Radii only."""
        return statistic.as_cover() is not None

    def calibrate(self, request: Request) -> Calibration:
        """Refuse other statistics, and budgets without an epsilon."""
        asked = _radius(request)
        require_epsilon(self.name, request)
        if asked.outside >= request.n:
            raise MechanismRefusedError(
                f"{self.name}: {asked.outside} of {request.unit.count(request.n)} may lie "
                "outside, so that nothing is asked; allow fewer."
            )
        return Calibration(
            request,
            float_above(1 / request.epsilon),
            asked.sensitivity(request.n, request.bound),
            PureCost(request.epsilon, bounded_range=True),
            law="exponential mechanism on a grid of radii, one-sided score",
            proof="private-ball",
            facts={"smallest radius": float(asked.radii[-1])},
        )

    def forecast(self, calibration: Calibration) -> Forecast:
        """Law of the radius beyond the smallest that serves, if all records lie well within."""
        asked, n = _radius(calibration.request), calibration.request.n
        (depth,) = asked.depths(np.array([asked.spread * asked.top])).tolist()
        short = [0 if j <= depth else n - asked.outside for j in range(asked.steps + 1)]
        law = probabilities([(j, calibration.request.epsilon * k) for j, k in enumerate(short)])
        at = (np.arange(FORECAST_DRAWS) + 0.5) / FORECAST_DRAWS
        drawn = asked.radii[np.minimum(np.searchsorted(np.cumsum(law), at), asked.steps)]
        return forecast_of_sample(
            np.abs(drawn - asked.radii[depth]),
            f"of the radius, if all {calibration.request.unit.plural} lie within "
            f"{asked.spread:.3g} of the widest one",
        )

    def settle(self, calibration: Calibration, encoded: Encoded) -> None:
        """Count the records of each radius."""
        _radius(calibration.request).shortfalls(encoded)

    def least_ratio(self, calibration: Calibration) -> float:
        """One, as the score is one-sided."""
        return 1.0

    def pair_law(  # noqa: D102
        self, calibration: Calibration, first: Encoded, second: Encoded
    ) -> PairLaw:
        asked, epsilon = _radius(calibration.request), calibration.request.epsilon
        here, there = (probabilities(asked.weights(one, epsilon)) for one in (first, second))
        return listed_law((here, there), lambda drawn: np.searchsorted(-asked.radii, -drawn[:, 0]))

    def draw(  # noqa: D102
        self, calibration: Calibration, encoded: Encoded, entropy: Entropy, size: int = 1
    ) -> Array:
        asked = _radius(calibration.request)
        weights = asked.weights(encoded, calibration.request.epsilon)
        return asked.radii[draw_indices(weights, entropy, size)][:, None]


def largest_steps(epsilon: Fraction, enough: int, beta: float) -> int:
    """Return how many steps leave an empty ball a probability of at most ``beta``.

    With N_0 at least ``enough``, a radius whose ball is empty is drawn with probability at most
    ``2**(m+1) exp(-epsilon enough)`` (docs/theory/private-ball.md, section 3). May be negative.
    """
    room = float(epsilon * enough) - float(np.log(1 / beta))
    return int(np.floor(room / np.log(2))) - 1


def _radius(request: Request) -> Cover:
    asked = request.statistic.as_cover()
    if asked is None:
        raise MechanismRefusedError("exponential finds radii of balls and nothing else.")
    return asked


MECHANISMS.register(Exponential.name, Exponential())
