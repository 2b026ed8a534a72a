"""How many records are clipped, or how far they lie outside on average: one number.

What follows from it for the mean of the records: docs/theory/what-clipping-does.md.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.serial import Document
from geomdp.spaces.admission import Admitted
from geomdp.spaces.base import Space
from geomdp.spaces.record_shape import RecordShape
from geomdp.statistics.base import STATISTICS, Statistic
from geomdp.statistics.linear import LinearStatistic
from geomdp.statistics.pooling import Pooling, TangentPooling
from geomdp.statistics.sensitivity import Moved
from geomdp.typing import Array

#: Caps on the excess that are tried where none is given, in units of the radius.
CAPS = (1.0, 0.5, 0.25, 0.1)


@dataclass(frozen=True, eq=False)
class ClippedShare(LinearStatistic):
    """The share of the records that a statistic clips; or their mean excess, up to a public cap.

    The value is one number. Records of the statistic are its records; an invalid one is the public
    record, which is not clipped.

    ``statistic``: whose public radius is meant. ``outer``: a public radius within which every
    record lies: then records are counted. ``cap``: without an outer radius: the mean excess over
    the radius, where no record counts for more than this.
    """

    statistic: Statistic
    outer: float | None = None
    cap: float | None = None
    tag: ClassVar[str] = "clipped-share"
    proof: ClassVar[str] = "what-clipping-does"
    value_is_record: ClassVar[bool] = False
    section: ClassVar[str] = "clipping"
    pictured: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if (self.outer is None) == (self.cap is None):
            raise GeomdpError("Give an outer radius or a cap on the excess, one of them.")
        if self.statistic.labelled or self.statistic.vector_radius is None:
            raise GeomdpError(
                f"Records of a {self.statistic.tag} are not clipped to one public radius, so that "
                "none are counted."
            )
        fits = self._fits(self.outer, self._reach) and self._fits(self.cap, 0.0)
        if not fits or self.cap == 0:
            raise GeomdpError(
                f"An outer radius is finite and at least that of the ball, {self._reach:.6g}, and "
                f"a cap finite and above 0; not outer={self.outer}, cap={self.cap}."
            )
        if self.moved is None:
            raise GeomdpError(
                f"Nothing is proved of what clipping does to a {self.statistic.tag} here; give a "
                "smaller outer radius or cap, or leave it out."
            )

    @staticmethod
    def _fits(bound: float | None, least: float) -> bool:
        return bound is None or least <= bound < float("inf")

    @property
    def counted(self) -> bool:
        """Whether records are counted."""
        return self.outer is not None

    @property
    def outer_is_known(self) -> bool:
        """Whether the outer radius is that of all of a space, and no claim about records."""
        space = self.statistic.record_space
        return self.outer is not None and space is not None and self.outer >= space.farthest

    @cached_property
    def _radius(self) -> float:
        """The public radius, as lengths of records are measured."""
        radius = self.statistic.vector_radius
        assert radius is not None  # seen to above
        return radius

    @property
    def _reach(self) -> float:
        """The public radius, as distances are measured."""
        radius = self.statistic.public_radius
        return self._radius if radius is None else radius

    @cached_property
    def moved(self) -> Moved | None:
        """What clipping does to the answer; with a cap, if no record lies beyond radius and cap."""
        if self.outer is not None:
            return self.statistic.moved_by_clipping(self.outer)
        assert self.cap is not None
        return self.statistic.moved_by_clipping(self._reach / self._radius * self._widest)

    @property
    def _widest(self) -> float:
        return self._radius + (self.cap or 0.0)

    def bias(self, value: float) -> float:
        """Bound how far clipping moves the answer, where the value without noise is this."""
        found = self.moved
        assert found is not None
        return value * (found.per_record if self.counted else found.per_excess)

    @property
    def most(self) -> float:
        """The largest value: a share of 1, or the cap."""
        return 1.0 if self.cap is None else self.cap

    # --- what the release path needs ------------------------------------------------------------

    @property
    def radius(self) -> float:
        """Half: records are at -1/2 where they lie inside, and at most at 1/2."""
        return 0.5

    @property
    def shrinkage(self) -> Array:  # noqa: D102
        return np.ones(1)

    @property
    def noise_profile(self) -> Array:  # noqa: D102
        return np.ones(1)

    @property
    def error_scale(self) -> Array:  # noqa: D102
        return np.full(1, self.most)

    @property
    def public_row(self) -> Array:
        """What lies inside."""
        return np.full(1, -0.5)

    @property
    def absence(self) -> Fraction:
        """A record outside that becomes the public one moves the answer as much as any can."""
        return Fraction(1)

    @property
    def public_radius(self) -> None:
        """There is none that a share could be compared with."""

    @property
    def public_record(self) -> Array:  # noqa: D102
        return self.statistic.public_record

    @property
    def public_value(self) -> Array:
        """No record is clipped."""
        return np.zeros(1)

    @property
    def record_space(self) -> Space | None:  # noqa: D102
        return self.statistic.record_space

    @property
    def record_shape(self) -> RecordShape:  # noqa: D102
        return self.statistic.record_shape

    @property
    def policies(self) -> Any:  # type: ignore[override]  # noqa: D102
        return self.statistic.policies

    @property
    def pooling(self) -> Pooling | None:
        """Persons count by their mean record, which nothing shortens before it is counted."""
        ball = self.statistic.public_ball
        if ball is None:
            return self.statistic.pooling
        widest = self._reach / self._radius * self._widest if self.outer is None else self.outer
        return TangentPooling(ball.space, ball.center, widest * (1 + 2.0**-20))

    @property
    def of_persons(self) -> "ClippedShare":  # noqa: D102
        return replace(self, statistic=self.statistic.of_persons)

    def admit(self, records: Any) -> Admitted:
        """Coordinates (n, 1) from -1/2 to 1/2: each of one record and of public things alone."""
        found = self.statistic.check(records)
        distances = np.zeros(found.count) if found.distances is None else found.distances
        with np.errstate(all="ignore"):
            if self.counted:
                rows = np.where(found.clipped, 1.0, 0.0)
            else:
                excess = self._radius * np.nan_to_num(distances - 1.0, nan=0.0, posinf=np.inf)
                rows = np.clip(excess / self.most, 0.0, 1.0)
        return Admitted(rows[:, None] - 0.5, found.invalid)

    def decode(self, coordinates: Array) -> Array:
        """Shares, or excesses: below 0 where noise made them so."""
        return np.asarray(self.most * (np.asarray(coordinates) + 0.5))

    def to_coordinates(self, values: Array) -> Array:
        """Inverse of :meth:`decode`."""
        return np.asarray(values) / self.most - 0.5

    def records_at(self, vectors: Array) -> Any:
        """Public records, and records well outside the radius for vectors above 0."""
        beyond = self.cap if self.outer is None else (self.outer - self._reach) / 2
        far = np.zeros((len(vectors), self.statistic.vector_dim))
        far[:, 0] = np.where(np.asarray(vectors)[:, 0] > 0, self._radius + (beyond or 0.0), 0.0)
        return self.statistic.records_at(far)

    # --- words ----------------------------------------------------------------------------------

    def title_in(self, seen: Any) -> str:  # noqa: D102
        return "Private number of clipped records" if self.counted else "Private mean excess"

    def distance_words(self, distance: float) -> str:  # noqa: D102
        return f" ({100 * distance:.3g}% of the records)" if self.counted else ""

    def describe(self) -> str:  # noqa: D102
        if self.counted:
            return f"share of the records that are clipped, of: {self.statistic.describe()}"
        return (
            f"mean excess of the records over the radius, up to {self.cap:.6g} each, of: "
            f"{self.statistic.describe()}"
        )

    def to_json(self) -> Document:  # noqa: D102
        bound = {"outer": self.outer} if self.counted else {"cap": self.cap}
        return {"tag": self.tag, "statistic": self.statistic.to_json(), **bound}

    @classmethod
    def from_json(cls, document: Document) -> Self:
        """Inverse of :meth:`to_json`."""
        from geomdp.statistics import statistic_from_json

        asked = statistic_from_json(document["statistic"])
        return cls(asked, document.get("outer"), document.get("cap"))


STATISTICS.register(ClippedShare.tag, ClippedShare)


def share_of(statistic: Statistic, outer: float | None, cap: float | None) -> ClippedShare:
    """Ask how much a statistic clips: a count where an outer radius bounds something.

    That which is declared, or that of a compact space where the theory reaches so far; else the
    mean excess, up to the public radius where no cap is given.
    """
    if outer is not None or cap is not None:
        return ClippedShare(statistic, outer, cap)
    space, radius = statistic.record_space, statistic.vector_radius
    farthest = float("inf") if space is None else space.farthest
    tries: list[dict[str, float]] = [{"outer": farthest}] if np.isfinite(farthest) else []
    tries += [{"cap": (radius or 0.0) * part} for part in CAPS]
    refusal = None
    for bound in tries:
        try:
            return ClippedShare(statistic, **bound)
        except GeomdpError as error:
            refusal = error
    assert refusal is not None
    raise refusal
