"""The page of a regression: slopes, floors, pictures along the curve of every kind of space."""

import numpy as np
import pytest
from report_checks import check_page

import geomdp as dp
from geomdp.plans.release import Release
from geomdp.report import plan_html, regression_section, report_html
from geomdp.report.pictures import by_space as pictures
from geomdp.report.pictures.scene import plan_scene
from geomdp.report.release_pages import release_page
from geomdp.report.rendering import Html

NAMES = {"age": (20, 90), "sex <b>": ("f", "m&n")}


def released(space, radius=0.4, budget=None, n=60):
    center = np.asarray(space.origin(np.zeros(space.dim)))
    asked = dp.Regression(dp.Ball(space, center, radius), NAMES)
    plan = dp.plan(asked, n=n, budget=budget or dp.GDP(50))
    cols = {"age": np.linspace(20, 90, n), "sex <b>": np.where(np.arange(n) % 2, "f", "m&n")}
    logs = np.zeros((n, space.dim))
    logs[:, 0] = np.linspace(-0.3, 0.3, n)
    points = np.asarray(space.frame_exp(center, logs))
    return plan.release(dp.Records(points, covariates=cols))


@pytest.mark.parametrize("space", [dp.Sphere(2), dp.SPD(3), dp.PlanarShapes(6)], ids=repr)
def test_five_pictures_along_a_number_and_one_a_level(space):
    page = check_page(report_html(released(space)))
    for age in ("age 20", "age 37.5", "age 55", "age 72.5", "age 90"):
        assert age in page.text
    assert "sex <b> m&n" in page.text
    assert "beyond what a picture can show" not in page.text
    assert "Private regression on age, sex <b>" in page.text
    assert "sex <b>, m&n against f" in page.text
    assert "95% band" in page.text
    assert "counted as the nearer end" in page.text


def test_the_page_tells_of_a_floor_and_survives_any_value(monkeypatch):
    monkeypatch.setattr(pictures, "draw_subject", lambda *_, **__: Html(""))
    monkeypatch.setattr(regression_section, "tiled", lambda *_: Html(""))
    release = released(dp.Sphere(2))
    plan = release.plan
    for fill in (np.nan, 1e300):
        value = np.full_like(release.value, fill)
        page = check_page(report_html(Release(plan, value, release.manifest)))
        assert "shrunk towards 0" in page.text or fill == 1e300
        assert "The curve" in page.text


def test_plan_pages_of_regressions_need_no_data():
    page = check_page(plan_html(released(dp.Euclidean(2)).plan, [dp.GDP(1)]))
    assert "age from 20 to 90" in page.text


def test_pictures_come_before_numbers_and_coefficients_stand_in_a_table():
    page = report_html(released(dp.SPD(2)))
    order = ["age 20", "change, as a distance", "coordinate</th>", "What was released"]
    assert [page.index(text) for text in order] == sorted(page.index(text) for text in order)
    found = released(dp.Euclidean(2)).regression
    rows = regression_section._coefficients(found, ("left", "right <b>"))[1].rows
    assert [row[0] for row in rows] == ["left", "right <b>"]
    moved = np.array([[float(cell) for cell in row[1:]] for row in rows])
    expected = [
        found.predict(age=55, **{"sex <b>": "f"}),
        70 * found.slope("age").vector,
        found.difference("sex <b>", "f", "m&n").vector,
    ]
    np.testing.assert_allclose(moved.T, expected, rtol=1e-3)


def test_a_plan_shows_what_the_curve_says_where_nothing_changes():
    """Records at the centre, covariates spread evenly: a large budget shows the centre."""
    plan = released(dp.SPD(2), budget=dp.GDP(10**6)).plan
    scene = plan_scene(plan)
    assert scene.cloud.shape[1:] == (2, 2)
    np.testing.assert_allclose(scene.cloud, np.tile(np.eye(2), (len(scene.cloud), 1, 1)), atol=1e-3)
    rough = plan_scene(released(dp.SPD(2), budget=dp.GDP(1)).plan)
    assert np.max(np.abs(rough.cloud - np.eye(2))) > 0.05
    assert "says at age 90" in plan_html(plan, [dp.GDP(1)])


def test_cards_of_groups_show_the_curve():
    ball = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)
    asked = dp.Regression(ball, covariates={"age": (20, 90)})
    plan = dp.plan(asked, n={"a": 20, "b": 30}, budget=dp.GDP(50))
    points, ages = np.tile(ball.center, (50, 1)), np.linspace(20, 90, 50)
    groups = np.repeat(["a", "b"], [20, 30])
    release = plan.release(dp.Records(points, group=groups, covariates={"age": ages}))
    page = check_page(release_page(release, {"a": "a", "b": "b"}))
    assert page.text.count("the private curve at age 90") == 2
