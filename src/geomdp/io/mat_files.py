"""Records in MATLAB files of version 5 to 7: arrays of numbers and texts, nothing that runs.

A small reader of its own: every length that a file states is checked against the bytes that are
there before memory is taken, and what is no array of numbers or text is passed over.
"""

import io
import math
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError
from geomdp.io.cells import one_a_record, text_of
from geomdp.io.formats import FORMATS, Format, Value
from geomdp.io.tables import Choices, Raw, chosen, listed, no_array_to_choose
from geomdp.runtime.limits import ALWAYS_READ, LARGEST_RATIO, read_as, require_plain_file
from geomdp.spaces.record_shape import RecordShape
from geomdp.statistics.base import Statistic

_HEADER = 128
_MATRIX, _COMPRESSED = 14, 15
_CELL, _CHAR, _NUMERIC = 1, 4, range(6, 16)
#: How numbers are stored, whatever class of MATLAB they are of.
_STORED = {
    **{1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4"},
    **{7: "f4", 9: "f8", 12: "i8", 13: "u8", 16: "u1", 17: "u2"},
}


class Element(NamedTuple):
    """A part of a file: what it holds, and its bytes."""

    kind: int
    data: memoryview


def read_mat(path: Path, choices: Choices, shape: RecordShape) -> Raw:
    """Read the array that is named, or the only one whose shape fits; labels by their names.

    Records lie along the first axis or, as MATLAB users stack matrices, along the last: where both
    would fit, the file is refused, since nothing tells which is meant.
    """
    with read_as(path, "mat"):
        arrays = dict(_arrays(path))
    name, values = _the_array(arrays, choices, shape, path.name)
    labels = {
        key: one_a_record(one, one.dtype.kind in "biufU", len(values), key, path.name)
        for key, one in ((key, arrays[key]) for key in choices.keep)
    }
    return Raw(values, (name,), labels)


#: What a file says of itself, in a fixed number of bytes.
_HEAD, _HEAD_BYTES = b"MATLAB 5.0 MAT-file, written by geomdp", 116


def write_mat(path: Path, value: NDArray[Any], name: str) -> None:
    """Write one array under a name that MATLAB takes."""
    from scipy.io import savemat

    buffer = io.BytesIO()
    savemat(buffer, {name: value}, oned_as="row")
    # Its head names machine and time; without them the same value is the same file.
    head = _HEAD.ljust(_HEAD_BYTES)
    path.write_bytes(head + buffer.getvalue()[_HEAD_BYTES:])


def _the_array(
    arrays: dict[str, NDArray[Any]], choices: Choices, shape: RecordShape, file: str
) -> tuple[str, NDArray[Any]]:
    fitting = {}
    for name in chosen(list(arrays), choices, file):
        ways = _ways(arrays[name], shape)
        if len(ways) > 1:
            raise InvalidRecordError(
                f"{listed([name])} in {file} has shape {arrays[name].shape}, so that records may "
                "lie along its first axis or its last; save it as npz or csv, where they lie along "
                "the first."
            )
        if ways:
            fitting[name] = ways[0]
    if len(fitting) == 1:
        return next(iter(fitting.items()))
    shapes = {name: array.shape for name, array in arrays.items()}
    raise no_array_to_choose(shapes, bool(fitting), shape, file)


def _ways(array: NDArray[Any], shape: RecordShape) -> list[NDArray[Any]]:
    """Return the array with records along its first axis, in each way that fits."""
    is_complex = np.iscomplexobj(array)
    if array.dtype.kind not in "biufc" or array.ndim < 2:
        return []
    ways = [array] if shape.accepts(array.shape[1:], is_complex) else []
    if array.shape == shape.shape:
        return [array[None]]  # one point alone
    if array.ndim > 2 and shape.accepts(array.shape[:-1], is_complex):
        ways.append(np.moveaxis(array, -1, 0))
    return ways


def _arrays(path: Path) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield the arrays of numbers and texts by name."""
    require_plain_file(path)
    data = path.read_bytes()
    if data[:8] == b"\x89HDF\r\n\x1a\n" or data[:10] == b"MATLAB 7.3":
        raise InvalidRecordError(
            f"{path.name} is a MATLAB file of version 7.3; save it with: save(..., '-v7')."
        )
    if len(data) < _HEADER or data[126:128] not in (b"IM", b"MI"):
        raise ValueError("no MATLAB header of version 5 to 7")
    order = "<" if data[126:128] == b"IM" else ">"
    left = max(ALWAYS_READ >> 2, LARGEST_RATIO * len(data))  # numbers may be stored in a byte each
    for stored in _elements(memoryview(data)[_HEADER:], order):
        element = stored
        if stored.kind == _COMPRESSED:
            inside = _unpacked(stored.data, left, path.name)
            left -= len(inside)
            element = next(_elements(memoryview(inside), order))
        if element.kind == _MATRIX:
            name, array = _array(element.data, order, depth=0)
            if array is not None:
                yield name, array


def _elements(data: memoryview, order: str) -> Iterator[Element]:
    place = 0
    while place + 8 <= len(data):
        kind, size = struct.unpack_from(f"{order}II", data, place)
        if kind >> 16:  # small data in the tag itself
            size, kind = kind >> 16, kind & 0xFFFF
            if size > 4:
                raise ValueError(f"{size} bytes do not fit into a tag")
            yield Element(kind, data[place + 4 : place + 4 + size])
            place += 8
            continue
        if size > len(data) - place - 8:
            raise ValueError(f"{size} bytes are announced and {len(data) - place - 8} are there")
        yield Element(kind, data[place + 8 : place + 8 + size])
        place += 8 + size + (0 if kind == _COMPRESSED else -size % 8)


def _array(data: memoryview, order: str, depth: int) -> tuple[str, NDArray[Any] | None]:
    """Return name and content of a matrix; None where it is neither numbers nor texts."""
    parts = _elements(data, order)
    flags, sizes, label = next(parts), next(parts), next(parts)
    word = struct.unpack_from(f"{order}I", flags.data)[0]
    kind, is_complex = word & 0xFF, bool(word & 0x800)
    shape = tuple(int(n) for n in np.frombuffer(sizes.data, f"{order}i4"))
    name = bytes(label.data).decode("utf-8")
    if any(n < 0 for n in shape) or not 2 <= len(shape) <= 32:
        raise ValueError(f"{name} has shape {shape}")
    if kind == _CELL and depth == 0:
        cells = [_array(p.data, order, 1)[1] for p in parts if p.kind == _MATRIX]
        return name, np.array([_cell_text(cell) for cell in cells], dtype=str)
    if kind == _CHAR:
        letters = _numbers(next(parts), shape, order)
        return name, _words(letters.reshape(len(letters), -1))
    if kind not in _NUMERIC:
        return name, None
    real = _numbers(next(parts), shape, order)
    return name, real + 1j * _numbers(next(parts), shape, order) if is_complex else real


def _numbers(part: Element, shape: tuple[int, ...], order: str) -> NDArray[Any]:
    if part.kind not in _STORED:
        raise ValueError(f"numbers are not stored as type {part.kind}")
    stored = np.frombuffer(part.data, order + _STORED[part.kind])
    if stored.size != math.prod(shape):
        raise ValueError(f"shape {shape} needs {math.prod(shape)} numbers, not {stored.size}")
    return stored.astype(stored.dtype.newbyteorder("=")).reshape(shape, order="F")


def _words(letters: NDArray[Any]) -> NDArray[Any]:
    """Return each row of the codes of letters as a text."""
    codes = letters.astype("<u4")
    return np.array([row.tobytes().decode("utf-32-le", "replace") for row in codes], dtype=str)


def _cell_text(cell: NDArray[Any] | None) -> str:
    """Return one cell as a text; empty where it holds nothing, or more than one thing."""
    one = cell is not None and cell.dtype.kind in "biufU" and cell.size == 1
    return text_of(cell.reshape(-1).tolist()[0]) if one and cell is not None else ""


def _unpacked(data: memoryview, most: int, file: str) -> bytes:
    stream = zlib.decompressobj()
    inside = stream.decompress(data, most + 1)
    if len(inside) > most:
        raise InvalidRecordError(
            f"{file} unpacks to more than {most} bytes; it is damaged, or save it uncompressed."
        )
    if not stream.eof:
        raise ValueError("a compressed array is cut short")
    return inside


class Mat(Format):
    """Arrays by name; a value keeps its shape and the name of the records."""

    endings = (".mat",)
    value_file = "value.mat"

    def read(self, path: Path, choices: Choices, statistic: Statistic) -> Raw:  # noqa: D102
        return read_mat(path, choices, choices.raw_shape(statistic.record_shape))

    def write(self, file: Path, value: Value) -> None:  # noqa: D102
        write_mat(file, np.atleast_2d(value.real), value.names[0] if value.names else "value")

    def read_back(self, file: Path, statistic: Statistic) -> NDArray[np.float64]:  # noqa: D102
        arrays = dict(_arrays(file))
        return np.asarray(next(iter(arrays.values())), dtype=np.float64)


FORMATS.register("mat", Mat())
