"""The Fréchet mean: a start from a sample, then a few passes over all records.

Passes use the fastest formula a space has (:meth:`geomdp.spaces.base.Space.log_sum`); what is
certified is evaluated once more by those whose rounding is bounded.
"""

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from geomdp.errors import InvalidRecordError
from geomdp.runtime.threads import in_threads, one_blas_thread
from geomdp.spaces.base import Space
from geomdp.spaces.numerics import linalg
from geomdp.spaces.numerics.linalg import home
from geomdp.statistics.solving.descent import Descent
from geomdp.statistics.solving.newton import follow, newton
from geomdp.statistics.solving.passes import Chunk, MeanResult, Passes, slices
from geomdp.statistics.solving.quasi_newton import FrameModel, SampleModel, quasi_newton
from geomdp.typing import Array

__all__ = ["MeanResult", "descend_mean", "frechet_mean", "solve_mean"]

#: Share of the records in the sample, and limits on its size; fewer records need no sample.
ONE_IN, FEWEST, MOST = 16, 64, 4096
#: Numbers in a sample that saves time where passes are cheap.
WORTHWHILE = 1 << 12
#: How far the gradient of the sample is brought down: its mean is only a start.
SAMPLE_REDUCTION = 1e-3


def frechet_mean(
    space: Space,
    points: Array,
    weights: Array | None = None,
    tol: float = 1e-10,
    start: Array | None = None,
) -> MeanResult:
    """Mean of an array in memory or on a device; see :func:`geomdp.frechet_mean`."""
    with one_blas_thread():
        return _mean_in_memory(space, points, weights, tol, start)


def _mean_in_memory(
    space: Space, points: Array, weights: Array | None, tol: float, start: Array | None
) -> MeanResult:
    points = _require(space, points)
    if points.ndim == len(space.point_shape) or points.shape[0] == 0:
        raise InvalidRecordError("A mean needs at least one record, one a row.")
    shares = _shares(points, weights)
    if elsewhere(points):
        return mean_elsewhere(space, points, shares, tol=tol, start=start)
    if start is None:
        rough = space.rough_mean(points, shares)
        start = points[0, ...] if rough is None else rough
    return _solve(space, points, shares, tol, start, certified=False)


def solve_mean(
    space: Space, points: Array, weights: Array | None = None, *, tol: float, start: Array
) -> MeanResult:
    """As :func:`frechet_mean`, on valid records; the gradient's error is within its bound."""
    return _solve(space, points, _shares(points, weights), tol, start, certified=True)


def _solve(
    space: Space, points: Array, shares: Array | None, tol: float, start: Array, *, certified: bool
) -> MeanResult:
    """Solve by the fastest road, and by Newton's method on all records where that misses."""
    passes = Passes.over(space, points, shares)
    if np.isinf(tol):
        return passes.evaluate(start)
    found = None
    if space.linear:
        found = one_pass(passes, tol=tol, start=start, certified=certified)
    elif linalg.is_plain(points) and points.shape[0] >= 4 * FEWEST:
        rows = slice(None, None, sample_step(points.shape[0]))
        sample = Chunk(points[rows, ...], None if shares is None else shares[rows])
        found = from_sample(passes, sample, tol=tol, start=start)
        if certified and space.fast_sums:
            found = passes.evaluate(found.point, found.passes)
    if found is not None and found.gradient_norm <= tol:
        return found
    before = 0 if found is None else found.passes
    if found is not None and np.isfinite(found.gradient_norm):
        start = found.point
    here, more = newton(space, Chunk(points, shares), tol=tol, start=start)
    return MeanResult(here.point, here.norm, before + more)


def elsewhere(points: Array) -> bool:
    """Tell whether records are arrays of another library, perhaps on a device.

    >>> elsewhere(np.zeros(3))
    False
    """
    return not isinstance(points, np.ndarray)


def mean_elsewhere(
    space: Space, points: Array, shares: Array | None, *, tol: float, start: Array | None
) -> MeanResult:
    """Mean of records on a device: sums are taken there, also of the sample; all decisions here.

    What travels is a point to the device and a sum back. Where a space has no fast sums, a sample
    comes too, for its Hessian.
    """
    passes = Passes.over(space, points, shares)
    step = sample_step(int(points.shape[0])) if points.shape[0] >= 4 * FEWEST else 1
    sample = Chunk(points[::step, ...], None if shares is None else shares[::step])
    begin = _doubles_at_home(points[:1, ...])[0] if start is None else home(start)
    if space.linear:
        found = one_pass(passes, tol=tol, start=begin, certified=False)
    elif space.fast_sums:
        found = from_sample(passes, sample, tol=tol, start=begin)
    else:
        weights = None if sample.shares is None else home(sample.shares)
        few = Chunk(_doubles_at_home(sample.records), weights)
        found = from_sample(passes, few, tol=tol, start=begin)
    return replace(found, point=linalg.beside(found.point, points))


def _doubles_at_home(points: Array) -> Array:
    """Return points, wherever they lie, as NumPy's doubles."""
    xp = linalg.namespace(points)
    wide = np.complex128 if xp.isdtype(points.dtype, "complex floating") else np.float64
    return home(points).astype(wide, copy=False)


def one_pass(passes: Passes, *, tol: float, start: Array, certified: bool) -> MeanResult:
    """Mean on a linear space: how the mean log depends on the point is known."""
    space = passes.space
    mean = passes.mean_log(start, certified=certified)
    point, descent = start, mean
    for _ in range(4):  # the second removes the rounding of the first
        point = follow(space.exp, point, descent)
        descent = mean + space.log(point, start)
        norm = float(space.norm(point, descent))
        if not norm > tol:
            break
    return MeanResult(point, norm, 1)


def from_sample(passes: Passes, sample: Chunk, *, tol: float, start: Array) -> MeanResult:
    """Start at the mean of a sample, which is never a result, and go on in passes over all."""
    space = passes.space
    if sample.shares is not None and not float(np.sum(home(sample.shares))) > 0:
        return MeanResult(start, np.nan, 0)
    if not space.fast_sums:
        here, _ = newton(space, sample, tol=tol, start=start, reduction=SAMPLE_REDUCTION)
        return quasi_newton(passes, SampleModel(space, here), tol=tol, start=here.point)
    model = FrameModel(space)
    if math.prod(sample.records.shape) >= WORTHWHILE:
        few = Passes.over(space, *sample)
        start = quasi_newton(few, model, tol=tol, start=start, reduction=SAMPLE_REDUCTION).point
    return quasi_newton(passes, model, tol=tol, start=start)


def sample_step(n: int) -> int:
    """Return how many records apart those of the sample are.

    >>> sample_step(1000), sample_step(10**6)
    (15, 244)
    """
    return n // int(np.clip(n // ONE_IN, FEWEST, MOST))


def descend_mean(
    space: Space, points: Array, *, tol: float, start: Array, descent: Descent
) -> MeanResult:
    """Gradient descent: the safety net behind Newton's method.

    Slow, but with a proved rate on every data set in a ball (docs/theory/tolerance.md).
    """
    return descend(Passes.over(space, points), tol=tol, start=start, descent=descent)


def descend(passes: Passes, *, tol: float, start: Array, descent: Descent) -> MeanResult:
    """Gradient descent in passes; see :func:`descend_mean`."""
    space, point = passes.space, start
    best = MeanResult(start, np.inf, 0)
    for count in range(1, descent.passes + 1):
        direction = passes.mean_log(point)
        norm = float(space.norm(point, direction))
        best = MeanResult(point, norm, count) if norm < best.gradient_norm else best
        if norm <= tol:
            break
        point = follow(space.exp, point, descent.step * direction)
    return best


def _shares(points: Array, weights: Array | None) -> Array | None:
    """Weights that sum to 1; None where all are equal."""
    if weights is None:
        return None
    xp = linalg.namespace(points)
    n = points.shape[0]
    shares = xp.asarray(weights, dtype=linalg.real_dtype(points))
    if shares.shape != (n,) or not bool(xp.all(shares >= 0)) or not float(xp.sum(shares)) > 0:
        raise InvalidRecordError(
            f"Weights must be {n} nonnegative numbers, one a record, not all zero."
        )
    return shares / xp.sum(shares)


def _require(space: Space, points: Array) -> Array:
    """Validate records chunk by chunk on all cores; what is wrong is said of the whole."""
    x = np.asarray(points) if isinstance(points, list | tuple) else points
    if not hasattr(x, "ndim") or x.ndim <= len(space.point_shape) or x.shape[0] == 0:
        return space.require(points)

    # Pairs of real numbers and matrices, say, have to be turned into points.
    as_points = tuple(x.shape[1:]) == space.point_shape

    def required(rows: slice) -> Array | None:
        part = x[rows, ...]
        if as_points and space.nearly_canonical(part):
            return None
        found = space.require(part)
        return None if found is part else found  # nothing to copy where nothing changed

    pieces = list(slices(x, space.chunk_numbers))
    # One thread feeds a device.
    found = map(required, pieces) if elsewhere(x) else in_threads(required, pieces)
    try:
        return _joined(x, pieces, found)
    except InvalidRecordError:
        return space.require(points)


def _joined(x: Array, pieces: list[slice], found: Iterable[Array | None]) -> Array:
    """Rows as they were found, or as they are where nothing was; a piece is dropped when it is in.

    >>> _joined(np.arange(4.0), [slice(0, 2), slice(2, 4)], [None, np.array([7.0, 8.0])]).tolist()
    [0.0, 1.0, 7.0, 8.0]
    """
    if elsewhere(x):
        parts = list(found)
        if all(part is None for part in parts):
            return x
        changed = [x[r, ...] if p is None else p for r, p in zip(pieces, parts, strict=True)]
        return linalg.namespace(changed[0]).concat(changed)
    out: Array | None = None
    for rows, part in zip(pieces, found, strict=True):
        if part is not None and out is None:
            out = np.empty((len(x), *part.shape[1:]), dtype=part.dtype)
            if rows.start:  # those before are points as they are
                out[: rows.start] = x[: rows.start]
        if out is not None:
            out[rows] = x[rows] if part is None else part
    return x if out is None else out
