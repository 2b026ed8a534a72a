"""Where functions are sampled: the circle, an interval, or rings of a disk.

All inner products are those of the *uniform probability measure* on the domain: the quadrature
weights of every grid sum to one, so an L2 norm is a root mean square, in the units of the function.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from geomdp.errors import InvalidRecordError

Floats: TypeAlias = NDArray[np.float64]

#: Fewer points cannot carry a curve: a mean, one frequency and its phase already need three.
FEWEST_POINTS = 4


@dataclass(frozen=True)
class CircleGrid:
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


@dataclass(frozen=True, eq=False)
class IntervalGrid:
    """Increasing points of an interval, even or not, with trapezoidal weights that sum to one.

    Examples
    --------
    >>> IntervalGrid([0, 1, 2, 4]).weights
    array([0.125, 0.25 , 0.375, 0.25 ])
    """

    points: Floats

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


@dataclass(frozen=True, eq=False)
class RingGrid:
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


Grid: TypeAlias = CircleGrid | IntervalGrid | RingGrid


def refuse_duplicate_end(points: Floats, owner: str) -> None:
    """Raise when ``points`` hold 0 and 1 of the circle, counting one sample twice.

    Examples
    --------
    >>> refuse_duplicate_end(np.array([0.0, 0.5]), "A curve")
    """
    if np.any(points == 0) and np.any(points == 1):
        raise InvalidRecordError(
            f"{owner} holds both 0 and 1, which are one point of the circle; drop the last point."
        )
