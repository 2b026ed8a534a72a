"""Numbers in other units than the ball's."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

from geomdp.errors import GeomdpError
from geomdp.options import RECORD, Given, Option, read_number
from geomdp.readings.base import READINGS, Reading
from geomdp.serial import Document
from geomdp.spaces.base import Space
from geomdp.typing import Array

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
