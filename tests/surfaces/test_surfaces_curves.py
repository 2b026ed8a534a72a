"""Radial curves and the mesh built from them."""

from pathlib import Path

import numpy as np
import pytest

from geomdp.errors import GeomdpError
from geomdp.surfaces.curves import curves_to_mesh, radial_curves, ring_radii
from geomdp.surfaces.disk_map import conformal_map
from geomdp.surfaces.procedural import template_face
from geomdp.surfaces.surface import Surface
from geomdp.surfaces.topology import require_disk

ICT = Path(__file__).parents[2] / "../shared/data/ict_face_narrow.npz"


@pytest.fixture(scope="module")
def face() -> tuple[Surface, np.ndarray]:
    surface = template_face().normalised()
    return surface, conformal_map(surface, 0).z


def nearest_distances(points: np.ndarray, mesh: Surface) -> np.ndarray:
    """Distance of points to the 12 triangles of a mesh with the nearest middles."""
    from scipy.spatial import cKDTree

    middles = mesh.vertices[mesh.faces].mean(axis=1)
    near = mesh.vertices[mesh.faces[cKDTree(middles).query(points, k=12)[1]]]
    p = points[:, None]
    normal = np.cross(near[:, :, 1] - near[:, :, 0], near[:, :, 2] - near[:, :, 0])
    normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
    inside, gaps = np.ones(near.shape[:2], dtype=bool), []
    for a, b in ((0, 1), (1, 2), (2, 0)):
        start, edge = near[:, :, a], near[:, :, b] - near[:, :, a]
        along = ((p - start) * edge).sum(-1) / (edge**2).sum(-1)
        closest = start + np.clip(along, 0, 1)[..., None] * edge
        gaps.append(np.linalg.norm(p - closest, axis=-1))
        inside &= (np.cross(edge, p - start) * normal).sum(-1) >= 0
    plane = np.abs(((p - near[:, :, 0]) * normal).sum(-1))
    return np.where(inside, plane, np.min(gaps, axis=0)).min(axis=1)


def area_quantile(surface: Surface, values: np.ndarray, level: float) -> float:
    """Quantile of vertex values by area: nostrils and lips have many vertices and little area."""
    weight = np.bincount(surface.faces.ravel(), np.repeat(surface.face_areas, 3))
    order = np.argsort(values)
    share = np.cumsum(weight[order]) / weight.sum()
    return float(values[order][np.searchsorted(share, level)])


def test_rings_spaced_by_area_enclose_squared_shares(face):
    surface, z = face
    radii = ring_radii(surface, z, 10)
    middle = np.abs(z[surface.faces].mean(axis=1))
    shares = [surface.face_areas[middle <= r].sum() / surface.area for r in radii]
    np.testing.assert_allclose(shares, (np.arange(1, 11) / 10) ** 2, atol=0.01)
    assert radii[-1] == 1


def test_curves_lie_on_the_surface(face):
    surface, z = face
    curves = radial_curves(surface, z, 23, 80, ring_radii(surface, z))
    gap = nearest_distances(curves.reshape(-1, 3), surface)
    assert curves.shape == (23, 80, 3)
    assert np.isfinite(curves).all()
    assert np.quantile(gap, 0.95) < 1e-3


def test_the_first_point_is_not_repeated(face):
    surface, z = face
    ring = radial_curves(surface, z, 5, 40)[-1]
    steps = np.linalg.norm(np.roll(ring, -1, axis=0) - ring, axis=1)
    assert steps.min() > 0.3 * steps.mean()


def test_the_mesh_is_a_disk_that_faces_the_same_way(face):
    surface, z = face
    mesh = curves_to_mesh(radial_curves(surface, z, 23, 80), "rebuilt")
    assert len(require_disk(mesh)) == 80
    assert mesh.vertices.shape == (1 + 23 * 80, 3)
    a, b, c = np.moveaxis(mesh.vertices[mesh.faces], 1, 0)
    assert np.cross(b - a, c - a).sum(axis=0)[2] > 0
    assert mesh.area == pytest.approx(1, abs=0.02)
    assert mesh.name == "rebuilt"


def test_the_centre_point_is_right_for_a_paraboloid():
    r, theta = np.arange(1, 5)[:, None] / 4, 2 * np.pi * np.arange(12) / 12
    x, y = r * np.cos(theta), r * np.sin(theta)
    mesh = curves_to_mesh(np.stack([x, y, 2 - 3 * (x**2 + y**2)], axis=-1))
    np.testing.assert_allclose(mesh.vertices[0], [0, 0, 2], atol=1e-12)


@pytest.mark.skipif(not ICT.exists(), reason="the ICT face is not beside the checkout")
def test_23_rings_rebuild_a_realistic_face():
    data = np.load(ICT)
    surface = Surface(data["mean"], data["faces_disk"])
    z = conformal_map(surface, int(data["nose_tip"])).z
    errors = {}
    for spacing in ("even", "area"):
        radii = ring_radii(surface, z, 23, spacing)
        mesh = curves_to_mesh(radial_curves(surface, z, 23, 80, radii))
        errors[spacing] = 10 * nearest_distances(surface.vertices, mesh)  # millimetres
        assert area_quantile(surface, errors[spacing], 0.5) < 0.09
        assert area_quantile(surface, errors[spacing], 0.9) < 0.68
    worst = {spacing: np.quantile(error, 0.9) for spacing, error in errors.items()}
    assert worst["area"] < worst["even"]


def test_bad_shapes_are_refused(face):
    surface, z = face
    with pytest.raises(GeomdpError, match="at least 2 rings"):
        ring_radii(surface, z, 1)
    with pytest.raises(GeomdpError, match="choose 'area' or 'even'"):
        ring_radii(surface, z, 5, "log")
    with pytest.raises(GeomdpError, match="need 5 radii"):
        radial_curves(surface, z, 5, 40, radii=np.ones(3))
    with pytest.raises(GeomdpError, match="make no mesh"):
        curves_to_mesh(np.zeros((1, 80, 3)))
