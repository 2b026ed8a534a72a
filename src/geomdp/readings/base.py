"""What every reading offers: it judges and converts each record by itself, and is total.

What defines a record is part of the plan that a board signs: which numbers a file holds (angles,
shares, other units), and what is made of them. A reading is public and sees one record at a time,
so that it moves no record because of another (docs/theory/clipping.md).
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.options import RECORD, Given, Option, read_number
from geomdp.registry import Registry
from geomdp.serial import Document
from geomdp.sources.records import Records
from geomdp.spaces.admission import Admitted, Policy
from geomdp.spaces.ball import Ball
from geomdp.spaces.base import Space
from geomdp.spaces.record_shape import RecordShape
from geomdp.spaces.rows import Rows, real_rows, require_as_many
from geomdp.typing import Array


class Reading(ABC):
    """A public rule from a raw record to a record of the statistic, one record at a time.

    Examples
    --------
    >>> from geomdp.readings import Compositions
    >>> Compositions().points(np.array([[0.36, 0.64], [0.5, 0.6]])).tolist()
    [[0.6, 0.8], [nan, nan]]
    """

    #: Options that ask for it, its own first.
    options: ClassVar[tuple[Option, ...]] = ()
    #: What ``--space`` may name for it, in words; empty where any space will do.
    space_help: ClassVar[str] = ""
    #: Name in plan files.
    tag: ClassVar[str]
    #: What a released value is called where it is written as the records were.
    value_name: ClassVar[str] = "value"
    #: Whether a value can be written as raw records are; where not, centres are typed as points.
    gives_back: ClassVar[bool] = True
    #: Whether pages write points as files have them: shares and angles, which people know better.
    on_pages: ClassVar[bool] = False
    #: What the numbers of a value so written are called; the plan's own names where not said.
    number_names: tuple[str, ...] = ()

    @abstractmethod
    def require(self, space: Space | None) -> None:
        """Refuse, while planning, a space whose points this reading does not give."""

    @classmethod
    def asked(cls, given: Given) -> Self | None:
        """Build the reading that was typed; None where it was not."""
        return None

    @property
    def known_ball(self) -> Ball | None:
        """The public ball that holds every record, where the reading alone says it."""
        return None

    def raw_shape(self, shape: RecordShape) -> RecordShape:
        """Return how a raw record is written down, from how a record is: alike, if not said."""
        return shape

    @abstractmethod
    def judge(self, raw: Array) -> Mapping[int, str]:
        """Return the reason, by row, for what is no record."""

    @abstractmethod
    def convert(self, raw: Array) -> Array:
        """Turn raw records that :meth:`judge` lets pass into records. Never raises."""

    def value(self, value: Array) -> Array:
        """Return a released value as records are written: free post-processing."""
        return value

    def seen_in(self, space: Space) -> Any:
        """Return what points of a space are drawn and named as: mostly that space itself.

        Anything with a ``title``, ``preposition``, ``distance_words`` and ``record_caution``.
        """
        return space

    @abstractmethod
    def describe(self) -> str:
        """Say in a few words what a raw record is."""

    @abstractmethod
    def to_json(self) -> Document:
        """Describe exactly, without the tag."""

    @classmethod
    @abstractmethod
    def from_json(cls, document: Document) -> Self:
        """Inverse of :meth:`to_json`."""

    def as_numbers(self, raw: Any, shape: tuple[int, ...]) -> Rows:
        """Return raw records as real numbers in the public ``shape``, each read by itself.

        It raises InvalidRecordError if they declare another shape as a whole.
        """
        return real_rows(raw, shape, "Raw records")

    def as_floats(self, raw: Array) -> Array:
        """Return raw records of one file in floats, if the type of their numbers means something.

        So they can stand beside others of another type, and neither moves the other.
        """
        return raw

    def points(self, raw: Any, shape: tuple[int, ...] | None = None) -> Array:
        """Read raw records; what is no record becomes NaN, which no statistic takes for one.

        Parameters
        ----------
        raw
            An array, records along its first axis; or a list, where the ``shape`` is given.
        shape
            Public shape of one raw record; that of the array where it is left out.
        """
        rows = self.as_numbers(raw, np.shape(raw)[1:] if shape is None else shape)
        numbers = rows.numbers
        with np.errstate(all="ignore"):
            bad = self._judged(rows)
            if not bad:
                return self.convert(numbers)
            good = np.setdiff1d(np.arange(len(numbers)), sorted(bad))
            if not len(good):
                return np.full((len(numbers), *self._shape(numbers)), np.nan)
            converted = self.convert(numbers[good])
        out = np.full((len(numbers), *converted.shape[1:]), np.nan, dtype=converted.dtype)
        out[good] = converted
        return out

    def _judged(self, rows: Rows) -> dict[int, str]:
        """Reason by row for what cannot be read, and for what is no raw record."""
        with np.errstate(all="ignore"):
            return {**self.judge(rows.numbers), **rows.invalid}

    def records(self, data: Records, policy: Policy, shape: RecordShape) -> Records:
        """Read a data set, chunk by chunk when it is asked for; refuse what the policy refuses.

        It raises InvalidRecordError with the first raw record that is none, for the curator alone.
        """
        if data.read:
            return data
        if policy == "refuse":
            Admitted(np.empty(0), self.complaints(data, shape)).under(policy)
        raw_shape = self.raw_shape(shape).shape
        one = self._shape(np.empty((0, *(data.source.shape or raw_shape))))
        points = data.source.converted(partial(self.points, shape=raw_shape), one)
        return replace(data, points=points, read=True)

    def complaints(self, data: Records, shape: RecordShape) -> dict[int, str]:
        """Return the reason, by row of a data set, for what is no raw record."""
        reasons: dict[int, str] = {}
        for found in data.source.ask(partial(_reasons, self, self.raw_shape(shape).shape)):
            reasons |= found
        return reasons

    def _shape(self, raw: Array) -> tuple[int, ...]:
        """Shape of a record where none of a chunk is one."""
        return raw.shape[1:]


def _reasons(
    reading: Reading, shape: tuple[int, ...], start: int, raw: Any, _: Any
) -> dict[int, str]:
    """Reason by row for what is no record in a block."""
    rows = reading.as_numbers(raw, shape)
    require_as_many(len(rows.numbers), len(raw))
    return {start + row: reason for row, reason in reading._judged(rows).items()}


#: Readings by tag.
READINGS: Registry[type[Reading]] = Registry(
    "reading", own=("geomdp.readings.*", "geomdp.images.reading")
)


def reading_from_json(document: Document | None) -> Reading | None:
    """Build the reading of a plan's file; None where it has none.

    >>> reading_from_json({"tag": "scaled", "factor": 1000.0})
    Scaled(factor=1000.0)
    """
    if document is None:
        return None
    reading = READINGS.named(document["tag"])
    return reading.from_json({key: item for key, item in document.items() if key != "tag"})


def reading_to_json(reading: Reading | None) -> Document:
    """Return the entry of a plan's document; nothing where records are read as they are."""
    return {} if reading is None else {"reading": {"tag": reading.tag, **reading.to_json()}}


def require_reading(reading: Reading | None, space: Space | None, needs_n: bool) -> None:
    """Refuse a reading that does not go with a statistic."""
    if reading is None:
        return
    if not isinstance(reading, Reading):
        raise GeomdpError(f"The reading must be one of geomdp.readings, not {reading!r}.")
    if not needs_n:
        raise GeomdpError("A summary takes the computed point itself, which needs no reading.")
    reading.require(space)


def require_unit_sphere(space: Space | None, what: str, dim: int | None = None) -> None:
    """Refuse a space that is no unit sphere, of this dimension where it is given."""
    if space is not None and space.of_unit_vectors and dim in (None, space.dim):
        return
    where = "a sphere, such as sphere:2" if dim is None else f"sphere:{dim}"
    named = "" if space is None else f", not {space.spec}"
    raise GeomdpError(f"{what} on {where}{named}.")


def first_reasons(*checks: tuple[Array, str]) -> dict[int, str]:
    """Return the first complaint about each row, from masks of bad rows."""
    reasons: dict[int, str] = {}
    for bad, complaint in checks:
        for row in np.flatnonzero(bad).tolist():
            reasons.setdefault(row, complaint)
    return dict(sorted(reasons.items()))


def has_gap(raw: Array) -> Array:
    """Mark the rows with a missing or infinite entry."""
    return ~np.all(np.isfinite(raw).reshape(len(raw), -1), axis=1)


#: What is said of a row with a gap.
GAP = "it has a missing or infinite entry"


SCALE = Option(
    "--scale",
    "Multiply the numbers of each record, and of the centre, by this: other units.",
    panel=RECORD,
    metavar="FACTOR",
    read=read_number,
)


@dataclass(frozen=True)
class Scaled(Reading):
    """Numbers that are multiplied by a public factor, such as 1000 from m to mm.

    Examples
    --------
    >>> import numpy as np
    >>> Scaled(1000.0).points(np.array([[0.5, 0.25]])).tolist()
    [[500.0, 250.0]]
    """

    factor: float
    tag: ClassVar[str] = "scaled"
    options: ClassVar[tuple[Option, ...]] = (SCALE,)

    @classmethod
    def asked(cls, given: Given) -> Self | None:  # noqa: D102
        return cls(given["scale"]) if given.said(SCALE) else None

    def __post_init__(self) -> None:
        if not (isinstance(self.factor, int | float) and 0 < self.factor < math.inf):
            raise GeomdpError(f"The factor must be positive and finite, not {self.factor!r}.")

    def require(self, space: Space | None) -> None:
        """Refuse bounded spaces: directions and shapes have no units."""
        if space is not None and space.injectivity_radius < math.inf:
            raise GeomdpError(
                f"Points of {space.spec} have no unit that a factor could change; for directions "
                "and shares use --normalize."
            )

    def judge(self, raw: Array) -> Mapping[int, str]:
        """Let all pass: the statistic judges the numbers."""
        return {}

    def convert(self, raw: Array) -> Array:  # noqa: D102
        return raw * self.factor

    def value(self, value: Array) -> Array:
        """Return the value in the units of the records."""
        return value / self.factor

    def describe(self) -> str:  # noqa: D102
        return f"numbers, each multiplied by {self.factor:g}"

    def to_json(self) -> Document:  # noqa: D102
        return {"factor": self.factor}

    @classmethod
    def from_json(cls, document: Document) -> Self:
        """Inverse of :meth:`to_json`."""
        return cls(document["factor"])


READINGS.register(Scaled.tag, Scaled)


def as_written(point: Array, reading: Reading | None) -> Array:
    """Return shares and angles as files have them; other points in the units of the ball."""
    if reading is not None and reading.on_pages:
        return np.asarray(reading.value(np.asarray(point)))
    return np.asarray(point)
