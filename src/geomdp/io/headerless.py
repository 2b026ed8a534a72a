"""Lines of a text table without a header, where every one must count: the plan says what they are.

The first line is a record like all others, so it cannot tell how many cells there are, or how a
symmetric matrix is written. Each line is taken by itself: the cells of labels and persons stand
where they were said to, and the others are the numbers of the record.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from geomdp.errors import InvalidRecordError
from geomdp.io.shapes import in_full
from geomdp.io.tables import Choices
from geomdp.spaces.record_shape import RecordShape
from geomdp.spaces.rows import real_number
from geomdp.typing import Array


@dataclass(frozen=True, eq=False)
class Headerless:
    """How one line becomes a record, and cells under the names of columns.

    Examples
    --------
    >>> lines = Headerless(RecordShape((2, 2), symmetric=True), Choices(keep=("1",)))
    >>> lines.names
    ['1', 'column 1', 'column 2', 'column 3', 'column 4']
    >>> rows = [lines.fitted(["P1", "1", "0.5", "2"]), lines.fitted(["P2", "1"])]
    >>> rows[1], lines.numbers(rows).tolist()
    (['P2', '1'], [[1.0, 0.5, 0.5, 2.0], [nan, nan, nan, nan]])
    """

    shape: RecordShape
    choices: Choices

    def __post_init__(self) -> None:
        if self.choices.columns:
            raise InvalidRecordError(
                "Columns of a table without a header cannot be chosen where every record must "
                "count, since the first one would tell their number; add a header line, or leave "
                "out --column."
            )
        most = self.shape.size + len(self.choices.keep)
        for name in self.choices.keep:
            if not (name.isdecimal() and 1 <= int(name) <= most):
                raise InvalidRecordError(
                    f"A table without a header has no column {name!r}; its columns are called 1, "
                    "2, 3."
                )

    @property
    def names(self) -> list[str]:
        """Columns that are kept, and then those of numbers."""
        return [*self.choices.keep, *(f"column {i + 1}" for i in range(self.shape.size))]

    def fitted(self, row: list[str]) -> list[str]:
        """Return the cells of a line, those that are kept first."""
        kept = [row[place] if place < len(row) else "" for place in self._places]
        return [*kept, *(cell for place, cell in enumerate(row) if place not in self._places)]

    def numbers(self, rows: Sequence[Sequence[str]]) -> Array:
        """Return all numbers of each record, from as many cells as one may have; else NaN."""
        table = np.full((len(rows), self.shape.size), np.nan)
        kept = len(self._places)
        for size in dict.fromkeys(self.shape.flat_sizes):
            places = [place for place, row in enumerate(rows) if len(row) == kept + size]
            cells = [[real_number(cell) for cell in rows[place][kept:]] for place in places]
            held = np.array(cells, dtype=np.float64).reshape(len(places), size)
            table[places] = in_full(held, self.shape, self.choices.triangle)
        return table

    @cached_property
    def _places(self) -> list[int]:
        return [int(name) - 1 for name in self.choices.keep]
