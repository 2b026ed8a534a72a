"""Folders with a number a vertex of a surface, one file a person: FreeSurfer, mgh, GIFTI.

All on one mesh, such as fsaverage. ``--space euclidean:1 --voxels V`` asks for a mean vertex by
vertex, ``--space euclidean:V`` for one of vectors.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError
from geomdp.io.formats import FORMATS, FileParts, FolderFormat, Value, folder_columns
from geomdp.io.tables import Choices, Raw
from geomdp.runtime.limits import read_as
from geomdp.statistics.base import Statistic
from geomdp.surfaces.mesh.freesurfer_format import CURVATURES, VOLUMES, read_curvature, read_mgh
from geomdp.surfaces.mesh.xml_formats import read_gifti_overlay, write_gifti_overlay
from geomdp.typing import Array

_GIFTI = (".shape.gii", ".func.gii")
#: Readers by how a file ends.
_READERS: dict[str, Callable[[Path], NDArray[np.float64]]] = {
    **dict.fromkeys(CURVATURES, read_curvature),
    **dict.fromkeys(VOLUMES, read_mgh),
    **dict.fromkeys(_GIFTI, read_gifti_overlay),
}
#: Files that a worker reads one after the other, at most.
_TOGETHER = 64


def read_overlay(path: Path) -> NDArray[np.float64]:
    """Read the numbers of one file."""
    ends = path.name.lower()
    with read_as(path, "overlay"):
        return next(read for end, read in _READERS.items() if ends.endswith(end))(path)


class Overlays(FolderFormat):
    """One file a person, a number a vertex; a value is a GIFTI file of the same."""

    endings = tuple(_READERS)
    value_file = "value.shape.gii"

    def read(self, path: Path, choices: Choices, statistic: Statistic) -> Raw:
        """Read each file as one record."""
        files = self.files(path, choices)
        columns = folder_columns(files, path, choices)
        return replace(_overlays(files, statistic, choices), columns=columns)

    def parts(self, path: Path, choices: Choices, statistic: Statistic) -> FileParts:
        """Cut the folder into some files at a time."""
        read = partial(_overlays, statistic=statistic, choices=replace(choices, keep=()))
        return self.cut(path, choices, read, Raw(_blank(statistic, choices)), _TOGETHER)

    def write(self, file: Path, value: Value) -> None:  # noqa: D102
        write_gifti_overlay(file, value.real.reshape(-1))

    def holds(self, file: Path, value: Array, statistic: Statistic) -> bool:
        """Tell whether a file holds exactly these numbers."""
        return np.array_equal(read_overlay(file), np.asarray(value).reshape(-1))


def _blank(statistic: Statistic, choices: Choices) -> NDArray[np.float64]:
    return np.full(choices.raw_shape(statistic.record_shape).shape, np.nan)


def _overlays(files: list[Path], statistic: Statistic, choices: Choices) -> Raw:
    """Read each file by itself; one that cannot be read is a record of NaN, or refused."""
    blank, found, notes = _blank(statistic, choices), [], []
    for file in files:
        try:
            numbers = read_overlay(file)
            if numbers.size != blank.size:
                raise InvalidRecordError(
                    f"{file.name} has {numbers.size} vertices where the plan says {blank.size}: "
                    "resample all people to one mesh, and plan with its number of vertices."
                )
            found.append(numbers.reshape(blank.shape))
        except InvalidRecordError as error:
            if not choices.keep_unparsable:
                raise
            found.append(blank)
            notes.append(str(error))
    return Raw(np.stack(found), notes=tuple(notes))


FORMATS.register("overlays", Overlays())
