"""Spaces by their short names, as files and the command write them."""

from collections.abc import Callable

from geomdp.errors import GeomdpError
from geomdp.registry import Registry
from geomdp.spaces.base import Space

#: What builds a space from the arguments of its short name: ``"sphere:2"`` is ``Sphere(2)``.
SPACES: Registry[Callable[..., Space]] = Registry("space", own=("geomdp.spaces.*",))


def space_from_spec(spec: str) -> Space:
    """Build a space from its short name.

    >>> space_from_spec("sphere:2")
    Sphere(dim=2, curvature=1.0)
    """
    family, *arguments = spec.split(":")
    if family not in SPACES:
        raise GeomdpError(
            f"There is no space {spec!r}; write one of {', '.join(SPACES)} with its size, "
            'such as "sphere:2".'
        )
    try:
        return SPACES[family](*(_argument(text) for text in arguments))
    except TypeError as error:
        raise GeomdpError(f'{spec!r} is not a space; write for example "{family}:3".') from error


def _argument(text: str) -> int | float | str:
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text
