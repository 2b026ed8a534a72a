"""What a release becomes that is moved towards its public centre."""

import numpy as np
import pytest

import geomdp as dp
from geomdp_papers.point_mean import PointMean

DIM = 20


def records(space=DIM, n=50, seed=0):
    return 0.3 * np.random.default_rng(seed).standard_normal((n, space)) / np.sqrt(space)


def plan_of(statistic, budget, mechanism="auto", n=50):
    return dp.plan(statistic, n=n, budget=budget, mechanism=mechanism)


def errors(plan, at, size=200):
    """Mean squared errors of values and of denoised values, about a public point."""
    linear = plan._mechanism.coordinates(plan.calibration)
    truth = linear.to_coordinates(at)
    drawn = plan.simulate(at, size=size)
    both = (drawn, np.array([plan.denoised(one) for one in drawn]))
    off = (linear.ball.coloured(linear.to_coordinates(found) - truth) for found in both)
    return [float(np.mean(np.sum(one**2, axis=-1))) for one in off]


@pytest.mark.parametrize("budget", [dp.Pure(1), dp.GDP(0.3)])
def test_a_mean_near_the_centre_has_far_less_error(budget):
    plan = plan_of(dp.FrechetMean(dp.Ball(dp.Euclidean(DIM), np.zeros(DIM), 1.0)), budget)
    raw, better = errors(plan, np.full(DIM, 0.01))
    assert better < 0.25 * raw


@pytest.mark.parametrize("mechanism", ["wrapped-laplace", "wrapped-gaussian"])
def test_on_a_curved_space_noise_in_coordinates_is_shrunk_too(mechanism):
    ball = dp.Ball(dp.SPD(3), np.eye(3), 0.5)
    budget = dp.Pure(2) if mechanism == "wrapped-laplace" else dp.GDP(1)
    plan = plan_of(dp.FrechetMean(ball), budget, mechanism)
    raw, better = errors(plan, np.eye(3))
    assert better < 0.6 * raw


def test_shaped_noise_is_shrunk_by_bocks_constant():
    """With James and Stein's, which the whitened coordinates suggest, this would lose."""
    form = np.diag(np.r_[1.0, np.full(DIM - 1, 0.08)])
    ball = dp.Ball(dp.Euclidean(DIM), np.zeros(DIM), 1.0, form=form)
    plan = plan_of(dp.TangentMean(ball), dp.GDP(0.5))
    raw, better = errors(plan, np.r_[0.9, np.zeros(DIM - 1)], size=2000)
    assert better <= 1.01 * raw


def test_what_is_not_proved_stays_as_it_is():
    on_space = plan_of(dp.FrechetMean(dp.Ball(dp.SPD(3), np.eye(3), 0.5)), dp.Pure(2), "laplace")
    assert on_space.denoised(np.eye(3) * 1.1).tolist() == (np.eye(3) * 1.1).tolist()
    few = plan_of(dp.FrechetMean(dp.Ball(dp.Euclidean(2), np.zeros(2), 1.0)), dp.Pure(1))
    drawn = few.release(records(2))
    assert drawn.denoised is drawn.value
    around = plan_of(dp.TangentMean(dp.Ball(dp.Sphere(5), np.eye(6)[0], 0.5)), dp.GDP(0.02))
    assert around.may_wrap
    far = np.eye(6)[1]
    assert around.denoised(far) is far
    plan = plan_of(dp.FrechetMean(dp.Ball(dp.Euclidean(DIM), np.zeros(DIM), 1.0)), dp.Pure(1))
    moved = plan.release(records(), project=True)
    assert moved.denoised is moved.value


def test_it_lies_in_the_ball_follows_from_the_folder_and_never_fails(tmp_path):
    plan = plan_of(dp.FrechetMean(dp.Ball(dp.Euclidean(DIM), np.zeros(DIM), 1.0)), dp.Pure(0.1))
    drawn = plan.release(records(), folder=tmp_path / "out")
    assert np.linalg.norm(drawn.denoised) <= 1 + 1e-12 < np.linalg.norm(drawn.value)
    again = dp.load_release(tmp_path / "out")
    np.testing.assert_array_equal(again.denoised, drawn.denoised)
    for odd in (np.full(DIM, np.nan), np.full(DIM, np.inf), np.full(DIM, 1e300)):
        assert plan.denoised(odd).shape == (DIM,)
    assert np.all(plan.denoised(np.zeros(DIM)) == 0)


def test_points_maps_and_groups():
    mean = PointMean(np.zeros((10, 3)), bound=0.5)
    drawn = plan_of(mean, dp.GDP(0.1)).release(np.full((50, 10, 3), 0.01))
    assert np.linalg.norm(drawn.denoised) < np.linalg.norm(drawn.value)
    voxels = dp.MapMean(dp.Ball(dp.Euclidean(2), np.zeros(2), 1.0), voxels=8)
    mapped = plan_of(voxels, dp.GDP(0.1)).release(np.full((50, 8, 2), 0.01))
    assert mapped.denoised.shape == mapped.value.shape
    ball = dp.Ball(dp.Euclidean(DIM), np.zeros(DIM), 1.0)
    plan = dp.plan(dp.FrechetMean(ball), n={"a": 25, "b": 25}, budget=dp.GDP(0.3))
    both = plan.release(dp.Records(records(), group=["a"] * 25 + ["b"] * 25))
    np.testing.assert_array_equal(both.denoised["b"], both.parts["b"].denoised)
    assert not np.array_equal(both.denoised["b"], both.value["b"])
