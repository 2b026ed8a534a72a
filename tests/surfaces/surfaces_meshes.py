"""Meshes with known conformal maps, and the real face where the data folder is at hand."""

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial import Delaunay

from geomdp.surfaces.mesh.surface import Surface

SHARED = Path(__file__).parents[2] / "../shared"


def disk_points(rings: int) -> np.ndarray:
    """Complex points: the centre, then ring k with 6 k points."""
    parts = [np.zeros(1, complex)]
    for k in range(1, rings + 1):
        parts.append(k / rings * np.exp(2j * np.pi * np.arange(6 * k) / (6 * k)))
    return np.concatenate(parts)


def disk_faces(z: np.ndarray) -> np.ndarray:
    faces = Delaunay(np.stack([z.real, z.imag], axis=1)).simplices.astype(np.int64)
    a, b, c = z[faces].T
    turn = (np.conj(b - a) * (c - a)).imag
    return np.where(turn[:, None] > 0, faces, faces[:, ::-1])


def flat_disk(rings: int) -> tuple[Surface, np.ndarray]:
    z = disk_points(rings)
    return Surface(np.stack([z.real, z.imag, 0 * z.real], axis=1), disk_faces(z), "flat"), z


def spherical_cap(rings: int) -> tuple[Surface, np.ndarray]:
    """The hemisphere; stereographic projection ``z`` is its conformal map."""
    z = disk_points(rings)
    square = np.abs(z) ** 2
    points = np.stack([2 * z.real, 2 * z.imag, 1 - square], axis=1) / (1 + square)[:, None]
    return Surface(points, disk_faces(z), "hemisphere"), z


def ict(modes: bool = False) -> dict[str, np.ndarray]:
    path = SHARED / "data" / "ict_face_narrow.npz"
    if not path.exists():
        pytest.skip("the ICT face is not at hand")
    with np.load(path) as arrays:
        keys = ["mean", "faces", "faces_disk", "nose_tip"] + ["modes"] * modes
        return {key: arrays[key] for key in keys}


def ict_face() -> tuple[Surface, int]:
    data = ict()
    return Surface(data["mean"], data["faces_disk"], "ict"), int(data["nose_tip"])
