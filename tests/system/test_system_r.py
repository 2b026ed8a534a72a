"""The R package: a study from R and back, and its vignette, with the R of the system."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.system
PACKAGE = Path(__file__).parents[2] / "r"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Return what runs a line of R, with the package installed in a library of its own."""
    if shutil.which("Rscript") is None:
        pytest.skip("R is not installed; make test-system installs it")
    folder = tmp_path_factory.mktemp("r")
    command = folder / "geomdp"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m geomdp "$@"\n')
    command.chmod(0o755)
    (folder / "library").mkdir()
    around = {"R_LIBS": str(folder / "library"), "GEOMDP_COMMAND": str(command)}

    def called(*line):
        done = subprocess.run(
            line,
            cwd=folder,
            env=os.environ | around,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    shutil.copytree(PACKAGE, folder / "source")
    called("R", "CMD", "INSTALL", f"--library={folder / 'library'}", "source")
    return called


def test_a_study_goes_from_r_to_a_release_and_back(run):
    assert "all of R works" in run("Rscript", str(PACKAGE / "tests" / "round_trip.R"))


def test_the_vignette_is_what_the_package_does(run):
    file = PACKAGE / "vignettes" / "mean-shape.Rmd"
    knit = f"knitr::knit({str(file)!r}, output = 'vignette.md')"
    run("Rscript", "-e", f"knitr::opts_chunk$set(error = FALSE); {knit}")


def test_the_help_agrees_with_the_code(run):
    said = run("Rscript", "-e", "print(tools::codoc('geomdp')); print(tools::undoc('geomdp'))")
    assert "Code:" not in said
    assert "Undocumented" not in said
