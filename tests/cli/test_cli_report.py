"""``geomdp report``: a release that was stopped has everything but its pages, which follow."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from typer.testing import CliRunner

import geomdp as dp
from geomdp.cli import app
from geomdp.datasets import polar_sphere
from geomdp.plans.release import PAGES, VALUE
from geomdp.releases.verification import verify

BALL = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)


def run(*arguments, code=0):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture
def study(tmp_path):
    np.save(tmp_path / "points.npy", polar_sphere(60, 0.4, seed=1))
    plan = dp.plan(dp.FrechetMean(BALL), n=60, budget=dp.Pure(1), mechanism="laplace")
    plan.save(tmp_path / "plan.json")
    return tmp_path


def stopped(monkeypatch, study):
    """Press Ctrl-C while the report is made."""

    def press(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setitem(PAGES._items, "report.html", press)
        command = ["release", study / "plan.json", study / "points.npy", "--out", study / "out"]
        return run(*command, code=130)


def test_a_release_stopped_in_its_report_is_completed(study, monkeypatch):
    said = stopped(monkeypatch, study)
    assert "complete but for its report" in " ".join(said.split())
    assert not (study / "out" / "report.html").exists()
    assert "geomdp report FOLDER" in " ".join(run("verify", study / "out").split())
    run("report", study / "out")
    verdict = verify(study / "out")
    assert verdict.problems == verdict.remarks == ()


def test_it_is_not_released_again(study, monkeypatch):
    stopped(monkeypatch, study)
    command = ["release", study / "plan.json", study / "points.npy", "--out", study / "out"]
    said = " ".join(run(*command, code=1).split())
    assert "Do not release again: geomdp report" in said


def test_pages_of_parts_are_made_too(tmp_path):
    plan = dp.plan(
        dp.FrechetMean(BALL), n={"a": 30, "b": 30}, budget=dp.Pure(1), mechanism="laplace"
    )
    records = dp.Records(polar_sphere(60, 0.4, seed=1), group=["a"] * 30 + ["b"] * 30)
    plan.release(records, folder=tmp_path / "out")
    pages = [file.relative_to(tmp_path) for file in (tmp_path / "out").rglob("report.html")]
    assert len(pages) == 3
    for page in pages:
        (tmp_path / page).unlink()
    run("report", tmp_path / "out")
    assert all((tmp_path / page).exists() for page in pages)
    assert verify(tmp_path / "out").remarks == ()


def test_a_disk_that_is_full_after_the_value_loses_nothing(study, monkeypatch, caplog):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("geomdp.plans.release.write_whole", full)
    run("release", study / "plan.json", study / "points.npy", "--out", study / "out")
    assert "complete, but its report cannot be written" in caplog.text
    assert verify(study / "out").problems == ()


#: A report takes long, and says when it begins.
SLOW = """
import sys, time
from geomdp.plans.release import PAGES
import geomdp.report.release_pages
def slow(*_):
    print("begun", flush=True)
    time.sleep(0.4)
    return "a page"
PAGES._items["report.html"] = slow
from geomdp.cli.app import main
main()
"""


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_a_kill_leaves_nothing_or_all_but_the_report(study):
    """At random moments after the value can have been drawn; the seed is fixed, the machine not."""
    moments, found = random.Random(7), {"nothing": 0, "no report": 0, "all": 0}
    for trial in range(6):
        out = study / f"trial-{trial}" / "out"
        out.parent.mkdir()
        command = ["release", study / "plan.json", study / "points.npy", "--out", out]
        process = subprocess.Popen([sys.executable, "-c", SLOW, *map(str, command)])
        while not list(out.parent.iterdir()) and process.poll() is None:
            time.sleep(0.001)
        time.sleep(moments.uniform(0, 0.3))
        process.send_signal(signal.SIGKILL)
        process.wait()
        found[left(out)] += 1
    assert sum(found.values()) == 6


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_a_kill_while_the_report_is_made_leaves_all_but_it(study):
    command = ["release", study / "plan.json", study / "points.npy", "--out", study / "out"]
    with subprocess.Popen(
        [sys.executable, "-c", SLOW.replace("0.4", "60"), *map(str, command)],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert any("begun" in line for line in process.stdout)
        process.send_signal(signal.SIGKILL)
    assert left(study / "out") == "no report"


def left(out):
    """Say what a kill left; every folder that has a value and a name is complete."""
    strays = [file.parent.name for file in out.parent.rglob(VALUE) if file.parent != out]
    assert set(strays) <= {"unfinished"}
    if not out.exists():
        return "nothing"
    json.loads((out / "manifest.json").read_text())
    assert verify(out).problems == ()
    return "all" if (out / "report.html").exists() else "no report"
