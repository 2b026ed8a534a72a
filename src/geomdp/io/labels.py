"""A table about the records: groups and persons, where the file of records has no such columns."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from geomdp.errors import InvalidRecordError
from geomdp.io.cells import column
from geomdp.io.csv_files import open_table, text_table
from geomdp.io.folders import PATH
from geomdp.io.tables import Choices, Raw, Texts, listed, shown

#: Column of the table that names a file, where records come one file each.
FILE = "file"


def asked_of_table(choices: Choices) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return which of the kept columns the table has, and which the records must have.

    >>> asked_of_table(Choices(keep=("sex",)))
    ((), ('sex',))
    """
    if choices.labels is None:
        return (), choices.keep
    if not choices.labels.is_file():
        raise InvalidRecordError(f"There is no table {str(choices.labels)!r}; check the path.")
    names = open_table(choices.labels, _for_table(choices, choices.keep)).names
    inside = tuple(name for name in choices.keep if name in names)
    return inside, tuple(name for name in choices.keep if name not in inside)


def _for_table(choices: Choices, names: tuple[str, ...]) -> Choices:
    """Return how the table is read: its rows are apart from each other where records are."""
    return Choices(
        columns=names,
        keep=names,
        keep_unparsable=choices.keep_unparsable,
        persons=choices.persons,
    )


def with_labels(raw: Raw, inside: tuple[str, ...], choices: Choices) -> Raw:
    """Add the columns of the table: by the name of the file, or else in the order of the rows."""
    if not inside or choices.labels is None:
        return raw
    names, rows = text_table(choices.labels, _for_table(choices, inside))
    found = {name: column(names, rows, name) for name in inside}
    if FILE in names:
        places = _places(column(names, rows, FILE), raw, choices.labels.name)
    elif len(rows) != len(raw.values):
        raise InvalidRecordError(
            f"{choices.labels.name} has {len(rows)} rows where there are {len(raw.values)} "
            "records; give one row a record, in their order, or a column 'file' for a folder."
        )
    else:
        places = np.arange(len(rows))
    return replace(raw, columns={**raw.columns, **{n: t[places] for n, t in found.items()}})


def _places(files: Texts, raw: Raw, table: str) -> np.ndarray:
    """Return the table's row of each record, by path, name or stem of its file."""
    if PATH not in raw.columns:
        raise InvalidRecordError(
            f"{table} names files, but the records come in one; give one row a record instead."
        )
    known: dict[str, int | None] = {}
    for row, name in enumerate(files.tolist()):
        known[name] = None if name in known else row
    places = []
    for path in raw.columns[PATH].tolist():
        names = (path, Path(path).name, Path(path).name.partition(".")[0])
        place = next((known[name] for name in names if name in known), None)
        if place is None:
            raise InvalidRecordError(
                f"{table} has not one row for the file {shown(path)}; its column 'file' has "
                f"{listed(files.tolist())}."
            )
        places.append(place)
    return np.array(places, dtype=np.intp)
