import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import gammaln, ndtri

from geomdp.errors import BudgetError
from geomdp.privacy import GDP, Pure, convert, delta_of_epsilon, gdp_of_laplace
from geomdp.privacy.laplace_gdp import _profile


def profile_in_polar_coordinates(epsilon: float, dim: int, t: float) -> float:
    """Delta(t) by quadrature over radius and angle around one law's centre, in floats.

    The loss exceeds t where radius (epsilon cos(angle) + t) < (epsilon^2 - t^2)/2.
    """
    nodes, weights = np.polynomial.legendre.leggauss(400)
    angle, angle_weight = (nodes + 1) * np.pi / 2, weights * np.pi / 2
    toward = epsilon * np.cos(angle) + t
    far = 40.0 + 3 * dim
    end = np.where(toward > 0, (epsilon**2 - t**2) / (2 * np.maximum(toward, 1e-9)), far)
    end = np.minimum(end, far)[:, None]
    radius, radius_weight = (nodes + 1) / 2 * end, weights / 2 * end
    other = np.sqrt(radius**2 + epsilon**2 - 2 * radius * epsilon * np.cos(angle)[:, None])
    excess = -np.expm1(t - (other - radius))
    log_constant = gammaln(dim / 2) - math.log(math.pi) / 2 - gammaln((dim - 1) / 2) - gammaln(dim)
    radial = np.exp(log_constant - radius) * radius ** (dim - 1)
    inner = (excess * radial * radius_weight).sum(axis=1)
    return float((inner * np.sin(angle) ** (dim - 2) * angle_weight).sum())


@pytest.mark.parametrize(("dim", "mu"), [(2, 0.760), (10, 0.324), (55, 0.1355)])
def test_goldens_at_epsilon_one(dim: int, mu: float) -> None:
    assert gdp_of_laplace(1, dim).mu == pytest.approx(mu, abs=5e-4)


@pytest.mark.parametrize("dim", [2, 3, 7])
@pytest.mark.parametrize("share", [0.0, 0.4])
def test_profile_against_polar_quadrature(dim: int, share: float) -> None:
    ours = float(_profile(Fraction(3, 2), dim)(Fraction(3, 2) * Fraction(share)))
    assert ours == pytest.approx(profile_in_polar_coordinates(1.5, dim, 1.5 * share), rel=1e-5)


def test_profile_against_simulation_in_high_dimension() -> None:
    rng, dim, epsilon, t = np.random.default_rng(5), 55, 2.0, 0.1
    radius = rng.gamma(dim, size=400_000)
    cosine = rng.standard_normal(radius.size)
    cosine /= np.sqrt(cosine**2 + rng.chisquare(dim - 1, radius.size))
    loss = np.sqrt(radius**2 + epsilon**2 - 2 * radius * epsilon * cosine) - radius
    excess = np.maximum(-np.expm1(t - loss), 0)
    error = excess.std() / math.sqrt(radius.size)
    ours = float(_profile(Fraction(2), dim)(Fraction(1, 10)))
    assert abs(ours - excess.mean()) < 4 * error
    shifted = float(_profile(Fraction("2.06"), dim)(Fraction(1, 10)))
    assert abs(shifted - excess.mean()) > 4 * error  # power: 3% in epsilon is seen


def test_one_dimension_is_the_laplace_mechanism() -> None:
    total_variation = -math.expm1(-0.5)
    expected = 2 * ndtri((1 + total_variation) / 2)
    assert expected <= gdp_of_laplace(1, 1).mu <= expected * (1 + 3e-7)


@pytest.mark.parametrize(
    ("epsilon", "dim"), [(0.01, 3), (1, 2), (4, 2), (10, 5), (40, 1), (2, 100)]
)
def test_the_gaussian_curve_lies_above_the_whole_profile(epsilon: float, dim: int) -> None:
    budget, exact = gdp_of_laplace(epsilon, dim), Fraction(str(epsilon))
    delta = _profile(exact, dim)
    ratios = []
    for i in range(37):
        t = exact * i / 37
        ours, mutant = delta_of_epsilon(budget.mu, t), delta_of_epsilon(budget.mu * 0.999999, t)
        assert ours >= float(delta(t)) * (1 - 1e-12)
        ratios.append(mutant / float(delta(t)))
    assert min(ratios) < 1  # one part in a million less and some point of the profile sticks out


def test_between_the_ends_it_knows() -> None:
    for dim in (2, 10, 55):
        assert 1 / math.sqrt(dim) < gdp_of_laplace(1, dim).mu < convert(Pure(1), GDP).mu


def test_dimension_must_be_a_count() -> None:
    with pytest.raises(BudgetError, match="dim must be a whole number"):
        gdp_of_laplace(1, 0)
