"""Pure privacy of functions and labelled points: Laplace noise on all coordinates together."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import geomdp as dp
from geomdp.curves import FunctionMean, IntervalGrid, Matern, PoweredExponential
from geomdp.errors import MechanismRefusedError
from geomdp.noise.entropy import SeededEntropy
from geomdp.releases.verification.values import on_grid
from geomdp_papers.point_mean import PointMean

KERNEL = PoweredExponential(1.0)
MEANS = {
    "curve": FunctionMean(np.sin(np.arange(20)), 0.3, KERNEL, 0.01, terms=6),
    "kernel": FunctionMean(np.zeros(12), 0.3, KERNEL, 0.01, noise="kernel", terms=12),
    "weighted": FunctionMean(
        *(np.zeros((2, 16)), 0.5, Matern(0.3), [0.02, 0.005]), weights=[1.0, 0.3], terms=4
    ),
    "points": PointMean(np.zeros((4, 2)), 0.5),
}


@pytest.fixture(params=sorted(MEANS))
def mean(request):
    return MEANS[request.param]


def whitened(mean, values):
    return mean.to_coordinates(values) / mean.noise_profile


def extremes(mean):
    """Neighbouring data sets that move the mean as far as any do."""
    unit = np.zeros(mean.noise_profile.size)
    unit[np.argmax(mean.shrinkage / mean.noise_profile)] = mean.radius
    rest = np.repeat(mean.public_record[None], 4, axis=0)
    return [np.concatenate([rest, mean.decode(sign * unit)[None]]) for sign in (1, -1)]


def test_the_loss_of_the_worst_neighbours_is_epsilon(mean):
    made = dp.plan(mean, n=5, budget=dp.Pure(1))
    assert made.mechanism == "linear-laplace"
    ends = [whitened(mean, mean.estimate(mean.encode(records), 0.0)) for records in extremes(mean)]
    assert np.linalg.norm(ends[0] - ends[1]) / made.scale == pytest.approx(1.0, rel=1e-7)
    assert np.linalg.norm(ends[0] - ends[1]) / made.scale <= 1.0


@pytest.mark.parametrize("exact", [False, True])
def test_noise_has_the_law_of_the_radius_and_no_direction(mean, exact):
    made = dp.plan(mean, n=5, budget=dp.Pure(1))
    records, _ = extremes(mean)
    size = 150 if exact else 4000
    drawn = made._mechanism.draw(
        made.calibration, mean.encode(records), SeededEntropy(1, exact=exact), size
    )
    noise = whitened(mean, drawn) - whitened(mean, mean.estimate(mean.encode(records), 0.0))
    radii = np.linalg.norm(noise, axis=1)
    law = stats.gamma(mean.noise_profile.size, scale=made.scale)
    assert stats.kstest(radii, law.cdf).pvalue > 1e-4
    assert stats.kstest(1.3 * radii, law.cdf).pvalue < 1e-4  # and would see a wrong scale
    squares = np.mean((noise / radii[:, None]) ** 2, axis=0)
    np.testing.assert_allclose(squares, 1 / noise.shape[1], rtol=0.6 if exact else 0.15)


def test_release_lies_on_the_grid_and_comes_back(mean, tmp_path):
    made = dp.plan(mean, n=5, budget=dp.Pure(1))
    release = made.release(extremes(mean)[0], folder=tmp_path / "mean")
    assert release.value.shape == mean.public_record.shape
    assert on_grid(made, release.value) is True
    again = dp.load_release(tmp_path / "mean")
    np.testing.assert_array_equal(again.value, release.value)
    assert made.cost == again.plan.cost


@pytest.mark.parametrize("terms", [6, 20])
def test_forecast_is_noise_and_bias_together(terms):
    mean = replace(MEANS["curve"], offset=0.3, phi=0.1, terms=terms)
    made = dp.plan(mean, n=50, budget=dp.Pure(1))
    dim = mean.noise_profile.size
    noise = (dim + 1) * mean.noise_mse(made.scale)
    root = np.sqrt(noise + mean.typical_bias() ** 2)
    assert np.sqrt(np.mean(made.forecast.radii**2)) == pytest.approx(root, rel=0.06)
    assert mean.typical_bias() > np.sqrt(noise)


def test_points_of_a_space_are_left_to_wrapped_laplace():
    ball = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)
    with pytest.raises(MechanismRefusedError, match="wrapped-laplace"):
        dp.plan(dp.TangentMean(ball), n=50, budget=dp.Pure(1), mechanism="linear-laplace")
    with pytest.raises(MechanismRefusedError, match="needs a pure"):
        dp.plan(MEANS["curve"], n=50, budget=dp.GDP(1), mechanism="linear-laplace")
    made = dp.plan(dp.Moments(ball), n=500, budget=dp.Approximate(1, 1e-6))
    assert all(other.name != "linear-laplace" for other in made.runners_up)


def test_few_terms_serve_a_pure_budget_best():
    grid = IntervalGrid(np.linspace(0, 1, 60))
    left_out = FunctionMean(np.zeros(60), 1.0, Matern(0.3), grid=grid)
    chosen = dp.plan(left_out, n=1000, budget=dp.Pure(1))
    every = dp.plan(replace(left_out, terms=60), n=1000, budget=dp.Pure(1))
    assert chosen.statistic.terms < 20
    assert chosen.expected_error < 0.7 * every.expected_error
