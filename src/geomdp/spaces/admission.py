"""What stands behind the door: records that a statistic may compute with, and what was no record.

Every record enters through one function (:meth:`geomdp.statistics.Statistic.admit`), which is
total: whatever an array can hold becomes a point of the public ball, one record at a time
(docs/theory/clipping.md).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import array_api_compat
import numpy as np

from geomdp.errors import InvalidRecordError
from geomdp.typing import Array

#: What an invalid record does: ``"refuse"`` the data set before anything is drawn (neighbours are
#: data sets of valid records), or count as the statistic's ``"public"`` record (neighbours are all
#: data sets of n records).
Policy: TypeAlias = Literal["refuse", "public"]


@dataclass(frozen=True, eq=False)
class Admitted:
    """Records as a statistic computes with them.

    Attributes
    ----------
    records
        One row a record; each is valid, clipped, and a function of that record alone.
    invalid
        Reason by row for what was no record; these rows hold the public record. For the curator,
        never for publication.

    Examples
    --------
    >>> import numpy as np
    >>> Admitted(np.zeros((3, 2)), {1: "it has a missing or infinite entry"}).under("public").shape
    (3, 2)
    """

    records: Array
    invalid: Mapping[int, str] = field(default_factory=dict)

    def under(self, policy: Policy) -> Array:
        """Return the records, or refuse invalid ones if the public policy says so.

        Raises
        ------
        InvalidRecordError
            With the first invalid record and the reason, for the curator alone.
        """
        if self.invalid and policy == "refuse":
            row = min(self.invalid)
            more = f" ({len(self.invalid)} records in all)" if len(self.invalid) > 1 else ""
            raise InvalidRecordError(f"Record {row}: {self.invalid[row]}{more}.")
        return self.records


def as_doubles(records: Any, *shapes: tuple[int, ...]) -> Array:
    """Return records as a new array of doubles, whatever precision or container they came in.

    Where they are no single array, or a list in which some are complex, each is read alone, into
    the first of the public ``shapes``, and becomes NaN if it is not numbers in any of them. Rows
    lie one after the other in memory, so that no sum of a row depends on where they came from.

    >>> import numpy as np
    >>> as_doubles(np.ones((1, 2), dtype=np.float32)).dtype.name
    'float64'
    >>> as_doubles([[1, 2], ["one", 2], [3, 4, 5]], (2,)).tolist()
    [[1.0, 2.0], [nan, nan], [nan, nan]]
    """
    try:
        array = np.asarray(records)
    except (TypeError, ValueError):  # records of different shapes
        array = np.empty(0, dtype=object)
    with np.errstate(all="ignore"):
        if array.dtype.kind in "biuf":
            return np.array(array, dtype=np.float64, order="C")
        # In a list one complex record must not make complex numbers of the others.
        if array.dtype.kind == "c" and (array is records or all(map(np.iscomplexobj, records))):
            return np.array(array, dtype=np.complex128, order="C")
        return _one_by_one(records, shapes)


def in_doubles(x: Any) -> Any:
    """Return numbers of lower (or higher) precision as doubles, and anything else as it is.

    >>> in_doubles(np.ones(2, dtype=np.complex64)).dtype.name, in_doubles("north")
    ('complex128', 'north')
    """
    if not array_api_compat.is_array_api_obj(x):
        return x
    array = np.asarray(x)
    if array.dtype.kind not in "fc":
        return x
    with np.errstate(all="ignore"):
        return array.astype(np.float64 if array.dtype.kind == "f" else np.complex128)


def _one_by_one(records: Any, shapes: tuple[tuple[int, ...], ...]) -> Array:
    """Convert record by record, where the whole is no array of numbers."""
    try:
        rows = [_numbers(record) for record in records]
    except TypeError:
        raise InvalidRecordError(
            "The records cannot be read as numbers; give one array, records along its first axis."
        ) from None
    fitting = {i: _fitted(row, shapes) for i, row in enumerate(rows) if row is not None}
    found = {i: row for i, row in fitting.items() if row is not None}
    wide = len(shapes) > 1 or any(row.dtype.kind == "c" for row in found.values())
    out = np.full((len(rows), *shapes[0]), np.nan, dtype=np.complex128 if wide else np.float64)
    for i, row in found.items():
        out[i] = row
    return out


def _fitted(row: Array, shapes: tuple[tuple[int, ...], ...]) -> Array | None:
    """Bring one record into the first of the shapes by itself: never into that of its neighbours.

    A second shape holds the same complex numbers as pairs of real ones.
    """
    shape, *pairs = shapes
    if not pairs:
        return row if row.shape == shape else None
    if row.dtype.kind == "c":
        return row if row.shape == shape else None
    if row.shape != pairs[0]:
        return None
    # No multiplication, so that an infinity stays in its part.
    return np.ascontiguousarray(row).view(np.complex128)[..., 0]


def _numbers(record: Any) -> Array | None:
    try:
        array = np.asarray(record)
        return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
    except (TypeError, ValueError, OverflowError):
        return None


def replace_gaps(records: Array, instead: Array, what: str = "entry") -> dict[int, str]:
    """Put ``instead`` where a record has a missing or infinite entry; return reasons by row.

    >>> rows = np.array([[1.0, np.nan], [3.0, 4.0]])
    >>> replace_gaps(rows, np.zeros(2)), rows.tolist()
    ({0: 'entry 1 is missing or infinite'}, [[0.0, 0.0], [3.0, 4.0]])
    """
    gaps = ~np.isfinite(records).reshape(len(records), -1)
    rows = np.flatnonzero(gaps.any(axis=1)).tolist()
    records[rows] = instead
    return {row: f"{what} {np.argmax(gaps[row])} is missing or infinite" for row in rows}
