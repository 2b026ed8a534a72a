"""The released value in the format in which the records came, beside ``value.npy``."""

from pathlib import Path

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.io.compositions import forms_of
from geomdp.io.formats import FORMATS, Format, Value
from geomdp.io.names import published_names
from geomdp.io.reading import Loaded
from geomdp.spaces.compositions import sphere_to_composition
from geomdp.spaces.record_shape import Triangle
from geomdp.statistics.base import Statistic
from geomdp.typing import Array


def write_value(
    value: Array, folder: Path, loaded: Loaded, statistic: Statistic, triangle: Triangle
) -> None:
    """Write a released value as the records were written: same columns, same order.

    Names that could be data are replaced by neutral ones: :mod:`geomdp.io.names`.

    Examples
    --------
    >>> import tempfile
    >>> import geomdp as dp
    >>> folder = Path(tempfile.mkdtemp())
    >>> came = Loaded(np.zeros((9, 3)), {}, FORMATS["csv"], ("north", "east", "down"), 3)
    >>> write_value(np.eye(3)[0], folder, came, dp.Summary(dp.Sphere(2), 0.1), "lower")
    >>> (folder / "value.csv").read_text().split()
    ['north,east,down', '1.0,0.0,0.0']
    """
    shapes = {np.shape(value), statistic.public_value.shape, statistic.public_record.shape}
    if len(shapes) > 1:
        return  # no record, so that the format of records does not fit
    used, names = loaded.format, published_names(loaded.names)
    if loaded.compositions:
        value = sphere_to_composition(value)
        if used.value_file is None:  # value.npy is the point of the sphere
            used, names = FORMATS["npz"], ("composition",)
    if used.value_file is not None:
        used.write(folder / used.value_file, Value(value, statistic, names, loaded.size, triangle))


def value_file_agrees(file: Path, value: Array, statistic: Statistic) -> bool:
    r"""Tell whether a value's file holds exactly this value.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import geomdp as dp
    >>> file = Path(tempfile.mkdtemp()) / "value.csv"
    >>> _ = file.write_text("x,y,z\n1.0,0.0,0.5\n")
    >>> value_file_agrees(file, np.array([1.0, 0.0, 0.0]), dp.Summary(dp.Sphere(2), 0.1))
    False
    """
    forms = forms_of(value, statistic.value_space)
    possible = [used for used in FORMATS.values() if used.value_file == file.name]
    return any(_holds(used, file, form, statistic) for used in possible for form in forms)


def _holds(used: Format, file: Path, value: Array, statistic: Statistic) -> bool:
    """Tell whether a file holds a value in one of the formats that it may be written in."""
    try:
        return used.holds(file, value, statistic)
    except (GeomdpError, OSError, ValueError, KeyError, IndexError):
        return False
