"""Passes after the first: what the door did is done again without judging every record.

Most records pass the door as they are. Of each chunk the first pass keeps a digest and which
records were changed; where a later pass finds the same bytes, only those are admitted again. Bytes
that changed meanwhile go through the whole door, as they would have without this.
"""

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geomdp.statistics.base import Statistic
from geomdp.typing import Array

#: Where more than one record in so many was changed, nothing is gained.
FEW = 4


@dataclass(frozen=True, eq=False)
class Seen:
    """A chunk that went through the door.

    Attributes
    ----------
    digest
        Of its bytes, by a function that nobody can find two chunks for.
    changed
        A bit a record: whether the door changed it.

    Examples
    --------
    >>> import geomdp as dp
    >>> mean = dp.FrechetMean(dp.Ball(dp.Euclidean(1), [0.0], radius=1.0))
    >>> rows = np.array([[0.1], [0.2], [0.3], [0.4], [7.0]])
    >>> seen = Seen.of(rows, mean.admit(rows).records)
    >>> seen.again(mean, rows).round(6).tolist(), seen.again(mean, rows + 1)
    ([[0.1], [0.2], [0.3], [0.4], [1.0]], None)
    """

    digest: bytes
    changed: NDArray[np.uint8]

    @classmethod
    def of(cls, chunk: Any, admitted: Array) -> "Seen | None":
        """Remember a chunk; None where the door changes most of it, or more than its values."""
        rows = np.array(chunk)
        if rows.dtype != np.float64 or (rows.shape, rows.dtype) != (admitted.shape, admitted.dtype):
            return None
        same = rows.view(np.int64) == np.ascontiguousarray(admitted).view(np.int64)
        changed = ~np.all(same.reshape(len(rows), -1), axis=1)
        if FEW * int(np.sum(changed)) > len(rows):
            return None
        return cls(_digest(rows), np.packbits(changed))

    def again(self, statistic: Statistic, chunk: Any) -> Array | None:
        """Return the admitted records of the same chunk; None if its bytes are others."""
        # A copy first: what is used is what was compared, whoever writes to the file meanwhile.
        rows = np.array(chunk)
        if _digest(rows) != self.digest:
            return None
        changed = np.unpackbits(self.changed, count=len(rows)).astype(bool)
        if np.any(changed):
            rows[changed] = statistic.admit(rows[changed]).records
        return rows


def _digest(rows: Array) -> bytes:
    return blake2b(np.ascontiguousarray(rows).data, digest_size=16).digest()
