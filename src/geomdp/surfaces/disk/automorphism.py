"""Automorphisms of the unit disk: move the centre of a map, align two maps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError

Complex = NDArray[np.complex128]


def mobius(z: Complex, a: complex, angle: float = 0.0) -> Complex:
    """Apply ``z -> exp(i angle) (z - a) / (1 - conj(a) z)``, which takes ``a`` to 0.

    Examples
    --------
    >>> mobius(np.array([0.5j, 1.0]), 0.5j)[0]
    np.complex128(0j)
    >>> bool(np.isclose(abs(mobius(np.array([1.0]), 0.5j)[0]), 1))
    True
    """
    if not abs(a) < 1:
        raise InvalidRecordError(
            f"a Möbius transform of the disk cannot move the point {a:.6g} with |a| >= 1 to the "
            "centre; choose a point inside the disk."
        )
    moved: Complex = np.exp(1j * angle) * (z - a) / (1 - np.conj(a) * z)
    return moved


def move_center(z: Complex, vertex: int) -> Complex:
    """Disk coordinates with ``vertex`` at the centre."""
    return mobius(z, complex(z[vertex]))


def best_automorphism(z: Complex, target: Complex) -> tuple[complex, float]:
    """Point ``a`` and ``angle`` whose Möbius transform of ``z`` is nearest to ``target``.

    Nearest in the sum of squares over the vertices. Two conformal maps of the same surface differ
    by exactly such a transform, so what remains after it is discretisation.
    """
    from scipy.optimize import least_squares

    def residuals(u: NDArray[np.float64]) -> NDArray[np.float64]:
        a = _into_disk(complex(*u))
        difference = mobius(z, a, _best_angle(mobius(z, a), target)) - target
        return np.concatenate([difference.real, difference.imag])

    start = _out_of_disk(complex(z[np.abs(target).argmin()]))
    fit = least_squares(residuals, [start.real, start.imag], xtol=1e-12, ftol=1e-14)
    a = _into_disk(complex(*fit.x))
    return a, _best_angle(mobius(z, a), target)


def _best_angle(z: Complex, target: Complex) -> float:
    return float(np.angle(np.vdot(z, target)))


def _into_disk(u: complex) -> complex:
    return complex(u / np.sqrt(1 + abs(u) ** 2))


def _out_of_disk(a: complex) -> complex:
    return complex(a / np.sqrt(max(1 - abs(a) ** 2, 1e-6)))
