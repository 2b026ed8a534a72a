"""Files of compositions: shares in, points of a sphere for the release, shares out."""

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError
from geomdp.spaces.base import Space
from geomdp.spaces.compositions import composition_to_sphere, sphere_to_composition
from geomdp.spaces.sphere import Sphere
from geomdp.typing import Array


def roots_of_shares(shares: Array, space: Space | None) -> Array:
    """Take compositions of m parts to the unit sphere of dimension m - 1.

    Examples
    --------
    >>> roots_of_shares(np.array([[0.36, 0.64]]), Sphere(1)).tolist()
    [[0.6, 0.8]]
    >>> from geomdp import Euclidean
    >>> roots_of_shares(np.array([[0.36, 0.64]]), Euclidean(2))
    Traceback (most recent call last):
    geomdp.errors.InvalidRecordError: Compositions of m parts are released on sphere:m-1; ...
    """
    if not _is_unit_sphere(space):
        raise InvalidRecordError(
            "Compositions of m parts are released on sphere:m-1; plan on sphere:2 for 3 parts, or "
            "leave out --compositions."
        )
    return composition_to_sphere(shares)


def forms_of(value: Array, space: Space | None) -> list[NDArray[np.float64]]:
    """Return the forms in which a file may hold a value: itself, and on unit spheres its shares.

    Examples
    --------
    >>> [form.round(2).tolist() for form in forms_of(np.array([0.6, 0.8]), Sphere(1))]
    [[0.6, 0.8], [0.36, 0.64]]
    """
    return [value, sphere_to_composition(value)] if _is_unit_sphere(space) else [value]


def _is_unit_sphere(space: Space | None) -> bool:
    return isinstance(space, Sphere) and space.curvature == 1
