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


def test_an_option_of_a_format_is_in_the_help_and_reaches_the_format(published, tmp_path):
    text = (published / "data.pts").read_text()
    (tmp_path / "data.pts").write_text(f"who knows\n{text}")
    check = ["check", published / "plan.json", tmp_path / "data.pts"]
    lines = [["check", "--help"], ["release", "--help"], [*check, "--skip-lines", "1"], check]
    done = commands(lines, published / "site")
    assert [code for code, _ in done[:3]] == [0, 0, 0], done
    assert all("--skip-lines" in output for _, output in done[:2])
    assert done[3][0] != 0
    assert "--skip-lines" not in commands([["check", "--help"]])[0][1]


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
QUICK = ["--draws", "3000", "--exact", "20", "--records", "60"]


def angles(rng):
    return rng.normal([0.45, 0.0], 0.04, (60, 2))  # across the seam, in turns


def planes(rng):
    bases = np.linalg.qr(np.eye(4)[:, :2] + 0.1 * rng.normal(size=(60, 4, 2)))[0]
    return (bases @ np.swapaxes(bases, 1, 2)).reshape(60, 16).round(4)  # as a text file has them


def directions(rng):
    points = [0, 0, 1] + 0.1 * rng.normal(size=(60, 3))
    return points / np.linalg.norm(points, axis=1, keepdims=True)


#: Of each plug-in: its records, how they are planned, words that its pages show, what shows how
#: it is typed, an option of its own, and what its plan keeps of it.
LIVES = {
    "torus": (
        angles,
        ["--space", "torus:2", "--center", "0.45,0", "--radius", "0.2", "--epsilon", "1"],
        ("angles of a torus", "hours in all angles together", "in turns"),
        ("torus:2", ["--turn-in", "hours"], "torus:2:hours"),
    ),
    "subspaces": (
        planes,
        [
            *("--space", "subspaces:2:4", "--statistic", "tangent-mean", "--radius", "0.6"),
            *("--center", "1,0,1,0,0,0,0,0,0,0", "--mu", "1"),
        ],
        ("subspaces of dimension 2 in 4 dimensions", "a turn by", "projects onto it"),
        ("subspaces:2:4", ["--tolerance", "0.001"], "subspaces:2:4:0.001"),
    ),
    "noise": (
        directions,
        [
            *("--space", "sphere:2", "--center", "0,0,1", "--radius", "0.5", "--epsilon", "1"),
            *("--mechanism", "round-laplace"),
        ],
        ("rounder-laplace", "Laplace with a round top"),
        ("round-laplace", ["--rounder"], "rounder-laplace"),
    ),
}


def install_whole(name, site):
    """Put a plug-in of one file on a path, with the metadata that an installer leaves."""
    shutil.copytree(WHOLE / name, site)
    info = site / f"geomdp_{name}-0.3.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: geomdp-{name}\nVersion: 0.3\n")
    (info / "top_level.txt").write_text(f"geomdp_{name}\n")
    (info / "entry_points.txt").write_text(f"[geomdp.plugins]\n{name} = geomdp_{name}\n")


@pytest.mark.parametrize("name", LIVES)
def test_a_plug_in_of_one_file_lives_a_whole_life(name, tmp_path):
    """Plan, page, check, release, verify and audit, by command: nothing in src is touched."""
    draw, arguments, words, (typed, option, kept) = LIVES[name]
    install_whole(name, tmp_path / "site")
    data, plan, out = tmp_path / "data.npy", tmp_path / "plan.json", tmp_path / "out"
    page, audited = tmp_path / "plan.html", tmp_path / "audit.html"
    np.save(data, draw(np.random.default_rng(0)))
    done = commands(
        [
            ["plan", *arguments, *option, "--n", "60", "--out", plan],
            ["show", plan, "--html", page],
            ["check", plan, data],
            ["release", plan, data, "--out", out],
            ["verify", out, "--plan", plan],
            ["audit", plan, *QUICK, "--html", audited],
            ["plan", "--help"],
        ],
        tmp_path / "site",
    )
    assert [code for code, _ in done] == [0] * len(done), done
    assert typed in done[-1][1]  # the help shows how it is typed
    assert option[0] in done[-1][1]
    assert f'"{kept}"' in plan.read_text()
    report = (out / "report.html").read_text()
    shown = report + page.read_text() + audited.read_text()
    assert [word for word in words if word not in shown] == []
    assert f"geomdp-{name} 0.3" in report
    assert "<svg" in report  # its picture


def test_a_plug_in_is_short():
    for file in WHOLE.glob("*/*.py"):
        assert len(file.read_text().splitlines()) < 150


def test_the_spaces_keep_their_properties(tmp_path):
    """The torus has a cut locus that hangs on the direction; the one of subspaces is a chart."""
    program = """
from geomdp.spaces import space_from_spec
from geomdp.testing import check_door, check_space

for spec in ("torus:1", "torus:2", "torus:3", "subspaces:1:3", "subspaces:2:4"):
    check_space(space_from_spec(spec))
    check_door(space_from_spec(spec), count=30)
print("kept")
"""
    site = tmp_path / "site"
    for name in ("torus", "subspaces"):
        install_whole(name, tmp_path / name)
        shutil.copytree(tmp_path / name, site, dirs_exist_ok=True)
    assert run(program, "", site) == "kept\n"


#: The torus without its cut locus, in five ways; of each, a property that refuses it.
CUTS = {
    "no wrapping": (
        "    dist = lambda self, p, q: np.sqrt(np.sum((q - p) ** 2, axis=-1))",
        "distance is the length of log and symmetric",
    ),
    "no wrapping at all": (
        "    log = lambda self, p, q: q - p\n"
        "    log_and_hessian = lambda self, p, q: (q - p, lambda v: v + 0.0 * (q - p))\n"
        "    move_back = lambda self, p, x: x - p",
        "distances are the same everywhere however far",
    ),
    "volume up to the injectivity radius": (
        "    log_volume_density = lambda self, t, u: self._log_power(t) - 1 / (t < 0.5) + 1",
        "volume lies where geodesics are shortest",
    ),
    "volume up to the corners": (
        "    log_volume_density = lambda self, t, u: self.log_volume_envelope(t + 0 * u[..., 0])",
        "volume lies where geodesics are shortest",
    ),
    "injective up to the corners": (
        "    injectivity_radius = property(lambda self: self.farthest)",
        "volume lies where geodesics are shortest",
    ),
}


@pytest.mark.parametrize("cut", CUTS)
def test_a_torus_without_its_cut_locus_is_caught(cut, tmp_path):
    method, named = CUTS[cut]
    program = f"""
import numpy as np
from geomdp.testing import check_space
from geomdp_torus import Torus

class Mutant(Torus):
{method}

try:
    check_space(Mutant(2))
except AssertionError as error:
    print(error)
"""
    assert f"- {named}: " in run(program, "", WHOLE / "torus")


def test_draws_of_the_new_noise_follow_its_density(tmp_path):
    """Against quadrature of the density on the line; the same test rejects a scale 10% off."""
    program = """
import numpy as np
from geomdp.noise.entropy import SeededEntropy
from geomdp.noise.rejection import draw_floats
from geomdp.spaces import Euclidean
from geomdp_noise import RoundLaw
from scipy.stats import kstest

drawn = np.abs(draw_floats(RoundLaw(Euclidean(1), np.zeros(1), 0.1), SeededEntropy(1), 20000))[:, 0]
for scale in (0.1, 0.11):
    t = np.linspace(0, 40 * scale, 200001)
    mass = np.cumsum(np.exp(1 - np.sqrt((t / scale) ** 2 + 1)))
    print(kstest(drawn, lambda x: np.interp(x, t, mass / mass[-1])).pvalue > 1e-3)
"""
    assert run(program, "", WHOLE / "noise").split() == ["True", "False"]
