"""From one surface to its radial curves, by settings fixed in public."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from geomdp.surfaces.center import Center
from geomdp.surfaces.curves import Spacing, radial_curves, ring_radii
from geomdp.surfaces.registration import RegistrationMethod, register
from geomdp.surfaces.surface import Surface
from geomdp.surfaces.template import Template


@dataclass(frozen=True)
class Recipe:
    """Public settings of the road from a surface to its curves.

    Parameters
    ----------
    rings, points : int
        Number of rings and of points on each.
    spacing : {"area", "even"}
        How the rings are spaced (:func:`~geomdp.surfaces.curves.ring_radii`).
    registration : {"elastic", "homologous"}
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

    def radii(self, template: Template) -> NDArray[np.float64]:
        """Return the radii of the rings on a template."""
        return ring_radii(template.surface, template.z, self.rings, self.spacing)

    def template_curves(self, template: Template) -> NDArray[np.float64]:
        """Return the curves of the template itself."""
        return radial_curves(
            template.surface, template.z, self.rings, self.points, self.radii(template)
        )

    def curves(
        self, surface: Surface, template: Template, center: Center | None = None
    ) -> NDArray[np.float64]:
        """Register one surface and return its curves."""
        middle = self.center if center is None else center
        found = register(surface, template, self.registration, middle)
        return radial_curves(found.surface, found.z, self.rings, self.points, self.radii(template))
