"""Bring one irregular curve to the public grid, by a public rule, one record at a time."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from geomdp.curves.grids import (
    FEWEST_POINTS,
    CircleGrid,
    Floats,
    IntervalGrid,
    refuse_duplicate_end,
)
from geomdp.errors import InvalidRecordError

#: ``linear``: broken line. ``pchip``: smooth, and monotone wherever the samples are.
Interpolation: TypeAlias = Literal["linear", "pchip"]
#: ``fit``: the smoothest difference from the template that nearly meets the samples there are.
Resampling: TypeAlias = Literal["fit", "linear", "pchip"]

#: Samples repeated on each side of a closed curve; pchip looks two points ahead.
WRAP = 3
#: Samples beyond this are cut off, so that no slope between times that can be told apart overflows.
LARGEST = 1e100


def resample(
    times: ArrayLike,
    values: ArrayLike,
    template: Floats,
    grid: CircleGrid | IntervalGrid,
    rule: Interpolation,
) -> Floats:
    """Bring ``values`` (..., k), observed at ``times`` (k,), to the points of ``grid``.

    The difference from the public ``template`` (..., m) is interpolated. On the circle it is
    closed; on an interval it stays constant beyond the first and last sample, so that a curve
    observed for a while only keeps the template's form elsewhere. Times need not be sorted.

    Examples
    --------
    >>> grid = IntervalGrid([0, 1, 2, 3, 4])
    >>> slope = np.array([0.0, 1.0, 2.0, 3.0, 4.0])
    >>> resample([1, 1.5, 2, 3], [1.1, 1.6, 2.1, 3.1], slope, grid, "linear")
    array([0.1, 1.1, 2.1, 3.1, 4.1])
    """
    times, values = _validated(times, values)
    values = np.clip(values, -LARGEST, LARGEST)
    order = np.argsort(times)
    times, values = times[order], values[..., order]
    closed = isinstance(grid, CircleGrid)
    if closed:
        _check_circle(times)
    if np.any(np.diff(times) == 0):
        raise InvalidRecordError("a time appears twice; average or drop one of the samples")
    offset = values - interpolate(grid.points, template, times, closed, rule)
    found = template + interpolate(times, offset, grid.points, closed, rule)
    if not np.all(np.isfinite(found)):
        raise InvalidRecordError("its times are too close to each other to be told apart")
    return found


def even_times(size: int, grid: CircleGrid | IntervalGrid) -> Floats:
    """Return evenly spaced times for a curve given as ``size`` values alone.

    Examples
    --------
    >>> even_times(4, CircleGrid(80))
    array([0.  , 0.25, 0.5 , 0.75])
    """
    if isinstance(grid, CircleGrid):
        return np.arange(size) / size
    return np.linspace(grid.points[0], grid.points[-1], size)


def _validated(times: ArrayLike, values: ArrayLike) -> tuple[Floats, Floats]:
    times = np.asarray(times, dtype=np.float64)
    values = np.asarray(values, dtype=np.float64)
    if times.ndim != 1 or values.ndim < 1 or values.shape[-1] != times.size:
        raise InvalidRecordError("times and values of a curve must have the same length")
    if times.size < FEWEST_POINTS:
        raise InvalidRecordError(
            f"a curve needs at least {FEWEST_POINTS} points, not {times.size}; leave it out"
        )
    if not (np.all(np.isfinite(times)) and np.all(np.isfinite(values))):
        raise InvalidRecordError(
            "a time or value is missing or infinite; leave such samples out of the pair"
        )
    return times, values


def _check_circle(times: Floats) -> None:
    refuse_duplicate_end(times, "the curve")
    if times[0] < 0 or times[-1] > 1:
        raise InvalidRecordError("times on the circle must lie in [0, 1); divide by the period")


def interpolate(
    times: Floats, values: Floats, at: Floats, closed: bool, rule: Interpolation
) -> Floats:
    """Interpolate along the last axis; constant beyond the ends unless the curve is closed."""
    if closed:
        times = np.concatenate([times[-WRAP:] - 1, times, times[:WRAP] + 1])
        values = np.concatenate([values[..., -WRAP:], values, values[..., :WRAP]], axis=-1)
    inside = np.clip(at, times[0], times[-1])
    if rule == "pchip":
        from scipy.interpolate import PchipInterpolator

        return np.asarray(PchipInterpolator(times, values, axis=-1)(inside))
    rows = [np.interp(inside, times, row) for row in values.reshape(-1, times.size)]
    return np.stack(rows).reshape(*values.shape[:-1], inside.size)
