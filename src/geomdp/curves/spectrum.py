"""Eigenvalues of the kernel's integral operator with their L2-orthonormal eigenfunctions.

One convention, checked on construction: quadrature weights sum to one, eigenfunctions are
orthonormal for them, and eigenvalues are those of the *operator*, whose trace is 1. Eigenvalues of
the kernel *matrix* (m times larger on the circle) cannot enter: mixing them with L2 norms
understates mu 3.6 times at the paper's settings (docs/theory/functions.md, section 3).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import ClassVar, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geomdp.curves.grids import CircleGrid, Grid, IntervalGrid, RingGrid
from geomdp.curves.kernels import Correlation, JointKernel, Kernel
from geomdp.errors import GeomdpError
from geomdp.runtime.threads import on_one_blas_thread
from geomdp.spaces.numerics import linalg
from geomdp.typing import Floats

#: Eigenvalues below this share of the largest are rounding errors of the decomposition; their
#: eigenfunctions are left out of the statistic, which the worst-case bias takes into account.
NEGLIGIBLE = 1e-12


class Whole:
    """A spectrum that leaves nothing out."""

    left_out: ClassVar[Floats] = np.empty(0)
    variance_left_out: ClassVar[float] = 0.0

    def left_over(self, coefficients: Floats) -> Floats:
        """Return the functions with coefficients that there are none of."""
        return np.zeros(1)


@dataclass(frozen=True, eq=False)
class Spectrum(Whole):
    """Operator eigenvalues ``values`` (D,) and eigenfunctions ``basis`` (D, m).

    Examples
    --------
    >>> from geomdp.curves.kernels import PoweredExponential
    >>> spectrum = spectrum_of(PoweredExponential(rho=1.0), CircleGrid(80))
    >>> spectrum.values[:3].round(4)
    array([0.3047, 0.1662, 0.1662])
    >>> f = np.cos(2 * np.pi * CircleGrid(80).points)
    >>> float(np.linalg.norm(spectrum.analyse(f)).round(4))  # the root mean square of a cosine
    0.7071
    >>> bool(np.allclose(spectrum.synthesise(spectrum.analyse(f)), f))
    True
    """

    values: Floats
    basis: Floats
    weights: Floats

    def __post_init__(self) -> None:
        gram = (self.basis * self.weights) @ self.basis.T
        orthonormal = np.allclose(gram, np.eye(len(gram)), atol=1e-9)
        if not (orthonormal and np.isclose(self.weights.sum(), 1.0)):
            raise GeomdpError(
                "A spectrum needs weights that sum to one and eigenfunctions orthonormal for them."
            )
        if not (np.all(self.values > 0) and np.isclose(self.values.sum(), 1.0, rtol=1e-6)):
            raise GeomdpError(
                "A spectrum needs the positive eigenvalues of the integral operator, whose sum "
                f"is 1, not {self.values.sum():.6g}: divide eigenvalues of the kernel matrix on a "
                "uniform grid by the number of points."
            )

    @property
    def complete(self) -> bool:
        """Whether the eigenfunctions span all sampled functions."""
        return self.basis.shape[0] == self.basis.shape[1]

    def analyse(self, functions: Floats) -> Floats:
        """L2 inner products of ``functions`` (..., m) with the eigenfunctions."""
        return linalg.row_product(functions, self._analysis)

    def synthesise(self, coefficients: Floats) -> Floats:
        """Return the functions (..., m) with these ``coefficients`` (..., D)."""
        return linalg.row_product(coefficients, self.basis)

    def pointwise_variance(self, variances: Floats) -> Floats:
        """Variance at each grid point when coefficients are independent with ``variances``."""
        return variances @ self.basis**2

    @cached_property
    def _analysis(self) -> Floats:
        return np.ascontiguousarray((self.basis * self.weights).T)


@dataclass(frozen=True, eq=False)
class JointSpectrum(Whole):
    """Kronecker product of a radial and an angular spectrum.

    Examples
    --------
    >>> from geomdp.curves.kernels import Matern, PoweredExponential
    >>> grid = RingGrid(IntervalGrid(np.linspace(0, 1, 5)), CircleGrid(8))
    >>> spectrum = spectrum_of(JointKernel(Matern(0.5), PoweredExponential(1.0)), grid)
    >>> spectrum.values.shape, float(spectrum.values.sum().round(9))
    ((40,), 1.0)
    """

    radial: Spectrum
    angular: Spectrum

    @cached_property
    def values(self) -> Floats:
        """Products of radial and angular eigenvalues, the angular index running fastest."""
        return np.outer(self.radial.values, self.angular.values).ravel()

    @property
    def complete(self) -> bool:
        """Whether the eigenfunctions span all sampled functions."""
        return self.radial.complete and self.angular.complete

    def analyse(self, functions: Floats) -> Floats:
        """L2 inner products of ``functions`` (..., J, m) with the eigenfunctions."""
        half = self.angular.analyse(functions)
        full = np.swapaxes(self.radial.analyse(np.swapaxes(half, -1, -2)), -1, -2)
        return full.reshape(*full.shape[:-2], -1)

    def synthesise(self, coefficients: Floats) -> Floats:
        """Return the functions (..., J, m) with these ``coefficients`` (..., D)."""
        half = self.angular.synthesise(self._as_matrix(coefficients))
        return np.swapaxes(self.radial.synthesise(np.swapaxes(half, -1, -2)), -1, -2)

    def pointwise_variance(self, variances: Floats) -> Floats:
        """Variance at each grid point when coefficients are independent with ``variances``."""
        half = self.angular.pointwise_variance(self._as_matrix(variances))
        return np.swapaxes(self.radial.pointwise_variance(np.swapaxes(half, -1, -2)), -1, -2)

    def _as_matrix(self, coefficients: Floats) -> Floats:
        sizes = (self.radial.values.size, self.angular.values.size)
        return coefficients.reshape(*coefficients.shape[:-1], *sizes)


@dataclass(frozen=True, eq=False)
class LeadingSpectrum:
    """The ``terms`` largest eigenvalues of a spectrum with their eigenfunctions, in its order.

    Examples
    --------
    >>> from geomdp.curves.kernels import Matern
    >>> whole = spectrum_of(Matern(0.3), IntervalGrid(np.linspace(0, 1, 20)))
    >>> leading = LeadingSpectrum(whole, 3)
    >>> leading.values.shape, leading.left_out.shape, leading.complete
    ((3,), (17,), False)
    """

    whole: Spectrum | JointSpectrum
    terms: int

    @cached_property
    def _kept(self) -> NDArray[np.bool_]:
        kept = np.zeros(self.whole.values.size, dtype=bool)
        kept[np.argsort(-self.whole.values, kind="stable")[: self.terms]] = True
        return kept

    @property
    def values(self) -> Floats:
        """The eigenvalues kept."""
        return self.whole.values[self._kept]

    @property
    def left_out(self) -> Floats:
        """The others."""
        return self.whole.values[~self._kept]

    @property
    def complete(self) -> bool:
        """Whether the eigenfunctions span all sampled functions."""
        return self.whole.complete and not self.left_out.size

    def analyse(self, functions: Floats) -> Floats:
        """L2 inner products of functions with the eigenfunctions."""
        return np.compress(self._kept, self.whole.analyse(functions), axis=-1)

    def synthesise(self, coefficients: Floats) -> Floats:
        """Return the functions with these ``coefficients`` (..., terms)."""
        return self.whole.synthesise(self._padded(coefficients))

    def pointwise_variance(self, variances: Floats) -> Floats:
        """Variance at each grid point when coefficients are independent with ``variances``."""
        return self.whole.pointwise_variance(self._padded(variances))

    @property
    def variance_left_out(self) -> Floats:
        """Variance, at each grid point, of the kernel's process beyond the eigenfunctions kept."""
        return self.whole.pointwise_variance(np.where(self._kept, 0.0, self.whole.values))

    def left_over(self, coefficients: Floats) -> Floats:
        """Return the functions with these coefficients of the eigenfunctions left out."""
        return self.whole.synthesise(self._padded(coefficients, ~self._kept))

    def _padded(self, coefficients: Floats, places: NDArray[np.bool_] | None = None) -> Floats:
        whole = np.zeros((*coefficients.shape[:-1], self.whole.values.size))
        whole[..., self._kept if places is None else places] = coefficients
        return whole


AnySpectrum: TypeAlias = Spectrum | JointSpectrum | LeadingSpectrum


def spectrum_of(kernel: Kernel, grid: Grid) -> Spectrum | JointSpectrum:
    """Decompose the integral operator of ``kernel`` on ``grid``.

    Examples
    --------
    >>> from geomdp.curves.kernels import Matern
    >>> spectrum_of(Matern(0.3), IntervalGrid(np.linspace(0, 1, 20))).values.shape
    (20,)
    """
    if isinstance(grid, RingGrid) and isinstance(kernel, JointKernel):
        return JointSpectrum(
            _on_interval(kernel.radial, grid.radii), _on_circle(kernel.angular, grid.angles)
        )
    if isinstance(kernel, JointKernel) or not isinstance(grid, CircleGrid | IntervalGrid):
        raise GeomdpError("A RingGrid goes with a JointKernel, and no other grid does.")
    return _on_circle(kernel, grid) if isinstance(grid, CircleGrid) else _on_interval(kernel, grid)


def _on_circle(kernel: Correlation, grid: CircleGrid) -> Spectrum:
    """Circulant case: eigenvalues are the discrete Fourier transform of one row, over m."""
    m = grid.size
    steps = np.arange(m)
    row = kernel.on_circle(2 * np.pi * np.minimum(steps, m - steps) / m)
    by_frequency = np.fft.rfft(row).real / m
    frequency, wave = _fourier_basis(m)
    return _keep_positive(by_frequency[frequency], wave, np.full(m, 1 / m))


def _fourier_basis(m: int) -> tuple[NDArray[np.int_], Floats]:
    """Real Fourier basis, orthonormal for weights 1/m, with the frequency of each row."""
    frequency = (np.arange(m) + 1) // 2
    angle = 2 * np.pi * np.outer(frequency, np.arange(m)) / m
    is_sine = (np.arange(m) % 2 == 0)[:, None]
    wave = np.sqrt(2) * np.where(is_sine, np.sin(angle), np.cos(angle))
    wave[0] = 1.0
    if m % 2 == 0:  # the alternating function has no sine partner and norm one already
        wave[-1] = np.cos(np.pi * np.arange(m))
    return frequency, wave


@on_one_blas_thread
def _on_interval(kernel: Correlation, grid: IntervalGrid) -> Spectrum:
    """Nyström's method, symmetrised by the square roots of the quadrature weights."""
    distance = np.abs(grid.points[:, None] - grid.points)
    root = np.sqrt(grid.weights)
    values, vectors = np.linalg.eigh(root[:, None] * kernel.on_interval(distance) * root)
    return _keep_positive(values[::-1], vectors.T[::-1] / root, grid.weights)


def _keep_positive(values: Floats, basis: Floats, weights: Floats) -> Spectrum:
    kept = values > NEGLIGIBLE * values.max()
    return Spectrum(values[kept], np.ascontiguousarray(basis[kept]), weights)


# --- Polynomials on the midpoints of (0, 1), for quantile functions: docs/theory/distributions.md.


class Smoothness(NamedTuple):
    """Relative variances by degree of the polynomials, and what those left out carry."""

    values: Floats
    left_out: Floats


def leading(points: int) -> int:
    """Return how many polynomials on even points floats tell apart well."""
    return min(points, int(2 * np.sqrt(points)))


@cache
def polynomials(points: int) -> Floats:
    """Orthonormal rows (M, M): polynomials on the midpoints by degree, then what is left of R^M."""
    at = 2 * (np.arange(points) + 0.5) / points - 1
    columns = np.polynomial.legendre.legvander(at, leading(points) - 1)
    whole, upper = np.linalg.qr(columns, mode="complete")
    whole[:, : columns.shape[1]] *= np.sign(np.diag(upper))
    rows = np.ascontiguousarray(whole.T)
    rows.setflags(write=False)
    return rows
