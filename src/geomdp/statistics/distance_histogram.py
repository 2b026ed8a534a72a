"""How far records lie from a public centre, as a histogram: a sum, which sites can add up.

Sites that trust nobody find a ball by it (docs/theory/consortium.md, section 6): the exponential
mechanism, which finds one for one curator, is no sum.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isqrt
from typing import Any, ClassVar, Self

import numpy as np

from geomdp.serial import Document
from geomdp.spaces.admission import Admitted
from geomdp.spaces.base import Space
from geomdp.statistics.base import STATISTICS
from geomdp.statistics.cover_radius import CoverRadius
from geomdp.statistics.linear import LinearStatistic
from geomdp.statistics.pooling import Pooling
from geomdp.typing import Array

#: Deviations of noise that a share beyond a radius may be above what is allowed.
CLEARLY = 2
#: Root of 2, rounded up: how far two records' vectors are apart.
ROOT_TWO = Fraction(isqrt(2 << 256) + 1, 1 << 128)


@dataclass(frozen=True, eq=False)
class DistanceHistogram(LinearStatistic):
    """Shares of the records between neighbouring radii of the grid ``top 2**(-j/4)``.

    A record is one of its unit vectors, from those beyond ``top`` inwards, and replacing it changes
    two entries. As integers these vectors are not 0 and 1 but 0 and 2^29: rounding that each of
    many sites adds then counts for nothing.

    Parameters
    ----------
    space, center
        Where records live, and the public (or released) point that distances are taken from.
    top, steps
        Widest radius of the grid, and number of further ones; public.

    Examples
    --------
    >>> import geomdp as dp
    >>> asked = DistanceHistogram(dp.Euclidean(1), np.zeros(1), top=8.0, steps=4)
    >>> asked.estimate(asked.encode(np.array([[0.3], [6.0], [-5.0], [70.0]]))).tolist()
    [0.25, 0.0, 0.25, 0.25, 0.0, 0.25]
    """

    space: Space
    center: Array
    top: float
    steps: int
    tag: ClassVar[str] = "distance-histogram"
    proof: ClassVar[str] = "consortium"
    value_is_record: ClassVar[bool] = False
    pictured: ClassVar[bool] = False
    value_note: ClassVar[str] = "shares of records by distance, from the farthest inwards"

    @cached_property
    def cover(self) -> CoverRadius:
        """The radii, and which of them hold a record."""
        return CoverRadius(self.space, self.center, self.top, self.steps, 0)

    @cached_property
    def radii(self) -> Array:
        """The grid, from the widest radius down: numbers of 24 binary digits.

        Sites whose machines differ in last digits so take the same radius, and draw the same noise.
        """
        return self.cover.radii.astype(np.float32).astype(np.float64)

    def radius_in(self, shares: Array, outside: float, deviation: float) -> float:
        """Return a radius that leaves about this share of the records outside; total.

        From the widest inwards, the share beyond a radius carries the noise of ever more entries;
        the first that is too large by more than two deviations ends the walk, one step too late.
        """
        noise = deviation * np.sqrt(np.arange(1, self.steps + 2))
        many = np.flatnonzero(np.cumsum(shares)[: self.steps + 1] > outside + CLEARLY * noise)
        return float(self.radii[max(0, int(many[0]) - 2) if many.size else self.steps])

    @property
    def public_record(self) -> Array:
        """The centre."""
        return self.center

    @property
    def public_value(self) -> Array:
        """All records at the centre."""
        return self.public_row

    @property
    def record_space(self) -> Space:
        """Records are points, though a histogram is none."""
        return self.space

    @property
    def pooling(self) -> Pooling:
        """Persons count by the length of their mean log."""
        return self.cover.pooling

    @property
    def radius(self) -> float:
        """Length of a record's vector."""
        return 1.0

    @property
    def shrinkage(self) -> Array:  # noqa: D102
        return np.ones(self.steps + 2)

    @property
    def noise_profile(self) -> Array:  # noqa: D102
        return self.shrinkage

    @property
    def diameter(self) -> Fraction:
        """Root of 2: two entries change by one."""
        return ROOT_TWO

    @property
    def reach_squared(self) -> Fraction:
        """As for two records: the public one has an entry of its own."""
        return self.diameter**2

    @property
    def public_row(self) -> Array:
        """The centre's entry."""
        return np.eye(self.steps + 2)[-1]

    def admit(self, records: Any) -> Admitted:
        """Return the unit vector of each record."""
        found = self.cover.admit(records)
        return Admitted(np.eye(self.steps + 2)[found.records + 1], found.invalid)

    def decode(self, coordinates: Array) -> Array:
        """Shares are the coordinates themselves."""
        return coordinates

    def to_coordinates(self, values: Array) -> Array:
        """Coordinates are the shares themselves."""
        return values

    def records_at(self, vectors: Array) -> Array:
        """Return points at the distances whose entries are the largest."""
        lengths = np.r_[1.1 * self.top, 0.95 * self.radii]
        away = np.zeros((len(vectors), self.space.dim))
        away[:, 0] = lengths[np.argmax(vectors, axis=1)]
        return np.asarray(self.space.canonical(self.space.frame_exp(self.center, away)))

    def edge_records(self, around: Any, most: int) -> Array:
        """Return points far away."""
        return self.records_at(np.eye(self.steps + 2)[:most])

    def describe(self) -> str:  # noqa: D102
        return (
            f"histogram of distances on {self.space.spec} from a public centre, {self.steps + 1} "
            f"radii from {self.top:.6g} down"
        )

    def to_json(self) -> Document:  # noqa: D102
        document = self.cover.to_json()
        del document["outside"]
        return {**document, "tag": self.tag}

    @classmethod
    def from_json(cls, document: Document) -> Self:
        """Inverse of :meth:`to_json`."""
        cover = CoverRadius.from_json({**document, "outside": 0})
        return cls(cover.space, cover.center, cover.top, cover.steps)


STATISTICS.register(DistanceHistogram.tag, DistanceHistogram)
