"""Read curves: an array, or a list of arrays and ``(times, values)`` pairs, one record each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from geomdp.errors import InvalidRecordError
from geomdp.functions.grids import FEWEST_POINTS, Floats, Grid, RingGrid
from geomdp.functions.parameters import repeats_end
from geomdp.functions.resampling import Resampling, even_times, resample
from geomdp.typing import Array


def parse_records(
    records: Array | Sequence[Any],
    template: Floats,
    grid: Grid,
    resampling: Resampling | None,
) -> Floats:
    """Return the records as one array (n, *template.shape), or say which record is wrong and why.

    Examples
    --------
    >>> from geomdp.functions.grids import CircleGrid
    >>> parse_records(np.ones((3, 8)), np.zeros(8), CircleGrid(8), None).shape
    (3, 8)
    >>> parse_records([np.ones(8), np.ones(5)], np.zeros(8), CircleGrid(8), None)
    Traceback (most recent call last):
    geomdp.errors.InvalidRecordError: Record 1: it has 5 points where the template has 8 points ...
    """
    shape = template.shape
    if isinstance(records, np.ndarray) and records.ndim and records.shape[1:] == shape:
        parsed = _as_floats(records, 0)
    else:
        records = list(records)
        parsed = np.empty((len(records), *shape))
        for index, record in enumerate(records):
            parsed[index] = _parse_one(record, index, template, grid, resampling)
    if not len(parsed):
        raise InvalidRecordError("There are no records; give at least one curve.")
    _refuse_gaps(parsed)
    return parsed


def _parse_one(
    record: Any,
    index: int,
    template: Floats,
    grid: Grid,
    resampling: Resampling | None,
) -> Floats:
    shape = template.shape
    paired = isinstance(record, tuple)
    if paired and len(record) != 2:
        raise InvalidRecordError(f"Record {index}: a tuple must be a pair (times, values).")
    values = _as_floats(record[1] if paired else record, index)
    if not paired and values.shape == shape:
        return values
    if values.ndim != len(shape) or values.shape[:-1] != shape[:-1]:
        raise InvalidRecordError(
            f"Record {index}: it has shape {values.shape} where the template has {shape}."
        )
    if not paired and repeats_end(values, grid):
        raise InvalidRecordError(
            f"Record {index}: its last point repeats the first, but 0 and 1 are one point of the "
            "circle; drop the last point of every record."
        )
    if resampling is None or isinstance(grid, RingGrid):
        raise InvalidRecordError(_explain_unequal(index, values.shape[-1], shape[-1], paired))
    try:
        times = record[0] if paired else even_times(values.shape[-1], grid)
        return resample(times, values, template, grid, resampling)
    except InvalidRecordError as error:
        raise InvalidRecordError(f"Record {index}: {error}.") from None


def _explain_unequal(index: int, points: int, expected: int, paired: bool) -> str:
    if points < FEWEST_POINTS:
        return f"Record {index}: a curve needs at least {FEWEST_POINTS} points, not {points}."
    found = "it comes with its own times" if paired else f"it has {points} points"
    return (
        f"Record {index}: {found} where the template has {expected} points on the public grid; "
        "pass resampling='linear' or 'pchip' (not available on a RingGrid)."
    )


def _as_floats(values: Any, index: int) -> Floats:
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "biuf":
            raise TypeError
        return array.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        raise InvalidRecordError(
            f"Record {index}: its values are not an array of real numbers; write a planar curve "
            "as two channels (2, m)."
        ) from None


def _refuse_gaps(parsed: Floats) -> None:
    finite = np.isfinite(parsed).reshape(len(parsed), -1)
    if finite.all():
        return
    index, place = np.argwhere(~finite)[0]
    raise InvalidRecordError(
        f"Record {index}: sample {place} is missing or infinite; leave gaps out and give the curve "
        "as a pair (times, values) with resampling='linear'."
    )
