"""Tensor fields in NIfTI files (needs nibabel, extra ``io``): one voxel a record."""

import gzip
import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError
from geomdp.io.formats import FORMATS, FileParts, Format, Value, alike
from geomdp.io.options import MASK
from geomdp.io.tables import Choices, Raw, needs_extra
from geomdp.io.text_rows import is_packed
from geomdp.runtime.limits import read_as, require_plausible
from geomdp.spaces.record_shape import Triangle
from geomdp.statistics.base import Statistic
from geomdp.statistics.map_mean import VoxelGrid

#: Bytes of an image's numbers that are read however small its file: masks are nearly all zeros.
ALWAYS_AN_IMAGE = 1 << 30
#: Bytes of the headers of both versions of the format.
_NIFTI_1, _NIFTI_2 = 348, 540
#: NIfTI's code for a field of symmetric matrices, written as lower triangles.
SYMMETRIC_MATRIX, _SYMMETRIC = "symmetric matrix", 1005


def read_nifti(path: Path, choices: Choices) -> Raw:
    """Read a field of tensors, 6 components or 3 x 3 a voxel, inside the mask if there is one.

    The number of voxels in the mask is the number of records, hence public.
    """
    _without_columns(path, choices)
    field = load_nifti(path)
    inside, width = _layout(field.shape, path, choices)
    return Raw(field.reshape(-1, width)[inside.reshape(-1)], triangle=order_in(path))


def order_in(path: Path) -> Triangle | None:
    """Return the order of a tensor's components, where the header says that it is one."""
    code = _taken(path, lambda head: int(head["intent_code"]))
    return "lower" if code == _SYMMETRIC else None


def _layout(shape: tuple[int, ...], path: Path, choices: Choices) -> tuple[NDArray[np.bool_], int]:
    """Return which voxels of a field of tensors are records, and the numbers of each."""
    if len(shape) < 4 or shape[3:] not in ((6,), (1, 6), (3, 3), (9,)):
        raise InvalidRecordError(
            f"{path.name} has shape {shape}; a field of tensors has three axes of voxels and "
            "6 components or a 3 x 3 matrix in each."
        )
    inside = inside_of(shape[:3], choices.mask)
    if not inside.any():
        raise InvalidRecordError("The mask is empty; choose one with voxels other than 0.")
    return inside, 6 if shape[-1] == 6 else 9


def _whole(path: Path, choices: Choices, number: int) -> Raw:
    """Read the only part of a file: on a worker."""
    return read_nifti(path, choices)


def _without_columns(path: Path, choices: Choices) -> None:
    if choices.columns or choices.keep:
        raise InvalidRecordError(
            f"{path.name} is an image without columns; use npz, csv or parquet to name them."
        )


def write_nifti(path: Path, row: NDArray[np.float64]) -> None:
    """Write one tensor as an image of one voxel, in double precision."""
    shape = (1, 1, 1, 6) if row.size == 6 else (1, 1, 1, 3, 3)
    save_nifti(path, row.reshape(shape), np.eye(4))


def save_nifti(path: Path, field: NDArray[np.float64], affine: NDArray[np.float64]) -> None:
    """Write a field (x, y, z, ...) in double precision; six numbers a voxel are a tensor."""
    nibabel = _nibabel()
    tensors = field.ndim == 4 and field.shape[-1] == 6
    shaped = field[:, :, :, None] if tensors else field
    image = nibabel.Nifti1Image(shaped, affine, dtype=np.float64)
    if tensors:
        image.header.set_intent(SYMMETRIC_MATRIX, (3,))
    nibabel.save(image, path)


def read_mask(path: Path) -> VoxelGrid:
    """Return the voxels of a public mask, and where they lie in space."""
    values = load_nifti(path)
    if values.ndim < 3 or values[:, :, :].size != np.prod(values.shape[:3]):
        raise InvalidRecordError(
            f"The mask {path.name} has shape {values.shape}; a mask has one number a voxel."
        )
    inside = _counts(values.reshape(values.shape[:3]))
    if not inside.any():
        raise InvalidRecordError(f"The mask {path.name} is empty; choose one with voxels but 0.")
    return VoxelGrid(inside, nifti_affine(path))


def nifti_affine(path: Path) -> NDArray[np.float64]:
    """Return where the voxels of an image lie in space."""
    found = _taken(path, lambda head: head.get_best_affine())
    return np.asarray(found, dtype=np.float64)


def _counts(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which voxels of a mask count; NaN is outside, as in the maps that we write."""
    return (values != 0) & ~np.isnan(values)


def inside_of(shape: tuple[int, ...], mask: Path | None) -> NDArray[np.bool_]:
    """Return the voxels of a grid inside a mask; all of them where there is none."""
    if mask is None:
        return np.ones(shape, dtype=bool)
    values = load_nifti(mask)
    if values.shape[:3] != shape or values.size != np.prod(shape):
        raise InvalidRecordError(
            f"The mask {mask.name} has shape {values.shape} where the tensors have {shape}."
        )
    return _counts(values.reshape(shape))


def load_nifti(path: Path) -> NDArray[np.float64]:
    """Return the numbers of an image, or say in a sentence why they cannot be read."""
    return np.asarray(_taken(path, lambda head: _numbers(path, head)))


def _taken(path: Path, take: Callable[[Any], Any]) -> Any:
    """Take something of the header of an image, which must be of a plausible size."""
    with read_as(path, "NIfTI"):
        head = _head(path)
        claimed = _start(head) + 8 * math.prod(head.get_data_shape())
        require_plausible(path, claimed, ALWAYS_AN_IMAGE)
        return take(head)


def _head(path: Path) -> Any:
    """Read the header alone: extensions, which may announce any length, are never read."""
    nibabel = _nibabel()
    with _opened(path) as stream:
        block = stream.read(_NIFTI_2)
    second = _NIFTI_2 in (int.from_bytes(block[:4], order) for order in ("little", "big"))
    kind, size = (nibabel.Nifti2Header, _NIFTI_2) if second else (nibabel.Nifti1Header, _NIFTI_1)
    return kind(block[:size])


def _numbers(path: Path, head: Any) -> NDArray[np.float64]:
    """Read as many numbers as the header says, and no byte more."""
    shape, dtype, start = head.get_data_shape(), head.get_data_dtype(), _start(head)
    if dtype.kind not in "biuf" or start < 0 or any(length < 0 for length in shape):
        raise ValueError(f"{dtype} of shape {shape} are no numbers")
    count = math.prod(shape)
    with _opened(path) as stream:
        stream.seek(start)
        data = stream.read(count * dtype.itemsize)
    stored = np.frombuffer(data[: len(data) - len(data) % dtype.itemsize], dtype)
    if stored.size != count:
        raise ValueError(f"{count} numbers are announced and {stored.size} are there")
    numbers = stored.astype(np.float64).reshape(shape, order="F")
    slope, intercept = head.get_slope_inter()
    plain = slope is None or (slope, intercept) == (1.0, 0.0)
    return numbers if plain else numbers * slope + intercept


def _start(head: Any) -> int:
    """Return the place of the first number; where a header says none, right behind it."""
    return int(head.get_data_offset()) or head.sizeof_hdr + 4


def _opened(path: Path) -> Any:
    return gzip.open(path) if is_packed(path) else path.open("rb")


def _nibabel() -> Any:
    try:
        import nibabel
    except ImportError:
        raise needs_extra("nibabel") from None
    return nibabel


class Nifti(Format):
    """A field of tensors; a value is a field of one voxel."""

    endings = (".nii", ".nii.gz")
    value_file = "value.nii.gz"
    options = (MASK,)

    def read(self, path: Path, choices: Choices, statistic: Statistic) -> Raw:  # noqa: D102
        return read_nifti(path, choices)

    def parts(self, path: Path, choices: Choices, statistic: Statistic) -> FileParts:
        """All voxels together, since a file is one person's; here its header tells their number."""
        _without_columns(path, choices)
        inside, width = _layout(_taken(path, lambda head: head.get_data_shape()), path, choices)
        count = int(inside.sum())
        read = partial(_whole, path, choices)
        example = Raw(alike(count, np.zeros(width)), triangle=order_in(path))
        return FileParts((count,), read, example)

    def write(self, file: Path, value: Value) -> None:  # noqa: D102
        write_nifti(file, value.row)


FORMATS.register("nifti", Nifti())
