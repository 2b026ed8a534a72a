"""Public settings of the road from a surface to its radial curves."""

from dataclasses import dataclass

from geomdp.surfaces.curves.spacing import Spacing
from geomdp.surfaces.disk.center import Center
from geomdp.surfaces.registration.matching import RegistrationMethod


@dataclass(frozen=True)
class Recipe:
    """Public settings of the road from a surface to its curves.

    Parameters
    ----------
    rings, points : int
        Number of rings and of points on each.
    spacing : {"area", "even"}
        How the rings are spaced (:func:`~geomdp.surfaces.curves.spacing.ring_spacing`).
    registration : {"elastic", "similarity", "homologous", "none"}
        How surfaces are laid over the template.
    center : vertex index, coordinates or rule
        Centre of the disk maps, where a record has none of its own.

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
