"""Admitted records of a whole data set: a length, and chunks that can be walked again."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from itertools import chain, repeat
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from geomdp.errors import GeomdpError, InvalidRecordError, MachinesError
from geomdp.runtime.threads import in_threads
from geomdp.sources.records import Records
from geomdp.sources.source import BLOCK_ROWS, Source
from geomdp.spaces.admission import Admitted, Policy
from geomdp.spaces.rows import require_as_many
from geomdp.statistics.base import Statistic
from geomdp.statistics.solving.plausible import refuse, require_points, require_rows
from geomdp.typing import Array

T = TypeVar("T")

#: Numbers of a chunk, at most, that is admitted in one thread.
CHUNK_NUMBERS = 1 << 18
#: Encoded numbers up to which a data set is kept in memory; beyond, each pass admits it again.
KEPT_NUMBERS = 1 << 24
#: Share of the records in a sample, and limits on its size; fewer records need no sample.
ONE_IN, FEWEST, MOST = 16, 64, 4096


@dataclass(frozen=True, eq=False)
class Encoded:
    """What a mechanism draws around: encoded records, in chunks.

    ``walk`` gives the chunks from the first, and may be called again; ``invalid`` is for the
    curator alone; ``elsewhere`` puts a question to chunks on other machines, and gives answers by
    their blocks; ``sampled`` are records of :func:`sample_step`, where a walk has met them already.
    """

    walk: Callable[[], Iterator[Array]]
    length: int
    invalid: Mapping[int, str] = field(default_factory=dict)
    in_memory: bool = True
    elsewhere: Callable[[Callable[[Array], Any]], Iterator[list[Any]]] | None = None
    sampled: Array | None = field(default=None, repr=False)
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
        """Put a question to every chunk where it lies, and give the answers in order."""
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

    def mapped(self, make: Callable[[Array], Array]) -> "Encoded":
        """Return what a function makes of the records, where they lie; it may travel."""
        if self.in_memory:
            return Encoded.of(make(np.asarray(self)))
        elsewhere = self.elsewhere

        def ask(question: Callable[[Array], Any]) -> Iterator[list[Any]]:
            assert elsewhere is not None  # else nobody asks
            return elsewhere(partial(_composed, make, question))

        walk = lambda: map(make, self.walk())  # noqa: E731
        there = None if elsewhere is None else ask
        return Encoded(walk, self.length, in_memory=False, elsewhere=there)

    def whole(self) -> Array:
        """Return all records as one array, brought here once: for what needs every one of them."""
        return self.once("rows", lambda: np.asarray(self))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """Return all records as one array, for what cannot be computed in chunks."""
        parts = list(self.chunks())
        whole = parts[0] if len(parts) == 1 else np.concatenate(parts)
        return whole if dtype is None else whole.astype(dtype)


def _composed(make: Callable[[Array], Array], question: Callable[[Array], Any], rows: Array) -> Any:
    return question(make(rows))


def sample_step(n: int) -> int:
    """Return how many records apart those are whose mean is a start: a public rule."""
    return max(1, n // int(np.clip(n // ONE_IN, FEWEST, MOST)))


def as_encoded(encoded: "Encoded | Array") -> Encoded:
    """Wrap an array of encoded records as one chunk; encoded records stay as they are."""
    return encoded if isinstance(encoded, Encoded) else Encoded.of(np.asarray(encoded))


def encode(
    statistic: Statistic, records: Records, policy: Policy, uncounted: ArrayLike = ()
) -> Encoded:
    """Admit a data set chunk by chunk under a policy.

    ``uncounted`` rows count as the public record whatever they hold. Raises InvalidRecordError if
    the policy refuses, or for public facts.
    """
    if len(records) == 0:
        raise InvalidRecordError("There are no records.")
    door = _Door(statistic, np.asarray(uncounted, dtype=np.intp))
    if records.source.elsewhere:
        return _encode_elsewhere(door, records, policy)
    invalid: dict[int, str] = {}
    kept: list[Array] | None = []
    seen: list[Seen | None] = []
    sampled: list[Array] = []
    start, step = 0, sample_step(len(records))
    for found in _admitted(door, records):
        invalid |= found.admitted.invalid
        part = found.admitted.records
        seen.append(found.seen)
        # All records are of one size, so that the first chunk tells.
        if kept is not None and part.size * len(records) <= KEPT_NUMBERS * len(part):
            kept.append(part)
        else:
            kept = None
            sampled.append(part[-start % step :: step].copy())  # a view would keep the chunk
        start += found.size
    require_as_many(start, len(records))
    Admitted(np.empty(0), invalid).under(policy)
    if kept is not None:
        return Encoded(partial(iter, tuple(kept)), len(records), invalid)

    def again() -> Iterator[Array]:
        begin = 0
        with _changed():
            for found in _admitted(door, records, seen):
                yield found.admitted.records
                begin += found.size
            require_as_many(begin, len(records))

    some = np.concatenate(sampled)
    return Encoded(again, len(records), invalid, in_memory=False, sampled=some)


@contextmanager
def _changed() -> Iterator[None]:
    """Say of what was read before and cannot be read now that it changed."""
    try:
        yield
    except (GeomdpError, OSError) as error:
        raise MachinesError(f"The records changed while they were read: {error}") from error


@dataclass(frozen=True, eq=False)
class _Door:
    """How a statistic lets records in, some of which count as the public one; it travels."""

    statistic: Statistic
    uncounted: NDArray[np.intp]

    def counted(self, start: int, admitted: Admitted) -> Admitted:
        """Put the public row where records do not count; reasons by row of the whole data set."""
        rows = admitted.records
        invalid = {start + row: reason for row, reason in admitted.invalid.items()}
        here = self.uncounted[(self.uncounted >= start) & (self.uncounted < start + len(rows))]
        if here.size:
            rows[here - start] = self.statistic.public_row
        for row in here.tolist():
            invalid.pop(row, None)
        return Admitted(rows, invalid)

    def chunks(self, start: int, block: Any, columns: Mapping[str, Any]) -> Iterator[Admitted]:
        """Walk over a block behind the door, with its covariates where they are needed."""
        records = Records(block, covariates=columns)
        rows = _chunk_rows(records.source)
        for piece in records.pieces(self.statistic.covariate_names, rows):
            yield self.counted(start, admit_all(self.statistic, piece))
            start += len(piece)


class _Found(NamedTuple):
    """A chunk behind the door."""

    size: int
    admitted: Admitted
    seen: "Seen | None"


def _admitted(
    door: _Door, records: Records, seen: "Sequence[Seen | None]" = ()
) -> Iterator[_Found]:
    """Admit chunk by chunk, points on all cores; those that were seen before with less work."""
    statistic, points = door.statistic, records.points
    simple = isinstance(points, np.ndarray) and not isinstance(points, np.ma.MaskedArray)
    remember = simple and points.size > KEPT_NUMBERS and not seen

    def admit(item: "tuple[int, Any, Seen | None]") -> _Found:
        start, chunk, before = item
        rows = None if before is None else before.again(statistic, chunk)
        if rows is not None:
            return _Found(len(chunk), door.counted(start, Admitted(rows)), before)
        admitted = admit_all(statistic, chunk)
        after = Seen.of(chunk, admitted.records) if remember else None
        return _Found(len(chunk), door.counted(start, admitted), after)

    many = statistic.rows_are_points
    rows = _chunk_rows(records.source) if many else BLOCK_ROWS
    chunks = _numbered(records.pieces(statistic.covariate_names, rows), seen)
    return in_threads(admit, chunks) if many else map(admit, chunks)


def _numbered(
    pieces: Iterator[Any], seen: "Sequence[Seen | None]"
) -> "Iterator[tuple[int, Any, Seen | None]]":
    """Say of each piece at which row it begins, and what was seen of it before."""
    start = 0
    for piece, before in zip(pieces, chain(seen, repeat(None)), strict=False):
        yield start, piece, before
        start += len(piece)


def admit_all(statistic: Statistic, chunk: Any) -> Admitted:
    """Admit a chunk, and see to it that every record became a row.

    It raises GeomdpError if they did not, and InvalidRecordError for public facts.
    """
    admitted = statistic.admit(chunk)
    require_as_many(len(admitted.records), len(chunk))
    return admitted


def _chunk_rows(source: Source) -> int:
    # Records that are no numbers are judged among many, in chunks of the usual length.
    if not source.shape:
        return BLOCK_ROWS
    return max(1, min(BLOCK_ROWS, CHUNK_NUMBERS // max(1, int(np.prod(source.shape)))))


def _encode_elsewhere(door: _Door, records: Records, policy: Policy) -> Encoded:
    """Admit records on the machines that hold them, at every pass: nothing is kept or written."""
    statistic, source = door.statistic, records.source
    n, ball = len(source), statistic.public_ball
    # Covariates lie here, and travel with the questions.
    names = [name for name in statistic.covariate_names if name in records.beside]
    columns = {name: records.beside[name] for name in names}
    invalid: dict[int, str] = {}
    for found in source.ask(partial(_faults, door), ball, columns):
        invalid |= found
    Admitted(np.empty(0), invalid).under(policy)

    def ask(question: Callable[[Array], Any]) -> Iterator[list[Any]]:
        with _changed():
            yield from source.ask(partial(_answers, door, question), ball, columns)

    def walk() -> Iterator[Array]:
        shape, seen = statistic.public_row.shape, 0
        for chunks in ask(np.asarray):
            for rows in chunks:
                require_rows(rows, shape, n)
                if statistic.rows_are_points:
                    require_points(rows, ball, n)
                seen += len(rows)
                yield rows
        if seen != n:
            refuse(n)

    return Encoded(walk, n, invalid, in_memory=False, elsewhere=ask)


def _faults(door: _Door, start: int, block: Array, columns: Mapping[str, Any]) -> dict[int, str]:
    """Reason by row for what is no record in a block and counts."""
    invalid: dict[int, str] = {}
    for found in door.chunks(start, block, columns):
        invalid |= found.invalid
    return invalid


def _answers(
    door: _Door,
    question: Callable[[Array], Any],
    start: int,
    block: Array,
    columns: Mapping[str, Any],
) -> list[Any]:
    """Answer a question about each chunk of a block, admitted."""
    return [question(found.records) for found in door.chunks(start, block, columns)]


# --- passes after the first -------------------------------------------------------------------

#: Where more than one record in so many was changed, nothing is gained.
FEW = 4


@dataclass(frozen=True, eq=False)
class Seen:
    """A chunk that went through the door: it is let in again without judging every record.

    Most records pass the door as they are. Of each chunk the first pass keeps a digest and which
    records were changed; where a later pass finds the same bytes, only those are admitted again.
    Bytes that changed meanwhile go through the whole door, as they would have without this.

    The digest is by a function that nobody can find two chunks for; ``changed`` is a bit a record.
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
    # Processors have instructions for this one; a digest never leaves the process.
    return sha256(np.ascontiguousarray(rows).data).digest()
