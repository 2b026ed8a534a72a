"""What a file format is: one file that reads records, writes a value, and reads it back."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, get_args

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError
from geomdp.io.tables import Choices, Raw, Texts
from geomdp.options import Option
from geomdp.registry import Registry
from geomdp.spaces.record_shape import Triangle
from geomdp.statistics.base import Statistic
from geomdp.typing import Array

#: How the names of files begin that hold a released value, and one with less error.
VALUE_STEM, DENOISED_STEM = "value", "denoised"


@dataclass(frozen=True, eq=False)
class Value:
    """A value to be written as the records were.

    Attributes
    ----------
    array
        The released value.
    statistic
        Whose value it is.
    names
        Names of the columns that may be published.
    size
        How many numbers a record took.
    triangle
        Order of the components where a symmetric matrix is written as its triangle.
    grid
        Public places of the voxels, for a format that has them.

    Examples
    --------
    >>> import geomdp as dp
    >>> summary = dp.Summary(dp.SPD(2), 0.1)
    >>> Value(np.eye(2), summary, ("xx", "yx", "yy"), 3).row.tolist()
    [1.0, 0.0, 1.0]
    """

    array: Array
    statistic: Statistic
    names: tuple[str, ...]
    size: int
    triangle: Triangle = "lower"
    grid: Any = None

    @property
    def row(self) -> NDArray[np.float64]:
        """The value as a row of real numbers, packed as a record was."""
        return self.statistic.record_shape.pack(self.array, self.size, self.triangle)

    @property
    def real(self) -> NDArray[np.float64]:
        """The value in its own shape, complex numbers as pairs."""
        return self.statistic.record_shape.as_real(self.array)


def holds_denoised(file: Path) -> bool:
    """Tell by its name whether a file holds a denoised value, and not the value as drawn."""
    return file.stem.startswith(DENOISED_STEM)


@dataclass(frozen=True, eq=False)
class FileParts:
    """A file or folder that other machines read part by part.

    ``sizes``: records of each part. ``read``: takes the number of a part and reads it; it travels.
    ``example``: what all parts have in common: names of columns, the labels of ALL records, and as
    many values as there are records, of which only their shape counts; none of them is a record.
    ``slow``: whether reading a part takes so long that workers keep what came out, in memory.
    """

    sizes: tuple[int, ...]
    read: Callable[[int], Raw]
    example: Raw
    slow: bool = False


def alike(count: int, one: NDArray[Any]) -> NDArray[Any]:
    """Return a value as often as there are records, in no more memory."""
    return np.broadcast_to(one, (count, *one.shape))


#: Parts of a folder, at least, where there are as many files: enough for many workers.
PARTS = 64


def even_sizes(count: int, rows: int) -> tuple[int, ...]:
    """Return the sizes of parts of so many rows."""
    return tuple(min(rows, count - start) for start in range(0, count, rows))


class Format(ABC):
    """Reads records, each by itself, and writes a value the same way."""

    #: How the names of its files end, in small letters.
    endings: tuple[str, ...]
    #: Name of the file that a value is written to; None where ``value.npy`` says it all.
    value_file: ClassVar[str | None] = None
    #: Whether its records come in a folder of files.
    of_folders: ClassVar[bool] = False
    #: Whether a file holds all records of one subject, be they one or many.
    one_file_a_subject: ClassVar[bool] = False
    #: Options of the command that say how its files are read, beside those that all formats share;
    #: what was typed reaches :meth:`read` as fields of the choices, or as their ``more``.
    options: ClassVar[tuple[Option, ...]] = ()

    def recognises(self, path: Path, choices: Choices, statistic: Statistic) -> bool:
        """Tell whether a path is of this format, for records of this statistic."""
        return not path.is_dir() and path.name.lower().endswith(self.endings)

    @abstractmethod
    def read(self, path: Path, choices: Choices, statistic: Statistic) -> Raw:
        """Read the records: numbers as they stand, and the columns to be kept beside them.

        Raises
        ------
        InvalidRecordError
            One sentence: what is wrong with the file, and what to do.
        """

    def parts(self, path: Path, choices: Choices, statistic: Statistic) -> FileParts | None:
        """Return how other machines read the records; None where only the whole can be read."""
        return None

    def streams(self, path: Path) -> bool:
        """Tell whether a large file is read part by part here too, at every pass."""
        return False

    def write(self, file: Path, value: Value) -> None:
        """Write a value to its file with all digits; asked for only where there is one."""
        raise NotImplementedError

    def read_back(self, file: Path, statistic: Statistic) -> NDArray[np.float64]:
        """Read the numbers that :meth:`write` wrote."""
        return self.read(file, Choices(), statistic).values

    def file_of(self, statistic: Statistic) -> str | None:
        """Return the name of the file that a value of this statistic is written to."""
        return self.value_file

    @property
    def value_files(self) -> tuple[str, ...]:
        """Names that such a file can have."""
        return () if self.value_file is None else (self.value_file,)

    def writes(self, name: str) -> bool:
        """Tell whether a value, or a denoised one, is written to a file of this name."""
        return any(name in (own, named(own, DENOISED_STEM)) for own in self.value_files)

    def held_names(self, file: Path) -> tuple[str, ...]:
        """Return the names that a value's file has by itself, however it is read; none here."""
        return ()

    def holds(self, file: Path, value: Array, statistic: Statistic) -> bool:
        """Tell whether a file that :meth:`write` wrote holds exactly this value."""
        row, shape = self.read_back(file, statistic).reshape(-1), statistic.record_shape
        packed = (shape.pack(value, row.size, order) for order in get_args(Triangle))
        return any(np.array_equal(row, numbers) for numbers in packed)


class FolderFormat(Format):
    """A folder of files, one record each."""

    of_folders: ClassVar[bool] = True

    def recognises(self, path: Path, choices: Choices, statistic: Statistic) -> bool:
        """Tell whether a folder, or one below it, has a file with one of the endings."""
        return path.is_dir() and bool(self.files(path, choices))

    def files(self, path: Path, choices: Choices) -> list[Path]:
        """Return the files of a folder that are records of this format."""
        return files_in(path, self.endings, choices.files)

    def cut(
        self,
        path: Path,
        choices: Choices,
        read: Callable[[list[Path]], Raw],
        example: Raw,
        together: int,
        slow: bool = False,
    ) -> FileParts:
        """Cut a folder into some files at a time, of which ``read`` makes one record each."""
        files = self.files(path, choices)
        columns = folder_columns(files, path, choices)
        whole = replace(example, values=alike(len(files), example.values), columns=columns)
        rows = max(1, min(together, len(files) // PARTS))
        sizes = even_sizes(len(files), rows)
        return FileParts(sizes, partial(_between, read, files, rows), whole, slow)


def _between(read: Callable[[list[Path]], Raw], files: list[Path], rows: int, number: int) -> Raw:
    """Read a part of the files: on a worker."""
    return read(files[number * rows : (number + 1) * rows])


#: Formats by name, in the order in which a path is offered to them.
FORMATS: Registry[Format] = Registry(
    "file format",
    own=("geomdp.io.*",),
    first=(
        "npy",
        "npz",
        "across",
        "landmarks",
        "csv",
        "sheets",
        "parquet",
        "mat",
        "biom",
        "nifti",
        "tps",
        "nts",
        "epochs",
        "images",
        "meshes",
        "overlays",
        "maps",
        "subjects",
    ),
)


def value_files(stem: str = VALUE_STEM) -> tuple[str, ...]:
    """Return the names under which formats write values, or denoised ones."""
    return tuple(sorted({named(n, stem) for form in FORMATS.values() for n in form.value_files}))


def named(value_file: str, stem: str) -> str:
    """Return the name of a value's file with another stem."""
    if stem == VALUE_STEM:
        return value_file
    joined = "" if value_file.startswith(VALUE_STEM) else "-"
    return stem + joined + value_file.removeprefix(VALUE_STEM)


#: Name of the column with the path of a record's file below the folder.
PATH = "path"
#: Entities in the names of files as BIDS has them: sub-01_ses-2_desc-preproc_tensor.nii.gz.
ENTITIES = ("sub", "ses")
#: What a folder can tell of each of its files.
FOLDER_COLUMNS = ("file", "folder", PATH, *ENTITIES)


def files_in(folder: Path, endings: Sequence[str], pattern: str | None = None) -> list[Path]:
    """Return the files with these endings, in the order of their names, subfolders included.

    With a pattern, only those whose path below the folder is like it. A pipe, or a link to nothing,
    is one of them, and no record: whoever reads it says so.
    """
    ends = tuple(endings)
    found = sorted(
        file for file in folder.rglob("*") if file.name.lower().endswith(ends) and not file.is_dir()
    )
    if pattern is None:
        return found
    return [file for file in found if fnmatchcase(file.relative_to(folder).as_posix(), pattern)]


def entity_of(path: str, name: str) -> str:
    """Return what a path says of an entity of BIDS, with its name; empty if nothing."""
    found = re.findall(rf"(?:^|[/_])({name}-[0-9A-Za-z]+)", path)
    return str(found[-1]) if found else ""


def folder_columns(files: Sequence[Path], folder: Path, choices: Choices) -> dict[str, Texts]:
    """Return the columns asked for: name of the file, its subfolder, or its whole path."""
    unknown = [name for name in (*choices.columns, *choices.keep) if name not in FOLDER_COLUMNS]
    if unknown:
        raise InvalidRecordError(
            f"A folder has no column {unknown[0]!r}; it has {', '.join(FOLDER_COLUMNS)}, and more "
            "if --labels names a table about its files."
        )
    named = {
        "file": [file.name.removesuffix(".gz").rpartition(".")[0] for file in files],
        "folder": [file.parent.relative_to(folder).as_posix() for file in files],
        PATH: [file.relative_to(folder).as_posix() for file in files],
    }
    named |= {one: [entity_of(path, one) for path in named[PATH]] for one in ENTITIES}
    return {name: np.array(named[name], dtype=str) for name in choices.keep}
