"""From rows of numbers to records of a statistic."""

import numpy as np

from geomdp.errors import InvalidRecordError
from geomdp.spaces.record_shape import RecordShape, Triangle
from geomdp.typing import Array


def as_records(values: Array, shape: RecordShape, triangle: Triangle, file: str) -> Array:
    """Return records (n, *shape), or say how the numbers should be arranged.

    Examples
    --------
    >>> as_records(np.zeros((4, 2)), RecordShape((3,)), "lower", "a.csv")
    Traceback (most recent call last):
    geomdp.errors.InvalidRecordError: a.csv holds 2 numbers a record where 3 are needed; ...
    """
    if values.dtype.kind not in "biufc":
        raise InvalidRecordError(f"{file} holds {values.dtype} entries where numbers are needed.")
    if values.ndim < 2 or not len(values):
        raise InvalidRecordError(
            f"{file} holds an array of shape {values.shape}; records lie along its first axis."
        )
    one, is_complex = values.shape[1:], values.dtype.kind == "c"
    if not shape.accepts(one, is_complex):
        raise InvalidRecordError(_misfit(file, one, shape))
    if is_complex or one == shape.shape:
        return values  # in its own type, which says how bright a pixel is
    return shape.unpack(values.astype(np.float64, copy=False), triangle)


def _misfit(file: str, one: tuple[int, ...], shape: RecordShape) -> str:
    if len(one) != 1:
        return f"{file} holds records of shape {one} where {shape.shape} is needed."
    needed = f"{shape.size}"
    if shape.symmetric:
        needed += f" (or the {shape.triangle_size} of a triangle)"
    return (
        f"{file} holds {one[0]} numbers a record where {needed} are needed; choose the columns "
        "with --column, and mind the size of the space."
    )
