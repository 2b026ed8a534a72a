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
    """Records as a statistic computes with them."""

    #: One row a record; each is valid, clipped, and a function of that record alone.
    records: Array
    #: Reason by row for what was no record; these rows hold the public record. For the curator,
    #: never for publication.
    invalid: Mapping[int, str] = field(default_factory=dict)

    def under(self, policy: Policy) -> Array:
        """Return the records; if the public policy says so, refuse the first invalid one.

        The reason in the error is for the curator alone.
        """
        if self.invalid and policy == "refuse":
            row = min(self.invalid)
            more = f" ({len(self.invalid)} records in all)" if len(self.invalid) > 1 else ""
            raise InvalidRecordError(f"Record {row + 1}: {self.invalid[row]}{more}.", row)
        return self.records


def in_doubles(x: Any) -> Any:
    """Return numbers of lower (or higher) precision as doubles, and anything else as it is."""
    if not array_api_compat.is_array_api_obj(x):
        return x
    array = np.asarray(x)
    if array.dtype.kind not in "fc":
        return x
    with np.errstate(all="ignore"):
        return array.astype(np.float64 if array.dtype.kind == "f" else np.complex128)


def replace_gaps(records: Array, instead: Array, what: str = "entry") -> dict[int, str]:
    """Put ``instead`` where a record has a missing or infinite entry; return reasons by row."""
    gaps = ~np.isfinite(records).reshape(len(records), -1)
    rows = np.flatnonzero(gaps.any(axis=1)).tolist()
    records[rows] = instead
    return {row: f"{what} {np.argmax(gaps[row])} is missing or infinite" for row in rows}
