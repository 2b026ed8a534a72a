"""Compositions: shares in, points of a sphere for the release, shares out."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from geomdp.options import RECORD, Given, Option
from geomdp.readings.base import (
    GAP,
    READINGS,
    Reading,
    first_reasons,
    has_gap,
    require_unit_sphere,
)
from geomdp.serial import Document
from geomdp.spaces.base import Space
from geomdp.spaces.compositions import SUM_TOLERANCE, sphere_to_composition
from geomdp.typing import Array

COMPOSITIONS = Option(
    "--compositions",
    "Records, and the centre, are shares that add up to 1, such as 0.5,0.3,0.2; their square roots "
    "are points of sphere:m-1 for m parts. The value's file holds shares again.",
    panel=RECORD,
    type=bool,
    default=False,
)
NORMALIZE = Option(
    "--normalize",
    "Divide each direction by its length, or each composition by its sum: for files with few "
    "decimals, in percent, or of counts.",
    panel=RECORD,
    type=bool,
    default=False,
)


@dataclass(frozen=True)
class Shares:
    """Compositions: drawn and worded as shares, though their square roots are what is released."""

    space: Space
    preposition: ClassVar[str] = "of"
    record_caution: ClassVar[str] = ""

    @property
    def parts(self) -> int:
        """How many shares there are."""
        return self.space.dim + 1

    @property
    def title(self) -> str:
        """Name as people say it."""
        return f"compositions of {self.parts} parts"

    def distance_words(self, distance: float) -> str:
        """Say what a distance means.

        Total variation is at most the sine of the angle between square roots, so that no share,
        nor sum of shares, differs by more.
        """
        off = np.sin(min(distance, np.pi / 2))
        return f" rad (no share off by more than {100 * off:.3g} percentage points)"


@dataclass(frozen=True)
class Compositions(Reading):
    """Shares of a whole, taken to the unit sphere by their square roots.

    Parameters
    ----------
    normalize
        Divide each record by its own sum, as percentages, counts and rounded shares need; else
        shares must add up to 1.

    Examples
    --------
    >>> Compositions(normalize=True).points(np.array([[36.0, 64.0]])).tolist()
    [[0.6, 0.8]]
    """

    normalize: bool = False
    tag: ClassVar[str] = "compositions"
    value_name: ClassVar[str] = "composition"
    on_pages: ClassVar[bool] = True
    options: ClassVar[tuple[Option, ...]] = (COMPOSITIONS, NORMALIZE)

    @classmethod
    def asked(cls, given: Given) -> Self | None:  # noqa: D102
        return cls(given["normalize"]) if given["compositions"] else None

    def require(self, space: Space | None) -> None:  # noqa: D102
        require_unit_sphere(space, "Compositions of m parts are released on sphere:m-1:")

    def judge(self, raw: Array) -> Mapping[int, str]:  # noqa: D102
        total = np.sum(raw, axis=-1)
        short = "it does not add up to 1: plan with --normalize to divide each record by its sum"
        off = ~(total > 0) if self.normalize else ~(np.abs(total - 1) <= SUM_TOLERANCE)
        return first_reasons(
            (has_gap(raw), GAP),
            (np.any(raw < 0, axis=-1), "it has a negative share: shares are parts of a whole"),
            (~np.isfinite(total), GAP),
            (off, "it adds up to nothing" if self.normalize else short),
        )

    def convert(self, raw: Array) -> Array:  # noqa: D102
        return np.sqrt(raw / np.sum(raw, axis=-1, keepdims=True))

    def value(self, value: Array) -> Array:
        """Return shares that add up to 1."""
        return sphere_to_composition(value)

    def seen_in(self, space: Space) -> "Shares":
        """Return shares: points of the sphere are their square roots."""
        return Shares(space)

    def describe(self) -> str:  # noqa: D102
        how = ", each record divided by its sum" if self.normalize else " that add up to 1"
        return f"shares{how}; their square roots are the points"

    def to_json(self) -> Document:  # noqa: D102
        return {"normalize": self.normalize}

    @classmethod
    def from_json(cls, document: Document) -> Self:
        """Inverse of :meth:`to_json`."""
        return cls(normalize=bool(document["normalize"]))


READINGS.register(Compositions.tag, Compositions)
