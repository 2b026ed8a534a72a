"""The statistic ``CoverLength``: to which length records should be clipped about a template."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.serial import Document
from geomdp.spaces.admission import Admitted
from geomdp.spaces.record_shape import RecordShape
from geomdp.statistics.base import STATISTICS
from geomdp.statistics.clipped import ClippedStatistic
from geomdp.statistics.cover_radius import Cover
from geomdp.statistics.pooling import Pooling
from geomdp.typing import Array


@dataclass(frozen=True, eq=False)
class CoverLength(Cover):
    """Smallest length of a public grid that all but a public number of the records keep.

    Parameters
    ----------
    statistic
        A mean function or surface; its own tau plays no part.
    top, steps, outside
        Of the grid, as in :class:`~geomdp.statistics.CoverRadius`.

    Examples
    --------
    >>> import geomdp as dp
    >>> from geomdp.curves import Matern
    >>> curves = dp.FunctionMean(np.zeros(8), tau=8.0, kernel=Matern(0.5))
    >>> asked = CoverLength(curves, top=8.0, steps=16, outside=1)
    >>> records = np.outer([0.3, 0.9, -0.5, 7.0], np.ones(8))
    >>> asked.estimate(asked.encode(records)).tolist()
    [1.0]
    """

    statistic: ClippedStatistic
    top: float
    steps: int
    outside: int
    tag: ClassVar[str] = "cover-length"

    @property
    def public_record(self) -> Array:
        """The template."""
        return self.statistic.public_record

    @property
    def record_shape(self) -> RecordShape:
        """A record of the statistic."""
        return self.statistic.record_shape

    @property
    def pooling(self) -> Pooling | None:
        """Persons count by the length of their mean record."""
        return self.statistic.pooling

    @property
    def of_persons(self) -> "CoverLength":
        """The same of records that the statistic has prepared."""
        return replace(self, statistic=self.statistic.of_persons)

    def admit(self, records: Any) -> Admitted:
        """Return for each record the last length of the grid that it keeps, -1 where none."""
        found = self.statistic.lengths(records)
        return Admitted(self.depths(np.asarray(found.records)), found.invalid)

    @property
    def vector_dim(self) -> int:
        """Number of coordinates."""
        return self.statistic.vector_dim

    def records_at(self, vectors: Array) -> Array:
        """Return records with these coordinates."""
        return np.asarray(self.statistic.decode(vectors))

    def encode_public(self, at: Any) -> Array:
        """Encode one public record, or public records."""
        one = isinstance(at, np.ndarray) and at.shape == self.public_record.shape
        return self.encode(at[None] if one else at)

    def describe(self) -> str:  # noqa: D102
        return f"length, at most {self.top:.6g}, that all but {self.outside} keep"

    def to_json(self) -> Document:  # noqa: D102
        return {
            "tag": self.tag,
            "statistic": self.statistic.to_json(),
            "top": self.top,
            "steps": self.steps,
            "outside": self.outside,
        }

    @classmethod
    def from_json(cls, document: Document) -> Self:
        """Inverse of :meth:`to_json`."""
        inner = document["statistic"]
        asked = STATISTICS[inner["tag"]].from_json(inner).as_clipped()
        if asked is None:
            raise GeomdpError("Lengths are sought for FunctionMean and SurfaceMean.")
        return cls(asked, document["top"], document["steps"], document["outside"])


STATISTICS.register(CoverLength.tag, CoverLength)
