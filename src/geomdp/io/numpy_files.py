"""Records in npy and npz files."""

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError
from geomdp.io.shapes import RecordShape
from geomdp.io.tables import Choices, Raw, Texts, chosen, damaged


def read_npy(path: Path, choices: Choices) -> Raw:
    """Read one array; nothing that could run code is unpickled.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.npy"
    >>> np.save(path, np.zeros((5, 3)))
    >>> read_npy(path, Choices()).values.shape
    (5, 3)
    """
    if choices.columns or choices.keep:
        raise InvalidRecordError(
            f"{path.name} is one array without columns; use npz, csv or parquet to name them."
        )
    try:
        return Raw("npy", np.load(path, allow_pickle=False))
    except (ValueError, EOFError, OSError) as error:
        raise damaged(path, "npy", error) from error


def read_npz(path: Path, choices: Choices, shape: RecordShape) -> Raw:
    """Read the array that is named, or the only one whose shape fits; labels by their names.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.npz"
    >>> np.savez(path, points=np.zeros((5, 3)), sex=list("mffmf"))
    >>> raw = read_npz(path, Choices(keep=("sex",)), RecordShape((3,)))
    >>> raw.names, raw.columns["sex"].tolist()
    (('points',), ['m', 'f', 'f', 'm', 'f'])
    """
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
            arrays = {name: np.asarray(archive[name]) for name in archive.files}
    # A damaged zip fails in many ways (zipfile, zlib, struct, key and value errors).
    except Exception as error:
        raise damaged(path, "npz", error) from error
    name = _the_array(arrays, choices, shape, path.name)
    labels = {key: _texts(arrays[key], arrays[name], key, path.name) for key in choices.keep}
    return Raw("npz", arrays[name], (name,), labels)


def write_npz(path: Path, value: NDArray[Any], names: tuple[str, ...]) -> None:
    """Write a value under the name that the records had.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "value.npz"
    >>> write_npz(path, np.eye(2), ("tensors",))
    >>> with np.load(path) as archive:
    ...     archive.files
    ['tensors']
    """
    with path.open("wb") as stream:
        np.savez(stream, **{names[0]: value})  # type: ignore[arg-type]


def _the_array(
    arrays: dict[str, NDArray[Any]], choices: Choices, shape: RecordShape, file: str
) -> str:
    fitting = named = chosen(list(arrays), choices, file)
    if not choices.columns:
        many = [name for name in named if _holds_records(arrays[name], shape)]
        one = [name for name in named if arrays[name].shape == shape.shape]
        fitting = many or one
    if len(fitting) == 1:
        return fitting[0]
    found = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
    number = "several arrays" if fitting else "no array"
    remedy = "name one with --column" if fitting else "plan on the space of its records"
    raise InvalidRecordError(
        f"{file} holds {number} of records of shape {shape.shape} ({found}); {remedy}."
    )


def _holds_records(array: NDArray[Any], shape: RecordShape) -> bool:
    return array.ndim > 0 and shape.accepts(array.shape[1:], np.iscomplexobj(array))


def _texts(labels: NDArray[Any], records: NDArray[Any], name: str, file: str) -> Texts:
    if math.prod(labels.shape) != len(records) or len(labels) != len(records):
        raise InvalidRecordError(
            f"{name} in {file} has shape {labels.shape}, not one entry for each of the "
            f"{len(records)} records."
        )
    flat = labels.reshape(-1)
    if flat.dtype.kind == "f" and np.all(flat == np.round(flat)):
        flat = flat.astype(np.int64)  # labels 0.0, 1.0 are meant as 0, 1
    return flat.astype(str)
