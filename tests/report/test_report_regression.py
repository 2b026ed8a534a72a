"""The page of a regression: slopes, floors, pictures along the curve of every kind of space."""

import numpy as np
import pytest
from report_checks import check_page

import geomdp as dp
from geomdp.plans.release import Release
from geomdp.report import plan_html, report_html, sections
from geomdp.report.pictures import by_space as pictures
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
    monkeypatch.setattr(sections, "tiled", lambda *_: Html(""))
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
