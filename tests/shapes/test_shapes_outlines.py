"""Outlines become landmarks by a rule that looks at one outline alone."""

from pathlib import Path

import numpy as np
import pytest

from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.shapes import crossing_edges, resample_outline
from geomdp.spaces import PlanarShapes

DATA = Path(__file__).parents[2] / "../shared/data/adhd200_corpus_callosum.npz"


def ellipse(n, turn=0.0, a=3.0, b=1.0):
    t = 2 * np.pi * np.arange(n) / n
    z = (a * np.cos(t) + 1j * b * np.sin(t)) * np.exp(1j * turn)
    return np.stack([z.real, z.imag], axis=-1)


def test_landmarks_are_equally_spaced_on_the_outline():
    dense = ellipse(4000)
    landmarks = resample_outline(dense, 12)
    distance = np.linalg.norm(dense[:, None] - landmarks, axis=-1).min(axis=0)
    assert np.max(distance) < 2e-3
    nearest = np.linalg.norm(dense[:, None] - landmarks, axis=-1).argmin(axis=0)
    closed = np.concatenate([dense, dense[:1]])
    arc = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(closed, axis=0), axis=1))])
    np.testing.assert_allclose(np.diff([*arc[nearest], arc[-1]]), arc[-1] / 12, atol=6e-3)


def test_direction_and_closing_point_do_not_matter():
    outline = ellipse(300) + 7.0
    expected = resample_outline(outline, 20, start="right")
    back = resample_outline(outline[::-1], 20, start="right")
    closed = resample_outline(np.concatenate([outline, outline[:1]]), 20, start="right")
    doubled = resample_outline(np.repeat(outline, 2, axis=0), 20, start="right")
    for other in (back, closed, doubled):
        np.testing.assert_allclose(other, expected, atol=1e-12)


def test_first_vertex_stays_first():
    outline = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
    for points in (outline, np.concatenate([outline, outline[:1]]), np.repeat(outline, 3, axis=0)):
        np.testing.assert_allclose(resample_outline(points, 4), outline, atol=1e-15)
    clockwise = outline[[0, 3, 2, 1]]
    np.testing.assert_allclose(resample_outline(clockwise, 4), outline, atol=1e-15)


@pytest.mark.parametrize(
    ("start", "corner"),
    [("left", [-3, 0]), ("right", [3, 0]), ("top", [0, 1]), ("bottom", [0, -1]), ("first", [3, 0])],
)
def test_public_rules_for_the_first_landmark(start, corner):
    np.testing.assert_allclose(
        resample_outline(ellipse(400), 8, start=start)[0], corner, atol=1e-12
    )


def test_farthest_start_is_unchanged_by_rotation_and_vertices():
    egg = ellipse(3000) + 0.4 * np.stack(
        [np.cos(2 * np.arange(3000) * np.pi / 3000) ** 2] * 2, axis=-1
    )
    turn = np.array([[np.cos(2.0), np.sin(2.0)], [-np.sin(2.0), np.cos(2.0)]])
    space = PlanarShapes(16)
    one = space.require(resample_outline(egg, 16, start="farthest"))
    other = space.require(resample_outline(np.roll(egg @ turn, 777, axis=0), 16, start="farthest"))
    assert float(space.dist(one, other)) < 1e-2


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([[0, 0], [1, np.nan], [1, 1]], "missing or infinite"),
        ([[0, 0], [1, 1]], "three different points"),
        ([[0, 0], [1, 1], [0, 0], [1, 1]], "three different points"),
        ([[0, 0], [1, 1], [2, 2]], "encloses no area"),
        (np.zeros((2, 9)), r"shape \(n, 2\), not \(2, 9\)"),
        ([], "shape"),
        ("circle", "array"),
        ([[0, 0], [1]], "array"),
    ],
)
def test_bad_outlines_are_explained(points, message):
    with pytest.raises(InvalidRecordError, match=message):
        resample_outline(points, 5)


def test_bad_rules_are_explained():
    with pytest.raises(GeomdpError, match="at least 3 landmarks"):
        resample_outline(ellipse(10), 2)
    with pytest.raises(GeomdpError, match="start is one of first, left"):
        resample_outline(ellipse(10), 5, start="north")


@pytest.mark.parametrize(
    ("points", "edges"),
    [
        ([[0, 0], [2, 0], [2, 2], [0, 2]], None),
        ([[0, 0], [2, 2], [2, 0], [0, 2]], (0, 2)),
        ([[0, 0], [2, 0], [2, 2], [1, 0], [0, 2]], (0, 2)),  # a vertex touches an edge
        ([[0, 0], [2, 0], [1, 0], [1, 2]], (0, 1)),  # an edge runs back on its neighbour
        ([[0, 0], [1, 0], [1, 2], [0, 0], [-1, 1], [-1, 0]], (0, 2)),  # a vertex visited twice
        ([[0, 0], [1, 0], [2, 0], [2, 2]], None),  # a straight angle is fine
        (ellipse(60), None),
    ],
)
def test_crossing_edges(points, edges):
    assert crossing_edges(points) == edges


def test_crossings_by_brute_force():
    """Random polygons: compare with solving for the crossing of each pair of edges."""
    rng = np.random.default_rng(0)
    found = 0
    for _ in range(300):
        points = rng.normal(size=(5, 2))
        ahead = np.roll(points, -1, axis=0)
        crossed = False
        for i in range(5):
            for j in (i + 2, i + 3):
                p, q, r, s = points[i], ahead[i], points[j % 5], ahead[j % 5]
                t = np.linalg.solve(np.stack([q - p, r - s], axis=1), r - p)
                crossed |= bool(np.all((t > 0) & (t < 1)))
        assert (crossing_edges(points) is not None) == crossed
        found += crossed
    assert 50 < found < 299


@pytest.mark.skipif(not DATA.exists(), reason="the shared data are not beside the checkout")
def test_callosa_are_simple_and_nearly_equally_spaced():
    with np.load(DATA) as file:
        outlines = file["landmarks"][:50]
    space = PlanarShapes(50)
    for outline in outlines:
        again = resample_outline(outline, 50)
        assert again.shape == (50, 2)
        assert space.contains(again)
    simple = [crossing_edges(outline) is None for outline in outlines]
    assert np.mean(simple) > 0.95
