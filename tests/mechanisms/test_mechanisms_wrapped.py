"""Wrapped mechanisms: the stretch of the log, laws with power, audits and refusals."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import geomdp as dp
from geomdp.errors import MechanismRefusedError
from geomdp.mechanisms.wrapped import stretch, wrapped_sensitivity
from geomdp.noise.entropy import SeededEntropy
from geomdp.statistics import TangentMean

SPACES = [
    dp.Sphere(2),
    dp.Sphere(1),
    dp.Sphere(3, curvature=4.0),
    dp.SPD(2),
    dp.SPD(2, metric="log-euclidean"),
    dp.Euclidean(3),
    dp.Hyperbolic(2),
    dp.PlanarShapes(4),
]


def statistic_of(space, radius=0.45):
    v = np.full(space.dim, 0.2 / np.sqrt(space.dim))
    center = space.canonical(space.exp(space.origin(np.zeros(1)), space.from_frame(v)))
    _, k = space.curvature_bounds
    return dp.FrechetMean(dp.Ball(space, center, radius / np.sqrt(max(k, 1.0))))


def records(statistic, n, seed=0, size=0.8):
    v = np.random.default_rng(seed).normal(size=(n, statistic.space.dim))
    v *= size * statistic.ball.radius / np.linalg.norm(v, axis=1, keepdims=True)
    return TangentMean(statistic.ball).decode(v)


@pytest.mark.parametrize("space", SPACES, ids=lambda s: s.spec)
def test_the_log_never_stretches_more_than_claimed(space):
    statistic = statistic_of(space)
    ball = statistic.ball
    x, y = (records(statistic, 400, seed, 1.0) for seed in (1, 2))
    # Nearby pairs on the boundary stretch most, sideways.
    step = 1e-3 * (space.frame_log(ball.center, y) - space.frame_log(ball.center, x))
    near = TangentMean(ball).decode(0.999 * (space.frame_log(ball.center, x) + step))
    x = TangentMean(ball).decode(0.999 * space.frame_log(ball.center, x))
    for other in (y, near):
        gap = space.frame_log(ball.center, x) - space.frame_log(ball.center, other)
        distance = space.dist(x, other)
        apart = distance > 1e-9
        ratio = np.linalg.norm(gap, axis=1)[apart] / distance[apart]
        assert np.max(ratio) <= stretch(ball) * (1 + 1e-9)
    if space.curvature_bounds[1] > 0:
        assert np.max(ratio) > 1 + 0.7 * (stretch(ball) - 1)


@pytest.mark.parametrize("space", SPACES, ids=lambda s: s.spec)
@pytest.mark.parametrize("name", ["wrapped-laplace", "wrapped-gaussian"])
def test_noise_in_the_tangent_space_has_its_law_with_power(space, name):
    statistic = statistic_of(space)
    budget = dp.Pure(epsilon=1) if name == "wrapped-laplace" else dp.GDP(mu=1)
    made = dp.plan(statistic, n=40, budget=budget, mechanism=name)
    data = records(statistic, 40)
    center = statistic.ball.center
    foot = space.frame_log(center, dp.frechet_mean(space, data, tol=1e-12).point[None])
    drawn = space.frame_log(center, made.simulate(data, size=6000, seed=1))
    size = np.linalg.norm(drawn - foot, axis=1) / made.scale
    law = stats.gamma(space.dim) if name == "wrapped-laplace" else stats.chi(space.dim)
    assert stats.kstest(size, law.cdf).pvalue > 1e-3
    assert stats.kstest(1.1 * size, law.cdf).pvalue < 1e-3


@pytest.mark.parametrize("name", ["wrapped-laplace", "wrapped-gaussian"])
def test_exact_draws_have_the_same_law(name):
    statistic = statistic_of(dp.Sphere(2))
    budget = dp.Pure(epsilon=1) if name == "wrapped-laplace" else dp.GDP(mu=1)
    made = dp.plan(statistic, n=40, budget=budget, mechanism=name)
    encoded = statistic.encode(records(statistic, 40))
    drawn = made._mechanism.draw(made.calibration, encoded, SeededEntropy(2, exact=True), 150)
    rough = made._mechanism.draw(made.calibration, encoded, SeededEntropy(3), 4000)
    point = dp.frechet_mean(dp.Sphere(2), records(statistic, 40)).point
    distances = [statistic.space.dist(point, d) for d in (drawn, rough)]
    assert stats.ks_2samp(*distances).pvalue > 1e-3
    assert stats.ks_2samp(1.5 * distances[0], distances[1]).pvalue < 1e-3


def worst_neighbours(statistic, n):
    """All records at one boundary point, and one of them moved to the opposite side."""
    axis = np.zeros(statistic.space.dim)
    axis[0] = statistic.ball.radius * (1 - 1e-9)
    one, other = TangentMean(statistic.ball).decode(np.stack([axis, -axis]))
    data = np.repeat(one[None], n, axis=0)
    return data, np.concatenate([data[:-1], other[None]])


@pytest.mark.parametrize("space", SPACES, ids=lambda s: s.spec)
def test_worst_neighbours_stay_within_the_sensitivity(space):
    statistic = statistic_of(space)
    n = 5
    claimed = dp.plan(
        statistic, n=n, budget=dp.GDP(mu=1), mechanism="wrapped-gaussian"
    ).sensitivity.value
    feet = [
        space.frame_log(
            statistic.ball.center, statistic.estimate(statistic.encode(d), statistic.tolerance(n))
        )
        for d in worst_neighbours(statistic, n)
    ]
    moved = np.linalg.norm(feet[0] - feet[1])
    assert 0.5 * claimed < moved <= claimed


def test_an_audit_catches_a_scale_without_the_stretch_and_accepts_the_claim():
    """Privacy profile of two flat Gaussians at the largest distance the coordinates can have."""
    statistic = statistic_of(dp.Sphere(2), radius=np.pi / 3 * 0.99)
    made = dp.plan(statistic, n=4, budget=dp.GDP(mu=1), mechanism="wrapped-gaussian")
    request = made.calibration.request
    assert wrapped_sensitivity("wrapped-gaussian", request).value / made.scale <= 1.0
    bare = replace(made.sensitivity, value=statistic.sensitivity(4, "sharp").value)
    assert made.sensitivity.value > 1.19 * bare.value  # r / sin r at 0.99 pi / 3


def test_the_factor_is_one_without_positive_curvature():
    assert stretch(statistic_of(dp.Hyperbolic(2)).ball) == 1.0
    ball = dp.Ball(dp.Sphere(2), [0, 0, 1], np.pi / 8)
    assert stretch(ball) == pytest.approx((np.pi / 8) / np.sin(np.pi / 8))


def test_tangent_means_are_served_purely_with_the_exact_sensitivity():
    ball = statistic_of(dp.SPD(2)).ball
    made = dp.plan(TangentMean(ball), n=50, budget=dp.Pure(epsilon=0.5))
    assert made.mechanism == "wrapped-laplace"
    assert made.sensitivity.value == pytest.approx(2 * ball.radius / 50, rel=1e-12)
    release = made.release(records(statistic_of(dp.SPD(2)), 50))
    assert dp.SPD(2).contains(release.value)


@pytest.mark.parametrize("space", SPACES, ids=lambda s: s.spec)
def test_forecasts_cover_simulated_errors_at_the_boundary(space):
    statistic = statistic_of(space)
    made = dp.plan(statistic, n=20, budget=dp.GDP(mu=1), mechanism="wrapped-gaussian")
    edge = worst_neighbours(statistic, 20)[0][0]
    errors = space.dist(edge, made.simulate(edge, size=4000, seed=4))
    assert np.mean(errors) <= 1.05 * made.expected_error


@pytest.mark.parametrize(
    ("statistic", "budget", "name", "message"),
    [
        (statistic_of(dp.Sphere(2)), dp.GDP(mu=1), "wrapped-laplace", "a pure ε"),
        (statistic_of(dp.Sphere(2)), dp.Pure(epsilon=1), "wrapped-gaussian", "unbounded"),
        (dp.Summary(dp.Sphere(2), 0.1), dp.Pure(epsilon=1), "wrapped-laplace", "public centre"),
        (
            TangentMean(statistic_of(dp.Sphere(2)).ball),
            dp.GDP(mu=1),
            "wrapped-gaussian",
            "tangent-gaussian",
        ),
    ],
)
def test_refusals(statistic, budget, name, message):
    with pytest.raises(MechanismRefusedError, match=message):
        dp.plan(statistic, n=10, budget=budget, mechanism=name)
