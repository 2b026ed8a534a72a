"""A table about the records: groups and persons, where the file of records has no such columns."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from geomdp.errors import InvalidRecordError
from geomdp.io.cells import and_more, column
from geomdp.io.csv_files import open_table, text_table
from geomdp.io.folders import PATH
from geomdp.io.tables import Choices, Raw, Texts, shown

#: Column of the table that names a file, where records come one file each.
FILE = "file"
#: Place of the empty row behind all others, for a file that no row names.
NO_LINE = -1


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
    table, notes = choices.labels.name, raw.notes
    if FILE in names:
        lines = _lines(column(names, rows, FILE), raw, table)
        alone = [path for path, line in lines.items() if line == NO_LINE]
        told = [f"{table} has no row for the file {shown(path)}" for path in alone]
        if told and not choices.keep_unparsable:
            raise InvalidRecordError(f"{told[0]}{and_more(len(told))}; add it, by its name.")
        notes = (*notes, *told)
        places = np.array([lines[path] for path in raw.columns[PATH].tolist()], dtype=np.intp)
    elif len(rows) != len(raw.values):
        raise InvalidRecordError(
            f"{table} has {len(rows)} rows where there are {len(raw.values)} records; give one row "
            "a record, in their order, or a column 'file' for a folder."
        )
    else:
        places = np.arange(len(rows))
    kept = {name: np.append(texts, "")[places] for name, texts in found.items()}
    return replace(raw, columns={**raw.columns, **kept}, notes=notes)


def _lines(files: Texts, raw: Raw, table: str) -> dict[str, int]:
    """Return the table's row of each file, by its path, name or stem.

    Two rows for a file are refused, whatever they say: one of them would speak for the record of
    another, and which one nobody knows.
    """
    if PATH not in raw.columns:
        raise InvalidRecordError(
            f"{table} names files, but the records come in one; give one row a record instead."
        )
    known: dict[str, list[int]] = {}
    for row, name in enumerate(files.tolist()):
        known.setdefault(name, []).append(row)
    lines = {}
    for path in dict.fromkeys(raw.columns[PATH].tolist()):
        names = {path, Path(path).name, Path(path).name.partition(".")[0]}
        rows = [row for name in names for row in known.get(name, ())]
        if len(rows) > 1:
            raise InvalidRecordError(
                f"{table} has {len(rows)} rows for the file {shown(path)}; leave one of them."
            )
        lines[path] = rows[0] if rows else NO_LINE
    return lines
