"""Files of a release's folder: changed, missing and foreign ones are named."""

import hashlib
import json
import shutil

import numpy as np
import pytest

import geomdp as dp
from geomdp.datasets import polar_sphere
from geomdp.errors import GeomdpError
from geomdp.plans import plan_from_json
from geomdp.releases.verification import verify
from geomdp.releases.verification.files import array_files, array_problems

BALL = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)
POINTS = polar_sphere(60, 0.4, seed=1)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("release") / "out"
    dp.plan(dp.FrechetMean(BALL), n=60, budget=dp.Pure(1), mechanism="laplace").release(
        POINTS, folder=folder
    )
    return folder


@pytest.fixture(scope="module")
def cohort(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cohort") / "out"
    sizes = {"a": 40, "b": 20}
    plan = dp.plan(dp.FrechetMean(BALL), n=sizes, budget=dp.Pure(1), mechanism="laplace")
    plan.release(dp.Records(POINTS, group=["a"] * 40 + ["b"] * 20), folder=folder)
    return folder


@pytest.fixture
def folder(made, tmp_path):
    return shutil.copytree(made, tmp_path / "copy")


@pytest.fixture
def groups(cohort, tmp_path):
    return shutil.copytree(cohort, tmp_path / "groups")


def named(folder):
    return [problem.field for problem in verify(folder).problems]


def rewrite(folder, change):
    file = folder / "manifest.json"
    document = json.loads(file.read_text())
    change(document)
    file.write_text(json.dumps(document))


def edit(file):
    file.write_text(file.read_text() + "and wonderful")


def test_an_untouched_folder_has_neither_problems_nor_remarks(made, cohort):
    for place in (made, cohort):
        assert verify(place).problems == ()
        assert verify(place).remarks == ()


def test_every_file_is_stated_but_pages_which_follow(made):
    stated = json.loads((made / "manifest.json").read_text())["files"]
    there = {file.name for file in made.iterdir()}
    pages = {"report.html", "result.json", "results.csv"}
    assert {*stated, "manifest.json", *pages} == there
    assert not pages & {*stated}


@pytest.mark.parametrize("below", ["", "1-a"])
def test_an_edited_report_is_named(made, groups, folder, below):
    edit(folder / "report.html")
    assert named(folder) == ["report.html"]
    edit(groups / below / "report.html")
    assert named(groups) == [f"{below}/report.html".lstrip("/")]


def test_a_deleted_report_is_no_forgery_and_its_remedy_is_named(folder, groups):
    for place in (folder, groups):
        (place / "report.html").unlink()
        assert verify(place).problems == ()
        (remark,) = verify(place).remarks
        assert "it is missing" in str(remark)
        assert "geomdp report FOLDER" in str(remark)


@pytest.mark.parametrize("foreign", ["notes.txt", "value.csv", ".hidden", "0123456789abcdef.npy"])
def test_foreign_files_are_named(folder, foreign):
    (folder / foreign).write_text("mine")
    assert foreign in named(folder)


def test_a_foreign_folder_is_named(folder, groups):
    for place in (folder, groups):
        (place / "more").mkdir()
        assert named(place) == ["more"]


def test_a_foreign_file_does_not_hide_an_altered_plan(folder):
    (folder / "notes.txt").write_text("mine")
    rewrite(folder, lambda d: d["plan"]["derived"].update(scale=0.001))
    assert named(folder) == ["plan.derived.scale", "notes.txt"]


def test_other_bytes_with_the_same_numbers_are_named(folder):
    value = np.load(folder / "value.npy")
    np.save(folder / "value.npy", np.asfortranarray(value.astype(">f8")))
    assert named(folder) == ["value.npy"]


def test_files_must_all_be_stated(folder):
    def drop(document):
        del document["files"]["value.npy"]

    rewrite(folder, drop)
    assert named(folder) == ["value.npy", "files"]


def test_a_manifest_without_its_files_is_refused(folder):
    rewrite(folder, lambda d: d.pop("files"))
    assert named(folder) == ["manifest.json"]


def test_a_path_out_of_the_folder_is_refused(folder):
    rewrite(folder, lambda d: d["files"].update({"../secret.txt": "0" * 64}))
    assert named(folder) == ["files"]


def test_another_plan_in_a_group_is_noticed(groups):
    plan = dp.plan(dp.FrechetMean(BALL), n=40, budget=dp.Pure(2), mechanism="laplace")
    shutil.rmtree(groups / "1-a")
    plan.release(POINTS[:40], folder=groups / "1-a")
    digest = hashlib.sha256((groups / "1-a" / "manifest.json").read_bytes()).hexdigest()
    rewrite(groups, lambda d: d["parts"]["a"].update(sha256=digest))
    assert "parts.a.plan.budget.epsilon" in named(groups)


def test_an_array_whose_file_is_no_name_is_a_problem(tmp_path):
    document = {"plan": {"anything": {"file": 5, "sha256": "0" * 64}}}
    assert list(array_files(document)) == []
    (found,) = array_problems(document, tmp_path)
    assert str(found) == "plan.anything: its file has no name"


def test_a_plan_that_does_not_fit_into_memory_is_refused(made, monkeypatch):
    def full(*_):
        raise MemoryError

    plan = json.loads((made / "manifest.json").read_text())["plan"]
    monkeypatch.setattr("geomdp.plans.loading.request_from_json", full)
    with pytest.raises(GeomdpError, match="more memory than there is here"):
        plan_from_json(plan)
