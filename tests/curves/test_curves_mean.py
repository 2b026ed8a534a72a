from dataclasses import replace

import numpy as np
import pytest

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

KERNEL = PoweredExponential(1.0)
RINGS = RingGrid(IntervalGrid(np.linspace(0.2, 1, 5)), CircleGrid(16))
MEANS = {
    "circle": FunctionMean(np.sin(np.arange(80)), 0.3, KERNEL, 0.01, noise="kernel"),
    "matched": FunctionMean(np.zeros(80), 0.3, KERNEL, 0.01),
    "interval": FunctionMean(
        np.zeros(20), 2.0, Matern(3.0), 0.02, IntervalGrid(np.geomspace(1, 20, 20))
    ),
    "weighted": FunctionMean(
        *(np.zeros((3, 40)), 0.5, KERNEL, [0.01, 0.01, 0.005]),
        weights=[1.0, 2.0, 0.3],
        noise="kernel",
    ),
    "smooth": FunctionMean(np.zeros((2, 40)), 0.5, SquaredExponential(1.0), 1e-3),
    "rings": FunctionMean(
        np.zeros((2, 5, 16)), 0.5, JointKernel(Matern(0.4), KERNEL), 0.003, RINGS
    ),
}


@pytest.fixture(params=sorted(MEANS))
def mean(request):
    return MEANS[request.param]


def move(mean, one, other, n=5):
    """Distance in the norm of the noise between the estimates of two neighbouring data sets."""
    common = np.random.default_rng(1).standard_normal((n - 1, *mean.template.shape))
    first = mean.mean_coordinates(mean.encode(np.concatenate([common, one[None]])))
    second = mean.mean_coordinates(mean.encode(np.concatenate([common, other[None]])))
    return np.linalg.norm((first - second) / mean.noise_profile)


def extremal(mean):
    """Decode the coordinate in which shrinkage over noise peaks, at the clipping norm."""
    unit = np.zeros(mean.vector_dim)
    unit[np.argmax(mean.shrinkage / mean.noise_profile)] = mean.radius
    return mean.decode(unit), mean.decode(-unit)


def test_sensitivity_is_attained_by_the_extremal_function(mean):
    bound = mean.sensitivity(5).value
    assert move(mean, *extremal(mean)) == pytest.approx(bound, rel=1e-6)


def test_sensitivity_is_never_exceeded_by_search(mean):
    """Random starts and power steps through the black box, ten times beyond the clipping norm."""
    rng = np.random.default_rng(2)
    bound = mean.sensitivity(5).value
    gain = mean.shrinkage / mean.noise_profile
    for _ in range(10):
        direction = rng.standard_normal(mean.vector_dim)
        for _ in range(8):
            direction *= gain / np.linalg.norm(direction)
            bump = 10 * mean.radius * (mean.decode(direction) - mean.template)
            found = move(mean, mean.template + bump, mean.template - bump)
            assert found <= bound * (1 + 1e-9)
    assert found > 0.9 * bound


def test_formula_of_the_single_curve():
    mean = MEANS["circle"]
    lam = mean.spectrum.values
    expected = 2 * 0.3 / 7 * np.max(np.sqrt(lam) / (lam + 0.01))
    assert mean.sensitivity(7).value == pytest.approx(expected, rel=1e-8)
    assert mean.sensitivity(7, "paper").value == pytest.approx(2 * 0.3 / (7 * 0.1), rel=1e-8)


def test_papers_bound_is_at_least_twice_the_sharp_one():
    for mean in MEANS.values():
        if mean.noise == "kernel":
            assert mean.sensitivity(9, "paper").value >= 2 * mean.sensitivity(9).value * (1 - 1e-9)


def test_matrix_eigenvalues_with_l2_norms_understate_mu_3_6_times():
    """The mistake that Spectrum makes impossible, spelled out by hand."""
    mean = MEANS["circle"]
    matrix_values = 80 * mean.spectrum.values
    mutant_shrinkage = matrix_values / (matrix_values + 0.01)
    deviation_of_noise = np.sqrt(mean.spectrum.values)  # Z has covariance K, norms are L2
    true = 2 * mean.tau / 7 * np.max(mutant_shrinkage / deviation_of_noise)
    claimed = mean.sensitivity(7, "paper").value
    assert true / claimed == pytest.approx(3.64, abs=0.01)


def test_encoding_clips_jointly_and_keeps_what_is_inside():
    mean = MEANS["weighted"]
    rng = np.random.default_rng(3)
    small = 1e-3 * rng.standard_normal((4, 3, 40))
    np.testing.assert_allclose(mean.decode(mean.encode(small)), small, atol=1e-12)
    weighted_norm = np.sqrt(np.sum(mean.weights[:, None] ** 2 * small**2, axis=(1, 2)) / 40)
    np.testing.assert_allclose(np.linalg.norm(mean.encode(small), axis=1), weighted_norm)
    large = mean.encode(1e6 * small)
    np.testing.assert_allclose(np.linalg.norm(large, axis=1), mean.radius)
    kept = mean.encode(small)
    cosine = np.sum(large * kept, axis=1) / (mean.radius * np.linalg.norm(kept, axis=1))
    np.testing.assert_allclose(cosine, 1.0)


def test_encoding_treats_one_record_at_a_time(mean):
    records = np.random.default_rng(4).standard_normal((6, *mean.template.shape))
    together = mean.encode(records)
    alone = np.concatenate([mean.encode(records[i : i + 1]) for i in range(6)])
    np.testing.assert_allclose(together, alone, atol=1e-13)


def test_gigantic_samples_are_clipped_without_overflow():
    mean = MEANS["circle"]
    record = np.full((1, 80), 1e308)
    record[0, ::2] *= -1
    encoded = mean.encode(record)
    assert np.linalg.norm(encoded) == pytest.approx(mean.radius)


def test_records_equal_to_the_template_give_the_template(mean):
    encoded = mean.encode(np.stack([mean.template] * 3))
    np.testing.assert_allclose(mean.estimate(encoded), mean.template, atol=1e-12)


def test_joint_clipping_is_one_mechanism():
    mean = MEANS["weighted"]
    lam, phi, w = mean.spectrum.values, mean.phi, mean.weights
    s = np.max(np.sqrt(lam) / (lam + phi[:, None]), axis=1)
    sigma = mean.sensitivity(100).value / 0.7  # calibrated to mu = 0.7
    noise = sigma * mean.noise_profile.reshape(3, -1) / w[:, None]
    sigma_c = noise[:, 0] / np.sqrt(lam[0])
    np.testing.assert_allclose(2 * mean.tau / 100 * s / (sigma_c * w), 0.7, rtol=1e-8)


def test_per_curve_composes_as_the_root_of_the_sum_of_squares():
    taus, budgets = np.array([1.0, 2.0, 0.5]), np.array([0.2, 0.2, 0.55])
    mean = FunctionMean.per_curve(
        np.zeros((3, 40)), taus, KERNEL, [0.01, 0.01, 0.005], budgets=budgets
    )
    mu = np.sqrt(np.sum(budgets**2))
    sigma = mean.sensitivity(1000).value / mu
    for c in range(3):
        alone = FunctionMean(np.zeros(40), taus[c], KERNEL, mean.phi[c])
        expected = alone.pointwise_noise_std(alone.sensitivity(1000).value / budgets[c])
        np.testing.assert_allclose(mean.pointwise_noise_std(sigma)[c], expected, rtol=1e-8)


def test_per_curve_ellipsoid_holds_the_product_of_balls():
    taus = np.array([1.0, 2.0, 0.5])
    mean = FunctionMean.per_curve(np.zeros((3, 40)), taus, KERNEL, 0.01)
    corner = taus[:, None] * np.ones((3, 40))
    encoded = mean.encode(corner[None])
    assert np.linalg.norm(encoded) == pytest.approx(mean.radius)
    np.testing.assert_allclose(mean.decode(encoded)[0], corner)


@pytest.mark.parametrize("noise", ["kernel", "matched"])
def test_default_split_minimises_the_noise(noise):
    taus = np.array([1.0, 3.0, 0.2])
    common = (np.zeros((3, 40)), taus, KERNEL, [0.02, 0.01, 0.001])

    def noise_at_unit_mu(budgets):
        mean = FunctionMean.per_curve(*common, budgets=budgets, noise=noise)
        return mean.noise_mse(mean.sensitivity(10).value)

    best = noise_at_unit_mu(None)
    rng = np.random.default_rng(6)
    others = [noise_at_unit_mu(rng.dirichlet(np.ones(3)) + 1e-3) for _ in range(200)]
    assert best <= min(others)
    assert min(others) < 1.05 * best < noise_at_unit_mu(1.0)


def test_noise_forecasts_agree_with_simulation(mean):
    rng = np.random.default_rng(7)
    noise = 0.3 * mean.noise_profile * rng.standard_normal((4000, mean.vector_dim))
    functions = mean.decode(noise) - mean.template
    pointwise = mean.pointwise_noise_std(0.3)
    np.testing.assert_allclose(functions.std(axis=0), pointwise, rtol=0.08)
    coefficients = mean.spectrum.analyse(functions).reshape(4000, -1)
    simulated = np.mean(np.sum(coefficients**2, axis=1))
    assert simulated == pytest.approx(mean.noise_mse(0.3), rel=0.08)


def test_worst_case_bias_is_attained_and_not_exceeded():
    mean = MEANS["weighted"]
    loss = (1 - mean.shrinkage) * mean.error_scale
    unit = np.zeros(mean.vector_dim)
    unit[np.argmax(loss)] = mean.radius
    lost = np.linalg.norm((1 - mean.shrinkage) * unit * mean.error_scale)
    assert lost == pytest.approx(mean.worst_case_bias())
    records = np.random.default_rng(8).standard_normal((300, 3, 40))
    encoded = mean.encode(records)
    losses = np.linalg.norm((1 - mean.shrinkage) * encoded * mean.error_scale, axis=1)
    assert losses.max() <= mean.worst_case_bias()


def test_incomplete_basis_counts_as_full_loss():
    mean = MEANS["smooth"]
    assert mean.vector_dim < mean.template.size
    assert mean.worst_case_bias() == mean.tau


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tau": 0.0}, "tau must be positive"),
        ({"tau": -1.0}, "tau must be positive"),
        ({"tau": np.inf}, "tau must be positive"),
        ({"phi": 0.0}, "phi must be positive"),
        ({"phi": [0.1, -0.1, 0.1]}, "phi must be positive"),
        ({"phi": [0.1, 0.1]}, "does not fit the channels"),
        ({"weights": np.nan}, "weights must be positive"),
        ({"kernel": PoweredExponential(1.0, 1.5)}, "alpha"),
        ({"template": np.zeros((3, 41))}, "sample the template at the points"),
        ({"template": np.full((3, 40), np.nan)}, "finite samples"),
        ({"noise": "white"}, "noise must be one of"),
        ({"resampling": "nearest"}, "resampling must be one of"),
    ],
)
def test_bad_parameters_are_refused_before_any_data(change, message):
    with pytest.raises(GeomdpError, match=message):
        replace(MEANS["weighted"], **change)


def test_template_with_duplicated_end_point_is_refused():
    angle = np.linspace(0, 2 * np.pi, 41)
    closed = np.stack([np.cos(angle), np.sin(angle)])
    closed[:, -1] = closed[:, 0]
    with pytest.raises(GeomdpError, match="drop the last point"):
        FunctionMean(closed, 1.0, KERNEL, 0.01)
    assert FunctionMean(closed[:, :-1], 1.0, KERNEL, 0.01).vector_dim == 80


def test_unknown_bounds_are_refused():
    with pytest.raises(GeomdpError, match="'sharp'"):
        MEANS["circle"].sensitivity(5, "loose")
    with pytest.raises(GeomdpError, match="matched"):
        MEANS["matched"].sensitivity(5, "paper")


def test_parameters_cannot_be_changed_in_place():
    with pytest.raises(ValueError, match="read-only"):
        MEANS["circle"].template[0] = 1.0
