"""The Riemannian Laplace law."""

from dataclasses import dataclass

from geomdp.noise.radial_law import RadialLaw
from geomdp.typing import Array


@dataclass(frozen=True, eq=False)
class LaplaceLaw(RadialLaw):
    """Density proportional to ``exp(-rho(x, footpoint) / scale)`` for the Riemannian volume.

    Examples
    --------
    >>> import numpy as np, geomdp as dp
    >>> from geomdp.noise.entropy import SeededEntropy
    >>> from geomdp.noise.rejection import draw_floats
    >>> law = LaplaceLaw(dp.Sphere(2), np.array([0.0, 0.0, 1.0]), 0.1)
    >>> draw_floats(law, SeededEntropy(0), 4).shape
    (4, 3)
    """

    def exponent(self, t: Array) -> Array:  # noqa: D102
        return -t / self.scale
