"""Face radial curves: closed curves around the centre of the disk, and the way back to a mesh.

Soto, Reimherr, Slavković and Shriver 2024 (paper 4), arXiv:2409.08301.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.surfaces.disk.mapping import signed_areas
from geomdp.surfaces.disk.sampling import sample_polar
from geomdp.surfaces.mesh.surface import Surface
from geomdp.surfaces.template import Template
from geomdp.typing import Complex, Floats

# --- Where rings lie: even on the surface of the public template, or even on the disk.

#: ``"area"``: equally spaced in the square root of the template's area; ``"even"``: in the disk.
Spacing: TypeAlias = Literal["area", "even"]

#: Area counts up to this many times the median area a unit of the disk. Nostrils hold a fortieth of
#: a face in a ten-thousandth of its disk; uncapped, rings bunch inside them.
DENSITY_CAP = 10.0


@dataclass(frozen=True, eq=False)
class RingSpacing:
    """Increasing function between the share of the way to the rim and the radius in the disk."""

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
    z: Complex,
    spacing: Spacing = "area",
    cap: float = DENSITY_CAP,
) -> RingSpacing:
    """Choose where rings lie, from the public template only.

    With ``"area"`` the share s encloses the share ``s^2`` of the template's area, so that rings
    lie evenly on the surface and not on the disk; area counts up to ``cap`` times its median a
    unit of the disk.
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


def _capped_areas(surface: Surface, z: Complex, cap: float) -> Floats:
    areas, on_disk = surface.face_areas, np.abs(signed_areas(z, surface.faces))
    if np.isinf(cap):
        return areas
    order = np.argsort(areas / np.maximum(on_disk, np.finfo(float).tiny))
    reached = np.searchsorted(np.cumsum(on_disk[order]), on_disk.sum() / 2)
    median = areas[order[reached]] / on_disk[order[reached]]
    return np.minimum(areas, cap * median * on_disk)


def ring_radii(surface: Surface, z: Complex, rings: int = 23, spacing: Spacing = "area") -> Floats:
    """Choose the radii of the rings, from the public template only.

    Parameters
    ----------
    surface, z : Surface and array (v,)
        The template with its disk coordinates.
    rings : int
        Number of rings; the last is the boundary.
    spacing : {"area", "even"}
        With ``"area"`` the ring j encloses the share ``(j / rings)^2`` of the template's area, so
        that rings lie evenly on the surface and not on the disk.

    Examples
    --------
    >>> from geomdp.surfaces.mesh.procedural import template_face
    >>> face = template_face()
    >>> z = face.vertices[:, 0] + 1j * face.vertices[:, 1]
    >>> ring_radii(face, z, rings=4, spacing="even").tolist()
    [0.25, 0.5, 0.75, 1.0]
    """
    return ring_spacing(surface, z, spacing).radius(ring_shares(rings))


def ring_shares(rings: int) -> Floats:
    """Shares of the way from the centre to the rim at which rings lie."""
    if rings < 2:
        raise GeomdpError(f"A surface needs at least 2 rings, not {rings}.")
    shares: Floats = np.arange(1, rings + 1) / rings
    return shares


@dataclass(frozen=True, eq=False)
class RingCells:
    """Radii and angles of the disk over which the points of curves are averaged.

    A cell reaches half-way to the next rings and angles; that of the rim is an arc of the rim. The
    mean over a cell is what a curve holds, so that a tube or fold smaller than a cell cannot throw
    a single point far away.

    Points lie at angles ``2 pi i / points``, and average over ``cell`` points a side.
    """

    spacing: RingSpacing
    rings: int
    points: int
    cell: int

    @property
    def radii(self) -> Floats:
        """Radii (rings * cell,) in the disk."""
        shares = ring_shares(self.rings)[:, None] + self._offsets / self.rings
        shares[-1] = 1.0
        return self.spacing.radius(shares.ravel())

    @property
    def angles(self) -> Floats:
        """Angles (points * cell,) in radians."""
        steps = (np.arange(self.points)[:, None] + self._offsets).ravel()
        angles: Floats = 2 * np.pi * steps / self.points
        return angles

    def average(self, samples: Floats) -> Floats:
        """Curves (rings, points, 3) from samples (rings * cell, points * cell, 3)."""
        cells = samples.reshape(self.rings, self.cell, self.points, self.cell, 3)
        curves: Floats = cells.mean(axis=(1, 3))
        return curves

    @property
    def _offsets(self) -> Floats:
        offsets: Floats = (np.arange(self.cell) - (self.cell - 1) / 2) / self.cell
        return offsets


def radial_curves(
    surface: Surface,
    z: Complex,
    rings: int = 23,
    points: int = 80,
    radii: Floats | None = None,
) -> Floats:
    """Sample a surface on rings of its disk.

    Parameters
    ----------
    surface, z : Surface and array (v,)
        A (registered) surface with the disk coordinates of its vertices.
    rings, points : int
        Number of rings and of points on each, at angles ``2 pi i / points``; the first point is
        not repeated at the end.
    radii : array (rings,), optional
        Radii of the rings, e.g. from :func:`ring_radii` of the template; even by default.

    Returns
    -------
    array (rings, points, 3)

    Examples
    --------
    >>> from geomdp.surfaces.mesh.procedural import template_face
    >>> from geomdp.surfaces.disk.mapping import conformal_map
    >>> face = template_face()
    >>> radial_curves(face, conformal_map(face).z, rings=5, points=12).shape
    (5, 12, 3)
    """
    radii = ring_shares(rings) if radii is None else np.asarray(radii)
    if radii.shape != (rings,):
        raise GeomdpError(f"{rings} rings need {rings} radii; the radii given are {radii.shape}.")
    return sample_polar(surface, z, radii, 2 * np.pi * np.arange(points) / points)


def curves_to_mesh(curves: Floats, name: str = "") -> Surface:
    """Build a mesh from radial curves: a fan at the centre, then split quads closed in the angle.

    The centre point is ``(4 mean(ring 1) - mean(ring 2)) / 3``, the limit of ring means as the
    radius goes to zero to fourth order; it depends on the rings only, so it is private when they
    are.

    Parameters
    ----------
    curves : array (rings, points, 3)
        From the centre outwards.

    Examples
    --------
    >>> import numpy as np
    >>> ring = np.exp(2j * np.pi * np.arange(6) / 6)
    >>> ring = np.stack([ring.real, ring.imag, np.ones(6)], axis=-1)
    >>> mesh = curves_to_mesh(np.stack([ring, 2 * ring]))
    >>> mesh.vertices.shape, mesh.faces.shape, abs(mesh.vertices[0]).round(9).tolist()
    ((13, 3), (18, 3), [0.0, 0.0, 0.666666667])
    """
    curves = np.asarray(curves, dtype=np.float64)
    if curves.ndim != 3 or curves.shape[2] != 3 or curves.shape[0] < 2 or curves.shape[1] < 3:
        raise GeomdpError(
            f"Curves of shape {curves.shape} make no mesh; give (rings >= 2, points >= 3, 3)."
        )
    rings, points, _ = curves.shape
    centre = (4 * curves[0].mean(axis=0) - curves[1].mean(axis=0)) / 3
    index = 1 + np.arange(rings * points).reshape(rings, points)
    ahead = np.roll(index, -1, axis=1)
    fan = np.stack([np.zeros(points, dtype=np.int64), index[0], ahead[0]], axis=-1)
    inner, inner_next, outer, outer_next = index[:-1], ahead[:-1], index[1:], ahead[1:]
    lower = np.stack([inner, outer, outer_next], axis=-1).reshape(-1, 3)
    upper = np.stack([inner, outer_next, inner_next], axis=-1).reshape(-1, 3)
    vertices = np.concatenate([centre[None], curves.reshape(-1, 3)])
    return Surface(vertices, np.concatenate([fan, lower, upper]), name)


# --- The mesh that is delivered: the released difference carried on the public template mesh.
# All of it is post-processing of a released value by public things, so it costs no privacy.

#: Places evaluated at a time; all waves of a fine template at once would fill the memory.
_BLOCK = 4096


def carried_on_template(
    difference: Floats, template: Template, spacing: RingSpacing, name: str = ""
) -> Surface:
    """Move every vertex of the template by the released difference at its place in the disk.

    Rings are too few to draw a lip or an eyelid, but the difference from the template is smooth: so
    the template keeps its own detail, and the difference goes on by a spline over the share of the
    way to the rim, wave by wave around the centre.
    """
    shift = field_on_disk(difference, spacing.share(np.abs(template.z)), np.angle(template.z))
    return Surface(template.surface.vertices + shift, template.surface.faces, name)


def field_on_disk(difference: Floats, share: Floats, angle: Floats) -> Floats:
    """Value ``(p, 3)`` of a difference on rings at other places of the disk."""
    from scipy.interpolate import CubicSpline

    rings, points, _ = difference.shape
    waves = np.fft.rfft(regular_at_centre(difference), axis=1) / points
    waves[:, 1 : (points + 1) // 2] *= 2  # the real part below stands for both signs of a wave
    centre = np.zeros_like(waves[:1])
    centre[0, 0] = (4 * waves[0, 0] - waves[1, 0]) / 3  # see curves_to_mesh
    knots = np.concatenate([[0.0], ring_shares(rings)])
    spline = CubicSpline(knots, np.concatenate([centre, waves]))
    field = np.empty((len(share), 3))
    for at in range(0, len(share), _BLOCK):
        block = slice(at, at + _BLOCK)
        turns = np.exp(1j * angle[block, None] * np.arange(waves.shape[1]))
        field[block] = np.einsum("pw,pwc->pc", turns, spline(share[block])).real
    return field


def regular_at_centre(difference: Floats) -> Floats:
    """Cut softly the waves around the centre that no smooth field on a disk can have.

    A smooth field behaves like ``radius**m`` in its m-th wave around the centre; noise on separate
    rings does not, and crumples the middle of a surface. Ring j is j ring distances away from the
    centre and 2 pi j long, so waves up to about m = j are as coarse as the rings are apart: those
    up to j + 2 stay, and those above are multiplied by ``exp(-((m - j - 2) / 4)**2)``.
    """
    rings, points, _ = difference.shape
    above = np.arange(points // 2 + 1) - np.arange(1, rings + 1)[:, None] - 2
    return _filtered(difference, np.exp(-((np.maximum(above, 0) / 4.0) ** 2)))


def _filtered(difference: Floats, factors: Floats) -> Floats:
    spectrum = np.fft.rfft(difference, axis=1) * factors[..., None]
    return np.fft.irfft(spectrum, n=difference.shape[1], axis=1)
