"""Does a registered surface resemble the template? What does not counts as the template.

Each gate looks at one record and at public things, so that it is part of the preprocessing of that
record (docs/theory/elastic-registration.md, section 7).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError
from geomdp.surfaces.mesh.surface import Surface
from geomdp.surfaces.mesh.topology import bulge
from geomdp.surfaces.registration.matching import Registration
from geomdp.surfaces.template import Template

#: Surfaces that hold less than this, in units of area to the power 3/2, have no clear outside.
FLAT = 0.01

#: Largest squared distance of normal fields, of which 4 is the most that any two can have. Faces of
#: the ICT model have at most 0.1, a chin cropped by 15% 0.17, hills on a face 0.4.
MAX_ENERGY = 0.35

#: Largest root mean square distance of curves, in units of the root of the area: three times the
#: default tau. An inside-out face has 0.2, a flat disk on a face 0.12.
MAX_DISTANCE = 0.1


def require_winding(surface: Surface, template: Template) -> None:
    """Refuse a surface whose triangles face the other way than the template's.

    Turned over in space such a surface has the right normals and is inside out.
    """
    ours, public = bulge(surface), template.bulge
    if min(abs(ours), abs(public)) > FLAT and ours * public < 0:
        raise InvalidRecordError(
            f"{surface.label} winds its triangles the other way than the template, so that it "
            "would be laid inside out; reverse the order of the corners of every triangle."
        )


def require_energy(found: Registration) -> None:
    """Refuse a surface whose normals do not follow the template's after registration."""
    if not found.energy_after <= MAX_ENERGY:
        raise InvalidRecordError(
            f"{found.unit.label} does not resemble the template: the distance of their normal "
            f"fields is {found.energy_after:.2g} after registration, where {MAX_ENERGY} is the "
            "most allowed; check its crop, its noise and its centre."
        )


def distance(curves: NDArray[np.float64], template_curves: NDArray[np.float64]) -> float:
    """Root mean square distance of curves from the template's, every ring alike."""
    return float(np.sqrt(np.mean(np.sum((curves - template_curves) ** 2, axis=-1))))


def require_nearness(
    curves: NDArray[np.float64], template_curves: NDArray[np.float64], surface: Surface
) -> None:
    """Refuse a surface whose curves lie far from the template's after alignment."""
    apart = distance(curves, template_curves)
    if not apart <= MAX_DISTANCE:
        raise InvalidRecordError(
            f"{surface.label} lies {apart:.2g} from the template after alignment (root mean "
            f"square, at area one), where {MAX_DISTANCE} is the most allowed; check its crop and "
            "its orientation."
        )
