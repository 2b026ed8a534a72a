"""Each drawing has its parts; helpers of pages give what pages rely on."""

import numpy as np
import pytest

import geomdp as dp
from geomdp.curves import FunctionMean, PoweredExponential
from geomdp.mechanisms.forecast import forecast_of_sample
from geomdp.privacy import GDP, Approximate, Pure, Unit
from geomdp.readings import Compositions, Directions
from geomdp.readings.base import as_written
from geomdp.readings.compositions import Shares
from geomdp.releases.ball_choice import choose_ball
from geomdp.report.ball_page import ball_html
from geomdp.report.control import with_radius
from geomdp.report.naming import in_words, title_for, with_titles
from geomdp.report.numbers import manifest_rows, number_rows
from geomdp.report.odds import (
    approximate_power,
    concentrated_power,
    first_row_words,
    gaussian_power,
    meaning,
    posterior,
    share,
)
from geomdp.report.pictures import globes, landmarks, maps, matrices, outlines, products, shares
from geomdp.report.pictures.by_space import draw_subject, multiples, style_for, tiled
from geomdp.report.pictures.charts import budget_chart, error_chart, odds_chart, sweep_chart
from geomdp.report.pictures.faces import profile, turnable
from geomdp.report.pictures.flat import draw_bars, draw_plane
from geomdp.report.pictures.ink import new_figure, share_limits, to_png, to_svg
from geomdp.report.pictures.overlays import distance, overlay
from geomdp.report.pictures.public_pictures import public_pictures, where_records_are_drawn
from geomdp.report.pictures.scene import (
    Scene,
    cloud_size,
    plan_scene,
    public_point,
    release_scene,
    sphere_about,
    unit_directions,
)
from geomdp.report.plan_page import grouped, plan_text
from geomdp.report.plan_words import asked, clipping, limits, radius_words
from geomdp.surfaces.mesh.procedural import template_face

NORTH = np.array([0.0, 0.0, 1.0])
CORNER = np.concatenate([np.zeros((1, 3)), np.eye(3)])
IDENTITY = np.array([0.0, 0.0, 0.0, 1.0])
MEAN = dp.FrechetMean(dp.Ball(dp.Sphere(2), center=NORTH, radius=0.5))
MAP = dp.MapMean(dp.Ball(dp.SPD(2, "log-euclidean"), np.eye(2), 1.0), voxels=5)
CURVES = FunctionMean(np.zeros(20), tau=0.1, kernel=PoweredExponential(1.0), phi=0.01)
SQUARE = dp.PlanarShapes(4).canonical(np.array([1, 1j, -1, -1j]))
WIDE = np.diag([100.0, 10.0, 1.0, 0.1])
THREE = np.sqrt([0.5, 0.3, 0.2])


def texts(axes):
    return [text.get_text() for text in axes.texts]


@pytest.mark.parametrize(
    ("draw", "subject", "value", "part", "expected"),
    [
        (draw_bars, dp.Euclidean(3), np.ones(3), lambda a: len(a.patches), 3),
        (draw_plane, dp.Euclidean(2), np.zeros(2), lambda a: a.get_aspect(), 1.0),
        (globes.draw_globe, dp.Sphere(2), NORTH, lambda a: a.get_aspect(), 1.0),
        (globes.draw_circle, dp.Sphere(1), np.eye(2)[0], lambda a: len(a.lines), 4),
        (globes.draw_disk, dp.Hyperbolic(2), NORTH, lambda a: a.get_aspect(), 1.0),
        (globes.draw_frame, dp.Rotations(), IDENTITY, texts, ["x", "y", "z"]),
        (matrices.draw_ellipse, dp.SPD(2), np.eye(2), lambda a: len(a.patches), 1),
        (matrices.draw_ellipsoid, dp.SPD(3), np.eye(3), lambda a: len(a.texts), 3),
        (matrices.draw_squares, dp.SPD(4), np.eye(4), lambda a: len(a.collections), 1),
        (matrices.draw_eigenvalues, dp.SPD(4), WIDE, lambda a: a.get_yscale(), "log"),
        (matrices.draw_heat_map, dp.Correlation(4), np.eye(4), lambda a: len(a.collections), 1),
        (landmarks.draw_landmarks, dp.SizeAndShape(4), CORNER, lambda a: len(a.texts), 4),
        (outlines.draw_outline, dp.PlanarShapes(4), SQUARE, lambda a: a.get_aspect(), 1.0),
        (outlines.draw_curves, CURVES, np.ones(20), lambda a: a.get_xlabel(), "t"),
        (maps.draw_map, MAP, MAP.public_record, lambda a: len(a.patches), 5),
        (
            shares.draw_shares,
            Shares(dp.Sphere(2)),
            THREE,
            lambda a: [round(bar.get_width()) for bar in a.patches],
            [50, 30, 20],
        ),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_a_drawing_has_its_parts(draw, subject, value, part, expected):
    _, axes = new_figure(3, 3)
    draw(axes, subject, Scene(value, np.stack([value, value])))
    assert part(axes) == expected


def test_a_close_up_reaches_around_its_cloud():
    _, axes = new_figure(3, 3)
    cloud = sphere_about(dp.Hyperbolic(2), NORTH, 0.5)
    globes.draw_close_up(axes, dp.Hyperbolic(2), Scene(NORTH, cloud, ring=True))
    assert axes.get_xlim()[1] > 0.5


def test_names_stand_beside_landmarks_rows_and_columns():
    _, axes = new_figure(3, 3)
    landmarks.label_points(axes, np.eye(2), ["nose", "chin"])
    assert texts(axes) == ["nose", "chin"]
    matrices.name_rows(axes, 2, ["left", "right"])
    assert [text.get_text() for text in axes.get_yticklabels()] == ["left", "right"]


def test_bands_are_filled_with_hulls_of_ellipses():
    _, axes = new_figure(3, 3)
    landmarks.fill_marks(axes, np.zeros((2, 2)), np.tile(np.eye(2), (2, 1, 1)))
    assert len(axes.collections) == 1
    one = np.eye(2)[None]
    square = landmarks.hulls(np.zeros((1, 2)), one, np.ones((1, 2)), one)
    assert np.max(square) == pytest.approx(2.0)
    assert np.min(square) == pytest.approx(-1.0)


def test_traces_are_lines_in_the_plane():
    assert landmarks.trace_landmarks(dp.SizeAndShape(4), CORNER, None).shape == (4, 2)
    assert globes.trace_frame(dp.Rotations(), IDENTITY, None).shape == (9, 2)
    face = template_face()
    line = profile(face, face.vertices)
    assert line[:, 1].max() == pytest.approx(face.vertices[:, 1].max(), abs=0.05)


def test_what_can_be_turned_has_a_canvas():
    for drawn in (
        turnable(template_face(), "a face"),
        landmarks.turnable_landmarks(dp.SizeAndShape(4), CORNER),
    ):
        assert '<div class="turn">' in drawn
        assert "data-vertices=" in drawn


def test_products_are_drawn_part_by_part():
    space = dp.Product(dp.Euclidean(2), dp.Euclidean(1))
    scene = Scene(np.arange(3.0), np.ones((4, 3)))
    parts = [part.value.tolist() for _, part in products.factors_of(space, scene)]
    assert parts == [[0.0, 1.0], [2.0]]


def test_pictures_to_compare():
    scenes = {name: Scene(k * np.ones(2), np.ones((1, 2))) for name, k in (("a", 1), ("b", 5))}
    assert list(multiples(dp.Euclidean(2), scenes, {"a": "one", "b": "five"})) == ["a", "b"]
    assert str(tiled(dp.Euclidean(2), "pair", scenes)).count('class="tile"') == 2
    assert (
        draw_subject(dp.Euclidean(3), Scene(np.ones(3), np.ones((1, 3))), "x", "y").count("<svg")
        == 1
    )
    assert style_for(dp.Summary(dp.Sphere(2), 0.1)).caption.startswith("on the globe")
    both = {"a": np.array([0.0, 1.0]), "b": np.array([1.0, 0.0])}
    assert overlay(dp.Euclidean(2), both, None).count("<svg") == 1
    assert overlay(dp.Product(dp.Euclidean(1), dp.Euclidean(1)), both, None).count("<svg") == 2
    voxels = dp.MapMean(dp.Ball(dp.Euclidean(1), [0.0], 1.0), voxels=2)
    assert distance(voxels, np.zeros((2, 1)), np.full((2, 1), 0.1)) == pytest.approx(0.1)


def test_charts_are_inline_svg():
    assert error_chart(forecast_of_sample(np.arange(1.0, 50.0))).startswith("<svg")
    assert odds_chart(meaning(GDP(mu=1), Unit.record())).startswith("<svg")
    assert budget_chart([1, 2], {"laplace": [0.2, 0.1]}, "epsilon", (1, 0.2)).startswith("<svg")
    assert sweep_chart([1, 2], [0.1, 0.2], [0.5, 1.0]).startswith("<svg")
    figure, _ = new_figure(2, 1)
    assert to_svg(figure, "e", "a < b").startswith('<svg role="img" aria-label="a &lt; b" viewBox=')
    assert to_png(figure, "nothing").startswith('<img alt="nothing" src="data:image/png;base64,')


def test_axes_to_compare_share_their_limits():
    pair = [new_figure(2, 2)[1] for _ in range(2)]
    pair[0].set_xlim(0, 1)
    pair[1].set_xlim(-1, 1)
    share_limits(pair)
    assert [axes.get_xlim() for axes in pair] == [(-1.0, 1.0)] * 2


def test_scenes_show_public_things():
    plan = dp.plan(MEAN, n=100, budget=Pure(epsilon=1))
    scene = release_scene(dp.Release(plan, NORTH, {}))
    assert (scene.ring, scene.cloud.shape) == (True, (72, 3))
    assert plan_scene(plan, size=5).cloud.shape == (4, 3)
    assert cloud_size(plan) == 24
    assert public_point(plan).tolist() == NORTH.tolist()
    assert plan.release(np.tile(NORTH, (100, 1))).plan.single is plan
    assert [unit_directions(dim).shape for dim in (1, 2, 5)] == [(2, 1), (72, 2), (24, 5)]
    ring = sphere_about(dp.Hyperbolic(2), NORTH, 2.0)
    assert np.ptp(dp.Hyperbolic(2).dist(NORTH, ring)) < 1e-12
    assert "".join(map(str, public_pictures(MEAN))).count("<figure") == 4
    assert where_records_are_drawn(MEAN)[1].tolist() == NORTH.tolist()
    assert maps.shades_of(dp.MapMean(dp.Ball(dp.Euclidean(1), [0.4], 0.3), 5))[0].limits == (
        0.1,
        0.7,
    )


def test_the_page_of_a_ball_names_its_source():
    atlas = dp.datasets.polar_sphere(50, radius=0.3, seed=0)
    choice = choose_ball(dp.Sphere(2), NORTH, atlas, source="an atlas <b>")
    assert "an atlas &lt;b&gt;" in ball_html(choice, choice.sweep())


def test_bounds_on_attackers():
    at = meaning(Pure(epsilon=1), Unit.record()).bound(np.array([0.5]))
    assert at.round(3).tolist() == [0.731]
    assert posterior(np.array([0.01, 0.5]), np.log(3)).round(4).tolist() == [0.0294, 0.75]
    power = approximate_power(np.array([0.1, 0.9]), np.log(2), 0.01)
    assert power.round(4).tolist() == [0.21, 0.955]
    assert gaussian_power(np.array([0.5]), 1.0).round(4).tolist() == [0.8413]
    assert concentrated_power(np.array([0.01, 0.9]), 0.25).round(4).tolist() == [0.0666, 1.0]
    told = first_row_words(meaning(Pure(epsilon=1), Unit.person()))
    assert told.startswith("Someone who thought a statement about one person 1% likely ")
    assert share(0.0123456) == "1.23%"
    formula = meaning(Approximate(1, 1e-6), Unit.record()).formula
    assert "e<sup>ε</sup>" in formula
    assert formula.endswith("ε = 1, δ = 1e-06")


def test_numbers_as_pages_write_them():
    assert as_written(np.array([0.6, 0.8]), Compositions()).round(4).tolist() == [0.36, 0.64]
    assert as_written(np.array([0.0, 1.0, 0.0]), Directions("lat-lon")).tolist() == [0.0, 90.0]
    assert number_rows(np.eye(2)) == [["1", "0"], ["0", "1"]]
    assert number_rows(np.zeros((20, 20))) == []
    rows = manifest_rows({"a": {"b": 1.5}, "c": "<x>"})
    assert rows == [["a.b", "<code>1.5</code>"], ["c", "<code>&lt;x&gt;</code>"]]


def test_sentences_of_plans():
    plan = dp.plan(MEAN, n=20, budget=Pure(1), unit=Unit.person(), mechanism="laplace")
    assert asked(plan) == "Fréchet mean on the sphere S², ball of radius 0.5, of 20 persons."
    assert title_for(plan) == "Private mean on the sphere S²"
    assert with_titles(MEAN.describe(), plan) == "Fréchet mean on the sphere S², ball of radius 0.5"
    assert radius_words(MEAN, 0.5) == "0.5 rad (28.6°)"
    assert in_words(MEAN, 0.02, Compositions()).endswith("more than 2 percentage points)")
    assert clipping(MEAN, Unit.record()).startswith("Clipping: records farther than 0.5 from the")
    groups = dp.plan(MEAN, n={"a": 20, "b": 30}, budget=Pure(1), mechanism="laplace")
    assert groups.shown.n == 20
    summary = dp.plan(dp.Summary(dp.Sphere(2), 0.1), budget=Pure(1), mechanism="laplace")
    assert len(limits(summary)) == 5
    assert plan_text(summary.described(dp.About(title="Wind"))).splitlines()[0] == "WIND"
    assert with_radius(MEAN, 0.25).ball.radius == 0.25
    tried = {"a": "a needs a ball.", "b": "b needs a ball.", "c": "c: no."}
    assert grouped(tried) == [("a, b", "", "needs a ball."), ("c", "", "no.")]
