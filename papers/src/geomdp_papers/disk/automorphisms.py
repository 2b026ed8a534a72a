"""The automorphism of the unit disk that lays one map of a surface over another."""

from __future__ import annotations

import numpy as np

from geomdp.surfaces.disk.mapping import mobius
from geomdp.typing import Complex, Floats


def best_automorphism(z: Complex, target: Complex) -> tuple[complex, float]:
    """Point ``a`` and ``angle`` whose Möbius transform of ``z`` is nearest to ``target``.

    Nearest in the sum of squares over the vertices. Two conformal maps of the same surface differ
    by exactly such a transform, so what remains after it is discretisation.
    """
    from scipy.optimize import least_squares

    def residuals(u: Floats) -> Floats:
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
