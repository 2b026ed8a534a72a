"""Spaces by their short names, as files and the command write them."""

import re
from collections.abc import Callable
from typing import Any

from geomdp.errors import GeomdpError, did_you_mean
from geomdp.options import Given, Option
from geomdp.registry import Registry
from geomdp.spaces.base import Space

#: What builds a space from the arguments of its short name: ``"sphere:2"`` is ``Sphere(2)``.
SPACES: Registry[Callable[..., Space]] = Registry("space", own=("geomdp.spaces.*",))


def space_from_spec(spec: str, given: Given | None = None) -> Space:
    """Build a space from its short name, and what was typed for options that it declares.

    >>> space_from_spec("sphere:2")
    Sphere(dim=2, curvature=1.0)
    """
    family, *arguments = spec.split(":")
    if family not in SPACES:
        raise GeomdpError(
            f"There is no space {spec!r}; write one of {', '.join(SPACES)} with its size, "
            f'such as "sphere:2"{_meant(spec)}'
        )
    try:
        return SPACES[family](*(_argument(text) for text in arguments), **_typed(family, given))
    except TypeError as error:
        example = next(text for text in SPACES.examples() if text.split(":")[0] == family)
        raise GeomdpError(f'{spec!r} is not a space; write for example "{example}".') from error


def _meant(spec: str) -> str:
    """Return the end of a sentence about a space that is not known, such as ``SPD(3)``."""
    family, *sizes = re.findall(r"[\w.-]+", spec)[:3] or [""]
    near = did_you_mean(family.replace("_", "-"), SPACES)
    return near if near == "." or not sizes else f"{near[:-1]}:{':'.join(sizes)}?"


def space_options(family: str) -> tuple[Option, ...]:
    """Return what the command asks for a family of spaces beside its short name."""
    return tuple(getattr(SPACES[family], "options", ()))


def _typed(family: str, given: Given | None) -> dict[str, Any]:
    if given is None:
        return {}
    return {one.key: given[one.key] for one in space_options(family) if given.said(one)}


def _argument(text: str) -> int | float | str:
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text
