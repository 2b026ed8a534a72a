"""Compositions (shares that add up to 1) as points of a sphere, by their square roots."""

from typing import Any

import numpy as np

from geomdp.errors import InvalidRecordError
from geomdp.typing import Array

#: How far the sum of a composition may be from 1: digits lost in text files.
SUM_TOLERANCE = 1e-6


def composition_to_sphere(shares: Any) -> Array:
    """Square roots of compositions: points of ``Sphere(m - 1)`` for m parts.

    Parameters
    ----------
    shares
        Array (..., m) of nonnegative shares that add up to 1; zeros are welcome.

    Examples
    --------
    >>> composition_to_sphere([0.25, 0.75, 0.0]).round(4).tolist()
    [0.5, 0.866, 0.0]
    """
    try:
        x = np.asarray(shares, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidRecordError(
            "Compositions must be numbers, one row a record; check for text or missing entries."
        ) from error
    if x.ndim == 0 or x.shape[-1] < 2:
        raise InvalidRecordError(f"A composition has at least 2 parts; got shape {x.shape}.")
    total = np.sum(x, axis=-1)
    _refuse(~np.all(np.isfinite(x), axis=-1), "has a missing or infinite share: leave it out")
    _refuse(np.any(x < 0, axis=-1), "has a negative share: shares are parts of a whole")
    _refuse(np.abs(total - 1) > SUM_TOLERANCE, "does not add up to 1: divide it by its sum")
    return np.sqrt(x / total[..., None])


def sphere_to_composition(points: Any) -> Array:
    """Squares of the coordinates: inverse of :func:`composition_to_sphere`.

    A released point may have negative coordinates, since noise leaves the positive part of the
    sphere; its squares are a composition all the same. That is free post-processing.

    Examples
    --------
    >>> sphere_to_composition([0.6, -0.8]).round(4).tolist()
    [0.36, 0.64]
    """
    x = np.asarray(points, dtype=np.float64)
    square = np.sum(x * x, axis=-1)
    _refuse(~(np.abs(square - 1) <= SUM_TOLERANCE), "does not lie on the unit sphere: normalise it")
    return x * x / square[..., None]


def _refuse(bad: Array, complaint: str) -> None:
    if np.any(bad):
        raise InvalidRecordError(f"Composition {int(np.flatnonzero(bad)[0])} {complaint}.")
