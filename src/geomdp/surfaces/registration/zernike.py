"""Real Zernike polynomials on the unit disk, with their Cartesian derivatives.

Zernike 1934, doi:10.1016/S0031-8914(34)80259-5.

The polynomial of degree n and azimuthal order m is ``|z|^|m| P(2|z|^2 - 1)`` times ``cos(m theta)``
(m >= 0) or ``sin(|m| theta)`` (m < 0), with P the Jacobi polynomial of type (0, |m|). Writing the
angular factor as a part of ``z^|m|`` makes values and derivatives regular at the origin, and the
three-term recurrence keeps them accurate at every degree.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.typing import Complex, Floats


@dataclass(frozen=True)
class ZernikeBasis:
    """Values and derivatives of all polynomials up to a degree, one column each.

    Columns are ordered by degree, then by azimuthal order, so that the basis of a lower degree is a
    prefix: column ``(n (n + 2) + m) / 2``.
    """

    value: Floats
    dx: Floats
    dy: Floats


def basis_size(degree: int) -> int:
    """Count the polynomials of degree at most ``degree``."""
    return (degree + 1) * (degree + 2) // 2


def basis_degree(size: int) -> int:
    """Return the highest degree of a basis of ``size`` polynomials."""
    return round((np.sqrt(8 * size + 1) - 3) / 2)


def zernike_basis(z: Complex, degree: int) -> ZernikeBasis:
    """Evaluate the polynomials, orthonormal for the area of the disk, at complex points."""
    z = np.asarray(z, dtype=np.complex128)
    if degree < 0:
        raise GeomdpError(f"The degree of a Zernike basis is at least 0, not {degree}.")
    value, dx, dy = (np.empty((basis_size(degree), z.size)) for _ in range(3))
    t = 2 * (z.real**2 + z.imag**2) - 1
    power, lower = np.ones_like(z), np.zeros_like(z)  # z^m and z^(m-1)
    for m in range(degree + 1):
        for k, (p, dp) in enumerate(_jacobi(t, m, (degree - m) // 2)):
            n = m + 2 * k
            scale = np.sqrt((n + 1) * (1 if m == 0 else 2) / np.pi)
            f_x = scale * (m * lower * p + power * dp * (4 * z.real))
            f_y = scale * (1j * m * lower * p + power * dp * (4 * z.imag))
            column = (n * (n + 2) + m) // 2
            value[column], dx[column], dy[column] = (scale * power * p).real, f_x.real, f_y.real
            if m > 0:
                value[column - m] = (scale * power * p).imag
                dx[column - m], dy[column - m] = f_x.imag, f_y.imag
        power, lower = power * z, power
    return ZernikeBasis(*(np.ascontiguousarray(part.T) for part in (value, dx, dy)))


class RingPolynomials:
    """Zernike polynomials at the points ``r exp(i t)`` of all radii and angles, to be combined.

    Each is a function of the radius times one of the angle, so that a combination takes small
    products of matrices, where a table of all polynomials at all points is long to read.

    Points come radius by radius.
    """

    def __init__(self, radii: Floats, angles: Floats, degree: int) -> None:
        self._radii, self._angles = radii, angles
        n = np.concatenate([np.full(n + 1, n) for n in range(degree + 1)])
        m = np.concatenate([np.arange(-n, n + 1, 2) for n in range(degree + 1)])
        # At angle 0 the columns of m >= 0 hold the radial parts, and x runs along the radius.
        ray = zernike_basis(radii.astype(np.complex128), degree)
        along = (n * (n + 2) + np.abs(m)) // 2
        self._value, self._slope = ray.value[:, along], ray.dx[:, along]
        order = np.arange(-degree, degree + 1)[:, None]
        self._of_order = (m[:, None] == order.T).astype(np.float64)
        cos, sin = np.cos(np.abs(order) * angles), np.sin(np.abs(order) * angles)
        self._wave = np.where(order < 0, sin, cos)
        self._wave_slope = np.abs(order) * np.where(order < 0, cos, -sin)

    @cached_property
    def z(self) -> Complex:
        """The points (r t,)."""
        points: Complex = self._radii[:, None] * np.exp(1j * self._angles)
        return points.ravel()

    @cached_property
    def bump(self) -> Floats:
        """One minus the square of the radius, at the points."""
        return np.repeat(1 - self._radii**2, len(self._angles))

    def combined(self, coefficients: Floats) -> Floats:
        """Return polynomials (..., k) at (radii, angles); the first coefficients are given."""
        return self._by_order(self._value, coefficients) @ self._wave

    def with_slopes(self, coefficients: Floats) -> Floats:
        """Return polynomials (..., k) and their slopes along x and y; no radius is 0.

        Shape (3, ..., points).
        """
        radial = self._by_order(self._value, coefficients)
        outward = self._by_order(self._slope, coefficients) @ self._wave
        around = radial @ self._wave_slope / self._radii[:, None]
        cos, sin = np.cos(self._angles), np.sin(self._angles)
        parts = np.empty((3, *outward.shape))
        np.matmul(radial, self._wave, out=parts[0])
        np.subtract(outward * cos, around * sin, out=parts[1])
        np.add(outward * sin, around * cos, out=parts[2])
        return parts.reshape(*parts.shape[:-2], -1)

    def _by_order(self, table: Floats, coefficients: Floats) -> Floats:
        """Sum the columns of each azimuthal order, (..., radii, orders)."""
        k = coefficients.shape[-1]
        return np.asarray((table[:, :k] * coefficients[..., None, :]) @ self._of_order[:k])


def _jacobi(t: Floats, m: int, count: int) -> Iterator[tuple[Floats, Floats]]:
    """Yield the Jacobi polynomials of type (0, m) of degrees 0..count with their derivatives."""
    before = (np.zeros_like(t), np.zeros_like(t))
    now = (np.ones_like(t), np.zeros_like(t))
    yield now
    for k in range(1, count + 1):
        if k == 1:  # the general recurrence divides by zero here when m = 0
            slope, shift, back = (m + 2) / 2, -m / 2, 0.0
        else:
            c = 2 * k + m
            norm = 2 * k * (k + m) * (c - 2)
            slope, shift = (c - 1) * c * (c - 2) / norm, -(c - 1) * m * m / norm
            back = 2 * (k - 1) * (k + m - 1) * c / norm
        line = slope * t + shift
        value = line * now[0] - back * before[0]
        derivative = line * now[1] + slope * now[0] - back * before[1]
        before, now = now, (value, derivative)
        yield now
