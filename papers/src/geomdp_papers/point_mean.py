"""The mean of labelled points, the plain way: no smoothness, equal noise on all coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np

from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.serial import Document, array_from_json, array_to_json
from geomdp.spaces.admission import Admitted, replace_gaps
from geomdp.spaces.rows import real_rows
from geomdp.statistics.base import STATISTICS, CheckFindings
from geomdp.statistics.linear import Shrinkable
from geomdp.typing import Array

#: ``"joint"``: the whole record is scaled down. ``"each"``: every point on its own.
Clip: TypeAlias = Literal["joint", "each"]

#: Coordinates beyond this are cut off before any arithmetic, so that no square can overflow.
LARGEST_COORDINATE = 1e100


@dataclass(frozen=True, eq=False)
class PointMean(Shrinkable):
    """Mean of records of N labelled points in d-space, for example of registered vertices.

    Parameters
    ----------
    template
        Public points (N, d) that records are measured from. Never from the data.
    bound
        Public bound on the distance from the template: its root mean square over the points
        (``clip="joint"``), or that of every single point (``clip="each"``).
    clip
        What ``bound`` bounds. The sensitivity is the same, since all points may move at once; but a
        bound that every single point keeps is several times larger.

    Examples
    --------
    >>> mean = PointMean(np.zeros((50, 3)), bound=0.5)
    >>> mean.encode(np.ones((4, 50, 3))).shape, mean.sensitivity(100).value
    ((4, 150), 0.01)
    """

    template: Array
    bound: float
    clip: Clip = "joint"
    tag: ClassVar[str] = "point-mean"

    def __post_init__(self) -> None:
        template = np.array(self.template, dtype=np.float64)
        if template.ndim != 2 or not template.size or not np.all(np.isfinite(template)):
            raise InvalidRecordError(
                f"The template must be finite points (N, d), not an array of {template.shape}."
            )
        if not 0 < self.bound < LARGEST_COORDINATE:
            raise GeomdpError(f"The public bound must be positive and finite, not {self.bound}.")
        if self.clip not in ("joint", "each"):
            raise GeomdpError(f"clip must be 'joint' or 'each', not {self.clip!r}.")
        template.setflags(write=False)
        object.__setattr__(self, "template", template)

    @property
    def radius(self) -> float:
        """Largest root mean square distance from the template, whatever is clipped."""
        return self.bound

    @cached_property
    def shrinkage(self) -> Array:
        """No coordinate is smoothed."""
        return np.ones(self.template.size)

    @property
    def noise_profile(self) -> Array:
        """Equal noise on all coordinates."""
        return self.shrinkage

    @property
    def public_record(self) -> Array:
        """The template."""
        return self.template

    def admit(self, records: Any) -> Admitted:
        """Coordinates (n, N d) of the clipped differences from the template, over ``sqrt(N)``.

        The divisor makes a norm a root mean square over the points.
        """
        points, invalid = self._read(records)
        return Admitted(self._coordinates(points), invalid)

    @property
    def public_radius(self) -> float:
        """The public bound."""
        return self.bound

    def check(self, records: Any) -> CheckFindings:
        """Compare the distances that are clipped with the public bound."""
        points, invalid = self._read(records)
        offsets = np.clip(points, -LARGEST_COORDINATE, LARGEST_COORDINATE) - self.template
        squares = np.sum(offsets**2, axis=-1)
        joint = self.clip == "joint"
        largest = np.mean(squares, axis=-1) if joint else np.max(squares, axis=-1)
        return CheckFindings.of_norms(np.sqrt(largest), self.bound, invalid)

    def _coordinates(self, points: Array) -> Array:
        offsets = np.clip(points, -LARGEST_COORDINATE, LARGEST_COORDINATE) - self.template
        squares = np.sum(offsets**2, axis=-1, keepdims=True)
        if self.clip == "joint":
            squares = np.mean(squares, axis=-2, keepdims=True)
        kept = offsets * (self.bound / np.maximum(np.sqrt(squares), self.bound))
        return kept.reshape(len(points), -1) / np.sqrt(len(self.template))

    def decode(self, coordinates: Array) -> Array:
        """Points (..., N, d) with these ``coordinates`` (..., N d)."""
        offsets = np.asarray(coordinates) * np.sqrt(len(self.template))
        return self.template + offsets.reshape(*offsets.shape[:-1], *self.template.shape)

    def to_coordinates(self, values: Array) -> Array:
        """Coordinates (..., N d) of points (..., N, d): the inverse of :meth:`decode`."""
        offsets = (values - self.template) / np.sqrt(len(self.template))
        return offsets.reshape(*offsets.shape[:-2], -1)

    def describe(self) -> str:  # noqa: D102
        count, dim = self.template.shape
        which = "root mean square" if self.clip == "joint" else "each point"
        return f"mean of {count} points in {dim}-space, {which} within {self.bound:.6g}"

    def to_json(self) -> Document:  # noqa: D102
        return {
            "tag": self.tag,
            "template": array_to_json(self.template),
            "bound": self.bound,
            "clip": self.clip,
        }

    @classmethod
    def from_json(cls, document: Document) -> Self:
        """Inverse of :meth:`to_json`."""
        return cls(array_from_json(document["template"]), document["bound"], document["clip"])

    def _read(self, records: Any) -> tuple[Array, dict[int, str]]:
        """Points (n, N, d), the template's where a record is invalid, and the reasons by row."""
        rows = real_rows(records, self.template.shape)
        if not len(rows.numbers):
            raise InvalidRecordError("There are no records; give at least one.")
        return rows.numbers, replace_gaps(rows.numbers, self.template) | rows.invalid


STATISTICS.register(PointMean.tag, PointMean)
