"""The public names of the top package load, and nothing heavy loads before it is used."""

import subprocess
import sys

import pytest

import geomdp as dp


@pytest.mark.parametrize("name", dp.__all__)
def test_every_public_name_loads(name):
    assert getattr(dp, name) is not None
    assert name in dir(dp)


def test_unknown_names_are_refused():
    with pytest.raises(AttributeError, match="no_such_name"):
        dp.no_such_name  # noqa: B018


def test_importing_the_package_loads_no_numerical_library():
    heavy = ("numpy", "scipy", "flint", "typer", "importlib.metadata")
    code = f"import sys, geomdp; print([name for name in {heavy} if name in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_help_loads_nothing_heavy():
    """Help comes at once, of every command; what computes is loaded by what computes.

    Options of a plan and a ball are declared by spaces, statistics and mechanisms, plug-ins
    included: their help loads those, and still nothing that is slow. Those of files are declared
    by formats, which are loaded for plug-ins alone.
    """
    code = """
import sys
from typer.testing import CliRunner
from geomdp.cli.app import app
declared = ["plan", "ball"]
light = [c.name for c in app.registered_commands if c.name not in declared]
slow = "scipy numpy.f2py matplotlib pandas pyarrow sklearn trimesh".split()
slow += ["dp_accounting", "jinja2", "flint", "sqlalchemy", "multiprocessing", "threadpoolctl"]
slow += ["geomdp.io.formats", "geomdp.ledger", "geomdp.report.pictures"]
for commands, heavy in ((["", *light], ["numpy", *slow]), (declared, slow)):
    for command in commands:
        done = CliRunner().invoke(app, [*command.split(), "--help"])
        assert done.exit_code == 0, done.output
    print([name for name in heavy if name in sys.modules])
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.split() == ["[]", "[]"]


def test_rooms_and_verify_are_there_at_once():
    """In a new interpreter: no other import has loaded them."""
    code = """
import tempfile
from pathlib import Path
import geomdp as dp
folder = Path(tempfile.mkdtemp())
(folder / "manifest.json").touch()
print(dp.spaces.Sphere(2).spec, dp.statistics.FrechetMean.tag)
print("laplace" in dp.mechanisms.MECHANISMS)
print(dp.curves.FunctionMean.tag, dp.testing.check_space.__name__)
print(type(dp.verify(folder)).__name__)
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.split() == [
        *("sphere:2", "frechet-mean", "True", "function-mean", "check_space", "Verdict")
    ]
