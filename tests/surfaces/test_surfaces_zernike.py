"""Zernike polynomials and the diffeomorphisms built from them."""

import numpy as np
import pytest

from geomdp.errors import GeomdpError
from geomdp.surfaces.registration.diffeomorphism import (
    DiskDiffeomorphism,
    chart_basis,
    chart_values,
)
from geomdp.surfaces.registration.zernike import basis_size, zernike_basis


def disk_points(count: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.sqrt(rng.uniform(size=count)) * np.exp(2j * np.pi * rng.uniform(size=count))


def polar_quadrature(radii: int, angles: int) -> tuple[np.ndarray, np.ndarray]:
    x, w = np.polynomial.legendre.leggauss(radii)
    r = (x + 1) / 2
    z = r[:, None] * np.exp(2j * np.pi * np.arange(angles) / angles)
    return z.ravel(), np.repeat(w / 2 * r * 2 * np.pi / angles, angles)


def smooth_coefficients(degree: int, size: float, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, size, (2, basis_size(degree)))


@pytest.mark.parametrize("degree", [0, 1, 5, 12])
def test_the_polynomials_are_orthonormal(degree):
    z, weights = polar_quadrature(20, 40)
    value = zernike_basis(z, degree).value
    np.testing.assert_allclose(
        value.T @ (weights[:, None] * value), np.eye(value.shape[1]), atol=1e-12
    )


def test_a_known_polynomial_stands_in_its_column():
    z = disk_points(50)
    coma = np.sqrt(8 / np.pi) * (3 * abs(z) ** 3 - 2 * abs(z)) * np.sin(np.angle(z))
    np.testing.assert_allclose(zernike_basis(z, 4).value[:, (3 * 5 - 1) // 2], coma, atol=1e-13)


def test_derivatives_agree_with_finite_differences():
    z, h = disk_points(60), 1e-6
    basis = zernike_basis(z, 9)
    for found, direction in ((basis.dx, 1), (basis.dy, 1j)):
        ahead, behind = (zernike_basis(z + s * h * direction, 9).value for s in (1, -1))
        np.testing.assert_allclose(found, (ahead - behind) / (2 * h), atol=2e-6)


def test_high_degrees_stay_bounded():
    degree = 60
    value = zernike_basis(disk_points(500), degree).value
    assert np.abs(value).max() <= np.sqrt(2 * (degree + 1) / np.pi) * (1 + 1e-9)


def test_a_lower_degree_is_a_prefix():
    z = disk_points(7)
    few = zernike_basis(z, 3).dx
    np.testing.assert_array_equal(zernike_basis(z, 8).dx[:, : few.shape[1]], few)


def test_a_negative_degree_is_refused():
    with pytest.raises(GeomdpError, match="at least 0"):
        zernike_basis(disk_points(2), -1)


def test_centre_and_boundary_are_kept():
    gamma = DiskDiffeomorphism(smooth_coefficients(6, 0.05))
    rim = np.exp(1j * np.linspace(0, 6, 50))
    assert gamma(np.array([0j]))[0] == 0
    np.testing.assert_allclose(np.abs(gamma(rim)), 1, atol=1e-13)


def test_jacobian_agrees_with_finite_differences():
    gamma, z, h = DiskDiffeomorphism(smooth_coefficients(6, 0.05)), 0.99 * disk_points(80), 1e-6
    along_x = (gamma(z + h) - gamma(z - h)) / (2 * h)
    along_y = (gamma(z + 1j * h) - gamma(z - 1j * h)) / (2 * h)
    np.testing.assert_allclose(gamma.jacobian(z), (np.conj(along_x) * along_y).imag, atol=1e-7)


@pytest.mark.parametrize("kind", [0, 1])
def test_coefficient_derivatives_agree_with_finite_differences(kind):
    z, c, h = disk_points(40), smooth_coefficients(5, 0.1), 1e-6
    basis = chart_basis(z, 5)
    now = chart_values(basis, c)
    part = (basis.radial, basis.angular)[kind]
    f, f_x, f_y = now.jacobian_slopes()[kind]
    for column in range(c.shape[1]):
        step = np.zeros_like(c)
        step[kind, column] = h
        ahead, behind = chart_values(basis, c + step), chart_values(basis, c - step)
        d_gamma = now.gamma * part.value[:, column] * (1, 1j)[kind]
        d_jacobian = f * part.value[:, column] + f_x * part.dx[:, column] + f_y * part.dy[:, column]
        np.testing.assert_allclose(d_gamma, (ahead.gamma - behind.gamma) / (2 * h), atol=1e-7)
        np.testing.assert_allclose(
            d_jacobian, (ahead.jacobian - behind.jacobian) / (2 * h), atol=1e-6
        )


def test_the_inverse_undoes_the_map_up_to_the_boundary():
    coefficients = smooth_coefficients(8, 0.01)
    coefficients[1, 0] = 5.0  # turned far from the identity
    gamma = DiskDiffeomorphism(coefficients)
    z = np.concatenate([disk_points(300), np.exp(1j * np.arange(20)), [0]])
    assert gamma.min_jacobian() > 0.1
    np.testing.assert_allclose(gamma.inverse(gamma(z)), z, atol=1e-9)


def test_a_folding_map_cannot_be_inverted():
    gamma = DiskDiffeomorphism(smooth_coefficients(8, 1.0))
    assert gamma.min_jacobian() < 0
    with pytest.raises(GeomdpError, match="could not be inverted"):
        gamma.inverse(disk_points(400))


@pytest.mark.parametrize("shape", [(2, 4), (3, 3), (6,)])
def test_coefficients_that_fill_no_degree_are_refused(shape):
    with pytest.raises(GeomdpError):
        DiskDiffeomorphism(np.zeros(shape))


def test_the_smallest_jacobian_is_sought_from_the_centre_to_the_boundary():
    """Where it is smallest at the centre, on the boundary, or between."""
    grid = np.linspace(0, 1, 48)[:, None] * np.exp(2j * np.pi * np.arange(144) / 144)
    where = set()
    for seed in range(12):
        gamma = DiskDiffeomorphism(np.random.default_rng(seed).normal(0, 0.1, (2, 6)))
        jacobian = gamma.jacobian(grid.ravel()).reshape(grid.shape)
        assert np.isclose(gamma.min_jacobian(), jacobian.min(), rtol=1e-12)
        where.add(np.unravel_index(jacobian.argmin(), grid.shape)[0] / 47)
    centre = DiskDiffeomorphism(np.array([[-0.5, 0, 0, 0, 0.2, 0], np.zeros(6)]))
    assert np.isclose(centre.min_jacobian(), centre.jacobian(np.zeros(1))[0])
    assert max(where) == 1
