import numpy as np
import pytest
from scipy.stats import norm

from geomdp.privacy import GDP, ZCDP, Approximate, Budget, Pure, Unit, delta_of_epsilon
from geomdp.report.odds import (
    approximate_power,
    concentrated_power,
    gaussian_power,
    meaning,
    posterior,
)

BUDGETS: list[Budget] = [Pure(1), Approximate(1, 1e-6), GDP(1), ZCDP(0.5)]
GRID = np.linspace(0.001, 0.999, 400)


@pytest.mark.parametrize("budget", BUDGETS, ids=lambda b: b.kind)
def test_every_kind_of_budget_has_words_and_a_sensible_bound(budget: Budget) -> None:
    explained = meaning(budget, Unit.record())
    assert len(explained.plain) > 80
    assert len(explained.formula) > 40
    bound = explained.bound(GRID)
    assert np.all(bound >= GRID)  # knowing nothing is always allowed
    assert np.all(bound <= 1)
    assert np.all(np.diff(bound) >= 0)
    assert np.all(np.diff(bound, 2) <= 1e-12)  # concave: randomised tests gain nothing


@pytest.mark.parametrize(
    ("small", "large"), [(Pure(0.1), Pure(2)), (GDP(0.1), GDP(2)), (ZCDP(0.01), ZCDP(2))]
)
def test_a_larger_budget_allows_more(small: Budget, large: Budget) -> None:
    less, more = (meaning(budget, Unit.record()).bound for budget in (small, large))
    assert np.all(less(GRID) <= more(GRID))
    assert less(np.array([0.1]))[0] < more(np.array([0.1]))[0] - 0.05


def test_posterior_is_bayes_rule_with_the_largest_likelihood_ratio() -> None:
    epsilon, prior = 1.3, 0.2
    ratio = np.exp(epsilon)
    assert posterior(np.array(prior), epsilon) == pytest.approx(
        prior * ratio / (prior * ratio + 0.8)
    )
    assert posterior(np.array([0.5]), 2000.0)[0] == 1.0  # no overflow


def test_approximate_power_contains_the_gaussian_mechanism() -> None:
    mu, epsilon = 1.0, 1.5
    delta = delta_of_epsilon(mu, epsilon)
    allowed = approximate_power(GRID, epsilon, delta)
    attained = gaussian_power(GRID, mu)
    assert np.all(attained <= allowed + 1e-12)
    assert np.min(allowed - attained) < 1e-3  # the two touch: delta is exact
    # Power of the check: a delta that is 10% too small is noticed.
    assert np.any(attained > approximate_power(GRID, epsilon, 0.9 * delta))


def test_concentrated_power_contains_gaussian_noise_of_the_same_rho() -> None:
    rho = 0.5
    attained = norm.cdf(norm.ppf(GRID) + np.sqrt(2 * rho))
    assert np.all(attained <= concentrated_power(GRID, rho) + 1e-12)
    # Power of the check: the bound for a quarter of rho would be too small.
    assert np.any(attained > concentrated_power(GRID, rho / 4))


def test_gaussian_power_is_the_neyman_pearson_test() -> None:
    mu, threshold = 0.7, 1.2
    alarm, power = norm.sf(threshold), norm.sf(threshold - mu)
    assert gaussian_power(np.array(alarm), mu) == pytest.approx(power)


def test_a_release_with_less_noise_than_its_budget_says_more_than_the_table() -> None:
    """The mutant: half the scale, so that the largest likelihood ratio is not e^epsilon."""
    epsilon, prior, values = 1.0, 0.2, np.linspace(-5.0, 6.0, 200)

    def largest(scale: float) -> float:
        ratio = np.exp((np.abs(values) - np.abs(values - 1.0)) / scale)
        return float(np.max(prior * ratio / (prior * ratio + 1 - prior)))

    told = float(posterior(np.array(prior), epsilon))
    assert largest(1 / epsilon) == pytest.approx(told)
    assert largest(0.5 / epsilon) > told + 0.1
