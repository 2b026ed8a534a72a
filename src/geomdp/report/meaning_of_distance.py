"""Spaces by their spoken names, and what a distance on one means in everyday terms."""

from collections.abc import Callable
from typing import Any

import numpy as np

from geomdp.report.scene import place_of
from geomdp.spaces.base import Space
from geomdp.spaces.euclidean import Euclidean
from geomdp.spaces.hyperbolic import Hyperbolic
from geomdp.spaces.planar_shapes import PlanarShapes
from geomdp.spaces.spd_affine import AffineSPD
from geomdp.spaces.spd_log_euclidean import LogEuclideanSPD
from geomdp.spaces.sphere import Sphere
from geomdp.statistics.base import Statistic

#: Headings of statistics that are no points of a space, by their tags.
_TITLES = {"function-mean": "Private mean function", "surface-mean": "Private mean surface"}

_NAMES: dict[type, Callable[[Any], str]] = {
    Sphere: lambda space: {1: "the circle", 2: "the sphere S²"}.get(
        space.dim, f"the sphere of dimension {space.dim}"
    ),
    AffineSPD: lambda space: f"{space.k} x {space.k} SPD matrices",
    LogEuclideanSPD: lambda space: f"{space.k} x {space.k} SPD matrices (log-Euclidean metric)",
    PlanarShapes: lambda space: f"planar shapes with {space.landmarks} landmarks",
    Hyperbolic: lambda space: f"hyperbolic space of dimension {space.dim}",
    Euclidean: lambda space: f"Euclidean space of dimension {space.dim}",
}


def spoken(space: Space) -> str:
    """Return the name of a space as people say it; its short name if there is none.

    Examples
    --------
    >>> import geomdp as dp
    >>> spoken(dp.Sphere(2)), spoken(dp.SPD(3, "log-euclidean"))
    ('the sphere S²', '3 x 3 SPD matrices (log-Euclidean metric)')
    """
    name = _NAMES.get(type(space))
    return name(space) if name else space.spec


def title_of(statistic: Statistic) -> str:
    """Return a heading for a private statistic.

    Examples
    --------
    >>> import geomdp as dp
    >>> title_of(dp.FrechetMean(dp.Ball(dp.Euclidean(1), [0.0], 1.0)))
    'Private mean on Euclidean space of dimension 1'
    """
    space, ball = place_of(statistic)
    if space is None:
        return _TITLES.get(statistic.tag, "Private statistic")
    return f"Private {'statistic' if ball is None else 'mean'} on {spoken(space)}"


def in_words(statistic: Statistic, error: float) -> str:
    """Return an error with what it means on its space.

    Examples
    --------
    >>> import geomdp as dp
    >>> in_words(dp.Summary(dp.Sphere(2), 0.1), 0.0191)
    '0.0191 rad (1.09°)'
    >>> in_words(dp.Summary(dp.SPD(3), 0.1), 0.02)
    '0.02 (no variance off by more than 2.02%)'
    """
    number = f"{error:.3g}"
    if statistic.tag == "surface-mean":
        return f"{number} ({_percent(error)} of the root of the area, root mean square)"
    match place_of(statistic)[0]:
        case Sphere(curvature=1.0):
            return f"{number} rad ({np.degrees(error):.3g}°)"
        case AffineSPD():
            # Logs of relative eigenvalues are at most the distance, so v'Pv is within e^distance.
            return f"{number} (no variance off by more than {_percent(np.expm1(error))})"
        case LogEuclideanSPD():
            return f"{number} (distance of matrix logarithms)"
        case PlanarShapes():
            return f"{number} rad ({_percent(error)} of the shape's size)"
    return number


def _percent(share: float) -> str:
    return f"{100 * share:.3g}%" if share < 10 else f"a factor {1 + share:.3g}"
