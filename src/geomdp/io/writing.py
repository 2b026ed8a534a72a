"""The released value in the format in which the records came, beside ``value.npy``."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from geomdp.io.compositions import forms_of
from geomdp.io.csv_files import read_written, write_csv
from geomdp.io.landmark_files import read_long, read_tps, write_long, write_tps
from geomdp.io.names import published_names
from geomdp.io.numpy_files import read_npz_arrays, read_npz_heads, write_npz
from geomdp.io.reading import Records
from geomdp.io.shapes import RecordShape, shape_of
from geomdp.io.tables import Choices, Raw, Triangle
from geomdp.spaces.compositions import sphere_to_composition
from geomdp.statistics.base import Statistic
from geomdp.typing import Array

#: Name of the value's file for each format; npy and images need no file beside value.npy.
VALUE_FILES = {
    "npz": "value.npz",
    "csv": "value.csv",
    "landmarks": "value.csv",
    "parquet": "value.parquet",
    "nifti": "value.nii.gz",
    "tps": "value.tps",
    "meshes": "value.obj",
}


def write_value(
    value: Array, folder: Path, records: Records, statistic: Statistic, triangle: Triangle
) -> None:
    """Write a released value as the records were written: same columns, same order.

    Names that could be data are replaced by neutral ones: :mod:`geomdp.io.names`.

    Examples
    --------
    >>> import tempfile
    >>> import geomdp as dp
    >>> folder = Path(tempfile.mkdtemp())
    >>> came = Records(np.zeros((9, 3)), {}, "csv", ("north", "east", "down"), 3)
    >>> write_value(np.eye(3)[0], folder, came, dp.Summary(dp.Sphere(2), 0.1), "lower")
    >>> (folder / "value.csv").read_text().split()
    ['north,east,down', '1.0,0.0,0.0']
    """
    kind = records.kind
    if records.compositions:
        value = sphere_to_composition(value)
        kind = "npz" if kind == "npy" else kind  # value.npy is the point of the sphere
    if kind not in VALUE_FILES:
        return
    file = folder / VALUE_FILES[kind]
    if kind == "npz":
        write_npz(file, value, published_names(records.names or ("composition",))[0])
        return
    if records.kind == "meshes":
        from geomdp.io.mesh_folders import write_mesh

        write_mesh(file, value, statistic)
        return
    shape = shape_of(statistic)
    if records.kind in ("tps", "landmarks"):
        writer = write_tps if records.kind == "tps" else write_long
        writer(file, shape.as_real(value))
        return
    row = shape.pack(value, records.size, triangle)
    if records.kind == "csv":
        write_csv(file, published_names(records.names), [row.tolist()])
    elif records.kind == "parquet":
        from geomdp.io.parquet_files import write_parquet

        write_parquet(file, published_names(records.names), row)
    else:
        from geomdp.io.nifti_files import write_nifti

        write_nifti(file, row)


def value_file_agrees(file: Path, value: Array, statistic: Statistic) -> bool:
    r"""Tell whether a value's file holds exactly this value.

    Examples
    --------
    >>> import tempfile
    >>> import geomdp as dp
    >>> file = Path(tempfile.mkdtemp()) / "value.csv"
    >>> _ = file.write_text("x,y,z\n1.0,0.0,0.5\n")
    >>> value_file_agrees(file, np.array([1.0, 0.0, 0.0]), dp.Summary(dp.Sphere(2), 0.1))
    False
    """
    forms = forms_of(value, getattr(statistic, "space", None))
    if file.suffix == ".npz":
        held = read_npz_arrays(file, set(read_npz_heads(file))).values()
        return any(all(np.array_equal(array, form) for array in held) for form in forms)
    if file.suffix == ".obj":
        from geomdp.io.mesh_folders import mesh_agrees

        return mesh_agrees(file, value, statistic)
    shape = shape_of(statistic)
    row = _read_back(file, shape).values.reshape(-1)
    orders: tuple[Triangle, ...] = ("lower", "upper")
    packed = (shape.pack(form, row.size, order) for form in forms for order in orders)
    return any(_equal(row, numbers) for numbers in packed)


def _equal(a: NDArray[np.float64], b: NDArray[np.float64]) -> bool:
    return a.shape == b.shape and bool(np.all(a == b))


def _read_back(file: Path, shape: RecordShape) -> Raw:
    if file.suffix == ".tps":
        return read_tps(file, Choices())
    if file.suffix == ".parquet":
        from geomdp.io.parquet_files import read_parquet

        return read_parquet(file, Choices())
    if file.suffix == ".gz":
        from geomdp.io.nifti_files import read_nifti

        return read_nifti(file, Choices())
    from geomdp.io.landmark_files import is_long

    return (
        read_long(file, Choices())
        if shape.complex and is_long(file, Choices())
        else read_written(file)
    )
