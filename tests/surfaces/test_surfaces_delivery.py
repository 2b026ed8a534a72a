"""The delivered mesh: as near to the truth as the released value, with the template's detail."""

from pathlib import Path

import numpy as np
import pytest
from surfaces_meshes import spherical_cap

import geomdp as dp
from geomdp.io.formats import FORMATS
from geomdp.io.loading import Loaded
from geomdp.io.writing import write_value
from geomdp.surfaces import SurfaceMean, make_template, procedural_face, template_face
from geomdp.surfaces.curves.radial import field_on_disk, regular_at_centre
from geomdp.surfaces.disk.sampling import DiskInterpolant
from geomdp.surfaces.mesh.meshio import TEXTS, as_read, read_surface, write_surface, written_as
from geomdp.surfaces.mesh.surface import Surface
from geomdp.surfaces.template import RegistrationSettings


@pytest.fixture(scope="module")
def mean() -> SurfaceMean:
    template = make_template(template_face(), center=0)
    return SurfaceMean(template, tau=0.03, registration="homologous")


@pytest.fixture(scope="module")
def truth(mean) -> np.ndarray:
    """Mean curves of a crowd that is not the template's."""
    return mean.prepare([procedural_face(seed) for seed in (1, 2)], workers=1).curves.mean(axis=0)


def curves_of(mesh: Surface, mean: SurfaceMean) -> np.ndarray:
    cells = mean.road.cells
    interpolant = DiskInterpolant(mesh, mean.template.z, like=mean.template.interpolant)
    return cells.average(interpolant(cells.radii[:, None] * np.exp(1j * cells.angles)))


def squared(difference: np.ndarray) -> float:
    return float(np.mean(np.sum(difference**2, axis=-1)))


def test_the_mesh_is_within_a_tenth_of_the_error_of_the_value(mean, truth):
    plan = dp.plan(mean, n=1000, budget=dp.GDP(mu=3))
    noise = plan.simulate(mean.template_curves, size=3, seed=1) - mean.template_curves
    values = truth + noise
    drawn = plan.simulate(truth, size=3, seed=1)
    again = np.array([plan.statistic.denoised(value, plan.scale) for value in drawn])
    for curves in (again, values):  # what is delivered, and noise as it was drawn
        of_value = np.mean([squared(value - truth) for value in curves])
        of_mesh = np.mean([squared(curves_of(mean.mesh_of(v), mean) - truth) for v in curves])
        assert of_mesh < 1.1 * of_value


def test_the_mesh_is_the_templates_moved(mean):
    still = mean.mesh_of(mean.template_curves)
    np.testing.assert_allclose(still.vertices, mean.template.surface.vertices, atol=1e-12)
    np.testing.assert_array_equal(still.faces, mean.template.surface.faces)
    lifted = mean.mesh_of(mean.template_curves + np.array([0.0, 0.0, 0.1]))
    np.testing.assert_allclose(
        lifted.vertices - still.vertices, [[0, 0, 0.1]] * len(still.vertices)
    )


@pytest.mark.parametrize("kind", TEXTS)
def test_a_mesh_is_delivered_in_the_format_of_the_public_template(tmp_path, kind):
    write_surface(spherical_cap(6)[0], tmp_path / f"template{kind.upper()}")
    public = read_surface(tmp_path / f"template{kind.upper()}")
    small = RegistrationSettings((2,), grid=33, radii=8, angles=16)
    template = make_template(public, center="middle", settings=small)
    asked = SurfaceMean(template, rings=6, points=16, tau=0.03, registration="homologous")
    plan = dp.plan(asked, n=50, budget=dp.GDP(1))
    plan.save(tmp_path / "plan.json")
    plan = dp.load_plan(tmp_path / "plan.json")
    came = Loaded(np.zeros(1), {}, FORMATS["meshes"], (), 0)

    def also(release: dp.Release, inside: Path) -> None:
        write_value(release.value, inside, came, plan.statistic, "lower")

    records = np.repeat(asked.template_curves[None], 50, axis=0)
    out, file = tmp_path / "out", tmp_path / "out" / f"value{kind}"
    release = plan.release(records)
    release.save(out, also)
    mesh = as_read(plan.statistic.mesh_of(release.value), kind)
    np.testing.assert_array_equal(read_surface(file).vertices, mesh.vertices)
    assert dp.verify(out).verified
    file.write_text(file.read_text("utf-8") + "\n", "utf-8")
    assert {one.field for one in dp.verify(out).problems} == {file.name}


@pytest.mark.parametrize("name", ["", "template", "template.glb", "template.vtk", "lh.white"])
def test_what_is_not_written_as_text_is_delivered_as_obj(name):
    assert written_as(name) == ".obj"


def test_a_mesh_in_another_format_than_the_plan_says_is_no_value_of_it(mean, tmp_path):
    value = mean.template_curves
    for kind in (".obj", ".ply"):
        write_surface(mean.mesh_of(value), tmp_path / f"value{kind}")
    assert FORMATS["meshes"].holds(tmp_path / "value.obj", value, mean)
    assert not FORMATS["meshes"].holds(tmp_path / "value.ply", value, mean)


def test_a_smooth_field_is_carried_to_every_place_of_the_disk():
    share, angle = np.arange(1, 24)[:, None] / 23, 2 * np.pi * np.arange(80) / 80
    rng = np.random.default_rng(0)
    at = rng.uniform(size=200), rng.uniform(-np.pi, np.pi, 200)

    def field(s: np.ndarray, t: np.ndarray) -> np.ndarray:
        x, y = s * np.cos(t), s * np.sin(t)
        return np.stack([np.sin(2 * x + y), x * y - y**3, np.cos(3 * y)], axis=-1)

    np.testing.assert_allclose(field_on_disk(field(share, angle), *at), field(*at), atol=2e-3)


@pytest.mark.parametrize("points", [24, 25])
def test_waves_above_the_index_of_the_ring_are_cut_softly(points):
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(10, points, 3))
    kept = np.fft.rfft(regular_at_centre(noise), axis=1) / np.fft.rfft(noise, axis=1)
    assert kept.shape[1] == 13
    for ring in range(10):
        np.testing.assert_allclose(kept[ring, : ring + 4], 1, atol=1e-9)
        above = np.abs(kept[ring, ring + 4 :, 0])
        assert np.all(np.diff(above) < 0)
        assert np.all(above[7:] < 0.03)
