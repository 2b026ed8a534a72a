"""The Riemannian Gaussian law on spaces of constant curvature."""

from dataclasses import dataclass
from functools import cached_property

from geomdp.noise import directions
from geomdp.noise.hat import Hat, fit_hat
from geomdp.noise.laplace_law import LaplaceLaw
from geomdp.spaces.base import Space
from geomdp.typing import Array


@dataclass(frozen=True, eq=False)
class RiemannianGaussianLaw:
    """Density proportional to ``exp(-rho(x, footpoint)^2 / (2 sigma^2))`` for the volume.

    Drawn like :class:`LaplaceLaw`: radius under a certified hat, uniform direction, both at the
    origin, then an isometry. The radial law is log-concave, since the logarithms of sine and
    hyperbolic sine are concave.

    Examples
    --------
    >>> import numpy as np, geomdp as dp
    >>> from geomdp.noise.entropy import SeededEntropy
    >>> from geomdp.noise.rejection import draw_floats
    >>> law = RiemannianGaussianLaw(dp.Sphere(2), np.array([0.0, 0.0, 1.0]), 0.1)
    >>> draw_floats(law, SeededEntropy(0), 4).shape
    (4, 3)
    """

    space: Space
    footpoint: Array
    sigma: float

    @property
    def uniforms(self) -> int:
        """One for the radius, the others for the direction."""
        return 1 + directions.uniforms_for_normals(self.space.dim)

    def _log_density(self, t: Array) -> Array:
        ratio = t / self.sigma
        return self.space.log_volume_envelope(t) - ratio * ratio / 2

    @cached_property
    def hat(self) -> Hat:
        """Certified hat of the radial density."""
        # Rounded up: beyond the true end the density is 0 and the proposal is rejected.
        return fit_hat(self._log_density, self.sigma, self.space.injectivity_radius * (1 + 1e-15))

    def propose(self, u: Array) -> tuple[Array, Array]:
        """Radius and direction; the ratio pays for the hat."""
        t, log_hat = self.hat.propose(u[..., 0])
        direction = directions.unit_vectors(u[..., 1:], self.space.dim)
        return self._log_density(t) - log_hat, t[..., None] * direction

    def finish(self, candidate: Array) -> Array:
        """Shoot from the origin, then move the origin to the footpoint."""
        return LaplaceLaw(self.space, self.footpoint, self.sigma).finish(candidate)
