import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from geomdp.errors import BudgetError
from geomdp.privacy import (
    GDP,
    ZCDP,
    Approximate,
    Pure,
    analytic_mu,
    analytic_sigma,
    classical_sigma,
    delta_of_epsilon,
    gaussian_mu,
    sigma_for,
)

REFERENCE = Path(__file__).parents[1] / "fixtures/reference/reference_values.json"


def reference(name: str) -> list[dict[str, float]]:
    values: Any = json.loads(REFERENCE.read_text())
    return values[name]


def exact_delta(mu: Any, epsilon: Any) -> Any:
    """Privacy profile in 100 digits, by another library than the code under test."""
    with mpmath.workdps(100):
        mu, epsilon = mpmath.mpf(mu), mpmath.mpf(epsilon)
        upper = mpmath.ncdf(mu / 2 - epsilon / mu)
        return upper - mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)


def test_analytic_sigmas_match_and_are_never_below_the_reference() -> None:
    rows = reference("analytic_gaussian_sigma_GS1")
    assert len(rows) > 20
    for row in rows:
        sigma, exact = analytic_sigma(1.0, row["eps"], row["delta"]), row["sigma_exact_mpmath"]
        assert exact <= sigma <= exact * (1 + 1e-9)


def test_the_reference_check_has_power() -> None:
    """The other column, from software with an absolute tolerance, fails the same check."""
    rows = reference("analytic_gaussian_sigma_GS1")
    assert any(row["sigma"] < row["sigma_exact_mpmath"] for row in rows)


def test_classical_sigmas() -> None:
    for row in reference("classical_gaussian_sigma_GS1"):
        if row["eps"] < 1:
            sigma = classical_sigma(1.0, row["eps"], row["delta"])
            assert row["sigma"] * (1 - 1e-15) <= sigma <= row["sigma"] * (1 + 1e-11)


@pytest.mark.parametrize("mu", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0, 4.0])
def test_delta_recomputed_from_the_privacy_loss(mu: float, epsilon: float) -> None:
    """The loss is N(mu^2/2, mu^2) and delta is the mean of (1 - e^(epsilon - loss))_+."""

    def integrand(loss: float) -> float:
        return -math.expm1(epsilon - loss) * norm.pdf(loss, mu * mu / 2, mu)

    top = mu * mu / 2 + 40 * mu
    if epsilon >= top:
        pytest.skip("no mass within reach of this quadrature")
    points = [mu * mu / 2 + k * mu for k in range(-8, 9) if mu * mu / 2 + k * mu > epsilon]
    expected = quad(integrand, epsilon, top, points=points, limit=200, epsabs=0, epsrel=1e-10)[0]
    assert delta_of_epsilon(mu, epsilon) == pytest.approx(expected, rel=1e-8)


def test_the_second_argument_printed_in_paper_3_is_detected() -> None:
    mu, epsilon = 1.0, 1.0
    printed = norm.cdf(mu / 2 - epsilon / mu) * (1 - math.exp(epsilon))  # both arguments equal
    assert printed < 0 < delta_of_epsilon(mu, epsilon)


@settings(deadline=None)
@given(st.floats(1e-3, 20), st.floats(0, 30))
def test_delta_is_rounded_up_even_in_the_tails(mu: float, epsilon: float) -> None:
    delta = delta_of_epsilon(mu, epsilon)
    exact = exact_delta(repr(mu), repr(epsilon))
    assert delta >= exact
    assert delta <= exact * (1 + mpmath.mpf("1e-11")) or delta < 1e-30


def test_far_tail_rounds_up_to_the_smallest_float() -> None:
    assert 0 < delta_of_epsilon(1e-9, 100) < 1e-300


@settings(deadline=None)
@given(st.floats(1e-3, 10), st.floats(1e-3, 10), st.floats(1e-12, 0.5))
def test_more_budget_allows_more_mu(first: float, second: float, delta: float) -> None:
    low, high = sorted((first, second))
    assert analytic_mu(low, delta) <= analytic_mu(high, delta)
    assert analytic_mu(low, delta / 2) <= analytic_mu(low, delta)


@settings(deadline=None)
@given(st.floats(1e-3, 10), st.floats(1e-9, 0.9))
def test_analytic_mu_is_private_and_tight(epsilon: float, delta: float) -> None:
    mu = analytic_mu(epsilon, delta)
    assert exact_delta(mu, repr(epsilon)) <= mpmath.mpf(repr(delta))
    assert exact_delta(mu * (1 + 1e-11), repr(epsilon)) > mpmath.mpf(repr(delta))


@settings(deadline=None)
@given(st.floats(1e-3, 0.999), st.floats(1e-12, 0.999))
def test_textbook_calibrations_are_private(epsilon: float, delta: float) -> None:
    exact = analytic_mu(epsilon, delta)
    for calibration in ("classical", "mirshani"):
        assert gaussian_mu(Approximate(epsilon, delta), calibration) <= exact


def test_textbook_calibrations_stop_where_their_proofs_stop() -> None:
    for epsilon in (1, 1.5):
        with pytest.raises(BudgetError, match="epsilon < 1"):
            classical_sigma(1.0, epsilon, 1e-6)
    assert gaussian_mu(Approximate(1, 1e-6), "mirshani") > 0
    with pytest.raises(BudgetError, match="epsilon <= 1"):
        gaussian_mu(Approximate("1.01", 1e-6), "mirshani")
    # Mutant: the textbook formula far beyond its range is not private.
    assert 20 / math.sqrt(2 * math.log(1.25e6)) > analytic_mu(20, 1e-6)


def test_mirshani_is_sigma_squared() -> None:
    mu = gaussian_mu(Approximate(0.5, 1e-6), "mirshani")
    assert 1 / mu**2 == pytest.approx(2 * math.log(2e6) / 0.25, rel=1e-11)


def test_mu_of_the_other_kinds() -> None:
    assert gaussian_mu(GDP(0.5)) == 0.5
    assert gaussian_mu(ZCDP(2)) == 2.0
    root = gaussian_mu(GDP("sqrt(2)"))
    assert Fraction(root) ** 2 <= 2
    assert root == pytest.approx(math.sqrt(2), rel=1e-12)
    with pytest.raises(BudgetError, match="Gaussian noise cannot"):
        gaussian_mu(Pure(1))


@settings(deadline=None)
@given(st.floats(1e-6, 1e6), st.floats(1e-6, 1e3))
def test_sigma_never_spends_more_than_mu(sensitivity: float, mu: float) -> None:
    sigma = sigma_for(sensitivity, mu)
    assert Fraction(sigma) * Fraction(repr(mu)) >= Fraction(sensitivity)
    assert sigma <= sensitivity / mu * (1 + 2e-12)


@pytest.mark.parametrize("sensitivity", [0.0, -1.0, math.nan, math.inf])
def test_sensitivity_must_be_positive_and_finite(sensitivity: float) -> None:
    with pytest.raises(BudgetError, match="sensitivity"):
        analytic_sigma(sensitivity, 1, 1e-6)


def test_unknown_calibration_and_negative_epsilon() -> None:
    with pytest.raises(BudgetError, match="formula must be"):
        gaussian_mu(Approximate(0.5, 1e-6), "best")  # type: ignore[arg-type]
    with pytest.raises(BudgetError, match="negative"):
        delta_of_epsilon(1, -1)
