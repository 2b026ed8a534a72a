"""A release builds plan, statistic and ball once: none is made again on the way to the folder."""

from collections import Counter

import numpy as np
import pytest
from typer.testing import CliRunner

import geomdp as dp
from geomdp.cli import app
from geomdp.datasets import polar_sphere
from geomdp.mechanisms import MECHANISMS
from geomdp.plans import Plan
from geomdp.releases.verification import verify
from geomdp.statistics import Statistic
from geomdp.surfaces import SurfaceMean, make_template, write_surface
from geomdp.surfaces.mesh.procedural import procedural_face, template_face

N = 6


def family(kind):
    """The class and all that are derived from it."""
    return {kind, *(deeper for child in kind.__subclasses__() for deeper in family(child))}


@pytest.fixture
def built(monkeypatch):
    """Objects made since the start of the test, by class."""
    count = Counter()

    def counting(kind, init):
        def made(self, *arguments, **keywords):
            if type(self) is kind:  # not on the way through the class above it
                count[kind.__name__] += 1
            init(self, *arguments, **keywords)

        return made

    for kind in set.union(*map(family, (Plan, Statistic, dp.Ball))):
        monkeypatch.setattr(kind, "__init__", counting(kind, kind.__init__))
    return count


@pytest.fixture(scope="module")
def faces(tmp_path_factory):
    """Folder with a plan, its data, and what loading the plan must build."""
    folder = tmp_path_factory.mktemp("faces")
    template = make_template(template_face())
    mean = SurfaceMean(template, rings=6, points=16, registration="homologous")
    dp.plan(mean, n=N, budget=dp.GDP(mu=1)).save(folder / "plan.json")
    (folder / "data").mkdir()
    for seed in range(N):
        write_surface(procedural_face(seed), folder / "data" / f"{seed}.obj")
    return folder / "plan.json", folder / "data", {"SinglePlan", "SurfaceMean", "FunctionMean"}


@pytest.fixture(scope="module")
def directions(tmp_path_factory):
    folder = tmp_path_factory.mktemp("directions")
    ball = dp.Ball(dp.Sphere(2), [0, 0, 1], 0.5)
    dp.plan(dp.FrechetMean(ball), n=N, budget=dp.Pure(1)).save(folder / "plan.json")
    points = polar_sphere(N, 0.4, seed=1)
    np.savetxt(folder / "data.csv", points, delimiter=",", header="x,y,z", comments="")
    return folder / "plan.json", folder / "data.csv", {"SinglePlan", "FrechetMean", "Ball"}


@pytest.mark.parametrize("what", ["directions", "faces"])
def test_the_command_builds_each_object_once(what, request, built, tmp_path):
    plan, data, once = request.getfixturevalue(what)
    built.clear()
    command = ["release", str(plan), str(data), "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    assert (tmp_path / "out" / "report.html").exists()
    assert built == dict.fromkeys(once, 1)


def test_release_and_save_build_nothing(directions, built, tmp_path):
    plan, _, once = directions
    built.clear()
    made = dp.load_plan(plan)
    assert built == dict.fromkeys(once, 1)
    made.release(polar_sphere(N, 0.4, seed=1), folder=tmp_path / "out")
    assert built == dict.fromkeys(once, 1)


@pytest.fixture
def calibrations(monkeypatch):
    """Calibrations since the start of the test."""
    count = Counter()

    def counting(calibrate):
        def counted(self, request):
            count["calibrations"] += 1
            return calibrate(self, request)

        return counted

    for kind in {type(mechanism) for mechanism in MECHANISMS.values()}:
        monkeypatch.setattr(kind, "calibrate", counting(kind.calibrate))
    return count


@pytest.mark.parametrize("approved", [False, True])
def test_each_plan_of_a_release_in_stages_is_calibrated_once(approved, calibrations, tmp_path):
    prior = dp.Ball(dp.Sphere(2), [0, 0, 1], 1.0)
    made = dp.plan(dp.Refined(dp.FrechetMean(prior)), n=2000, budget=dp.Pure(1))
    made.save(tmp_path / "plan.json")
    whole = calibrations.total()  # of the first stage, of what must not refuse, and of forecasts
    assert whole < 10
    calibrations.clear()
    release = made.release(polar_sphere(2000, 0.4, seed=1), folder=tmp_path / "out")
    later = len(release.parts) - 1
    assert calibrations.total() == later
    calibrations.clear()
    assert verify(tmp_path / "out", tmp_path / "plan.json" if approved else None).verified
    assert calibrations.total() == whole + later
    calibrations.clear()
    dp.load_release(tmp_path / "out")
    assert calibrations.total() == whole + later


def test_each_group_is_calibrated_once(calibrations, tmp_path):
    ball = dp.Ball(dp.Sphere(2), [0, 0, 1], 0.5)
    sizes = {"a": N, "b": 2 * N, "c": 3 * N}
    made = dp.plan(dp.FrechetMean(ball), n=sizes, budget=dp.Pure(1), mechanism="laplace")
    assert calibrations.total() == len(sizes)
    calibrations.clear()
    records = dp.Records(polar_sphere(6 * N, 0.4, seed=1), group=[*"a" * N, *"bb" * N, *"ccc" * N])
    made.release(records, folder=tmp_path / "out")
    assert calibrations.total() == 0
    assert verify(tmp_path / "out").verified
    assert calibrations.total() == len(sizes)
