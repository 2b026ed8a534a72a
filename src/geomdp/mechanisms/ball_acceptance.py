"""How often a law on a ball accepts for a mean on its boundary: bounded first, then simulated."""

from fractions import Fraction
from itertools import pairwise
from typing import Protocol

import numpy as np

from geomdp.intervals import Interval, float_above, float_below, from_floats, interval, precision
from geomdp.mechanisms.forecast import DRAWN_NUMBERS, FEWEST_DRAWS, curved_draws
from geomdp.mechanisms.one_sided import (
    BITS,
    even_nodes,
    generalized_sine,
    half_angle,
    mass_below,
    share_of_directions,
)
from geomdp.noise.entropy import SeededEntropy
from geomdp.noise.kng_envelope import MEAN_ROOM, Envelope
from geomdp.noise.rejection import Law, acceptance_rate
from geomdp.noise.tangent_hat import TangentHat
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
    leave the ball, and to simulate them takes longer than all the rest of a plan; and where floats
    cannot tell how far proposals lie from the centre of so wide a ball.
    """
    if is_hopeless(law, limit):
        return 0.0
    dim = law.ball.space.dim
    fewest = min(FEWEST_DRAWS, max(FEWEST_PROPOSALS, DRAWN_NUMBERS // dim))
    try:
        return acceptance_rate(law, SeededEntropy(0), max(fewest, curved_draws(dim)))
    except np.linalg.LinAlgError:
        return 0.0


def is_hopeless(law: BallLaw, limit: float) -> bool:
    """Tell whether the acceptance at a boundary point is surely far below a limit."""
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


# --- how many tries the K-norm gradient mechanism needs on the worst data set (docs/theory/kng.md)


#: Cells of the sum along the radius.
CELLS = 400


def least_acceptance(ball: Ball, envelope: Envelope, hat: TangentHat, scale: float) -> float:
    """Lower bound of the acceptance of the public envelope over all data sets in the ball.

    The gradient is bounded above, the volume and the share of directions that stay in the ball
    below, by comparison with constant curvature; the worst mean lies on the boundary. Proved, in
    interval arithmetic: section 3 of the page.
    """
    with precision(BITS):
        # The public shape is a multiple of the identity, so one entry is its determinant's root.
        stretch = interval(float(envelope.shape[0, 0]))
        jacobian = stretch * (stretch / envelope.shrink) ** (ball.space.dim - 1)
        proposed = np.sum(hat.areas(from_floats(np.ones(1)))) * jacobian
        accepted = _accepted_mass(ball, envelope, hat, scale)
        loss = (-2 * interval(envelope.slack) / scale).exp()
        return float_below(accepted / proposed * loss)


def tries_needed(acceptance: float, epsilon: Fraction, delta: Fraction) -> float:
    """Return the smallest N with ``e^epsilon (1 - acceptance)^N <= delta``, proved."""
    if not 0 < acceptance <= 1:
        return float("inf")
    if acceptance == 1:
        return 1.0
    with precision(BITS):
        ratio = (interval(epsilon) - interval(delta).log()) / -(-interval(acceptance)).log1p()
        return float(max(1, int(ratio.upper().ceil().unique_fmpz())))


def _accepted_mass(ball: Ball, envelope: Envelope, hat: TangentHat, scale: float) -> Interval:
    """Mass of the target over the directions and radii that certainly count, in the hat's units."""
    space = ball.space
    k_min, _ = space.curvature_bounds
    inner = ball.radius - envelope.slack - space.log_rounding(ball.center, ball.radius)
    if inner <= 0:
        return interval(0)
    top = min(inner, float(hat.knots[-1] * envelope.shape[0, 0]) * (1 - 1e-12))

    def log_weight(t: Interval) -> Interval:
        gradient = t * _largest_hessian(ball, t) / scale
        volume = generalized_sine(space.curvature_bounds[1], t).log()
        return (space.dim - 1) * volume - gradient - hat.top

    nodes = even_nodes(
        lambda t: float(log_weight(interval(t)).mid()), 1e-6 * min(top, scale), top, CELLS
    )
    # Within the slack of the boundary no direction counts: small cells where that ends.
    nodes = np.union1d(nodes, np.geomspace(nodes[0], nodes[1], CELLS // 10))
    radius, edge = interval(ball.radius), interval(inner)
    rows = []
    for t in from_floats(nodes):
        angle = half_angle(k_min, radius, t, edge)
        rows.append((t, log_weight(t), share_of_directions(space.dim, angle).lower()))
    # Shares have one peak along the radius, so that the smaller end of a cell bounds all of it.
    parts = (
        mass_below(log_a, log_b, b - a) * share_a.min(share_b)
        for (a, log_a, share_a), (b, log_b, share_b) in pairwise(rows)
    )
    return sum(parts, interval(0))


def _largest_hessian(ball: Ball, t: Interval) -> Interval:
    """Upper bound of the gradient at distance ``t`` from the mean, over ``t``.

    Sharper than Lemma 1 of Soto et al. (2022) for negative curvature: the mean squared distance of
    the records is at most the squared radius, and the Hessian's bound is concave in it.
    """
    k_min, _ = ball.space.curvature_bounds
    if k_min >= 0:
        return interval(1)
    x = interval(-k_min).sqrt() * (interval(MEAN_ROOM) * ball.radius + t)
    return x * x.coth()
