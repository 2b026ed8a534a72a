"""A smaller budget never forecasts a smaller error: budgets and errors invert each other."""

import numpy as np
import pytest

import geomdp as dp
from geomdp.mechanisms.forecast import radial_forecast
from geomdp.statistics import TangentMean


def shapes(statistic=dp.FrechetMean, landmarks=64, radius=0.15):
    space = dp.PlanarShapes(landmarks)
    return statistic(dp.Ball(space, space.origin(np.zeros(space.dim)), radius))


def circle():
    return TangentMean(dp.Ball(dp.Sphere(1), [1.0, 0.0], 0.5))


def globe():
    return dp.FrechetMean(dp.Ball(dp.Sphere(2), [0.0, 0.0, 1.0], 0.5))


#: Budgets at which noise goes round the space, several times at the smallest.
CASES = {
    "wrapped-laplace": (shapes(), 32, [dp.Pure(e) for e in (0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 1, 2)]),
    "wrapped-gaussian": (globe(), 8, [dp.GDP(m) for m in (0.01, 0.02, 0.05, 0.1, 0.3, 1)]),
    "tangent-gaussian": (circle(), 8, [dp.GDP(m) for m in (0.01, 0.02, 0.05, 0.1, 0.3, 1)]),
    "laplace": (shapes(), 32, [dp.Pure(e) for e in (0.1, 0.2, 0.5, 1, 2)]),
}


@pytest.mark.parametrize("mechanism", CASES)
def test_forecasts_fall_as_the_budget_grows(mechanism):
    statistic, n, budgets = CASES[mechanism]
    plans = [dp.plan(statistic, n=n, budget=b, mechanism=mechanism) for b in budgets]
    means = [made.expected_error for made in plans]
    tails = [made.error_quantile(0.95) for made in plans]
    assert means == sorted(means, reverse=True)
    assert tails == sorted(tails, reverse=True)
    assert means[0] > means[-1]


def test_noise_is_never_credited_with_coming_back():
    """Noise of just one full turn leads to where it began: that is luck, and not accuracy."""
    mean = circle()
    turn = np.array([[2 * np.pi], [np.pi / 2], [-1.0]])
    assert mean.error_of(turn) == pytest.approx([np.pi, np.pi / 2, 1.0])


def test_the_budget_for_an_error_is_the_smallest_whose_forecast_keeps_it():
    """Before, epsilon 0.2 forecast 0.496, epsilon 0.3 forecast 0.900, and 0.5 needed 2.19."""
    asked, error = shapes(), 0.5
    found = dp.budget_for(asked, n=32, error=error, mechanism="wrapped-laplace")

    def forecast(epsilon):
        made = dp.plan(asked, n=32, budget=dp.Pure(epsilon), mechanism="wrapped-laplace")
        return made.expected_error

    assert forecast(found.epsilon) <= error
    assert min(map(forecast, (0.2, 0.4, 0.97 * found.epsilon))) > error
    assert dp.plan(asked, n=32, budget=dp.Pure(0.2)).expected_error > error


def test_forecasts_stay_upper_bounds_of_the_error():
    made = dp.plan(globe(), n=8, budget=dp.GDP(0.2), mechanism="wrapped-gaussian")
    center = np.array([0.0, 0.0, 1.0])
    errors = dp.Sphere(2).dist(center, made.simulate(center, size=4000))
    assert np.mean(errors) <= 1.02 * made.expected_error


@pytest.mark.parametrize("dim", [1, 2, 5])
def test_laplace_forecast_is_the_closed_form_on_flat_space(dim):
    """The radius of exp(-|x|/s) is a gamma variable of shape d: its mean is d s."""
    assert radial_forecast(dp.Euclidean(dim), 0.3).expected == pytest.approx(0.3 * dim, rel=2e-4)
