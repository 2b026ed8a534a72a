"""Another package brings a space, a statistic, a mechanism, a format and a picture."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

PLUGIN = Path(__file__).parent / "fixtures" / "plugin"
MODULES = ("space", "statistic", "mechanism", "points_format", "picture")
PLAN = ["plan", "--space", "scaled:2:0.5", "--center", "0,0", "--radius", "1", "--n", "40"]
MINE = ["--epsilon", "1", "--statistic", "inner-mean", "--mechanism", "long-laplace"]
RESTS_ON = "scratch-geomdp 1.2"

#: Runs commands in one process, as the command itself would one after the other.
DRIVER = """
import json, sys
from typer.testing import CliRunner
from geomdp.cli.app import app
for arguments in json.loads(sys.argv[1]):
    done = CliRunner().invoke(app, arguments)
    print(json.dumps([done.exit_code, done.output]))
"""


def install(site, modules=MODULES):
    """Put a package on a path, with the metadata that an installer leaves."""
    shutil.copytree(PLUGIN, site)
    info = site / "scratch_geomdp-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: scratch-geomdp\nVersion: 1.2\n")
    (info / "top_level.txt").write_text("scratch_geomdp\n")
    points = "\n".join(f"{name} = scratch_geomdp.{name}" for name in modules)
    (info / "entry_points.txt").write_text(f"[geomdp.plugins]\n{points}\n")


def run(program, argument, site=None):
    """Run a program in a new interpreter, which finds the package only if told where."""
    path = os.pathsep.join(filter(None, (site and str(site), *sys.path)))
    done = subprocess.run(
        [sys.executable, "-c", program, argument],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def commands(lines, site=None):
    arguments = [[str(argument) for argument in line] for line in lines]
    return [json.loads(line) for line in run(DRIVER, json.dumps(arguments), site).splitlines()]


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """Folder of a release in which everything is foreign, with the site of the package."""
    folder = tmp_path_factory.mktemp("plugin")
    install(folder / "site")
    np.savetxt(folder / "data.pts", np.random.default_rng(0).normal(0, 1, (40, 2)))
    plan, out, auto = folder / "plan.json", folder / "out", folder / "auto.json"
    done = commands(
        [
            [*PLAN, *MINE, "--out", plan],
            ["release", plan, folder / "data.pts", "--out", out],
            ["verify", out, "--plan", plan],
            [*PLAN, "--epsilon", "1", "--out", auto],
        ],
        folder / "site",
    )
    assert [code for code, _ in done] == [0, 0, 0, 0], done
    (folder / "auto.txt").write_text(done[-1][1])
    return folder


def test_the_command_plans_releases_and_verifies_with_them_all(published):
    plan = json.loads((published / "plan.json").read_text())
    assert plan["statistic"]["tag"] == "inner-mean"
    assert plan["statistic"]["space"] == "scaled:2:0.5"
    assert plan["statistic"]["radius"] == 0.5
    assert plan["mechanism"] == "long-laplace"
    value = np.load(published / "out" / "value.npy")
    np.testing.assert_array_equal(np.loadtxt(published / "out" / "value.pts"), value)
    report = (published / "out" / "report.html").read_text()
    assert "in its own unit of length" in report
    assert "Private mean on vectors in another unit" in report


def test_plan_manifest_and_report_name_the_package(published):
    plan = json.loads((published / "plan.json").read_text())
    manifest = json.loads((published / "out" / "manifest.json").read_text())
    for document in (plan, manifest["plan"]):
        assert document["derived"]["rests on"] == [RESTS_ON]
        caveats = document["derived"]["guarantee"]["caveats"]
        assert f"rests on {RESTS_ON}, which geomdp has not proved" in caveats
    assert manifest["read_by"] == RESTS_ON
    assert f"Rests on {RESTS_ON}, which" in (published / "out" / "report.html").read_text()


def test_a_foreign_space_loads_and_releases_in_python(published):
    program = """
import sys, geomdp as dp, numpy as np
release = dp.load_release(sys.argv[1])
again = release.plan.release(np.zeros((40, 2)))
print(type(release.plan.statistic.space).__module__, again.value.shape)
"""
    assert run(program, str(published / "out"), published / "site").split() == [
        *("scratch_geomdp.space", "(2,)")
    ]


def test_the_foreign_space_and_statistic_are_certified(published):
    program = """
import sys
import geomdp as dp
from geomdp.spaces import space_from_spec
from geomdp.testing import check_door, check_space, search_neighbours
from scratch_geomdp.statistic import InnerMean

space = space_from_spec("scaled:2:0.5")
check_space(space)
check_door(space, count=30)
ball = dp.Ball(space, [0.0, 0.0], 1.0)
print(search_neighbours(InnerMean.in_ball(ball), 4, steps=3).share)
print([name for name in ("pytest", "hypothesis") if name in sys.modules])
"""
    share, loaded = run(program, "", published / "site").splitlines()
    assert 0.9 < float(share) <= 1
    assert loaded == "[]"


def test_auto_takes_no_mechanism_of_another_package(published):
    plan = json.loads((published / "auto.json").read_text())
    assert plan["mechanism"] == "laplace"
    assert plan["derived"]["rests on"] == [RESTS_ON]  # its space
    considered = (published / "auto.txt").read_text()
    assert "wrapped-laplace: " in considered
    assert "long-laplace" not in considered


def test_the_value_in_a_foreign_format_is_read_back(published, tmp_path):
    folder = tmp_path / "out"
    shutil.copytree(published / "out", folder)
    (folder / "value.pts").write_text("0.25 0.5\n")
    manifest = json.loads((folder / "manifest.json").read_text())
    content = (folder / "value.pts").read_bytes()
    manifest["files"]["value.pts"] = hashlib.sha256(content).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest))
    [(code, text)] = commands([["verify", folder]], published / "site")
    assert code == 3
    assert "value.pts: it does not hold the value" in text


def test_without_the_package_nothing_is_guessed(published, tmp_path):
    plan = published / "plan.json"
    planned, released, verified = commands(
        [
            [*PLAN, *MINE],
            ["release", plan, published / "data.pts", "--out", tmp_path / "out"],
            ["verify", published / "out"],
        ]
    )
    assert planned[0] == released[0] == 1
    assert "There is no space 'scaled:2:0.5'" in planned[1]
    assert "a package that is not installed here" in released[1]
    assert verified[0] == 3
    assert "plan.statistic" in verified[1]
    assert not (tmp_path / "out").exists()


def test_the_page_shows_files_that_run():
    page = (PLUGIN.parents[2] / "docs" / "how-to" / "add-your-own.md").read_text()
    shown = re.findall(r'^```py title="([^"]+)"\n(.*?)^```$', page, re.MULTILINE | re.DOTALL)
    assert shown
    for name, text in shown:
        assert text == (PLUGIN / name).read_text()


def test_a_plug_in_that_cannot_be_loaded_is_named(tmp_path):
    install(tmp_path / "site", modules=("space", "no_such_module"))
    [(code, text)] = commands([[*PLAN, "--epsilon", "1"]], tmp_path / "site")
    assert code == 1
    assert "'scratch_geomdp.no_such_module' of scratch-geomdp cannot be loaded" in text


#: Whole plug-ins, a file each: see docs/how-to/add-your-own.md.
WHOLE = Path(__file__).parent / "fixtures" / "plugins"


def test_the_torus_is_a_space_whose_cut_locus_hangs_on_the_direction():
    program = """
from geomdp.testing import check_door, check_space
from geomdp_torus import Torus

for dim in (1, 2, 3):
    check_space(Torus(dim))
    check_door(Torus(dim), count=30)
print(Torus(2).spec)
"""
    assert run(program, "", WHOLE / "torus") == "torus:2\n"
