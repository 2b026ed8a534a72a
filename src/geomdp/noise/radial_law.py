"""Laws that fall off with the distance from a footpoint, drawn at the origin and moved."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from geomdp.noise import directions
from geomdp.noise.hat import Hat, fit_hat
from geomdp.spaces.ball import Ball
from geomdp.spaces.base import Space
from geomdp.spaces.numerics import linalg
from geomdp.typing import Array


@dataclass(frozen=True, eq=False)
class RadialLaw(ABC):
    """Density ``exp(exponent(rho(x, footpoint)))`` for the Riemannian volume, up to a constant.

    Proposals never look at the footpoint: a radius under a certified hat and a uniform direction
    are drawn at the space's origin, so that neither the number of tries nor their running time
    depends on the data. An isometry then moves the origin to the footpoint
    (docs/theory/radial-sampling.md). The space is homogeneous.
    """

    space: Space
    #: Floats that count as exact numbers.
    footpoint: Array
    #: Must satisfy the space's existence condition.
    scale: float
    #: The law ends at this distance; by default it covers the space.
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


# --- the Riemannian Laplace law


@dataclass(frozen=True, eq=False)
class LaplaceLaw(RadialLaw):
    """Density proportional to ``exp(-rho(x, footpoint) / scale)`` for the Riemannian volume."""

    def exponent(self, t: Array) -> Array:  # noqa: D102
        return -t / self.scale


# --- the Riemannian Gaussian law on spaces of constant curvature


@dataclass(frozen=True, eq=False)
class RiemannianGaussianLaw(RadialLaw):
    """Density proportional to ``exp(-rho(x, footpoint)^2 / (2 scale^2))`` for the volume.

    The radial law is log-concave, since the logarithms of sine and hyperbolic sine are concave.
    """

    def exponent(self, t: Array) -> Array:  # noqa: D102
        ratio = t / self.scale
        return -ratio * ratio / 2


# --- the Laplace law restricted to a ball


@dataclass(frozen=True, eq=False)
class BallLaplaceLaw:
    """Density proportional to ``exp(-rho(x, footpoint)/scale)`` inside a ball, 0 outside.

    Proposals are drawn around the footpoint up to the ball's diameter, and kept if they fall
    inside. The number of tries depends on where the footpoint lies; the manifest says so.
    """

    ball: Ball
    footpoint: Array
    scale: float

    @cached_property
    def _free(self) -> LaplaceLaw:
        """The law on all points that a footpoint in the ball can have within it.

        The footpoint lies in the ball up to rounding, so that a little more than 2r reaches all.
        """
        reach = 2 * self.ball.radius * (1 + 1e-9)
        return LaplaceLaw(self.ball.space, self.footpoint, self.scale, reach)

    @property
    def uniforms(self) -> int:
        """As many as without the restriction."""
        return self._free.uniforms

    def distances(self, u: Array) -> Array:
        """Quantiles of a proposal's distance from the footpoint, whatever its direction."""
        return self._free.hat.propose(u)[0]

    def propose(self, u: Array) -> tuple[Array, Array]:
        """Propose as on the whole space, and reject with certainty outside the ball."""
        ratio, candidate = self._free.propose(u)
        point = self._free.finish(candidate)
        distance = self.ball.space.dist(linalg.like(self.ball.center, point), point)
        inside = ~linalg.less(self.ball.radius, distance)
        return np.where(inside, ratio, -np.inf), point

    def finish(self, candidate: Array) -> Array:
        """Candidates are points already."""
        return candidate
