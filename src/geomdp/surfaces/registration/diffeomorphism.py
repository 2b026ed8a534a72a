"""Diffeomorphisms of the disk that keep its centre and its boundary.

``gamma(z) = z exp((1 - |z|^2) a(z) + i w(z))`` with a and w real Zernike polynomials: linear in its
coefficients before the exponential, identity at zero, and a diffeomorphism exactly when its
Jacobian determinant J is positive (docs/theory/elastic-registration.md).
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.surfaces.registration.zernike import (
    RingPolynomials,
    ZernikeBasis,
    basis_degree,
    basis_size,
    zernike_basis,
)
from geomdp.typing import Complex, Floats

_NEWTON_STEPS = 60


@dataclass(frozen=True)
class ChartBasis:
    """Basis fields of the chart at fixed points: ``(1 - |z|^2) Z`` (radial) and ``Z`` (angular)."""

    z: Complex
    radial: ZernikeBasis
    angular: ZernikeBasis


@dataclass(frozen=True)
class ChartValues:
    """A diffeomorphism and its first derivatives at the points of a :class:`ChartBasis`."""

    gamma: Complex
    dx: Complex
    dy: Complex
    jacobian: Floats

    def jacobian_slopes(self) -> Floats:
        """Give dJ for a change of one coefficient as factors of its basis field.

        Entry ``[kind, part]`` (kind 0 radial, 1 angular) holds what multiplies the field's value,
        x-derivative and y-derivative.
        """
        along_x = np.conj(self.gamma) * self.dy
        along_y = np.conj(self.dx) * self.gamma
        return np.array(
            [
                [2 * self.jacobian, along_x.imag, along_y.imag],
                [np.zeros_like(self.jacobian), -along_x.real, along_y.real],
            ]
        )


def chart_basis(z: Complex, degree: int) -> ChartBasis:
    """Evaluate the basis fields of the chart at points of the disk."""
    z = np.asarray(z, dtype=np.complex128)
    plain = zernike_basis(z, degree)
    bump = (1 - np.abs(z) ** 2)[:, None]
    radial = ZernikeBasis(
        bump * plain.value,
        bump * plain.dx - 2 * z.real[:, None] * plain.value,
        bump * plain.dy - 2 * z.imag[:, None] * plain.value,
    )
    return ChartBasis(z, radial, plain)


def chart_values(basis: ChartBasis, coefficients: Floats) -> ChartValues:
    """Evaluate gamma, its derivatives and its Jacobian determinant.

    Coefficients (2, k) are radial (a) and angular (w).
    """
    a, w = coefficients
    exponent, slope_x, slope_y = (
        getattr(basis.radial, part) @ a + 1j * (getattr(basis.angular, part) @ w)
        for part in ("value", "dx", "dy")
    )
    return _values(basis.z, exponent, slope_x, slope_y)


def chart_on_rings(rings: RingPolynomials, coefficients: Floats) -> ChartValues:
    """Evaluate as :func:`chart_values`, fast, at the points of all rings; none has radius 0."""
    (a, w), (a_x, w_x), (a_y, w_y) = rings.with_slopes(coefficients)
    z, bump = rings.z, rings.bump
    slope_x = bump * a_x - 2 * z.real * a + 1j * w_x
    slope_y = bump * a_y - 2 * z.imag * a + 1j * w_y
    return _values(z, bump * a + 1j * w, slope_x, slope_y)


def _values(
    z: Complex,
    exponent: Complex,
    slope_x: Complex,
    slope_y: Complex,
) -> ChartValues:
    """Return ``z exp(l)`` and its derivatives from the exponent l and its own."""
    factor = np.exp(exponent)
    gamma_x = factor * (1 + z * slope_x)
    gamma_y = factor * (1j + z * slope_y)
    return ChartValues(z * factor, gamma_x, gamma_y, (np.conj(gamma_x) * gamma_y).imag)


@dataclass(frozen=True, eq=False)
class DiskDiffeomorphism:
    """A map of the disk onto itself, given by its chart coefficients.

    Coefficients (2, k) are radial and angular, k = 1, 3, 6, 10, ...
    """

    coefficients: Floats

    def __post_init__(self) -> None:
        coefficients = np.array(self.coefficients, dtype=np.float64)
        object.__setattr__(self, "coefficients", coefficients)
        if coefficients.ndim != 2 or coefficients.shape[0] != 2:
            raise GeomdpError(f"Coefficients have shape (2, k), not {coefficients.shape}.")
        if basis_size(self.degree) != coefficients.shape[1]:
            raise GeomdpError(
                f"{coefficients.shape[1]} coefficients a part fill no Zernike degree: "
                "give 1, 3, 6, 10, 15, ... of them."
            )

    @classmethod
    def identity(cls) -> "DiskDiffeomorphism":
        """Return the map that moves no point."""
        return cls(np.zeros((2, basis_size(0))))

    @property
    def degree(self) -> int:
        """Highest Zernike degree of the chart."""
        return basis_degree(self.coefficients.shape[1])

    def values(self, z: Complex) -> ChartValues:
        """Evaluate the map with its derivatives and Jacobian determinant."""
        return chart_values(chart_basis(z, self.degree), self.coefficients)

    def __call__(self, z: Complex) -> Complex:
        """Map points of the disk."""
        return self.values(z).gamma

    def jacobian(self, z: Complex) -> Floats:
        """Return the Jacobian determinant at points of the disk."""
        return self.values(z).jacobian

    def on_rings(self, radii: Floats, angles: Floats) -> Complex:
        """Map the points ``r exp(i t)`` of all radii and angles, fast."""
        rings = _rings(radii.tobytes(), angles.tobytes(), self.degree)
        a, w = rings.combined(self.coefficients)
        r = radii[:, None]
        mapped: Complex = np.exp((1 - r**2) * a + 1j * (w + angles))
        mapped *= r
        return mapped

    def min_jacobian(self) -> float:
        """Return the smallest determinant on a polar grid with the centre and the boundary."""
        centre, rings = _grid(self.degree)
        at_centre = chart_values(centre, self.coefficients).jacobian
        return float(min(at_centre[0], chart_on_rings(rings, self.coefficients).jacobian.min()))

    def inverse(self, target: Complex) -> Complex:
        """Find the points that the map sends to ``target``, by damped Newton steps."""
        target = np.asarray(target, dtype=np.complex128)
        z = target * np.exp(-1j * self._mean_turn())
        active = np.arange(z.size)
        for _ in range(_NEWTON_STEPS):
            now = self.values(z[active])
            miss = target[active] - now.gamma
            todo = np.abs(miss) > 1e-12
            active = active[todo]
            if not active.size:
                return z
            z[active] += _newton_step(now, miss)[todo]
            # Newton may overshoot the boundary; the disk maps onto itself, so project back.
            z[active] /= np.maximum(np.abs(z[active]), 1)
        raise GeomdpError(
            f"The disk map could not be inverted at {active.size} points; its Jacobian "
            f"determinant falls to {self.min_jacobian():.3g}."
        )

    def _mean_turn(self) -> float:
        return float(self.coefficients[1, 0] / np.sqrt(np.pi))


@lru_cache(maxsize=2)
def _grid(degree: int) -> tuple[ChartBasis, RingPolynomials]:
    """Return the centre, and 47 rings of 144 points out to the boundary, for all records."""
    rings = RingPolynomials(np.arange(1, 48) / 47, 2 * np.pi * np.arange(144) / 144, degree)
    return chart_basis(np.zeros(1, dtype=np.complex128), degree), rings


@lru_cache(maxsize=4)
def _rings(radii: bytes, angles: bytes, degree: int) -> RingPolynomials:
    """Polynomials on the rings of a recipe, the same for all records; arrays cannot be keys."""
    return RingPolynomials(np.frombuffer(radii), np.frombuffer(angles), degree)


def _newton_step(now: ChartValues, miss: Complex) -> Complex:
    """Solve the 2 x 2 real systems ``gamma_x s + gamma_y t = miss`` for ``s + i t``, kept short."""
    s = (np.conj(miss) * now.dy).imag / now.jacobian
    t = (np.conj(now.dx) * miss).imag / now.jacobian
    step = s + 1j * t
    return step * np.minimum(1, 0.2 / np.maximum(np.abs(step), 1e-300))
