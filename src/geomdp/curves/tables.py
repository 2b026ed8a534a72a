"""Curves from and for other packages: scikit-fda's FDataGrid and pandas' DataFrame.

They are known by what they offer, so that neither package has to be there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from geomdp.curves.grids import CircleGrid, Floats, Grid, RingGrid
from geomdp.errors import InvalidRecordError
from geomdp.sources.rows import each, is_table, plain


def read_table(records: Any, channels: tuple[int, ...], grid: Grid) -> Any:
    """Return the curves of an FDataGrid or a DataFrame as arrays or pairs; anything else as it is.

    A DataFrame holds one curve a row; columns with numbers for names are times, unless there are as
    many as the grid has points and they are just numbered. Times that are the grid's give an array,
    or a list of rows where some cells are no plain numbers; others give pairs ``(times, values)``.
    An FDataGrid on the circle has its domain scaled to [0, 1).

    Examples
    --------
    >>> from geomdp.curves.grids import IntervalGrid
    >>> read_table(np.zeros((2, 4)), (), IntervalGrid([0, 1, 2, 3])).shape
    (2, 4)
    """
    if hasattr(records, "data_matrix") and hasattr(records, "grid_points"):
        return _from_fdatagrid(records, channels, grid)
    if is_table(records):
        whole = plain(records)
        values = each(records) if whole is None else whole
        return _with_times(values, _column_times(records.columns), grid)
    return records


def fdatagrid_arguments(grid: Grid, values: Floats) -> dict[str, Any]:
    """Return what ``skfda.FDataGrid(**arguments)`` needs for one function or several.

    Parameters
    ----------
    grid
        Of the statistic: ``plan.statistic.grid``.
    values
        A released value (m,) or (channels, m), or several of them.

    Examples
    --------
    >>> from geomdp.curves.grids import IntervalGrid
    >>> made = fdatagrid_arguments(IntervalGrid([0, 1, 2, 3]), np.zeros((2, 4)))
    >>> made["data_matrix"].shape, len(made["grid_points"])
    ((1, 4, 2), 1)
    """
    if isinstance(grid, RingGrid):
        raise InvalidRecordError("An FDataGrid is made of curves, not of rings.")
    flat = np.asarray(values, dtype=np.float64)
    if flat.ndim < 3:
        flat = flat.reshape(1, -1, grid.points.size)
    return {"data_matrix": np.moveaxis(flat, -2, -1), "grid_points": [grid.points]}


def frame_arguments(grid: Grid, value: Floats) -> dict[str, Any]:
    """Return what ``pandas.DataFrame(**arguments)`` needs: a row a point, a column a channel.

    Examples
    --------
    >>> from geomdp.curves.grids import IntervalGrid
    >>> made = frame_arguments(IntervalGrid([0, 1, 2, 3]), np.zeros((2, 4)))
    >>> made["data"].shape, made["index"].tolist()
    ((4, 2), [0.0, 1.0, 2.0, 3.0])
    """
    if isinstance(grid, RingGrid):
        raise InvalidRecordError("A table is made of curves, not of rings.")
    rows = np.asarray(value).reshape(-1, grid.points.size)
    return {"data": rows.T, "index": grid.points}


def _from_fdatagrid(records: Any, channels: tuple[int, ...], grid: Grid) -> Any:
    if len(records.grid_points) != 1:
        raise InvalidRecordError("The FDataGrid must hold curves: functions of one variable.")
    values = np.moveaxis(np.asarray(records.data_matrix, dtype=np.float64), -1, 1)
    times = np.asarray(records.grid_points[0], dtype=np.float64)
    if isinstance(grid, CircleGrid):
        first, last = records.domain_range[0]
        times = (times - first) / (last - first)
    return _with_times(values if channels else values[:, 0], times, grid)


def _column_times(columns: Any) -> Floats | None:
    try:
        return np.asarray([float(name) for name in columns])
    except (TypeError, ValueError, OverflowError):
        return None


def _with_times(values: Any, times: Floats | None, grid: Grid) -> Any:
    if times is None or isinstance(grid, RingGrid):
        return values
    size = grid.points.size
    known = [grid.points, np.arange(size)]  # or numbered, as columns without names are
    if times.size == size and any(np.allclose(times, t, rtol=1e-9, atol=1e-12) for t in known):
        return values
    return [(times, row) for row in values]
