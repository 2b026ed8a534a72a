"""One hostile record among public ones, in everything that a curator may hand in.

In a list, an array of objects or a frame a record may be any object, and one of its entries may be
one: none of them may move the other records (docs/theory/clipping.md).
"""

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np

from geomdp.functions.clipped_curves import ClippedCurves
from geomdp.functions.grids import RingGrid
from geomdp.statistics.base import Statistic
from geomdp.typing import Array

#: What is no record of any statistic, and what may look like one.
OBJECTS: tuple[Any, ...] = (
    None,
    "n/a",
    "north",
    b"\xff",
    {"a": 1.0},
    {1.0, 2.0},
    1j,
    10**400,
    object(),
    [],
    [[1.0, 2.0], [3.0]],
    ([], []),
    ([10**400] * 5, [1.0] * 5),
    (["a"] * 5, [1.0] * 5),
    np.datetime64("2020-01-01", "ns"),
    np.ones((2, 3, 4)),
)
#: What may stand in one entry of a record.
ENTRIES: tuple[Any, ...] = (None, "n/a", "north", "1.5", True, 1j, 10**400, [1.0], float("nan"))


def odd_records(record: Array) -> Iterator[Any]:
    """Give objects in place of a record, and the record with one odd entry.

    >>> len(list(odd_records(np.ones(3)))) == len(OBJECTS) + len(ENTRIES)
    True
    """
    yield from OBJECTS
    for entry in ENTRIES:
        spoiled = np.array(record, dtype=object)
        spoiled[(0,) * spoiled.ndim] = entry
        yield spoiled


def held(statistic: Statistic, others: Array, record: Any) -> Iterator[Any]:
    """Give the other records, with one more as the last, in every container that can hold them.

    Examples
    --------
    >>> from geomdp.statistics.point_mean import PointMean
    >>> mean = PointMean(np.zeros((2, 2)), 1.0)
    >>> [type(chunk).__name__ for chunk in held(mean, np.zeros((3, 2, 2)), None)]
    ['list', 'ndarray']
    """
    records = [*others, record]
    yield records
    objects = np.empty(len(records), dtype=object)
    for row, one in enumerate(records):
        objects[row] = one
    yield objects
    if isinstance(record, np.ndarray) and record.shape == others.shape[1:]:
        yield np.concatenate([others.astype(object), record.astype(object)[None]])
        yield from _frames(others, record)
        yield from _with_times(statistic, records)


def _frames(others: Array, record: Any) -> Iterator[Any]:
    """Give frames of rows of numbers, where there is pandas."""
    if others.ndim != 2 or find_spec("pandas") is None:
        return
    from pandas import DataFrame

    yield DataFrame([*others.tolist(), list(record)])


def _with_times(statistic: Statistic, records: list[Any]) -> Iterator[Any]:
    """Give curves with times of their own, which are those of the grid."""
    if isinstance(statistic, ClippedCurves) and not isinstance(statistic.grid, RingGrid):
        assert statistic.grid is not None
        yield [*records[:-1], (statistic.grid.points, records[-1])]
