"""Public settings of the road from a surface to its radial curves."""

from dataclasses import dataclass

from geomdp.errors import GeomdpError
from geomdp.surfaces.center import Center
from geomdp.surfaces.registration import RegistrationMethod
from geomdp.surfaces.ring_spacing import Spacing

#: The road that new plans take. Version 1 spaced rings by the whole area and took single points.
VERSION = 2


@dataclass(frozen=True)
class Recipe:
    """Public settings of the road from a surface to its curves.

    Parameters
    ----------
    rings, points : int
        Number of rings and of points on each.
    spacing : {"area", "even"}
        How the rings are spaced (:func:`~geomdp.surfaces.ring_spacing.ring_spacing`).
    registration : {"elastic", "similarity", "homologous", "none"}
        How surfaces are laid over the template.
    center : vertex index, coordinates or rule
        Centre of the disk maps, where a record has none of its own.
    version : int
        2 for new plans. Plans of version 1 keep their curves and meshes, so that what was
        released with them can still be verified.

    Examples
    --------
    >>> Recipe(rings=16).points
    80
    """

    rings: int = 23
    points: int = 80
    spacing: Spacing = "area"
    registration: RegistrationMethod = "elastic"
    center: Center = "most-protruding"
    version: int = VERSION

    def __post_init__(self) -> None:
        if self.version not in (1, VERSION):
            raise GeomdpError(
                f"Recipes have version 1 or {VERSION}, not {self.version}; a newer geomdp may know "
                "this one."
            )
