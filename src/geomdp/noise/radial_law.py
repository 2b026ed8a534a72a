"""Laws that fall off with the distance from a footpoint, drawn at the origin and moved."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from geomdp.noise import directions
from geomdp.noise.hat import Hat, fit_hat
from geomdp.spaces.base import Space
from geomdp.spaces.numerics import linalg
from geomdp.typing import Array


@dataclass(frozen=True, eq=False)
class RadialLaw(ABC):
    """Density ``exp(exponent(rho(x, footpoint)))`` for the Riemannian volume, up to a constant.

    Proposals never look at the footpoint: a radius under a certified hat and a uniform direction
    are drawn at the space's origin, so that neither the number of tries nor their running time
    depends on the data. An isometry then moves the origin to the footpoint
    (docs/theory/radial-sampling.md).

    Parameters
    ----------
    space
        A homogeneous space.
    footpoint
        Centre of the law, as floats that count as exact numbers.
    scale
        Length of the law; must satisfy the space's existence condition.
    reach
        The law ends at this distance; by default it covers the space.
    """

    space: Space
    footpoint: Array
    scale: float
    reach: float = float("inf")

    @abstractmethod
    def exponent(self, t: Array) -> Array:
        """Log density at distance ``t``, up to a constant; concave."""

    @property
    def uniforms(self) -> int:
        """One for the radius, the others for the direction."""
        return 1 + directions.uniforms_for_normals(self.space.dim)

    @cached_property
    def hat(self) -> Hat:
        """Certified hat of the radial envelope: public, and the same for every footpoint."""
        try:
            return _hat(type(self), self.space, self.scale, self.reach)
        except TypeError:  # a space without a hash
            return self._fit()

    def _fit(self) -> Hat:
        def log_density(t: Array) -> Array:
            return self.space.log_volume_envelope(t) + self.exponent(t)

        # Rounded up: beyond the true end the density is 0 and the proposal is rejected.
        end = min(self.space.farthest * (1 + 1e-15), self.reach)
        return fit_hat(log_density, min(self.scale, end / 4), end)

    def propose(self, u: Array) -> tuple[Array, Array]:
        """Radius and direction; the ratio pays for the hat and for anisotropic volume."""
        t, log_hat = self.hat.propose(u[..., 0])
        direction = directions.unit_vectors(u[..., 1:], self.space.dim)
        ratio = self.space.log_volume_density(t, direction) + self.exponent(t) - log_hat
        return ratio, t[..., None] * direction

    def finish(self, candidate: Array) -> Array:
        """Shoot from the origin, then move the origin to the footpoint."""
        return self.space.frame_exp(linalg.like(self.footpoint, candidate), candidate)


@lru_cache(maxsize=64)
def _hat(kind: type[RadialLaw], space: Space, scale: float, reach: float) -> Hat:
    """Fit a hat once for all releases of a plan: it takes as long as all the rest of a draw."""
    return kind(space, space.origin(np.empty(0)), scale, reach)._fit()
