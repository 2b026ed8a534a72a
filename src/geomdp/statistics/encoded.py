"""Admitted records of a whole data set: a length, and chunks that can be walked again."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from geomdp.errors import InvalidRecordError
from geomdp.records import CHUNK_ROWS, Records
from geomdp.spaces.admission import Admitted, Policy
from geomdp.statistics.base import PointStatistic, Statistic
from geomdp.threads import in_threads
from geomdp.typing import Array

#: Numbers of a chunk, at most, that is admitted in one thread.
CHUNK_NUMBERS = 1 << 18
#: Encoded numbers up to which a data set is kept in memory; beyond, each pass admits it again.
KEPT_NUMBERS = 1 << 25


@dataclass(frozen=True, eq=False)
class Encoded:
    """What a mechanism draws around: encoded records, in chunks.

    Attributes
    ----------
    walk
        Gives the chunks from the first; may be called again.
    length
        Number of records.
    invalid
        Reason by row for what was no record: for the curator alone.
    in_memory
        Whether the chunks lie in memory, so that they may be joined.

    Examples
    --------
    >>> encoded = Encoded.of(np.zeros((5, 3)))
    >>> len(encoded), [chunk.shape for chunk in encoded.chunks()]
    (5, [(5, 3)])
    """

    walk: Callable[[], Iterator[Array]]
    length: int
    invalid: Mapping[int, str] = field(default_factory=dict)
    in_memory: bool = True

    @classmethod
    def of(cls, *chunks: Array) -> "Encoded":
        """Wrap encoded arrays that lie in memory."""
        return cls(lambda: iter(chunks), sum(len(chunk) for chunk in chunks))

    def __len__(self) -> int:
        return self.length

    def chunks(self) -> Iterator[Array]:
        """Walk over all records."""
        return self.walk()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """Return all records as one array, for what cannot be computed in chunks."""
        parts = list(self.chunks())
        whole = parts[0] if len(parts) == 1 else np.concatenate(parts)
        return whole if dtype is None else whole.astype(dtype)


def chunks_of(encoded: "Encoded | Array") -> Iterator[Array]:
    """Walk over encoded records, or over an array of them as one chunk.

    >>> [chunk.shape for chunk in chunks_of(np.zeros((4, 2)))]
    [(4, 2)]
    """
    return encoded.chunks() if isinstance(encoded, Encoded) else iter((np.asarray(encoded),))


def encode(
    statistic: Statistic, records: Records, policy: Policy, uncounted: ArrayLike = ()
) -> Encoded:
    """Admit a data set chunk by chunk under a policy.

    Parameters
    ----------
    statistic
        Admits each chunk.
    records
        The data.
    policy
        What an invalid record does.
    uncounted
        Rows that count as the public record whatever they hold.

    Raises
    ------
    InvalidRecordError
        If the policy refuses, or for public facts.
    """
    if len(records) == 0:
        raise InvalidRecordError("There are no records.")
    skipped = np.asarray(uncounted, dtype=np.intp)
    public = statistic.public_row if skipped.size else None
    invalid: dict[int, str] = {}
    kept: list[Array] | None = []
    start = numbers = 0
    for size, admitted in _admitted(statistic, records):
        invalid |= {start + row: reason for row, reason in admitted.invalid.items()}
        part = _without(admitted.records, skipped - start, public)
        start, numbers = start + size, numbers + part.size
        kept = None if kept is None or numbers > KEPT_NUMBERS else [*kept, part]
    for row in skipped.tolist():
        invalid.pop(row, None)
    Admitted(np.empty(0), invalid).under(policy)
    if kept is not None:
        return Encoded(partial(iter, tuple(kept)), len(records), invalid)

    def again() -> Iterator[Array]:
        begin = 0
        for size, admitted in _admitted(statistic, records):
            yield _without(admitted.records, skipped - begin, public)
            begin += size

    return Encoded(again, len(records), invalid, in_memory=False)


def _admitted(statistic: Statistic, records: Records) -> Iterator[tuple[int, Admitted]]:
    """Admit chunk by chunk, points on all cores; with the number of records in each."""

    def admit(chunk: Any) -> tuple[int, Admitted]:
        return len(chunk), statistic.admit(chunk)

    if not isinstance(statistic, PointStatistic):
        return map(admit, records.pieces(statistic.covariate_names))
    points, rows = records.points, CHUNK_ROWS
    # Records that are no numbers are judged among many, in chunks of the usual length.
    if isinstance(points, np.ndarray) and points.dtype.kind in "biufc" and points.ndim > 1:
        rows = max(1, min(rows, CHUNK_NUMBERS // max(1, int(np.prod(points.shape[1:])))))
    return in_threads(admit, records.chunks(rows))


def _without(rows: Array, skipped: Any, public: Array | None) -> Array:
    here = skipped[(skipped >= 0) & (skipped < len(rows))]
    if public is not None:
        rows[here] = public
    return rows
