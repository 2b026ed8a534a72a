"""One line on every report: is this better than the public centre?"""

from dataclasses import replace

import numpy as np
import pytest

import geomdp as dp
from geomdp.curves import FunctionMean, FunctionRegression, Matern
from geomdp.plans.denoising import better_beyond
from geomdp.report import words
from geomdp.report.against import against_the_center, near_words
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


def noisy(denoiser=None, n=100):
    """Noise of six tenths of the radius in fifty dimensions, which pages show denoised."""
    ball = dp.Ball(dp.Euclidean(50), np.zeros(50), 1.0, denoiser=denoiser)
    return dp.plan(dp.TangentMean(ball), n=n, budget=dp.GDP("0.25"))


@pytest.mark.parametrize("part", [0.8, 1.3])
def test_the_denoised_value_beats_the_centre_beyond_the_distance_that_is_told(part):
    """By the rule's own forecast, and by draws: the value as drawn would need three times that."""
    plan = noisy()
    beyond = better_beyond(plan)
    assert plan.expected_error / 3 < beyond < plan.expected_error / 2
    mean = part * beyond * np.eye(50)[0]
    errors = np.linalg.norm(
        [plan.denoised(one) - mean for one in plan.simulate(mean, 400, 1)], axis=1
    )
    off = np.mean(errors) - np.linalg.norm(mean)
    assert (off < -3 * np.std(errors) / 20) == (part > 1)


@pytest.mark.parametrize(("n", "verdict"), [(100, "Likely"), (40, "Perhaps not"), (10, "No")])
def test_the_line_is_about_what_pages_show(n, verdict):
    plan = noisy(n=n)
    assert against_the_center(plan)[0][1].startswith(f"{verdict}")
    assert "denoised" in against_the_center(plan)[0][1]
    assert plan.expected_error > 0.5
    told = [caution.says for caution in noisy(n=n).warnings if caution.name == "noise"]
    assert ("only if the mean lies within about" in told[0]) == (verdict == "Perhaps not")
    assert ("would be a better guess" in told[0]) == (verdict != "Likely")
    as_drawn = noisy(dp.Denoiser(np.eye(50)))  # a fit, of which no bound is known
    assert better_beyond(as_drawn) is None
    assert "denoised" not in against_the_center(as_drawn)[0][1]


def test_whatever_is_no_mean_is_compared_with_what_costs_nothing():
    ball = dp.Ball(dp.Euclidean(2), np.zeros(2), 1.0)
    asked = dp.Regression(ball, covariates={"age": (0, 10)})
    ((_, told),) = against_the_center(dp.plan(asked, n=1000, budget=dp.GDP(1)))
    assert told.startswith("Likely: unless the change over half of the ranges lies within about")
    ((_, told),) = against_the_center(dp.plan(asked, n=10, budget=dp.GDP("0.1")))
    assert told.startswith("No: noise alone")
    curves = FunctionRegression(FunctionMean(np.zeros(9), 1.0, Matern(0.5)), {"age": (0, 10)})
    ((_, told),) = against_the_center(dp.plan(curves, n=1000, budget=dp.GDP(1)))
    assert "unless the change over half of the ranges" in told
    voxels = dp.MapMean(ball, voxels=5)
    ((_, told),) = against_the_center(dp.plan(voxels, n=1000, budget=dp.GDP(1)))
    assert "of the public centre in every voxel" in told
    asked = dp.Classes(ball, ("a", "b"))
    ((_, told),) = against_the_center(dp.plan(asked, n=1000, budget=dp.GDP(1)))
    assert told.startswith("Likely: unless a class mean lies within")


def test_where_records_lie_anywhere_nothing_is_public_to_compare_with():
    asked = dp.ExtrinsicMean(dp.Sphere(2))
    plan = dp.plan(asked, n=1000, budget=dp.GDP(1))
    assert words.NO_CENTER in release_page(plan.release(POINTS), {})
    cap = replace(asked, cap=dp.Ball(dp.Sphere(2), [0, 0, 1], 0.2))
    ((_, told),) = against_the_center(dp.plan(cap, n=1000, budget=dp.GDP(1)))
    assert "centre of the cap" in told
    assert "0.2 rad" in told


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
