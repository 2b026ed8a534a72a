"""How often a law on a ball accepts for a mean on its boundary: bounded first, then simulated."""

from itertools import pairwise
from typing import Protocol

import numpy as np

from geomdp.intervals import float_above, interval, precision
from geomdp.mechanisms.linear_forecast import FEWEST_DRAWS, MOST_NUMBERS, curved_draws
from geomdp.mechanisms.one_sided import BITS, half_angle, share_of_directions
from geomdp.noise.entropy import SeededEntropy
from geomdp.noise.rejection import Law, acceptance_rate
from geomdp.spaces.ball import Ball
from geomdp.typing import Array

#: A bound this many times below the limit decides: a simulation would not say otherwise.
CLEARLY = 100
#: The fewest proposals of a simulation: a share needs more than a mean length in high dimension.
FEWEST_PROPOSALS = 32
#: Quantiles of the distance of a proposal from the footpoint, between which shares are bounded.
QUANTILES = (*(10.0**-power for power in range(9, 1, -1)), 0.1, 0.5, 1.0)


class BallLaw(Law, Protocol):
    """A law on a ball whose proposals are a distance and a direction from a footpoint."""

    @property
    def ball(self) -> Ball:
        """The public ball: what falls outside is rejected."""

    def distances(self, u: Array) -> Array | None:
        """Quantiles of the distance; None where it is not independent of a uniform direction."""


def boundary_acceptance(law: BallLaw, limit: float) -> float:
    """Share of proposals that a law at a boundary point accepts, by a seeded simulation.

    0 where a bound says that it is far below the limit: in high dimension nearly all directions
    leave the ball, and to simulate them takes longer than all the rest of a plan.

    Examples
    --------
    >>> import geomdp as dp
    >>> from geomdp.noise.ball_law import BallLaplaceLaw
    >>> ball = Ball(dp.Sphere(2), [0, 0, 1], 0.3)
    >>> law = BallLaplaceLaw(ball, ball.boundary_point(), 0.05)
    >>> 0.2 < boundary_acceptance(law, 0.01) < most_acceptance(law) < 0.5
    True
    """
    if is_hopeless(law, limit):
        return 0.0
    dim = law.ball.space.dim
    fewest = min(FEWEST_DRAWS, max(FEWEST_PROPOSALS, MOST_NUMBERS // dim))
    return acceptance_rate(law, SeededEntropy(0), max(fewest, curved_draws(dim)))


def is_hopeless(law: BallLaw, limit: float) -> bool:
    """Tell whether the acceptance at a boundary point is surely far below a limit.

    >>> import geomdp as dp
    >>> from geomdp.noise.ball_law import BallLaplaceLaw
    >>> ball = Ball(dp.Sphere(1000), np.eye(1001)[0], 0.3)
    >>> [is_hopeless(BallLaplaceLaw(ball, ball.boundary_point(), s), 0.01) for s in (1e-5, 1e-3)]
    [False, True]
    """
    return most_acceptance(law) < limit / CLEARLY


def most_acceptance(law: BallLaw) -> float:
    """Upper bound of the acceptance at a boundary point, from the directions that stay in the ball.

    On a ball that is convex and small for the curvature, a triangle of the centre, the footpoint
    and a point inside has no larger angle than with the same sides on the sphere of the largest
    curvature (Alexandrov), and directions within that angle are fewer the longer the way.
    """
    ball = law.ball
    _, k_max = ball.space.curvature_bounds
    quarter = np.pi / (2 * np.sqrt(k_max)) if k_max > 0 else np.inf
    nearest = law.distances(np.array(QUANTILES[:-1]))
    if nearest is None or not np.all((nearest > 0) & (nearest < np.inf)):
        return 1.0
    if not ball.radius < min(quarter, ball.space.injectivity_radius / 2):
        return 1.0
    with precision(BITS):
        radius = interval(ball.radius)
        shares = [
            share_of_directions(ball.space.dim, half_angle(k_max, radius, interval(t), radius))
            for t in nearest.tolist()
        ]
        steps = [interval(b) - interval(a) for a, b in pairwise(QUANTILES)]
        parts = (step * share for step, share in zip(steps, shares, strict=True))
        return float_above(sum(parts, interval(QUANTILES[0])))
