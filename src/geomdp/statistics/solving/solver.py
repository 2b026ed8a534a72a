"""The Fréchet mean: a start from a sample, then a few passes over all records.

Passes use the fastest formula a space has (:meth:`geomdp.spaces.base.Space.log_sum`); what is
certified is evaluated once more by those whose rounding is bounded.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import array_api_compat
import numpy as np

from geomdp.errors import InvalidRecordError
from geomdp.runtime.surroundings import undisturbed
from geomdp.runtime.threads import in_threads, one_blas_thread
from geomdp.sources.dask_source import is_dask_array
from geomdp.sources.records import Records, as_records
from geomdp.spaces.base import Space
from geomdp.spaces.numerics import linalg
from geomdp.statistics.encoded import KEPT_NUMBERS, Encoded
from geomdp.statistics.solving.descent import Descent
from geomdp.statistics.solving.newton import (
    FrameModel,
    HessianModel,
    Model,
    SampleModel,
    follow,
    newton,
    quasi_newton,
)
from geomdp.statistics.solving.passes import (
    Chunk,
    MeanResult,
    Passes,
    doubles_at_home,
    judged_sum,
    slices,
)
from geomdp.typing import Array

#: Numbers in a sample that saves time where passes are cheap.
WORTHWHILE = 1 << 12
#: How far the gradient of the sample is brought down: its mean is only a start.
SAMPLE_REDUCTION = 1e-3


@undisturbed()
def frechet_mean(
    space: Space,
    points: Any,
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
        Records, one a row: an array, a memory-map, a Dask array, or what
        :class:`geomdp.Records` takes. What does not lie in memory is read in passes, a chunk at a
        time.
    weights
        Nonnegative weights, one a record of an array; equal by default.
    tol
        Stop when the gradient is at most this long.
    start
        Where to start; by default a rough mean or the first record.

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
    if _in_passes(points):
        return _mean_in_passes(space, as_records(points), weights, tol, start)
    with one_blas_thread():
        return _mean_in_memory(space, points, weights, tol, start)


def _in_passes(points: Any) -> bool:
    """Tell whether points are read a chunk at a time, by what is known before reading them."""
    if isinstance(points, np.memmap):
        return points.size > KEPT_NUMBERS
    if isinstance(points, Records) or is_dask_array(points):
        return True
    known = isinstance(points, list | tuple) or array_api_compat.is_array_api_obj(points)
    return not known and hasattr(points, "__len__")


def _mean_in_passes(
    space: Space, records: Records, weights: Array | None, tol: float, start: Array | None
) -> MeanResult:
    if weights is not None:
        raise InvalidRecordError("Weights go with an array that lies in memory.")
    if len(records) == 0:
        raise InvalidRecordError("A mean needs at least one record, one a row.")
    source = records.source
    if start is None:
        start = space.require(next(source.blocks(1)) if not source.elsewhere else source[:1])[0]

    def walk() -> Iterator[Array]:
        return in_threads(partial(_required, space), source.blocks())

    def ask(question: Callable[[Array], Any]) -> Iterator[list[Any]]:
        return source.ask(partial(_answers, space, question))

    there = ask if source.elsewhere else None
    encoded = Encoded(walk, len(records), in_memory=False, elsewhere=there)
    return solve(Passes.of(space, encoded, start), tol=tol, start=start)


def _required(space: Space, chunk: Any) -> Array:
    points = space.require(chunk)
    if points.ndim == len(space.point_shape):
        raise InvalidRecordError("A mean needs at least one record, one a row.")
    return points


def _answers(
    space: Space, question: Callable[[Array], Any], start: int, block: Array, columns: Any
) -> list[Any]:
    """Answer a question about each piece of a block, validated."""
    return [question(_required(space, block[rows])) for rows in slices(block)]


def _mean_in_memory(
    space: Space, points: Array, weights: Array | None, tol: float, start: Array | None
) -> MeanResult:
    if weights is None and start is None:
        found = _judged_by_the_way(space, points, tol)
        if found is not None:
            return found
    points = _require(space, points)
    if points.ndim == len(space.point_shape) or points.shape[0] == 0:
        raise InvalidRecordError("A mean needs at least one record, one a row.")
    shares = _shares(points, weights)
    passes = Passes.over(space, points, shares)
    if elsewhere(points):
        # What travels is a point to the device and a sum back; all decisions are made here.
        begin = doubles_at_home(points[:1, ...])[0] if start is None else linalg.home(start)
        found = solve(passes, tol=tol, start=begin, certified=False)
        return replace(found, point=linalg.beside(found.point, points))
    if start is None:
        rough = space.rough_mean(points, shares)
        start = points[0, ...] if rough is None else rough
    return solve(passes, tol=tol, start=start, certified=False)


def _judged_by_the_way(space: Space, points: Array, tol: float) -> MeanResult | None:
    """Mean by one pass that also judges the records; None where it does not show them all valid."""
    if not space.linear or not linalg.is_plain(points) or points.shape[1:] != space.point_shape:
        return None
    start = space.rough_mean(points) if len(points) else None
    if start is None:
        return None
    passes = Passes.over(space, points)
    mean = passes.mean_of(judged_sum, start)
    if not np.all(np.isfinite(mean)):
        return None
    return one_pass(space, mean, tol=tol, start=start)


def solve(passes: Passes, *, tol: float, start: Array, certified: bool = True) -> MeanResult:
    """Solve by the fastest road, and by Newton's method where that misses and memory holds all.

    Where it is certified, the error of the gradient is within its bound.
    """
    space = passes.space
    if np.isinf(tol):
        return passes.evaluate(start)
    found = None
    if space.linear:
        mean = passes.mean_log(start, certified=certified)
        found = one_pass(space, mean, tol=tol, start=start)
    elif (sample := passes.sample()) is not None:
        found = from_sample(passes, sample, tol=tol, start=start, certified=certified)
    if found is not None and (passes.whole is None or found.gradient_norm <= tol):
        return found
    assert passes.whole is not None  # all that does not lie in memory has a sample
    before = 0 if found is None else found.passes
    if found is not None and np.isfinite(found.gradient_norm):
        start = found.point
    here, more = newton(space, passes.whole, tol=tol, start=start)
    return MeanResult(here.point, here.norm, before + more)


def elsewhere(points: Array) -> bool:
    """Tell whether records are arrays of another library, perhaps on a device."""
    return not isinstance(points, np.ndarray)


def one_pass(space: Space, mean: Array, *, tol: float, start: Array) -> MeanResult:
    """Mean on a linear space from the mean log at one point, which says it at all others."""
    point, descent = start, mean
    for _ in range(4):  # the second removes the rounding of the first
        point = follow(space.exp, point, descent)
        descent = mean + space.log(point, start)
        norm = float(space.norm(point, descent))
        if not norm > tol:
            break
    return MeanResult(point, norm, 1)


def from_sample(
    passes: Passes, sample: Chunk, *, tol: float, start: Array, certified: bool = False
) -> MeanResult:
    """Start at the mean of a sample, which is never a result, and go on in passes over all."""
    space = passes.space
    if sample.shares is not None and not float(np.sum(linalg.home(sample.shares))) > 0:
        return MeanResult(start, np.nan, 0)
    if not space.fast_sums:
        here, _ = newton(space, sample, tol=tol, start=start, reduction=SAMPLE_REDUCTION)
        return quasi_newton(passes, SampleModel(space, here), tol=tol, start=here.point)
    model: Model = FrameModel(space)
    if math.prod(sample.records.shape) >= WORTHWHILE:
        few = Passes.over(space, *sample)
        start = quasi_newton(few, model, tol=tol, start=start, reduction=SAMPLE_REDUCTION).point
        whole = passes.whole
        kept = whole is not None and whole.records.size <= KEPT_NUMBERS
        if kept and (road := space.hessian_road(start, sample.records)):
            model = HessianModel(space, road, tol)
    return quasi_newton(passes, model, tol=tol, start=start, certified=certified)


def descend(passes: Passes, *, tol: float, start: Array, descent: Descent) -> MeanResult:
    """Gradient descent: the safety net behind Newton's method.

    Slow, but with a proved rate on every data set in a ball (docs/theory/tolerance.md).
    """
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
    """Rows as they were found, or as they are where nothing was; pieces are dropped once in."""
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
