"""Landmarks up to position and orientation: size and shape together."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import GeomdpError, InvalidBallError
from geomdp.spaces.chart_space import ChartSpace
from geomdp.spaces.numerics import linalg
from geomdp.spaces.record_shape import RecordShape
from geomdp.spaces.specs import SPACES
from geomdp.typing import Array

#: Singular values of a centre below this part of the largest one count as 0.
DEGENERATE = 1e-9


def centred(x: Array) -> Array:
    """Move the mean of the landmarks to 0."""
    return x - np.mean(x, axis=-2, keepdims=True)


def fitted(x: Array, to: Array) -> Array:
    """Turn centred configurations (..., k, m) to fit the centred one ``to`` best.

    By one singular value decomposition of each (Kabsch 1976, doi:10.1107/S0567739476001873;
    docs/theory/charts.md, section 2); where several rotations fit equally well, the one that the
    decomposition returns.
    """
    # Powers of two, so that products neither overflow nor vanish.
    product = np.swapaxes(_of_size_one(x), -1, -2) @ _of_size_one(to)
    left, _, right = np.linalg.svd(product)
    turn = np.linalg.det(left @ right) < 0
    left[..., :, -1] *= np.where(turn, -1.0, 1.0)[..., None]
    return x @ (left @ right)


def rank(x: NDArray[np.float64]) -> int:
    """Dimensions that one centred configuration spans."""
    values = np.linalg.svd(_of_size_one(x), compute_uv=False)
    return int(np.sum(values > DEGENERATE * values[0]))


def fitted_within(c: NDArray[np.float64]) -> float:
    """Length up to which a horizontal vector added to ``c`` leaves it fitted to ``c``.

    ``c^T (c + v)`` is symmetric, and no rotation fits better as long as the sum of its two smallest
    eigenvalues is positive; ``c^T v`` moves an eigenvalue by at most ``|c| |v|``.
    """
    values = np.linalg.svd(c, compute_uv=False)
    return float((values[-1] ** 2 + values[-2] ** 2) / (2 * values[0]))


def horizontal_frame(c: NDArray[np.float64], scale: bool) -> NDArray[np.float64]:
    """Orthonormal configurations (d, k, m) that neither move, turn nor (if asked) scale ``c``.

    Householder reflections complete the directions that do: a smooth function of ``c`` alone, the
    same on every machine up to rounding.
    """
    return _horizontal(np.ascontiguousarray(c, dtype=np.float64).tobytes(), c.shape, scale)


@lru_cache(maxsize=8)
def _horizontal(content: bytes, shape: tuple[int, int], scale: bool) -> NDArray[np.float64]:
    c, (k, m) = np.frombuffer(content).reshape(shape), shape
    unit = c / np.linalg.norm(c)
    moves = [np.outer(np.ones(k), axis) for axis in np.eye(m)]
    turns = [unit @ _skew(m, i, j) for i in range(m) for j in range(i)]
    vertical = np.array([*moves, *turns, *([unit] if scale else [])]).reshape(-1, k * m)
    basis, _ = np.linalg.qr(vertical.T, mode="complete")
    return np.ascontiguousarray(basis[:, len(vertical) :].T).reshape(-1, k, m)


def _skew(m: int, i: int, j: int) -> NDArray[np.float64]:
    a = np.zeros((m, m))
    a[i, j], a[j, i] = 1.0, -1.0
    return a


def _of_size_one(x: Array) -> Array:
    largest = np.max(np.abs(x), axis=(-2, -1), keepdims=True, initial=0.0)
    return np.ldexp(x, -np.frexp(largest)[1])


@dataclass(frozen=True)
class SizeAndShape(ChartSpace):
    """Configurations of ``landmarks`` points in ``m`` dimensions, up to translation and rotation.

    The distance is that of the landmarks after the best rotation, in the units of the data; a
    mirror image is another point. The log at a centre is the difference after that rotation, the
    way back adds it (docs/theory/charts.md, section 2). A chart alone: tangent means, moments and
    balls found privately; landmarks of the centre must not lie on a line.

    Parameters
    ----------
    landmarks
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

    landmarks: int
    m: int = 3

    def __post_init__(self) -> None:
        if self.m not in (2, 3) or not self.landmarks > self.m:
            raise GeomdpError(
                f"{type(self).__name__} needs 2 or 3 dimensions and more landmarks than that, not "
                f"{self.landmarks} landmarks in {self.m}."
            )

    @property
    def dim(self) -> int:  # type: ignore[override]  # noqa: D102
        return self.m * (self.landmarks - 1) - self.m * (self.m - 1) // 2

    @property
    def spec(self) -> str:  # noqa: D102
        return f"size-and-shape:{self.landmarks}:{self.m}"

    @property
    def title(self) -> str:  # noqa: D102
        return f"size and shape of {self.landmarks} landmarks in {self.m} dimensions"

    def distance_words(self, distance: float) -> str:  # noqa: D102
        return f" ({distance / np.sqrt(self.landmarks):.3g} a landmark, root mean square)"

    @property
    def point_shape(self) -> tuple[int, ...]:  # noqa: D102
        return (self.landmarks, self.m)

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
        return centred(linalg.within_reach(x, 2))

    def require_center(self, x: Array) -> Array:
        """Refuse landmarks on a line, about which there is no frame."""
        center = super().require_center(x)
        if center.ndim == 2 and rank(center) < self.m - 1:
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
        return fitted(self.canonical(shapes), self.canonical(to))

    # --- geometry -----------------------------------------------------------------------------

    def exp(self, p: Array, v: Array) -> Array:  # noqa: D102
        return p + v

    def log(self, p: Array, q: Array) -> Array:  # noqa: D102
        return fitted(q, p) - p

    def dist(self, p: Array, q: Array) -> Array:  # noqa: D102
        return self.norm(p, self.log(p, q))

    def log_rounding(self, center: Array, radius: float) -> float:  # noqa: D102
        size = float(np.linalg.norm(np.asarray(center))) + radius
        return float(64 * self.landmarks * np.finfo(float).eps * size) + linalg.SQUARES_UNDERFLOW

    def frame(self, p: Array) -> Array:  # noqa: D102
        return horizontal_frame(p, scale=False)

    def chart_radius(self, center: Array) -> float:  # noqa: D102
        return fitted_within(center)

    def origin(self, like: Array) -> Array:
        """Return landmarks at 0 and at the ends of the axes, the others at 0, centred."""
        return centred(np.eye(self.landmarks, self.m))


SPACES.register("size-and-shape", SizeAndShape, example="size-and-shape:30:3")
