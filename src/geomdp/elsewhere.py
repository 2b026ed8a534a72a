"""Points that lie on other machines: functions travel to them, and sums come back."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

from geomdp.spaces.ball import Ball


class Elsewhere(ABC):
    """Points in blocks that lie elsewhere, as :class:`geomdp.Records` holds them."""

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
    def ask(self, question: Callable[[int, Any], Any], door: Ball | None) -> Iterator[Any]:
        """Put a question to every block where it lies; answers come in the order of the blocks.

        Parameters
        ----------
        question
            Takes the number of the block's first row, and the block. It travels, so it is a
            function at the top of a module, or a ``partial`` of one.
        door
            A ball whose door every machine must show to hold before it answers.

        Raises
        ------
        MachinesError
            If a machine is not fit to answer, or all that tried failed.
        """
