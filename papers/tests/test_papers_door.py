"""The papers come in through the door of every plug-in, and the library does without them."""

import subprocess
import sys
from importlib.metadata import entry_points

import pytest

import geomdp as dp
import geomdp_papers
from geomdp.mechanisms import MECHANISMS
from geomdp.plans import plan_from_json
from geomdp.registry import GROUP, foreign_package
from geomdp.surfaces.disk.mapping import DISK_MAPS

PACKAGE = f"geomdp-papers {geomdp_papers.__version__}"
BALL = dp.Ball(dp.Sphere(2), [0, 0, 1], 0.3)

#: A process in which the package is not installed, as the command runs it.
ALONE = """
import json, sys
from importlib.metadata import EntryPoints
from geomdp import registry
registry.plugins = lambda: EntryPoints(())
from typer.testing import CliRunner
from geomdp.cli.app import app
for line in sys.argv[1:]:
    done = CliRunner().invoke(app, line.split())
    print(done.exit_code, " ".join(done.output.split()))
assert not any(name.startswith("geomdp_papers") for name in sys.modules)
"""


def run(program, *arguments):
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_package_is_installed():
    points = {point.dist.name for point in entry_points(group=GROUP)}
    assert "geomdp-papers" in points, "pip install --editable papers"


def test_all_comparisons_and_the_classical_disk_map_come_from_the_papers():
    foreign = {name for name, item in MECHANISMS.items() if foreign_package(item) == PACKAGE}
    assert foreign == {name for name, item in MECHANISMS.items() if item.comparison}
    assert {n: foreign_package(m) for n, m in DISK_MAPS.items()} == {
        "choi-lui": PACKAGE,
        "harmonic-measure": None,
    }


def test_a_plan_names_package_and_version():
    plan = dp.plan(dp.FrechetMean(BALL), n=50, budget=dp.Pure(1), mechanism="laplace-metropolis")
    assert plan.to_json()["derived"]["rests on"] == [PACKAGE]
    assert PACKAGE in str(plan)
    assert plan.comparison
    assert not plan.is_private
    assert plan_from_json(plan.to_json()).rests_on == (PACKAGE,)


def test_only_what_is_asked_for_is_imported():
    program = """
import sys
from geomdp.spaces import SPACES
list(SPACES)
assert not any(name.startswith("geomdp_papers") for name in sys.modules)
from geomdp.mechanisms import MECHANISMS
assert "kng-metropolis" in MECHANISMS
assert "geomdp_papers.mechanisms" in sys.modules
assert not {"geomdp_papers.studies", "geomdp.surfaces"} & set(sys.modules)
"""
    run(program)


@pytest.mark.parametrize("arguments", ["study --list", "study --help", "study sphere-utility"])
def test_without_the_package_one_sentence_says_how_to_install_it(arguments):
    done = run(ALONE, arguments)
    assert done.startswith("1 geomdp: geomdp study needs the papers")
    assert "'pip install geomdp-papers'" in done


def test_without_the_package_the_library_plans_releases_and_verifies(tmp_path):
    plan = "plan --space sphere:2 --center 0,0,1 --radius 0.3 --n 5 --epsilon 1"
    data, file, out = tmp_path / "data.csv", tmp_path / "plan.json", tmp_path / "out"
    data.write_text("x,y,z\n" + "0,0,1\n" * 5)
    done = run(
        ALONE,
        f"{plan} --out {file}",
        f"{plan} --mechanism kng-metropolis",
        f"release {file} {data} --out {out}",
        f"verify {out} --plan {file}",
    ).splitlines()
    assert [line[0] for line in done] == ["0", "1", "0", "0"], done
    assert "There is no mechanism 'kng-metropolis'; there are laplace, " in done[1]
