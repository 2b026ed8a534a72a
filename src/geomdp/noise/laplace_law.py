"""The Riemannian Laplace law, drawn at the origin and moved by an isometry."""

from dataclasses import dataclass
from functools import cached_property

from geomdp.noise import directions
from geomdp.noise.hat import Hat, fit_hat
from geomdp.spaces import linalg
from geomdp.spaces.base import Space
from geomdp.typing import Array


@dataclass(frozen=True, eq=False)
class LaplaceLaw:
    """Density proportional to ``exp(-rho(x, footpoint) / scale)`` for the Riemannian volume.

    Proposals never look at the footpoint: they are made at the space's origin, so that neither the
    number of tries nor their running time depends on the data.

    Parameters
    ----------
    space
        A homogeneous space.
    footpoint
        Centre of the law, as floats that count as exact numbers.
    scale
        The length ``sigma``; must satisfy the space's existence condition.

    Examples
    --------
    >>> import numpy as np, geomdp as dp
    >>> from geomdp.noise.entropy import SeededEntropy
    >>> from geomdp.noise.rejection import draw_floats
    >>> law = LaplaceLaw(dp.Sphere(2), np.array([0.0, 0.0, 1.0]), 0.1)
    >>> draw_floats(law, SeededEntropy(0), 4).shape
    (4, 3)
    """

    space: Space
    footpoint: Array
    scale: float

    @property
    def uniforms(self) -> int:
        """One for the radius, the others for the direction."""
        return 1 + directions.uniforms_for_normals(self.space.dim)

    @cached_property
    def hat(self) -> Hat:
        """Certified hat of the radial envelope."""
        end = self.space.injectivity_radius

        def log_density(t: Array) -> Array:
            return self.space.log_volume_envelope(t) - t / self.scale

        # Rounded up: beyond the true end the density is 0 and the proposal is rejected.
        return fit_hat(log_density, self.scale, end * (1 + 1e-15))

    def propose(self, u: Array) -> tuple[Array, Array]:
        """Radius and direction; the ratio pays for the hat and for anisotropic volume."""
        t, log_hat = self.hat.propose(u[..., 0])
        direction = directions.unit_vectors(u[..., 1:], self.space.dim)
        ratio = self.space.log_volume_density(t, direction) - t / self.scale - log_hat
        return ratio, t[..., None] * direction

    def finish(self, candidate: Array) -> Array:
        """Shoot from the origin, then move the origin to the footpoint."""
        space = self.space
        origin = space.origin(candidate)
        at_origin = space.exp(origin, space.from_frame(candidate))
        return space.move(linalg.like(self.footpoint, candidate), at_origin)
