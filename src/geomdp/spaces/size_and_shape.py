"""Landmarks up to position and orientation: size and shape together."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from geomdp.errors import GeomdpError, InvalidBallError
from geomdp.spaces import landmarks
from geomdp.spaces.chart_space import ChartSpace
from geomdp.spaces.numerics import magnitudes
from geomdp.spaces.record_shape import RecordShape
from geomdp.spaces.specs import SPACES
from geomdp.typing import Array


@dataclass(frozen=True)
class SizeAndShape(ChartSpace):
    """Configurations of ``k`` landmarks in ``m`` dimensions, up to translation and rotation.

    The distance is that of the landmarks after the best rotation, in the units of the data; a
    mirror image is another point. The log at a centre is the difference after that rotation, the
    way back adds it (docs/theory/charts.md, section 2). A chart alone: tangent means, moments and
    balls found privately; landmarks of the centre must not lie on a line.

    Parameters
    ----------
    k
        Number of landmarks, at least ``m + 1``.
    m
        2 or 3 dimensions.

    Examples
    --------
    >>> space = SizeAndShape(4)
    >>> corner = np.concatenate([np.zeros((1, 3)), np.eye(3)])
    >>> moved = corner[:, [1, 2, 0]] + 5.0
    >>> bool(space.dist(space.require(corner), space.require(moved)) < 1e-14)
    True
    """

    k: int
    m: int = 3

    def __post_init__(self) -> None:
        if self.m not in (2, 3) or not self.k > self.m:
            raise GeomdpError(
                f"{type(self).__name__} needs 2 or 3 dimensions and more landmarks than that, not "
                f"{self.k} landmarks in {self.m}."
            )

    @property
    def dim(self) -> int:  # type: ignore[override]  # noqa: D102
        return self.m * (self.k - 1) - self.m * (self.m - 1) // 2

    @property
    def spec(self) -> str:  # noqa: D102
        return f"size-and-shape:{self.k}:{self.m}"

    @property
    def title(self) -> str:  # noqa: D102
        return f"size and shape of {self.k} landmarks in {self.m} dimensions"

    def distance_words(self, distance: float) -> str:  # noqa: D102
        return f" ({distance / np.sqrt(self.k):.3g} a landmark, root mean square)"

    @property
    def point_shape(self) -> tuple[int, ...]:  # noqa: D102
        return (self.k, self.m)

    @property
    def record_shape(self) -> RecordShape:
        """Landmarks, one a row."""
        return RecordShape(self.point_shape, landmarks=True)

    # --- points -------------------------------------------------------------------------------

    def violations(self, x: Array) -> Iterator[tuple[Array, str]]:
        """Whatever is finite is a configuration."""
        yield from ()

    def canonical(self, x: Array) -> Array:
        """Centre configurations; the orientation is left free."""
        return landmarks.centred(magnitudes.within_reach(x, 2))

    def require_center(self, x: Array) -> Array:
        """Refuse landmarks on a line, about which there is no frame."""
        center = super().require_center(x)
        if center.ndim == 2 and landmarks.rank(center) < self.m - 1:
            raise InvalidBallError(
                f"The landmarks of a centre on {self.spec} must not lie on a line or coincide; "
                "choose a centre that spans space."
            )
        return center

    def align(self, shapes: Array, to: Array) -> Array:
        """Turn configurations to fit ``to`` best: for pictures.

        >>> space = SizeAndShape(4)
        >>> corner = space.canonical(np.concatenate([np.zeros((1, 3)), np.eye(3)]))
        >>> bool(np.allclose(space.align(corner[:, [1, 2, 0]], to=corner), corner))
        True
        """
        return landmarks.fitted(self.canonical(shapes), self.canonical(to))

    # --- geometry -----------------------------------------------------------------------------

    def exp(self, p: Array, v: Array) -> Array:  # noqa: D102
        return p + v

    def log(self, p: Array, q: Array) -> Array:  # noqa: D102
        return landmarks.fitted(q, p) - p

    def dist(self, p: Array, q: Array) -> Array:  # noqa: D102
        return self.norm(p, self.log(p, q))

    def inner(self, p: Array, u: Array, v: Array) -> Array:  # noqa: D102
        return np.sum(u * v, axis=(-2, -1))

    def log_rounding(self, center: Array, radius: float) -> float:  # noqa: D102
        size = float(np.linalg.norm(np.asarray(center))) + radius
        return float(64 * self.k * np.finfo(float).eps * size) + magnitudes.SQUARES_UNDERFLOW

    def frame(self, p: Array) -> Array:  # noqa: D102
        return landmarks.horizontal_frame(p, scale=False)

    def chart_radius(self, center: Array) -> float:  # noqa: D102
        return landmarks.fitted_within(center)

    def origin(self, like: Array) -> Array:
        """Return landmarks at 0 and at the ends of the axes, the others at 0, centred."""
        return landmarks.centred(np.eye(self.k, self.m))


SPACES.register("size-and-shape", SizeAndShape)
