"""Landmarks in space: centring, and the rotation that fits one configuration to another."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from geomdp.typing import Array

#: Singular values of a centre below this part of the largest one count as 0.
DEGENERATE = 1e-9


def centred(x: Array) -> Array:
    """Move the mean of the landmarks to 0.

    >>> centred(np.array([[1.0, 0.0], [3.0, 4.0]])).tolist()
    [[-1.0, -2.0], [1.0, 2.0]]
    """
    return x - np.mean(x, axis=-2, keepdims=True)


def fitted(x: Array, to: Array) -> Array:
    """Turn centred configurations (..., k, m) to fit the centred one ``to`` best.

    By one singular value decomposition of each (docs/theory/charts.md, section 2); where several
    rotations fit equally well, the one that the decomposition returns.

    >>> square = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])
    >>> bool(np.allclose(fitted(square[[1, 2, 3, 0]], square), square))
    True
    """
    # Powers of two, so that products neither overflow nor vanish.
    product = np.swapaxes(_of_size_one(x), -1, -2) @ _of_size_one(to)
    left, _, right = np.linalg.svd(product)
    turn = np.linalg.det(left @ right) < 0
    left[..., :, -1] *= np.where(turn, -1.0, 1.0)[..., None]
    return x @ (left @ right)


def rank(x: NDArray[np.float64]) -> int:
    """Dimensions that one centred configuration spans.

    >>> rank(np.array([[0.0, 0.0, -1.0], [0.0, 0.0, 0.0], [0.0, 0.0, 1.0]]))
    1
    """
    values = np.linalg.svd(_of_size_one(x), compute_uv=False)
    return int(np.sum(values > DEGENERATE * values[0]))


def fitted_within(c: NDArray[np.float64]) -> float:
    """Length up to which a horizontal vector added to ``c`` leaves it fitted to ``c``.

    ``c^T (c + v)`` is symmetric, and no rotation fits better as long as the sum of its two smallest
    eigenvalues is positive; ``c^T v`` moves an eigenvalue by at most ``|c| |v|``.

    >>> round(fitted_within(np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])), 4)
    1.4142
    """
    values = np.linalg.svd(c, compute_uv=False)
    return float((values[-1] ** 2 + values[-2] ** 2) / (2 * values[0]))


def horizontal_frame(c: NDArray[np.float64], scale: bool) -> NDArray[np.float64]:
    """Orthonormal configurations (d, k, m) that neither move, turn nor (if asked) scale ``c``.

    Householder reflections complete the directions that do: a smooth function of ``c`` alone, the
    same on every machine up to rounding.

    >>> horizontal_frame(np.array([[1.0, 0.0], [-1.0, 1.0], [0.0, -1.0]]), scale=True).shape
    (2, 3, 2)
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
