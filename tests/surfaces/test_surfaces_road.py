"""From a surface to its curves: spacing, cells, alignment, and the gates a record must pass."""

from dataclasses import replace

import numpy as np
import pytest
from surfaces_meshes import flat_disk

from geomdp.errors import InvalidRecordError
from geomdp.surfaces.batch import process
from geomdp.surfaces.curves import road as partial
from geomdp.surfaces.curves.radial import RingCells, ring_spacing
from geomdp.surfaces.curves.road import DOUBTFUL, Recipe, Road
from geomdp.surfaces.disk.center import most_protruding, next_protruding
from geomdp.surfaces.disk.sampling import DiskInterpolant
from geomdp.surfaces.mesh.procedural import procedural_face, procedural_terrain, template_face
from geomdp.surfaces.mesh.surface import Surface
from geomdp.surfaces.mesh.topology import largest_component, require_disk
from geomdp.surfaces.registration import matching
from geomdp.surfaces.registration.matching import register, require_nearness
from geomdp.surfaces.registration.overlap import find_overlap
from geomdp.surfaces.registration.srnf import Motion, best_motion, kabsch
from geomdp.surfaces.template import RegistrationSettings, Template, make_template

QUICK = RegistrationSettings(degrees=(3,), grid=65, radii=16, angles=48)
SMALL = Recipe(rings=6, points=16, registration="homologous")


@pytest.fixture(scope="module")
def template() -> Template:
    return make_template(template_face(), 0, QUICK)


def with_tube(height: float) -> tuple[Surface, np.ndarray]:
    """A flat disk with a narrow tube at 0.4: much area over little of the disk."""
    disk, z = flat_disk(48)
    lift = height * np.exp(-(np.abs(z - 0.4) ** 2) / (2 * 0.012**2))
    return Surface(disk.vertices + lift[:, None] * [0, 0, 1], disk.faces), z


def curves(surface: Surface, z: np.ndarray, cell: int) -> np.ndarray:
    cells = RingCells(ring_spacing(surface, z, "even"), 10, 40, cell)
    return cells.average(
        DiskInterpolant(surface, z)(cells.radii[:, None] * np.exp(1j * cells.angles))
    )


def reversed_winding(surface: Surface) -> Surface:
    return Surface(surface.vertices, surface.faces[:, ::-1], "inside out")


def with_spike(surface: Surface, vertex: int) -> Surface:
    vertices = surface.vertices.copy()
    vertices[vertex, 2] += 1.0
    return Surface(vertices, surface.faces, "spike")


def test_rings_do_not_bunch_where_a_tube_holds_much_area():
    surface, z = with_tube(8.0)
    shares = np.arange(1, 24) / 23
    bunched = ring_spacing(surface, z, cap=np.inf).radius(shares)
    capped = ring_spacing(surface, z).radius(shares)
    near = [int((np.abs(radii - 0.4) < 0.03).sum()) for radii in (bunched, capped)]
    assert near[0] >= 4
    assert near[1] <= 2
    gentle, _ = with_tube(0.01)
    np.testing.assert_allclose(ring_spacing(gentle, z).radius(shares), shares, atol=0.02)


def test_spacing_goes_both_ways(template):
    spacing = ring_spacing(template.surface, template.z)
    shares = np.linspace(0, 1, 30)
    np.testing.assert_allclose(spacing.share(spacing.radius(shares)), shares, atol=1e-9)


def test_a_cell_is_not_thrown_far_by_a_tube_under_its_middle():
    flat, z = with_tube(0.0)
    tube, _ = with_tube(8.0)
    thrown = [np.abs(curves(tube, z, cell) - curves(flat, z, cell)).max() for cell in (1, 5)]
    assert thrown[0] > 7.0
    assert thrown[1] < 0.25 * thrown[0]


def test_cells_of_a_flat_disk_have_their_points_in_the_middle():
    disk, z = flat_disk(48)
    middle, mean = curves(disk, z, 1), curves(disk, z, 5)
    assert np.abs(middle - mean).max() < 2e-3
    np.testing.assert_allclose(np.linalg.norm(middle[-1], axis=-1), 1, atol=2e-3)
    np.testing.assert_allclose(np.linalg.norm(mean[-1], axis=-1), 1, atol=4e-3)


@pytest.mark.parametrize("method", ["elastic", "similarity", "homologous"])
def test_curves_lie_as_near_to_the_templates_as_a_motion_can_bring_them(template, method):
    road = Road(replace(SMALL, registration=method, center=0), template)
    turn = kabsch(np.random.default_rng(1).normal(size=(3, 3)))
    face = procedural_face(6)
    found = road.curves(Surface(2 * face.vertices @ turn.T + 1, face.faces))
    target = road.template_curves.reshape(-1, 3)
    left = best_motion(target, found.reshape(-1, 3), scaled=method == "similarity")
    np.testing.assert_allclose(left.rotation, np.eye(3), atol=1e-9)
    np.testing.assert_allclose([*left.shift, left.scale - 1], 0, atol=1e-9)
    assert np.sqrt(np.mean(np.sum((found - road.template_curves) ** 2, axis=-1))) < 0.04


def test_without_registration_curves_stay_where_they_are(template):
    road = Road(replace(SMALL, registration="none"), template)
    still = road.curves(procedural_face(6))
    turned = procedural_face(6).vertices @ np.diag([1.0, -1.0, -1.0])
    with pytest.raises(InvalidRecordError, match=r"from the template after alignment|resemble"):
        road.curves(Surface(turned, procedural_face(6).faces))
    assert np.abs(still - road.template_curves).max() > 1e-3


def test_a_surface_that_is_inside_out_is_refused(template):
    face = procedural_face(1)
    for method in ("elastic", "similarity"):
        road = Road(replace(SMALL, registration=method), template)
        with pytest.raises(InvalidRecordError, match="'inside out' winds its triangles"):
            road.curves(reversed_winding(face))
    mirrored = Surface(face.vertices * [-1, 1, 1], face.faces[:, ::-1], "mirrored")
    assert Road(replace(SMALL, registration="similarity"), template).curves(mirrored).shape


def test_what_does_not_resemble_the_template_is_refused(template):
    road = Road(replace(SMALL, registration="similarity"), template)
    with pytest.raises(InvalidRecordError, match=r"does not resemble the template.*0\.35"):
        road.curves(procedural_terrain(1))


def test_what_lies_far_from_the_template_is_refused(template):
    curves = Road(SMALL, template).template_curves
    require_nearness(curves + np.array([0.09, 0, 0]), curves, template.surface)
    for far in (curves + np.array([0.11, 0, 0]), curves * np.nan):
        with pytest.raises(InvalidRecordError, match="root mean square"):
            require_nearness(far, curves, template.surface)


def test_every_gate_is_asked(template, monkeypatch):
    road = Road(SMALL, template)
    for name, sentence in (("MAX_ENERGY", "resemble"), ("MAX_DISTANCE", "root mean square")):
        with monkeypatch.context() as patch:
            patch.setattr(matching, name, 1e-6)
            with pytest.raises(InvalidRecordError, match=sentence):
                road.curves(procedural_face(1))


def test_what_fails_a_gate_counts_as_the_template_and_is_listed(template):
    recipe = replace(SMALL, registration="similarity")
    records = [procedural_face(1), reversed_winding(procedural_face(2)), procedural_terrain(1)]
    batch = process(records, template, recipe, workers=1)
    assert batch.failed.tolist() == [False, True, True]
    assert [failure.name for failure in batch.failures] == ["inside out", "procedural terrain 1"]
    for index in (1, 2):
        np.testing.assert_array_equal(batch.curves[index], Road(recipe, template).template_curves)


@pytest.mark.parametrize("vertex", [0, 700, 4000])
def test_a_spike_does_not_become_the_centre(vertex):
    face = procedural_face(3)
    loop = require_disk(face)
    tip = most_protruding(face, loop)
    found = most_protruding(with_spike(face, vertex), loop)
    assert np.linalg.norm(face.vertices[found] - face.vertices[tip]) < 0.05
    assert found != vertex or vertex == tip


def without_chin(surface: Surface, share: float) -> Surface:
    y = surface.vertices[:, 1]
    kept = y > y.min() + share * np.ptp(y)
    return largest_component(
        Surface(surface.vertices, surface.faces[kept[surface.faces].all(axis=1)], surface.name)
    )


def misfit(points: np.ndarray, truth: np.ndarray) -> float:
    left = best_motion(truth, points, scaled=True)(points) - truth
    return float(np.sqrt(np.mean(np.sum(left**2, axis=-1))))


def test_what_two_crops_share_is_found(template):
    turn = kabsch(np.random.default_rng(2).normal(size=(3, 3)))
    face = without_chin(procedural_face(8), 0.15).normalised()
    inner = slice(0, 1500)  # vertices are numbered from the centre outwards
    start = best_motion(template.surface.vertices[inner], face.vertices[inner], scaled=True)
    tilt = best_motion(
        start(face.vertices) + np.outer(face.vertices[:, 0], [0, 0, 0.1]), face.vertices
    )
    turned = Surface(face.vertices @ turn.T, face.faces)
    rough = Motion(tilt.rotation @ turn.T, start.scale, start.shift + 0.02)
    found = find_overlap(turned, template.surface, rough)
    y = template.surface.vertices[:, 1]
    covered = y > y.min() + 0.15 * np.ptp(y)
    assert not found.is_whole
    assert found.record_share > 0.98
    assert np.mean(found.template == covered) > 0.97
    assert find_overlap(procedural_face(8).normalised(), template.surface, tilt).is_whole


def test_a_face_without_its_chin_is_matched_where_it_has_one():
    fine = RegistrationSettings(degrees=(4, 8), grid=97, radii=24, angles=64)
    template = make_template(template_face(), 0, fine)
    road = Road(replace(SMALL, rings=12, points=40, registration="elastic", center=0), template)
    face = procedural_face(3)
    nose = face.vertices[0]
    full, part = road.curves(face), road.curves(without_chin(face, 0.15), nose)
    missing = (part == road.template_curves).all(axis=-1)
    assert 0.02 < missing.mean() < 0.2
    # A part is scaled to fit the template's, the whole to area one: compare up to a similarity.
    matched = misfit(part[~missing], full[~missing])
    found = register(without_chin(face, 0.15), template, "elastic", nose)
    stretched = road.cells.average(found.on_rings(road.cells.radii, road.cells.angles))
    assert matched < 0.7 * misfit(stretched[~missing], full[~missing])


def test_a_scan_that_covers_too_little_is_refused(template, monkeypatch):
    monkeypatch.setattr(partial, "LEAST_COVER", 0.99)
    road = Road(replace(SMALL, registration="elastic", center=0), template)
    face = procedural_face(8)
    with pytest.raises(InvalidRecordError, match=r"covers 9\d% of the template, too little"):
        road.curves(without_chin(face, 0.15), face.vertices[0])


def with_chin(surface: Surface, width: float) -> Surface:
    """A face whose chin protrudes more than its nose."""
    x, y, z = surface.vertices.T
    chin = 0.5 * np.exp(-(x**2 + (y + 0.55 * np.abs(y).max()) ** 2) / (2 * width**2))
    return Surface(np.stack([x, y, z + chin], axis=1), surface.faces, "chin")


def two_guesses(template: Template) -> tuple[Road, Surface, list[int]]:
    """A road without diffeomorphisms, which is quick, a face with a chin, and its two summits."""
    road = Road(replace(SMALL, registration="similarity"), template)
    face = with_chin(procedural_face(1), 0.1)
    loop = require_disk(face)
    return road, face, [guess(face, loop) for guess in (most_protruding, next_protruding)]


def test_a_second_guess_of_the_centre_is_tried_where_the_first_is_refused(template, monkeypatch):
    road, face, (first, second) = two_guesses(template)
    nose = most_protruding(procedural_face(1), require_disk(face))
    assert np.linalg.norm(face.vertices[second] - face.vertices[nose]) < 0.1
    with pytest.raises(InvalidRecordError) as refusal:
        road.curves(face, first)
    assert np.array_equal(road.curves(face), road.curves(face, second))
    monkeypatch.setattr(matching, "MAX_ENERGY", 0.001)  # both are refused: as the first one was
    with pytest.raises(InvalidRecordError, match=str(refusal.value).split(" after")[0]):
        road.curves(face)


def test_a_second_guess_is_tried_where_the_first_ends_far_away(template, monkeypatch):
    monkeypatch.setattr(matching, "MAX_ENERGY", 4.0)
    road, face, guesses = two_guesses(template)
    far, near = (matching.distance(road.curves(face, v), road.template_curves) for v in guesses)
    assert far > DOUBTFUL > near
    assert matching.distance(road.curves(face), road.template_curves) == near


def test_without_a_second_summit_there_is_no_second_guess():
    face = template_face()
    assert next_protruding(face, require_disk(face)) is None
