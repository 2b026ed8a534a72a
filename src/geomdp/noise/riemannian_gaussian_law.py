"""The Riemannian Gaussian law on spaces of constant curvature."""

from dataclasses import dataclass

from geomdp.noise.radial_law import RadialLaw
from geomdp.typing import Array


@dataclass(frozen=True, eq=False)
class RiemannianGaussianLaw(RadialLaw):
    """Density proportional to ``exp(-rho(x, footpoint)^2 / (2 scale^2))`` for the volume.

    The radial law is log-concave, since the logarithms of sine and hyperbolic sine are concave.

    Examples
    --------
    >>> import numpy as np, geomdp as dp
    >>> from geomdp.noise.entropy import SeededEntropy
    >>> from geomdp.noise.rejection import draw_floats
    >>> law = RiemannianGaussianLaw(dp.Sphere(2), np.array([0.0, 0.0, 1.0]), 0.1)
    >>> draw_floats(law, SeededEntropy(0), 4).shape
    (4, 3)
    """

    def exponent(self, t: Array) -> Array:  # noqa: D102
        ratio = t / self.scale
        return -ratio * ratio / 2
