"""Registration to a template: known answers, energy, refusals."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.surfaces.disk.sampling import sample_cartesian
from geomdp.surfaces.mesh.procedural import (
    procedural_face,
    procedural_terrain,
    template_face,
    template_terrain,
)
from geomdp.surfaces.mesh.surface import Surface
from geomdp.surfaces.mesh.topology import require_disk, smooth_rim
from geomdp.surfaces.registration import elastic, matching
from geomdp.surfaces.registration.diffeomorphism import DiskDiffeomorphism
from geomdp.surfaces.registration.matching import register
from geomdp.surfaces.registration.srnf import NormalField, kabsch, normal_field, triangle_fields
from geomdp.surfaces.registration.zernike import basis_size
from geomdp.surfaces.template import RegistrationSettings, Template, make_template

ICT = Path(__file__).parents[2] / "../shared/data/ict_face_narrow.npz"


@pytest.fixture(scope="module")
def template() -> Template:
    return make_template(template_face(), center=0)


def random_rotation(seed: int) -> np.ndarray:
    return kabsch(np.random.default_rng(seed).normal(size=(3, 3)))


def moved(surface: Surface, seed: int, scale: float = 1.0) -> Surface:
    vertices = scale * surface.vertices @ random_rotation(seed).T + [3.0, -1.0, 2.0]
    return Surface(vertices, surface.faces, surface.name)


def turn_coefficients(degree: int, degrees: float, size: float, seed: int = 0) -> np.ndarray:
    c = np.random.default_rng(seed).normal(0, size, (2, basis_size(degree)))
    c[1, 0] = np.radians(degrees) * np.sqrt(np.pi)
    return c


@pytest.mark.parametrize("degrees", [0.0, 75.0, 170.0, 305.0])
def test_a_known_diffeomorphism_and_rotation_are_recovered(template, degrees):
    truth = DiskDiffeomorphism(turn_coefficients(4, degrees, 0.03))
    assert truth.min_jacobian() < 0.8
    # An exact fit exists, so little smoothing is wanted.
    template = Template(template.surface, template.z, RegistrationSettings(beta=1e-5))
    record, z = moved(template.surface, 3, scale=7.0), truth(template.z)
    found = register(record, template, z=z)
    before = np.abs(z * np.exp(-1j * np.radians(degrees)) - template.z).mean()
    assert np.abs(found.z - template.z).mean() < 0.25 * before
    assert found.energy_after < 0.1 * found.energy_before
    np.testing.assert_allclose(found.rotation @ random_rotation(3), np.eye(3), atol=0.01)
    np.testing.assert_allclose(found.surface.vertices, template.surface.vertices, atol=0.01)


def test_the_template_registers_to_itself_without_moving(template):
    template = Template(template.surface, template.z, RegistrationSettings(rim_rounds=0))
    found = register(template.surface, template, z=template.z)
    assert found.energy_after < 1e-10
    np.testing.assert_allclose(found.z, template.z, atol=1e-6)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_faces_come_closer_without_folding(template, seed):
    face = procedural_face(seed)
    found = register(moved(face, seed, 2.0), template, center=0)
    assert found.energy_after < 0.7 * found.energy_before
    assert found.min_jacobian > 0.2
    rigid = matching.conformal_map(face, 0).z * np.exp(-1j * found.turn)
    assert np.abs(found.z - template.z).mean() < np.abs(rigid - template.z).mean()


def test_terrain_registers_as_faces_do():
    template = make_template(template_terrain(), center=0)
    found = register(moved(procedural_terrain(4), 5), template, center=0)
    assert found.energy_after < 0.7 * found.energy_before
    assert found.min_jacobian > 0.2


def test_the_gradient_agrees_with_finite_differences(template):
    record = procedural_face(7).normalised()
    field = normal_field(sample_cartesian(record, template.z, template.settings.grid))
    c, h = turn_coefficients(4, 3.0, 0.01), 1e-5
    fit = elastic.evaluate(template, field, c)
    _, gradient = elastic._linear_model(template, field, fit)
    for index in np.ndindex(c.shape):
        step = np.zeros_like(c)
        step[index] = h
        ahead, behind = (elastic.evaluate(template, field, c + s * step).cost for s in (1, -1))
        flat = np.ravel_multi_index(index, c.shape)
        assert 2 * gradient[flat] == pytest.approx((ahead - behind) / (2 * h), abs=2e-6)


def test_the_hessian_is_that_of_the_residuals(template, monkeypatch):
    """By finite differences of all residuals, with the rotation beside the coefficients."""
    monkeypatch.setattr(elastic, "_EVERY", 1)
    monkeypatch.setattr(elastic, "_BLOCK", 1000)  # the last block is not full
    field = normal_field(sample_cartesian(template.surface, template.z, 65))
    at = np.random.default_rng(3).normal(0, 0.02, (2, basis_size(2)))
    fit = elastic.evaluate(template, field, at)
    hessian, _ = elastic._linear_model(template, field, fit)
    root = np.sqrt(template.weights)[:, None]
    columns = []
    for unit in np.eye(at.size).reshape(-1, *at.shape):
        ends = (elastic.evaluate(template, field, at + h * unit).moved for h in (1e-5, -1e-5))
        columns.append((root * np.subtract(*ends) / 2e-5).ravel())
    columns += [
        (root * np.cross(axis, template.field @ fit.rotation)).ravel() for axis in np.eye(3)
    ]
    expected = np.array(columns) @ np.array(columns).T
    for kind in range(2):
        part, k = slice(kind * at.shape[1], (kind + 1) * at.shape[1]), at.shape[1]
        expected[part, part] += template.settings.beta * template.roughness[kind, :k, :k]
    np.testing.assert_allclose(hessian, expected, atol=1e-4 * np.abs(expected).max())


def test_splines_by_matrices_are_those_of_scipy():
    from scipy.interpolate import RectBivariateSpline

    u, grid = np.linspace(-1, 1, 17), np.random.default_rng(0).normal(size=(17, 17, 3))
    z = np.random.default_rng(1).uniform(-1, 1, 12).view(np.complex128)
    field = NormalField(grid)
    for axis in range(3):
        known = RectBivariateSpline(u, u, grid[..., axis])
        np.testing.assert_allclose(field(z)[:, axis], known.ev(z.real, z.imag), atol=1e-11)
        for found, order in zip(field.slopes(z), ((1, 0), (0, 1)), strict=True):
            slopes = known.ev(z.real, z.imag, *order)
            np.testing.assert_allclose(found[:, axis], slopes, atol=1e-10)


def test_the_field_has_the_area_as_its_square_integral(template):
    assert template.weights @ (template.field**2).sum(axis=1) == pytest.approx(1, abs=0.01)
    assert (triangle_fields(template.surface) ** 2).sum() == pytest.approx(1)


def test_homologous_meshes_are_only_rotated(template):
    record = moved(procedural_face(9), 4)
    found = register(record, template, "homologous")
    back = found.rotation @ random_rotation(4)
    np.testing.assert_array_equal(found.z, template.z)
    assert np.trace(back) > 2.9
    assert np.linalg.det(found.rotation) == pytest.approx(1)
    assert found.energy_after < 0.5


def test_homologous_registration_needs_the_templates_triangles(template):
    face = procedural_face(1)
    with pytest.raises(InvalidRecordError, match=r"procedural face 1.*cannot correspond"):
        register(Surface(face.vertices, face.faces[::-1], face.name), template, "homologous")


def test_an_unknown_method_is_refused(template):
    with pytest.raises(GeomdpError, match="choose one of 'elastic', 'similarity'"):
        register(procedural_face(1), template, "rigid")


def test_disk_coordinates_must_fit_the_vertices(template):
    with pytest.raises(InvalidRecordError, match="one complex number a vertex"):
        register(procedural_face(1), template, z=template.z[:-1])
    with pytest.raises(GeomdpError, match="one complex number a vertex"):
        Template(template.surface, template.z[:-1])


def test_running_out_of_steps_is_an_error_that_names_the_surface(template, monkeypatch):
    monkeypatch.setattr(elastic, "_STEPS_PER_DEGREE", 1)
    with pytest.raises(InvalidRecordError, match=r"procedural face 2.*still falling"):
        register(procedural_face(2), template, center=0)


def test_a_fold_is_an_error_that_names_the_surface(template):
    field = normal_field(template.interpolant.on_square(template.settings.grid))
    fit = elastic.evaluate(template, field, np.zeros((2, 1)))
    folding = DiskDiffeomorphism(turn_coefficients(4, 0, 1.0))
    folded = replace(fit, coefficients=folding.coefficients)
    with pytest.raises(InvalidRecordError, match=r"surface 'anna'.*folds"):
        matching._require_success(folded, replace(template.surface, name="anna"))
    assert elastic.evaluate(template, field, folding.coefficients) is None


def test_a_search_that_folds_is_made_again_with_more_smoothness(template, monkeypatch):
    stated, used = template.settings.beta, []

    def folding(template, field, start):
        used.append(template.settings.beta)
        fit = elastic.refine(template, field, start)
        folded = turn_coefficients(4, 0, 1.0)
        return replace(fit, coefficients=folded) if used[-1] == stated else fit

    monkeypatch.setattr(matching, "refine", folding)
    found = register(procedural_face(2), template, center=0)
    assert used == [stated, matching.STIFFER * stated]
    assert 0 < found.min_jacobian == found.gamma.min_jacobian()


def gentle(surface: Surface, seed: int) -> Surface:
    """Low hills over an egg, with noise that moves normals more than the hills do."""
    shape = surface.vertices * [1, 1, 0.03]
    shape[:, 0] *= 1 + 0.4 * shape[:, 1]
    shape[:, 2] += 0.03 * np.random.default_rng(seed).standard_normal(len(shape))
    return Surface(shape, surface.faces, surface.name)


def angle_between(found: np.ndarray, truth: np.ndarray) -> float:
    return float(np.degrees(np.arccos(np.clip((np.trace(found @ truth) - 1) / 2, -1, 1))))


def test_gentle_terrain_is_turned_by_positions():
    quick = RegistrationSettings(degrees=(3,), grid=65, radii=16, angles=48)
    template = make_template(gentle(template_terrain(), 0), 0, quick)
    for seed in (2, 3):
        record = moved(gentle(procedural_terrain(seed), seed), seed)
        same = register(record, template, "homologous")
        assert angle_between(same.rotation, random_rotation(seed)) < 3
        by_normals = kabsch(template.triangles.T @ triangle_fields(same.unit))
        assert angle_between(by_normals, random_rotation(seed)) > 30
        other = register(record, template, "similarity", center=0)
        truth = np.angle(np.vdot(template.z, other.disk))
        assert abs(np.angle(np.exp(1j * (other.turn - truth)))) < np.radians(15)


def test_a_landmark_is_read_in_the_coordinates_of_the_record(template):
    face = moved(procedural_face(2), 6, 50.0)
    quick = Template(template.surface, template.z, RegistrationSettings(degrees=(1,)))
    by_place = register(face, quick, center=face.vertices[2500] + 1e-3)
    assert by_place.disk[2500] == 0


def test_without_registration_nothing_is_turned(template):
    face = procedural_face(2)
    shifted = Surface(3 * face.vertices + [1, 2, 3], face.faces)
    found = register(shifted, template, "none")
    np.testing.assert_array_equal(found.rotation, np.eye(3))
    np.testing.assert_allclose(
        register(face, template, "none").surface.vertices, found.surface.vertices, atol=1e-12
    )
    turned = register(moved(face, 1), template, "none")
    assert np.abs(turned.surface.vertices - found.surface.vertices).max() > 0.1


def test_similarity_turns_the_disk_and_moves_nothing_else(template):
    face = procedural_face(3)
    found = register(moved(face, 3, 2.0), template, "similarity", center=0)
    assert found.gamma.degree == 0
    assert found.energy_after == found.energy_before
    assert angle_between(found.rotation, random_rotation(3)) < 5


def test_a_ragged_rim_is_smoothed_and_the_inside_stays(template):
    rng = np.random.default_rng(5)
    face = procedural_face(4)
    loop = require_disk(face)
    shaken = face.vertices.copy()
    shaken[loop] += rng.normal(0, 0.01, (len(loop), 3))
    ragged = Surface(shaken, face.faces)

    def roughness(surface: Surface) -> float:
        rim = surface.vertices[loop]
        return float(np.abs(rim - (np.roll(rim, 1, axis=0) + np.roll(rim, -1, axis=0)) / 2).mean())

    smooth = smooth_rim(ragged)
    inside = np.setdiff1d(np.arange(len(shaken)), loop)
    np.testing.assert_array_equal(smooth.vertices[inside], shaken[inside])
    assert roughness(smooth) < 0.2 * roughness(ragged)
    found = register(ragged, template, "homologous")
    assert roughness(found.unit) < 0.2 * roughness(ragged.normalised())
    assert roughness(make_template(ragged, 0).surface) < 0.2 * roughness(ragged.normalised())


@pytest.mark.parametrize("bad", [{"degrees": (8, 4)}, {"degrees": ()}, {"beta": 0.0}])
def test_settings_are_checked(bad):
    with pytest.raises(GeomdpError):
        RegistrationSettings(**bad)


@pytest.fixture(scope="module")
def ict() -> SimpleNamespace:
    """Return a model of faces: mean, modes, triangles, tip of the nose, and the mean as template.

    Tests that need it skip where it is not beside the checkout.
    """
    if not ICT.exists():
        pytest.skip("ICT faces are not beside the checkout")
    with np.load(ICT) as arrays:
        mean, modes, faces = arrays["mean"], arrays["modes"], arrays["faces_disk"]
        nose = int(arrays["nose_tip"])
    template = make_template(Surface(mean, faces), center=nose)
    return SimpleNamespace(mean=mean, modes=modes, faces=faces, nose=nose, template=template)


def test_a_face_that_takes_many_steps_is_registered(ict):
    # One in a thousand: forty steps of the finest degree are two too few for it.
    weights = np.random.default_rng(2024).standard_normal((1000, 100))[719]
    face = Surface(ict.mean + np.tensordot(weights, ict.modes, 1), ict.faces)
    found = register(face, ict.template, center=ict.nose)
    assert found.energy_after < 0.045 < 0.8 * found.energy_before


def test_realistic_faces_come_closer(ict):
    rng = np.random.default_rng(11)
    for index in range(2):
        shape = ict.mean + np.tensordot(rng.normal(size=100), ict.modes, 1)
        face = moved(Surface(shape, ict.faces), index)
        found = register(face, ict.template, center=ict.nose)
        assert found.energy_after < 0.8 * found.energy_before
        assert found.min_jacobian > 0.2


def test_a_fit_that_folds_or_is_worse_gives_way_to_the_rigid_start(template):
    field = normal_field(template.interpolant.on_square(template.settings.grid))
    start = elastic.evaluate(template, field, np.zeros((2, 1)))
    folded = replace(start, coefficients=np.array([[9.0, 9.0, 0.0], [0.0, 0.0, 0.0]]))
    assert elastic.evaluate(template, field, folded.coefficients) is None
    worse = replace(start, coefficients=np.array([[0.0, 0.1, 0.0], [0.0, 0.0, 0.0]]))
    for other in (folded, worse):
        found = elastic._widened(template, field, 4, other, start)
        assert np.array_equal(found.coefficients, np.zeros((2, basis_size(4))))


def test_the_gradient_of_the_search_is_that_of_the_cost(template):
    """The Hessian may take fewer nodes; the gradient must lead down the cost that is compared."""
    field = normal_field(template.interpolant.on_square(template.settings.grid))
    at = turn_coefficients(4, 20.0, 0.02)
    fit = elastic.evaluate(template, field, at)
    gradient = elastic._linear_model(template, field, fit)[1][: at.size].reshape(at.shape)
    for place in ((0, 2), (0, 9), (1, 1), (1, 7)):
        step = np.zeros_like(at)
        step[place] = 1e-5
        ahead, behind = (elastic.evaluate(template, field, at + s * step).cost for s in (1, -1))
        assert gradient[place] == pytest.approx((ahead - behind) / 4e-5, rel=0.02, abs=1e-4)
