from dataclasses import replace

import numpy as np
import pytest

from geomdp.curves import (
    FunctionMean,
    Matern,
    PoweredExponential,
)
from geomdp.curves.datasets import closed_curves, electricity_curves, growth_curves

KERNEL = PoweredExponential(1.0)
N = 1000


def measured_mse(mean, records, bound="sharp", mu=1.0, repeats=200):
    """Mean squared L2 distance of simulated private means from the plain mean of the records."""
    estimate = mean.mean_coordinates(mean.encode(records))
    sigma = mean.sensitivity(len(records), bound).value / mu
    white = np.random.default_rng(9).standard_normal((repeats, mean.vector_dim))
    private = mean.decode(estimate + sigma * mean.noise_profile * white)
    return np.mean((private - records.mean(axis=0)) ** 2) * np.prod(mean.channels)


def test_typical_bias_is_the_mean_over_draws_of_the_kernel():
    mean = FunctionMean(np.zeros(80), 1.0, KERNEL, 0.01, offset=0.1)
    white = np.random.default_rng(3).standard_normal((20_000, 80))
    lost = (1 - mean.shrinkage) * 0.1 * np.sqrt(mean.spectrum.values) * white
    simulated = np.sqrt(np.mean(np.sum(lost**2, axis=1)))
    assert simulated == pytest.approx(mean.typical_bias(), rel=0.02)


@pytest.mark.parametrize("terms", [None, 5])
def test_what_smoothing_takes_off_is_what_is_lost_of_a_draw(terms):
    """Draw means of the kernel's process, smooth them, and compare with the law that is stated."""
    mean = FunctionMean(np.zeros((2, 40)), 1.0, KERNEL, 0.01, offset=[0.1, 0.3], terms=terms)
    whole = replace(mean, terms=None).spectrum
    white = np.random.default_rng(3).standard_normal((4000, 2, 40))
    curves = whole.synthesise(np.array([[0.1], [0.3]]) * np.sqrt(whole.values) * white)
    kept = mean.decode(mean.shrinkage * mean.to_coordinates(curves))
    lost = mean.lost(np.random.default_rng(4).standard_normal((4000, 80)))
    np.testing.assert_allclose(np.std(lost, axis=0), np.std(curves - kept, axis=0), rtol=0.08)


def test_matched_noise_is_never_larger_in_any_coefficient():
    kernel = FunctionMean(np.zeros(80), 1.0, KERNEL, 0.01, noise="kernel")
    matched = replace(kernel, noise="matched")
    kernel_std = kernel.sensitivity(N).value * kernel.noise_profile
    matched_std = matched.sensitivity(N).value * matched.noise_profile
    assert np.all(matched_std <= kernel_std * (1 + 1e-9))
    assert np.sum(matched_std**2) < 0.36 * np.sum(kernel_std**2)


def test_each_step_from_the_papers_calibration_lowers_the_error():
    """Public norms: 1.1 holds every curve, 0.12 every curve minus the ellipse (both to spare)."""
    family = closed_curves(N, seed=1)
    uncentred = FunctionMean(np.zeros((2, 80)), 1.1, KERNEL, 0.01, noise="kernel")
    centred = FunctionMean(family.template, 0.12, KERNEL, 0.01, noise="kernel")
    matched = replace(centred, noise="matched")
    steps = [
        measured_mse(uncentred, family.records, bound="paper"),
        measured_mse(uncentred, family.records),
        measured_mse(centred, family.records),
        measured_mse(matched, family.records),
    ]
    paper_noise = uncentred.noise_mse(uncentred.sensitivity(N, "paper").value)
    assert paper_noise >= 4 * uncentred.noise_mse(uncentred.sensitivity(N).value) * (1 - 1e-8)
    assert steps[0] > 1.15 * steps[1]  # the noise falls fourfold, but the bias stays
    assert steps[1] > 50 * steps[2]  # centring cuts noise and bias
    assert steps[2] > 1.2 * steps[3]  # noise 2.9 times lower; the bias of phi = 0.01 stays


def test_joint_clipping_needs_less_noise_than_the_worst_case_per_curve():
    """23 curves with amplitudes uniform in [0, 1]: no record is at its worst in all of them."""
    rng = np.random.default_rng(4)
    shape = np.sqrt(2) * np.cos(2 * np.pi * np.arange(80) / 80)
    records = rng.uniform(0, 1, (N, 23, 1)) * shape
    per_curve = FunctionMean.per_curve(np.zeros((23, 80)), 1.0, KERNEL, 0.01)
    joint = replace(per_curve, tau=0.7)
    ratio = per_curve.noise_mse(per_curve.sensitivity(N).value) / joint.noise_mse(
        joint.sensitivity(N).value
    )
    assert ratio == pytest.approx(0.7**-2)
    assert np.mean(np.linalg.norm(per_curve.encode(records), axis=1) > 0.7) < 0.05
    assert measured_mse(joint, records, mu=0.1) < 0.6 * measured_mse(per_curve, records, mu=0.1)


@pytest.mark.parametrize("rule", ["linear", "fit"])
def test_growth_curves_with_irregular_visits(rule):
    family = growth_curves(300, seed=5)
    rng = np.random.default_rng(6)
    visits = [np.sort(rng.uniform(2, 18, 25)) for _ in range(300)]
    pairs = [
        (ages, np.interp(ages, family.grid.points, heights))
        for ages, heights in zip(visits, family.records, strict=True)
    ]
    mean = FunctionMean(family.template, 15.0, Matern(6.0), 1e-4, family.grid, resampling=rule)
    found = mean.estimate(mean.encode(pairs))
    expected = mean.estimate(mean.encode(family.records))
    assert np.sqrt(np.mean((found - expected) ** 2)) < 1.0  # cm
    assert abs(expected - family.template).max() > 0.5


def test_datasets_are_reproducible_and_differ_by_seed():
    for make in (closed_curves, growth_curves, electricity_curves):
        np.testing.assert_array_equal(make(5, seed=1).records, make(5, seed=1).records)
        assert not np.array_equal(make(5, seed=1).records, make(5, seed=2).records)
        assert make(5, seed=1).records.shape[1:] == make(5, seed=1).template.shape
