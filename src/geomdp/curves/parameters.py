"""Checks of the public parameters of a function mean, made before any data are read."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from geomdp.curves.grids import Floats, Grid, IntervalGrid
from geomdp.errors import GeomdpError, InvalidRecordError


def check_template(template: Floats, grid: Grid) -> None:
    """Refuse a template that does not fit the grid, or repeats the first point of the circle.

    Examples
    --------
    >>> from geomdp.curves.grids import CircleGrid
    >>> check_template(np.zeros(8), CircleGrid(8))
    """
    axes = len(grid.shape)
    if template.ndim < axes or template.shape[template.ndim - axes :] != grid.shape:
        raise InvalidRecordError(
            f"The template has shape {template.shape} but the grid has {grid.shape}; sample the "
            "template at the points of the grid."
        )
    if repeats_end(template, grid):
        raise InvalidRecordError(
            "The template repeats its first point at the end, but 0 and 1 are one point of the "
            "circle; drop the last point of template and records."
        )


def repeats_end(values: Floats, grid: Grid) -> bool:
    """Tell whether a closed curve of several coordinates ends with its first point.

    One number may well repeat by chance; a point of several coordinates does not.

    Examples
    --------
    >>> from geomdp.curves.grids import CircleGrid
    >>> angle = np.linspace(0, 2 * np.pi, 9)
    >>> repeats_end(np.stack([np.cos(angle) ** 2, np.sin(angle).round(9)]), CircleGrid(8))
    True
    """
    if values.ndim == len(grid.shape) or isinstance(grid, IntervalGrid):
        return False
    moves = bool(np.ptp(values, axis=-1).any())
    return moves and np.array_equal(values[..., 0], values[..., -1])


def check_choice(name: str, value: object, allowed: tuple[object, ...]) -> None:
    """Refuse a value that is not one of the names ``allowed``.

    Examples
    --------
    >>> check_choice("noise", "kernel", ("kernel", "matched"))
    """
    if value not in allowed:
        raise GeomdpError(f"{name} must be one of {allowed}, not {value!r}.")


def per_channel(name: str, value: ArrayLike, channels: tuple[int, ...]) -> Floats:
    """Return a positive parameter as one number a channel.

    Examples
    --------
    >>> per_channel("phi", 0.01, (2,))
    array([0.01, 0.01])
    """
    array = np.asarray(value, dtype=np.float64)
    if not np.all((array > 0) & (array < 1e50)):
        raise GeomdpError(f"{name} must be positive and finite, not {array}.")
    try:
        return frozen(np.broadcast_to(array, channels))
    except ValueError:
        raise GeomdpError(
            f"{name} has shape {array.shape}, which does not fit the channels {channels} of the "
            "template; give one number or one a channel."
        ) from None


def frozen(array: Floats) -> Floats:
    """Return a read-only copy.

    Examples
    --------
    >>> frozen(np.ones(2)).flags.writeable
    False
    """
    copy = np.array(array, dtype=np.float64)
    copy.setflags(write=False)
    return copy
