"""Admitted records of a whole data set: a length, and chunks that can be walked again."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, repeat
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from geomdp.errors import GeomdpError, InvalidRecordError, MachinesError
from geomdp.runtime.threads import in_threads
from geomdp.sources.elsewhere import Elsewhere
from geomdp.sources.files import Joined
from geomdp.sources.records import CHUNK_ROWS, Records
from geomdp.spaces.admission import Admitted, Policy
from geomdp.spaces.rows import require_as_many
from geomdp.statistics.base import PointStatistic, Statistic
from geomdp.statistics.solving.plausible import refuse, require_points, require_rows
from geomdp.statistics.solving.rereading import Seen
from geomdp.typing import Array

T = TypeVar("T")

#: Numbers of a chunk, at most, that is admitted in one thread.
CHUNK_NUMBERS = 1 << 18
#: Encoded numbers up to which a data set is kept in memory; beyond, each pass admits it again.
KEPT_NUMBERS = 1 << 24


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
    elsewhere
        Puts a question to chunks on other machines, and gives answers by their blocks.

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
    elsewhere: Callable[[Callable[[Array], Any]], Iterator[list[Any]]] | None = None
    _known: dict[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, *chunks: Array) -> "Encoded":
        """Wrap encoded arrays that lie in memory."""
        return cls(lambda: iter(chunks), sum(len(chunk) for chunk in chunks))

    def __len__(self) -> int:
        return self.length

    def chunks(self) -> Iterator[Array]:
        """Walk over all records."""
        return self.walk()

    def ask(self, question: Callable[[Array], Any]) -> Iterator[Any]:
        """Put a question to every chunk where it lies, and give the answers in order.

        >>> list(Encoded.of(np.zeros((5, 3)), np.zeros((2, 3))).ask(len))
        [5, 2]
        """
        if self.elsewhere is None:
            yield from in_threads(question, self.chunks())
            return
        for answers in self.elsewhere(question):
            yield from answers

    def once(self, name: str, ask: Callable[[], T]) -> T:
        """Return what was found, and of records on other machines keep it.

        So everything is asked for, and judged, before a release is paid for; the draw asks nobody.
        """
        if self.elsewhere is None:
            return ask()
        if name not in self._known:
            self._known[name] = ask()
        known: T = self._known[name]
        return known

    def whole(self) -> Array:
        """Return all records as one array, brought here once: for what needs every one of them."""
        return self.once("rows", lambda: np.asarray(self))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """Return all records as one array, for what cannot be computed in chunks."""
        parts = list(self.chunks())
        whole = parts[0] if len(parts) == 1 else np.concatenate(parts)
        return whole if dtype is None else whole.astype(dtype)


def as_encoded(encoded: "Encoded | Array") -> Encoded:
    """Wrap an array of encoded records as one chunk; encoded records stay as they are.

    >>> [chunk.shape for chunk in as_encoded(np.zeros((4, 2))).chunks()]
    [(4, 2)]
    """
    return encoded if isinstance(encoded, Encoded) else Encoded.of(np.asarray(encoded))


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
    if isinstance(records.points, Elsewhere):
        return _encode_elsewhere(statistic, records, policy, skipped)
    public = statistic.public_row if skipped.size else None
    invalid: dict[int, str] = {}
    kept: list[Array] | None = []
    seen: list[Seen | None] = []
    start = 0
    for found in _admitted(statistic, records):
        invalid |= {start + row: reason for row, reason in found.admitted.invalid.items()}
        part = _without(found.admitted.records, skipped - start, public)
        seen.append(found.seen)
        start += found.size
        # All records are of one size, so that the first chunk tells.
        if kept is not None and part.size * len(records) <= KEPT_NUMBERS * len(part):
            kept.append(part)
        else:
            kept = None
    require_as_many(start, len(records))
    for row in skipped.tolist():
        invalid.pop(row, None)
    Admitted(np.empty(0), invalid).under(policy)
    if kept is not None:
        return Encoded(partial(iter, tuple(kept)), len(records), invalid)

    def again() -> Iterator[Array]:
        begin = 0
        with _changed():
            for found in _admitted(statistic, records, seen):
                yield _without(found.admitted.records, skipped - begin, public)
                begin += found.size
            require_as_many(begin, len(records))

    return Encoded(again, len(records), invalid, in_memory=False)


@contextmanager
def _changed() -> Iterator[None]:
    """Say of what was read before and cannot be read now that it changed."""
    try:
        yield
    except (GeomdpError, OSError) as error:
        raise MachinesError(f"The records changed while they were read: {error}") from error


class _Found(NamedTuple):
    """A chunk behind the door."""

    size: int
    admitted: Admitted
    seen: Seen | None


def _admitted(
    statistic: Statistic, records: Records, seen: Sequence[Seen | None] = ()
) -> Iterator[_Found]:
    """Admit chunk by chunk, points on all cores; those that were seen before with less work."""
    points = records.points
    simple = isinstance(points, np.ndarray) and not isinstance(points, np.ma.MaskedArray)
    remember = simple and points.size > KEPT_NUMBERS and not seen

    def admit(item: tuple[Any, Seen | None]) -> _Found:
        chunk, before = item
        rows = None if before is None else before.again(statistic, chunk)
        if rows is not None:
            return _Found(len(chunk), Admitted(rows), before)
        admitted = admit_all(statistic, chunk)
        return _Found(len(chunk), admitted, Seen.of(chunk, admitted.records) if remember else None)

    if not isinstance(statistic, PointStatistic):
        return map(admit, ((piece, None) for piece in records.pieces(statistic.covariate_names)))
    chunks = records.chunks(_chunk_rows(points))
    return in_threads(admit, zip(chunks, chain(seen, repeat(None)), strict=False))


def admit_all(statistic: Statistic, chunk: Any) -> Admitted:
    """Admit a chunk, and see to it that every record became a row.

    Raises
    ------
    GeomdpError
        If rows are fewer or more than records.
    InvalidRecordError
        For public facts.
    """
    admitted = statistic.admit(chunk)
    require_as_many(len(admitted.records), len(chunk))
    return admitted


def _chunk_rows(points: Any) -> int:
    # Records that are no numbers are judged among many, in chunks of the usual length.
    one: tuple[int, ...] = points.shape if isinstance(points, Joined) else ()
    if isinstance(points, np.ndarray) and points.dtype.kind in "biufc":
        one = points.shape[1:]
    if not one:
        return CHUNK_ROWS
    return max(1, min(CHUNK_ROWS, CHUNK_NUMBERS // max(1, int(np.prod(one)))))


def _without(rows: Array, skipped: Any, public: Array | None) -> Array:
    here = skipped[(skipped >= 0) & (skipped < len(rows))]
    if public is not None:
        rows[here] = public
    return rows


def _encode_elsewhere(
    statistic: Statistic, records: Records, policy: Policy, skipped: NDArray[np.intp]
) -> Encoded:
    """Admit records on the machines that hold them, at every pass: nothing is kept or written."""
    points, door = records.points, statistic.public_ball
    # Covariates lie here, and travel with the questions.
    columns = {
        name: records.covariates[name]
        for name in statistic.covariate_names
        if name in records.covariates
    }
    invalid: dict[int, str] = {}
    for found in points.ask(partial(_faults, statistic, skipped), door, columns):
        invalid |= found
    Admitted(np.empty(0), invalid).under(policy)

    def ask(question: Callable[[Array], Any]) -> Iterator[list[Any]]:
        with _changed():
            yield from points.ask(partial(_answers, statistic, skipped, question), door, columns)

    def walk() -> Iterator[Array]:
        shape, seen = statistic.public_row.shape, 0
        for chunks in ask(np.asarray):
            for rows in chunks:
                require_rows(rows, shape, len(points))
                if isinstance(statistic, PointStatistic):
                    require_points(rows, door, len(points))
                seen += len(rows)
                yield rows
        if seen != len(points):
            refuse(len(points))

    return Encoded(walk, len(points), invalid, in_memory=False, elsewhere=ask)


def _faults(
    statistic: Statistic,
    skipped: NDArray[np.intp],
    start: int,
    block: Array,
    columns: Mapping[str, Any],
) -> dict[int, str]:
    """Reason by row for what is no record in a block and counts."""
    invalid: dict[int, str] = {}
    for piece in _pieces_of(statistic, block, columns):
        found = admit_all(statistic, piece)
        invalid |= {start + row: reason for row, reason in found.invalid.items()}
        start += len(piece)
    for row in skipped.tolist():
        invalid.pop(row, None)
    return invalid


def _answers(
    statistic: Statistic,
    skipped: NDArray[np.intp],
    question: Callable[[Array], Any],
    start: int,
    block: Array,
    columns: Mapping[str, Any],
) -> list[Any]:
    """Answer a question about each chunk of a block, admitted."""
    public = statistic.public_row if skipped.size else None
    answers = []
    for piece in _pieces_of(statistic, block, columns):
        admitted = admit_all(statistic, piece).records
        answers.append(question(_without(admitted, skipped - start, public)))
        start += len(piece)
    return answers


def _pieces_of(statistic: Statistic, block: Array, columns: Mapping[str, Any]) -> Iterator[Any]:
    """Walk over a block, with its covariates where the statistic needs them."""
    names = statistic.covariate_names
    return Records(block, covariates=columns).pieces(names, _chunk_rows(block))
