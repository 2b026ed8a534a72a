"""Pages of curves: the mean with its band, and of moments the components of variation."""

import numpy as np
from report_checks import check_page

import geomdp as dp
from geomdp.curves import FunctionMean, FunctionMoments, Matern, error_band
from geomdp.curves.datasets import closed_curves, growth_curves
from geomdp.releases.estimates import FunctionMomentsEstimate
from geomdp.report import report_html, sections
from geomdp.report.rendering import Html


def page_of(family, tau, kernel):
    curves = FunctionMean(family.template, tau, kernel, grid=family.grid, terms=3)
    plan = dp.plan(FunctionMoments(curves), n=60, budget=dp.GDP(500))
    page = check_page(report_html(plan.release(family.records)))
    assert "Private mean and covariance of curves" in page.text
    assert "95% band at each point" in page.text
    assert "beyond what a picture can show" not in page.text
    return page


def test_a_mean_function_has_its_band_and_a_loop_none(monkeypatch):
    family, loops = growth_curves(60, seed=1), closed_curves(60, seed=1)
    heights = FunctionMean(family.template, 25.0, Matern(8.0), grid=family.grid)
    plan = dp.plan(heights, n=60, budget=dp.GDP(1))
    value, drawn = plan.release(family.records), []
    monkeypatch.setattr(
        sections, "draw_subject", lambda _, scene, *__: drawn.append(scene) or Html("")
    )
    assert "the mean of the clipped curves themselves" in str(sections.consequences(value))
    low, high = drawn[0].cloud
    np.testing.assert_allclose(high - value.value, error_band(plan))
    np.testing.assert_allclose(value.value - low, error_band(plan))
    planar = FunctionMean(loops.template, 0.2, Matern(0.3), grid=loops.grid)
    loop = dp.plan(planar, n=60, budget=dp.GDP(1)).release(loops.records)
    assert sections.consequences(loop) == ""


def test_mean_band_and_components_are_drawn():
    page = page_of(growth_curves(60, seed=1), 25.0, Matern(8.0))
    assert "Component 1: the mean (bold), and 2 standard deviations" in page.text
    assert "Standard deviations along the components" in page.text


def test_loops_without_a_component_above_the_noise(monkeypatch):
    monkeypatch.setattr(FunctionMomentsEstimate, "principal_components", lambda _: [])
    page = page_of(closed_curves(60, seed=1), 0.2, Matern(0.3))
    assert "No component of variation stands above the noise" in page.text
    assert "Component 1" not in page.text
