"""One door for all formats: a path and a statistic in, records out."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from geomdp.errors import InvalidRecordError
from geomdp.io.cells import gap_notes, number_or_nan
from geomdp.io.compositions import roots_of_shares
from geomdp.io.csv_files import read_csv
from geomdp.io.folders import IMAGE_ENDINGS, files_in
from geomdp.io.landmark_files import is_long, read_long, read_tps
from geomdp.io.numpy_files import read_npy, read_npz
from geomdp.io.shapes import RecordShape, as_records, shape_of
from geomdp.io.tables import Choices, Raw, Texts
from geomdp.statistics.base import Statistic
from geomdp.typing import Array

TABLE_ENDINGS = (".csv", ".tsv", ".txt")
NIFTI_ENDINGS = (".nii", ".nii.gz")
READABLE = (".npy", ".npz", *TABLE_ENDINGS, ".parquet", *NIFTI_ENDINGS, ".tps")


@dataclass(frozen=True, eq=False)
class Records:
    """Records with what was kept beside them.

    Attributes
    ----------
    records
        As the statistic takes them, not yet checked.
    columns
        Labels and persons, by the name of their column.
    kind, names, size
        Format of the file, names of its columns of numbers, and how many numbers a record took:
        what is needed to write the value the same way.
    notes
        Sentences for the curator only.
    compositions
        Whether the file held shares, whose square roots the records are.
    """

    records: Array
    columns: Mapping[str, Texts]
    kind: str
    names: tuple[str, ...]
    size: int
    notes: tuple[str, ...] = ()
    compositions: bool = False


def read_records(path: str | Path, statistic: Statistic, choices: Choices | None = None) -> Records:
    r"""Read the records of a statistic from a file or folder.

    Parameters
    ----------
    path
        npy, npz, csv, parquet, NIfTI or tps file, or a folder of images or meshes.
    statistic
        What the records are for: its space says how a row of numbers becomes a record.
    choices
        Columns, mask and order of components, where the file needs them.

    Raises
    ------
    InvalidRecordError
        One sentence: what is wrong with the file, and what to do.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import geomdp as dp
    >>> file = Path(tempfile.mkdtemp()) / "tensors.csv"
    >>> _ = file.write_text("xx,yx,yy\n1,0.5,2\n2,0,1\n")
    >>> mean = dp.FrechetMean(dp.Ball(dp.SPD(2), center=np.eye(2), radius=2.0))
    >>> read_records(file, mean).records.shape
    (2, 2, 2)
    """
    path, choices = Path(path), choices or Choices()
    if not path.exists():
        raise InvalidRecordError(f"There is no file or folder {str(path)!r}; check the path.")
    try:
        raw = (
            _read_folder(path, choices, statistic)
            if path.is_dir()
            else _read_file(path, choices, shape_of(statistic))
        )
        return _shaped(raw, path, choices, statistic)
    except MemoryError:
        raise InvalidRecordError(
            f"{path.name} does not fit into memory; give smaller records, or use a larger machine."
        ) from None


def _shaped(raw: Raw, path: Path, choices: Choices, statistic: Statistic) -> Records:
    values, notes = _as_numbers(raw, path.name) if choices.keep_unparsable else (raw.values, ())
    records = values
    if raw.kind != "meshes":
        shape = shape_of(statistic)
        if not statistic.needs_n and values.shape == shape.shape:
            values = values[None]
        records = as_records(values, shape, choices.triangle, path.name)
    if choices.compositions:
        records = roots_of_shares(records, getattr(statistic, "space", None))
    if not statistic.needs_n:
        if len(records) != 1:
            raise InvalidRecordError(
                f"{path.name} holds {len(records)} points where one is needed; give a file with "
                "that point alone."
            )
        records = records[0]
    size, shares = values[0].size, choices.compositions
    return Records(records, raw.columns, raw.kind, raw.names, size, raw.notes + notes, shares)


def _as_numbers(raw: Raw, file: str) -> tuple[Array, tuple[str, ...]]:
    """Return an array of texts as numbers, NaN where a text is none."""
    if raw.values.dtype.kind not in "SU":
        return raw.values, ()
    cells = [number_or_nan(text) for text in raw.values.reshape(-1)]
    values = np.array(cells, dtype=np.float64).reshape(raw.values.shape)
    return values, gap_notes(values, file)


def _read_file(path: Path, choices: Choices, shape: RecordShape) -> Raw:
    ending = file_ending(path)
    if choices.mask is not None and ending not in NIFTI_ENDINGS:
        raise InvalidRecordError(f"A mask goes with a NIfTI file, not with {path.name}.")
    if ending == ".npy":
        return read_npy(path, choices)
    if ending == ".npz":
        return read_npz(path, choices, shape)
    if ending in TABLE_ENDINGS:
        return _read_table(path, choices, shape)
    if ending == ".tps":
        return read_tps(path, choices, shape.shape[0] if shape.complex else None)
    if ending == ".parquet":
        from geomdp.io.parquet_files import read_parquet

        return read_parquet(path, choices)
    from geomdp.io.nifti_files import read_nifti

    return read_nifti(path, choices)


def _read_table(path: Path, choices: Choices, shape: RecordShape) -> Raw:
    if shape.complex and is_long(path, choices):
        return read_long(path, choices, shape.shape[0])
    return read_csv(path, choices)


def _read_folder(path: Path, choices: Choices, statistic: Statistic) -> Raw:
    from geomdp.surfaces.meshio import READABLE as MESH_ENDINGS

    images, meshes = files_in(path, IMAGE_ENDINGS), files_in(path, MESH_ENDINGS)
    if bool(images) == bool(meshes):
        found = "both images and meshes" if images else "neither images nor meshes"
        raise InvalidRecordError(
            f"The folder {path.name} holds {found}; give a folder of one kind."
        )
    if images:
        from geomdp.io.image_folders import read_images

        return read_images(images, path, choices, shape_of(statistic))
    from geomdp.io.mesh_folders import read_meshes

    return read_meshes(meshes, path, choices, statistic)


def file_ending(path: Path) -> str:
    """Return the ending that tells the format, or say which ones there are.

    Examples
    --------
    >>> file_ending(Path("a/tensors.nii.gz"))
    '.nii.gz'
    """
    name = path.name.lower()
    for ending in READABLE:
        if name.endswith(ending):
            return ending
    raise InvalidRecordError(
        f"{path.name} has an ending that is not known; convert it to one of {', '.join(READABLE)}, "
        "or give a folder of images or meshes."
    )
