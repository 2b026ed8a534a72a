"""Where rings lie: even on the surface of the public template, or even on the disk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import GeomdpError
from geomdp.surfaces.distortion import signed_areas
from geomdp.surfaces.surface import Surface

Floats: TypeAlias = NDArray[np.float64]

#: ``"area"``: equally spaced in the square root of the template's area; ``"even"``: in the disk.
Spacing: TypeAlias = Literal["area", "even"]

#: Area counts up to this many times the median area a unit of the disk. Nostrils hold a fortieth of
#: a face in a ten-thousandth of its disk; uncapped, rings bunch inside them.
DENSITY_CAP = 10.0


@dataclass(frozen=True, eq=False)
class RingSpacing:
    """Increasing function between the share of the way to the rim and the radius in the disk.

    Examples
    --------
    >>> spacing = RingSpacing(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.2, 1.0]))
    >>> spacing.radius(0.75).round(9).tolist(), spacing.share(0.1).tolist()
    (0.6, 0.25)
    """

    shares: Floats
    radii: Floats

    def radius(self, share: Floats | float) -> Floats:
        """Return the radius in the disk at a share of the way from the centre to the rim."""
        return np.asarray(np.interp(share, self.shares, self.radii))

    def share(self, radius: Floats | float) -> Floats:
        """Inverse of :meth:`radius`."""
        return np.asarray(np.interp(radius, self.radii, self.shares))


def ring_spacing(
    surface: Surface,
    z: NDArray[np.complex128],
    spacing: Spacing = "area",
    cap: float = DENSITY_CAP,
) -> RingSpacing:
    """Choose where rings lie, from the public template only.

    Parameters
    ----------
    surface, z : Surface and array (v,)
        The template with its disk coordinates.
    spacing : {"area", "even"}
        With ``"area"`` the share s encloses the share ``s^2`` of the template's area, so that rings
        lie evenly on the surface and not on the disk.
    cap : float
        Largest area a unit of the disk that counts, in multiples of its median over the disk.

    Examples
    --------
    >>> from geomdp.surfaces.procedural import template_face
    >>> face = template_face()
    >>> z = face.vertices[:, 0] + 1j * face.vertices[:, 1]
    >>> ring_spacing(face, z, "even").radius(0.3).tolist()
    0.3
    """
    if spacing == "even":
        return RingSpacing(np.array([0.0, 1.0]), np.array([0.0, 1.0]))
    if spacing != "area":
        raise GeomdpError(f"spacing={spacing!r} is unknown; choose 'area' or 'even'.")
    middle = np.abs(z[surface.faces].mean(axis=1))
    order = np.argsort(middle)
    area = np.cumsum(_capped_areas(surface, z, cap)[order])
    shares = np.sqrt(np.concatenate([[0], area / area[-1]]))
    radii = np.concatenate([[0], middle[order]])
    radii[-1] = 1.0
    return RingSpacing(shares, radii)


def _capped_areas(surface: Surface, z: NDArray[np.complex128], cap: float) -> Floats:
    areas, on_disk = surface.face_areas, np.abs(signed_areas(z, surface.faces))
    if np.isinf(cap):
        return areas
    order = np.argsort(areas / np.maximum(on_disk, np.finfo(float).tiny))
    reached = np.searchsorted(np.cumsum(on_disk[order]), on_disk.sum() / 2)
    median = areas[order[reached]] / on_disk[order[reached]]
    return np.minimum(areas, cap * median * on_disk)
