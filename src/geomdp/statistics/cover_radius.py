"""How wide a ball about a public centre must be, and to which length records are to be clipped.

Their release by the exponential mechanism is the radius stage of what is found privately
(docs/theory/private-ball.md).
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import GeomdpError
from geomdp.serial import Document, array_from_json, array_to_json
from geomdp.spaces.admission import Admitted
from geomdp.spaces.base import Space
from geomdp.spaces.numerics import decompositions
from geomdp.spaces.record_shape import RecordShape
from geomdp.spaces.specs import space_from_spec
from geomdp.statistics.base import STATISTICS, Statistic
from geomdp.statistics.encoded import Encoded, as_encoded
from geomdp.statistics.linear import ClippedStatistic
from geomdp.statistics.pooling import Pooling, TangentPooling
from geomdp.statistics.sensitivity import Bound, Sensitivity
from geomdp.statistics.solving.plausible import require_counts
from geomdp.typing import Array

#: The grid of a ball halves the radius every so many steps.
STEPS_A_HALVING = 4
#: Longest grid: smaller radii than 2^-40 of the widest are below what noise and floats resolve.
MOST_STEPS = 160


class Cover(Statistic):
    """Smallest radius of a public grid that holds all but a public number of the records.

    Subclasses say how far away a record is.
    """

    value_is_record: ClassVar[bool] = False
    section: ClassVar[str] = "radius"
    pictured: ClassVar[bool] = False
    #: The grid halves the radius every so many steps.
    halving: ClassVar[int] = STEPS_A_HALVING
    #: Part of the widest radius within which a forecast lets all records lie.
    spread: ClassVar[float] = 0.1
    #: Widest radius of the grid ``top 2**(-j/halving)``; public, never taken from the records.
    top: float
    #: Number of further radii; public.
    steps: int
    #: How many records may lie outside; public.
    outside: int

    def __post_init__(self) -> None:
        if not (0 < self.top < float("inf") and 0 < self.steps <= MOST_STEPS and self.outside >= 0):
            raise GeomdpError(
                f"A radius is sought below a positive finite one on 1 to {MOST_STEPS} steps, with "
                f"0 records outside or more; not top={self.top}, steps={self.steps}, "
                f"outside={self.outside}."
            )

    def as_cover(self) -> "Cover":
        """Return itself."""
        return self

    @property
    def vector_radius(self) -> float:
        """The widest radius: beyond it, all records count alike."""
        return self.top

    @cached_property
    def radii(self) -> Array:
        """The grid, from the widest radius down."""
        halvings, rest = np.divmod(np.arange(self.steps + 1), self.halving)
        return np.ldexp(self.top * 2.0 ** (-rest / self.halving), -halvings)

    def is_radius(self, value: Array) -> bool:
        """Tell whether a value is a radius of the grid, up to the rounding of powers of 2."""
        return bool(np.any(np.isclose(self.radii, value, rtol=1e-9, atol=0.0)))

    @property
    def public_value(self) -> Array:
        """The widest radius."""
        return self.radii[:1]

    def depths(self, distances: Array) -> Array:
        """Index of the smallest radius that holds each distance; -1 where none does, or for NaN."""
        shorter = np.searchsorted(self.radii[::-1], distances, side="left")
        return np.asarray(self.steps - shorter)

    def shortfalls(self, encoded: Any) -> list[int]:
        """How many records each radius of the grid holds too few: one-sided, never below 0.

        Replacing a record moves the numbers of all radii in the same direction, by 0 or 1; all of
        the privacy rests on that (docs/theory/private-ball.md, section 1).
        """
        records = as_encoded(encoded)
        held = records.once("held", partial(self._held, records))
        return [max(0, len(records) - self.outside - count) for count in held.tolist()]

    def _held(self, records: Encoded) -> NDArray[np.int64]:
        """How many records each radius of the grid holds."""
        held = np.zeros(self.steps + 1, dtype=np.int64)
        for counts in records.ask(partial(_held, self.steps)):
            require_counts(counts, self.steps + 1, len(records))
            held += counts
        require_counts(held, self.steps + 1, len(records))
        return held

    def weights(self, encoded: Any, epsilon: Fraction) -> list[tuple[int, Fraction]]:
        """Weights ``2**j exp(-epsilon k_j)`` of the radii, k_j their shortfalls."""
        return [(j, epsilon * short) for j, short in enumerate(self.shortfalls(encoded))]

    def estimate(self, encoded: Any, tolerance: float = 0.0) -> Array:
        """Return the smallest radius that holds enough records; the widest if none does."""
        enough = [j for j, short in enumerate(self.shortfalls(encoded)) if short == 0]
        return self.radii[[max(enough, default=0)]]

    def sensitivity(self, n: int, bound: Bound) -> Sensitivity:
        """Bound on the change of every score, all of one sign: a count moves by one."""
        return Sensitivity(1.0, bound, "private-ball")


@dataclass(frozen=True, eq=False)
class CoverRadius(Cover):
    """Smallest radius of a public grid that holds all but a public number of the records.

    Parameters
    ----------
    space, center
        Where records live, and the public (or released) point that distances are taken from.
    top
        Widest radius of the grid ``top 2**(-j/4)``; public, never taken from the records.
    steps
        Number of further radii; public.
    outside
        How many records may lie outside; public.

    Examples
    --------
    >>> import geomdp as dp
    >>> asked = CoverRadius(dp.Euclidean(1), np.zeros(1), top=8.0, steps=16, outside=1)
    >>> records = np.array([[0.3], [0.9], [-0.5], [7.0]])
    >>> asked.estimate(asked.encode(records)).tolist()
    [1.0]
    """

    space: Space
    center: Array
    top: float
    steps: int
    outside: int
    tag: ClassVar[str] = "cover-radius"

    @property
    def public_record(self) -> Array:
        """The centre."""
        return self.center

    @property
    def record_space(self) -> Space:
        """Records are points, though a radius is none."""
        return self.space

    @property
    def pooling(self) -> Pooling:
        """Persons count by the length of their mean log, which nothing shortens below the top."""
        return TangentPooling(self.space, self.center, self.top * (1 + 2.0**-20))

    def admit(self, records: Any) -> Admitted:
        """Return for each record the last radius of the grid that holds it, -1 where none does.

        A function of that record and of public things alone, so that errors of floats in the
        distance cost no privacy.
        """
        points, invalid = self.space.parse(records, instead=self.center)
        with np.errstate(all="ignore"):
            distances = decompositions.row_by_row(lambda x: self.space.dist(self.center, x), points)
        return Admitted(self.depths(distances), invalid)

    def title_in(self, seen: Any) -> str:  # noqa: D102
        return f"Private radius of a ball on {self.space.title}"

    def describe(self) -> str:  # noqa: D102
        return (
            f"radius of a ball on {self.space.spec} about a public centre, at most "
            f"{self.top:.6g}, that holds all but {self.outside}"
        )

    def to_json(self) -> Document:  # noqa: D102
        return {
            "tag": self.tag,
            "space": self.space.spec,
            "center": array_to_json(self.center),
            "top": self.top,
            "steps": self.steps,
            "outside": self.outside,
        }

    @classmethod
    def from_json(cls, document: Document) -> Self:
        """Inverse of :meth:`to_json`."""
        space = space_from_spec(document["space"])
        center = array_from_json(document["center"])
        return cls(space, center, document["top"], document["steps"], document["outside"])


def _held(steps: int, chunk: Array) -> NDArray[np.int64]:
    """How many records of a chunk each radius of the grid holds; it may travel to the chunk."""
    depths = np.asarray(chunk, dtype=np.int64)
    counts = np.bincount(depths[depths >= 0], minlength=steps + 1)
    return np.asarray(np.cumsum(counts[::-1])[::-1])


STATISTICS.register(CoverRadius.tag, CoverRadius)


@dataclass(frozen=True, eq=False)
class CoverLength(Cover):
    """Smallest length of a public grid that all but a public number of the records keep.

    The grid is as in :class:`~geomdp.statistics.CoverRadius`; the statistic's tau has no
    part in it.
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
