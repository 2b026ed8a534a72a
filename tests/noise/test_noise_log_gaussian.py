"""Log-Gaussian law: a density that integrates to 1, and samples that follow it."""

import numpy as np
import pytest
from log_gaussian import LogGaussian, log_jacobian
from scipy import stats

from geomdp.errors import GeomdpError
from geomdp.noise.entropy import SeededEntropy
from geomdp.spaces import symmetric
from geomdp.spaces.numerics import decompositions

MEAN = np.array([[1.3, 0.2], [0.2, 0.8]])
COVARIANCE = np.array([[0.05, 0.01, 0.0], [0.01, 0.04, -0.01], [0.0, -0.01, 0.06]])


def integral(density):
    """Integral over 2 x 2 matrices in polar form: eigenvalues l1 > l2 and the angle of an axis.

    The Frobenius volume is sqrt(2) times that of the entries, which is (l1 - l2) dl1 dl2 dangle.
    """
    nodes, weights = np.polynomial.legendre.leggauss(60)
    middle, gap = 1.6 * nodes, 1.2 * (nodes + 1)  # l1, l2 = exp(middle + gap), exp(middle - gap)
    angles = np.pi * np.arange(48) / 48
    m, g, angle = np.meshgrid(middle, gap, angles, indexing="ij")
    a, b, c, s = np.exp(m + g), np.exp(m - g), np.cos(angle), np.sin(angle)
    x = np.stack(
        [a * c**2 + b * s**2, (a - b) * c * s, (a - b) * c * s, a * s**2 + b * c**2], axis=-1
    ).reshape(*a.shape, 2, 2)
    volume = np.sqrt(2) * (a - b) * 2 * a * b
    mass = density(x) * volume * np.multiply.outer(1.6 * weights, 1.2 * weights)[..., None]
    return np.sum(mass) * np.pi / 48


def test_density_integrates_to_one_for_2_by_2():
    law = LogGaussian(MEAN, COVARIANCE)
    assert integral(lambda x: np.exp(law.log_density(x))) == pytest.approx(1.0, abs=1e-8)


def test_the_papers_jacobian_without_its_denominator_does_not():
    def printed(x):
        return np.exp(law.log_density(x)) * np.ptp(np.linalg.eigvalsh(x), axis=-1)

    law = LogGaussian(MEAN, COVARIANCE)
    assert abs(integral(printed) - 1) > 0.2


def test_jacobian_is_the_determinant_of_the_derivative():
    rng = np.random.default_rng(0)
    g = rng.normal(size=(4, 4))
    x = g @ g.T + 0.3 * np.eye(4)
    vector, step = symmetric.to_vector(x), 1e-5
    columns = []
    for unit in np.eye(10):
        pair = [symmetric.from_vector(vector + s * step * unit, 4) for s in (1, -1)]
        difference = decompositions.logm(pair[0]) - decompositions.logm(pair[1])
        columns.append(symmetric.to_vector(difference) / (2 * step))
    assert log_jacobian(x) == pytest.approx(np.linalg.slogdet(np.array(columns))[1], abs=1e-7)


def test_equal_eigenvalues_are_a_limit():
    assert log_jacobian(2 * np.eye(3)) == pytest.approx(-6 * np.log(2))
    near = np.diag([2.0, 2.0 * (1 + 2e-6), 2.0])
    assert log_jacobian(near) == pytest.approx(log_jacobian(2 * np.eye(3)), abs=1e-5)


def test_samples_have_the_law_with_power():
    law = LogGaussian(MEAN, COVARIANCE)
    x = law.sample(20_000, SeededEntropy(1))
    offset = symmetric.to_vector(decompositions.logm(x)) - symmetric.to_vector(
        decompositions.logm(MEAN)
    )
    squares = np.einsum("ij,jk,ik->i", offset, np.linalg.inv(COVARIANCE), offset)
    assert stats.kstest(squares, stats.chi2(3).cdf).pvalue > 1e-3
    assert stats.kstest(1.05 * squares, stats.chi2(3).cdf).pvalue < 1e-4
    np.testing.assert_allclose(np.cov(offset.T), COVARIANCE, atol=2e-3)


@pytest.mark.parametrize(
    ("mean", "covariance", "message"),
    [
        (-np.eye(2), np.eye(3), "positive definite"),
        (np.eye(2), np.eye(2), "shape"),
        (np.eye(2), np.diag([1.0, 0.0, 1.0]), "positive definite"),
    ],
)
def test_bad_parameters(mean, covariance, message):
    with pytest.raises(GeomdpError, match=message):
        LogGaussian(mean, covariance)
