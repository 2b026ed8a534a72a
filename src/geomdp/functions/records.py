"""Read curves: an array, a table, or a list of arrays and ``(times, values)`` pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from geomdp.errors import InvalidRecordError
from geomdp.functions.gaps import fill_gaps, fit_curve
from geomdp.functions.grids import FEWEST_POINTS, Floats, Grid, RingGrid
from geomdp.functions.kernels import Kernel
from geomdp.functions.parameters import repeats_end
from geomdp.functions.resampling import Resampling, even_times, resample
from geomdp.functions.tables import read_table
from geomdp.spaces.admission import as_doubles, replace_gaps
from geomdp.typing import Array


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

    Examples
    --------
    >>> from geomdp.functions.grids import CircleGrid
    >>> parsed, invalid = parse_records(
    ...     [np.ones(8), np.ones(5)], np.zeros(8), CircleGrid(8), None
    ... )
    >>> parsed.shape, list(invalid)
    ((2, 8), [1])
    """
    shape = template.shape
    invalid: dict[int, str] = {}
    records = read_table(records, shape[: len(shape) - len(grid.shape)], grid)
    if isinstance(records, np.ndarray) and records.ndim and records.shape[1:] == shape:
        parsed = as_doubles(records, shape)
    else:
        parsed, invalid = _parse_each(list(records), template, grid, resampling, kernel)
    if not len(parsed):
        raise InvalidRecordError("There are no records; give at least one curve.")
    if np.iscomplexobj(parsed):
        raise InvalidRecordError(
            "Records are complex; write a planar curve as two channels (2, m)."
        )
    if resampling == "fit" and not isinstance(grid, RingGrid):
        assert kernel is not None
        return parsed, fill_gaps(parsed, template, grid, kernel) | invalid
    gaps = replace_gaps(parsed, template, "sample")
    way_out = "resampling='fit' fills gaps of curves on a circle or an interval"
    return parsed, {row: f"{gap}; {way_out}" for row, gap in gaps.items()} | invalid


def _parse_each(
    records: list[Any],
    template: Floats,
    grid: Grid,
    resampling: Resampling | None,
    kernel: Kernel | None,
) -> tuple[Floats, dict[int, str]]:
    parsed = np.empty((len(records), *template.shape))
    invalid: dict[int, str] = {}
    for index, record in enumerate(records):
        try:
            parsed[index] = _parse_one(record, template, grid, resampling, kernel)
        except InvalidRecordError as error:
            parsed[index] = template
            invalid[index] = str(error).rstrip(".")
    return parsed, invalid


def _parse_one(
    record: Any,
    template: Floats,
    grid: Grid,
    resampling: Resampling | None,
    kernel: Kernel | None,
) -> Floats:
    shape = template.shape
    paired = isinstance(record, tuple)
    if paired and len(record) != 2:
        raise InvalidRecordError("a tuple must be a pair (times, values)")
    values = _as_floats(record[1] if paired else record)
    if not paired and values.shape == shape:
        return values
    if values.ndim != len(shape) or values.shape[:-1] != shape[:-1]:
        raise InvalidRecordError(f"it has shape {values.shape} where the template has {shape}")
    if not paired and repeats_end(values, grid):
        raise InvalidRecordError(
            "its last point repeats the first, but 0 and 1 are one point of the circle; drop the "
            "last point of every record"
        )
    if resampling is None or isinstance(grid, RingGrid):
        raise InvalidRecordError(_explain_unequal(values.shape[-1], shape[-1], paired))
    if resampling == "fit":
        if not paired:
            raise InvalidRecordError(_explain_unequal(values.shape[-1], shape[-1], paired))
        assert kernel is not None
        return fit_curve(record[0], values, template, grid, kernel)
    times = record[0] if paired else even_times(values.shape[-1], grid)
    return resample(times, values, template, grid, resampling)


def _explain_unequal(points: int, expected: int, paired: bool) -> str:
    if points < FEWEST_POINTS:
        return f"a curve needs at least {FEWEST_POINTS} points, not {points}"
    found = "it comes with its own times" if paired else f"it has {points} points"
    return (
        f"{found} where the template has {expected} points on the public grid; "
        "give a pair (times, values), or pass resampling='linear' or 'pchip' if it is even (not "
        "available on a RingGrid)"
    )


def _as_floats(values: Any) -> Floats:
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "biuf":
            raise TypeError
        return array.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        raise InvalidRecordError(
            "its values are not an array of real numbers; write a planar curve as two "
            "channels (2, m)"
        ) from None
