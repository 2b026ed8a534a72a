"""What a release becomes that is smoothed again, and what its mesh and pictures show."""

import base64
import re
from pathlib import Path

import numpy as np
import pytest

import geomdp as dp
from geomdp.curves import FunctionMean, Matern
from geomdp.io import Choices, read_records
from geomdp.io.formats import FORMATS, Value
from geomdp.releases.estimates.denoised import on_top, shown
from geomdp.releases.verification import verify
from geomdp.releases.verification.folders import value_file_findings
from geomdp.releases.verification.verdict import Problem, Remark
from geomdp.report import report_html
from geomdp.report.pictures.by_space import faces
from geomdp.report.release_pages import groups_html, stages_html
from geomdp.surfaces import (
    SurfaceMean,
    make_template,
    read_surface,
    template_face,
    write_surface,
)
from geomdp.typed.records import further_format

N = 500
CURVE = FunctionMean(np.zeros(40), 1.0, Matern(0.3))
CURVES = np.full((N, 40), 0.01)


@pytest.fixture(scope="module")
def surface() -> SurfaceMean:
    template = make_template(template_face(), center=0)
    return SurfaceMean(template, rings=8, points=24, tau=0.03, registration="homologous")


@pytest.fixture(scope="module")
def release(surface) -> dp.Release:
    records = np.broadcast_to(surface.template_curves, (N, *surface.template_curves.shape))
    return dp.plan(surface, n=N, budget=dp.GDP(1)).release(records)


def test_it_follows_from_value_and_plan():
    plan = dp.plan(CURVE, n=N, budget=dp.GDP(1))
    drawn = plan.release(CURVES)
    expected = plan.statistic.denoised(drawn.value, plan.scale)
    np.testing.assert_array_equal(drawn.denoised, expected)
    assert np.std(drawn.denoised) < np.std(drawn.value)


def test_laplace_noise_is_as_loud_as_its_dimension_says():
    plan = dp.plan(CURVE, n=N, budget=dp.Pure(5))
    assert plan.mechanism == "linear-laplace"
    drawn, asked = plan.release(CURVES), plan.statistic
    loud = plan.scale * np.sqrt(asked.noise_profile.size + 1)
    np.testing.assert_array_equal(drawn.denoised, asked.denoised(drawn.value, loud))


def test_of_stages_the_answer_is_smoothed_and_of_groups_each():
    refined = dp.plan(dp.Refined(CURVE), n=N, budget=dp.GDP(2)).release(CURVES)
    last = refined.parts["stage 2"]
    np.testing.assert_array_equal(refined.denoised, last.denoised)
    assert not np.array_equal(last.denoised, last.value)
    plan = dp.plan(CURVE, n={"a": N, "b": N}, budget=dp.GDP(1))
    both = plan.release(dp.Records(np.tile(CURVES, (2, 1)), group=["a"] * N + ["b"] * N))
    assert set(both.denoised) == {"a", "b"}
    np.testing.assert_array_equal(both.denoised["b"], both.parts["b"].denoised)


def test_what_cannot_be_smoothed_again_is_the_value(surface):
    plan = dp.plan(dp.Summary(dp.Sphere(2), 0.1), budget=dp.Pure(1))
    drawn = plan.release(np.array([0.0, 0.0, 1.0]))
    assert drawn.denoised is drawn.value
    points = dp.plan(surface, n=N, budget=dp.GDP(1), mechanism="pointwise-gaussian")
    value = points.simulate(surface.template_curves, 1, 0)[0]
    assert points.denoising is None
    assert points.denoised(value) is value


def test_curves_are_shown_as_the_plan_says():
    drawn = dp.plan(CURVE, n=N, budget=dp.GDP(1)).release(CURVES)
    assert on_top(drawn) is not None
    np.testing.assert_array_equal(shown(drawn), drawn.denoised)


def test_a_saved_release_is_smoothed_to_the_same(release, tmp_path):
    release.save(tmp_path / "out")
    np.testing.assert_array_equal(np.load(tmp_path / "out/value.npy"), release.value)
    np.testing.assert_array_equal(dp.load_release(tmp_path / "out").denoised, release.denoised)


def mesh_file(release: dp.Release, curves: np.ndarray, folder: Path, stem="denoised") -> Path:
    """Write a mesh of these curves as the command does."""
    value = Value(curves, release.plan.statistic, (), 0)
    FORMATS["meshes"].write(folder / f"{stem}.obj", value)
    return folder / f"{stem}.obj"


def test_verify_recomputes_the_mesh(release, tmp_path):
    def also(one: dp.Release, inside: Path) -> None:
        mesh_file(one, one.denoised, inside)

    release.save(tmp_path / "out", also)
    assert (tmp_path / "out/denoised.obj").is_file()
    found = verify(tmp_path / "out")
    assert (found.problems, found.remarks) == ((), ())


def test_verify_says_of_a_mesh_of_earlier_versions_what_it_is(release, tmp_path):
    file = mesh_file(release, release.denoised, tmp_path, "value")
    (found,) = value_file_findings(file, release)
    assert isinstance(found, Remark)
    assert "denoised value" in found.reason


def test_verify_finds_any_other_mesh(release, tmp_path):
    file = mesh_file(release, release.denoised + 1e-6, tmp_path)
    (found,) = value_file_findings(file, release)
    assert str(found) == "denoised.obj: it does not hold the value that the manifest states"
    assert isinstance(found, Problem)


def test_the_command_delivers_the_smoothed_surface_of_stages_too(surface, tmp_path):
    for name in "ab":
        write_surface(surface.template.surface, tmp_path / f"{name}.obj")
    loaded = read_records(tmp_path, surface)
    plan = dp.plan(dp.Refined(surface), n=2, budget=dp.GDP(300))
    drawn = plan.release(loaded.points)
    further_format(plan, loaded, Choices(), print)(drawn, tmp_path)
    last = drawn.parts["stage 2"]
    for name, curves in {"value": last.value, "denoised": last.denoised}.items():
        mesh = read_surface(tmp_path / f"{name}.obj")
        np.testing.assert_array_equal(mesh.vertices, surface.mesh_of(curves).vertices)
        assert list(value_file_findings(tmp_path / f"{name}.obj", drawn)) == []


def turned_in(page: str) -> np.ndarray:
    data = re.search(r'data-vertices="([^"]*)"', page)
    return np.frombuffer(base64.b64decode(data[1]), "<i2")


def test_the_report_shows_the_smoothed_surface_and_says_so(release, monkeypatch):
    drawn = []
    monkeypatch.setattr(
        "geomdp.surfaces.pictures.draw_surface", lambda axes, mesh, *view: drawn.append(mesh)
    )
    for chart in ("error_chart", "odds_chart"):  # which take their time
        monkeypatch.setattr(f"geomdp.report.release_pages.{chart}", lambda about: "")
    page = report_html(release)
    mesh = release.plan.statistic.mesh_of(release.denoised)
    assert np.array_equal(turned_in(page), turned_in(faces.turnable(mesh, "again")))
    of_value = release.plan.statistic.mesh_of(release.value)
    assert not np.array_equal(turned_in(page), turned_in(faces.turnable(of_value, "as planned")))
    assert np.array_equal(drawn[0].vertices, mesh.vertices)
    assert "The released value, denoised, from two sides" in page
    assert "those called value hold the value as drawn" in page
    assert "This is the error of the value as drawn" in page


def test_the_page_of_stages_shows_the_answer_to_be_turned(surface, monkeypatch):
    monkeypatch.setattr("geomdp.surfaces.pictures.draw_surface", lambda axes, mesh, *view: None)
    records = np.broadcast_to(surface.template_curves, (N, *surface.template_curves.shape))
    plan = dp.plan(dp.Refined(surface), n=N, budget=dp.GDP(1))
    drawn = plan.release(records)
    page = stages_html(plan, drawn, {"stage 1": "1-stage-1", "stage 2": "2-stage-2"})
    mesh = surface.mesh_of(drawn.denoised)
    assert np.array_equal(turned_in(page), turned_in(faces.turnable(mesh, "again")))
    assert page.count("<script>") == 1
    assert "geomdp verify FOLDER" in page


def test_pictures_of_groups_show_the_smoothed_surfaces(surface, monkeypatch):
    drawn = []
    monkeypatch.setattr(
        "geomdp.surfaces.pictures.draw_surface", lambda axes, mesh, *view: drawn.append(mesh)
    )
    traced = []
    monkeypatch.setattr(
        "geomdp.report.pictures.faces.profile", lambda public, at: traced.append(at) or at[:, :2]
    )
    plan = dp.plan(surface, n={"a": 3, "b": 3}, budget=dp.GDP(1))
    records = np.broadcast_to(surface.template_curves, (6, *surface.template_curves.shape))
    both = plan.release(dp.Records(records, group=["a"] * 3 + ["b"] * 3))
    page = groups_html(plan, both, {"a": "1-a", "b": "2-b"})
    for label, one, trace in zip("ab", drawn, traced, strict=True):
        mesh = plan.plans[label].statistic.mesh_of(both.denoised[label])
        assert np.array_equal(one.vertices, mesh.vertices)
        assert np.array_equal(trace, mesh.vertices)
    assert page.count("The private mean, denoised.") == 2
