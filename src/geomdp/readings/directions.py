"""Directions as files hold them: vectors of any length, or two angles in degrees."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, Self, TypeAlias, get_args

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.options import RECORD, Given, Option
from geomdp.readings.base import (
    GAP,
    READINGS,
    Reading,
    first_reasons,
    has_gap,
    require_unit_sphere,
)
from geomdp.readings.compositions import NORMALIZE
from geomdp.serial import Document
from geomdp.spaces.base import Space
from geomdp.spaces.record_shape import RecordShape
from geomdp.typing import Array

#: ``dec-inc``: declination and inclination, with x north, y east, z down. ``lat-lon``: latitude and
#: longitude, with z towards the north pole.
Angles: TypeAlias = Literal["dec-inc", "lat-lon"]

DIRECTIONS = Option(
    "--directions",
    "How records on sphere:2, and the centre, are written: vectors, or two angles in degrees.",
    panel=RECORD,
    choices=("xyz", *get_args(Angles)),
    default="xyz",
)


@dataclass(frozen=True)
class UnitVectors(Reading):
    """Vectors of any length but zero, each divided by its own.

    Examples
    --------
    >>> UnitVectors().points(np.array([[0.0, 3.0, 4.0]])).tolist()
    [[0.0, 0.6, 0.8]]
    """

    tag: ClassVar[str] = "unit-vectors"
    options: ClassVar[tuple[Option, ...]] = (NORMALIZE,)

    @classmethod
    def asked(cls, given: Given) -> Self | None:  # noqa: D102
        return cls() if given["normalize"] and not given["compositions"] else None

    def require(self, space: Space | None) -> None:  # noqa: D102
        require_unit_sphere(space, "Vectors are divided by their lengths")

    def judge(self, raw: Array) -> Mapping[int, str]:  # noqa: D102
        zero = ~np.any(raw != 0, axis=-1)
        return first_reasons((has_gap(raw), GAP), (zero, "it is zero, which has no direction"))

    def convert(self, raw: Array) -> Array:  # noqa: D102
        # By the largest entry first: no square overflows, and none vanishes.
        scaled = raw / np.max(np.abs(raw), axis=-1, keepdims=True)
        return scaled / np.linalg.norm(scaled, axis=-1, keepdims=True)

    def describe(self) -> str:  # noqa: D102
        return "vectors, each divided by its length"

    def to_json(self) -> Document:  # noqa: D102
        return {}

    @classmethod
    def from_json(cls, document: Document) -> Self:
        """Inverse of :meth:`to_json`."""
        return cls()


@dataclass(frozen=True)
class Directions(Reading):
    """Directions in space as two angles in degrees.

    Examples
    --------
    >>> Directions("dec-inc").points(np.array([[90.0, 0.0], [0.0, 90.0]])).round(6).tolist()
    [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    >>> Directions("lat-lon").value(np.array([0.0, 1.0, 0.0])).tolist()
    [0.0, 90.0]
    """

    angles: Angles
    tag: ClassVar[str] = "directions"
    value_name: ClassVar[str] = "angles"
    on_pages: ClassVar[bool] = True
    options: ClassVar[tuple[Option, ...]] = (DIRECTIONS,)

    @classmethod
    def asked(cls, given: Given) -> Self | None:  # noqa: D102
        return cls(given["directions"]) if given.said(DIRECTIONS) else None

    def __post_init__(self) -> None:
        if self.angles not in ("dec-inc", "lat-lon"):
            raise GeomdpError(f"Angles are 'dec-inc' or 'lat-lon', not {self.angles!r}.")

    def require(self, space: Space | None) -> None:  # noqa: D102
        require_unit_sphere(space, "Two angles are a direction", dim=2)

    def raw_shape(self, shape: RecordShape) -> RecordShape:  # noqa: D102
        return RecordShape((2,))

    def judge(self, raw: Array) -> Mapping[int, str]:  # noqa: D102
        around, up = self._split(raw)
        names = self.number_names if self._first else self.number_names[::-1]
        return first_reasons(
            (has_gap(raw), GAP),
            (
                np.abs(up) > 90,
                f"its {names[1]} is beyond 90 degrees: mind the order of the columns",
            ),
            (np.abs(around) > 360, f"its {names[0]} is beyond 360 degrees"),
        )

    def convert(self, raw: Array) -> Array:  # noqa: D102
        around, up = np.radians(self._split(raw))
        level = np.cos(up)
        return np.stack([level * np.cos(around), level * np.sin(around), np.sin(up)], axis=-1)

    def value(self, value: Array) -> Array:
        """Return the angles in degrees: declination from 0 to 360, longitude from -180 to 180."""
        x, y, z = value
        around = np.degrees(np.arctan2(y, x))
        up = np.degrees(np.arctan2(z, np.hypot(x, y)))
        return np.array([around % 360, up] if self._first else [up, around])

    def describe(self) -> str:  # noqa: D102
        if self._first:
            return "declination and inclination in degrees (x north, y east, z down)"
        return "latitude and longitude in degrees"

    def to_json(self) -> Document:  # noqa: D102
        return {"angles": self.angles}

    @classmethod
    def from_json(cls, document: Document) -> Self:
        """Inverse of :meth:`to_json`."""
        return cls(document["angles"])

    def _shape(self, raw: Array) -> tuple[int, ...]:
        return (3,)

    @property
    def number_names(self) -> tuple[str, ...]:  # type: ignore[override]
        """What the two angles are called."""
        return ("declination", "inclination") if self._first else ("latitude", "longitude")

    @property
    def _first(self) -> bool:
        """Whether the angle around comes first."""
        return self.angles == "dec-inc"

    def _split(self, raw: Array) -> tuple[Array, Array]:
        """Return the angle around, and the one up or down."""
        return (raw[:, 0], raw[:, 1]) if self._first else (raw[:, 1], raw[:, 0])


READINGS.register(UnitVectors.tag, UnitVectors)
READINGS.register(Directions.tag, Directions)
