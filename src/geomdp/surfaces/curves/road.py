"""From one surface to its radial curves over a public template."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from geomdp.curves.clipped_curves import check_choice
from geomdp.errors import InvalidRecordError
from geomdp.surfaces.curves.radial import DENSITY_CAP, RingCells, RingSpacing, Spacing, ring_spacing
from geomdp.surfaces.disk.center import MOST_PROTRUDING, RULES, Center, next_protruding
from geomdp.surfaces.mesh.surface import Surface
from geomdp.surfaces.mesh.topology import require_disk
from geomdp.surfaces.registration.matching import (
    METHODS,
    Registration,
    RegistrationMethod,
    distance,
    register,
    require_energy,
    require_nearness,
    require_winding,
)
from geomdp.surfaces.registration.overlap import LEAST_COVER, Overlap, cut, find_overlap
from geomdp.surfaces.registration.srnf import best_motion
from geomdp.surfaces.template import Template, make_template
from geomdp.typing import Complex, Floats, Indices


@dataclass(frozen=True)
class Recipe:
    """Public settings of the road from a surface to its curves.

    Parameters
    ----------
    rings, points : int
        Number of rings and of points on each.
    spacing : {"area", "even"}
        How the rings are spaced (:func:`~geomdp.surfaces.curves.radial.ring_spacing`).
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

    def __post_init__(self) -> None:
        # Refuse what no record could be laid by now: later, they would fail one by one.
        check_choice("registration", self.registration, METHODS)
        if isinstance(self.center, str):
            check_choice("center", self.center, RULES)


#: Points a side over which a curve point is averaged.
CELL = 5
#: Registrations that map each record to the disk, about its centre.
MAPPED = ("elastic", "similarity")
#: Curves farther than this from the template may have a wrong centre: half of what is refused.
DOUBTFUL = 0.05


@dataclass(frozen=True, eq=False)
class Road:
    """A recipe on a template, with all that its records share."""

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
    def template_curves(self) -> Floats:
        """Curves (rings, points, 3) of the template itself."""
        at = self.cells.radii[:, None] * np.exp(1j * self.cells.angles)
        return self.cells.average(self.template.interpolant(at))

    def curves(self, surface: Surface, center: Center | None = None) -> Floats:
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

    def _about_protruding(self, surface: Surface) -> Floats:
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

    def _about_next(self, surface: Surface) -> Floats | None:
        with suppress(InvalidRecordError):
            vertex = next_protruding(surface, require_disk(surface))
            if vertex is not None:
                return self._laid(surface, vertex, trusted=False)
        return None

    def _apart(self, curves: Floats) -> float:
        return distance(curves, self.template_curves)

    def _laid(self, surface: Surface, center: Center, trusted: bool) -> Floats:
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

    def _of_part(self, found: Registration, curves: Floats, trusted: bool) -> Floats | None:
        """Return the curves of a scan that is cropped elsewhere than the template, else None."""
        elastic = self.recipe.registration == "elastic"
        if elastic and looks_partial(found, curves, self.template_curves):
            return partial_curves(self, found, curves, trusted)
        return None

    def _aligned(self, curves: Floats) -> Floats:
        """Move curves to the template's: normals alone leave them a little off."""
        if self.recipe.registration == "none":
            return curves
        target, scaled = self.template_curves, self.recipe.registration == "similarity"
        return best_motion(target.reshape(-1, 3), curves.reshape(-1, 3), scaled=scaled)(curves)


# --- Curves of a scan that covers a part of the template: matched there, the template elsewhere.

#: Rims farther apart than this after alignment, or normals with a larger energy, look like crops
#: at different places. Faces of the ICT model cropped alike have 0.03 and 0.05, typically.
RIM_APART, ENERGY = 0.05, 0.12


def looks_partial(found: Registration, curves: Floats, template_curves: Floats) -> bool:
    """Tell whether aligned curves look as if the scan were cropped elsewhere than the template."""
    apart = np.sqrt(np.mean(np.sum((curves[-1] - template_curves[-1]) ** 2, axis=-1)))
    return bool(apart > RIM_APART or found.energy_after > ENERGY)


def partial_curves(road: Road, found: Registration, curves: Floats, trusted: bool) -> Floats | None:
    """Curves matched where the scan covers the template, or None where both are cropped alike.

    ``found`` and its ``curves`` are of the whole scan on the whole template: a rough start. The
    centre of the scan is ``trusted`` where it is a landmark; where it is what protrudes most, a
    crop may have moved it, and the point nearest to the template's centre is taken instead.
    """
    inner = slice(0, len(curves) // 2)  # crops matter least around the centre
    pair = road.template_curves[inner].reshape(-1, 3), curves[inner].reshape(-1, 3)
    overlap = find_overlap(found.surface, road.template.surface, best_motion(*pair, scaled=True))
    if overlap.is_whole:
        return None
    if overlap.template_share < LEAST_COVER:
        raise InvalidRecordError(
            f"{found.unit.label} covers {overlap.template_share:.0%} of the template, too little "
            "to be matched; give a larger scan or a template of the same crop."
        )
    return _filled(road, _matched(road, found, overlap, trusted))


def _matched(road: Road, found: Registration, overlap: Overlap, trusted: bool) -> Floats:
    """Points (radii, angles, 3) of the scan over the template's rings; NaN where it has none."""
    record, _ = cut(found.unit, overlap.record)
    public, numbers = cut(road.template.surface, overlap.template)
    center = road.template.surface.vertices[np.abs(road.template.z).argmin()]
    apart = np.linalg.norm(overlap.motion(found.surface.vertices) - center, axis=1)
    own_center = found.unit.vertices[(np.abs(found.disk) if trusted else apart).argmin()]
    part = make_template(public, center, road.template.settings)
    inner = register(record, part, "elastic", own_center)
    require_energy(inner)
    at = road.cells.radii[:, None] * np.exp(1j * road.cells.angles)
    own = _on_part(at.ravel(), road.template, part, numbers)
    samples = np.full((at.size, 3), np.nan)
    known = np.isfinite(own)
    disk = inner.gamma(own[known])
    disk /= np.maximum(np.abs(disk), 1)
    samples[known] = inner.interpolant(disk) @ inner.rotation.T
    return samples.reshape(*at.shape, 3)


def _on_part(at: Complex, template: Template, part: Template, numbers: Indices) -> Complex:
    """Disk coordinates on a part of the template, NaN outside, of points of the whole disk."""
    from scipy.interpolate import LinearNDInterpolator
    from scipy.spatial import cKDTree

    sites = np.stack([template.z.real, template.z.imag], axis=1)
    places = np.stack([at.real, at.imag], axis=1)
    own: Complex = LinearNDInterpolator(sites[numbers], part.z)(places)
    covered = np.zeros(len(sites), dtype=bool)
    covered[numbers] = True
    own[~covered[cKDTree(sites).query(places)[1]]] = np.nan
    return own


def _filled(road: Road, samples: Floats) -> Floats:
    """Average over cells, align what is known, and let the template stand for the rest."""
    known = np.isfinite(samples)
    weight = road.cells.average(known.astype(np.float64))
    curves = road.cells.average(np.where(known, samples, 0.0)) / np.maximum(weight, 1e-9)
    sure = weight[..., 0] > 0.5
    motion = best_motion(road.template_curves[sure], curves[sure], scaled=True)
    return np.where(sure[..., None], motion(curves), road.template_curves)
