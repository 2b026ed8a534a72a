"""The public ball that every record is clipped into."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from geomdp.errors import InvalidBallError, InvalidRecordError
from geomdp.spaces.admission import Admitted
from geomdp.spaces.base import Space
from geomdp.typing import Array


def largest_radius(space: Space) -> float:
    """Return the radius that balls on a space must stay below.

    Half the injectivity radius always; on positive curvature k also ``pi / (3 sqrt(k))``, where the
    bounds of docs/theory/sensitivity-of-the-mean.md end. Single mechanisms may ask for less.

    >>> import geomdp as dp
    >>> round(largest_radius(dp.Sphere(2)) / np.pi, 4)
    0.3333
    """
    half = space.injectivity_radius / 2
    _, k_max = space.curvature_bounds
    return min(half, float(np.pi / (3 * np.sqrt(k_max)))) if k_max > 0 else half


@dataclass(frozen=True, eq=False)
class Ball:
    """A public centre and radius on a space: what is known before anyone looks at the data.

    Never estimate either from the records: a radius that depends on them gives them away
    (docs/theory/clipping.md).

    Parameters
    ----------
    space
        Where the records live.
    center
        A public point: an atlas, a published mean, the identity.
    radius
        Records further away than this are moved to the boundary along the geodesic from the centre.

    Examples
    --------
    >>> import geomdp as dp
    >>> ball = dp.Ball(dp.SPD(2), center=np.eye(2), radius=1.0)
    >>> far = np.exp(5.0) * np.eye(2)
    >>> round(float(ball.space.dist(ball.center, ball.clip(far[None]))[0]), 6)
    1.0
    """

    space: Space
    center: Array
    radius: float
    _margin: float = field(init=False, repr=False)

    def __post_init__(self) -> None:
        limit = largest_radius(self.space)
        radius = _as_radius(self.radius)
        if not 0 < radius < limit:
            reach = "be finite" if limit == float("inf") else f"stay below {limit:.12g}"
            raise InvalidBallError(
                f"The radius on {self.space.spec} must be positive and {reach}, not {self.radius}; "
                "beyond that the mean is not covered by the theory."
            )
        object.__setattr__(self, "radius", radius)
        object.__setattr__(self, "center", _as_center(self.space, self.center))
        margin = self.space.log_rounding(self.center, radius)
        if margin > radius / 8 and self._is_resolved_linearly(radius):
            margin = 0.0
        if margin > radius / 8:
            raise InvalidBallError(
                f"A ball of radius {radius:.6g} on {self.space.spec} is wider than floating-point "
                "numbers resolve; use a smaller radius or a better conditioned centre."
            )
        object.__setattr__(self, "_margin", margin)

    def _is_resolved_linearly(self, radius: float) -> bool:
        """Tell whether the space is flat and the centre finer than the radius.

        Then a mean is taken in coordinates whose norm is clipped again in integers, so that privacy
        does not rest on the margin (docs/theory/lattice-gaussian.md); covariance descriptors need
        such balls.
        """
        flat = self.space.curvature_bounds == (0.0, 0.0)
        return flat and self.space.log_rounding(self.center, 0.0) <= radius / 8

    def clip(self, points: Array) -> Array:
        """Move points outside the ball to its boundary, one record at a time.

        Points inside are returned bit for bit. The boundary is drawn a rounding error inside the
        radius, so that the ideal distance of a clipped record never exceeds it.
        """
        points = self.space.require(points)
        out = np.array(points)
        distance = np.asarray(self.space.dist(self.center, out))
        target = self.radius - self._margin
        outside = distance > target
        if np.any(outside):
            velocity = self.space.log(self.center, out[outside])
            trailing = (1,) * len(self.space.point_shape)
            shrink = (target / distance[outside]).reshape((-1, *trailing))
            out[outside] = self.space.exp(self.center, shrink * velocity)
        return out

    def admit(self, records: Any) -> Admitted:
        """Let records in: doubles, judged, clipped; what is no point counts as the centre.

        Total: every array of the right shape gives points of the ball, and a point that cannot be
        brought into the ball counts as the centre (docs/theory/clipping.md).

        Raises
        ------
        InvalidRecordError
            Only for the shape of the records, which is public.

        Examples
        --------
        >>> import geomdp as dp
        >>> ball = dp.Ball(dp.Euclidean(2), center=np.zeros(2), radius=1.0)
        >>> admitted = ball.admit([[0.5, 0.0], [float("nan"), 0.0]])
        >>> admitted.records.tolist(), admitted.invalid
        ([[0.5, 0.0], [0.0, 0.0]], {1: 'it has a missing or infinite entry'})
        """
        points, invalid = self.space.parse(records, instead=self.center)
        return Admitted(self.clip(points), invalid)

    def boundary_point(self) -> Array:
        """Return a fixed point on the boundary: where restricted laws are hardest to sample."""
        axis = np.full(self.space.dim, self.radius / np.sqrt(self.space.dim))
        return self.clip(self.space.frame_exp(self.center, axis)[None])[0]


def _as_radius(radius: Any) -> float:
    try:
        return float(radius)
    except (TypeError, ValueError) as error:
        raise InvalidBallError(f"The radius must be a number, not {radius!r}.") from error


def _as_center(space: Space, center: Any) -> Array:
    try:
        point = np.array(space.require(center, what="centre"))
    except InvalidRecordError as error:
        raise InvalidBallError(str(error)) from error
    if point.ndim != len(space.point_shape):
        raise InvalidBallError(
            f"The centre must be one point of shape {space.point_shape}, not {point.shape}."
        )
    point.flags.writeable = False
    return point
