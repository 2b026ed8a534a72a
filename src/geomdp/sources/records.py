"""The data as an object: points in chunks that can be walked again, and columns beside them."""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import array_api_compat
import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError
from geomdp.sources.dask_source import DaskSource, is_dask_array
from geomdp.sources.source import BLOCK_ROWS, InMemory, Source
from geomdp.spaces.numerics.linalg import home
from geomdp.spaces.rows import not_one_a_row, require_ordered, without_point

#: Name among the columns of the label that each record has.
GROUP = "group"


@dataclass(frozen=True, eq=False)
class Records:
    """Records, one a row, with what is known beside them: the only road into a release.

    Parameters
    ----------
    points
        An array, a memory-map, a Dask array, or anything with a length whose slices are arrays, or
        that can be walked over again; for surfaces a list of meshes.
    group
        Label of each record, where a plan has groups or classes.
    person
        Who each record belongs to, where the unit of privacy is a person.
    covariates
        Columns by name, for a regression: numbers, or texts of levels.
    read
        Whether the points are read already, so that a plan with a reading takes them as they are.
    period
        Public period in which each record entered, where releases come over time.

    Examples
    --------
    >>> records = Records(np.zeros((5, 3)), group=["a", "b", "a", "b", "b"])
    >>> len(records), [chunk.shape for chunk in records.chunks(2)]
    (5, [(2, 3), (2, 3), (1, 3)])
    >>> len(records.rows(records.group == "b"))
    3
    """

    points: Any
    group: Any = None
    person: Any = None
    covariates: Mapping[str, Any] = field(default_factory=dict)
    read: bool = False
    period: Any = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", _with_length(self.points))
        for name in ("group", "person", "period"):
            column = getattr(self, name)
            if column is not None:
                object.__setattr__(self, name, self._texts(name, column))
        columns = {name: self._fitting(name, _cells(c)) for name, c in self.covariates.items()}
        object.__setattr__(self, "covariates", columns)

    def __len__(self) -> int:
        return len(self.points)

    @property
    def beside(self) -> Mapping[str, Any]:
        """All that lies beside the points and a statistic may ask for: covariates, and labels."""
        return self.covariates if self.group is None else {GROUP: self.group, **self.covariates}

    @cached_property
    def source(self) -> Source:
        """What holds the points: in memory, in files, or on other machines."""
        return self.points if isinstance(self.points, Source) else InMemory(self.points)

    def chunks(self, rows: int = BLOCK_ROWS) -> Iterator[Any]:
        """Walk over the points, ``rows`` at a time; may be called again."""
        return self.source.blocks(rows)

    def pieces(self, names: Sequence[str], rows: int = BLOCK_ROWS) -> Iterator[Any]:
        """Walk over the points, or over points with these covariates where there are any."""
        if not names:
            yield from self.chunks(rows)
            return
        kept = {name: self.beside[name] for name in names if name in self.beside}
        for start, chunk in zip(range(0, len(self), rows), self.chunks(rows), strict=True):
            columns = {name: column[start : start + rows] for name, column in kept.items()}
            yield Records(chunk, covariates=columns)

    def rows(self, chosen: Any) -> "Records":
        """Return the records at these places (a mask or indices)."""
        places = np.arange(len(self))[chosen]
        return Records(
            self.source.rows(places),
            None if self.group is None else self.group[places],
            None if self.person is None else self.person[places],
            {name: column[places] for name, column in self.covariates.items()},
            self.read,
            None if self.period is None else self.period[places],
        )

    def _texts(self, name: str, column: Any) -> NDArray[np.str_]:
        # Labels and ids are compared as trimmed texts: "P1 " is "P1".
        array = self._fitting(name, _cells(column))
        if array.dtype.kind == "U":
            return np.char.strip(array)
        return np.array([_text(cell) for cell in array.tolist()], dtype=str)

    def _fitting(self, name: str, column: Any) -> NDArray[Any]:
        array = np.asarray(column)
        if array.shape != (len(self),):
            raise InvalidRecordError(
                f"The column {name!r} has shape {array.shape}, but there are {len(self)} records; "
                "give one entry a record."
            )
        return array


def _cells(column: Any) -> Any:
    """Return a list as single cells: one that is a text must not turn the others into texts."""
    if not isinstance(column, list | tuple):
        return column
    cells = np.empty(len(column), dtype=object)
    for row, cell in enumerate(column):  # one by one: a cell may be a list, which is no row
        cells[row] = cell
    return cells


def _text(cell: Any) -> str:
    """Return a label or an id as a text; an empty one where it is missing."""
    if cell is None or isinstance(cell, bytes):
        return cell.decode(errors="replace").strip() if cell else ""
    try:
        missing = bool(cell != cell)  # noqa: PLR0124  as only gaps do
        return "" if missing else str(without_point(cell)).strip()
    except Exception:  # a gap that is neither equal nor unequal, or an object without a name
        return ""


def _with_length(points: Any) -> Any:
    """Return what has a length and rows; a list of what can only be walked over once."""
    if is_dask_array(points):
        return DaskSource(points)
    if not isinstance(points, str | bytes):  # the name of one mesh, of which surfaces speak
        require_ordered(points)
    if array_api_compat.is_array_api_obj(points):
        points = home(points)
    if isinstance(points, deque):  # has a length, and no slices
        return list(points)
    try:
        len(points)
    except TypeError:  # a generator, or an array without axes
        return _listed(points)
    return points


def _listed(points: Any) -> list[Any]:
    try:
        return list(points)
    except TypeError:
        raise not_one_a_row() from None


def as_records(data: Any) -> Records:
    """Wrap an array or a list of records; records stay as they are."""
    return data if isinstance(data, Records) else Records(data)
