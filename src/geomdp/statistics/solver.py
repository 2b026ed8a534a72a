"""The Fréchet mean: Newton's method over chunks of records.

The Hessian of the mean squared distance is close to the identity inside a ball, so that conjugate
gradients solve Newton's equation in a few products and four passes over the data reach 1e-10.
"""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController

from geomdp.errors import InvalidRecordError
from geomdp.spaces import linalg
from geomdp.spaces.base import Space
from geomdp.statistics.descent import Descent
from geomdp.typing import Array

#: Numbers in one chunk: small enough for a core's cache, large enough to hide Python.
CHUNK_NUMBERS = 1 << 16
#: Passes after which Newton's method gives up; convergent problems need fewer than ten.
MAX_PASSES = 50

Map = Callable[[Callable[[Any], Any], list[Any]], list[Any]]


@dataclass(frozen=True, eq=False)
class MeanResult:
    """A mean and how well it solves its equation.

    Attributes
    ----------
    point
        The computed mean.
    gradient_norm
        Length of the mean of the logs at ``point``: 0 at the ideal mean, NaN where floats cannot
        tell. Curators may look at it; it must never be published.
    passes
        How often the data were read.
    """

    point: Array
    gradient_norm: float
    passes: int


@dataclass(frozen=True, eq=False)
class _Expansion:
    """Mean log (minus the gradient) and Hessian of the objective at a point."""

    point: Array
    descent: Array
    norm: float
    hessian: Callable[[Array], Array]


def frechet_mean(
    space: Space,
    points: Array,
    weights: Array | None = None,
    tol: float = 1e-10,
    start: Array | None = None,
) -> MeanResult:
    """Point that minimises the (weighted) mean squared distance to the records.

    Parameters
    ----------
    space
        Where the records live.
    points
        Records, one a row.
    weights
        Nonnegative weights, one a record; equal by default.
    tol
        Stop when the gradient is at most this long.
    start
        Where to start; the first record by default.

    Returns
    -------
    MeanResult
        With ``point`` and ``gradient_norm``; compare the latter with ``tol``.

    Examples
    --------
    >>> import numpy as np, geomdp as dp
    >>> tensors = np.array([np.eye(2), np.exp(2) * np.eye(2)])
    >>> dp.frechet_mean(dp.SPD(2), tensors).point.round(6).tolist()
    [[2.718282, 0.0], [0.0, 2.718282]]
    """
    points = space.require(points)
    if points.ndim == len(space.point_shape) or points.shape[0] == 0:
        raise InvalidRecordError("A mean needs at least one record, one a row.")
    start = points[0, ...] if start is None else start
    return solve_mean(space, points, weights, tol=tol, start=start)


def solve_mean(
    space: Space, points: Array, weights: Array | None = None, *, tol: float, start: Array
) -> MeanResult:
    """Newton's method on records already validated; see :func:`frechet_mean`."""
    shares = _shares(points, weights)
    with _parallel_map(points) as chunked:
        here = _expand(space, start, points, shares, chunked)
        passes = 1
        while here.norm > tol and passes < MAX_PASSES:
            step = newton_step(space, here)
            there = _expand(space, _follow(space, here, step), points, shares, chunked)
            passes += 1
            # Written so that a step into overflow, whose norm is NaN, counts as no improvement.
            while not there.norm < here.norm and passes < MAX_PASSES:
                step = step / 2
                there = _expand(space, _follow(space, here, step), points, shares, chunked)
                passes += 1
            if not there.norm < here.norm:
                break
            here = there
    return MeanResult(here.point, here.norm, passes)


def descend_mean(
    space: Space, points: Array, *, tol: float, start: Array, descent: Descent
) -> MeanResult:
    """Gradient descent: the safety net behind Newton's method.

    Slow, but with a proved rate on every data set in a ball (docs/theory/tolerance.md).
    """
    shares = _shares(points, None)
    with _parallel_map(points) as chunked:
        best = here = _expand(space, start, points, shares, chunked)
        passes = 1
        while here.norm > tol and passes < descent.passes:
            step = descent.step * here.descent
            here = _expand(space, _follow(space, here, step), points, shares, chunked)
            best = here if here.norm < best.norm else best
            passes += 1
    return MeanResult(best.point, best.norm, passes)


def _shares(points: Array, weights: Array | None) -> Array:
    """Weights that sum to 1, shaped to multiply records."""
    xp = linalg.namespace(points)
    n = points.shape[0]
    dtype = linalg.real_dtype(points)
    if weights is None:
        shares = xp.full((n,), 1.0 / n, dtype=dtype)
    else:
        shares = xp.asarray(weights, dtype=dtype)
        if shares.shape != (n,) or not bool(xp.all(shares >= 0)) or not float(xp.sum(shares)) > 0:
            raise InvalidRecordError(
                f"Weights must be {n} nonnegative numbers, one a record, not all zero."
            )
        shares = shares / xp.sum(shares)
    return xp.reshape(shares, (n,) + (1,) * (points.ndim - 1))


def _follow(space: Space, here: _Expansion, step: Array) -> Array:
    """Where a step leads, NaN if floats do not reach."""
    try:
        with np.errstate(all="ignore"):
            return space.exp(here.point, step)
    except np.linalg.LinAlgError:
        return np.nan * here.point


def _expand(space: Space, at: Array, points: Array, shares: Array, chunked: Map) -> _Expansion:
    """One pass over the data: mean log and Hessian at a point; NaN if floats do not reach."""
    xp = linalg.namespace(points)

    def part(rows: slice) -> tuple[Array, Callable[[Array], Array]]:
        with np.errstate(all="ignore"):  # here, since a thread does not inherit it
            log, hessian = space.log_and_hessian(at, points[rows, ...])
            share = shares[rows, ...]
            return tree_sum(share * log), lambda v: xp.sum(share * hessian(v), axis=0)

    try:
        parts = chunked(part, _chunks(points))
    except np.linalg.LinAlgError:
        return _Expansion(at, np.nan * at, np.nan, lambda v: np.nan * v)
    descent = tree_sum(xp.stack([log for log, _ in parts]))

    def hessian(v: Array) -> Array:
        pieces = chunked(lambda p: p[1](v), parts)
        return sum(pieces[1:], start=pieces[0])

    return _Expansion(at, descent, float(space.norm(at, descent)), hessian)


def expand(space: Space, at: Array, points: Array) -> _Expansion:
    """Mean log and Hessian at a point, of a few records in memory."""
    return _expand(space, at, points, _shares(points, None), lambda f, items: [*map(f, items)])


def tree_sum(x: Array) -> Array:
    """Sum over the first axis; each term passes ``ceil(log2(n))`` additions, not n.

    The tolerance counts on this (docs/theory/tolerance.md); it is also faster than a plain sum.

    >>> tree_sum(np.arange(10.0).reshape(5, 2)).tolist()
    [20.0, 25.0]
    """
    xp = linalg.namespace(x)
    while x.shape[0] > 1:
        half = x.shape[0] // 2
        pairs = x[:half, ...] + x[half : 2 * half, ...]
        x = xp.concat([pairs, x[2 * half :, ...]]) if x.shape[0] % 2 else pairs
    return x[0, ...]


def newton_step(space: Space, here: _Expansion) -> Array:
    """Solve ``Hessian step = descent`` by conjugate gradients, loosely while far from the mean."""
    goal = here.norm * min(0.1, here.norm)
    step = 0.0 * here.descent
    residual = direction = here.descent
    square = here.norm**2
    for _ in range(2 * space.dim):
        image = here.hessian(direction)
        curvature = float(space.inner(here.point, direction, image))
        if not curvature > 0:
            # Outside the convex region: the steepest descent is the safe direction.
            return here.descent
        step = step + (square / curvature) * direction
        residual = residual - (square / curvature) * image
        previous, square = square, float(space.inner(here.point, residual, residual))
        if square <= goal**2:
            break
        direction = residual + (square / previous) * direction
    return step


def _chunks(points: Array) -> list[slice]:
    """Rows in pieces that fit a cache."""
    n = points.shape[0]
    width = max(1, points.size // n)
    rows = max(1, CHUNK_NUMBERS // width)
    return [slice(i, min(i + rows, n)) for i in range(0, n, rows)]


@cache
def _libraries() -> ThreadpoolController:
    """Linear algebra libraries of the process: finding them takes as long as a small mean."""
    return ThreadpoolController()


def one_blas_thread() -> AbstractContextManager[object]:
    """Limit NumPy's linear algebra, loaded long ago, to one thread.

    >>> with one_blas_thread():
    ...     pass
    """
    limit: AbstractContextManager[object] = _libraries().limit(limits=1, user_api="blas")
    return limit


@contextmanager
def _parallel_map(points: Array) -> Iterator[Map]:
    """Map over chunks with a thread a core, each with one BLAS thread.

    Batched small eigenproblems with several BLAS threads are slower by an order of magnitude.
    """
    workers = min(len(_chunks(points)), os.cpu_count() or 1)
    if workers == 1:
        with one_blas_thread():
            yield lambda function, items: [function(item) for item in items]
        return
    with one_blas_thread(), ThreadPoolExecutor(workers) as pool:
        yield lambda function, items: list(pool.map(function, items))
