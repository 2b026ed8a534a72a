"""Public names of what a record consists of: in the plan, its page, the report and the files."""

import csv
import re

import numpy as np
import pytest
from typer.testing import CliRunner

import geomdp as dp
from geomdp.cli import app
from geomdp.errors import GeomdpError
from geomdp.plans import load_plan, load_release
from geomdp.readings.names import column_names, named_count
from geomdp.report.pictures.by_space import draw_subject
from geomdp.report.pictures.public_pictures import public_pictures
from geomdp.report.pictures.scene import Scene
from geomdp.report.plan_words import public_words
from geomdp.report.release_pages import report_html

SOILS = ("sand", "silt", "clay_1")
BALL = dp.Ball(dp.Sphere(2), center=[0.6, 0.8, 0.0], radius=0.5)
CORRELATIONS = dp.Ball(dp.Correlation(3), center=np.eye(3), radius=1.0)


def planned(statistic, names, **others):
    others = {"n": 40, "budget": dp.GDP(1), **others}
    return dp.plan(statistic, names=names, **others)


def test_a_plan_carries_names_and_its_calibration_does_not_depend_on_them(tmp_path):
    named, bare = (planned(dp.TangentMean(BALL), names) for names in (SOILS, ()))
    named.save(tmp_path / "plan.json")
    again = load_plan(tmp_path / "plan.json")
    assert again.names == SOILS
    assert "names" not in bare.to_json()
    assert named.to_json()["derived"] == bare.to_json()["derived"]
    assert named.hash != bare.hash  # a board signs the names too


@pytest.mark.parametrize(
    "statistic",
    [
        dp.Refined(dp.TangentMean(BALL)),
        dp.Refined(
            dp.TangentMean(
                dp.Ball(dp.Product(dp.Sphere(2), dp.Euclidean(1)), [0.6, 0.8, 0.0, 0.0], 1.0)
            )
        ),
    ],
    ids=["sphere", "product"],
)
def test_every_stage_can_be_read_back_with_its_names(tmp_path, statistic):
    ball = statistic.statistic.public_ball
    names = SOILS if ball.space.dim == 2 else ("wind", "heat")
    made = planned(statistic, names, n=100, budget=dp.GDP(4))
    folder = tmp_path / "out"
    made.release(np.tile(ball.center, (100, 1)), folder=folder)
    release = load_release(folder)
    assert release.plan.names == names
    assert all(part.plan.names == names for part in release.parts.values())


def test_groups_have_the_names_of_their_plan():
    made = planned(dp.TangentMean(BALL), SOILS, n={"a": 20, "b": 30})
    assert made.names == SOILS
    assert all(part.names == SOILS for part in made.parts.values())


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        (("sand", "silt"), "3 things to name"),
        (("sand", "silt", "silt "), "given twice"),
        (("sand", "", "clay"), "is no name"),
        (("sand", "=cmd", "clay"), "is no name"),
        (("sand", "si\nlt", "clay"), "is no name"),
        (("sand", "s" * 65, "clay"), "is no name"),
        ("abc", "list of texts"),
        ((1, 2, 3), "list of texts"),
    ],
)
def test_names_that_do_not_name_each_thing_once_are_refused(names, reason):
    with pytest.raises(GeomdpError, match=reason):
        planned(dp.TangentMean(BALL), names)


def test_a_damaged_plan_with_other_names_is_noticed(tmp_path):
    made = planned(dp.TangentMean(BALL), SOILS)
    file = tmp_path / "plan.json"
    made.save(file)
    file.write_text(file.read_text().replace("silt", "salt"))
    with pytest.raises(GeomdpError, match="altered"):
        load_plan(file)


@pytest.mark.parametrize(
    ("space", "count", "size", "columns"),
    [
        (dp.Sphere(1), 2, 2, ("a", "b")),
        (dp.Correlation(2), 2, 1, ("b:a",)),
        (dp.SPD(2), 2, 4, ("a:a", "a:b", "b:a", "b:b")),
        (dp.SizeAndShape(4, 3), 4, 12, tuple(f"{n}.{c}" for n in "abcd" for c in "xyz")),
        (dp.Rotations(), 4, 4, tuple("abcd")),
        (dp.Rotations(), 4, 9, ()),  # written as matrices
        (dp.Product(dp.Sphere(1), dp.Euclidean(1)), 2, 3, ("a.1", "a.2", "b.1")),
    ],
    ids=str,
)
def test_columns_are_named_after_what_they_hold(space, count, size, columns):
    statistic = dp.Summary(space, 0.1) if not space.chart_only else _mean_on(space)
    assert named_count(statistic) == count
    assert column_names(statistic, "abcdef"[:count], size, "lower") == columns


def _mean_on(space):
    atlas = np.random.default_rng(0).standard_normal(space.point_shape)
    return dp.TangentMean(dp.Ball(space, atlas, 0.5))


def test_names_stand_in_the_words_to_the_board_and_in_the_report():
    made = planned(dp.TangentMean(CORRELATIONS), SOILS)
    assert "sand, silt, clay_1" in str(made)
    assert any("sand, silt, clay_1" in sentence for sentence in public_words(made))
    on_page = str(public_pictures(made.public_statistic, names=made.names))
    report = report_html(made.release(np.tile(np.eye(3), (40, 1, 1))))
    for name in SOILS:
        assert on_page.count(f"{name}</text>") == 2 * 4  # rows and columns of four matrices
        assert f"{name}</text>" in report
        assert re.search(f"<th[^>]*>{name}</th>", report)


REGIONS = ("left $a$ hippo", "right <b>", "7Networks_LH")
WITH_NAMES = [
    (dp.Correlation(3), np.eye(3), REGIONS),
    (dp.SPD(4), np.eye(4), ("p1", "p2", "p3", "p$4")),
    (dp.SPD(3), np.eye(3), ("p1", "p2", "p$3")),
    (dp.Euclidean(3), np.ones(3), ("e1", "e2", "e$3")),
    (dp.Euclidean(2), np.ones(2), ("e1", "e$2")),
    (dp.PlanarShapes(3), np.array([1, 1j, -1]), ("eye", "no$e", "chin")),
    (dp.SizeAndShape(4, 3), np.eye(4)[:, :3], ("q1", "q2", "q3", "q$")),
    (dp.Product(dp.Euclidean(1), dp.Euclidean(2)), np.ones(3), ("heat", "$wind$")),
]


@pytest.mark.parametrize(("space", "point", "names"), WITH_NAMES, ids=lambda x: str(x)[:20])
def test_pictures_write_names_as_they_are(space, point, names):
    point = np.asarray(space.canonical(point)) if hasattr(space, "canonical") else point
    drawn = str(draw_subject(space, Scene(point, point[None], names=names), "a", "alt"))
    for name in names:
        text = name.replace("<", "&lt;").replace(">", "&gt;")
        assert f"{text}</text>" in drawn, name


def run(*arguments, code=0):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result


def test_the_command_names_regions_and_writes_the_value_under_them(tmp_path):
    records = np.array(
        [np.corrcoef(np.random.default_rng(i).normal(size=(3, 60))) for i in range(40)]
    )
    with (tmp_path / "data.csv").open("w", newline="") as stream:
        head = [f"secret{i}" for i in range(9)]
        csv.writer(stream).writerows([head, *records.reshape(40, -1).tolist()])
    (tmp_path / "regions.txt").write_text("LH_Vis\nRH_Vis\n7N, Default\n")
    plan = ["plan", "--space", "correlation:3", "--center", "identity", "--radius", 2, "--mu", 1]
    options = ["--n", 40, "--names", tmp_path / "regions.txt", "--out", tmp_path / "plan.json"]
    assert "LH_Vis, RH_Vis, 7N, Default" in run(*plan, *options).output
    run("release", tmp_path / "plan.json", tmp_path / "data.csv", "--out", tmp_path / "out")
    with (tmp_path / "out" / "value.csv").open() as stream:
        head, row = list(csv.reader(stream))
    assert head[:3] == ["LH_Vis:LH_Vis", "LH_Vis:RH_Vis", "LH_Vis:7N, Default"]
    assert np.array_equal(np.array(row, float), np.load(tmp_path / "out" / "value.npy").reshape(-1))
    assert not any(b"secret" in file.read_bytes() for file in (tmp_path / "out").iterdir())
    run("verify", tmp_path / "out")


def test_names_in_the_command_are_counted(tmp_path):
    on = ["plan", "--space", "sphere:2", "--center", "0,0,1", "--radius", 0.5, "--epsilon", 1]
    refused = run(*on, "--n", 9, "--names", "sand,silt", code=1)
    assert "3 things to name" in " ".join(refused.output.split())
