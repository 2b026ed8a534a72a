"""How a record is written down: the shape of its numbers, and back and forth."""

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geomdp.typing import Array

#: Order of the components of a symmetric matrix: the lower triangle row by row (xx, yx, yy, zx, zy,
#: zz, as NIfTI prescribes) or the upper one (xx, xy, xz, yy, yz, zz, as FSL writes).
Triangle: TypeAlias = Literal["lower", "upper"]


@dataclass(frozen=True)
class RecordShape:
    """Shape of one record as real numbers, and whether its triangle says it all.

    Examples
    --------
    >>> import geomdp as dp
    >>> dp.PlanarShapes(50).record_shape.shape
    (50, 2)
    >>> shape = dp.SPD(2).record_shape
    >>> shape.unpack(np.array([[1.0, 0.5, 2.0]]), "lower")[0].tolist()
    [[1.0, 0.5], [0.5, 2.0]]
    >>> shape.pack(np.array([[1.0, 0.5], [0.5, 2.0]]), 3, "upper").tolist()
    [1.0, 0.5, 2.0]
    """

    shape: tuple[int, ...]
    symmetric: bool = False
    complex: bool = False
    #: Landmarks along the first axis, their coordinates along the second.
    landmarks: bool = False

    @property
    def size(self) -> int:
        """Numbers in a record."""
        return math.prod(self.shape)

    @property
    def triangle_size(self) -> int:
        """Numbers in the triangle of a symmetric record."""
        return self.shape[-1] * (self.shape[-1] + 1) // 2

    @property
    def flat_sizes(self) -> tuple[int, ...]:
        """How many numbers a record may have in a row: all, or first those of a triangle."""
        return (self.triangle_size, self.size) if self.symmetric else (self.size,)

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
