"""Point-wise noise: its scale, its law (with power), its sensitivity, and who may ask for it."""

import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import MechanismRefusedError
from geomdp.noise.entropy import SeededEntropy
from geomdp.statistics.encoded import Encoded
from geomdp_papers.mechanisms.pointwise_gaussian import REACH
from geomdp_papers.point_mean import PointMean

N, DIM, RECORDS, MU = 20, 3, 50, 1.5


@pytest.fixture(scope="module")
def template() -> np.ndarray:
    return np.random.default_rng(0).standard_normal((N, DIM))


@pytest.fixture(scope="module")
def each(template) -> PointMean:
    return PointMean(template, 0.1, "each")


def records_of(template: np.ndarray, seed: int = 1) -> np.ndarray:
    return template + 0.04 * np.random.default_rng(seed).standard_normal((RECORDS, N, DIM))


def standardised(draws: np.ndarray, mean: np.ndarray, spread: float) -> float:
    """Sum of squares of all coordinates, standard normal if the spread is right."""
    squares = ((draws - mean) / spread) ** 2
    return float((squares.sum() - squares.size) / np.sqrt(2 * squares.size))


def test_the_noise_on_each_point_is_that_of_composed_mechanisms(template, each):
    plan = dp.plan(each, n=RECORDS, budget=dp.GDP(MU), mechanism="pointwise-gaussian")
    records = records_of(template)
    draws = plan.simulate(records, size=400, seed=2)
    mean = each.decode(each.encode(records).mean(axis=0))
    share = MU / np.sqrt(N)  # what each of the N points may spend
    spread = 2 * each.bound / RECORDS / share
    assert abs(standardised(draws, mean, spread)) < 4
    assert abs(standardised(draws, mean, 1.03 * spread)) > 5  # power
    assert np.abs(draws.mean(axis=0) - mean).max() < 4.5 * spread / np.sqrt(len(draws))


def test_an_exact_draw_has_the_same_law(template, each):
    plan = dp.plan(each, n=RECORDS, budget=dp.GDP(MU), mechanism="pointwise-gaussian")
    encoded = each.encode(records_of(template))
    entropy = SeededEntropy(5, exact=True)
    draws = plan._mechanism.draw(plan.calibration, Encoded.of(encoded), entropy, size=150)
    spread = 2 * each.bound * np.sqrt(N) / (RECORDS * MU)
    assert abs(standardised(draws, each.decode(encoded.mean(axis=0)), spread)) < 4
    assert abs(standardised(draws, each.decode(encoded.mean(axis=0)), 1.06 * spread)) > 5


def test_a_joint_bound_becomes_a_bound_for_each_point(template):
    joint = PointMean(template, 0.05)
    plan = dp.plan(joint, n=RECORDS, budget=dp.GDP(MU), mechanism="pointwise-gaussian")
    assert plan.calibration.facts["point_bound"] == REACH * 0.05
    assert plan.sensitivity.value == pytest.approx(2 * REACH * 0.05 / RECORDS)
    better = dp.plan(joint, n=RECORDS, budget=dp.GDP(MU), mechanism="tangent-gaussian")
    assert plan.expected_error == pytest.approx(REACH * better.expected_error, rel=1e-3)


def test_it_is_a_comparison_that_auto_never_picks(template, each):
    assert dp.plan(each, n=RECORDS, budget=dp.GDP(MU)).mechanism == "tangent-gaussian"
    release = dp.plan(each, n=RECORDS, budget=dp.GDP(MU), mechanism="pointwise-gaussian").release(
        records_of(template)
    )
    assert release.manifest["comparison"] is True
    assert release.value.shape == (N, DIM)
    assert release.plan.mechanism == "pointwise-gaussian"


@pytest.mark.parametrize("budget", [dp.ZCDP(0.5), dp.Approximate(1, 1e-6), dp.GDP(1)])
def test_every_gaussian_budget_is_served(each, budget):
    plan = dp.plan(each, n=RECORDS, budget=budget, mechanism="pointwise-gaussian")
    twin = dp.plan(each, n=RECORDS, budget=budget, mechanism="tangent-gaussian")
    assert plan.scale == twin.scale


def test_other_statistics_and_pure_budgets_are_refused(each):
    ball = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)
    with pytest.raises(MechanismRefusedError, match="labelled points"):
        dp.plan(dp.FrechetMean(ball), n=10, budget=dp.GDP(1), mechanism="pointwise-gaussian")
    with pytest.raises(MechanismRefusedError):
        dp.plan(each, n=RECORDS, budget=dp.Pure(1), mechanism="pointwise-gaussian")
