"""Noise in the ambient space: what it costs, and where the papers' calibration fails."""

import numpy as np
import pytest
from scipy.stats import gamma, ks_1samp

import geomdp as dp
from geomdp.errors import MechanismRefusedError
from geomdp_papers.mechanisms.ambient import (
    from_ambient,
    project_back,
    share_off_manifold,
    to_ambient,
)


def spd_plan(k=2, n=20, bound="sharp", center=None, radius=1.5, epsilon=1.0):
    ball = dp.Ball(dp.SPD(k), np.eye(k) if center is None else center, radius)
    return dp.plan(
        dp.FrechetMean(ball), n=n, budget=dp.Pure(epsilon), mechanism="ambient-laplace", bound=bound
    )


def test_the_papers_radius_for_any_centre():
    center = np.diag([3.0, 0.5])
    plan = spd_plan(center=center, bound="paper")
    assert plan.scale == pytest.approx(2 * 3.0 * (np.exp(1.5) - 1) / 20)
    assert plan.guarantee.strength == "none"
    assert "NOT PRIVATE" in str(plan)
    # The Euclidean ball of that radius holds the ball of the metric.
    rng = np.random.default_rng(0)
    v = rng.normal(size=(500, 3))
    v *= 1.5 / np.linalg.norm(v, axis=1)[:, None]
    edge = dp.SPD(2).frame_exp(center, v)
    reach = np.linalg.norm(to_ambient(dp.SPD(2), edge) - to_ambient(dp.SPD(2), center), axis=1)
    assert reach.max() <= 3.0 * (np.exp(1.5) - 1)


def test_the_papers_calibration_is_exceeded_by_two_neighbours():
    # One by one matrices: records e^r, and the last one moved to e^-r.
    n, radius = 20, 1.5
    logs = np.full(n, radius)
    moved = np.exp(np.mean(logs)) - np.exp(np.mean(np.append(logs[:-1], -radius)))
    assert moved > spd_plan(1, n, "paper").sensitivity.value
    assert moved <= spd_plan(1, n, "sharp").sensitivity.value


@pytest.mark.parametrize("seed", range(5))
def test_the_proved_movement_is_never_exceeded(seed):
    rng = np.random.default_rng(seed)
    n = 5
    plan = spd_plan(2, n)
    ball = plan.statistic.ball
    v = rng.normal(size=(n + 1, 3))
    v *= ball.radius / np.linalg.norm(v, axis=1)[:, None]
    records = ball.space.frame_exp(ball.center, v)
    one = dp.frechet_mean(ball.space, records[:-1]).point
    other = dp.frechet_mean(ball.space, records[1:]).point  # up to order, one record replaced
    moved = np.linalg.norm(to_ambient(ball.space, one) - to_ambient(ball.space, other))
    assert 0 < moved <= plan.sensitivity.value


def test_noise_is_a_euclidean_laplace_law():
    plan = spd_plan(epsilon=5.0)
    draws = to_ambient(plan.statistic.space, plan.simulate(np.eye(2), 5000))
    lengths = np.linalg.norm(draws - [1, 0, 1], axis=1)
    assert ks_1samp(lengths, gamma(3, scale=plan.scale).cdf).pvalue > 1e-3
    assert ks_1samp(lengths, gamma(3, scale=1.06 * plan.scale).cdf).pvalue < 1e-3
    assert plan.expected_error == pytest.approx(3 * plan.scale, rel=0.05)


def test_matrices_leave_the_cone_and_spheres_can_be_projected():
    plan = spd_plan(epsilon=0.5)
    off = share_off_manifold(plan.statistic.space, plan.simulate(np.eye(2), 300))
    assert 0.5 < off <= 1
    assert share_off_manifold(dp.SPD(2), spd_plan(epsilon=1e4).simulate(np.eye(2), 300)) == 0
    with pytest.raises(MechanismRefusedError, match="no nearest point"):
        project_back(dp.SPD(2), np.eye(2))

    ball = dp.Ball(dp.Sphere(2), [0, 0, 1], 0.4)
    sphere = dp.plan(dp.FrechetMean(ball), n=50, budget=dp.Pure(1), mechanism="ambient-laplace")
    draws = sphere.simulate([0, 0, 1], 300)
    assert share_off_manifold(ball.space, draws) == 1
    back = project_back(ball.space, draws)
    assert share_off_manifold(ball.space, back) == 0
    # Projection removes the component across the sphere.
    assert np.mean(np.linalg.norm(back - ball.center, axis=1)) < np.mean(
        np.linalg.norm(draws - ball.center, axis=1)
    )


def test_coordinates_there_and_back():
    x = np.random.default_rng(0).normal(size=(4, 3, 3))
    x = x + np.swapaxes(x, -1, -2)
    assert np.array_equal(from_ambient(dp.SPD(3), to_ambient(dp.SPD(3), x)), x)


def test_refusals_and_manifest():
    ball = dp.Ball(dp.Hyperbolic(2), [0, 0, 1], 0.4)
    with pytest.raises(MechanismRefusedError, match="on spheres and of positive definite"):
        dp.plan(dp.FrechetMean(ball), n=50, budget=dp.Pure(1), mechanism="ambient-laplace")
    plan = spd_plan()
    release = plan.release(np.repeat(np.eye(2)[None], 20, axis=0))
    assert release.manifest["comparison"] is True
    assert release.guarantee.strength == "idealised"
    assert release.value.shape == (2, 2)


@pytest.mark.parametrize(("space", "count"), [(dp.SPD(3), 6), (dp.Sphere(50), 51)])
def test_the_forecast_is_the_law_of_the_length(space, count):
    """A Gamma law: nothing is simulated, in whatever dimension."""
    ball = dp.Ball(space, np.asarray(space.origin(np.zeros(1))), 0.5)
    made = dp.plan(dp.FrechetMean(ball), n=50, budget=dp.Pure(1), mechanism="ambient-laplace")
    assert made.expected_error == pytest.approx(count * made.scale, rel=1e-6)
    expected = gamma.ppf(0.95, count, scale=made.scale)
    assert made.error_quantile(0.95) == pytest.approx(expected, rel=1e-3)
