import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import geomdp as dp
import geomdp.cli.demonstration
from geomdp.cli import app
from geomdp.cli.demonstration import (
    EXAMPLES,
    LIST,
    Example,
    directions,
    faces,
    leaves,
    make_demo,
    tensors,
)
from geomdp.errors import GeomdpError


def tiny() -> tuple[dp.Plan, np.ndarray]:
    ball = dp.Ball(dp.Euclidean(2), center=np.zeros(2), radius=1.0)
    plan = dp.plan(dp.FrechetMean(ball), n=100, budget=dp.Pure(1), mechanism="laplace")
    return plan, np.zeros((100, 2))


TINY = (Example("tiny", "Tiny & small", "One <example>.", tiny),)


def contents(folder: Path) -> dict[str, bytes]:
    return {
        p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()
    }


@pytest.fixture
def _short_plan_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plan pages take seconds, and what matters here is which files are written."""
    monkeypatch.setattr(geomdp.cli.demonstration, "plan_html", lambda plan: "a plan page")


def test_the_demo_leaves_an_index_with_links_that_exist(tmp_path: Path) -> None:
    import re

    told: list[str] = []
    index = make_demo(tmp_path / "out", told.append, TINY)
    text = index.read_text(encoding="utf-8")
    links = re.findall(r'<a href="([^"]+)"', text)
    assert len(links) == 4
    for link in links:
        assert (index.parent / link).is_file(), link
    assert "One &lt;example&gt;." in text
    assert "://" not in text
    assert told == ["Tiny & small: planning", "Tiny & small: releasing"]
    assert dp.load_release(index.parent / "tiny" / "release").plan.n == 100
    assert dp.load_plan(index.parent / "tiny" / "plan.json").n == 100


@pytest.mark.usefixtures("_short_plan_page")
def test_a_second_run_replaces_its_own_files_and_keeps_others(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    make_demo(folder, examples=(Example("old", "Old", "Old.", tiny), *TINY))
    (folder / "notes.txt").write_text("mine")
    (folder / "tiny" / "mine.txt").write_text("mine too")
    before = contents(folder)
    make_demo(folder, examples=TINY)
    after = contents(folder)
    assert after["notes.txt"] == b"mine"
    assert after["tiny/mine.txt"] == b"mine too"
    assert after["tiny/release/value.npy"] != before["tiny/release/value.npy"]
    assert not any(name.startswith("old/") for name in after)
    assert [p.name for p in tmp_path.iterdir()] == ["out"]  # nothing half-written is left


def test_a_folder_of_someone_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.tex").write_text("years of work")
    with pytest.raises(GeomdpError, match="not made by the demo"):
        make_demo(tmp_path / "out", examples=TINY)
    assert contents(tmp_path / "out") == {"thesis.tex": b"years of work"}


@pytest.mark.usefixtures("_short_plan_page")
def test_a_file_that_the_demo_did_not_make_is_never_overwritten(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    make_demo(folder, examples=TINY)
    made = json.loads((folder / LIST).read_text())
    (folder / LIST).write_text(json.dumps([name for name in made if name != "index.html"]))
    before = contents(folder)
    with pytest.raises(GeomdpError, match=r"index\.html"):
        make_demo(folder, examples=TINY)
    assert contents(folder) == before


@pytest.mark.usefixtures("_short_plan_page")
def test_a_failure_leaves_the_old_demo_in_place(tmp_path: Path) -> None:
    def broken() -> tuple[dp.Plan, np.ndarray]:
        raise GeomdpError("no data")

    folder = tmp_path / "out"
    make_demo(folder, examples=TINY)
    before = contents(folder)
    with pytest.raises(GeomdpError, match="no data"):
        make_demo(folder, examples=(*TINY, Example("broken", "Broken", "Broken.", broken)))
    assert contents(folder) == before
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


def test_the_command_refuses_what_the_demo_did_not_make(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    done = CliRunner().invoke(app, ["demo", str(tmp_path / "file")])
    assert done.exit_code == 1
    assert "choose a new folder" in done.output
    assert (tmp_path / "file").read_text() == "x"


def test_shipped_examples_are_planned_without_their_records() -> None:
    for make in (directions, tensors):
        plan, records = make()
        assert plan.n == len(records)
        assert plan.expected_error < 0.1
    assert (leaves(50)[1].shape, faces(2)[1].shape) == ((50, 40, 2), (2, 23, 80, 3))
    assert len({example.name for example in EXAMPLES}) == len(EXAMPLES)
