"""Bring one irregular curve to the public grid, by a public rule, one record at a time."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from geomdp.curves.grids import FEWEST_POINTS, Grid, refuse_duplicate_end
from geomdp.curves.kernels import Kernel
from geomdp.errors import InvalidRecordError
from geomdp.typing import Floats

#: ``linear``: broken line. ``pchip``: smooth, and monotone wherever the samples are (Fritsch and
#: Carlson 1980, doi:10.1137/0717021).
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
    grid: Grid,
    rule: Interpolation,
) -> Floats:
    """Bring ``values`` (..., k), observed at ``times`` (k,), to the points of ``grid``.

    The difference from the public ``template`` (..., m) is interpolated. On the circle it is
    closed; on an interval it stays constant beyond the first and last sample, so that a curve
    observed for a while only keeps the template's form elsewhere. Times need not be sorted.
    """
    times, values = _validated(times, values)
    values = np.clip(values, -LARGEST, LARGEST)
    order = np.argsort(times)
    times, values = times[order], values[..., order]
    closed = grid.closed
    if closed:
        _check_circle(times)
    if np.any(np.diff(times) == 0):
        raise InvalidRecordError("a time appears twice; average or drop one of the samples")
    offset = values - interpolate(grid.points, template, times, closed, rule)
    found = template + interpolate(times, offset, grid.points, closed, rule)
    if not np.all(np.isfinite(found)):
        raise InvalidRecordError("its times are too close to each other to be told apart")
    return found


def even_times(size: int, grid: Grid) -> Floats:
    """Return evenly spaced times for a curve given as ``size`` values alone."""
    if grid.closed:
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


# --- Curves with gaps, or sampled elsewhere: a penalised fit of one record, to the public grid.
# The difference from the template is fitted by the smoothest function that nearly meets the
# samples there are: ``g = K(., o) (K(o, o) + ridge I)^-1 y``. Far from every sample it is the
# template. One linear system a record, whose condition number the public ridge bounds: there is
# no way to fail, and no step that other records share. Proofs: docs/theory/functions.md, section
# 7.

#: Variance of a sample's error over that of the function: nearly an interpolation.
RIDGE = 1e-3
TOO_SHORT = f"it has fewer than {FEWEST_POINTS} samples that are finite"
#: A fit of more samples would take more memory than a record deserves.
MOST_SAMPLES = 5000


def fill_gaps(records: Floats, template: Floats, grid: Grid, kernel: Kernel) -> dict[int, str]:
    """Fill the missing or infinite samples of ``records`` (n, ..., m) in place, each by itself.

    What has too few samples becomes the template; the reasons come back by row.
    """
    finite = np.isfinite(records)
    invalid: dict[int, str] = {}
    for row in np.flatnonzero(~finite.reshape(len(records), -1).all(axis=1)).tolist():
        try:
            fitted = fit_curve(grid.points, records[row], template, grid, kernel)
            records[row] = np.where(finite[row], records[row], fitted)
        except InvalidRecordError as error:
            records[row] = template
            invalid[row] = str(error)
    return invalid


def fit_curve(
    times: ArrayLike,
    values: Floats,
    template: Floats,
    grid: Grid,
    kernel: Kernel,
) -> Floats:
    """Bring ``values`` (..., k), observed at ``times`` (k,), to the points of ``grid``.

    Samples that are not finite count as missing, and so do times on an interval that lie more than
    its length away. Times on the circle are taken modulo 1.
    """
    at = np.asarray(times, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        if grid.closed:
            at = at % 1.0
        else:
            first, last = grid.points[0], grid.points[-1]
            at = np.where(np.abs(at - (first + last) / 2) <= 1.5 * (last - first), at, np.nan)
    rows, public = values.reshape(-1, at.size), template.reshape(-1, template.shape[-1])
    fitted = [_fit_one(at, y, f, grid, kernel) for y, f in zip(rows, public, strict=True)]
    return np.stack(fitted).reshape(template.shape)


def _fit_one(at: Floats, y: Floats, template: Floats, grid: Grid, kernel: Kernel) -> Floats:
    seen = np.isfinite(at) & np.isfinite(y)
    if np.count_nonzero(seen) < FEWEST_POINTS:
        raise InvalidRecordError(TOO_SHORT)
    if np.count_nonzero(seen) > MOST_SAMPLES:
        raise InvalidRecordError(f"it has more than {MOST_SAMPLES} samples; average neighbours")
    at, y = at[seen], np.clip(y[seen], -LARGEST, LARGEST)
    closed = grid.closed
    y = y - interpolate(grid.points, template, at, closed, "linear")
    system = _correlation(kernel, at, at, closed) + RIDGE * np.eye(at.size)
    weights = np.linalg.solve(system, y)
    return template + _correlation(kernel, grid.points, at, closed) @ weights


def _correlation(kernel: Any, one: Floats, other: Floats, closed: bool) -> Floats:
    apart = np.abs(one[:, None] - other)
    if not closed:
        return np.asarray(kernel.on_interval(apart))
    return np.asarray(kernel.on_circle(2 * np.pi * np.minimum(apart, 1 - apart)))
