"""The released value in the format in which the records came, beside ``value.npy``."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from geomdp.errors import GeomdpError, MissingExtraError
from geomdp.io.cells import published_names
from geomdp.io.formats import FORMATS, VALUE_STEM, Format, Value, named
from geomdp.io.loading import Loaded
from geomdp.readings.base import Reading
from geomdp.readings.names import column_names
from geomdp.spaces.record_shape import Triangle
from geomdp.statistics.base import Statistic
from geomdp.typing import Array


def write_value(
    value: Array,
    folder: Path,
    loaded: Loaded,
    statistic: Statistic,
    triangle: Triangle,
    reading: Reading | None = None,
    names: Sequence[str] = (),
    stem: str = VALUE_STEM,
) -> None:
    """Write a released value as the records were written: same columns, same order.

    Columns are called by the plan's public names, or as in the data; what could be data is replaced
    by neutral names (:mod:`geomdp.io.cells`). Shapes are turned to the template.

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
    fits = reading is None or reading.gives_back  # a covariance is written as no signal is
    if len(shapes) > 1 or not (statistic.value_is_record and fits):
        return  # no record, so that the format of records does not fit
    used, columns = loaded.format, published_names(loaded.names)
    told = column_names(statistic, names, loaded.size, triangle) if names else ()
    if len(told) == len(columns):  # else a file of angles or quaternions, or of one array
        columns = told
    if reading is not None and not loaded.read:
        point, value = value, reading.value(value)
        if used.value_file is None and not np.array_equal(point, value):
            used, columns = FORMATS["npz"], (reading.value_name,)  # value.npy is the point
    value = upright(value, statistic)
    own = used.file_of(statistic)
    if own is not None:
        written = Value(value, statistic, columns, loaded.size, triangle, loaded.grid)
        used.write(folder / named(own, stem), written)


def value_file_agrees(
    file: Path, value: Array, statistic: Statistic, reading: Reading | None = None
) -> bool:
    """Tell whether a value's file holds exactly this value.

    Raises ``MissingExtraError`` if a package is not installed without which nobody can tell.
    """
    try:
        forms = value_forms(value, reading)
    except (GeomdpError, ValueError):  # no value of this space
        forms = [value]
    possible = [used for used in FORMATS.values() if used.writes(file.name)]
    if any(_holds(used, file, form, statistic) for used in possible for form in forms):
        return True
    return any(_holds_upright(used, file, value, statistic) for used in possible)


def value_forms(value: Array, reading: Reading | None) -> list[Array]:
    """Return the forms in which a file may hold a value: itself, and as records are written."""
    return [value] if reading is None else [value, reading.value(value)]


def _holds_upright(used: Format, file: Path, value: Array, statistic: Statistic) -> bool:
    """Tell whether a file holds a shape turned to the template."""
    if not statistic.record_shape.complex:
        return False
    try:
        turned = statistic.record_shape.as_real(upright(value, statistic)).reshape(-1)
        row = used.read_back(file, statistic).reshape(-1)
    except (GeomdpError, OSError, ValueError, KeyError, IndexError, AttributeError):
        return False
    # The centre that it is turned to is scaled anew by whoever verifies: last digits differ.
    return row.shape == turned.shape and bool(np.abs(row - turned).max() < _LAST_DIGITS)


#: Far below any noise, far above rounding.
_LAST_DIGITS = 1e-9


def _holds(used: Format, file: Path, value: Array, statistic: Statistic) -> bool:
    """Tell whether a file holds a value in one of the formats that it may be written in."""
    try:
        return used.holds(file, value, statistic)
    except MissingExtraError:
        raise
    except (GeomdpError, OSError, ValueError, KeyError, IndexError):
        return False


def upright(value: Array, statistic: Statistic) -> Array:
    """Return a planar shape turned to the public centre; anything else as it is.

    A shape has no rotation, so that turning it is free post-processing.
    """
    ball, turn = statistic.public_ball, getattr(statistic.value_space, "align", None)
    if ball is None or turn is None or not statistic.record_shape.complex:
        return value
    if value.shape != ball.center.shape:
        return value
    turned: Array = turn(value, to=ball.center)
    return turned
