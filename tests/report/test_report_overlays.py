"""Groups in one picture: every kind of value has one, and distances are measured as errors are."""

import numpy as np
import pytest

import geomdp as dp
from geomdp.curves import FunctionMean, FunctionMoments, IntervalGrid, Matern
from geomdp.report.naming import subject_of
from geomdp.report.pictures.faces import profile
from geomdp.report.pictures.overlays import distance, overlay
from geomdp.report.pictures.styles import style_of
from geomdp.report.release_pages import groups_html, report_html
from geomdp.surfaces import SurfaceMean, make_template
from geomdp.surfaces.mesh.procedural import procedural_face, template_face
from geomdp.surfaces.mesh.surface import Surface

CORNERS = np.concatenate([np.zeros((1, 3)), np.eye(3)])
FACE = SurfaceMean(make_template(template_face()), rings=6, points=16)


def in_ball(space, radius=0.4):
    return dp.TangentMean(dp.Ball(space, space.origin(np.zeros(space.dim)), radius))


def moved(statistic, size):
    ball = statistic.public_ball
    step = np.full(ball.space.dim, size / np.sqrt(ball.space.dim))
    return np.asarray(ball.space.frame_exp(ball.center, step))


KINDS = {
    "rotations": in_ball(dp.Rotations()),
    "circle": in_ball(dp.Sphere(1)),
    "landmarks": dp.TangentMean(dp.Ball(dp.SizeAndShape(4), CORNERS, 0.3)),
    "shapes": dp.TangentMean(dp.Ball(dp.Shapes(4), CORNERS, 0.3)),
    "product": in_ball(dp.Product(dp.Rotations(), dp.Euclidean(3))),
}


@pytest.mark.parametrize("kind", KINDS)
def test_groups_are_drawn_in_one_picture(kind):
    asked = KINDS[kind]
    values = {"control": moved(asked, 0.0), "patient": moved(asked, 0.2)}
    drawn = overlay(subject_of(asked), values, asked.public_ball)
    assert drawn.count("<svg") == (2 if kind == "product" else 1)
    assert "control" in drawn
    assert "patient" in drawn


@pytest.mark.parametrize("kind", ["rotations", "circle", "landmarks", "shapes"])
def test_what_moved_is_drawn_elsewhere(kind):
    asked = KINDS[kind]
    space, ball = asked.value_space, asked.public_ball
    here, there = (style_of(space).trace(space, moved(asked, s), ball) for s in (0.0, 0.2))
    assert here.shape == there.shape
    assert 0.01 < np.nanmax(np.abs(here - there)) < 1


def test_turned_landmarks_are_drawn_at_the_same_place():
    asked = KINDS["landmarks"]
    space, ball = asked.value_space, asked.public_ball
    turn = np.linalg.qr(np.random.default_rng(0).standard_normal((3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))
    trace = style_of(space).trace
    assert np.allclose(trace(space, CORNERS @ turn, ball), trace(space, CORNERS, ball))


def test_the_parts_of_a_product_have_their_names():
    asked = KINDS["product"]
    values = {"a": moved(asked, 0.0), "b": moved(asked, 0.2)}
    drawn = overlay(subject_of(asked), values, asked.public_ball, ("pose", "place"))
    assert drawn.index("pose") < drawn.index("<svg") < drawn.index("place") < drawn.rindex("<svg")


def test_profiles_of_faces_go_through_the_same_places():
    face = template_face()
    line = profile(face, face.vertices)
    assert len(line) > 20
    steps = np.linalg.norm(np.diff(line, axis=0), axis=1)
    assert steps.max() < 0.2  # one line without jumps, so that dashes can be seen
    other = procedural_face(3)
    assert other.faces.shape == face.faces.shape
    assert profile(face, other.vertices).shape == line.shape
    order = np.random.default_rng(0).permutation(len(face.vertices))
    shuffled = Surface(face.vertices[order], np.argsort(order)[face.faces])
    again = profile(shuffled, shuffled.vertices)
    assert np.allclose(again, line) or np.allclose(again[::-1], line)  # begun at an end
    raised = face.vertices + np.array([5.0, 0.25, -0.5])
    assert np.allclose(profile(face, raised) - line, [-0.5, 0.25])


def test_groups_of_faces_are_drawn_as_profiles():
    asked = FACE.under(dp.GDP(1), 100)
    values = {"a": asked.public_value, "b": 1.01 * asked.public_value}
    assert overlay(asked, values, None).count("<svg") == 1


def test_distances_are_measured_as_errors_are():
    functions = FunctionMean(
        np.zeros(17), 1.0, Matern(0.5), 0.01, IntervalGrid(np.linspace(0, 1, 17))
    )
    assert distance(functions, np.zeros(17), np.zeros(17)) == 0
    step = functions.decode(np.eye(1, functions.vector_dim)[0])
    assert distance(functions, np.zeros(17), step) == pytest.approx(functions.error_scale[0])
    face = FACE.under(dp.GDP(1), 100)
    assert distance(face, face.public_value, face.public_value) == 0
    turned = KINDS["rotations"]
    apart = distance(turned, moved(turned, 0.0), moved(turned, 0.2))
    assert apart == pytest.approx(0.2)


def test_curves_of_regressions_are_no_means_that_lie_apart():
    ball = dp.Ball(dp.Euclidean(2), center=np.zeros(2), radius=1.0)
    asked = dp.Regression(ball, covariates={"age": (20, 90)})
    made = dp.plan(asked, n={"a": 40, "b": 40}, budget=dp.GDP(20))
    rng = np.random.default_rng(0)
    records = dp.Records(
        rng.uniform(-0.5, 0.5, (80, 2)),
        group=["a", "b"] * 40,
        covariates={"age": rng.uniform(20, 90, 80)},
    )
    text = groups_html(made, made.release(records), {"a": "1-a", "b": "2-b"})
    assert "distance of the private means" not in text
    assert "beyond what a picture can show" not in text


def test_the_length_that_was_found_has_a_picture():
    wide = dp.FunctionMean(np.zeros(8), tau=8.0, kernel=Matern(0.5))
    made = dp.plan(dp.Refined(wide), n=200, budget=dp.GDP(20))
    first = next(iter(made.release(np.full((200, 8), 0.1)).parts.values()))
    assert "beyond what a picture can show" not in report_html(first)


def test_moments_of_landmarks_are_nothing_to_turn():
    made = dp.plan(dp.Moments(KINDS["landmarks"].ball), n=100, budget=dp.GDP(20))
    text = report_html(made.release(np.tile(CORNERS, (100, 1, 1))))
    assert "beyond what a picture can show" not in text


def test_moments_of_curves_with_other_numbers_of_terms_are_not_compared():
    asked = FunctionMoments(FunctionMean(np.zeros(8), tau=2.0, kernel=Matern(0.5)))
    made = dp.plan(asked, n={"a": 30, "b": 3000}, budget=dp.GDP(5))
    shapes = {part.statistic.public_value.shape for part in made.plans.values()}
    assert len(shapes) == 2
    rng = np.random.default_rng(0)
    records = dp.Records(0.3 * rng.standard_normal((3030, 8)), group=["a"] * 30 + ["b"] * 3000)
    text = groups_html(made, made.release(records), {"a": "1-a", "b": "2-b"})
    assert "beyond what a picture can show" not in text
