"""Quaternions (x, y, z, w), the real part last, and the rotation matrices that they stand for."""

from typing import Any

from geomdp.spaces.numerics import linalg
from geomdp.typing import Array

#: How far the columns of a matrix may be from orthonormal: digits lost in text files.
ORTHOGONALITY_TOLERANCE = 1e-6


def product(p: Array, q: Array) -> Array:
    """Hamilton's product: apply ``q`` first, then ``p``.

    >>> import numpy as np
    >>> i, j = np.eye(4)[0], np.eye(4)[1]
    >>> product(i, j).tolist()
    [0.0, 0.0, 1.0, 0.0]
    """
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


def inverse(q: Array) -> Array:
    """Inverse of a quaternion of norm 1."""
    return linalg.namespace(q).concat([-q[..., :3], q[..., 3:]], axis=-1)


def positive(q: Array) -> Array:
    """Return the one of ``q`` and ``-q`` whose last entry other than 0 is positive.

    >>> import numpy as np
    >>> positive(np.array([0.0, 1.0, 0.0, -1.0])).tolist()
    [-0.0, -1.0, -0.0, 1.0]
    """
    xp = linalg.namespace(q)
    lead = q[..., :1]
    for i in range(1, 4):
        lead = xp.where(q[..., i : i + 1] == 0, lead, q[..., i : i + 1])
    return linalg.sign(lead < 0, q) * q


def from_matrices(x: Array) -> Array:
    """Quaternions (..., 4) of matrices (..., 3, 3); zeros where a matrix is no rotation.

    Missing entries stay missing. ``4 q q^T`` is linear in the matrix; its row with the largest
    diagonal entry is divided by its norm.

    >>> import numpy as np
    >>> from_matrices(np.diag([-1.0, -1.0, 1.0])).tolist()
    [0.0, 0.0, 1.0, 0.0]
    >>> from_matrices(np.diag([1.0, 1.0, -1.0])).tolist()
    [0.0, 0.0, 0.0, 0.0]
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


def to_matrices(q: Array) -> Array:
    """Rotation matrices (..., 3, 3) of quaternions of norm 1.

    >>> import numpy as np
    >>> to_matrices(np.array([0.0, 0.0, 0.0, 1.0])).tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
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
    return (off <= ORTHOGONALITY_TOLERANCE) & (_determinant(m) > 0)


def _determinant(m: Array) -> Array:
    first, second, third = (m[..., i, :] for i in range(3))
    return linalg.dot(first, linalg.namespace(m).linalg.cross(second, third))[..., 0]
