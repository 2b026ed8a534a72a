"""What a raw record means: total, one record at a time, carried by the plan and its files."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from typer.testing import CliRunner

import geomdp as dp
from geomdp.cli import app
from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.images import Descriptors, covariance_descriptors, descriptor_ball
from geomdp.plans import load_plan, plan_from_json
from geomdp.readings import (
    READINGS,
    Compositions,
    Directions,
    Scaled,
    UnitVectors,
    reading_from_json,
)
from geomdp.readings.base import reading_to_json
from geomdp.releases.verification import verify

POLE = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)
FLAT = dp.Ball(dp.Euclidean(2), center=[0, 0], radius=2.0)
RNG = np.random.default_rng(5)
ALL = {
    "unit-vectors": (UnitVectors(), 3, (3,)),
    "dec-inc": (Directions("dec-inc"), 2, (3,)),
    "lat-lon": (Directions("lat-lon"), 2, (3,)),
    "compositions": (Compositions(), 3, (3,)),
    "normalized": (Compositions(normalize=True), 3, (3,)),
    "scaled": (Scaled(0.001), 2, (2,)),
}


def planned(reading, ball=POLE, **more):
    budget = {"budget": dp.Pure(200), "mechanism": "laplace", "n": 40} | more
    return dp.plan(dp.FrechetMean(ball), reading=reading, **budget)


@pytest.mark.parametrize("name", ALL)
@settings(max_examples=40)
@given(data=st.data())
def test_every_array_becomes_points_or_none_each_by_itself(name, data):
    reading, width, shape = ALL[name]
    entry = st.floats(width=64) | st.sampled_from([0.0, 0.5, 1.0, 90.0, -90.0, 1e300, 5e-324])
    raw = data.draw(
        arrays(np.float64, st.tuples(st.integers(1, 4), st.just(width)), elements=entry)
    )
    points = reading.points(raw)
    assert points.shape == (len(raw), *shape)
    bad = set(reading.judge(raw))
    for i in range(len(raw)):
        alone = reading.points(raw[i : i + 1])[0]
        np.testing.assert_array_equal(points[i], alone)
        assert (i in bad) == (0 in reading.judge(raw[i : i + 1]))
        if i in bad:
            assert np.isnan(points[i]).all()
        elif shape == (3,):
            assert np.linalg.norm(points[i]) == pytest.approx(1, abs=1e-9)


#: What a list may hold beside records.
ODD = ["north", None, 1j, [[1, 2], [3]], 10**400, [1j, 2.0], [1j, 2.0, 3.0], np.ones(7)]


@pytest.mark.parametrize("name", ALL)
def test_one_odd_record_of_a_list_does_not_touch_the_others(name):
    """Formerly one of them stopped the release, whatever the policy."""
    reading, width, shape = ALL[name]
    ball = POLE if shape == (3,) else FLAT
    plan = planned(reading, ball, invalid="public", n=41, budget=dp.Pure(1e9))
    raw = np.random.default_rng(3).uniform(0.1, 1.0, (40, width))
    raw /= np.sum(raw, axis=1, keepdims=True)
    read = reading.points(raw)
    alone = dp.FrechetMean(ball).encode(read)
    for odd in ODD:
        ready = plan.prepare([*raw[:3], odd, *raw[3:]])
        rows = np.concatenate(list(ready.encoded.chunks()))
        np.testing.assert_array_equal(np.delete(rows, 3, axis=0), alone)
        np.testing.assert_array_equal(rows[3], ball.center)
    with pytest.raises(InvalidRecordError, match="Record 4"):
        planned(reading, ball, n=41).prepare([*raw[:3], "north", *raw[3:]])


def test_images_of_several_types_count_each_by_its_own():
    """Formerly one image in floats made all images in integers invalid."""
    pixels = np.random.default_rng(4).integers(0, 256, (5, 8, 9), dtype=np.uint8)
    reading = Descriptors(8, 9)
    alone = reading.points(pixels)
    odd = [pixels[0] / 255.0, pixels[0] * 1.0, pixels[0, :7], "north", None, 1j * pixels[0], [[1]]]
    for image in odd:
        points = reading.points([*pixels, image], (8, 9))
        np.testing.assert_array_equal(points[:5], alone)
        assert np.isnan(points[5]).all() == (image is not odd[0])
    np.testing.assert_array_equal(reading.points([*pixels, odd[0]], (8, 9))[5], alone[0])
    np.testing.assert_array_equal(reading.points(list(pixels), (8, 9)), alone)


@pytest.mark.parametrize("reading", [*(item[0] for item in ALL.values()), Descriptors(8, 9, 3)])
def test_readings_come_back_from_their_documents(reading):
    document = json.loads(json.dumps(reading_to_json(reading)))["reading"]
    assert reading_from_json(document) == reading
    assert READINGS[document["tag"]] is type(reading)


@pytest.mark.parametrize("angles", ["dec-inc", "lat-lon"])
def test_a_value_is_written_as_records_are(angles):
    reading = Directions(angles)
    degrees = np.array([[30.0, 60.0], [10.0, -80.0], [75.0, 5.0]])
    back = np.array([reading.value(point) for point in reading.points(degrees)])
    np.testing.assert_allclose(back, degrees, atol=1e-12)


def test_angles_beyond_their_range_are_none():
    rows = np.array([[0, 90.0], [0, 90.1], [0, -90.1], [360, 0], [-361, 0], [0, np.nan]])
    assert sorted(Directions("dec-inc").judge(rows)) == [1, 2, 4, 5]
    assert sorted(Directions("lat-lon").judge(rows[:, ::-1])) == [1, 2, 4, 5]
    west = np.array([0.0, -1.0, 0.0])
    assert Directions("dec-inc").value(west).tolist() == [270, 0]
    assert Directions("lat-lon").value(west).tolist() == [0, -90]


def test_declination_turns_east_and_inclination_points_down():
    north, east, down = (
        Directions("dec-inc").points(np.array([[0.0, 0], [90, 0], [0, 90]])).round(9)
    )
    assert [north.tolist(), east.tolist(), down.tolist()] == np.eye(3).tolist()
    pole = Directions("lat-lon").points(np.array([[90.0, 0.0]])).round(9)
    assert pole[0].tolist() == [0, 0, 1]


def test_the_plan_carries_the_reading_and_its_file_gives_it_back(tmp_path):
    made = planned(Compositions(normalize=True))
    assert made.to_json()["reading"] == {"tag": "compositions", "normalize": True}
    assert "shares, each record divided by its sum" in str(made)
    made.save(tmp_path / "plan.json")
    assert load_plan(tmp_path / "plan.json").reading == Compositions(normalize=True)
    plain = planned(None).to_json()
    assert "reading" not in plain
    with pytest.raises(GeomdpError, match="no reading 'guess'"):
        plan_from_json({**made.to_json(), "reading": {"tag": "guess"}})


def test_a_release_reads_raw_records_and_is_verified(tmp_path):
    counts = RNG.integers(20, 40, (40, 3)).astype(float)
    ball = dp.Ball(dp.Sphere(2), center=np.ones(3) / np.sqrt(3), radius=0.5)
    made = planned(Compositions(normalize=True), ball)
    released = made.release(counts, folder=tmp_path / "out")
    shares = counts / counts.sum(axis=1, keepdims=True)
    plain = planned(None, ball).release(np.sqrt(shares))
    assert ball.space.dist(released.value, plain.value) < 0.3
    assert not list(verify(tmp_path / "out").problems)
    manifest = tmp_path / "out" / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"normalize": true', '"normalize": "true"'))
    assert list(verify(tmp_path / "out").problems)


def test_what_is_no_raw_record_is_refused_or_public():
    shares = np.array([[0.2, 0.3, 0.5]] * 40)
    shares[7] = [0.5, 0.3, 0.3]
    with pytest.raises(InvalidRecordError, match="Record 8: it does not add up to 1: plan with"):
        planned(Compositions()).release(shares)
    ball = dp.Ball(dp.Sphere(2), center=np.ones(3) / np.sqrt(3), radius=0.5)
    assert planned(Compositions(), ball, invalid="public").release(shares).value.shape == (3,)
    assert planned(Compositions(normalize=True), ball).release(shares).value.shape == (3,)


def test_groups_persons_and_stages_read_once():
    degrees = np.stack([RNG.uniform(0, 360, 40), RNG.uniform(70, 90, 40)], axis=1)
    reading = Directions("dec-inc")
    groups = dp.Records(degrees, group=["a", "b"] * 20)
    made = planned(reading, n={"a": 20, "b": 20})
    assert made.reading == reading
    assert set(made.release(groups).value) == {"a", "b"}
    persons = dp.Records(degrees, person=np.arange(40) % 30)
    by_person = planned(reading, n=30, unit=dp.Unit.person())
    assert by_person.release(persons).value.shape == (3,)
    staged = dp.plan(dp.Refined(dp.FrechetMean(POLE)), n=40, budget=dp.Pure(500), reading=reading)
    assert staged.reading == reading
    assert plan_from_json(staged.to_json()).reading == reading
    assert staged.release(degrees).value.shape == (3,)


def test_records_that_are_read_already_are_taken_as_they_are():
    points = Compositions().points(np.array([[0.2, 0.3, 0.5]] * 40))
    made = planned(Compositions())
    with pytest.raises(InvalidRecordError, match="does not add up"):
        made.release(points)
    assert made.release(dp.Records(points, read=True)).value.shape == (3,)
    assert dp.Records(points, read=True).rows([1, 2]).read


@pytest.mark.parametrize(
    ("reading", "ball", "sentence"),
    [
        (Compositions(), FLAT, "sphere:m-1"),
        (UnitVectors(), FLAT, "on a sphere"),
        (Directions("dec-inc"), FLAT, "on sphere:2, not euclidean:2"),
        (Scaled(2.0), POLE, "no unit"),
        (Descriptors(8, 8), POLE, "9 x 9"),
        ("percent", POLE, "geomdp.readings"),
    ],
)
def test_readings_that_do_not_go_with_the_space(reading, ball, sentence):
    with pytest.raises(GeomdpError, match=sentence):
        planned(reading, ball)
    with pytest.raises(GeomdpError, match="needs no reading"):
        dp.plan(dp.Summary(dp.Sphere(2), 0.1), budget=dp.Pure(1), reading=UnitVectors())


def test_images_are_described_by_the_plan():
    pixels = RNG.integers(0, 256, (40, 8, 8), dtype=np.uint8)
    reading = Descriptors(8, 8, eta=1e-3)
    np.testing.assert_array_equal(reading.points(pixels), covariance_descriptors(pixels, 1e-3))
    pixels[3] = 9
    assert list(reading.judge(pixels)) == [3]
    red = np.zeros((1, 8, 8, 3), dtype=np.uint8)
    red[..., 0] = 200
    assert "constant" in Descriptors(8, 8, 3).judge(red)[0]
    assert np.isnan(Descriptors(8, 8, 3).points(red)).all()
    ball = descriptor_ball(1, (8, 8), 1e-3)
    made = dp.plan(dp.TangentMean(ball), n=40, budget=dp.GDP(5), reading=reading, invalid="public")
    assert made.release(pixels).value.shape == (9, 9)


def run(*arguments, code=0):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result


ASK = ["--n", 40, "--epsilon", 400, "--mechanism", "laplace"]


@pytest.mark.parametrize(
    ("plan", "rows", "names"),
    [
        (["--directions", "dec-inc", "--center", "350,60"], lambda: _angles(350, 60), "dec,inc"),
        (["--directions", "lat-lon", "--center", "60,350"], lambda: _angles(60, 350), "lat,lon"),
        (["--normalize", "--center", "0,0,1"], lambda: _rounded(4), "x,y,z"),
        (
            ["--compositions", "--normalize", "--center", "50,30,20"],
            lambda: np.round(100 * RNG.dirichlet([50, 30, 20], 40), 1),
            "sand,silt,clay",
        ),
    ],
)
def test_files_as_they_are_to_a_verified_release(tmp_path, plan, rows, names):
    data = rows()
    np.savetxt(tmp_path / "a.csv", data, delimiter=",", header=names, comments="", fmt="%.6g")
    space = ["--space", "sphere:2", "--radius", 0.5]
    run("plan", *space, *plan, *ASK, "--out", tmp_path / "plan.json")
    run("release", tmp_path / "plan.json", tmp_path / "a.csv", "--out", tmp_path / "out")
    run("verify", tmp_path / "out")
    header, value = (tmp_path / "out" / "value.csv").read_text().split()
    assert header == names
    released = np.array([float(cell) for cell in value.split(",")])
    assert released.shape == (data.shape[1],)
    if "sand" in names:
        assert released.sum() == pytest.approx(1)
        assert np.abs(100 * released - [50, 30, 20]).max() < 15
    elif "z" not in names:
        assert np.abs((released - data.mean(axis=0) + 180) % 360 - 180).max() < 10
    (tmp_path / "out" / "value.csv").write_text(f"{header}\n{value[:-1]}\n")
    assert "does not hold the value" in run("verify", tmp_path / "out", code=3).stderr


def _angles(first, second):
    return np.array([first, second]) + RNG.uniform(-5, 5, (40, 2))


def _rounded(digits):
    vectors = np.array([0, 0, 5.0]) + RNG.standard_normal((40, 3))
    return np.round(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), digits)


def test_what_a_record_is_belongs_to_the_plan(tmp_path):
    for option in (["--compositions"], ["--eta", "1e-3"]):
        said = run("release", "plan.json", "a.csv", *option, "--out", "out", code=2).stderr
        assert "belongs to the plan" in " ".join(said.replace("│", " ").split())


@pytest.mark.parametrize(
    "options",
    [
        ["--compositions", "--scale", "2"],
        ["--directions", "dec-inc", "--normalize"],
        ["--directions", "north"],
        ["--eta", "1e-3"],
        ["--scale", "0,5"],
    ],
)
def test_options_that_do_not_go_together(options):
    run("plan", "--space", "sphere:2", "--center", "0,0,1", "--radius", 0.5, *ASK, *options, code=2)


def test_images_by_command_alone(tmp_path):
    image = pytest.importorskip("PIL.Image")
    (tmp_path / "images").mkdir()
    pixels = RNG.integers(0, 256, (40, 8, 8), dtype=np.uint8)
    for i, one in enumerate(pixels):
        image.fromarray(one).save(tmp_path / "images" / f"{i:02}.png")
    np.savez(tmp_path / "images.npz", images=pixels)
    ask = ["--n", 40, "--mu", 5, "--mechanism", "tangent-gaussian"]
    plan = ["plan", "--space", "descriptors:8x8x1", *ask, "--eta", "1e-4"]
    run(*plan, "--out", tmp_path / "plan.json")
    for data in ("images", "images.npz"):
        out = tmp_path / f"out-{data}"
        run("release", tmp_path / "plan.json", tmp_path / data, "--out", out)
        run("verify", out)
        assert dp.load_release(out).value.shape == (9, 9)
    assert run(*plan, "--center", "identity", code=2)
    assert (
        "write height x width x channels"
        in run("plan", "--space", "descriptors:8x8", "--n", 40, "--mu", 5, code=1).stderr
    )
