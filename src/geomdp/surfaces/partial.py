"""Curves of a scan that covers a part of the template: matched there, the template elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError
from geomdp.surfaces.gates import require_energy
from geomdp.surfaces.overlap import LEAST_COVER, Overlap, cut, find_overlap
from geomdp.surfaces.registration import Registration, register
from geomdp.surfaces.rotation import best_motion
from geomdp.surfaces.template import Template, make_template

if TYPE_CHECKING:
    from geomdp.surfaces.road import Road

Floats = NDArray[np.float64]

#: Rims farther apart than this after alignment, or normals with a larger energy, look like crops
#: at different places. Faces of the ICT model cropped alike have 0.03 and 0.05, typically.
RIM_APART, ENERGY = 0.05, 0.12


def looks_partial(found: Registration, curves: Floats, template_curves: Floats) -> bool:
    """Tell whether aligned curves look as if the scan were cropped elsewhere than the template.

    Examples
    --------
    >>> from geomdp.surfaces.procedural import procedural_face, template_face
    >>> template = make_template(template_face())
    >>> found = register(procedural_face(1), template, "homologous")
    >>> looks_partial(found, np.zeros((4, 8, 3)), np.full((4, 8, 3), 0.1))
    True
    """
    apart = np.sqrt(np.mean(np.sum((curves[-1] - template_curves[-1]) ** 2, axis=-1)))
    return bool(apart > RIM_APART or found.energy_after > ENERGY)


def partial_curves(road: Road, found: Registration, curves: Floats, trusted: bool) -> Floats | None:
    """Curves matched where the scan covers the template, or None where both are cropped alike.

    Parameters
    ----------
    road : Road
        The recipe and the template.
    found : Registration
        Of the whole scan on the whole template: a rough start.
    curves : array (rings, points, 3)
        What that registration gave.
    trusted : bool
        Whether the centre of the scan is a landmark. Where it is what protrudes most, a crop may
        have moved it, and the point nearest to the template's centre is taken instead.
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


def _on_part(
    at: NDArray[np.complex128], template: Template, part: Template, numbers: NDArray[np.int64]
) -> NDArray[np.complex128]:
    """Disk coordinates on a part of the template, NaN outside, of points of the whole disk."""
    from scipy.interpolate import LinearNDInterpolator
    from scipy.spatial import cKDTree

    sites = np.stack([template.z.real, template.z.imag], axis=1)
    places = np.stack([at.real, at.imag], axis=1)
    own: NDArray[np.complex128] = LinearNDInterpolator(sites[numbers], part.z)(places)
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
