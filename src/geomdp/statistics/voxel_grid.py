"""Where the voxels of a map lie: public, from a mask, and written into the plan."""

from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import Self

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import GeomdpError
from geomdp.serial import Document, array_from_json, array_to_json
from geomdp.typing import Array

#: Voxels of a grid at most: ten times an image of a tenth of a millimetre of a whole head.
MOST_VOXELS = 2**34


@dataclass(frozen=True, eq=False)
class VoxelGrid:
    """The voxels of a public mask, and where they lie in space.

    Attributes
    ----------
    inside
        The voxels (x, y, z) that are released.
    affine
        Of the mask, (4, 4): from voxels to millimetres right, forward and up.

    Examples
    --------
    >>> corner = np.zeros((2, 2, 2), dtype=bool)
    >>> corner[0, 0] = True
    >>> VoxelGrid(corner, np.eye(4)).count
    2
    """

    inside: NDArray[np.bool_]
    affine: NDArray[np.float64]

    def __post_init__(self) -> None:
        if self.inside.ndim != 3 or not self.inside.any():
            raise GeomdpError("A mask has three axes, and voxels other than 0; take another one.")
        if self.affine.shape != (4, 4) or not np.all(np.isfinite(self.affine)):
            raise GeomdpError("A mask says by 4 x 4 numbers where its voxels lie; export it again.")

    @cached_property
    def count(self) -> int:
        """How many voxels there are."""
        return int(np.count_nonzero(self.inside))

    def __eq__(self, other: object) -> bool:
        """Tell whether the voxels are the same, at the same places."""
        return (
            isinstance(other, VoxelGrid)
            and np.array_equal(self.inside, other.inside)
            # As NIfTI files hold them.
            and np.array_equal(self.affine.astype(np.float32), other.affine.astype(np.float32))
        )

    __hash__ = None  # type: ignore[assignment]  # arrays have none

    def spread(self, rows: Array) -> Array:
        """Put rows (voxels, ...) on the grid, NaN outside of the mask.

        >>> line = VoxelGrid(np.array([[[True, False]]]), np.eye(4))
        >>> line.spread(np.array([7.0])).tolist()
        [[[7.0, nan]]]
        """
        field = np.full((*self.inside.shape, *rows.shape[1:]), np.nan)
        field[self.inside] = rows
        return field

    @cached_property
    def axes(self) -> tuple[tuple[int, bool], ...]:
        """For right, forward and up: the axis of voxels nearest to it, and if it runs against it.

        >>> mirrored = VoxelGrid(np.ones((1, 1, 1), dtype=bool), np.diag([-2.0, 2.0, 2.0, 1.0]))
        >>> mirrored.axes
        ((0, True), (1, False), (2, False))
        """
        cosines = self.affine[:3, :3] / self._steps
        order = max(
            permutations(range(3)),
            key=lambda axes: sum(abs(cosines[i, axis]) for i, axis in enumerate(axes)),
        )
        return tuple((axis, bool(cosines[i, axis] < 0)) for i, axis in enumerate(order))

    @property
    def steps(self) -> tuple[float, float, float]:
        """Millimetres between voxels, right, forward and up."""
        right, forward, up = (float(self._steps[axis]) for axis, _ in self.axes)
        return right, forward, up

    @cached_property
    def _steps(self) -> NDArray[np.float64]:
        """Millimetres between voxels along the axes of the file; 1 where it says nothing."""
        steps = np.linalg.norm(self.affine[:3, :3], axis=0)
        return np.asarray(np.where(steps > 0, steps, 1.0))

    def upright(self, field: Array) -> Array:
        """Turn a field (x, y, z, ...) so that its axes run right, forward and up."""
        order = [axis for axis, _ in self.axes]
        turned = np.transpose(field, (*order, *range(3, field.ndim)))
        return np.asarray(
            np.flip(turned, tuple(i for i, (_, back) in enumerate(self.axes) if back))
        )

    def to_json(self) -> Document:
        """Describe exactly: lengths of the runs outside and inside, in turn, in the file's order.

        >>> VoxelGrid(np.array([[[False, True, True]]]), np.eye(4)).to_json()["runs"]["numbers"]
        [1, 2]
        """
        flat = self.inside.reshape(-1)
        turns = np.flatnonzero(np.diff(flat, prepend=False))
        ends = np.append(turns, flat.size)
        return {
            "shape": list(self.inside.shape),
            "runs": array_to_json(np.diff(ends, prepend=0).astype(np.uint32)),
            "affine": array_to_json(self.affine),
        }

    @classmethod
    def from_json(cls, document: Document) -> Self:
        """Inverse of :meth:`to_json`."""
        shape = tuple(int(size) for size in document["shape"])
        runs = array_from_json(document["runs"])
        voxels = int(np.prod(shape, dtype=object)) if min(shape, default=0) > 0 else 0
        if not 0 < voxels <= MOST_VOXELS or runs.ndim != 1 or int(runs.sum(dtype=object)) != voxels:
            raise GeomdpError("The mask in the file is damaged; take the file from its source.")
        inside = np.repeat(np.arange(runs.size) % 2 == 1, runs).reshape(shape)
        return cls(inside, np.asarray(array_from_json(document["affine"]), dtype=np.float64))
