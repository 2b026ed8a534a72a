"""The K-norm gradient law of the Fréchet mean on a ball (docs/theory/kng.md)."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from geomdp.noise import directions
from geomdp.noise.kng_envelope import Envelope
from geomdp.noise.rejection import round_to_grid
from geomdp.noise.tangent_hat import TangentHat, fit_tangent_hat
from geomdp.spaces.ball import Ball
from geomdp.spaces.base import Space
from geomdp.spaces.numerics import decompositions, linalg
from geomdp.typing import Array

#: Numbers in one batch of log maps.
BATCH_NUMBERS = 1 << 18


def gradient_norms(space: Space, points: Array, records: Array) -> NDArray[np.float64]:
    """Length of the gradient of half the mean squared distance, at each point."""
    rows = max(1, BATCH_NUMBERS // records.size)
    out = []
    for start in range(0, len(points), rows):
        at = points[start : start + rows]
        mean = np.mean(space.log(at[:, None], records[None]), axis=1)
        out.append(np.sqrt(np.maximum(space.inner(at, mean, mean), 0.0)))
    return np.concatenate(out) if out else np.zeros(0)


@dataclass(frozen=True, eq=False)
class KngLaw:
    """Density proportional to ``exp(-|gradient at x| / scale)`` inside the ball.

    The gradient is evaluated in floats at the grid point that a release would publish, and that
    number counts as exact: the released law is private for whatever function of the point and the
    records stands in the exponent, as long as one record changes it little.
    """

    ball: Ball
    records: Array
    #: Where proposals are centred, any point near the mean, and what is certified around it.
    point: Array
    envelope: Envelope
    scale: float
    grid_exponent: int

    @property
    def uniforms(self) -> int:
        """One for the radius, the others for the direction."""
        return 1 + directions.uniforms_for_normals(self.ball.space.dim)

    @cached_property
    def hat(self) -> TangentHat:
        """Certified hat of the radial envelope, on both sides of its knot."""
        envelope, space = self.envelope, self.ball.space

        def near(u: Array) -> Array:
            return space.log_volume_envelope(envelope.shrink * u) - u / self.scale

        def far(u: Array) -> Array:
            bound = envelope.knot + envelope.slope * (u - envelope.knot)
            return space.log_volume_envelope(envelope.shrink * u) - bound / self.scale

        knot = envelope.knot
        return fit_tangent_hat([(near, 0.0, knot), (far, knot, envelope.end)])

    def distances(self, u: Array) -> Array | None:
        """Quantiles of a proposal's distance from the point; None where directions differ."""
        shape = self.envelope.shape
        return None if len(shape) > 1 else self.hat.propose(u)[0] * shape[0, 0]

    def propose(self, u: Array) -> tuple[Array, Array]:
        """Propose from the envelope; candidates outside the ball are rejected with certainty."""
        space, envelope = self.ball.space, self.envelope
        xp = linalg.namespace(u)
        length, log_hat = self.hat.propose(u[..., 0])
        unit = directions.unit_vectors(u[..., 1:], space.dim)
        # The matrix is symmetric, so that it may stand on the right of row vectors.
        shape = linalg.like(envelope.shape, u)
        bent = unit @ shape if len(shape) > 1 else unit * shape[0, 0]
        stretch = xp.sqrt(linalg.dot(bent, bent))
        t = length * stretch[..., 0]
        point = space.frame_exp(linalg.like(self.point, t), length[..., None] * bent)
        known = space.log_volume_density(t, bent / stretch) - log_hat
        known = known - (space.dim - 1) * xp.log(stretch[..., 0] / envelope.shrink)
        return self._with_gradient(known - envelope.slack / self.scale, point), point

    def _with_gradient(self, ratio: Array, point: Array) -> Array:
        """Subtract the gradient over the scale where the point to publish lies in the ball."""
        published = self._published(point)
        ball = self.ball
        # Aiming inside by the rounding error keeps the ideal point in the ball.
        target = ball.radius - ball.space.log_rounding(ball.center, ball.radius)
        # A point beyond what floats hold has no distance, and is not inside.
        distances = decompositions.row_by_row(lambda x: ball.space.dist(ball.center, x), published)
        inside = np.asarray(distances <= target)
        # Outside the ball the gradient has no use, but it is computed (at the centre), so that the
        # work of a try does not tell where the mean lies.
        trailing = (-1,) + (1,) * len(ball.space.point_shape)
        at = np.where(inside.reshape(trailing), published, ball.center)
        norms = gradient_norms(ball.space, at, self.records)
        bound = linalg.like(norms, ratio) / self.scale
        return np.where(inside, ratio - bound, -np.inf)

    def _published(self, point: Array) -> Array:
        """Floats at which the gradient is evaluated: the point on the grid, if decided exactly."""
        if not linalg.exact(point):
            return point
        integers = round_to_grid(self.ball.space.coordinates(point), self.grid_exponent)
        return self.ball.space.point(integers.astype(float) * 2.0**self.grid_exponent)

    def finish(self, candidate: Array) -> Array:
        """Candidates are points already."""
        return candidate
