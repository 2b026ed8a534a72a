"""From one surface to its radial curves over a public template."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError
from geomdp.surfaces.curves.partial import looks_partial, partial_curves
from geomdp.surfaces.curves.radial import RingCells
from geomdp.surfaces.curves.recipe import Recipe
from geomdp.surfaces.curves.spacing import DENSITY_CAP, RingSpacing, ring_spacing
from geomdp.surfaces.disk.center import MOST_PROTRUDING, Center, next_protruding
from geomdp.surfaces.mesh.surface import Surface
from geomdp.surfaces.mesh.topology import require_disk
from geomdp.surfaces.registration.gates import (
    distance,
    require_energy,
    require_nearness,
    require_winding,
)
from geomdp.surfaces.registration.matching import Registration, register
from geomdp.surfaces.registration.rotation import best_motion
from geomdp.surfaces.template import Template

#: Points a side over which a curve point is averaged.
CELL = 5
#: Registrations that map each record to the disk, about its centre.
MAPPED = ("elastic", "similarity")
#: Curves farther than this from the template may have a wrong centre: half of what is refused.
DOUBTFUL = 0.05


@dataclass(frozen=True, eq=False)
class Road:
    """A recipe on a template, with all that its records share.

    Parameters
    ----------
    recipe : Recipe
        Public settings.
    template : Template
        Public surface.

    Examples
    --------
    >>> from geomdp.surfaces.mesh.procedural import procedural_face, template_face
    >>> from geomdp.surfaces.template import make_template
    >>> road = Road(Recipe(rings=8, points=24), make_template(template_face()))
    >>> road.curves(procedural_face(1)).shape
    (8, 24, 3)
    """

    recipe: Recipe
    template: Template

    @cached_property
    def spacing(self) -> RingSpacing:
        """Where the rings lie on the template."""
        return ring_spacing(
            self.template.surface, self.template.z, self.recipe.spacing, DENSITY_CAP
        )

    @cached_property
    def cells(self) -> RingCells:
        """What the points of curves average over."""
        return RingCells(self.spacing, self.recipe.rings, self.recipe.points, CELL)

    @cached_property
    def template_curves(self) -> NDArray[np.float64]:
        """Curves (rings, points, 3) of the template itself."""
        at = self.cells.radii[:, None] * np.exp(1j * self.cells.angles)
        return self.cells.average(self.template.interpolant(at))

    def curves(self, surface: Surface, center: Center | None = None) -> NDArray[np.float64]:
        """Register one surface and return its curves, or say why it does not fit the template.

        What comes out, a refusal included, depends on this surface and on public things alone.
        """
        require_winding(surface, self.template)
        middle = self.recipe.center if center is None else center
        if (
            isinstance(middle, str)
            and middle == MOST_PROTRUDING
            and self.recipe.registration in MAPPED
        ):
            return self._about_protruding(surface)
        return self._laid(surface, middle, trusted=not isinstance(middle, str))

    def _about_protruding(self, surface: Surface) -> NDArray[np.float64]:
        """Lay a surface about what protrudes most, which on some faces is the chin.

        Where that is refused, or ends far from the template, a second guess is tried.
        """
        try:
            first = self._laid(surface, MOST_PROTRUDING, trusted=False)
        except InvalidRecordError:
            second = self._about_next(surface)
            if second is None:
                raise
            return second
        if self._apart(first) <= DOUBTFUL:
            return first
        second = self._about_next(surface)
        return first if second is None else min(first, second, key=self._apart)

    def _about_next(self, surface: Surface) -> NDArray[np.float64] | None:
        with suppress(InvalidRecordError):
            vertex = next_protruding(surface, require_disk(surface))
            if vertex is not None:
                return self._laid(surface, vertex, trusted=False)
        return None

    def _apart(self, curves: NDArray[np.float64]) -> float:
        return distance(curves, self.template_curves)

    def _laid(self, surface: Surface, center: Center, trusted: bool) -> NDArray[np.float64]:
        """Register one surface about this centre; whether that is a landmark is ``trusted``."""
        found = register(surface, self.template, self.recipe.registration, center)
        samples = found.on_rings(self.cells.radii, self.cells.angles)
        curves = self._aligned(self.cells.average(samples))
        part = self._of_part(found, curves, trusted)
        if part is None:
            require_energy(found)
        else:
            curves = part
        require_nearness(curves, self.template_curves, surface)
        return curves

    def _of_part(
        self, found: Registration, curves: NDArray[np.float64], trusted: bool
    ) -> NDArray[np.float64] | None:
        """Return the curves of a scan that is cropped elsewhere than the template, else None."""
        elastic = self.recipe.registration == "elastic"
        if elastic and looks_partial(found, curves, self.template_curves):
            return partial_curves(self, found, curves, trusted)
        return None

    def _aligned(self, curves: NDArray[np.float64]) -> NDArray[np.float64]:
        """Move curves to the template's: normals alone leave them a little off."""
        if self.recipe.registration == "none":
            return curves
        target, scaled = self.template_curves, self.recipe.registration == "similarity"
        return best_motion(target.reshape(-1, 3), curves.reshape(-1, 3), scaled=scaled)(curves)
