"""One line on every report: is this better than the public centre?"""

from dataclasses import replace

import numpy as np
import pytest

import geomdp as dp
from geomdp.report.against import near_words
from geomdp.report.release_pages import release_page
from geomdp.surfaces import SurfaceMean, make_template, template_face

POINTS = np.tile([0.0, 0.0, 1.0], (1000, 1))


@pytest.mark.parametrize(
    ("n", "budget", "verdict"),
    [
        (1000, dp.GDP(1), "Likely: unless"),
        (10, dp.GDP("0.5"), "Perhaps not: noise alone"),
        (10, dp.GDP("0.1"), "No: noise alone"),
    ],
)
def test_the_verdict_follows_from_noise_and_radius(n, budget, verdict):
    asked = dp.TangentMean(dp.Ball(dp.Sphere(2), [0, 0, 1], 0.1))
    plan = dp.plan(asked, n=n, budget=budget)
    share = plan.expected_error / 0.1
    assert (share >= 1) == verdict.startswith("No")
    assert (share > 1 / 3) == (not verdict.startswith("Likely"))
    page = release_page(plan.release(POINTS[:n]), {})
    assert "Better than the public centre?" in page
    assert verdict in page
    assert "Expected error by noise" in page


def test_a_value_without_a_radius_is_compared_with_nothing():
    plan = dp.plan(dp.ExtrinsicMean(dp.Sphere(2)), n=1000, budget=dp.GDP(1))
    assert "Better than the public centre?" not in release_page(plan.release(POINTS), {})


def clipped_release(outer=3.0, far=0.0):
    mean = dp.TangentMean(dp.Ball(dp.Euclidean(3), np.zeros(3), 1.0))
    plan = dp.plan(dp.Clipped(mean, outer=outer), n=500, budget=dp.GDP(5))
    points = np.zeros((500, 3))
    points[:, 0], points[:50, 1] = 0.4, far
    return plan.release(points)


def test_what_clipping_does_stands_beside_the_error_by_noise():
    release = clipped_release(far=2.5)
    page = release_page(release, dict.fromkeys(release.parts, "x"))
    told = release.clipping
    assert told.estimate == pytest.approx(0.1, abs=0.02)
    assert "Expected error by noise" in page
    assert "What clipping does" in page
    assert "are clipped, at most" in page
    assert "Noise and clipping together" in page
    assert f"{told.bias:.3g}"[:4] in page
    assert "Not known: no record says" not in page


def test_a_report_without_a_count_says_so():
    mean = dp.TangentMean(dp.Ball(dp.Euclidean(3), np.zeros(3), 1.0))
    release = dp.plan(mean, n=500, budget=dp.GDP(5)).release(np.full((500, 3), 0.2))
    assert "Not known: no record says" in release_page(release, {})


def test_a_value_that_noise_alone_explains_is_told():
    """And one that it does not explain is not: the rule knows the released value alone."""
    ball = dp.Ball(dp.Euclidean(3), np.zeros(3), 1.0)
    plan = dp.plan(dp.TangentMean(ball), n=500, budget=dp.GDP(5))
    near = plan.release(np.zeros((500, 3)))
    far = plan.release(np.full((500, 3), 0.4))
    assert near_words(plan, 1e-6 * near.value)
    assert not near_words(plan, far.value)
    edge = plan.error_quantile(0.95)
    assert near_words(plan, np.array([0.99 * edge, 0.0, 0.0]))
    assert not near_words(plan, np.array([1.01 * edge, 0.0, 0.0]))
    assert "does not show that it lies elsewhere" in release_page(
        replace(near, value=1e-6 * near.value), {}
    )


def test_stages_compare_with_the_centre_that_was_found():
    prior = dp.Ball(dp.Euclidean(2), np.zeros(2), 5.0)
    plan = dp.plan(dp.Refined(dp.TangentMean(prior)), n=2000, budget=dp.GDP(2))
    release = plan.release(np.random.default_rng(0).standard_normal((2000, 2)) * 0.1 + 1.0)
    page = release_page(release, dict.fromkeys(release.parts, "x"))
    assert "centre that was found before" in page


def test_surfaces_are_pictured_by_their_distance_from_the_template():
    """Forty-five faces at mu 1 came out as the template: now they are told to be as near."""
    mean = SurfaceMean(make_template(template_face()), rings=6, points=16, tau=0.05)
    plan = dp.plan(mean, n=45, budget=dp.GDP(1))
    record = np.asarray(mean.public_record)
    page = release_page(plan.release(np.repeat(record[None], 45, axis=0)), {})
    assert "vertex by vertex" in page
    assert "Distance from the public template, in colours" in page
    assert "does not show that it lies elsewhere" in page
