"""Float geometry against intervals of 200 bits: no error exceeds the bound that privacy rests on.

The bounds are derived on docs/theory/clipping.md; these tests can refute them.
"""

import numpy as np
import pytest
from spaces_exact import SPACES, distance_error, exp_error, frame_log_error, log_error

from geomdp import intervals
from geomdp.mechanisms.wrapped import FRAME_ROUNDING
from geomdp.spaces import SPD, Ball, Euclidean, Hyperbolic, PlanarShapes, Sphere
from geomdp.testing import some_balls
from geomdp.testing.exact import BITS, distances_from

EACH = pytest.mark.parametrize("space", SPACES, ids=lambda space: space.spec)


def reached(ball, lengths, rng):
    """Tangent vectors at the centre of these lengths, and the points that they lead to."""
    space = ball.space
    v = rng.standard_normal((len(lengths), space.dim))
    v *= lengths[:, None] / np.linalg.norm(v, axis=1, keepdims=True)
    points = space.canonical(space.frame_exp(ball.center, v))
    return space.log(ball.center, points), points


def errors(ball, count, rng):
    """Largest errors inside the ball, in units of what each is allowed."""
    space, bound = ball.space, ball.space.log_rounding(ball.center, ball.radius)
    v, points = reached(ball, ball.radius * rng.uniform(0.01, 1, count), rng)
    _, others = reached(ball, ball.radius * rng.uniform(0.01, 1, count), rng)
    pairs = [(p, q[None]) for p, q in zip(others, points, strict=True)]
    with intervals.precision(BITS):
        found = {
            "dist": distance_error(space, ball.center, points),
            "log": log_error(space, ball.center, points),
            "dist of pairs": max(distance_error(space, p, q) for p, q in pairs),
            "log of pairs": max(log_error(space, p, q) for p, q in pairs),
            "frame_log": frame_log_error(space, ball.center, points) / FRAME_ROUNDING,
            "exp": exp_error(space, ball.center, v) / FRAME_ROUNDING,
        }
    return {name: error / bound for name, error in found.items()}


@EACH
def test_errors_inside_the_ball(space):
    rng = np.random.default_rng(0)
    for ball in some_balls(space)[::2]:
        assert max(errors(ball, 3, rng).values()) <= 1


@pytest.mark.slow
@EACH
def test_errors_inside_the_ball_for_many_points(space):
    rng = np.random.default_rng(1)
    for ball in some_balls(space):
        assert max(errors(ball, 100, rng).values()) <= 1


def conditioned(k, condition, seed=0):
    turn, _ = np.linalg.qr(np.random.default_rng(seed).standard_normal((k, k)))
    x = (turn * np.geomspace(1, condition, k)) @ turn.T
    return (x + x.T) / 2


def at_height(dim, away):
    return Hyperbolic(dim).point(np.sinh(away) * np.linspace(1, 2, dim) / np.sqrt(dim))


HARD = [
    *(Ball(Hyperbolic(2), at_height(2, away), r) for away in (5.0, 8.0, 12.0) for r in (0.01, 2.0)),
    Ball(Hyperbolic(5), at_height(5, 8.0), 1.0),
    *(Ball(SPD(3), conditioned(3, condition), 0.5) for condition in (1e4, 1e8)),
    *(Ball(SPD(3, "log-euclidean"), conditioned(3, condition), 0.5) for condition in (1e4, 1e8)),
    *(Ball(SPD(2), size * np.eye(2), 0.01) for size in (1e-90, 1e60)),
    *(
        Ball(SPD(k, "log-euclidean"), size * np.eye(k), 0.01)
        for size in (1e-90, 1e60)
        for k in (1, 3)
    ),
    Ball(Sphere(2, curvature=1e-150), np.array([0.0, 0.6e75, 0.8e75]), 1e74),
    Ball(Sphere(2, curvature=1e150), np.array([0.0, 0.6e-75, 0.8e-75]), 1e-76),
    Ball(Euclidean(300), np.full(300, 1e9), 1.0),
    Ball(PlanarShapes(4), np.array([1e-9, 1e-9j, 1, -1]), 0.5),
]


@pytest.mark.parametrize("ball", HARD, ids=lambda ball: f"{ball.space.spec}, {ball.radius:g}")
def test_errors_in_hard_balls(ball):
    """High up, ill-conditioned, in odd units: the boost of a frame and large logs failed here."""
    assert max(errors(ball, 12, np.random.default_rng(2)).values()) <= 1


@EACH
def test_errors_of_distances_outside_the_ball(space):
    """What decides whether a record is inside: the same bound, at the distance of the record."""
    rng = np.random.default_rng(3)
    for ball in some_balls(space)[1::3]:
        for share in (1.01, 2.0, 4.0):
            length = min(share * ball.radius, 0.999 * space.injectivity_radius)
            _, points = reached(ball, np.full(3, length), rng)
            with intervals.precision(BITS):
                error = distance_error(space, ball.center, points)
            assert error <= space.log_rounding(ball.center, length)


# --- the tests above can fail -----------------------------------------------------------------


@pytest.mark.parametrize(
    "space",
    [Sphere(1), Sphere(2), SPD(2), SPD(2, "log-euclidean"), Euclidean(4), Hyperbolic(2)],
    ids=lambda space: space.spec,
)
def test_without_a_margin_records_leave_the_ball(space):
    """Aiming at the radius itself, some records are rounded out: the margin is needed."""
    rng = np.random.default_rng(4)
    excess = []
    for ball in some_balls(space):
        _, far = reached(
            ball, np.full(20, min(2 * ball.radius, 0.9 * space.injectivity_radius)), rng
        )
        object.__setattr__(ball, "_margin", 0.0)
        object.__setattr__(ball, "_checked", ball.radius)
        with intervals.precision(BITS):
            excess += [
                float((d - ball.radius).lower()) for d in distances_from(ball, ball.clip(far))
            ]
    assert max(excess) > 0


@pytest.mark.parametrize(
    ("space", "factor"),
    [(Sphere(1), 100), (Euclidean(4), 100), (SPD(3, "log-euclidean"), 100), (SPD(2), 5000)],
    ids=str,
)
def test_a_bound_too_small_by_this_factor_is_refuted(space, factor):
    rng = np.random.default_rng(5)
    worst = max(max(errors(ball, 10, rng).values()) for ball in some_balls(space))
    assert worst > 1 / factor
