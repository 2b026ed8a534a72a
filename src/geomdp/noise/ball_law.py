"""The Laplace law restricted to a ball."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from geomdp.noise.laplace_law import LaplaceLaw
from geomdp.spaces.ball import Ball
from geomdp.spaces.numerics import linalg
from geomdp.typing import Array


@dataclass(frozen=True, eq=False)
class BallLaplaceLaw:
    """Density proportional to ``exp(-rho(x, footpoint)/scale)`` inside a ball, 0 outside.

    Proposals are drawn around the footpoint up to the ball's diameter, and kept if they fall
    inside. The number of tries depends on where the footpoint lies; the manifest says so.

    Examples
    --------
    >>> import geomdp as dp
    >>> from geomdp.noise.entropy import SeededEntropy
    >>> from geomdp.noise.rejection import draw_floats
    >>> ball = Ball(dp.Sphere(2), [0, 0, 1], 0.3)
    >>> points = draw_floats(BallLaplaceLaw(ball, ball.center, 0.5), SeededEntropy(0), 100)
    >>> bool(np.all(ball.space.dist(ball.center, points) <= 0.3))
    True
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
