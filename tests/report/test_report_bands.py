"""Filled bands: what a confidence region sweeps over, and no less."""

import numpy as np
import pytest

import geomdp as dp
from geomdp.releases.estimates import ConfidenceRegion, MomentsEstimate
from geomdp.report.pictures.by_space import draw_subject
from geomdp.report.pictures.landmarks import hulls
from geomdp.report.pictures.scene import Scene
from geomdp.report.pictures.styles import style_of
from geomdp.report.sections import region_picture

K = 12
TURN = 2 * np.pi * np.arange(K) / K
OUTLINE = np.stack([1.5 * np.cos(TURN), np.sin(TURN)], axis=-1)
SPACE = dp.PlanarShapes(K)
BALL = dp.Ball(SPACE, OUTLINE, 0.3)


def region(scale):
    rng = np.random.default_rng(0)
    factor = rng.standard_normal((SPACE.dim, SPACE.dim))
    mean = 0.05 * rng.standard_normal(SPACE.dim)
    return ConfidenceRegion(BALL, mean, scale**2 * factor @ factor.T, 0.95)


def pairs(shapes):
    turned = SPACE.align(shapes, to=BALL.center)
    return np.stack([turned.real, turned.imag], axis=-1)


@pytest.mark.parametrize("scale", [1e-4, 1e-3])
def test_marks_reach_their_ellipses_and_do_not_leave_them(scale):
    found = region(scale)
    places, spread = found.swept(pairs)
    # In whatever direction: the point of the boundary that moves a mark farthest, and others.
    for mark in (0, 5):
        for normal in (np.array([1.0, 0.0]), np.array([0.6, -0.8])):
            width = np.sqrt(normal @ spread[mark] @ normal)
            away = (pairs(found.boundary(4000)) - places)[:, mark] @ normal
            assert np.max(away) <= 1.02 * width
            step = 1e-6
            ends = np.array(
                [
                    pairs(found._points((found.mean + step * axis)[None]))[0, mark]
                    for axis in np.eye(SPACE.dim)
                ]
            )
            slope = (ends - places[mark]) @ normal / step
            farthest = found.covariance @ slope
            farthest *= np.sqrt(found.threshold / (slope @ farthest))
            reached = pairs(found._points((found.mean + farthest)[None]))[0, mark] - places[mark]
            assert reached @ normal == pytest.approx(width, rel=0.02)


def test_points_between_marks_stay_in_the_hull():
    found = region(1e-3)
    places, spread = found.swept(pairs)
    polygons = hulls(places, spread, np.roll(places, -1, 0), np.roll(spread, -1, 0))
    drawn = pairs(found.boundary(500))
    between = 0.3 * drawn + 0.7 * np.roll(drawn, -1, axis=1)
    for polygon, points in zip(polygons, np.moveaxis(between, 1, 0), strict=True):
        sides = np.roll(polygon, -1, 0) - polygon
        off = points[:, None] - polygon
        inside = sides[:, 0] * off[..., 1] - sides[:, 1] * off[..., 0]
        # Corners of a polygon lie on the ellipse, its sides a little inside.
        assert np.min(inside / np.linalg.norm(sides, axis=1)) > -0.01 * np.sqrt(np.max(spread))


@pytest.mark.parametrize(
    ("space", "center"),
    [(SPACE, OUTLINE), (dp.SizeAndShape(5, 3), np.random.default_rng(1).normal(size=(5, 3)))],
    ids=["outline", "landmarks"],
)
def test_regions_are_filled_in_the_report(space, center):
    ball = dp.Ball(space, center, 0.3)
    second = np.eye(space.dim) / 500
    found = MomentsEstimate(ball, 500, np.zeros(space.dim), second, space.dim / 500, 1e-4)
    assert style_of(space).fills
    drawn = str(region_picture(found))
    assert "sweeps over" in drawn
    bare = str(draw_subject(space, Scene(found.mean, found.mean[None], ball=ball), "a", "b"))
    assert "PolyCollection" in drawn
    assert "PolyCollection" not in bare


def test_other_spaces_show_the_edge():
    ball = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)
    found = MomentsEstimate(ball, 100, np.zeros(2), np.eye(2) / 50, 0.04, 0.02)
    assert "the edge of its 95% confidence region" in str(region_picture(found))
