"""From rows of numbers to records of a statistic."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from geomdp.errors import InvalidRecordError
from geomdp.spaces.record_shape import RecordShape, Triangle
from geomdp.typing import Array


def as_records(values: Array, shape: RecordShape, triangle: Triangle, file: str) -> Any:
    """Return records (n, *shape), or say how the numbers should be arranged.

    Examples
    --------
    >>> as_records(np.zeros((4, 2)), RecordShape((3,)), "lower", "a.csv")
    Traceback (most recent call last):
    geomdp.errors.InvalidRecordError: a.csv holds 2 numbers a record where 3 are needed; ...
    """
    if values.dtype.kind not in "biufc":
        raise InvalidRecordError(f"{file} holds {_kind(values)} where numbers are needed.")
    if values.ndim < 2 or not len(values):
        raise InvalidRecordError(
            f"{file} holds an array of shape {values.shape}; records lie along its first axis."
        )
    one, is_complex = values.shape[1:], values.dtype.kind == "c"
    if is_complex and not shape.complex:
        raise InvalidRecordError(f"{file} holds complex numbers where real ones are needed.")
    if not shape.accepts(one, is_complex):
        raise InvalidRecordError(_misfit(file, one, shape))
    if is_complex or one == shape.shape:
        return values  # in its own type, which says how bright a pixel is
    if isinstance(values, np.memmap):
        return Unpacked(values, shape, triangle)
    return _unpacked(values, shape, triangle)


def in_full(rows: Array, shape: RecordShape, triangle: Triangle) -> Array:
    """Return rows of any length that a record may have as rows of all its numbers.

    >>> in_full(np.array([[1.0, 0.5, 2.0]]), RecordShape((2, 2), symmetric=True), "lower").tolist()
    [[1.0, 0.5, 0.5, 2.0]]
    """
    if rows.shape[1] == shape.size:
        return rows
    return shape.unpack(rows, triangle).reshape(len(rows), shape.size)


def sizes_in_words(shape: RecordShape) -> str:
    """Say how many numbers a record may have.

    >>> sizes_in_words(RecordShape((3, 3), symmetric=True))
    '6 or 9'
    """
    return " or ".join(map(str, dict.fromkeys(shape.flat_sizes)))


def _kind(values: Array) -> str:
    return "texts" if values.dtype.kind in "SU" else f"{values.dtype} entries"


def _unpacked(values: Array, shape: RecordShape, triangle: Triangle) -> Array:
    return shape.unpack(np.asarray(values, dtype=np.float64), triangle)


@dataclass(frozen=True, eq=False)
class Unpacked:
    """Rows of a memory-map, brought into the shape of records when they are asked for.

    >>> rows = Unpacked(np.array([[1.0, 0.5, 2.0]]), RecordShape((2, 2), symmetric=True), "lower")
    >>> len(rows), rows[:1].tolist()
    (1, [[[1.0, 0.5], [0.5, 2.0]]])
    """

    values: Array
    shape_of_record: RecordShape
    triangle: Triangle

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, rows: Any) -> Array:
        return _unpacked(self.values[rows], self.shape_of_record, self.triangle)


def _misfit(file: str, one: tuple[int, ...], shape: RecordShape) -> str:
    if len(one) != 1:
        return f"{file} holds records of shape {one} where {shape.shape} is needed."
    needed = f"{shape.size}"
    if shape.symmetric:
        needed += f" (or the {shape.triangle_size} of a triangle)"
    if file.startswith("--"):  # typed, not read
        return f"{file} has {one[0]} numbers where a point of the space has {needed}."
    return (
        f"{file} holds {one[0]} numbers a record where {needed} are needed; choose the columns "
        "with --column, and mind the size of the space."
    )
