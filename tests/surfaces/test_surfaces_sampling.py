import numpy as np
import pytest
from scipy.spatial import Delaunay
from surfaces_meshes import flat_disk, ict_face, spherical_cap

from geomdp.errors import InvalidRecordError
from geomdp.surfaces.disk.mapping import conformal_map
from geomdp.surfaces.disk.sampling import DiskInterpolant, sample_cartesian, sample_polar
from geomdp.surfaces.disk.triangulation import PlaneTriangulation


def hemisphere(z: np.ndarray) -> np.ndarray:
    square = np.abs(z) ** 2
    return np.stack([2 * z.real, 2 * z.imag, 1 - square], axis=-1) / (1 + square)[..., None]


def test_vertices_are_reproduced():
    cap, z = spherical_cap(8)
    np.testing.assert_allclose(DiskInterpolant(cap, z)(z), cap.vertices, atol=1e-9)


def test_linear_functions_are_reproduced_inside_and_outside_the_disk():
    disk, z = flat_disk(24)
    grid = sample_cartesian(disk, z, 33)
    axis = np.linspace(-1, 1, 33)
    np.testing.assert_allclose(grid[..., 0], np.broadcast_to(axis[:, None], (33, 33)), atol=5e-3)
    np.testing.assert_allclose(grid[..., 1], np.broadcast_to(axis, (33, 33)), atol=5e-3)
    np.testing.assert_allclose(grid[..., 2], 0, atol=1e-12)


def test_a_smooth_surface_is_sampled_better_than_by_flat_triangles():
    radii, angles = np.linspace(0, 0.8, 9), np.linspace(0, 6, 31)
    exact = hemisphere(radii[:, None] * np.exp(1j * angles))
    errors = []
    for rings in (8, 16):
        cap, z = spherical_cap(rings)
        errors.append(np.abs(sample_polar(cap, z, radii, angles) - exact).max())
    assert errors[1] < errors[0] / 3
    # Flat triangles would be off by the height of an arc over its chord, about h^2 / 2 = 0.002.
    assert errors[1] < 3e-4


def test_the_rim_and_its_normal_derivative_are_continued_smoothly():
    cap, z = spherical_cap(24)
    step = 0.02
    inside, rim, outside = (
        sample_polar(cap, z, [radius], 36)[0] for radius in (1 - step, 1.0, 1 + step)
    )
    np.testing.assert_allclose(rim, hemisphere(np.exp(2j * np.pi * np.arange(36) / 36)), atol=4e-3)
    jump = (outside - rim) - (rim - inside)
    # Without reflecting the values the derivative would change its sign: a jump of 2 step |f_r|.
    assert np.abs(jump).max() < 0.3 * step


def test_polar_angles_by_number_or_by_value():
    cap, z = spherical_cap(8)
    by_number = sample_polar(cap, z, [0.2, 1.0], 12)
    assert by_number.shape == (2, 12, 3)
    by_value = sample_polar(cap, z, [0.2, 1.0], 2 * np.pi * np.arange(12) / 12)
    np.testing.assert_array_equal(by_number, by_value)


def test_the_real_face_is_sampled_on_the_whole_square():
    face, nose = ict_face()
    z = conformal_map(face, nose).z
    grid = sample_cartesian(face, z, 65)
    assert np.isfinite(grid).all()
    np.testing.assert_allclose(grid[32, 32], face.vertices[nose], atol=1e-6)
    rings = sample_polar(face, z, np.linspace(0, 1, 5), 8)
    spread = np.ptp(face.vertices, axis=0)
    assert (rings >= face.vertices.min(axis=0) - 0.05 * spread).all()
    assert (rings <= face.vertices.max(axis=0) + 0.05 * spread).all()


def test_bad_coordinates_are_refused():
    cap, z = spherical_cap(4)
    with pytest.raises(InvalidRecordError, match="one finite complex number a vertex"):
        sample_polar(cap, z[1:], [0.5], 4)
    with pytest.raises(InvalidRecordError, match="one finite complex number a vertex"):
        sample_polar(cap, np.where(z == 0, np.nan, z), [0.5], 4)
    with pytest.raises(InvalidRecordError, match=r"with \|z\| <= 1 only"):
        sample_polar(cap, z, [5.0], 4)


def test_triangles_are_inverted_as_by_scipy_flat_ones_included():
    points = np.random.default_rng(0).uniform(-1, 1, (200, 2))
    points[:20, 1] = -1 + 1e-15 * np.arange(20) % 3e-15
    ours, known = PlaneTriangulation(points), Delaunay(points)
    np.testing.assert_array_equal(ours.simplices, known.simplices)
    flat = np.isnan(known.transform).any(axis=(1, 2))
    assert flat.any()
    np.testing.assert_array_equal(np.isnan(ours.transform).all(axis=(1, 2)), flat)
    np.testing.assert_allclose(ours.transform, known.transform, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(
        ours.find_simplex(0.9 * points[50:]), known.find_simplex(0.9 * points[50:])
    )


@pytest.mark.parametrize("kind", ["in general position", "cocircular", "repeated"])
def test_the_quick_triangulation_gives_way_where_it_fails(kind):
    points = np.random.default_rng(0).uniform(-1, 1, (300, 2))
    if kind == "cocircular":  # Qhull without merging stops
        turns = np.exp(2j * np.pi * np.arange(60) / 60)
        rings = (np.linspace(0.05, 1, 20)[:, None] * turns).ravel()
        points = np.stack([rings.real, rings.imag], axis=1)
    if kind == "repeated":  # and here it leaves points out, as it must
        points[-20:] = points[:20]
    found, known = PlaneTriangulation(points, quick=True), Delaunay(points)
    assert found.is_whole == (kind != "repeated")
    assert set(map(frozenset, found.simplices.tolist())) == set(
        map(frozenset, known.simplices.tolist())
    )


def test_quick_interpolants_of_records_are_those_of_templates_but_for_little():
    surface, z = spherical_cap(16)
    at = np.random.default_rng(0).uniform(-0.7, 0.7, 400).view(np.complex128)
    slow, quick = (DiskInterpolant(surface, z, quick=quick)(at) for quick in (False, True))
    assert 0 < np.abs(slow - quick).max() < 1e-3 / 16**2
