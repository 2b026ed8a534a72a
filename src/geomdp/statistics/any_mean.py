"""The Fréchet mean of any source: arrays, and data that do not lie in memory."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import array_api_compat
import numpy as np

from geomdp.errors import InvalidRecordError
from geomdp.runtime.surroundings import undisturbed
from geomdp.runtime.threads import in_threads
from geomdp.sources.dask_points import is_dask_array
from geomdp.sources.elsewhere import Elsewhere
from geomdp.sources.records import Records, as_records
from geomdp.spaces.base import Space
from geomdp.statistics.encoded import KEPT_NUMBERS, Encoded
from geomdp.statistics.solving import solver
from geomdp.statistics.solving.passes import MeanResult, slices
from geomdp.statistics.solving.streaming import solve_streamed
from geomdp.typing import Array


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
    return solver.frechet_mean(space, points, weights, tol, start)


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
    points, require = records.points, partial(_required, space)
    if start is None:
        first = points[:1] if isinstance(points, Elsewhere) else next(records.chunks(1))
        start = space.require(first)[0]
    if not isinstance(points, Elsewhere):
        encoded = Encoded(lambda: in_threads(require, records.chunks()), len(records), {}, False)
        return solve_streamed(space, encoded, tol=tol, start=start)

    def ask(question: Callable[[Array], Any]) -> Iterator[list[Any]]:
        return points.ask(partial(_answers, space, question), None)

    encoded = Encoded(lambda: iter(()), len(records), {}, False, ask)
    return solve_streamed(space, encoded, tol=tol, start=start)


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
