"""Rotations of space: orientations, poses, gait, crystal frames."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from geomdp.spaces.axes import Halved
from geomdp.spaces.embedding import Axes
from geomdp.spaces.numerics import elementary, linalg
from geomdp.spaces.record_shape import RecordShape, Triangle
from geomdp.spaces.specs import SPACES
from geomdp.spaces.sphere import NORM_TOLERANCE, Sphere
from geomdp.typing import Array


@dataclass(frozen=True)
class RotationShape(RecordShape):
    """A rotation in a file: four numbers of a quaternion, or the nine of a matrix, row by row."""

    @property
    def flat_sizes(self) -> tuple[int, ...]:  # noqa: D102
        return (4, 9)

    def accepts(self, shape: tuple[int, ...], is_complex: bool) -> bool:  # noqa: D102
        return not is_complex and shape in ((4,), (9,), (3, 3))

    def unpack(self, numbers: Array, triangle: Triangle) -> Array:  # noqa: D102
        if numbers.shape[1:] == (4,):
            return numbers
        with np.errstate(all="ignore"):
            return _from_matrices(numbers.reshape(-1, 3, 3))

    def pack(self, value: Array, size: int, triangle: Triangle) -> Array:  # noqa: D102
        quaternion = self.as_real(value)
        return quaternion if size == 4 else _to_matrices(quaternion).reshape(-1)


@dataclass(frozen=True)
class Rotations(Halved):
    """The rotation group SO(3); the distance of two rotations is the angle between them.

    A rotation is stored as a unit quaternion (x, y, z, w), the real part last as in SciPy; ``q``
    and ``-q`` are the same point. Matrices (..., 3, 3) are read too, and :meth:`matrices` writes
    them. Coordinates in the frame at the identity are rotation vectors in radians
    (docs/theory/rotations.md).

    Examples
    --------
    >>> space = Rotations()
    >>> quarter = space.require([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    >>> round(float(space.dist(space.origin(quarter), quarter)), 4)
    1.5708
    """

    has_identity: ClassVar[bool] = True
    projective: ClassVar[bool] = True
    #: Unit quaternions, which turn by half the angle.
    _cover = Sphere(3)
    _times: ClassVar[int] = 2
    dim = 3
    spec = "rotations"
    title = "rotations of space"
    point_shape = (4,)
    #: As quaternions, and as matrices.
    record_shapes = ((4,), (3, 3))
    curvature_bounds = (0.25, 0.25)
    #: Half a turn, which is also the largest distance.
    injectivity_radius = float(np.pi)

    @property
    def record_shape(self) -> RecordShape:
        """A quaternion; files may hold matrices."""
        return RotationShape(self.point_shape)

    @property
    def embedding(self) -> Axes:
        """Quaternions as axes of R^4, which turn by half of a rotation's angle."""
        return Axes(4, False, float(np.sqrt(0.5)), np.asarray, self.canonical)

    # --- points -------------------------------------------------------------------------------

    def _as_array(self, x: Any) -> Array:
        """Quaternions; matrices (..., 3, 3) become some, and zeros where they are no rotation."""
        x = linalg.as_floating(x)
        is_matrix = x.ndim >= 2 and tuple(x.shape[-2:]) == (3, 3) and not np.iscomplexobj(x)
        return _from_matrices(x) if is_matrix else x

    def _shape_problem(self, x: Array) -> str:
        problem = super()._shape_problem(x)
        return problem and f"{problem}; matrices have shape (3, 3)"

    def violations(self, x: Array) -> Iterator[tuple[Array, str]]:  # noqa: D102
        xp = linalg.namespace(x)
        norm = xp.sqrt(linalg.dot(x, x))[..., 0]
        yield (
            ~(xp.abs(norm - 1) <= NORM_TOLERANCE),
            "it is neither a quaternion (x, y, z, w) of norm 1 nor a matrix with orthonormal "
            "columns and determinant 1",
        )

    def matrices(self, x: Any) -> Array:
        """Rotation matrices (..., 3, 3) of quaternions.

        >>> Rotations().matrices([1.0, 0.0, 0.0, 0.0]).tolist()
        [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]]
        """
        return _to_matrices(self.require(x))

    def move(self, p: Array, x: Array) -> Array:
        """Apply ``x`` first, then ``p``."""
        return _product(p / _norm(p), x)

    def move_back(self, p: Array, x: Array) -> Array:  # noqa: D102
        return _product(_inverse(p / _norm(p)), x)

    def log_volume_density(self, t: Array, direction: Array) -> Array:
        """``(2 sin(t/2))^2`` below half a turn, nothing beyond."""
        xp = linalg.namespace(t)
        chord = xp.where(linalg.less(t, elementary.pi(t)), 2 * xp.sin(t / 2), 0.0 * t)
        return 2 * elementary.log_or_minus_infinity(chord)


def _norm(q: Array) -> Array:
    return linalg.namespace(q).sqrt(linalg.dot(q, q))


SPACES.register("rotations", Rotations)


#: How far the columns of a matrix may be from orthonormal: digits lost in text files.
ORTHOGONALITY_TOLERANCE = 1e-6


def _product(p: Array, q: Array) -> Array:
    """Hamilton's product: apply ``q`` first, then ``p``."""
    (a, b, c, d), (x, y, z, w) = _parts(p), _parts(q)
    return linalg.namespace(p, q).concat(
        [
            d * x + a * w + b * z - c * y,
            d * y - a * z + b * w + c * x,
            d * z + a * y - b * x + c * w,
            d * w - a * x - b * y - c * z,
        ],
        axis=-1,
    )


def _inverse(q: Array) -> Array:
    """Inverse of a quaternion of norm 1."""
    return linalg.namespace(q).concat([-q[..., :3], q[..., 3:]], axis=-1)


def _from_matrices(x: Array) -> Array:
    """Quaternions (..., 4) of matrices (..., 3, 3); zeros where a matrix is no rotation.

    Missing entries stay missing. ``4 q q^T`` is linear in the matrix; its row with the largest
    diagonal entry is divided by its norm.
    """
    xp = linalg.namespace(x)
    finite = xp.all(xp.isfinite(x), axis=(-2, -1))[..., None]
    # Entries of a rotation are at most 1; cut off before anything can overflow.
    x = xp.where(xp.abs(x) <= 2.0, x, xp.asarray(2.0, dtype=x.dtype))
    square = _square(x)
    diagonal = xp.stack([square[..., i, i] for i in range(4)], axis=-1)
    largest = xp.argmax(diagonal, axis=-1)[..., None]
    chosen = xp.astype(xp.arange(4) == largest, x.dtype)
    row = xp.sum(chosen[..., None] * square, axis=-2)
    good = _is_rotation(x)[..., None]
    unit = row / xp.where(good, xp.sqrt(linalg.dot(row, row)), 1.0)
    return xp.where(good, unit, xp.where(finite, 0.0 * row, xp.nan))


def _to_matrices(q: Array) -> Array:
    """Rotation matrices (..., 3, 3) of quaternions of norm 1."""
    x, y, z, w = _parts(q)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return _assembled(rows)


def _parts(q: Array) -> tuple[Array, ...]:
    """Return the four entries, each kept as an axis of length 1."""
    return tuple(q[..., i : i + 1] for i in range(4))


def _assembled(rows: list[list[Array]]) -> Array:
    """Matrices from entries (..., 1)."""
    xp: Any = linalg.namespace(rows[0][0])
    return xp.stack([xp.concat(row, axis=-1) for row in rows], axis=-2)


def _square(m: Array) -> Array:
    """``4 q q^T`` (..., 4, 4) of rotation matrices."""
    e = [[m[..., i, j : j + 1] for j in range(3)] for i in range(3)]
    (a, b, c), (d, f, g), (h, i, j) = e
    rows = [
        [1 + a - f - j, b + d, c + h, i - g],
        [b + d, 1 - a + f - j, g + i, c - h],
        [c + h, g + i, 1 - a - f + j, d - b],
        [i - g, c - h, d - b, 1 + a + f + j],
    ]
    return _assembled(rows)


def _is_rotation(m: Array) -> Array:
    """Tell which matrices have orthonormal columns and determinant 1."""
    xp = linalg.namespace(m)
    off = xp.max(xp.abs(linalg.transpose(m) @ m - linalg.eye(3, m)), axis=(-2, -1))
    first, second, third = (m[..., i, :] for i in range(3))
    determinant = linalg.dot(first, xp.linalg.cross(second, third))[..., 0]
    return (off <= ORTHOGONALITY_TOLERANCE) & (determinant > 0)
