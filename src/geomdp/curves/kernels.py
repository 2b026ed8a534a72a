"""Correlation functions of the noise process, on the circle and on an interval.

Every kernel is a correlation, ``k(t, t) = 1``: its scale would only rename the penalty phi and the
noise scale. With the unit-mass grids of :mod:`geomdp.curves.grids` the trace of the integral
operator is therefore 1, which :class:`geomdp.curves.spectrum.Spectrum` checks.

On the circle, distances are angles in radians. Validity there is a theorem on all Fourier
coefficients, not a property of one grid: docs/theory/functions.md, section 2, and Gneiting 2013,
doi:10.3150/12-BEJSP06.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Protocol, TypeAlias

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.serial import Document
from geomdp.typing import Floats


class Correlation(Protocol):
    """A correlation function of the distance between two points."""

    def on_circle(self, angle: Floats) -> Floats:
        """Correlation at an angle in [0, pi]."""

    def on_interval(self, distance: Floats) -> Floats:
        """Correlation at a distance, in the units of the interval."""


@dataclass(frozen=True)
class PoweredExponential:
    """``exp(-(d/rho)^alpha)``; paper 4 uses it on the circle with ``alpha = 1``.

    On the circle alpha must lie in (0, 1], on an interval in (0, 2]; beyond, it is no covariance.

    Examples
    --------
    >>> PoweredExponential(rho=1.0).on_circle(np.array([0.0, 1.0])).round(4)
    array([1.    , 0.3679])
    """

    rho: float
    alpha: float = 1.0

    def __post_init__(self) -> None:
        _check_positive(rho=self.rho, alpha=self.alpha)

    def on_circle(self, angle: Floats) -> Floats:
        """Correlation at an angle in [0, pi]."""
        return self._decay(angle, largest_alpha=1.0, domain="the circle")

    def on_interval(self, distance: Floats) -> Floats:
        """Correlation at a distance, in the units of the interval."""
        return self._decay(distance, largest_alpha=2.0, domain="an interval")

    def _decay(self, distance: Floats, largest_alpha: float, domain: str) -> Floats:
        if self.alpha > largest_alpha:
            raise GeomdpError(
                f"The powered exponential on {domain} needs alpha in (0, {largest_alpha:g}], not "
                f"{self.alpha:g}: beyond, it is not a covariance. For smoother noise use Matern "
                "or SquaredExponential."
            )
        return np.exp(-((distance / self.rho) ** self.alpha))


@dataclass(frozen=True)
class Matern:
    """Matérn correlation with smoothness ``nu`` 1/2, 3/2 or 5/2.

    On the circle the distance is the chord ``2 sin(angle/2)``: with the angle itself the kernel
    would be no covariance for ``nu > 1/2``.

    Examples
    --------
    >>> Matern(rho=1.0, nu=1.5).on_interval(np.array([0.0, 1.0])).round(4)
    array([1.    , 0.4834])
    """

    rho: float
    nu: float = 1.5

    def __post_init__(self) -> None:
        _check_positive(rho=self.rho)
        if self.nu not in (0.5, 1.5, 2.5):
            raise GeomdpError(f"Matern has smoothness nu 0.5, 1.5 or 2.5, not {self.nu:g}.")

    def on_circle(self, angle: Floats) -> Floats:
        """Correlation at an angle in [0, pi], through the chord."""
        return self.on_interval(_chord(angle))

    def on_interval(self, distance: Floats) -> Floats:
        """Correlation at a distance, in the units of the interval."""
        x = np.sqrt(2 * self.nu) * distance / self.rho
        polynomial = {0.5: 1.0, 1.5: 1 + x, 2.5: 1 + x + x**2 / 3}[self.nu]
        return polynomial * np.exp(-x)


@dataclass(frozen=True)
class SquaredExponential:
    """``exp(-d^2 / (2 rho^2))``, with the chord for ``d`` on the circle.

    Examples
    --------
    >>> SquaredExponential(rho=1.0).on_circle(np.array([0.0, np.pi])).round(4)
    array([1.    , 0.1353])
    """

    rho: float

    def __post_init__(self) -> None:
        _check_positive(rho=self.rho)

    def on_circle(self, angle: Floats) -> Floats:
        """Correlation at an angle in [0, pi], through the chord."""
        return self.on_interval(_chord(angle))

    def on_interval(self, distance: Floats) -> Floats:
        """Correlation at a distance, in the units of the interval."""
        return np.exp(-0.5 * (distance / self.rho) ** 2)


@dataclass(frozen=True)
class JointKernel:
    """``k_r(r, r') k_theta(t, t')`` for a family of closed curves ordered by a radius.

    Examples
    --------
    >>> JointKernel(radial=Matern(0.2), angular=PoweredExponential(1.0)).radial.rho
    0.2
    """

    radial: Correlation
    angular: Correlation


Kernel: TypeAlias = Correlation | JointKernel


#: Kernels that a plan can be written down with, and what their names stand for.
_SIMPLE: dict[str, Any] = {
    kind.__name__: kind for kind in (Matern, PoweredExponential, SquaredExponential)
}


def kernel_to_json(kernel: Kernel) -> Document:
    """Describe a kernel by its name and numbers."""
    name = type(kernel).__name__
    if isinstance(kernel, JointKernel):
        radial, angular = kernel_to_json(kernel.radial), kernel_to_json(kernel.angular)
        return {"kind": name, "radial": radial, "angular": angular}
    if name not in _SIMPLE:
        raise GeomdpError(
            f"A plan can be written down with the kernels {', '.join(_SIMPLE)} and JointKernel, "
            f"not with {name}."
        )
    numbers = {field.name: float(getattr(kernel, field.name)) for field in fields(_SIMPLE[name])}
    return {"kind": name, **numbers}


def kernel_from_json(document: Document) -> Kernel:
    """Inverse of :func:`kernel_to_json`."""
    numbers = dict(document)
    kind = numbers.pop("kind")
    if kind == "JointKernel":
        radial, angular = (kernel_from_json(numbers[name]) for name in ("radial", "angular"))
        return JointKernel(radial, angular)  # type: ignore[arg-type]
    return _SIMPLE[kind](**numbers)


def _chord(angle: Floats) -> Floats:
    return 2 * np.sin(angle / 2)


def _check_positive(**parameters: float) -> None:
    for name, value in parameters.items():
        if not (np.isfinite(value) and value > 0):
            raise GeomdpError(f"The kernel parameter {name} must be positive, not {value}.")
