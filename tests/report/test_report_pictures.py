import numpy as np
import pytest
from report_checks import Page, check_page

import geomdp as dp
from geomdp.curves import CircleGrid, FunctionMean, IntervalGrid, PoweredExponential
from geomdp.report import picture_at, picture_of, report_html, turning_html
from geomdp.report.pictures.by_space import draw_subject, style_for
from geomdp.report.pictures.ink import new_figure
from geomdp.report.pictures.outlines import draw_curves
from geomdp.report.pictures.scene import Scene, public_point, release_scene, sphere_about
from geomdp.spaces.base import Space
from geomdp.spaces.specs import SPACES as FAMILIES
from geomdp.surfaces.mesh.procedural import template_face

SPACES: list[Space] = [
    dp.Sphere(1),
    dp.Sphere(2),
    dp.Sphere(2, curvature=4.0),
    dp.Sphere(5),
    dp.SPD(1),
    dp.SPD(2),
    dp.SPD(3),
    dp.SPD(6),
    dp.SPD(3, "log-euclidean"),
    dp.PlanarShapes(3),
    dp.PlanarShapes(8),
    dp.Hyperbolic(1),
    dp.Hyperbolic(2),
    dp.Hyperbolic(3),
    dp.Euclidean(1),
    dp.Euclidean(2),
    dp.Euclidean(7),
    dp.Axes(1),
    dp.Axes(2),
    dp.Axes(4),
    dp.Rotations(),
    dp.Correlation(4),
    dp.Grassmannian(2, 5),
    dp.SizeAndShape(6),
    dp.SizeAndShape(5, 2),
    dp.Shapes(6),
    dp.Product(dp.Rotations(), dp.Euclidean(2), dp.Sphere(2), weights=(1.0, 0.5, 2.0)),
]


def plan_on(space: Space) -> dp.Plan:
    if space.chart_only:
        ball = dp.Ball(space, space.origin(np.zeros(1)), 0.5)
        return dp.plan(dp.TangentMean(ball), n=500, budget=dp.Pure(1))
    return dp.plan(dp.Summary(space, 0.001), budget=dp.Pure(1), mechanism="laplace")


def test_the_list_names_every_family() -> None:
    assert {space.spec.split(":")[0] for space in SPACES} == set(FAMILIES)


@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.spec)
def test_every_space_has_a_picture(space: Space) -> None:
    plan = plan_on(space)
    point = public_point(plan)
    release = plan.release(np.stack([point] * 500) if plan.statistic.needs_n else point)
    for picture in (picture_of(release), picture_at(plan)):
        page = Page(picture)
        assert page.problems == []
        assert picture.count("<svg") >= 1
        assert "var(--accent)" in picture  # it follows the colours of the page
        assert "nan" not in picture.lower()
    assert picture_of(release) == picture_of(release)
    assert picture_at(plan) == picture_at(plan)
    assert picture_at(plan) != picture_at(plan, seed=1)


def test_a_space_of_another_package_gets_bars() -> None:
    class Foreign(dp.Euclidean):
        pass

    assert style_for(dp.Summary(Foreign(4), 0.1)).panels[0].__name__ == "draw_bars"
    assert style_for(dp.Summary(Foreign(2), 0.1)).panels[0].__name__ == "draw_plane"


@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.spec)
def test_the_cloud_lies_at_the_forecast_distance(space: Space) -> None:
    plan = plan_on(space)
    value = plan.simulate(public_point(plan), size=1)[0]
    scene = release_scene(dp.Release(plan, value, {}))
    distances = space.dist(value, scene.cloud)
    assert np.allclose(distances, plan.error_quantile(0.95), rtol=1e-6)
    assert scene.ring == (space.dim == 2)


def test_the_cloud_never_goes_round_a_closed_space() -> None:
    north = np.array([0.0, 0.0, 1.0])
    cloud = sphere_about(dp.Sphere(2), north, 10.0)
    assert np.all(dp.Sphere(2).dist(north, cloud) < np.pi)


def test_no_ink_of_a_figure_escapes_the_theme() -> None:
    # Colours written as numbers would vanish on dark pages; "none" and variables do not.
    import re

    for space in (dp.Sphere(2), dp.SPD(3), dp.PlanarShapes(5), dp.Hyperbolic(2), dp.SPD(5)):
        plan = plan_on(space)
        picture = picture_of(plan.release(public_point(plan)))
        assert re.findall(r"#[0-9a-f]{6}\b", picture) == []


@pytest.mark.parametrize(
    ("template", "grid"),
    [
        (np.zeros(20), CircleGrid(20)),
        (np.zeros((3, 17)), IntervalGrid(np.arange(17.0))),
        (np.stack([np.cos(np.arange(12)), np.sin(np.arange(12))]), CircleGrid(12)),
    ],
)
def test_functions_are_drawn_as_curves(
    template: np.ndarray, grid: CircleGrid | IntervalGrid
) -> None:
    mean = FunctionMean(template, tau=0.1, kernel=PoweredExponential(1.0), phi=0.01, grid=grid)
    _, axes = new_figure(3, 3)
    draw_curves(axes, mean, Scene(template + 0.1, np.stack([template, template])))
    assert len(axes.lines) >= 4


def test_surfaces_are_drawn_shaded_and_can_be_turned() -> None:
    import base64

    from geomdp.report.pictures.faces import STEPS, turnable

    surface = template_face()
    element = turnable(surface, "a face")
    page = Page(element)
    assert page.problems == []
    data = {name: value for _, name, value in page.attributes}
    vertices = np.frombuffer(base64.b64decode(data["data-vertices"]), dtype="<i2").reshape(-1, 3)
    faces = np.frombuffer(base64.b64decode(data["data-faces"]), dtype="<u4").reshape(-1, 3)
    assert np.array_equal(faces, surface.faces)
    middle = (surface.vertices.max(axis=0) + surface.vertices.min(axis=0)) / 2
    size = np.max(np.linalg.norm(surface.vertices - middle, axis=1))
    assert np.allclose(vertices / STEPS * size + middle, surface.vertices, atol=size / STEPS)
    assert data["src"].startswith("data:image/png;base64,")


def test_any_surface_can_be_turned_in_a_page_of_its_own() -> None:
    page = check_page(turning_html(template_face(), "a <face>"))
    names = [name for _, name, _ in page.attributes]
    assert {"data-vertices", "data-faces"} <= set(names)
    assert "a <face>" in page.text


def test_draw_keeps_the_ids_of_pictures_apart() -> None:
    space = dp.Sphere(2)
    scene = Scene(np.array([0.0, 0.0, 1.0]), np.array([[0.0, 0.0, 1.0]]))
    both = draw_subject(space, scene, "a", "first") + draw_subject(space, scene, "b", "second")
    ids = [value for _, name, value in Page(both).attributes if name == "id"]
    assert len(ids) == len(set(ids)) > 4


def test_landmarks_in_space_can_be_turned() -> None:
    plan = plan_on(dp.Shapes(6))
    page = report_html(plan.release(np.stack([public_point(plan)] * 500)))
    assert page.count("<canvas") == 1
    assert Page(page).problems == []
    flat = plan_on(dp.SizeAndShape(5, 2))
    assert "<canvas" not in report_html(flat.release(np.stack([public_point(flat)] * 500)))


def test_parts_of_a_product_are_drawn_side_by_side() -> None:
    space = dp.Product(dp.SPD(2), dp.Rotations())
    ball = dp.Ball(space, space.join(np.eye(2), np.eye(3)), 0.5)
    plan = dp.plan(dp.FrechetMean(ball), n=200, budget=dp.Pure(1), mechanism="wrapped-laplace")
    picture = picture_of(plan.release(np.stack([ball.center] * 200)))
    assert picture.count("<svg") == 2
