"""Ctrl-C, once or twice, or SIGTERM: the command ends, says so, and leaves nothing behind."""

import os
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from typer.testing import CliRunner

from geomdp.cli import app, main
from geomdp.cli.app import SentenceGroup, stop_once
from geomdp.io.atomic import new_folder
from geomdp.surfaces import procedural_face, template_face, write_surface

#: Far above what an end takes and far below what the work would take: no timing decides.
PATIENCE, WORK = 30, 600

#: The command, with records whose work never ends, in worker processes.
SLOW = f"""
import os, signal, sys, time
from pathlib import Path
import geomdp.surfaces.batch as batch
from geomdp.cli import main

def run(self, task):
    self.cache.mkdir(exist_ok=True)
    (self.cache / f"record.{{os.getpid()}}.partial").touch()
    Path("began-" + str(time.monotonic_ns())).touch()
    time.sleep({WORK})

batch._Job.run = run
batch.os.cpu_count = lambda: 2
sys.argv = ["geomdp", *sys.argv[1:]]
signal.signal(signal.SIGINT, signal.default_int_handler)  # tests in the background ignore it
main()
"""


@pytest.fixture(scope="module")
def meshes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("interrupted")
    write_surface(template_face(), folder / "template.obj")
    (folder / "faces").mkdir()
    for i in range(3):
        write_surface(procedural_face(i), folder / "faces" / f"{i}.obj")
    plan = ["plan", "--template", folder / "template.obj", "--n", 3, "--mu", 1]
    result = CliRunner().invoke(app, [*map(str, plan), "--out", str(folder / "plan.json")])
    assert result.exit_code == 0, result.output
    return folder


@pytest.mark.skipif(os.name != "posix", reason="needs process groups")
@pytest.mark.parametrize(
    "presses",
    [
        [signal.SIGINT],
        pytest.param([signal.SIGINT, signal.SIGINT], marks=pytest.mark.slow),
        [signal.SIGTERM],
    ],
    ids=["ctrl-c", "twice", "sigterm"],
)
def test_told_to_stop_while_meshes_are_registered(meshes, tmp_path, presses):
    (tmp_path / "work").mkdir()
    command = ["release", meshes / "plan.json", meshes / "faces", "--out", tmp_path / "out"]
    command += ["--cache", tmp_path / "cache"]
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW, *map(str, command)],
        cwd=tmp_path / "work",
        start_new_session=True,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        while not list((tmp_path / "work").iterdir()) and process.poll() is None:
            time.sleep(0.05)
        for times, press in enumerate(presses):
            time.sleep(0.2 * times)
            # A terminal tells the whole group, a scheduler the command alone.
            tell = os.killpg if press == signal.SIGINT else os.kill
            tell(process.pid, press)
        _, said = process.communicate(timeout=PATIENCE)
    finally:
        for left in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(process.pid, left)
            except ProcessLookupError:
                break
    assert process.returncode == 130, said
    assert said == "geomdp: Stopped; no unfinished file is left.\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cache", "work"]
    assert not list((tmp_path / "cache").iterdir())


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
@pytest.mark.parametrize("module", ["geomdp.cli", "typer"])
def test_ctrl_c_while_the_command_loads(tmp_path, module):
    """No stack trace, whatever is being imported or built."""
    pressed = f"""
import builtins, runpy, signal, sys
real = builtins.__import__
def imports(name, *rest, **more):
    if name == {module!r}:
        builtins.__import__ = real
        signal.raise_signal(signal.SIGINT)
    return real(name, *rest, **more)
signal.signal(signal.SIGINT, signal.default_int_handler)
builtins.__import__ = imports
sys.argv = ["geomdp", "--version"]
runpy.run_module("geomdp", run_name="__main__")
"""
    command = [sys.executable, "-c", pressed]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 130, done.stderr
    assert done.stderr == "geomdp: Stopped; no unfinished file is left.\n"


def test_ctrl_c_while_options_are_read(monkeypatch, capsys):
    """Typer ends with the same exit code there, and says nothing."""

    def pressed(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(sys, "argv", ["geomdp", "--version"])
    monkeypatch.setattr(SentenceGroup, "make_context", pressed)
    before = signal.getsignal(signal.SIGINT)
    try:
        with pytest.raises(SystemExit, match="130"):
            main()
    finally:
        signal.signal(signal.SIGINT, before)
    assert "Stopped" in capsys.readouterr().err


def test_a_second_press_does_not_disturb_the_cleaning(tmp_path, monkeypatch):
    """The first press leaves the folder that was begun; the second comes while that is removed."""
    remove = shutil.rmtree

    def pressed(*arguments, **options):
        signal.raise_signal(signal.SIGINT)
        remove(*arguments, **options)

    def begin():
        with new_folder(tmp_path / "out") as begun:
            begun.mkdir()
            np.save(begun / "value.npy", np.zeros(3))
            monkeypatch.setattr(shutil, "rmtree", pressed)
            signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    stop_once()
    try:
        with pytest.raises(KeyboardInterrupt):
            begin()
    finally:
        signal.signal(signal.SIGINT, before)
    assert not list(tmp_path.iterdir())
