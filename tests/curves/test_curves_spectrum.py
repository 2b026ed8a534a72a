import numpy as np
import pytest

from geomdp.curves import (
    CircleGrid,
    IntervalGrid,
    JointKernel,
    Matern,
    PoweredExponential,
    RingGrid,
    Spectrum,
    SquaredExponential,
    spectrum_of,
)
from geomdp.errors import GeomdpError

M = 80
KERNELS = [
    PoweredExponential(1.0),
    PoweredExponential(0.7, alpha=0.5),
    Matern(0.8, 0.5),
    Matern(0.8, 1.5),
    Matern(0.8, 2.5),
    SquaredExponential(0.6),
]


def circle_matrix(kernel, m=M):
    angle = 2 * np.pi * np.abs(np.subtract.outer(np.arange(m), np.arange(m))) / m
    return kernel.on_circle(np.minimum(angle, 2 * np.pi - angle))


def fourier_coefficient(k, rho):
    """Fourier coefficients of exp(-|angle|/rho), docs/theory/functions.md section 2."""
    return (1 - (-1.0) ** k * np.exp(-np.pi / rho)) / (np.pi * rho * (rho**-2 + k**2))


@pytest.mark.parametrize("rho", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("m", [80, 81])
def test_eigenvalues_are_the_aliased_fourier_coefficients(rho, m):
    values = spectrum_of(PoweredExponential(rho), CircleGrid(m)).values
    frequency = (np.arange(m) + 1) // 2
    aliases = np.arange(-20_000, 20_001) * m
    expected = fourier_coefficient(frequency[:, None] + aliases, rho).sum(axis=1)
    parity = (-1.0) ** frequency if m % 2 == 0 else 0.0  # on odd grids it averages out
    tail = (1 - parity * np.exp(-np.pi / rho)) * 2 / (np.pi * rho * m**2 * 20_000.5)
    np.testing.assert_allclose(values, expected + tail, rtol=1e-7)


def test_eigenvalues_converge_to_the_fourier_coefficients():
    values = spectrum_of(PoweredExponential(1.0), CircleGrid(2000)).values
    expected = fourier_coefficient((np.arange(30) + 1) // 2, 1.0)
    np.testing.assert_allclose(values[:30], expected, rtol=1e-3)


def test_interval_eigenvalues_against_the_closed_form():
    from scipy.optimize import brentq

    c = 2.0  # 1/rho on [0, 1]: even modes c = w tan(w/2), odd modes w = -c tan(w/2)
    even = brentq(lambda w: c - w * np.tan(w / 2), 1e-6, np.pi - 1e-6)
    odd = brentq(lambda w: w + c * np.tan(w / 2), np.pi + 1e-6, 2 * np.pi)
    expected = [2 * c / (w**2 + c**2) for w in (even, odd)]
    grid = IntervalGrid(np.linspace(0, 1, 400))
    np.testing.assert_allclose(
        spectrum_of(PoweredExponential(1 / c), grid).values[:2], expected, rtol=1e-4
    )


@pytest.mark.parametrize("kernel", KERNELS)
def test_circle_spectrum_rebuilds_the_kernel(kernel):
    spectrum = spectrum_of(kernel, CircleGrid(M))
    rebuilt = (spectrum.basis.T * spectrum.values) @ spectrum.basis
    np.testing.assert_allclose(rebuilt, circle_matrix(kernel), atol=1e-9)


@pytest.mark.parametrize("kernel", [*KERNELS, PoweredExponential(0.7, alpha=1.7)])
def test_uneven_interval_spectrum_rebuilds_the_kernel(kernel):
    points = np.cumsum(np.random.default_rng(0).uniform(0.02, 0.2, 40))
    spectrum = spectrum_of(kernel, IntervalGrid(points))
    rebuilt = (spectrum.basis.T * spectrum.values) @ spectrum.basis
    expected = kernel.on_interval(np.abs(np.subtract.outer(points, points)))
    np.testing.assert_allclose(rebuilt, expected, atol=1e-8)


def test_joint_spectrum_is_that_of_the_kronecker_product():
    radii, angles = IntervalGrid([0.2, 0.4, 0.7, 0.8, 1.0]), CircleGrid(12)
    radial, angular = Matern(0.4), PoweredExponential(1.0)
    spectrum = spectrum_of(JointKernel(radial, angular), RingGrid(radii, angles))
    gaps = np.abs(np.subtract.outer(radii.points, radii.points))
    dense = np.kron(radial.on_interval(gaps), circle_matrix(angular, 12))
    root = np.sqrt(np.kron(radii.weights, np.full(12, 1 / 12)))
    expected = np.linalg.eigvalsh(root[:, None] * dense * root)
    np.testing.assert_allclose(np.sort(spectrum.values), expected, atol=1e-12)
    functions = spectrum.synthesise(np.eye(60)).reshape(60, 60)
    np.testing.assert_allclose((functions.T * spectrum.values) @ functions, dense, atol=1e-10)
    np.testing.assert_allclose(
        spectrum.analyse(functions.reshape(60, 5, 12)), np.eye(60), atol=1e-9
    )
    variance = spectrum.pointwise_variance(spectrum.values)
    np.testing.assert_allclose(variance, np.ones((5, 12)), atol=1e-10)  # the kernel's diagonal


def covariance_score(draws, kernel):
    """Standardised Mahalanobis sum of ``draws`` under the kernel matrix, by its own Cholesky."""
    white = np.linalg.solve(np.linalg.cholesky(circle_matrix(kernel)), draws.T)
    return (np.sum(white**2) - white.size) / np.sqrt(2 * white.size)


@pytest.mark.parametrize("kernel", [PoweredExponential(1.0), Matern(0.3, 1.5)])
def test_synthesised_noise_has_the_covariance_of_the_kernel(kernel):
    spectrum = spectrum_of(kernel, CircleGrid(M))
    white = np.random.default_rng(5).standard_normal((4000, M))
    noise = spectrum.synthesise(white * np.sqrt(spectrum.values))
    assert abs(covariance_score(noise, kernel)) < 4
    assert abs(covariance_score(1.03 * noise, kernel)) > 10
    other = spectrum_of(type(kernel)(1.05 * kernel.rho), CircleGrid(M))
    mutant = other.synthesise(white * np.sqrt(other.values))
    assert abs(covariance_score(mutant, kernel)) > 10


def test_matrix_eigenvalues_are_refused():
    good = spectrum_of(PoweredExponential(1.0), CircleGrid(M))
    with pytest.raises(GeomdpError, match="integral operator"):
        Spectrum(M * good.values, good.basis, good.weights)
    with pytest.raises(GeomdpError, match="sum to one"):
        Spectrum(good.values, good.basis / np.sqrt(M), good.weights * M)


def test_alpha_beyond_one_is_refused_where_a_grid_test_would_not():
    kernel = PoweredExponential(1.0, alpha=1.5)

    def smallest(m):
        steps = np.arange(m)
        angle = 2 * np.pi * np.minimum(steps, m - steps) / m
        return np.fft.rfft(np.exp(-(angle**1.5))).real.min() / m

    assert smallest(M) > 0
    assert smallest(20_000) < -1e-12
    with pytest.raises(GeomdpError, match=r"alpha in \(0, 1\]"):
        spectrum_of(kernel, CircleGrid(M))
    assert spectrum_of(kernel, IntervalGrid(np.linspace(0, 1, 20))).values.size == 20


@pytest.mark.parametrize(
    "make",
    [
        lambda: PoweredExponential(1.0, alpha=0.0),
        lambda: PoweredExponential(-1.0),
        lambda: Matern(0.0),
        lambda: Matern(1.0, nu=2.0),
        lambda: SquaredExponential(np.nan),
        lambda: spectrum_of(PoweredExponential(1.0, alpha=2.1), IntervalGrid([0, 1, 2, 3])),
        lambda: spectrum_of(JointKernel(Matern(1.0), Matern(1.0)), CircleGrid(8)),
        lambda: spectrum_of(Matern(1.0), RingGrid(IntervalGrid([0, 1, 2, 3]), CircleGrid(8))),
    ],
)
def test_bad_kernels_are_refused(make):
    with pytest.raises(GeomdpError):
        make()
