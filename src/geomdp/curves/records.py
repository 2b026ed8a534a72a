"""Read curves: an array, a table, or a list of arrays and ``(times, values)`` pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from geomdp.curves.grids import FEWEST_POINTS, Grid
from geomdp.curves.kernels import Kernel
from geomdp.curves.resampling import Resampling, even_times, fill_gaps, fit_curve, resample
from geomdp.errors import InvalidRecordError
from geomdp.spaces.admission import replace_gaps
from geomdp.spaces.rows import Rows, as_real, each, is_table, plain, real_numbers, rows_of
from geomdp.typing import Array, Floats

#: What is said of numbers that are no curve.
NO_CURVE = (
    "its values are not an array of real numbers; write a planar curve as two channels (2, m)"
)


def parse_records(
    records: Array | Sequence[Any],
    template: Floats,
    grid: Grid,
    resampling: Resampling | None,
    kernel: Kernel | None = None,
) -> tuple[Floats, dict[int, str]]:
    """Return the records as one array (n, *template.shape), and why some are no record.

    What is no curve on the public grid, and cannot be brought there by the rule, stands as the
    template. The ``kernel`` is that of the rule ``fit``.
    """
    records = read_table(records, template.shape[: template.ndim - len(grid.shape)], grid)
    whole = plain(records)
    with np.errstate(all="ignore"):
        if whole is not None and whole.shape[1:] == template.shape:
            rows = as_real(whole)
            rows = Rows(rows.numbers, dict.fromkeys(rows.invalid, NO_CURVE))
        else:
            rows = rows_of(
                records, lambda one: _parse_one(one, template, grid, resampling, kernel), template
            )
        if not len(rows.numbers):
            raise InvalidRecordError("There are no records; give at least one curve.")
        parsed, invalid = rows.numbers, dict(rows.invalid)
        parsed[list(invalid)] = template
        if resampling == "fit" and grid.of_curves:
            assert kernel is not None
            return parsed, fill_gaps(parsed, template, grid, kernel) | invalid
    gaps = replace_gaps(parsed, template, "sample")
    way_out = "resampling='fit' fills gaps of curves on a circle or an interval"
    return parsed, {row: f"{gap}; {way_out}" for row, gap in gaps.items()} | invalid


def _parse_one(
    record: Any, template: Floats, grid: Grid, resampling: Resampling | None, kernel: Kernel | None
) -> Floats:
    shape = template.shape
    times, record = _split(record)
    paired = times is not None
    values = _as_floats(record)
    if not paired and values.shape == shape:
        return values
    if values.ndim != len(shape) or values.shape[:-1] != shape[:-1]:
        raise InvalidRecordError(f"it has shape {values.shape} where the template has {shape}")
    if values.shape[-1] < FEWEST_POINTS:
        raise InvalidRecordError(
            f"a curve needs at least {FEWEST_POINTS} points, not {values.shape[-1]}; leave it out"
        )
    if not paired and grid.repeats_end(values):
        raise InvalidRecordError(
            "its last point repeats the first, but 0 and 1 are one point of the circle; drop the "
            "last point of every record"
        )
    if resampling is None or not grid.of_curves or (resampling == "fit" and not paired):
        raise InvalidRecordError(_explain_unequal(values.shape[-1], shape[-1], paired))
    at = _as_times(times, values.shape[-1]) if paired else even_times(values.shape[-1], grid)
    if resampling == "fit":
        assert kernel is not None
        return fit_curve(at, values, template, grid, kernel)
    return resample(at, values, template, grid, resampling)


def _split(record: Any) -> tuple[Any, Any]:
    """Return times and values of a pair; None and the values where there are no times."""
    if isinstance(record, np.ndarray) and record.dtype == object and record.shape == (2,):
        record = tuple(record)  # pairs of arrays that differ in length, as NumPy holds them
    if not isinstance(record, tuple):
        return None, record
    if len(record) != 2:
        raise InvalidRecordError("a tuple must be a pair (times, values)")
    return record if record[0] is not None else (np.empty(0), record[1])


def _explain_unequal(points: int, expected: int, paired: bool) -> str:
    found = "it comes with its own times" if paired else f"it has {points} points"
    return (
        f"{found} where the template has {expected} points on the public grid; "
        "give a pair (times, values), or pass resampling='linear' or 'pchip' if it is even (not "
        "available on a RingGrid)"
    )


def _as_floats(values: Any) -> Floats:
    try:
        return real_numbers(values)
    except InvalidRecordError:
        raise InvalidRecordError(NO_CURVE) from None


def _as_times(times: Any, size: int) -> Floats:
    try:
        at: Floats = real_numbers(times)
    except InvalidRecordError:
        raise InvalidRecordError("its times are not an array of real numbers") from None
    if at.shape != (size,):
        raise InvalidRecordError("times and values of a curve must have the same length")
    return at


# --- Curves from and for other packages: scikit-fda's FDataGrid and pandas' DataFrame.
# They are known by what they offer, so that neither package has to be there.


def read_table(records: Any, channels: tuple[int, ...], grid: Grid) -> Any:
    """Return the curves of an FDataGrid or a DataFrame as arrays or pairs; anything else as it is.

    A DataFrame holds one curve a row; columns with numbers for names are times, unless there are as
    many as the grid has points and they are just numbered. Times that are the grid's give an array,
    or a list of rows where some cells are no plain numbers; others give pairs ``(times, values)``.
    An FDataGrid on the circle has its domain scaled to [0, 1).
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
    if not grid.of_curves:
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
    if not grid.of_curves:
        raise InvalidRecordError("A table is made of curves, not of rings.")
    rows = np.asarray(value).reshape(-1, grid.points.size)
    return {"data": rows.T, "index": grid.points}


def _from_fdatagrid(records: Any, channels: tuple[int, ...], grid: Grid) -> Any:
    if len(records.grid_points) != 1:
        raise InvalidRecordError("The FDataGrid must hold curves: functions of one variable.")
    values = np.moveaxis(np.asarray(records.data_matrix, dtype=np.float64), -1, 1)
    times = np.asarray(records.grid_points[0], dtype=np.float64)
    if grid.closed:
        first, last = records.domain_range[0]
        times = (times - first) / (last - first)
    return _with_times(values if channels else values[:, 0], times, grid)


def _column_times(columns: Any) -> Floats | None:
    try:
        return np.asarray([float(name) for name in columns])
    except (TypeError, ValueError, OverflowError):
        return None


def _with_times(values: Any, times: Floats | None, grid: Grid) -> Any:
    if times is None or not grid.of_curves:
        return values
    size = grid.points.size
    known = [grid.points, np.arange(size)]  # or numbered, as columns without names are
    if times.size == size and any(np.allclose(times, t, rtol=1e-9, atol=1e-12) for t in known):
        return values
    return [(times, row) for row in values]
