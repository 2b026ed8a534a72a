"""How far a map to the disk is from conformal: angle errors and flipped triangles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from geomdp.surfaces.mesh.surface import Surface
from geomdp.surfaces.mesh.topology import FLAT_TRIANGLE


def signed_areas(z: NDArray[np.complex128], faces: NDArray[np.int64]) -> NDArray[np.float64]:
    """Areas of the triangles in the plane, negative where the map turns a triangle over."""
    a, b, c = z[faces.T]
    areas: NDArray[np.float64] = 0.5 * (np.conj(b - a) * (c - a)).imag
    return areas


def is_flipped(z: NDArray[np.complex128], faces: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell for each triangle whether the map turns it over or flattens it to a line."""
    a, b, c = z[faces.T]
    sides = b - a, c - a, c - b
    longest = np.max([side.real**2 + side.imag**2 for side in sides], axis=0)
    flipped: NDArray[np.bool_] = ~(2 * signed_areas(z, faces) > FLAT_TRIANGLE * longest)
    return flipped


def flipped_triangles(z: NDArray[np.complex128], faces: NDArray[np.int64]) -> int:
    """Count the triangles that the map turns over or flattens."""
    return int(is_flipped(z, faces).sum())


def angle_errors(surface: Surface, z: NDArray[np.complex128]) -> NDArray[np.float64]:
    """Angle in the disk minus angle on the surface, in degrees, for each triangle corner."""
    plane = np.stack([z.real, z.imag, np.zeros(len(z))], axis=1)
    return np.degrees(_angles(plane[surface.faces]) - _angles(surface.vertices[surface.faces]))


def angle_error(surface: Surface, z: NDArray[np.complex128]) -> float:
    """Mean absolute angle error in degrees; zero for a conformal map of the triangles."""
    return float(np.abs(angle_errors(surface, z)).mean())


def _angles(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    u = np.roll(corners, -1, axis=1) - corners
    v = np.roll(corners, 1, axis=1) - corners
    sine = np.linalg.norm(np.cross(u, v), axis=2)
    angles: NDArray[np.float64] = np.arctan2(sine, (u * v).sum(axis=2))
    return angles
