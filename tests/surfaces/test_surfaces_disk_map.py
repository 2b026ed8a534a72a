import json

import numpy as np
import pytest
import scipy.sparse.linalg
from surfaces_meshes import SHARED, disk_faces, flat_disk, ict, ict_face, spherical_cap

from geomdp.errors import InvalidRecordError
from geomdp.surfaces.disk import laplacian
from geomdp.surfaces.disk.center import center_vertex
from geomdp.surfaces.disk.laplacian import (
    _apart,
    cotangent_stiffness,
    delaunay_flips,
    edge_lengths,
    intrinsic_delaunay_stiffness,
)
from geomdp.surfaces.disk.mapping import (
    angle_error,
    angle_errors,
    conformal_map,
    disk_map,
    flipped_triangles,
    map_by_stiffness,
    mobius,
    move_center,
)
from geomdp.surfaces.mesh.surface import Surface
from geomdp.surfaces.mesh.topology import loop_lengths, require_disk
from geomdp_papers.disk.automorphisms import best_automorphism

METHODS = ["harmonic-measure", "choi-lui"]


def aligned(z: np.ndarray, target: np.ndarray) -> np.ndarray:
    return mobius(z, *best_automorphism(z, target))


def noisy(surface: Surface, level: float, seed: int) -> Surface:
    step = np.median(edge_lengths(surface.vertices, surface.faces))
    noise = level * step * np.random.default_rng(seed).standard_normal(surface.vertices.shape)
    return Surface(surface.vertices + noise, surface.faces, "noisy")


def test_a_flat_disk_of_full_symmetry_is_mapped_to_itself_exactly():
    rings, spokes = np.arange(1, 7) / 6, np.exp(2j * np.pi * np.arange(20) / 20)
    z = np.concatenate([[0], np.outer(rings, spokes).ravel()])
    flat = Surface(np.stack([z.real, z.imag, 0 * z.real], axis=1), disk_faces(z))
    found = conformal_map(flat, 0)
    np.testing.assert_allclose(found.z, z / z[require_disk(flat)[0]], atol=1e-12)
    assert found.laplacian == "cotangent"


def uneven_disk() -> tuple[Surface, np.ndarray]:
    """A flat disk whose boundary points lie at random, and its map."""
    rng = np.random.default_rng(6)
    disk, z = flat_disk(24)
    rim = np.abs(z) > 0.99
    z[rim] *= np.exp(0.6j * np.pi / 72 * rng.uniform(-1, 1, rim.sum()))
    uneven = Surface(np.stack([z.real, z.imag, 0 * z.real], axis=1), disk.faces)
    return uneven, z / z[require_disk(uneven)[0]]


def test_an_uneven_boundary_does_not_spoil_the_map():
    uneven, exact = uneven_disk()
    assert np.abs(conformal_map(uneven, 0).z - exact).max() < 0.01


def test_steps_that_are_not_the_harmonic_measure_bend_the_map():
    """Without the lengths of the edges the steps are those of an even boundary."""
    uneven, exact = uneven_disk()
    loop = require_disk(uneven)
    K = cotangent_stiffness(uneven.vertices, uneven.faces)
    even = map_by_stiffness(K, 0, loop, np.ones(len(loop)))
    assert np.abs(even - exact).max() > 0.02


@pytest.mark.parametrize("method", METHODS)
def test_another_centre_gives_the_moebius_transform_with_error_going_to_zero(method):
    errors = []
    for rings in (12, 24, 48):
        disk, z = flat_disk(rings)
        center = int(np.abs(z - 0.5).argmin())
        found = conformal_map(disk, center, method).z
        exact = mobius(z, complex(z[center]))
        loop = require_disk(disk)
        errors.append(np.abs(found - exact / exact[loop[0]]).max())
    assert errors[1] < 0.6 * errors[0]
    assert errors[2] < 0.6 * errors[1]
    assert errors[2] < 0.002


@pytest.mark.parametrize("method", METHODS)
def test_the_hemisphere_is_mapped_stereographically(method):
    errors = []
    for rings in (8, 16):
        cap, z = spherical_cap(rings)
        found = conformal_map(cap, 0, method).z
        errors.append(np.abs(found - z * np.exp(-1j * np.angle(z[require_disk(cap)[0]]))).max())
    assert errors[1] < 0.6 * errors[0]
    assert errors[1] < 0.02
    # The test would notice another map of the disk to itself.
    bent = z * np.abs(z) ** 0.1
    assert np.abs(bent - z).max() > 0.02


@pytest.mark.parametrize("method", METHODS)
def test_centre_boundary_and_first_vertex_are_exactly_where_they_should_be(method):
    cap, _ = spherical_cap(8)
    found = conformal_map(cap, 5, method)
    loop = require_disk(cap)
    assert found.z[5] == 0
    np.testing.assert_allclose(np.abs(found.z[loop]), 1, rtol=1e-14)
    assert found.z[loop[0]] == pytest.approx(1)
    assert (found.center, found.method) == (5, method)
    np.testing.assert_array_equal(disk_map(cap.vertices, cap.faces, 5, method), found.z)


def test_similarity_does_not_change_the_map():
    cap, _ = spherical_cap(8)
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    turn *= np.linalg.det(turn)
    moved = Surface(250 * cap.vertices @ turn + [1, 2, 3], cap.faces)
    np.testing.assert_allclose(conformal_map(moved, 3).z, conformal_map(cap, 3).z, atol=1e-10)


def test_the_real_face_is_mapped_within_one_and_a_half_degrees():
    face, nose = ict_face()
    found = conformal_map(face, nose)
    assert found.laplacian == "cotangent"
    assert flipped_triangles(found.z, face.faces) == 0
    assert angle_error(face, found.z) <= 1.5


@pytest.mark.parametrize(("method", "largest"), [("harmonic-measure", 0.004), ("choi-lui", 0.004)])
def test_the_real_face_agrees_with_the_authors_map_up_to_an_automorphism(method, largest):
    face, nose = ict_face()
    folder = SHARED / "reference"
    metrics = json.loads((folder / "dcm_metrics.json").read_text())["ict_mean"]
    with np.load(folder / "dcm_ict_mean.npz") as arrays:
        theirs = arrays["map"] @ [1, 1j]
    error = np.abs(angle_errors(face, theirs))
    assert error.mean() == pytest.approx(metrics["mean_abs_angle_distortion_deg"], rel=1e-6)
    ours = conformal_map(face, nose, method).z
    assert np.abs(angle_errors(face, ours)).mean() < 1.01 * error.mean()
    difference = np.abs(aligned(theirs, ours) - ours)
    assert np.sqrt((difference**2).mean()) < 1e-3
    assert difference.max() < largest
    # Power: a map stretched by 1% along a ring is told apart.
    assert np.abs(ours * np.abs(ours) ** 0.03 - ours).max() > largest


@pytest.mark.parametrize("seed", range(3))
def test_vertex_noise_of_a_third_of_an_edge_flips_nothing(seed):
    face, nose = ict_face()
    found = conformal_map(noisy(face, 0.3, seed), nose)
    assert flipped_triangles(found.z, face.faces) == 0
    assert found.laplacian != "cotangent"
    # Clamping is local: a tenth more error than the cotangent map, where all clamped gives 60%.
    rough = noisy(face, 0.3, seed)
    K = cotangent_stiffness(rough.vertices, rough.faces)
    loop = require_disk(rough)
    plain = map_by_stiffness(K, nose, loop, loop_lengths(rough, loop))
    assert flipped_triangles(plain, face.faces) > 0
    assert angle_error(rough, found.z) < 1.2 * angle_error(rough, plain)


def test_random_faces_are_mapped_without_flipped_or_flattened_triangles():
    data = ict(modes=True)
    weights = np.random.default_rng(0).standard_normal((59, 100))[[4, 6, 7, 35, 58]]
    for weight in weights:
        vertices = data["mean"] + np.tensordot(weight, data["modes"], 1)
        face = Surface(vertices, data["faces_disk"])
        found = conformal_map(face, int(data["nose_tip"]))
        assert flipped_triangles(found.z, face.faces) == 0
        assert angle_error(face, found.z) < 2.5


def test_fallback_is_reported():
    face, nose = ict_face()
    rough = noisy(face, 0.3, 0)
    with pytest.warns(UserWarning, match="uses the (clamped|intrinsic-delaunay) Laplacian"):
        disk_map(rough.vertices, rough.faces, nose)


@pytest.mark.parametrize("level", [0.0, 0.6, 1.5])
def test_noise_on_a_small_disk_flips_nothing(level):
    disk, _ = flat_disk(10)
    for seed in range(4):
        rough = noisy(disk, level, seed)
        found = conformal_map(rough, 0)
        assert flipped_triangles(found.z, rough.faces) == 0


def test_intrinsic_delaunay_has_no_negative_interior_weight_and_keeps_linear_functions():
    rng = np.random.default_rng(4)
    disk, z = flat_disk(10)
    shaken = z + np.where(np.abs(z) < 0.95, 0.02, 0) * rng.uniform(-1, 1, z.shape)
    stretched = np.stack([4 * shaken.real, shaken.imag, 0 * z.real], axis=1)
    plain = cotangent_stiffness(stretched, disk.faces)
    robust = intrinsic_delaunay_stiffness(stretched, disk.faces)
    inside = np.abs(z) < 0.95
    off = ~np.eye(len(z), dtype=bool)
    assert plain.toarray()[off].max() > 0.1
    assert robust.toarray()[inside][:, inside][off[inside][:, inside]].max() < 1e-6
    assert flipped_triangles(shaken, disk.faces) == 0
    # On a flat mesh both are exact for linear functions, and have the same energy of them.
    np.testing.assert_allclose((robust @ stretched)[inside], 0, atol=1e-9)
    for K in (plain, robust):
        energy = stretched[:, 0] @ (K @ stretched[:, 0])
        assert energy == pytest.approx(Surface(stretched, disk.faces).area)


def test_flips_of_many_edges_at_once_keep_the_polyhedron_in_one_piece():
    rng = np.random.default_rng(7)
    disk, z = flat_disk(12)
    rough = disk.vertices + 0.05 * rng.standard_normal(disk.vertices.shape)
    lengths = edge_lengths(rough, disk.faces)
    faces, sides = delaunay_flips(disk.faces, lengths)
    # The corner angles around each interior vertex belong to the polyhedron, however it is cut.
    totals = []
    for corners, edges in ((disk.faces, lengths), (faces, sides)):
        a, b, c = edges.T
        cosines = [(b**2 + c**2 - a**2) / (2 * b * c), (c**2 + a**2 - b**2) / (2 * c * a)]
        cosines.append((a**2 + b**2 - c**2) / (2 * a * b))
        angles = np.arccos(np.clip(np.stack(cosines, axis=1), -1, 1))
        totals.append(np.bincount(corners.ravel(), angles.ravel(), minlength=len(z)))
    np.testing.assert_allclose(totals[1], totals[0], atol=1e-6)
    assert (np.sort(faces, axis=1) != np.sort(disk.faces, axis=1)).any(axis=1).sum() > 100
    off = ~np.eye(len(z), dtype=bool)
    inside = np.abs(z) < 0.99
    for K, negative in (
        (cotangent_stiffness(rough, disk.faces), True),
        (intrinsic_delaunay_stiffness(rough, disk.faces), False),
    ):
        assert bool(K.toarray()[inside][:, inside][off[inside][:, inside]].max() > 1e-6) == negative


def test_edges_flipped_at_once_share_no_triangle():
    h, t = np.array([0, 3, 6]), np.array([4, 7, 10])  # triangles 0-1, 1-2, 2-3
    chosen = _apart(h, t, np.array([1.0, 3.0, 2.0]), 4)
    assert chosen.tolist() == [False, True, False]


def test_large_meshes_are_ordered_by_columns_and_give_the_same_map(monkeypatch):
    orders = []
    genuine = scipy.sparse.linalg.splu

    def splu(matrix, permc_spec, **rest):
        orders.append(permc_spec)
        return genuine(matrix, permc_spec=permc_spec, **rest)

    monkeypatch.setattr(scipy.sparse.linalg, "splu", splu)
    cap, _ = spherical_cap(16)
    few = conformal_map(cap, 0).z
    assert set(orders) == {"MMD_AT_PLUS_A"}
    orders.clear()
    monkeypatch.setattr(laplacian, "MANY", 100)
    np.testing.assert_allclose(conformal_map(cap, 0).z, few, atol=1e-10)
    assert set(orders) == {"COLAMD"}


def test_centres_by_index_landmark_and_rule():
    cap, z = spherical_cap(6)
    loop = require_disk(cap)
    assert center_vertex(cap, 7, loop) == 7
    assert center_vertex(cap, np.int64(7), loop) == 7
    assert center_vertex(cap, cap.vertices[9] + 1e-3, loop) == 9
    assert center_vertex(cap, "most-protruding", loop) == 0
    flat, _ = flat_disk(4)
    assert center_vertex(flat, "most-protruding", require_disk(flat)) == 0
    assert z[0] == 0


def test_the_most_protruding_point_of_nearly_every_face_is_on_the_tip_of_the_nose():
    data = ict(modes=True)
    nose = int(data["nose_tip"])
    loop = require_disk(Surface(data["mean"], data["faces_disk"]))
    distances = []
    for weight in np.random.default_rng(1).standard_normal((40, 100)):
        vertices = data["mean"] + np.tensordot(weight, data["modes"], 1)
        tip = center_vertex(Surface(vertices, data["faces_disk"]), "most-protruding", loop)
        distances.append(np.linalg.norm(vertices[tip] - vertices[nose]))
    # Lips or chin of a few random faces stand out further than the nose.
    assert np.mean(np.array(distances) < 1.0) >= 0.9  # cm


@pytest.mark.parametrize(
    ("center", "method", "sentence"),
    [
        (18, "harmonic-measure", "'flat' has the centre vertex 18 on its boundary"),
        ([1.0, 0.0, 0.0], "harmonic-measure", "on its boundary"),
        (99, "harmonic-measure", "no vertex 99"),
        (-1, "harmonic-measure", "no vertex -1"),
        ([0.0, np.nan, 0.0], "harmonic-measure", "neither a vertex index"),
        (0.5, "harmonic-measure", "neither a vertex index"),
        ("nose", "harmonic-measure", "'nose' is not a rule"),
        (0, "ricci", "no disk map 'ricci'; there are choi-lui, harmonic-measure"),
    ],
)
def test_bad_centres_and_methods_are_refused(center, method, sentence):
    disk, _ = flat_disk(2)
    with pytest.raises(InvalidRecordError, match=sentence):
        conformal_map(disk, center, method)


def test_a_surface_without_interior_vertex_is_refused():
    with pytest.raises(InvalidRecordError, match="no vertex inside its boundary"):
        conformal_map(Surface(np.eye(3), [[0, 1, 2]]))


def test_moebius_transforms_form_a_group_on_the_disk():
    rng = np.random.default_rng(5)
    z = np.sqrt(rng.random(50)) * np.exp(2j * np.pi * rng.random(50))
    a = 0.3 - 0.6j
    np.testing.assert_allclose(mobius(mobius(z, a), -a), z, atol=1e-12)
    assert np.abs(mobius(z, a)).max() < 1
    assert move_center(z, 7)[7] == 0
    with pytest.raises(InvalidRecordError, match="inside the disk"):
        mobius(z, 1.0)
    b, angle = best_automorphism(z, mobius(z, a, -2.0))
    assert (b, angle) == (pytest.approx(a, abs=1e-6), pytest.approx(-2.0, abs=1e-6))
