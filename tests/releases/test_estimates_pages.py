"""Pictures and the file of estimates beside released moments."""

import json
import re

import numpy as np
import pytest

import geomdp as dp
from geomdp.plans.release import Release
from geomdp.releases.estimates.document import estimates_text
from geomdp.releases.estimates.moments import MomentsEstimate
from geomdp.releases.verification import verify
from geomdp.report import picture_at
from geomdp.report.pictures.scene import plan_scene
from geomdp.report.release_pages import groups_html
from geomdp.report.sections import geodesic_pictures, region_picture


def estimate(space, spread, n=10_000, noise=1e-4):
    """Moments about the centre of a ball: the first coordinate varies most."""
    ball = dp.Ball(space, space.origin(np.zeros(space.dim)), 0.5)
    deviations = spread / (1 + np.arange(space.dim))
    second = np.diag(deviations**2)
    return MomentsEstimate(ball, n, np.zeros(space.dim), second, float(np.trace(second)), noise)


@pytest.mark.parametrize(
    ("space", "panels"),
    [(dp.Sphere(2), 2), (dp.SPD(2), 1), (dp.PlanarShapes(4), 1)],
)
def test_regions_and_strips_are_drawn_in_the_style_of_the_space(space, panels):
    found = estimate(space, 0.2)
    assert str(region_picture(found)).count("<svg") == panels
    strips = "".join(map(str, geodesic_pictures(found)))
    assert strips.count("<svg") == 5 * min(3, len(found.principal_geodesics())) > 0
    assert "in standard deviations (0.2 each)" in strips


def test_a_region_is_drawn_as_wide_as_it_is():
    found = estimate(dp.Sphere(2), 0.2)
    wider = estimate(dp.Sphere(2), 0.2, n=100)
    reach = [
        float(np.max(dp.Sphere(2).dist(f.mean, f.confidence_region().boundary())))
        for f in (found, wider)
    ]
    assert reach[1] > 5 * reach[0]
    ticks = [re.findall(r">([−\d.]+)</text>", str(region_picture(f)))[-1] for f in (found, wider)]
    assert float(ticks[0]) < float(ticks[1])


def test_nothing_is_drawn_below_the_noise():
    text = "".join(map(str, geodesic_pictures(estimate(dp.Sphere(2), 0.01, noise=0.1))))
    assert "<svg" not in text
    assert "stands above the noise" in text


@pytest.mark.usefixtures("with_reports")
@pytest.mark.parametrize("budget", [dp.GDP(1), dp.Pure(1)], ids=repr)
def test_estimates_follow_and_what_was_changed_is_found(budget, tmp_path):
    ball = dp.Ball(dp.Sphere(2), [0, 0, 1], 0.5)
    points = dp.datasets.polar_sphere(400, radius=0.4, seed=1)
    out = tmp_path / "out"
    release = dp.plan(dp.Moments(ball), n=400, budget=budget).release(points, folder=out)
    assert verify(out).problems == ()
    document = json.loads((out / "estimates.json").read_text())
    found = dp.moments_of(release)
    assert document["mean"] == found.mean.tolist()
    assert document["dispersion"] == found.dispersion
    assert ("covariance" in document) == isinstance(budget, dp.GDP)
    page = (out / "report.html").read_text()
    assert f"{found.dispersion:.4g}" in page
    document["dispersion"] *= 1.001
    (out / "estimates.json").write_text(json.dumps(document))
    named = {str(p.field) for p in verify(out).problems}
    assert named == {"estimates.json", "estimates.json.dispersion"}


@pytest.mark.usefixtures("with_reports")
def test_a_plan_in_stages_shows_what_follows(tmp_path):
    asked = dp.Refined(dp.Moments(dp.Ball.whole(dp.Sphere(2))))
    points = dp.datasets.polar_sphere(800, radius=0.3, seed=1)
    out = tmp_path / "out"
    release = dp.plan(asked, n=800, budget=dp.GDP(1)).release(points, folder=out)
    assert verify(out).problems == ()
    document = json.loads((out / "estimates.json").read_text())
    assert document["radius"] == dp.moments_of(release).ball.radius
    page = (out / "report.html").read_text()
    assert "What follows from it" in page
    assert "Released: the radius" in page


def test_whatever_was_drawn_nothing_fails():
    ball = dp.Ball(dp.SPD(2), np.eye(2), 1.0)
    made = dp.plan(dp.Moments(ball), n=100, budget=dp.GDP(1))
    for number in (1e300, np.inf, np.nan):
        value = np.full((4, 3), number)
        release = Release(made, value, {})
        assert isinstance(estimates_text(release, {}), str)
    mean = dp.plan(dp.TangentMean(ball), n=100, budget=dp.GDP(1))
    assert estimates_text(mean.release(np.tile(np.eye(2), (100, 1, 1))), {}) == ""


def test_groups_are_compared_on_their_page():
    ball = dp.Ball(dp.Euclidean(2), np.zeros(2), 1.0)
    points = np.random.default_rng(0).normal(0.0, 0.2, (900, 2)) + np.repeat(
        [[0], [0], [0.5]], 300, 0
    )
    sizes = dict.fromkeys("abc", 300)
    made = dp.plan(dp.Moments(ball), n=sizes, budget=dp.GDP(1))
    release = made.release(dp.Records(points, group=np.repeat(list("abc"), 300)))
    page = groups_html(made, release, {label: label for label in sizes})
    assert "Do the groups differ?" in page
    found = {label: dp.moments_of(part) for label, part in release.parts.items()}
    for a, b in ("ab", "ac", "bc"):
        assert f"<td>{a}, {b}</td>" in page
        assert f"{dp.compare(found[a], found[b]).p_value:.3g}" in page
    mean = dp.plan(dp.TangentMean(ball), n=sizes, budget=dp.GDP(1))
    plain = mean.release(dp.Records(points, group=np.repeat(list("abc"), 300)))
    assert "groups differ" not in groups_html(mean, plain, {label: label for label in sizes})


@pytest.mark.parametrize("budget", [dp.GDP(1), dp.Pure(1)], ids=repr)
def test_plans_show_simulated_means_in_the_style_of_the_space(budget):
    made = dp.plan(dp.Moments(dp.Ball(dp.Sphere(2), [0, 0, 1], 0.5)), n=100, budget=budget)
    scene = plan_scene(made, size=5)
    assert scene.cloud.shape == (4, 3)
    assert dp.Sphere(2).contains(scene.cloud)
    assert "<svg" in picture_at(made)
