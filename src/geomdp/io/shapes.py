"""From rows of numbers to records of a statistic, and back for the released value."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError
from geomdp.io.tables import Triangle
from geomdp.spaces.ball import Ball
from geomdp.spaces.base import Space
from geomdp.spaces.planar_shapes import PlanarShapes
from geomdp.statistics.base import Statistic
from geomdp.typing import Array


@dataclass(frozen=True)
class RecordShape:
    """Shape of one record as real numbers, and whether its triangle says it all.

    Examples
    --------
    >>> from geomdp import SPD
    >>> shape = shape_of_point(SPD(2))
    >>> shape.unpack(np.array([[1.0, 0.5, 2.0]]), "lower")[0].tolist()
    [[1.0, 0.5], [0.5, 2.0]]
    >>> shape.pack(np.array([[1.0, 0.5], [0.5, 2.0]]), 3, "upper").tolist()
    [1.0, 0.5, 2.0]
    """

    shape: tuple[int, ...]
    symmetric: bool = False
    complex: bool = False

    @property
    def size(self) -> int:
        """Numbers in a record."""
        return math.prod(self.shape)

    @property
    def triangle_size(self) -> int:
        """Numbers in the triangle of a symmetric record."""
        return self.shape[-1] * (self.shape[-1] + 1) // 2

    def accepts(self, shape: tuple[int, ...], is_complex: bool) -> bool:
        """Tell whether an array of this shape holds one record, whole or flat."""
        if is_complex:
            return self.complex and shape == self.shape[:-1]
        packed = self.symmetric and shape == (self.triangle_size,)
        return shape in (self.shape, (self.size,)) or packed

    def unpack(self, numbers: NDArray[np.float64], triangle: Triangle) -> NDArray[np.float64]:
        """Turn rows (n, c) into records (n, *shape)."""
        if not self.symmetric or numbers.shape[1] == self.size:
            return numbers.reshape(len(numbers), *self.shape)
        rows, columns = self._triangle(triangle)
        records = np.empty((len(numbers), *self.shape))
        records[:, rows, columns] = numbers
        records[:, columns, rows] = numbers
        return records

    def pack(self, value: Array, size: int, triangle: Triangle) -> NDArray[np.float64]:
        """Turn a value into a row of ``size`` real numbers, the inverse of :meth:`unpack`."""
        real = self.as_real(value)
        if not self.symmetric or size == self.size:
            return real.reshape(-1)
        return real[self._triangle(triangle)]

    def as_real(self, value: Array) -> NDArray[np.float64]:
        """Write complex landmarks as pairs x, y; leave everything else as it is."""
        value = np.asarray(value)
        if np.iscomplexobj(value):
            return np.stack([value.real, value.imag], axis=-1)
        return value.astype(np.float64, copy=False)

    def _triangle(self, triangle: Triangle) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        indices = np.tril_indices if triangle == "lower" else np.triu_indices
        return indices(self.shape[-1])


def shape_of_point(space: Space) -> RecordShape:
    """Return the shape of the points of a space, as files hold them.

    Examples
    --------
    >>> from geomdp import PlanarShapes
    >>> shape_of_point(PlanarShapes(50)).shape
    (50, 2)
    """
    if isinstance(space, PlanarShapes):
        return RecordShape((*space.point_shape, 2), complex=True)
    return RecordShape(space.point_shape, symmetric=space.spec.startswith("spd:"))


def shape_of(statistic: Statistic) -> RecordShape:
    """Return the shape of the records of a statistic: points of its space, or its template.

    Examples
    --------
    >>> import geomdp as dp
    >>> shape_of(dp.Summary(dp.Sphere(2), 0.1)).shape
    (3,)
    """
    space = getattr(statistic, "space", None)
    if isinstance(space, Space):
        return shape_of_point(space)
    return RecordShape(public_record(statistic).shape)


def public_record(statistic: Statistic) -> Array:
    """Return the public centre that records are measured from, in the shape of a record.

    Examples
    --------
    >>> import geomdp as dp
    >>> ball = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)
    >>> public_record(dp.FrechetMean(ball)).tolist()
    [0.0, 0.0, 1.0]
    """
    ball = getattr(statistic, "ball", None)
    if isinstance(ball, Ball):
        return ball.center
    for name in ("template_curves", "template"):
        template = getattr(statistic, name, None)
        if isinstance(template, np.ndarray):
            return template
    raise InvalidRecordError(
        f"A {statistic.tag} has no public centre; use the Python interface for this."
    )


def as_records(
    values: Array, shape: RecordShape, triangle: Triangle, file: str
) -> NDArray[np.float64]:
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
    if is_complex:
        return values
    numbers = values.astype(np.float64, copy=False)
    return numbers if one == shape.shape else shape.unpack(numbers, triangle)


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
