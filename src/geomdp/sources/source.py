"""What records are held by: points that can be walked again, here, in files or on workers."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from geomdp.spaces.ball import Ball
from geomdp.spaces.rows import COMPLEX, REAL, require_as_many

#: Rows of a block: little memory, and long enough for work on whole arrays.
BLOCK_ROWS = 1 << 14
#: No columns beside the points.
NOTHING: Mapping[str, Any] = MappingProxyType({})


class Source(ABC):
    """Points, one a record, in blocks: in memory, in files, or a Dask array."""

    #: Whether the points lie on other machines: functions travel to them, and answers come back.
    elsewhere: ClassVar[bool] = False

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """Shape of one point; empty where each has its own."""

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of points."""

    @abstractmethod
    def __getitem__(self, rows: Any) -> Any:
        """Bring some rows here, by a slice or by their places."""

    def blocks(self, rows: int = BLOCK_ROWS) -> Iterator[Any]:
        """Walk over the points, ``rows`` at a time; may be called again."""
        return (self[start : start + rows] for start in range(0, len(self), rows))

    def rows(self, places: NDArray[np.intp]) -> "Source":
        """Return the points at these places, which are taken when they are asked for."""
        return InMemory(self, places)

    def converted(self, convert: Callable[[Any], Any], shape: tuple[int, ...]) -> "Source":
        """Return what a function makes of the points, block by block, where they lie.

        Parameters
        ----------
        convert
            Takes rows and gives as many; it may travel.
        shape
            Of one row that it gives.
        """
        return InMemory(self, convert=convert, one=shape)

    def ask(
        self,
        question: Callable[[int, Any, Mapping[str, Any]], Any],
        door: Ball | None = None,
        columns: Mapping[str, Any] = NOTHING,
    ) -> Iterator[Any]:
        """Put a question to every block where it lies; answers come in the order of the blocks.

        Parameters
        ----------
        question
            Takes the number of the block's first row, the block, and the columns of its rows. It
            may travel, so it is a function at the top of a module, or a ``partial`` of one.
        door
            A ball whose door every other machine must show to hold before it answers.
        columns
            Arrays beside the points, of which each block gets its rows.

        Raises
        ------
        GeomdpError
            If the blocks hold more or fewer points than the source said.
        MachinesError
            If a machine is not fit to answer, or all that tried failed.
        """
        start = 0
        for block in self.blocks():
            end = start + len(block)
            here = {name: column[start:end] for name, column in columns.items()}
            yield question(start, block, here)
            start = end
        require_as_many(start, len(self))


@dataclass(frozen=True, eq=False)
class InMemory(Source):
    """Points that this machine reaches by itself: an array, a memory-map, a frame, a list.

    ``points``: what holds them, with a length; slices, or a walk that can be done again.
    ``places``: which of them are meant; all where it is left out. Nothing is copied before it is
    asked for. ``convert``, ``one``: what is made of rows when they are taken, and the shape of one
    that was made.
    """

    points: Any
    places: NDArray[np.intp] | None = None
    convert: Callable[[Any], Any] | None = None
    one: tuple[int, ...] = ()

    @property
    def shape(self) -> tuple[int, ...]:  # noqa: D102
        if self.convert is not None or isinstance(self.points, Source):
            return self.one or getattr(self.points, "shape", ())
        plain = isinstance(self.points, np.ndarray) and self.points.dtype.kind in REAL + COMPLEX
        return tuple(self.points.shape[1:]) if plain else ()

    def __len__(self) -> int:
        return len(self.points if self.places is None else self.places)

    def __getitem__(self, rows: Any) -> Any:
        return self._made(taken(self.points, rows if self.places is None else self.places[rows]))

    def blocks(self, rows: int = BLOCK_ROWS) -> Iterator[Any]:  # noqa: D102
        if hasattr(self.points, "__getitem__"):
            yield from super().blocks(rows)
            return
        walk = iter(self.points)
        while part := list(islice(walk, rows)):
            yield self._made(part)

    def rows(self, places: NDArray[np.intp]) -> "InMemory":  # noqa: D102
        if not hasattr(self.points, "__getitem__"):  # walked over, without places
            return InMemory(list(self.points), places, self.convert, self.one)
        return replace(self, places=places if self.places is None else self.places[places])

    def _made(self, part: Any) -> Any:
        if self.convert is None:
            return part
        made = self.convert(part)
        require_as_many(len(made), len(part))
        return made


def taken(points: Any, rows: Any) -> Any:
    """Return some rows, by their places (a slice or indices), of anything that holds records."""
    if isinstance(points, list | tuple):
        return points[rows] if isinstance(rows, slice) else [points[row] for row in rows.tolist()]
    # The brackets of a frame go by names.
    return getattr(points, "iloc", points)[rows]
