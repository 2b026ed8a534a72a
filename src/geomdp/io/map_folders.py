"""Folders with one NIfTI map a person, for means voxel by voxel (needs nibabel, extra ``io``)."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError
from geomdp.io.folders import files_in, folder_columns
from geomdp.io.formats import FORMATS, FolderFormat, Value
from geomdp.io.nifti_files import Nifti, inside_of, load_nifti, nifti_affine, save_nifti
from geomdp.io.shapes import as_records
from geomdp.io.tables import Choices, Raw
from geomdp.spaces.record_shape import RecordShape, Triangle
from geomdp.statistics.base import Statistic
from geomdp.statistics.map_mean import MapMean
from geomdp.typing import Array


@dataclass(frozen=True, eq=False)
class Grid:
    """Where the voxels of a map lie: public, from the mask.

    Attributes
    ----------
    inside
        The voxels (x, y, z) that are released.
    affine
        Of the mask, (4, 4); that of a person's file might tell who it is.
    """

    inside: NDArray[np.bool_]
    affine: NDArray[np.float64]


class Maps(FolderFormat):
    """One NIfTI file a person, all on one grid; a value is a map on the same grid."""

    endings = Nifti.endings
    value_file = "map.nii.gz"
    takes_mask = True

    def recognises(self, path: Path, choices: Choices, statistic: Statistic) -> bool:
        """Tell whether a folder holds maps, and maps are asked for."""
        return isinstance(statistic, MapMean) and super().recognises(path, choices, statistic)

    def read(self, path: Path, choices: Choices, statistic: Statistic) -> Raw:
        """Read each file as one record: its voxels inside the mask."""
        assert isinstance(statistic, MapMean)  # else it would not recognise the folder
        if choices.mask is None:
            raise InvalidRecordError(
                "Maps need --mask, a public NIfTI file: it says where the voxels lie in the "
                "published file, which no person's image may."
            )
        files = files_in(path, self.endings)
        inside = inside_of(load_nifti(files[0]).shape[:3], choices.mask)
        maps = np.stack([_one_map(file, inside, statistic, choices.triangle) for file in files])
        columns = folder_columns(files, path, choices)
        return Raw(maps, (), columns, grid=Grid(inside, nifti_affine(choices.mask)))

    def write(self, file: Path, value: Value) -> None:
        """Write a map on the grid of the mask, with NaN outside of it."""
        grid, shape = value.grid, _voxel(value.statistic)
        assert isinstance(grid, Grid)  # given by what was read
        size = shape.triangle_size if shape.symmetric else shape.size
        rows = np.stack([shape.pack(one, size, value.triangle) for one in value.array])
        field = np.full((*grid.inside.shape, size), np.nan)
        field[grid.inside] = rows
        save_nifti(file, field[..., 0] if size == 1 else field, grid.affine)

    def holds(self, file: Path, value: Array, statistic: Statistic) -> bool:
        """Tell whether a file holds exactly this map, wherever its voxels lie."""
        field = load_nifti(file)
        rows = field.reshape(math.prod(field.shape[:3]), -1)
        rows = rows[~np.isnan(rows).any(axis=1)]
        shape = _voxel(statistic)
        orders: tuple[Triangle, ...] = ("lower", "upper")
        packed = ([shape.pack(v, rows.shape[1], order) for v in value] for order in orders)
        return any(np.array_equal(rows, np.array(numbers)) for numbers in packed)


def _one_map(file: Path, inside: NDArray[np.bool_], statistic: MapMean, triangle: Triangle) -> Any:
    field = load_nifti(file)
    if field.shape[:3] != inside.shape:
        raise InvalidRecordError(
            f"{file.name} has {field.shape[:3]} voxels where the mask has "
            f"{inside.shape}: bring all people onto one grid first."
        )
    rows = field.reshape(inside.size, -1)[inside.reshape(-1)]
    if len(rows) != statistic.voxels:
        raise InvalidRecordError(
            f"The maps have {len(rows)} voxels where the plan says {statistic.voxels}: give the "
            "--mask that the plan was made with."
        )
    return as_records(rows, _voxel(statistic), triangle, file.name)


def _voxel(statistic: Statistic) -> RecordShape:
    """Return how the numbers of one voxel are arranged."""
    assert isinstance(statistic, MapMean)  # the only statistic of maps
    return statistic.ball.space.record_shape


FORMATS.register("maps", Maps())
