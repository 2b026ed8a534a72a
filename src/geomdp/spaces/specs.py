"""Spaces by their short names, as files and the command write them."""

from collections.abc import Callable

from geomdp.errors import GeomdpError
from geomdp.spaces.base import Space
from geomdp.spaces.euclidean import Euclidean
from geomdp.spaces.hyperbolic import Hyperbolic
from geomdp.spaces.planar_shapes import PlanarShapes
from geomdp.spaces.spd import SPD
from geomdp.spaces.sphere import Sphere

FAMILIES: dict[str, Callable[..., Space]] = {
    "euclidean": Euclidean,
    "hyperbolic": Hyperbolic,
    "planar-shapes": PlanarShapes,
    "spd": SPD,
    "sphere": Sphere,
}


def space_from_spec(spec: str) -> Space:
    """Build a space from its short name.

    >>> space_from_spec("sphere:2")
    Sphere(dim=2, curvature=1.0)
    """
    family, *arguments = spec.split(":")
    if family not in FAMILIES:
        raise GeomdpError(
            f"There is no space {spec!r}; write one of {', '.join(FAMILIES)} with its size, "
            'such as "sphere:2".'
        )
    try:
        return FAMILIES[family](*(_argument(text) for text in arguments))
    except TypeError as error:
        raise GeomdpError(f'{spec!r} is not a space; write for example "{family}:3".') from error


def _argument(text: str) -> int | float | str:
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text
