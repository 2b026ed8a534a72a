"""What is declared stands in the help and on the page of the command, for a plug-in too."""

import json
import os
import subprocess
import sys

import pytest
from tools.command_page import PAGE, TABLES, written
from typer.testing import CliRunner

from geomdp.cli import app


def test_the_page_is_what_is_declared():
    page = PAGE.read_text(encoding="utf-8")
    assert page == written(page), "run: python -m tools.command_page"
    assert all(f"<!-- options of {name} -->" in page for name in TABLES)


def test_the_help_names_every_option():
    for command, options in TABLES.items():
        said = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "200"}).output
        assert not [one.name for one in options() if one.name not in said]


#: One of each, with an option of its own.
MODULE = """
from dataclasses import dataclass
from typing import ClassVar
import geomdp as dp
from geomdp.mechanisms import MECHANISMS
from geomdp.mechanisms.laplace import Laplace
from geomdp.options import Option, read_number
from geomdp.readings import READINGS, Scaled
from geomdp.spaces import SPACES, Euclidean
from geomdp.statistics import STATISTICS

@dataclass(frozen=True)
class Stretched(Euclidean):
    times: float = 1.0
    options: ClassVar = (
        Option("--times", "How far.", read=read_number, needs="--space stretched:2"),
    )

    @property
    def spec(self):
        return f"stretched:{self.dim}:{self.times:g}"

class Inner(dp.FrechetMean):
    tag: ClassVar[str] = "inner"
    options: ClassVar = (Option("--part", "Of the ball.", read=read_number, default=0.5),)

    @classmethod
    def asked(cls, ball, given):
        return cls(dp.Ball(ball.space, ball.center, ball.radius * given["part"]))

class Kilo(Scaled):
    tag: ClassVar[str] = "kilo"
    options: ClassVar = (Option("--kilo", "Times 1000.", type=bool, default=False),)

    @classmethod
    def asked(cls, given):
        return cls(1000.0) if given["kilo"] else None

class Quiet(Laplace):
    name: ClassVar[str] = "quiet"
    options: ClassVar = (Option("--loud", "Not so quiet.", type=bool, default=False),)

    def asked(self, given):
        return "laplace" if given["loud"] else self.name

SPACES.register("stretched", Stretched, example="stretched:2")
STATISTICS.register(Inner.tag, Inner)
READINGS.register(Kilo.tag, Kilo)
MECHANISMS.register(Quiet.name, Quiet())
"""
DRIVER = """
import json, sys
from typer.testing import CliRunner
from geomdp.cli.app import app
for arguments in json.loads(sys.argv[1]):
    done = CliRunner().invoke(app, arguments, env={"COLUMNS": "200"})
    print(json.dumps([done.exit_code, done.output]))
"""


@pytest.fixture
def command(tmp_path):
    """Run commands where a package with one of each is installed."""
    info = tmp_path / "four-1.0.dist-info"
    info.mkdir()
    (tmp_path / "four.py").write_text(MODULE)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: four\nVersion: 1.0\n")
    (info / "top_level.txt").write_text("four\n")
    (info / "entry_points.txt").write_text("[geomdp.plugins]\nfour = four\n")

    def run(*lines):
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
        done = subprocess.run(
            [sys.executable, "-c", DRIVER, json.dumps([line.split() for line in lines])],
            capture_output=True,
            text=True,
            check=False,
            env=environment,
        )
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    return run


def test_options_of_a_plug_in_are_explained_taken_and_refused(command):
    ball, ask = "--center 0,0 --radius 1", "--n 40 --epsilon 1"
    mine = f"plan --space stretched:2 {ball} {ask} --statistic inner --mechanism quiet"
    shown, whole, left_out, loud, lost, alone = command(
        "plan --help",
        f"{mine} --times 3 --part 0.25 --kilo --json",
        f"{mine} --json",
        f"{mine} --loud --json",
        f"plan --space sphere:2 --center 0,0,1 --radius 0.5 {ask} --times 3",
        f"plan --space sphere:2 --center 0,0,1 --radius 0.5 {ask} --part 0.1",
    )
    for text in ("--times", "--part", "--kilo", "--loud", "stretched:2", "inner", "quiet"):
        assert text in shown[1]
    plan = json.loads(whole[1])
    assert plan["statistic"]["space"] == "stretched:2:3"
    assert (plan["statistic"]["radius"], plan["mechanism"]) == (0.25, "quiet")
    assert plan["reading"] == {"tag": "kilo", "factor": 1000.0}
    plan = json.loads(left_out[1])
    assert (plan["statistic"]["radius"], plan["statistic"]["space"]) == (0.5, "stretched:2:1")
    assert json.loads(loud[1])["mechanism"] == "laplace"
    assert (lost[0], alone[0]) == (2, 2)
    assert "--times goes with --space stretched:2" in " ".join(lost[1].split())
    assert "a mean in a ball goes without --part" in " ".join(alone[1].split())


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("geomdp ver", ["verify"]),
        ("geomdp plan --dir", ["--directions"]),
        ("geomdp plan --directions ", ["xyz", "dec-inc", "lat-lon"]),
        ("geomdp plan --space hyp", ["hyperbolic:2"]),
        ("geomdp plan --mechanism kn", ["kng"]),
    ],
)
def test_the_shell_completes_what_is_declared(typed, offered):
    words = {"COMP_WORDS": typed, "COMP_CWORD": str(len(typed.split(" ")) - 1)}
    program = "import sys; sys.argv = ['geomdp']; from geomdp.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **words, "_GEOMDP_COMPLETE": "complete_bash"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == offered
