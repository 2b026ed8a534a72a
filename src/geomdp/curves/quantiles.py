"""How a person's distribution is written: readings, a histogram, or quantiles.

Each becomes a quantile function at the midpoints of M equal parts of (0, 1), by itself: proofs in
docs/theory/distributions.md, section 3.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from geomdp.curves.clipped_curves import frozen
from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.spaces.admission import Admitted
from geomdp.spaces.record_shape import RecordShape
from geomdp.spaces.rows import Rows, real_numbers, require_shape, rows_of
from geomdp.statistics.linear import ClippedStatistic
from geomdp.statistics.pooling import LARGEST, Pooling
from geomdp.typing import Array, Floats

#: Cells a point in which the readings of one person are counted, where they come row by row.
CELLS = 4
#: Ends of a range whose squares are ordinary floats, and points of a quantile function.
LARGEST_END, MOST_POINTS = 1e50, 2000


class WrittenDistributions(ClippedStatistic):
    """A linear statistic of distributions: how one of them comes in.

    :class:`~geomdp.DistributionMean` holds the fields and says what is asked.
    """

    low: float
    high: float
    points: int
    center: Any
    bins: Any
    levels: Any

    @property
    @abstractmethod
    def places(self) -> Floats:
        """Midpoints (M,) of equal parts of (0, 1)."""

    @property
    def record_shape(self) -> RecordShape:
        """Counts, quantiles, or one reading a row."""
        if self.bins is not None:
            return RecordShape((len(self.bins) - 1,))
        return RecordShape((1 if self.levels is None else self._row_size,))

    @property
    def _row_size(self) -> int:
        return len(self.levels) if np.ndim(self.levels) else int(self.levels)

    @property
    def fills_gaps(self) -> bool:
        """Whether records are readings, any number of them: a missing one is left out."""
        return self.bins is None and not np.ndim(self.levels)

    def _quantiles(self, records: Any) -> Rows:
        """Quantile functions (n, M) before any clipping; the centre where there is none."""
        rows = rows_of(records, lambda one: self._one(self.row_of(one)), self.center)
        if not len(rows.numbers):
            raise InvalidRecordError("There are no records; give at least one distribution.")
        return rows

    def row_of(self, record: Any) -> Floats:
        """Judge one record: finite counts, quantiles, or the readings that are there."""
        found = np.atleast_1d(real_numbers(record))
        if self.bins is not None:
            require_shape(found.shape, (len(self.bins) - 1,))
            if not np.all(np.isfinite(found) & (found >= 0)):
                raise InvalidRecordError("a count is missing, infinite or below 0")
            return np.minimum(found, LARGEST)
        if self.levels is not None:
            require_shape(found.shape, (self._row_size,))
        if found.ndim != 1:
            raise InvalidRecordError("readings of a record come in one row")
        if np.ndim(self.levels):
            if np.any(np.isnan(found)):
                raise InvalidRecordError("a quantile is missing")
            return np.clip(found, -LARGEST, LARGEST)
        return np.clip(found[~np.isnan(found)], -LARGEST, LARGEST)

    def _one(self, row: Floats) -> Floats:
        if self.bins is not None:
            whole = np.cumsum(row / max(float(np.max(row)), 1.0))
            if not whole[-1] > 0:
                raise InvalidRecordError("it has no readings")
            return np.interp(self.places, np.r_[0.0, whole / whole[-1]], self.bins)
        if not row.size:
            raise InvalidRecordError("it has no readings")
        ordered = np.sort(row)
        if np.ndim(self.levels):
            return np.interp(self.places, self.levels, ordered)
        # The smallest reading with at least so large a share of readings up to it, in integers.
        return ordered[((2 * np.arange(self.points) + 1) * row.size - 1) // (2 * self.points)]

    @property
    def pooling(self) -> Pooling:
        """A person's readings are counted in fine cells; counts and quantiles are averaged."""
        return DistributionPooling(self)

    @property
    def in_rows(self) -> Self:
        """With a reading for each point, where a record may hold any number of readings."""
        ragged = self.bins is None and self.levels is None
        return replace(self, levels=self.points) if ragged else self  # type: ignore[type-var]

    @property
    def of_persons(self) -> Self:
        """The same of what persons were pooled to: counts in fine cells."""
        return replace(self, bins=self.cells) if self.fills_gaps else self  # type: ignore[type-var]

    @property
    def cells(self) -> Floats:
        """Edges of the fine cells."""
        return np.linspace(self.low, self.high, CELLS * self.points + 1)


@dataclass(frozen=True, eq=False)
class DistributionPooling(Pooling):
    """Readings of a person as counts in fine cells, so that sums are exact; others averaged."""

    mean: WrittenDistributions

    @property
    def exact(self) -> bool:
        """Counts of readings add up to integers, in whatever order."""
        return self.mean.fills_gaps

    @property
    def dim(self) -> int:
        """Cells, bins or levels."""
        return len(self.mean.cells) - 1 if self.mean.fills_gaps else self.mean.record_shape.size

    def vectors(self, records: Any) -> Admitted:
        """Return counts or quantiles, record by record; nothing where there are no readings."""
        rows = rows_of(records, self._vector, np.zeros(self.dim))
        return Admitted(rows.numbers, rows.invalid)

    def _vector(self, record: Any) -> Floats:
        row = self.mean.row_of(record)
        if not self.mean.fills_gaps:
            return np.sort(row) if self.mean.bins is None else row
        share = (np.clip(row, self.mean.low, self.mean.high) - self.mean.low) / (
            self.mean.high - self.mean.low
        )
        cells = np.minimum((share * self.dim).astype(np.intp), self.dim - 1)
        return np.bincount(cells, minlength=self.dim).astype(float)

    def records(self, means: Array) -> Array:  # noqa: D102
        return means


def increasing(name: str, given: ArrayLike, least: int) -> Floats:
    """Return public numbers that rise, or refuse them."""
    found = np.asarray(given, dtype=np.float64)
    rising = found.ndim == 1 and found.size >= least and bool(np.all(np.diff(found) > 0))
    if not rising or not np.all(np.abs(found) < LARGEST_END):
        raise GeomdpError(f"{name} must be at least {least} finite numbers, each above the last.")
    return frozen(found)
