"""Where functions are sampled: the circle, an interval, or rings of a disk.

All inner products are those of the *uniform probability measure* on the domain: the quadrature
weights of every grid sum to one, so an L2 norm is a root mean square, in the units of the function.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.serial import Document, array_from_json, array_to_json
from geomdp.typing import Floats

#: Fewer points cannot carry a curve: a mean, one frequency and its phase already need three.
FEWEST_POINTS = 4


class Grid(ABC):
    """Where functions are sampled."""

    #: Whether 0 and 1 are one point.
    closed: ClassVar[bool] = True

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """Shape of one sampled scalar function."""

    if TYPE_CHECKING:  # a field of some, and a default of their fields if it stood here

        @property
        def points(self) -> Floats:
            """Parameters along a curve."""

    @property
    def of_curves(self) -> bool:
        """Whether a sampled function is a curve, and not a family of rings."""
        return len(self.shape) == 1

    @abstractmethod
    def to_json(self) -> Document:
        """Describe the grid; :func:`grid_from_json` is the inverse."""

    def repeats_end(self, values: Floats) -> bool:
        """Tell whether a closed curve of several coordinates ends with its first point.

        One number may well repeat by chance; a point of several coordinates does not.
        """
        if values.ndim == len(self.shape) or not self.closed:
            return False
        moves = bool(np.ptp(values, axis=-1).any())
        return moves and np.array_equal(values[..., 0], values[..., -1])

    def require_template(self, template: Floats) -> None:
        """Refuse a template that does not fit, or repeats the first point of the circle."""
        axes = len(self.shape)
        if template.ndim < axes or template.shape[template.ndim - axes :] != self.shape:
            raise InvalidRecordError(
                f"The template has shape {template.shape} but the grid has {self.shape}; sample "
                "the template at the points of the grid."
            )
        if self.repeats_end(template):
            raise InvalidRecordError(
                "The template repeats its first point at the end, but 0 and 1 are one point of the "
                "circle; drop the last point of template and records."
            )


@dataclass(frozen=True)
class CircleGrid(Grid):
    """The points ``i/size``, ``i = 0..size-1``, of the circle [0, 1); 0 and 1 are one point.

    Examples
    --------
    >>> CircleGrid(4).points
    array([0.  , 0.25, 0.5 , 0.75])
    """

    size: int

    def __post_init__(self) -> None:
        if self.size < FEWEST_POINTS:
            raise InvalidRecordError(
                f"A circle grid needs at least {FEWEST_POINTS} points, not {self.size}."
            )

    @classmethod
    def from_points(cls, points: ArrayLike) -> CircleGrid:
        """Read a grid given as parameters; refuse a duplicated end point or uneven steps.

        Examples
        --------
        >>> CircleGrid.from_points([0, 0.2, 0.4, 0.6, 0.8])
        CircleGrid(size=5)
        >>> CircleGrid.from_points([0, 0.25, 0.5, 0.75, 1])
        Traceback (most recent call last):
        geomdp.errors.InvalidRecordError: The circle grid holds both 0 and 1, which are ...
        """
        points = np.asarray(points, dtype=np.float64)
        refuse_duplicate_end(points, "The circle grid")
        size = points.size
        if points.ndim != 1 or not np.allclose(points, np.arange(size) / size, atol=1e-9):
            raise InvalidRecordError(
                "A circle grid is the points i/m, i = 0..m-1; resample uneven curves with "
                "resampling='linear'."
            )
        return cls(size)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of one sampled scalar function."""
        return (self.size,)

    @property
    def points(self) -> Floats:
        """Return the parameters in [0, 1)."""
        return np.arange(self.size) / self.size

    def to_json(self) -> Document:  # noqa: D102
        return {"kind": "circle", "size": self.size}


@dataclass(frozen=True, eq=False)
class IntervalGrid(Grid):
    """Increasing points of an interval, even or not, with trapezoidal weights that sum to one.

    Examples
    --------
    >>> IntervalGrid([0, 1, 2, 4]).weights
    array([0.125, 0.25 , 0.375, 0.25 ])
    """

    points: Floats
    closed: ClassVar[bool] = False

    def __post_init__(self) -> None:
        points = np.array(self.points, dtype=np.float64)
        if points.ndim != 1 or points.size < FEWEST_POINTS:
            raise InvalidRecordError(
                f"An interval grid needs a list of at least {FEWEST_POINTS} points."
            )
        if not np.all(np.isfinite(points)) or np.any(np.diff(points) <= 0):
            raise InvalidRecordError("The points of an interval grid must increase strictly.")
        points.setflags(write=False)
        object.__setattr__(self, "points", points)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of one sampled scalar function."""
        return self.points.shape

    @cached_property
    def weights(self) -> Floats:
        """Trapezoidal quadrature weights of the uniform probability measure."""
        gaps = np.diff(self.points)
        padded = np.concatenate([[0.0], gaps, [0.0]])
        return (padded[:-1] + padded[1:]) / (2 * gaps.sum())

    def to_json(self) -> Document:  # noqa: D102
        return {"kind": "interval", "points": array_to_json(self.points)}


@dataclass(frozen=True, eq=False)
class RingGrid(Grid):
    """A family of closed curves ordered by a radius: every angle on every ring.

    Examples
    --------
    >>> RingGrid(IntervalGrid([0.25, 0.5, 0.75, 1]), CircleGrid(80)).shape
    (4, 80)
    """

    radii: IntervalGrid
    angles: CircleGrid

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of one sampled scalar function: rings, then angles."""
        return self.radii.shape + self.angles.shape

    @property
    def points(self) -> Floats:
        """Parameters along every ring."""
        return self.angles.points

    def to_json(self) -> Document:  # noqa: D102
        return {"kind": "rings", "radii": self.radii.to_json(), "angles": self.angles.size}


def grid_from_json(document: Document) -> Grid:
    """Inverse of :meth:`Grid.to_json`."""
    if document["kind"] == "circle":
        return CircleGrid(document["size"])
    if document["kind"] == "interval":
        return _interval(document)
    if document["kind"] != "rings":
        raise GeomdpError("The file does not describe a grid that this version knows.")
    return RingGrid(_interval(document["radii"]), CircleGrid(document["angles"]))


def _interval(document: Document) -> IntervalGrid:
    if document["kind"] != "interval":
        raise GeomdpError("The file does not describe a grid that this version knows.")
    return IntervalGrid(np.asarray(array_from_json(document["points"])))


def refuse_duplicate_end(points: Floats, owner: str) -> None:
    """Raise when ``points`` hold 0 and 1 of the circle, counting one sample twice."""
    if np.any(points == 0) and np.any(points == 1):
        raise InvalidRecordError(
            f"{owner} holds both 0 and 1, which are one point of the circle; drop the last point."
        )
