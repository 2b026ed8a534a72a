"""Parts of a verification by themselves: files, arrays, origins, versions, disagreements."""

from pathlib import Path

import numpy as np
import pytest

from geomdp.errors import GeomdpError
from geomdp.plans.loading import disagreements, plan_disagreements
from geomdp.plans.release import file_hashes, folder_name, stored_array
from geomdp.releases.verification.files import (
    array_files,
    array_problems,
    file_findings,
    hash_problems,
    holds_no_more,
    plain_problems,
    read_manifest,
)
from geomdp.releases.verification.origins import origins_in, unused_origins
from geomdp.releases.verification.pages import same_versions

NAMED = {"value": {"file": "0123456789abcdef.npy", "sha256": "0" * 64}}


def words(findings):
    return [str(finding) for finding in findings]


def test_folders_of_parts_have_names_that_file_systems_allow():
    assert folder_name(2, "age 60/70") == "2-age-60-70"


def test_files_are_named_by_their_content_and_what_is_missing_is_told(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"")
    assert file_hashes(tmp_path)["a.txt"].startswith("e3b0c442")
    assert words(hash_problems(tmp_path, {"b.txt": ""})) == ["b.txt: it is missing"]
    found = words(file_findings({"files": {}}, tmp_path))
    assert found[0] == "a.txt: it does not belong to the release"
    assert plain_problems(tmp_path) == []
    with pytest.raises(GeomdpError, match=r"no-such-file\.npy is missing or damaged"):
        stored_array(Path("no-such-file.npy"))


def test_arrays_that_a_manifest_names_are_looked_for(tmp_path):
    assert list(array_files(NAMED)) == [("value", "0123456789abcdef.npy")]
    (problem,) = array_problems(NAMED, tmp_path)
    assert str(problem) == "value: its file 0123456789abcdef.npy is missing or damaged"
    assert "No such file" in str(read_manifest(tmp_path / "no-such-folder"))


def test_a_file_that_goes_on_behind_its_array_is_noticed(tmp_path):
    file = tmp_path / "a.npy"
    np.save(file, np.zeros(2))
    assert holds_no_more(file, np.zeros(2))
    file.write_bytes(file.read_bytes() + b"and more")
    assert not holds_no_more(file, np.zeros(2))


def test_origins_are_found_wherever_a_ball_stands():
    document = {"plans": {"a": {"statistic": {"origin": "0a, 1b"}}, "b": {"n": 2}}}
    assert origins_in(document) == ["0a", "1b"]
    assert words(unused_origins([Path("ball")], {Path("ball").resolve()})) == []
    assert "no ball names it" in words(unused_origins([Path("ball")], set()))[0]


def test_another_version_is_another():
    assert not same_versions({"software": "geomdp 0.0.1"})


def test_plans_are_compared_field_by_field_and_forecasts_are_not():
    made, read = {"n": 2, "scale": 0.5}, {"n": 2, "scale": 0.25}
    assert list(disagreements("plan", made, read)) == [
        ("plan.scale", "0.25 is stated, but 0.5 follows")
    ]
    follows = {"n": 9, "derived": {"scale": 0.5, "expected_error": 1.0}}
    stated = {"n": 9, "derived": {"scale": 0.4, "expected_error": 1.1}}
    assert list(plan_disagreements(follows, stated)) == [
        ("derived.scale", "0.4 is stated, but 0.5 follows")
    ]
