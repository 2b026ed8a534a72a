"""Mean functions planned, released, saved and loaded by the same verbs as everything else."""

import numpy as np
import pytest
from scipy import stats

import geomdp as dp
from geomdp.curves import (
    CircleGrid,
    FunctionMean,
    IntervalGrid,
    JointKernel,
    Matern,
    PoweredExponential,
    RingGrid,
    SquaredExponential,
)
from geomdp.errors import GeomdpError
from geomdp.mechanisms.gaussian_noise import exact_mean
from geomdp.noise.entropy import SeededEntropy
from geomdp.statistics import LinearStatistic, statistic_from_json

KERNEL = PoweredExponential(1.0)
RINGS = RingGrid(IntervalGrid(np.linspace(0.2, 1, 5)), CircleGrid(16))
MEANS = {
    "circle": FunctionMean(np.sin(np.arange(80)), 0.3, KERNEL, 0.01, noise="kernel"),
    "matched": FunctionMean(np.zeros(80), 0.3, KERNEL, 0.01),
    "leading": FunctionMean(np.zeros((2, 80)), 0.3, KERNEL, 0.01, terms=20),
    "interval": FunctionMean(
        np.zeros(20), 2.0, Matern(3.0), 0.02, IntervalGrid(np.geomspace(1, 20, 20))
    ),
    "weighted": FunctionMean(
        np.zeros((3, 40)), 0.5, SquaredExponential(0.3), [0.01, 0.01, 0.005], weights=[1, 2, 0.3]
    ),
    "rings": FunctionMean(
        np.zeros((2, 5, 16)), 0.5, JointKernel(Matern(0.4), KERNEL), 0.003, RINGS
    ),
}


@pytest.fixture(params=sorted(MEANS))
def mean(request):
    return MEANS[request.param]


def curves(mean, n, seed=0):
    rng = np.random.default_rng(seed)
    return mean.template + 0.1 * rng.normal(size=(n, *mean.template.shape))


def test_it_is_a_linear_statistic(mean):
    assert isinstance(mean, LinearStatistic)


def test_plan_release_save_and_load(mean, tmp_path):
    made = dp.plan(mean, n=50, budget=dp.GDP(mu=1))
    assert made.mechanism == "tangent-gaussian"
    made.save(tmp_path / "plan.json")
    release = dp.load_plan(tmp_path / "plan.json").release(curves(mean, 50))
    assert release.value.shape == mean.template.shape
    release.save(tmp_path / "mean")
    again = dp.load_release(tmp_path / "mean")
    np.testing.assert_array_equal(again.value, release.value)
    assert again.plan.scale == pytest.approx(made.scale, rel=1e-12)


def test_description_there_and_back(mean):
    again = statistic_from_json(mean.to_json())
    np.testing.assert_array_equal(again.encode(curves(mean, 3)), mean.encode(curves(mean, 3)))
    assert again.sensitivity(10).value == mean.sensitivity(10).value


def test_noise_of_exact_draws_has_its_law_with_power(mean):
    made = dp.plan(mean, n=30, budget=dp.GDP(mu=1))
    encoded = mean.encode(curves(mean, 30))
    center = np.array([float(m) for m in exact_mean(mean, encoded)])
    drawn = made._mechanism.draw(made.calibration, encoded, SeededEntropy(1, exact=True), 60)
    values = (drawn - mean.template).reshape(60, *mean.channels, *mean.grid.shape)
    coordinates = mean.spectrum.analyse(values).reshape(60, -1) / mean.error_scale
    z = ((coordinates - center) / (made.scale * mean.noise_profile)).ravel()
    assert stats.kstest(z, stats.norm.cdf).pvalue > 1e-4
    upper = stats.chi2(z.size).sf(np.sum((1.1 * z) ** 2))
    assert upper < 1e-4


def test_the_exact_sensitivity_is_never_exceeded_in_rational_arithmetic(mean):
    n = 4
    bound = mean.sensitivity(n).value
    common = mean.encode(curves(mean, n - 1))
    unit = np.zeros((1, mean.vector_dim))
    unit[0, np.argmax(mean.shrinkage / mean.noise_profile)] = 1e6
    pair = [exact_mean(mean, np.concatenate([common, s * unit])) for s in (1, -1)]
    shape = mean.noise_profile
    moved = np.sqrt(sum((float(a - b) / w) ** 2 for a, b, w in zip(*pair, shape, strict=True)))
    assert 0.999999 * bound < moved <= bound


def test_forecast_is_noise_and_typical_bias_together(mean):
    made = dp.plan(mean, n=30, budget=dp.GDP(mu=1))
    root = np.sqrt(mean.noise_mse(made.scale) + mean.typical_bias() ** 2)
    assert 0.8 * root < made.expected_error <= root * 1.01
    assert f"{mean.worst_case_bias():.3g}" in made.forecast.note
    assert f"{mean.typical_bias():.3g}" in made.forecast.note


def test_simulation_at_one_public_curve():
    mean = MEANS["circle"]
    made = dp.plan(mean, n=30, budget=dp.GDP(mu=1))
    drawn = made.simulate(mean.template, size=500)
    assert drawn.shape == (500, 80)
    np.testing.assert_allclose(drawn.std(axis=0), mean.pointwise_noise_std(made.scale), rtol=0.15)


def test_every_budget_kind_and_the_papers_calibration():
    mean = MEANS["circle"]
    for budget in (dp.ZCDP(rho=0.1), dp.Approximate(0.5, 1e-5)):
        assert dp.plan(mean, n=30, budget=budget).guarantee.budget == budget
    loose = dp.plan(
        mean, n=30, budget=dp.Approximate(0.5, 1e-5), gaussian="mirshani", bound="paper"
    )
    assert loose.scale > 2 * dp.plan(mean, n=30, budget=dp.Approximate(0.5, 1e-5)).scale


def test_a_hundred_thousand_curves():
    mean = MEANS["circle"]
    made = dp.plan(mean, n=100_000, budget=dp.GDP(mu=1))
    rng = np.random.default_rng(2)
    data = mean.template + 0.05 * rng.normal(size=(100_000, 80))
    value = made.release(data).value
    plain = mean.estimate(mean.encode(data))
    assert np.sqrt(np.mean((value - plain) ** 2)) < 5 * made.expected_error


def test_own_kernels_cannot_be_written_down():
    class Mine(PoweredExponential):
        pass

    with pytest.raises(GeomdpError, match="not with Mine"):
        FunctionMean(np.zeros(80), 0.3, Mine(1.0), 0.01).to_json()
