"""The statistic ``Summary``: the user's own point, with the user's own sensitivity."""

from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.serial import Document
from geomdp.spaces.admission import Admitted, Policy
from geomdp.spaces.ball import Ball
from geomdp.spaces.base import Space
from geomdp.spaces.specs import space_from_spec
from geomdp.statistics.base import STATISTICS, PointStatistic
from geomdp.statistics.sensitivity import Bound, Sensitivity
from geomdp.typing import Array


@dataclass(frozen=True, eq=False)
class Summary(PointStatistic):
    """A point that the user computed, whose sensitivity the user can prove.

    The release takes the computed point instead of records.

    Parameters
    ----------
    space
        Where the point lies.
    bound
        Largest distance between the points of two neighbouring data sets, rounding included.

    Examples
    --------
    >>> import geomdp as dp
    >>> Summary(dp.Sphere(2), 0.01).sensitivity(1, "sharp").value
    0.01
    """

    space: Space
    bound: float
    ball: Ball | None = field(default=None, init=False, repr=False)
    tag: ClassVar[str] = "summary"
    needs_n: ClassVar[bool] = False
    policies: ClassVar[tuple[Policy, ...]] = ("refuse",)

    def __post_init__(self) -> None:
        if not 0 < self.bound < float("inf"):
            raise GeomdpError(f"The sensitivity must be positive and finite, not {self.bound}.")

    def admit(self, records: Any) -> Admitted:
        """Take the user's point: it is computed, not a record, and an invalid one is refused."""
        point = np.array(self.space.require(records, what="point"))
        if point.ndim != len(self.space.point_shape):
            raise InvalidRecordError(
                f"A summary takes one point of shape {self.space.point_shape}, not {point.shape}."
            )
        return Admitted(point[None])

    def encode_public(self, at: Any) -> Array:  # noqa: D102
        return self.encode(at)

    def estimate(self, encoded: Any, tolerance: float) -> Array:  # noqa: D102
        return np.asarray(encoded)[0]

    def sensitivity(self, n: int, bound: Bound) -> Sensitivity:  # noqa: D102
        return Sensitivity(self.bound, "given by the user", "")

    def describe(self) -> str:  # noqa: D102
        return f"the user's own statistic on {self.space.spec}, sensitivity {self.bound:.6g}"

    def to_json(self) -> Document:  # noqa: D102
        return {"tag": self.tag, "space": self.space.spec, "sensitivity": self.bound}

    @classmethod
    def from_json(cls, document: Document) -> Self:
        """Inverse of :meth:`to_json`."""
        return cls(space_from_spec(document["space"]), document["sensitivity"])


STATISTICS.register(Summary.tag, Summary)
