"""What no private mean can beat (docs/theory/lower-bounds.md), beside what ours do."""

from collections.abc import Iterator
from itertools import combinations
from math import e, exp, floor, log, sqrt

import numpy as np
import pytest
from scipy.stats import norm

import geomdp as dp


def steps_of(d: int, epsilon: float) -> int:
    """Records in which the data sets of theorem 1 differ."""
    return floor((d - log(2)) / epsilon)


def shortened(ball: dp.Ball) -> float:
    """By how much the exponential may shorten distances in a ball."""
    s = ball.radius * sqrt(max(ball.space.curvature_bounds[1], 0.0))
    return float(np.sin(s) / s) if s else 1.0


def least_pure(ball: dp.Ball, n: int, epsilon: float) -> float:
    """Theorem 1: what the expected error is at least, on some data set."""
    return shortened(ball) * steps_of(ball.space.dim, epsilon) * ball.radius / (4 * e * n)


def least_gaussian(d: int, r: float, n: int, mu: float) -> float:
    """Theorem 2: what the root mean square is at least, on some data set."""
    sizes = np.arange(1, n // d + 1)
    return float(np.max(np.sqrt(d * norm.cdf(-sizes * mu / 2)) * sizes * r / n))


BALLS = [
    dp.Ball(dp.Euclidean(5), center=np.zeros(5), radius=1.0),
    dp.Ball(dp.SPD(3), center=np.eye(3), radius=1.5),
    dp.Ball(dp.SPD(4, metric="log-euclidean"), center=np.eye(4), radius=2.0),
    dp.Ball(dp.Sphere(6), center=np.eye(7)[0], radius=0.9),
]


@pytest.mark.parametrize("ball", BALLS, ids=lambda ball: ball.space.title)
def test_ours_errs_more_than_any_private_mean_must(ball):
    n, epsilon = 400, 0.5
    plan = dp.plan(dp.FrechetMean(ball), n=n, budget=dp.Pure(epsilon), mechanism="laplace")
    assert 5 < plan.expected_error / least_pure(ball, n, epsilon) < 60


@pytest.mark.parametrize("mu", [0.1, 0.3])
def test_gaussian_noise_is_within_two_and_a_half_of_the_best(mu):
    ball, n = BALLS[2], 1000
    d = ball.space.dim
    plan = dp.plan(dp.TangentMean(ball), n=n, budget=dp.GDP(mu), mechanism="tangent-gaussian")
    achieved = plan.scale * sqrt(d)
    assert 2.0 < achieved / least_gaussian(d, ball.radius, n, mu) < 2.5


def pairs_of_means(ball: dp.Ball, n: int, m: int) -> Iterator[tuple[float, float]]:
    """Pairs of the proof's means: how far apart, and how far in a flat space they would be."""
    space, rng = ball.space, np.random.default_rng(3)
    steps = rng.standard_normal((4, space.dim))
    steps *= ball.radius / np.linalg.norm(steps, axis=1, keepdims=True)
    ends = [space.frame_exp(ball.center, step) for step in steps]
    for z, w in combinations(ends, 2):
        u, v = (np.asarray(space.log(ball.center, end)) for end in (z, w))
        records = np.stack([z] * m + [ball.center] * (n - m))
        mean = space.exp(ball.center, m / n * u)
        assert float(space.dist(dp.frechet_mean(space, records).point, mean)) < 1e-7
        flat = m / n * float(space.norm(ball.center, u - v))
        yield float(space.dist(mean, space.exp(ball.center, m / n * v))), flat


@pytest.mark.parametrize("ball", BALLS, ids=lambda ball: ball.space.title)
def test_the_means_of_the_proof_lie_where_it_says_and_apart(ball):
    for apart, flat in pairs_of_means(ball, n=40, m=12):
        assert apart >= shortened(ball) * flat * (1 - 1e-9)


def test_a_bound_that_is_too_large_is_refuted():
    # without the factor of curvature the means of the proof are not as far apart as it needs
    assert any(apart < 0.99 * flat for apart, flat in pairs_of_means(BALLS[3], n=40, m=36))


def test_the_arithmetic_of_group_privacy():
    for d in range(1, 60):
        for epsilon in (0.01, 0.3, 1.0):
            m = steps_of(d, epsilon)
            assert 1 + exp(epsilon * m) < exp(d)
            too_many = m + 1 + log(2) / epsilon
            assert 1 + exp(epsilon * too_many) > exp(d)
