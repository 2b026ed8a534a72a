"""A release that is smoothed again as it itself asks: better where the guess was wrong."""

from dataclasses import replace

import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import GeomdpError
from geomdp.functions import FunctionMean, Matern, resmoothed
from geomdp.functions.resmoothing import likeliest_size, noise_deviation, resmoothed_value

N, SAMPLES = 500, 80
MEAN = FunctionMean(np.zeros(SAMPLES), tau=1.0, kernel=Matern(0.3))


def mean_at(offset: float, seed: int) -> np.ndarray:
    """A function that the kernel's own process may draw, with this root mean square."""
    white = np.random.default_rng(seed).standard_normal(SAMPLES)
    found = MEAN.spectrum.synthesise(np.sqrt(MEAN.spectrum.values) * white)
    return offset * found / np.sqrt(np.mean(found**2))


def errors(offset: float, budget: dp.Pure | dp.GDP, noise: str = "matched") -> np.ndarray:
    """Mean squared errors of releases and of releases smoothed again, over means and draws."""
    found = []
    phi = 0.01 if noise == "kernel" else None
    plan = dp.plan(replace(MEAN, noise=noise, phi=phi), n=N, budget=budget)
    deviation = noise_deviation(plan, plan.statistic)
    for seed in range(12):
        truth = mean_at(offset, seed)
        drawn = plan.simulate(truth[None], 8, seed)
        again = resmoothed_value(plan.statistic, drawn, deviation)
        found.append([np.mean((values - truth) ** 2) for values in (drawn, again)])
    return np.mean(found, axis=0)


@pytest.mark.parametrize("budget", [dp.GDP(1), dp.Pure(20)])
def test_it_wins_where_the_mean_is_nearer_or_farther_than_guessed(budget):
    guess = float(MEAN.typical_offset)
    near, far, right = (errors(factor * guess, budget) for factor in (0.05, 4.0, 1.0))
    assert near[1] < 0.5 * near[0]
    assert far[1] < far[0]
    assert right[1] < 1.1 * right[0]  # what estimating the size costs where the guess was right


def test_it_serves_the_noise_of_the_paper_too():
    released, again = errors(float(MEAN.typical_offset), dp.GDP(1), noise="kernel")
    assert again < released


def test_the_size_is_found():
    rng = np.random.default_rng(3)
    typical, noise = np.arange(1.0, 2000) ** -1.5, np.full(1999, 1e-3)
    for size in (1.0, 30.0, 1000.0):
        drawn = np.sqrt(size * typical + noise) * rng.standard_normal(1999)
        assert likeliest_size(drawn, typical, noise) == pytest.approx(size, rel=0.6)


def test_a_release_is_smoothed_by_itself_alone():
    plan = dp.plan(MEAN, n=N, budget=dp.GDP(1))
    release = plan.release(np.tile(mean_at(0.05, 1), (N, 1)))
    again = resmoothed(release)
    assert again.shape == release.value.shape
    assert np.array_equal(again, resmoothed_value(plan.statistic, release.value, plan.scale))


def test_of_refined_the_answer_is_smoothed_and_of_groups_a_part():
    records = np.tile(mean_at(0.05, 1), (N, 1))
    refined = dp.plan(dp.Refined(MEAN), n=N, budget=dp.GDP(2)).release(records)
    assert np.array_equal(resmoothed(refined), resmoothed(refined.parts["stage 2"]))
    plan = dp.plan(MEAN, n={"a": N, "b": N}, budget=dp.GDP(1))
    both = plan.release(dp.Records(np.tile(records, (2, 1)), group=["a"] * N + ["b"] * N))
    assert resmoothed(both.parts["a"]).shape == (SAMPLES,)
    with pytest.raises(GeomdpError, match="one of its parts"):
        resmoothed(both)


def test_other_releases_are_refused():
    plan = dp.plan(dp.Summary(dp.Sphere(2), 0.1), budget=dp.Pure(1))
    with pytest.raises(GeomdpError, match="FunctionMean and SurfaceMean"):
        resmoothed(plan.release(np.array([0.0, 0.0, 1.0])))
