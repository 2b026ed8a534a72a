"""Folders with one file a subject: NIfTI, npy or text tables, one record or many in each."""

from pathlib import Path

import numpy as np

from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.io.csv_files import TABLE_ENDINGS
from geomdp.io.folders import PATH, files_in, folder_columns
from geomdp.io.formats import FORMATS, FolderFormat, Format
from geomdp.io.image_folders import IMAGE_ENDINGS
from geomdp.io.layouts import in_pairs
from geomdp.io.shapes import as_records
from geomdp.io.tables import Choices, Raw
from geomdp.spaces.record_shape import RecordShape
from geomdp.statistics.base import Statistic
from geomdp.statistics.map_mean import MapMean
from geomdp.typing import Array


class Subjects(FolderFormat):
    """One file a subject; a value is written as one such file.

    Examples
    --------
    >>> import tempfile
    >>> import geomdp as dp
    >>> folder = Path(tempfile.mkdtemp())
    >>> for i in range(3):
    ...     np.save(folder / f"sub-{i}.npy", np.array([0.0, 0.0, 1.0]))
    >>> mean = dp.FrechetMean(dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5))
    >>> raw = Subjects().read(folder, Choices(), mean)
    >>> raw.values.shape, raw.columns["path"].tolist()
    ((3, 3), ['sub-0.npy', 'sub-1.npy', 'sub-2.npy'])
    """

    takes_mask = True
    kinds = ("nifti", "npy", "csv")

    @property
    def endings(self) -> tuple[str, ...]:  # type: ignore[override]
        """Those of the formats that a subject's file may have."""
        return tuple(end for kind in self.kinds for end in FORMATS[kind].endings)

    def recognises(self, path: Path, choices: Choices, statistic: Statistic) -> bool:
        """Tell whether a folder holds subjects: a table may lie beside images, and is none."""
        if not path.is_dir() or isinstance(statistic, MapMean):
            return False
        if files_in(path, (*FORMATS["nifti"].endings, *FORMATS["npy"].endings)):
            return True
        others = (*IMAGE_ENDINGS, *FORMATS["meshes"].endings)
        return bool(files_in(path, TABLE_ENDINGS)) and not files_in(path, others)

    def read(self, path: Path, choices: Choices, statistic: Statistic) -> Raw:
        """Read each file by itself; one that cannot be read is a record of NaN, or refused."""
        inner = self._kind(path)
        files = files_in(path, inner.endings)
        shape = choices.raw_shape(statistic.record_shape)
        alone = Choices(**{**choices.__dict__, "keep": ()})
        parts: list[Array] = []
        notes: list[str] = []
        names: tuple[str, ...] = ()
        for file in files:
            try:
                points, names = _records(inner.read(file, alone, statistic), file, shape, choices)
            except GeomdpError as error:
                if not choices.keep_unparsable:
                    raise
                points = np.full((1, *shape.shape), np.nan)
                notes.append(str(error))
            parts.append(points)
        owner = np.repeat(np.arange(len(files)), [len(part) for part in parts])
        kept = Choices(keep=(*choices.keep, PATH))
        columns = folder_columns(files, path, kept)
        each = {name: texts[owner] for name, texts in columns.items()}
        return Raw(np.concatenate(parts), names, each, tuple(notes))

    def _kind(self, path: Path) -> Format:
        found = [kind for kind in self.kinds if files_in(path, FORMATS[kind].endings)]
        if found[0] != "csv" and found[-1] == "csv":
            found.pop()  # a table about the subjects
        if len(found) > 1:
            raise InvalidRecordError(
                f"The folder {path.name} holds both {' and '.join(found)} files; give one file a "
                "subject, all of one kind."
            )
        return FORMATS[found[0]]


def _records(
    raw: Raw, file: Path, shape: RecordShape, choices: Choices
) -> tuple[Array, tuple[str, ...]]:
    values, names = raw.values, raw.names
    if values.shape == shape.shape:
        values = values[None]
    if shape.complex and values.ndim == 2 and values.shape[1] == shape.size:
        values, names = in_pairs(values, names, choices.layout, file.name)
    return as_records(values, shape, choices.triangle, file.name), names


FORMATS.register("subjects", Subjects())
