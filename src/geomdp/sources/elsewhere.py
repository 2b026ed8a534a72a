"""Points that lie on other machines: functions travel to them, and sums come back."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from geomdp.spaces.ball import Ball

#: No columns beside the points.
NOTHING: Mapping[str, Any] = MappingProxyType({})


class Elsewhere(ABC):
    """Points in blocks that lie elsewhere, as :class:`geomdp.Records` holds them."""

    #: Shape of one point.
    shape: tuple[int, ...]

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of points."""

    @abstractmethod
    def __getitem__(self, rows: slice) -> Any:
        """Bring some rows here: for what cannot be asked where they lie."""

    @abstractmethod
    def rows(self, places: Any) -> "Elsewhere":
        """Return the points at these places, which stay where they are."""

    @abstractmethod
    def converted(self, convert: Callable[[Any], Any], shape: tuple[int, ...]) -> "Elsewhere":
        """Return what a function makes of each block, where it lies.

        Parameters
        ----------
        convert
            Takes rows and gives as many; it travels.
        shape
            Of one row that it gives. What takes less room than before is kept there, in memory.
        """

    @abstractmethod
    def ask(
        self,
        question: Callable[[int, Any, Mapping[str, Any]], Any],
        door: Ball | None,
        columns: Mapping[str, Any] = NOTHING,
    ) -> Iterator[Any]:
        """Put a question to every block where it lies; answers come in the order of the blocks.

        Parameters
        ----------
        question
            Takes the number of the block's first row, the block, and the columns of its rows. It
            travels, so it is a function at the top of a module, or a ``partial`` of one.
        door
            A ball whose door every machine must show to hold before it answers.
        columns
            Arrays beside the points, of which each block gets its rows.

        Raises
        ------
        MachinesError
            If a machine is not fit to answer, or all that tried failed.
        """
