"""Folders with one NIfTI map a person, for means voxel by voxel (needs nibabel, extra ``io``)."""

import math
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from geomdp.errors import InvalidRecordError
from geomdp.io.formats import FORMATS, FileParts, FolderFormat, Value, files_in, folder_columns
from geomdp.io.nifti_files import Nifti, load_nifti, nifti_affine, order_in, read_mask, save_nifti
from geomdp.io.options import MASK
from geomdp.io.shapes import as_records, triangle_told
from geomdp.io.tables import Choices, Raw
from geomdp.spaces.record_shape import RecordShape, Triangle
from geomdp.statistics.base import Statistic
from geomdp.statistics.map_mean import MapMean, VoxelGrid
from geomdp.typing import Array

#: Maps that a worker reads one after the other, at most.
_TOGETHER = 16


class Maps(FolderFormat):
    """One NIfTI file a person, all on one grid; a value is a map on the same grid."""

    endings = Nifti.endings
    value_file = "map.nii.gz"
    options = (MASK,)

    def recognises(self, path: Path, choices: Choices, statistic: Statistic) -> bool:
        """Tell whether a folder holds maps, and maps are asked for."""
        return statistic.as_map() is not None and super().recognises(path, choices, statistic)

    def read(self, path: Path, choices: Choices, statistic: Statistic) -> Raw:
        """Read each file as one record: its voxels inside the mask."""
        asked = _maps_asked(statistic)
        grid, files = _grid(asked, choices.mask), files_in(path, self.endings, choices.files)
        columns = folder_columns(files, path, choices)
        return replace(_maps(files, grid, asked, choices), columns=columns)

    def parts(self, path: Path, choices: Choices, statistic: Statistic) -> FileParts:
        """Cut the folder into some maps at a time; the mask is read here and travels."""
        asked = _maps_asked(statistic)
        grid = _grid(asked, choices.mask)
        read = partial(_maps, grid=grid, statistic=asked, choices=replace(choices, keep=()))
        return self.cut(path, choices, read, Raw(asked.public_record, grid=grid), _TOGETHER)

    def write(self, file: Path, value: Value) -> None:
        """Write a map on the grid of the mask, with NaN outside of it."""
        grid, shape = value.grid, _voxel(_maps_asked(value.statistic))
        assert isinstance(grid, VoxelGrid)  # given by what was read
        size = shape.triangle_size if shape.symmetric else shape.size
        rows = np.stack([shape.pack(one, size, value.triangle) for one in value.array])
        save_nifti(file, grid.spread(rows[:, 0] if size == 1 else rows), grid.affine)

    def holds(self, file: Path, value: Array, statistic: Statistic) -> bool:
        """Tell whether a file holds exactly this map, on the plan's mask where it has one."""
        field = load_nifti(file)
        rows = field.reshape(math.prod(field.shape[:3]), -1)
        inside = np.asarray(~np.isnan(rows).any(axis=1))
        asked = _maps_asked(statistic)
        there = VoxelGrid(inside.reshape(field.shape[:3]), nifti_affine(file))
        if asked.grid not in (None, there):
            return False
        rows, shape = rows[inside], _voxel(asked)
        orders: tuple[Triangle, ...] = ("lower", "upper")
        packed = ([shape.pack(v, rows.shape[1], order) for v in value] for order in orders)
        return any(np.array_equal(rows, np.array(numbers)) for numbers in packed)


def _maps(files: list[Path], grid: VoxelGrid, statistic: MapMean, choices: Choices) -> Raw:
    """Read each file by itself; one that cannot be read is a record of NaN, or refused."""
    maps, notes = [], []
    for file in files:
        try:
            maps.append(_one_map(file, grid, statistic, choices.triangle))
        except InvalidRecordError as error:
            if not choices.keep_unparsable:
                raise
            maps.append(np.full((statistic.voxels, *_voxel(statistic).shape), np.nan))
            notes.append(str(error))
    return Raw(np.stack(maps), notes=tuple(notes), grid=grid)


def _grid(statistic: MapMean, mask: Path | None) -> VoxelGrid:
    """Return the plan's mask, or the one given where the plan has none."""
    given = None if mask is None else read_mask(mask)
    if statistic.grid is not None:
        if given is not None and given != statistic.grid:
            raise InvalidRecordError(
                f"The mask {mask.name if mask else ''} is not the one that the plan was made with; "
                "leave out --mask: the plan holds it."
            )
        return statistic.grid
    if given is not None and given.count != statistic.voxels:
        raise InvalidRecordError(
            f"The maps have {given.count} voxels where the plan says {statistic.voxels}: give the "
            "--mask that the plan was made with."
        )
    if given is None:
        raise InvalidRecordError(
            "Maps need --mask, a public NIfTI file: it says where the voxels lie in the "
            "published file, which no person's image may. A plan made with --voxels MASK holds it."
        )
    return given


def _one_map(file: Path, grid: VoxelGrid, statistic: MapMean, triangle: Triangle | None) -> Any:
    field, inside = load_nifti(file), grid.inside
    if field.shape[:3] != inside.shape:
        raise InvalidRecordError(
            f"{file.name} has {field.shape[:3]} voxels where the mask has "
            f"{inside.shape}: bring all people onto one grid first."
        )
    rows = field.reshape(inside.size, -1)[inside.reshape(-1)]
    told = triangle_told(rows, (), _voxel(statistic), triangle or order_in(file), file.name)
    return as_records(rows, _voxel(statistic), told or "lower", file.name)


def _maps_asked(statistic: Statistic) -> MapMean:
    asked = statistic.as_map()
    assert asked is not None  # else it would not recognise the folder, and has no map's file
    return asked


def _voxel(statistic: MapMean) -> RecordShape:
    """Return how the numbers of one voxel are arranged."""
    return statistic.ball.space.record_shape


FORMATS.register("maps", Maps())
