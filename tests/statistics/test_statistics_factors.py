"""Means on products are solved factor by factor, also where curvature has both signs."""

import sys
from dataclasses import dataclass

import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import InvalidBallError, MechanismRefusedError
from geomdp.statistics import encoded as encoded_module
from geomdp.statistics.encoded import Encoded, encode
from geomdp.statistics.frechet import factors_of
from geomdp.statistics.solving import precision

#: The module; the function of the same name hides it in its package.
STATISTIC = sys.modules["geomdp.statistics.frechet"]

BOTH = dp.Product(dp.Sphere(2), dp.SPD(2), weights=(2.0, 0.5))
THREE = dp.Product(dp.Hyperbolic(2), dp.PlanarShapes(4), dp.Euclidean(2), weights=(0.3, 1.0, 4.0))
ONE_SIGN = dp.Product(dp.Rotations(), dp.Sphere(1), weights=(1.0, 0.2))
SPACES = [BOTH, THREE, ONE_SIGN]
N = 40


def ball_on(space, share=0.9):
    center = space.origin(np.zeros(space.dim))
    limit = STATISTIC.largest_radius(space)
    return dp.Ball(space, center, share * min(limit, 1.5))


def spread_out(ball, n=N, seed=1):
    """Records on the boundary and inside, more on one side."""
    rng = np.random.default_rng(seed)
    v = rng.standard_normal((n, ball.space.dim)) + 0.7
    v *= ball.radius * rng.uniform(0.5, 1.2, (n, 1)) / np.linalg.norm(v, axis=1, keepdims=True)
    return np.asarray(ball.space.canonical(ball.space.frame_exp(ball.center, v)))


def certified(statistic, point, records):
    """Tell whether the contract holds, in 256 bits: inside the ball, and the gradient small."""
    encoded, tolerance = statistic.encode(records), statistic.tolerance(len(records))
    inside = float(statistic.space.dist(statistic.ball.center, point)) <= statistic.ball.radius
    return inside and precision.gradient_norm(statistic.space, point, encoded) <= tolerance


def miss(*_, **__):
    raise np.linalg.LinAlgError("no")


@pytest.mark.parametrize("broken", [(), ("solve",), ("solve", "descend")])
@pytest.mark.parametrize("space", SPACES, ids=lambda s: s.spec)
def test_every_road_alone_meets_the_tolerance(space, broken, monkeypatch):
    """Newton's method, the descent behind it, and the one in 256 bits."""
    ball = ball_on(space)
    statistic, records = dp.FrechetMean(ball), spread_out(ball, 8 if broken else N)
    if "descend" in broken:
        monkeypatch.setattr(STATISTIC, "descend", miss)
    if broken:
        monkeypatch.setattr(dp.FrechetMean, "_newton", miss)
    point = statistic.estimate(statistic.encode(records), statistic.tolerance(len(records)))
    assert certified(statistic, point, records)
    assert space.dist(point, ball.center) > 0.05 * ball.radius


@pytest.mark.parametrize("space", SPACES, ids=lambda s: s.spec)
def test_streamed_records_too(space, monkeypatch):
    ball = ball_on(space)
    statistic, records = dp.FrechetMean(ball), spread_out(ball)
    monkeypatch.setattr(encoded_module, "KEPT_NUMBERS", 0)
    streamed = encode(statistic, dp.Records(records), "refuse")
    assert not streamed.in_memory
    point = statistic.estimate(streamed, statistic.tolerance(N))
    assert certified(statistic, point, records)


@pytest.mark.parametrize("space", SPACES, ids=lambda s: s.spec)
def test_records_on_other_machines_too(space):
    da = pytest.importorskip("dask.array")
    ball = ball_on(space)
    statistic, records = dp.FrechetMean(ball), spread_out(ball)
    blocks = dp.Records(da.from_array(records, chunks=(11, records.shape[1])))
    point = statistic.estimate(encode(statistic, blocks, "refuse"), statistic.tolerance(N))
    assert certified(statistic, point, records)


@pytest.mark.parametrize("space", SPACES, ids=lambda s: s.spec)
def test_neighbours_move_the_mean_no_further_than_the_sensitivity(space):
    ball = ball_on(space)
    statistic = dp.FrechetMean(ball)
    bound = statistic.sensitivity(5, "sharp").value
    for seed in range(20):
        records = spread_out(ball, 6, seed)
        one, other = records[:5], np.concatenate([records[1:5], records[5:]])
        means = [
            statistic.estimate(statistic.encode(x), statistic.tolerance(5)) for x in (one, other)
        ]
        assert float(space.dist(*means)) <= bound


def test_parts_of_records_lie_in_the_balls_of_the_factors():
    ball = ball_on(THREE)
    records = ball.admit(spread_out(ball)).records
    for factor, part in zip(factors_of(ball), THREE.split(records), strict=True):
        assert np.all(factor.ball.space.dist(factor.ball.center, part) <= factor.ball.radius)
        np.testing.assert_array_equal(factor.part(Encoded.of(records)), part)
    assert factors_of(dp.Ball(dp.Sphere(2), [0, 0, 1], 0.5)) == ()


def test_a_release_of_both_signs_lives():
    ball = ball_on(BOTH, 0.5)
    records = spread_out(ball, 200)
    made = dp.plan(dp.FrechetMean(ball), n=200, budget=dp.Pure(1))
    assert BOTH.contains(made.release(records).value)


@dataclass(frozen=True)
class Saddle(type(dp.Sphere(2))):
    """A space that claims curvature of both signs and is no product."""

    @property
    def curvature_bounds(self):
        return (-1.0, 1.0)


def test_both_signs_without_factors_are_refused_before_any_record():
    statistic = dp.FrechetMean(dp.Ball(Saddle(2), [0, 0, 1], 0.5))
    with pytest.raises(InvalidBallError, match="both signs"):
        statistic.sensitivity(10, "sharp")


@pytest.mark.parametrize(("lost", "refused"), [(0.01, False), (0.3, True)])
def test_a_tolerance_too_coarse_for_the_factors_is_refused(lost, refused, monkeypatch):
    """Where rounding takes more off the convexity than the proof leaves room for."""
    ball = ball_on(BOTH)
    statistic = dp.FrechetMean(ball)
    root = np.sqrt(BOTH.curvature_bounds[1])
    tolerance = lost / (root * np.tan(ball.radius * root))
    rounding = tolerance / (4 * statistic._steepest * statistic._room)
    monkeypatch.setattr(dp.FrechetMean, "_rounding", lambda self, n: rounding)
    if not refused:
        assert statistic.tolerance(10**9) == pytest.approx(tolerance)
        return
    with pytest.raises(MechanismRefusedError, match="floating point"):
        statistic.tolerance(10**9)
