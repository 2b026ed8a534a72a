"""Folders with one file a subject: NIfTI, npy, recordings or text tables, each of some records."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.io.csv_files import TABLE_ENDINGS
from geomdp.io.formats import (
    FORMATS,
    PARTS,
    PATH,
    FileParts,
    FolderFormat,
    Format,
    alike,
    files_in,
    folder_columns,
)
from geomdp.io.image_folders import IMAGE_ENDINGS
from geomdp.io.options import MASK
from geomdp.io.shapes import as_records, in_pairs, triangle_told
from geomdp.io.tables import Choices, Raw, Texts
from geomdp.spaces.record_shape import RecordShape
from geomdp.statistics.base import Statistic


class Subjects(FolderFormat):
    """One file a subject; a value is written as one such file."""

    options = (MASK,)
    one_file_a_subject = True
    kinds = ("nifti", "npy", "epochs", "csv")

    @property
    def endings(self) -> tuple[str, ...]:  # type: ignore[override]
        """Those of the formats that a subject's file may have."""
        return tuple(end for kind in self.kinds for end in FORMATS[kind].endings)

    def recognises(self, path: Path, choices: Choices, statistic: Statistic) -> bool:
        """Tell whether a folder holds subjects: a table may lie beside images, and is none."""
        if not path.is_dir():
            return False
        chosen = choices.files
        if files_in(path, FORMATS["nifti"].endings, chosen):
            return statistic.as_map() is None  # those are maps on a grid
        if files_in(path, (*FORMATS["npy"].endings, *FORMATS["epochs"].endings), chosen):
            return True
        others = (*IMAGE_ENDINGS, *FORMATS["meshes"].endings, *FORMATS["overlays"].endings)
        return bool(files_in(path, TABLE_ENDINGS, chosen)) and not files_in(path, others, chosen)

    def read(self, path: Path, choices: Choices, statistic: Statistic) -> Raw:
        """Read each file by itself; one that cannot be read is a record of NaN, or refused."""
        inner = self._kind(path, choices)
        files = files_in(path, inner.endings, choices.files)
        read = Subject(inner, replace(choices, keep=(), one_subject=True), statistic)
        found = [read.raw(file) for file in files]
        columns = _of_each(files, path, choices, [len(one.values) for one in found])
        notes = tuple(note for one in found for note in one.notes)
        return replace(read.joined(found, _type(found)), columns=columns, notes=notes)

    def parts(self, path: Path, choices: Choices, statistic: Statistic) -> FileParts:
        """Cut the folder into some subjects at a time; how many records each has is asked here."""
        inner = self._kind(path, choices)
        files = files_in(path, inner.endings, choices.files)
        read = Subject(inner, replace(choices, keep=(), one_subject=True), statistic)
        found = [read.announced(file) for file in files]
        counts = [len(one.values) for one in found]
        dtype = _type(found)
        one = np.zeros(found[0].values.shape[1:], dtype)
        columns = _of_each(files, path, choices, counts)
        rows = max(1, len(files) // PARTS)
        groups = [range(i, min(i + rows, len(files))) for i in range(0, len(files), rows)]
        sizes = tuple(sum(counts[i] for i in group) for group in groups)
        together = [tuple((files[i], counts[i]) for i in group) for group in groups]
        example = Raw(alike(sum(counts), one), columns=columns)
        return FileParts(sizes, partial(_subjects, read, together, dtype), example)

    def streams(self, path: Path) -> bool:  # noqa: D102
        return True

    def _kind(self, path: Path, choices: Choices) -> Format:
        chosen = choices.files
        found = [kind for kind in self.kinds if files_in(path, FORMATS[kind].endings, chosen)]
        if found[0] != "csv" and found[-1] == "csv":
            found.pop()  # a table about the subjects
        if len(found) > 1:
            raise InvalidRecordError(
                f"The folder {path.name} holds both {' and '.join(found)} files; give one file a "
                "subject, all of one kind."
            )
        return FORMATS[found[0]]


@dataclass(frozen=True, eq=False)
class Subject:
    """How the file of one subject is read."""

    inner: Format
    choices: Choices
    statistic: Statistic

    @property
    def shape(self) -> RecordShape:
        """How one raw record is written down."""
        return self.choices.raw_shape(self.statistic.record_shape)

    def raw(self, file: Path, count: int = 1) -> Raw:
        """Return the records of a file; NaN, so many of them, where it cannot be read."""
        return self._total(lambda: self._records(self._read(file), file), count)

    def announced(self, file: Path) -> Raw:
        """Return as many values as a file has records, of which only their shape and type count."""
        return self._total(lambda: self._announced(file), 1)

    def joined(self, found: list[Raw], dtype: np.dtype[Any]) -> Raw:
        """Put files one after the other; what each means does not hang on the types of others."""
        reading = self.choices.reading
        values = (one.values for one in found)
        if reading is not None:
            values = (v if v.dtype == dtype else reading.as_floats(v) for v in values)
        return Raw(np.concatenate([v.astype(dtype, copy=False) for v in values]))

    def _total(self, read: Callable[[], Raw], count: int) -> Raw:
        try:
            return read()
        except GeomdpError as error:
            if not self.choices.keep_unparsable:
                raise
            return Raw(np.full((count, *self.shape.shape), np.nan), notes=(str(error),))

    def _read(self, file: Path) -> Raw:
        return self.inner.read(file, self.choices, self.statistic)

    def _announced(self, file: Path) -> Raw:
        parts = self.inner.parts(file, self.choices, self.statistic)
        assert parts is not None  # each kind of file has parts
        values = parts.example.values
        many = not self.shape.accepts(values.shape, np.iscomplexobj(values))
        one = self._records(replace(parts.example, values=values[:1] if many else values), file)
        return replace(one, values=alike(len(values) if many else 1, one.values[0]))

    def _records(self, raw: Raw, file: Path) -> Raw:
        values, names, shape = raw.values, raw.names, self.shape
        if shape.accepts(values.shape, np.iscomplexobj(values)):
            values = values[None]
        if shape.complex and values.ndim == 2 and values.shape[1] == shape.size:
            values, _ = in_pairs(values, names, self.choices.layout, file.name)
        order = self.choices.triangle or raw.triangle
        told = triangle_told(values, names, shape, order, file.name) if shape.symmetric else order
        records = as_records(values, shape, told or "lower", file.name)
        # A file of complex numbers beside others of pairs means the same.
        return Raw(shape.as_real(records) if np.iscomplexobj(records) else records)


def _subjects(
    read: Subject, together: list[tuple[tuple[Path, int], ...]], dtype: np.dtype[Any], number: int
) -> Raw:
    """Read the files of some subjects: on a worker."""
    found = [read.raw(*one) for one in together[number]]
    return read.joined(found, dtype)


def _type(found: list[Raw]) -> np.dtype[Any]:
    """Return the type in which numbers of all files stand beside each other: theirs, or doubles."""
    types = {one.values.dtype for one in found}
    return types.pop() if len(types) == 1 else np.dtype(np.float64)


def _of_each(
    files: list[Path], path: Path, choices: Choices, counts: list[int]
) -> dict[str, Texts]:
    """Return what a folder tells of its files, for each of their records."""
    owner = np.repeat(np.arange(len(files)), counts)
    columns = folder_columns(files, path, Choices(keep=(*choices.keep, PATH)))
    return {name: texts[owner] for name, texts in columns.items()}


FORMATS.register("subjects", Subjects())
