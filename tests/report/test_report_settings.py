"""Pages are the same whatever else draws in the process: a report that is made again must agree."""

import sys
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure

import geomdp as dp
from geomdp.report import plan_html
from geomdp.report.release_pages import report_html


@pytest.fixture(scope="module")
def release():
    ball = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)
    plan = dp.plan(dp.TangentMean(ball), n=50, budget=dp.GDP(1))
    return plan.release([[0.0, 0.0, 1.0]] * 50)


def test_what_a_caller_told_matplotlib_is_not_seen(release):
    before = report_html(release)
    with mpl.rc_context({"font.size": 21, "axes.labelsize": 4, "lines.linewidth": 9}):
        assert report_html(release) == before
        assert mpl.rcParams["font.size"] == 21


def test_two_threads_draw_the_same_as_one(release):
    before, settings = report_html(release), dict(mpl.rcParams)
    plan = release.plan
    with ThreadPoolExecutor(4) as pool:
        pages = [pool.submit(report_html, release) for _ in range(3)]
        others = [pool.submit(plan_html, plan, [plan.guarantee.budget]) for _ in range(3)]
        assert {one.result() for one in pages} == {before}
        assert len({one.result() for one in others}) == 1
    assert dict(mpl.rcParams) == settings


def test_each_picture_of_a_page_is_drawn_once(release):
    draw = Figure.draw
    with mock.patch.object(Figure, "draw", autospec=True, side_effect=draw) as drawn:
        page = report_html(release)
    assert drawn.call_count == page.count("<svg") > 2


def test_a_page_does_without_the_half_second_of_scipy_stats():
    ball = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)
    asked = dp.Regression(ball, {"age": (20.0, 90.0)})
    plan = dp.plan(asked, n=50, budget=dp.GDP(1))
    records = dp.Records([[0.0, 0.0, 1.0]] * 50, covariates={"age": [30.0, 60.0] * 25})
    release = plan.release(records)
    page = report_html(release)
    with mock.patch.dict(sys.modules, {"scipy.stats": None}):
        assert report_html(release) == page
