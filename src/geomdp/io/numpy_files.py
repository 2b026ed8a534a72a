"""Records in npy and npz files."""

import zipfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError, MachinesError
from geomdp.io.cells import one_a_record
from geomdp.io.formats import FORMATS, FileParts, Format, Value, alike, even_sizes
from geomdp.io.tables import Choices, Raw, chosen, no_array_to_choose
from geomdp.runtime.limits import is_large, read_as
from geomdp.runtime.npy_format import Head, read_array, read_npz_arrays, read_npz_heads
from geomdp.sources.files import BLOCK_NUMBERS, OPENERS
from geomdp.spaces.record_shape import RecordShape
from geomdp.statistics.base import Statistic
from geomdp.typing import Array


def read_npy(path: Path, choices: Choices) -> Raw:
    """Read one array, or map it if large; nothing that could run code is unpickled."""
    _without_columns(path, choices)
    if is_large(path):  # perhaps larger than memory
        return Raw(_mapped(path))
    with read_as(path, "npy"), path.open("rb") as stream:
        return Raw(read_array(stream, path.stat().st_size))


def _without_columns(path: Path, choices: Choices) -> None:
    if choices.columns or choices.keep:
        raise InvalidRecordError(
            f"{path.name} is one array without columns; use npz, csv or parquet to name them."
        )


def _mapped(path: Path, shape: tuple[int, ...] = ()) -> NDArray[Any]:
    with read_as(path, "npy"):  # refuses what is cut short, and Python objects
        return np.lib.format.open_memmap(path, mode="r")


def _rows(path: Path, shape: tuple[int, ...], rows: int, number: int) -> Raw:
    """Read a part of the rows into memory: on a worker."""
    whole = _mapped(path)
    if whole.shape != shape:
        raise MachinesError(f"{path.name} has shape {whole.shape} there, not {shape}")
    return Raw(np.array(whole[number * rows : (number + 1) * rows]))


def read_npz(path: Path, choices: Choices, shape: RecordShape) -> Raw:
    """Read the array that is named, or the only one whose shape fits; labels by their names."""
    heads = read_npz_heads(path)
    name = _the_array(heads, choices, shape, path.name)
    arrays = read_npz_arrays(path, {name, *choices.keep})
    records = arrays[name]
    count = len(records) if records.ndim else 0
    labels = {
        key: one_a_record(arrays[key], arrays[key].shape[:1] == (count,), count, key, path.name)
        for key in choices.keep
    }
    return Raw(records, (name,), labels)


def write_npz(path: Path, value: NDArray[Any], name: str) -> None:
    """Write a value under the name that the records had, whatever that name is."""
    # Not np.savez, whose own parameters (file, allow_pickle) are no names for arrays.
    member = zipfile.ZipInfo(f"{name}.npy")  # without the time: the same value is the same file
    with zipfile.ZipFile(path, "w") as archive, archive.open(member, "w") as stream:
        np.lib.format.write_array(stream, value, allow_pickle=False)


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
    shapes = {name: head.shape for name, head in heads.items()}
    raise no_array_to_choose(shapes, bool(fitting), shape, file)


def _holds_records(head: Head, shape: RecordShape) -> bool:
    return bool(head.shape) and shape.accepts(head.shape[1:], head.dtype.kind == "c")


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

    def held_names(self, file: Path) -> tuple[str, ...]:
        """Those of its arrays."""
        return tuple(read_npz_heads(file))

    def holds(self, file: Path, value: Array, statistic: Statistic) -> bool:  # noqa: D102
        names = set(read_npz_heads(file))
        held = read_npz_arrays(file, names).values()
        return len(names) == 1 and all(np.array_equal(array, value) for array in held)


FORMATS.register("npy", Npy())
FORMATS.register("npz", Npz())
OPENERS.register(".npy", _mapped)
