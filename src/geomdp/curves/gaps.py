"""Curves with gaps, or sampled elsewhere: a penalised fit of one record, to the public grid.

The difference from the template is fitted by the smoothest function that nearly meets the samples
there are: ``g = K(., o) (K(o, o) + ridge I)^-1 y``. Far from every sample it is the template. One
linear system a record, whose condition number the public ridge bounds: there is no way to fail, and
no step that other records share. Proofs: docs/theory/functions.md, section 7.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from geomdp.curves.grids import FEWEST_POINTS, CircleGrid, Floats, IntervalGrid
from geomdp.curves.kernels import Kernel
from geomdp.curves.resampling import LARGEST, interpolate
from geomdp.errors import InvalidRecordError

#: Variance of a sample's error over that of the function: nearly an interpolation.
RIDGE = 1e-3
TOO_SHORT = f"it has fewer than {FEWEST_POINTS} samples that are finite"
#: A fit of more samples would take more memory than a record deserves.
MOST_SAMPLES = 5000


def fill_gaps(
    records: Floats, template: Floats, grid: CircleGrid | IntervalGrid, kernel: Kernel
) -> dict[int, str]:
    """Fill the missing or infinite samples of ``records`` (n, ..., m) in place, each by itself.

    What has too few samples becomes the template; the reasons come back by row.

    Examples
    --------
    >>> from geomdp.curves.kernels import Matern
    >>> grid = IntervalGrid(np.linspace(0, 1, 9))
    >>> curves = np.tile(grid.points, (2, 1))
    >>> curves[0, 4], curves[1, 3:] = np.nan, np.nan
    >>> fill_gaps(curves, np.zeros(9), grid, Matern(0.5))
    {1: 'it has fewer than 4 samples that are finite'}
    >>> float(curves[0, 4].round(2)), curves[1].max()
    (0.5, np.float64(0.0))
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
    grid: CircleGrid | IntervalGrid,
    kernel: Kernel,
) -> Floats:
    """Bring ``values`` (..., k), observed at ``times`` (k,), to the points of ``grid``.

    Samples that are not finite count as missing, and so do times on an interval that lie more than
    its length away. Times on the circle are taken modulo 1.

    Examples
    --------
    >>> from geomdp.curves.kernels import Matern
    >>> grid = IntervalGrid(np.linspace(0, 1, 5))
    >>> t = np.array([0.1, 0.3, np.nan, 0.6, 0.9])
    >>> fit_curve(t, 2 * t, np.zeros(5), grid, Matern(1.0)).round(1)
    array([0.1, 0.5, 1. , 1.5, 1.9])
    """
    at = np.asarray(times, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        if isinstance(grid, CircleGrid):
            at = at % 1.0
        else:
            first, last = grid.points[0], grid.points[-1]
            at = np.where(np.abs(at - (first + last) / 2) <= 1.5 * (last - first), at, np.nan)
    rows, public = values.reshape(-1, at.size), template.reshape(-1, template.shape[-1])
    fitted = [_fit_one(at, y, f, grid, kernel) for y, f in zip(rows, public, strict=True)]
    return np.stack(fitted).reshape(template.shape)


def _fit_one(
    at: Floats, y: Floats, template: Floats, grid: CircleGrid | IntervalGrid, kernel: Kernel
) -> Floats:
    seen = np.isfinite(at) & np.isfinite(y)
    if np.count_nonzero(seen) < FEWEST_POINTS:
        raise InvalidRecordError(TOO_SHORT)
    if np.count_nonzero(seen) > MOST_SAMPLES:
        raise InvalidRecordError(f"it has more than {MOST_SAMPLES} samples; average neighbours")
    at, y = at[seen], np.clip(y[seen], -LARGEST, LARGEST)
    closed = isinstance(grid, CircleGrid)
    y = y - interpolate(grid.points, template, at, closed, "linear")
    system = _correlation(kernel, at, at, closed) + RIDGE * np.eye(at.size)
    weights = np.linalg.solve(system, y)
    return template + _correlation(kernel, grid.points, at, closed) @ weights


def _correlation(kernel: Any, one: Floats, other: Floats, closed: bool) -> Floats:
    apart = np.abs(one[:, None] - other)
    if not closed:
        return np.asarray(kernel.on_interval(apart))
    return np.asarray(kernel.on_circle(2 * np.pi * np.minimum(apart, 1 - apart)))
