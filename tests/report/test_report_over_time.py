"""The page of a period: the course so far, what it debits, and whose promise it is."""

import numpy as np
import pytest
from report_checks import check_page

import geomdp as dp
from geomdp.datasets import polar_sphere
from geomdp.report import plan_html

BALL = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)


@pytest.fixture
def plan():
    asked = dp.OverTime(dp.TangentMean(BALL), periods=["winter", "spring", "summer"])
    return dp.plan(asked, n=300, budget=dp.GDP(1))


def test_the_page_of_a_period_shows_the_course(plan, tmp_path):
    data = dp.Records(polar_sphere(200, 0.4, seed=1), period=np.repeat(["winter", "summer"], 100))
    first = plan.release(data, period="winter", kept=tmp_path / "kept")
    second = plan.release(data, period="summer", after=first, kept=tmp_path / "kept")
    second.save(tmp_path / "out")
    page = check_page((tmp_path / "out" / "report.html").read_text(encoding="utf-8"))
    assert "The course so far" in page.text
    assert "Period summer: release 2 of at most 3" in page.text
    assert "Guarantee μ = 1" in page.text
    assert f"Gaussian noise of mu {second.plan.gdp.mu:.6g}, a part of the guarantee" in page.text
    assert "winter 100" in page.text
    assert "summer 200" in page.text


def test_a_release_of_one_period_alone_has_no_course(tmp_path):
    alone = dp.plan(dp.TangentMean(BALL), n=100, budget=dp.GDP(1))
    alone.release(polar_sphere(100, 0.4, seed=1)).save(tmp_path / "out")
    assert "course so far" not in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


def test_the_page_of_the_plan_says_what_is_promised_to_whom(plan):
    page = check_page(plan_html(plan, [dp.GDP(1), dp.GDP(2)]))
    assert "again in each of 3 periods; 300 records are expected by the last" in page.text
    assert "It is the promise of all periods together" in page.text
    assert "refused" not in page.text.split("radius 0.5", 1)[-1][:400]
