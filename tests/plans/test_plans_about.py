"""What a plan says to a board: words, a hash that finds every alteration, numbers one can read."""

import json

import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import GeomdpError
from geomdp.ledger.receipts import plan_hash
from geomdp.releases.verification import verify
from geomdp.serial import array_from_json, array_to_json, as_text

BALL = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)
ABOUT = dp.About(
    title="Directions of wind",
    purpose="A mean for the atlas",
    data="60 stations, one direction each",
    institution="An institute",
    contact="someone@example.org",
)
POINTS = np.tile([0.0, 0.0, 1.0], (60, 1))


def single(**options):
    options = {"about": ABOUT, **options}
    return dp.plan(dp.FrechetMean(BALL), n=60, budget=dp.Pure(1), mechanism="laplace", **options)


def groups():
    sizes = {"a": 40, "b": 20}
    return dp.plan(
        dp.FrechetMean(BALL), n=sizes, budget=dp.Pure(1), mechanism="laplace", about=ABOUT
    )


def stages():
    prior = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=1.0)
    return dp.plan(dp.Refined(dp.FrechetMean(prior)), n=500, budget=dp.Pure(2), about=ABOUT)


SHAPES = {"single": single, "parallel": groups, "staged": stages}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_plan_file_says_what_it_is_about_and_comes_back_word_for_word(shape, tmp_path):
    made = SHAPES[shape]()
    made.save(tmp_path / "plan.json")
    document = json.loads((tmp_path / "plan.json").read_text())
    stated = document["about"]
    assert {key: stated[key] for key in ABOUT.to_json()} == ABOUT.to_json()
    assert stated["software"].startswith("geomdp ")
    assert "commit" in stated["software"]
    assert len(stated["date"]) == len("2000-01-01")
    assert document["hash"] == made.hash
    again = dp.load_plan(tmp_path / "plan.json")
    assert again.to_json() == document
    assert again.hash == made.hash


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("field", ["title", "date", "software"])
def test_an_altered_word_is_found(shape, field, tmp_path):
    document = SHAPES[shape]().to_json()
    document["about"] |= {field: "something else"}
    (tmp_path / "plan.json").write_text(json.dumps(document))
    with pytest.raises(GeomdpError, match="altered after it was made"):
        dp.load_plan(tmp_path / "plan.json")


def test_words_without_a_hash_are_no_plan(tmp_path):
    document = single().to_json()
    del document["hash"]
    (tmp_path / "plan.json").write_text(json.dumps(document))
    with pytest.raises(GeomdpError, match="altered after it was made"):
        dp.load_plan(tmp_path / "plan.json")


def test_a_plan_is_never_written_over(tmp_path):
    single().save(tmp_path / "plan.json")
    before = (tmp_path / "plan.json").read_bytes()
    with pytest.raises(GeomdpError, match=r"plan.json' exists; choose a new name"):
        single().save(tmp_path / "plan.json")
    assert (tmp_path / "plan.json").read_bytes() == before


def test_words_calibrate_nothing():
    made, plain = single(), single(about=None)
    assert made.statement() == plain.statement()
    assert plan_hash(made.to_json()) == plan_hash(plain.to_json()) == plan_hash(made.statement())
    assert made.hash != plain.hash
    other = made.described(dp.About(title="Another"))
    assert other.statement() == made.statement()
    assert other.to_json()["about"]["title"] == "Another"


def test_a_release_repeats_the_approved_file_and_verify_compares_its_words(tmp_path):
    single().save(tmp_path / "approved.json")
    single(about=dp.About(title="Another")).save(tmp_path / "other.json")
    dp.load_plan(tmp_path / "approved.json").release(POINTS).save(tmp_path / "out")
    assert verify(tmp_path / "out", tmp_path / "approved.json").verified
    problems = verify(tmp_path / "out", tmp_path / "other.json").problems
    assert "plan.about.title" in {problem.field for problem in problems}
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["plan"]["hash"] == dp.load_plan(tmp_path / "approved.json").hash


@pytest.mark.parametrize("name", ["title", "contact"])
def test_words_are_printable_text(name):
    for bad in ("\x1b[31m", 7, "x" * 5000):
        with pytest.raises(GeomdpError, match=f"The {name} of a plan"):
            dp.About(**{name: bad})
    assert dp.About(purpose=" two\nlines ").purpose == "two\nlines"


@pytest.mark.parametrize("dtype", ["f8", "c16", "i8"])
def test_numbers_stand_beside_the_bytes_of_small_arrays(dtype):
    x = np.arange(6).reshape(2, 3).astype(dtype)
    document = array_to_json(x)
    read = np.array(document["numbers"])
    assert np.array_equal(read[..., 0] if dtype == "c16" else read, x.real)
    assert np.array_equal(array_from_json(json.loads(as_text(document))), x)
    document["numbers"][0][0] = [9, 9] if dtype == "c16" else 9
    with pytest.raises(GeomdpError, match="says other numbers"):
        array_from_json(document)


def test_large_and_infinite_arrays_are_bytes_alone():
    assert "numbers" not in array_to_json(np.zeros(1000))
    assert "numbers" not in array_to_json(np.array([np.inf]))


def test_a_centre_can_be_read_in_the_file(tmp_path):
    single().save(tmp_path / "plan.json")
    assert '"numbers": [0.0, 0.0, 1.0]' in (tmp_path / "plan.json").read_text()
