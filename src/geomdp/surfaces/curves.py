"""Face radial curves: closed curves around the centre of the disk, and the way back to a mesh."""

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import GeomdpError
from geomdp.surfaces.sampling import sample_polar
from geomdp.surfaces.surface import Surface

#: ``"area"``: equally spaced in the square root of the template's area; ``"even"``: in the disk.
Spacing: TypeAlias = Literal["area", "even"]


def ring_radii(
    surface: Surface, z: NDArray[np.complex128], rings: int = 23, spacing: Spacing = "area"
) -> NDArray[np.float64]:
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
    >>> from geomdp.surfaces.procedural import template_face
    >>> face = template_face()
    >>> z = face.vertices[:, 0] + 1j * face.vertices[:, 1]
    >>> ring_radii(face, z, rings=4, spacing="even").tolist()
    [0.25, 0.5, 0.75, 1.0]
    """
    if rings < 2:
        raise GeomdpError(f"A surface needs at least 2 rings, not {rings}.")
    even: NDArray[np.float64] = np.arange(1, rings + 1) / rings
    if spacing == "even":
        return even
    if spacing != "area":
        raise GeomdpError(f"spacing={spacing!r} is unknown; choose 'area' or 'even'.")
    middle = np.abs(z[surface.faces].mean(axis=1))
    order = np.argsort(middle)
    area = np.cumsum(surface.face_areas[order])
    share = np.sqrt(np.concatenate([[0], area / area[-1]]))
    radii: NDArray[np.float64] = np.interp(even, share, np.concatenate([[0], middle[order]]))
    radii[-1] = 1.0
    return radii


def radial_curves(
    surface: Surface,
    z: NDArray[np.complex128],
    rings: int = 23,
    points: int = 80,
    radii: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
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
    >>> from geomdp.surfaces.procedural import template_face
    >>> from geomdp.surfaces.disk_map import conformal_map
    >>> face = template_face()
    >>> radial_curves(face, conformal_map(face).z, rings=5, points=12).shape
    (5, 12, 3)
    """
    radii = ring_radii(surface, z, rings, "even") if radii is None else np.asarray(radii)
    if radii.shape != (rings,):
        raise GeomdpError(f"{rings} rings need {rings} radii; the radii given are {radii.shape}.")
    return sample_polar(surface, z, radii, 2 * np.pi * np.arange(points) / points)


#: Share of the rings, from the centre, on which a difference from the template is made regular.
REGULAR_SHARE = 0.5


def regular_at_centre(difference: NDArray[np.float64]) -> NDArray[np.float64]:
    """Damp the waves around the centre that no smooth field on a disk can have.

    A smooth field behaves like ``radius**m`` in its m-th wave around the centre; noise on separate
    rings does not, and crumples the middle of a surface. The m-th wave of the ring at share s of
    all rings is multiplied by ``min(1, s / REGULAR_SHARE)**m``: post-processing by a public rule.

    Parameters
    ----------
    difference : array (rings, points, 3)
        A released value minus its public template.

    Examples
    --------
    >>> lift = np.ones((4, 8, 3))
    >>> np.allclose(regular_at_centre(lift), lift)
    True
    """
    rings, points, _ = difference.shape
    share = np.arange(1, rings + 1) / rings
    waves = np.arange(points // 2 + 1)
    damping = np.minimum(1.0, share / REGULAR_SHARE)[:, None] ** waves
    spectrum = np.fft.rfft(difference, axis=1) * damping[..., None]
    return np.fft.irfft(spectrum, n=points, axis=1)


def curves_to_mesh(curves: NDArray[np.float64], name: str = "") -> Surface:
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
