"""Records in npy and npz files."""

import math
import zipfile
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError, MachinesError
from geomdp.io.formats import FORMATS, FileParts, Format, Value, alike, even_sizes
from geomdp.io.limits import is_large, require_plausible
from geomdp.io.tables import Choices, Raw, Texts, chosen, damaged, listed
from geomdp.scale.files import BLOCK_NUMBERS
from geomdp.spaces.record_shape import RecordShape
from geomdp.statistics.base import Statistic
from geomdp.typing import Array


class Head(NamedTuple):
    """What the header of an array says."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]


def read_npy(path: Path, choices: Choices) -> Raw:
    """Read one array, or map it if large; nothing that could run code is unpickled.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.npy"
    >>> np.save(path, np.zeros((5, 3)))
    >>> read_npy(path, Choices()).values.shape
    (5, 3)
    """
    _without_columns(path, choices)
    if is_large(path):  # perhaps larger than memory
        return Raw(_mapped(path))
    try:
        with path.open("rb") as stream:
            return Raw(read_array(stream, path.stat().st_size))
    # A damaged header fails in many ways (value, type, syntax, token, overflow errors).
    except Exception as error:
        raise damaged(path, "npy", error) from error


def _without_columns(path: Path, choices: Choices) -> None:
    if choices.columns or choices.keep:
        raise InvalidRecordError(
            f"{path.name} is one array without columns; use npz, csv or parquet to name them."
        )


def _mapped(path: Path) -> NDArray[Any]:
    try:  # refuses what is cut short, and Python objects
        return np.lib.format.open_memmap(path, mode="r")
    except Exception as error:
        raise damaged(path, "npy", error) from error


def _rows(path: Path, shape: tuple[int, ...], rows: int, number: int) -> Raw:
    """Read a part of the rows into memory: on a worker."""
    whole = _mapped(path)
    if whole.shape != shape:
        raise MachinesError(f"{path.name} has shape {whole.shape} there, not {shape}")
    return Raw(np.array(whole[number * rows : (number + 1) * rows]))


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
    heads = read_npz_heads(path)
    name = _the_array(heads, choices, shape, path.name)
    arrays = read_npz_arrays(path, {name, *choices.keep})
    labels = {key: _texts(arrays[key], arrays[name], key, path.name) for key in choices.keep}
    return Raw(arrays[name], (name,), labels)


def write_npz(path: Path, value: NDArray[Any], name: str) -> None:
    """Write a value under the name that the records had, whatever that name is.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "value.npz"
    >>> write_npz(path, np.eye(2), "tensors")
    >>> with np.load(path) as archive:
    ...     archive.files
    ['tensors']
    """
    # Not np.savez, whose own parameters (file, allow_pickle) are no names for arrays.
    with zipfile.ZipFile(path, "w") as archive, archive.open(f"{name}.npy", "w") as stream:
        np.lib.format.write_array(stream, value, allow_pickle=False)


def read_array(stream: IO[bytes], available: int) -> NDArray[Any]:
    """Read an array of a stream that holds this many bytes more, claims checked beforehand.

    Examples
    --------
    >>> import io
    >>> stream = io.BytesIO()
    >>> np.save(stream, np.zeros(9))
    >>> read_array(io.BytesIO(stream.getvalue()[:-1]), stream.tell() - 1)
    Traceback (most recent call last):
    ValueError: its header announces 72 bytes and 71 are there
    """
    start = stream.tell()
    head = read_head(stream)
    if head.dtype.hasobject:
        raise ValueError("it holds Python objects, which could run code and are not loaded")
    claimed, left = math.prod(head.shape) * head.dtype.itemsize, available - stream.tell() + start
    if any(length < 0 for length in head.shape) or claimed > left:
        raise ValueError(f"its header announces {claimed} bytes and {left} are there")
    stream.seek(start)
    return np.asarray(np.lib.format.read_array(stream, allow_pickle=False))


def read_head(stream: IO[bytes]) -> Head:
    """Read the header of an array.

    Examples
    --------
    >>> import io
    >>> stream = io.BytesIO()
    >>> np.save(stream, np.zeros((5, 3)))
    >>> read_head(io.BytesIO(stream.getvalue())).shape
    (5, 3)
    """
    version = np.lib.format.read_magic(stream)
    readers = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }
    if version not in readers:
        raise ValueError(f"version {version} of the format is not for arrays of numbers")
    shape, _, dtype = readers[version](stream)
    return Head(shape, dtype)


def read_npz_heads(path: Path) -> dict[str, Head]:
    """Read the headers of all arrays of an archive.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.npz"
    >>> np.savez(path, points=np.zeros((5, 3)))
    >>> read_npz_heads(path)["points"].shape
    (5, 3)
    """
    heads = {}
    try:
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                with archive.open(info) as stream:
                    heads[info.filename.removesuffix(".npy")] = read_head(stream)
    # A damaged zip fails in many ways (zipfile, zlib, struct, key and value errors).
    except Exception as error:
        raise damaged(path, "npz", error) from error
    return heads


def read_npz_arrays(path: Path, names: set[str]) -> dict[str, NDArray[Any]]:
    """Read the arrays with these names; an archive of implausible size is refused.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.npz"
    >>> np.savez(path, points=np.eye(2), other=np.zeros(9))
    >>> read_npz_arrays(path, {"points"})["points"].tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    arrays = {}
    try:
        with zipfile.ZipFile(path) as archive:
            members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
            require_plausible(path, sum(members[name].file_size for name in names))
            for name in names:
                with archive.open(members[name]) as stream:
                    arrays[name] = read_array(stream, members[name].file_size)
    except InvalidRecordError:
        raise
    except Exception as error:
        raise damaged(path, "npz", error) from error
    return arrays


def _the_array(heads: dict[str, Head], choices: Choices, shape: RecordShape, file: str) -> str:
    fitting = named = chosen(list(heads), choices, file)
    if not choices.columns:
        many = [name for name in named if _holds_records(heads[name], shape)]
        one = [name for name in named if heads[name].shape == shape.shape]
        fitting = many or one
    if len(fitting) == 1:
        return fitting[0]
    if not heads:
        raise InvalidRecordError(f"{file} holds no array at all; save the records into it.")
    found = listed([f"{name} {head.shape}" for name, head in heads.items()])
    number = "several arrays" if fitting else "no array"
    remedy = "name one with --column" if fitting else "plan on the space of its records"
    raise InvalidRecordError(
        f"{file} holds {number} of records of shape {shape.shape} ({found}); {remedy}."
    )


def _holds_records(head: Head, shape: RecordShape) -> bool:
    return bool(head.shape) and shape.accepts(head.shape[1:], head.dtype.kind == "c")


def _texts(labels: NDArray[Any], records: NDArray[Any], name: str, file: str) -> Texts:
    count = len(records) if records.ndim else 0
    if labels.ndim == 0 or math.prod(labels.shape) != count or len(labels) != count:
        raise InvalidRecordError(
            f"{listed([name])} in {file} has shape {labels.shape}, not one entry for each of the "
            f"{count} records."
        )
    flat = labels.reshape(-1)
    if flat.dtype.kind != "f":
        return flat.astype(str)
    missing = np.isnan(flat)
    known = flat[~missing]
    # Labels 0.0, 1.0 are meant as 0, 1, unless they are too large to be whole numbers.
    whole = np.all(known == np.round(known)) and np.all(np.abs(known) < 2**53)
    texts = np.full(flat.shape, "", dtype=object)
    texts[~missing] = (known.astype(np.int64) if whole else known).astype(str)
    return texts.astype(str)


class Npy(Format):
    """One array; ``value.npy`` is there anyway."""

    endings = (".npy",)

    def read(self, path: Path, choices: Choices, statistic: Statistic) -> Raw:  # noqa: D102
        return read_npy(path, choices)

    def parts(self, path: Path, choices: Choices, statistic: Statistic) -> FileParts:
        """Rows of the array, mapped on each machine."""
        _without_columns(path, choices)
        whole = _mapped(path)
        if not whole.ndim or not whole.size:
            raise InvalidRecordError(
                f"{path.name} holds an array of shape {whole.shape}; records lie along its first "
                "axis."
            )
        one = np.zeros(whole.shape[1:], dtype=whole.dtype)
        rows = max(1, BLOCK_NUMBERS // max(1, one.size))
        read = partial(_rows, path, whole.shape, rows)
        return FileParts(even_sizes(len(whole), rows), read, Raw(alike(len(whole), one)))


class Npz(Format):
    """Arrays by name; a value keeps its shape and the name of the records."""

    endings = (".npz",)
    value_file = "value.npz"

    def read(self, path: Path, choices: Choices, statistic: Statistic) -> Raw:  # noqa: D102
        return read_npz(path, choices, choices.raw_shape(statistic.record_shape))

    def write(self, file: Path, value: Value) -> None:  # noqa: D102
        write_npz(file, value.array, value.names[0] if value.names else "value")

    def read_back(self, file: Path, statistic: Statistic) -> NDArray[np.float64]:  # noqa: D102
        (array,) = read_npz_arrays(file, set(read_npz_heads(file))).values()
        return statistic.record_shape.as_real(array)

    def holds(self, file: Path, value: Array, statistic: Statistic) -> bool:  # noqa: D102
        names = set(read_npz_heads(file))
        held = read_npz_arrays(file, names).values()
        return len(names) == 1 and all(np.array_equal(array, value) for array in held)


FORMATS.register("npy", Npy())
FORMATS.register("npz", Npz())
