"""Plans of every kind are read back as they were made, and files of another format are refused."""

import json

import plans_corpus as corpus
import pytest

import geomdp as dp
from geomdp.errors import GeomdpError
from geomdp.releases.verification import verify


@pytest.mark.parametrize("name", corpus.NAMES)
def test_a_plan_is_read_back_as_it_was_made(name, tmp_path):
    made = corpus.made(name)
    made.save(tmp_path / "plan.json")
    again = dp.load_plan(tmp_path / "plan.json")
    assert again.to_json() == made.to_json()
    assert again.hash == made.hash


@pytest.mark.parametrize("number", [0, 2, "1", None])
def test_files_of_another_format_are_refused_with_the_way_out(number, tmp_path):
    made = corpus.summary()
    (tmp_path / "plan.json").write_text(json.dumps({**made.to_json(), "format": number}))
    with pytest.raises(GeomdpError, match="earlier or later version; make the plan again"):
        dp.load_plan(tmp_path / "plan.json")
    made.release([0.0, 0.0, 1.0]).save(tmp_path / "out")
    manifest = tmp_path / "out" / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "format": number}))
    with pytest.raises(GeomdpError, match="earlier or later version"):
        dp.load_release(tmp_path / "out")
    (problem,) = verify(tmp_path / "out").problems
    assert problem.field == "format"
    assert "earlier or later version" in problem.reason
