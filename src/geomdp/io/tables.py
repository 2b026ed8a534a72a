"""What a reader hands over, and the choices a person makes about a file."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError, MissingExtraError, did_you_mean
from geomdp.readings.base import Reading
from geomdp.spaces.record_shape import RecordShape, Triangle

#: Order of the coordinates of flat landmarks.
Layout: TypeAlias = Literal["pairs", "blocks"]
#: Labels or persons, one text a record.
Texts: TypeAlias = NDArray[np.str_]


@dataclass(frozen=True)
class Choices:
    """How to read a file; every field has a default that suits a file with nothing but records.

    Attributes
    ----------
    columns
        Names of the columns of numbers (csv, parquet) or of the array (npz); ``t_*`` names many.
    keep
        Columns of text to return beside the records: labels, persons.
    triangle
        Order of the components where a symmetric matrix is written as its triangle; None where the
        file tells.
    mask
        A NIfTI file whose voxels other than 0 are the records.
    reading
        What the plan says that a raw record is; None where it is a point.
    keep_unparsable
        Whether a cell or file that cannot be read makes its record NaN, with a note to the curator,
        instead of a refusal: the statistic then decides what such a record counts as.
    decimal
        What stands before the decimals in text tables.
    layout
        Whether flat landmarks are ``pairs`` (x1, y1, x2, y2) or ``blocks`` (x1, x2, y1, y2), where
        the names of the columns do not tell.
    workers, cache
        Processes that register meshes, and the folder that keeps what they made.
    labels
        A text table about the records, with columns to be kept.
    header
        Whether the first line of a text table names its columns; None where it tells by itself.
    sheet, header_row
        Which sheet of a spreadsheet, and which of its rows names the columns, where it does not
        tell.
    records
        Whether the rows of a text table are records, or its columns; None where it tells.
    files
        Which files of a folder are records, as a pattern of their paths; None where all are.
    one_subject
        Whether the file is one subject's, so that its first line may tell how the others are read.
    persons
        Which of the kept columns name persons; None where nobody says, so that each may.
    more
        What options say that a format of another package declares, by their key.

    Examples
    --------
    >>> Choices(columns=("t_*",)).decimal
    '.'
    """

    columns: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    triangle: Triangle | None = None
    mask: Path | None = None
    reading: Reading | None = None
    keep_unparsable: bool = False
    decimal: Literal[".", ","] = "."
    layout: Layout | None = None
    workers: int | None = None
    cache: Path | None = None
    labels: Path | None = None
    header: bool | None = None
    sheet: str | None = None
    header_row: int | None = None
    records: Literal["rows", "columns"] | None = None
    files: str | None = None
    one_subject: bool = False
    persons: tuple[str, ...] | None = None
    more: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def order(self) -> Triangle:
        """The order that was chosen, and the lower one where both are the same."""
        return self.triangle or "lower"

    @property
    def closed(self) -> bool:
        """Whether a line of a text table must close its quotes.

        Where every line is a record, a cell with ends of lines writes records. Of persons nobody
        counts the records, so that it could speak for others.
        """
        persons = self.keep if self.persons is None else self.persons
        return self.keep_unparsable and not self.one_subject and bool(persons)

    def raw_shape(self, shape: RecordShape) -> RecordShape:
        """Return how a raw record is written down, from how a record of the statistic is."""
        return shape if self.reading is None else self.reading.raw_shape(shape)


@dataclass(frozen=True, eq=False)
class Raw:
    """The content of a file: numbers as they stand, and the columns kept beside them.

    Examples
    --------
    >>> Raw(np.zeros((5, 3)), names=("x", "y", "z")).values.shape
    (5, 3)
    """

    values: NDArray[Any]
    names: tuple[str, ...] = ()
    columns: Mapping[str, Texts] = field(default_factory=dict)
    #: Sentences for the curator only: they depend on single records.
    notes: tuple[str, ...] = ()
    #: Whether the plan's reading is done: files that do not fit into memory are read one by one.
    read: bool = False
    #: Public places of the voxels, for a format that has them.
    grid: Any = None
    #: Order of a symmetric matrix's components, where the file says it.
    triangle: Triangle | None = None


def chosen(names: Sequence[str], choices: Choices, file: str) -> list[str]:
    """Return the columns of numbers, in the order of the file: those chosen, or all not kept."""
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated:
        raise InvalidRecordError(f"{file} has several columns named {shown(repeated[0])}.")
    absent = [name for name in choices.keep if name not in names]
    absent += [w for w in choices.columns if not matches(w, names)]
    if absent:
        parts = absent[0].split(",")
        several = "; write --column once for each." if set(parts) <= set(names) else ""
        near = several or did_you_mean(absent[0], names)
        raise InvalidRecordError(
            f"{file} has no column {absent[0]!r}; it has {listed(names) or 'none'}{near}"
        )
    if not choices.columns:
        return [name for name in names if name not in choices.keep]
    found = {name for wanted in choices.columns for name in matches(wanted, names)}
    return [name for name in names if name in found]


def matches(wanted: str, names: Sequence[str]) -> list[str]:
    """Return the names that a chosen column stands for."""
    # A name is taken literally first: brackets in it are no pattern.
    return [wanted] if wanted in names else [name for name in names if fnmatchcase(name, wanted)]


def shown(text: str) -> str:
    """Quote a text of unknown length for a sentence."""
    return repr(text if len(text) <= 40 else f"{text[:40]}...")


def listed(names: Sequence[str]) -> str:
    """List names for a sentence, not more than a person reads."""
    words = [name if name.isprintable() and 0 < len(name) <= 40 else shown(name) for name in names]
    return ", ".join(words[:12]) + (f" and {len(words) - 12} more" if len(words) > 12 else "")


def no_array_to_choose(
    shapes: Mapping[str, tuple[int, ...]], several: bool, shape: RecordShape, file: str
) -> InvalidRecordError:
    """Say that several arrays of a file hold records, or none, and what to do."""
    found = listed([f"{name} {one}" for name, one in shapes.items()])
    number = "several arrays" if several else "no array"
    remedy = "name one with --column" if several else "plan on the space of its records"
    return InvalidRecordError(
        f"{file} holds {number} of records of shape {shape.shape} ({found}); {remedy}."
    )


def needs_extra(module: str, extra: str = "io") -> MissingExtraError:
    """Say which optional package a format needs."""
    return MissingExtraError(
        f'Reading this format needs {module}; install it with: pip install "geomdp[{extra}]".'
    )
