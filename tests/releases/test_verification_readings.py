"""Releases of raw records: the value's file holds it as records are written, and is verified."""

import numpy as np
import pytest
from typer.testing import CliRunner

from geomdp.cli import app

READINGS = {
    "dec-inc": (["--directions", "dec-inc", "--center", "30,-60"], [30.0, -60.0]),
    "compositions": (["--compositions", "--normalize", "--center", "1,1,2"], [1.0, 1.0, 2.0]),
    "vectors": (["--normalize", "--center", "0,0,2"], [0.0, 0.0, 2.0]),
}


def run(*arguments, code=0):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output


@pytest.mark.parametrize("name", READINGS)
@pytest.mark.parametrize("ending", ["npy", "csv"])
def test_an_honest_release_of_raw_records_is_verified(tmp_path, name, ending):
    options, record = READINGS[name]
    file, plan, out = tmp_path / f"data.{ending}", tmp_path / "plan.json", tmp_path / "out"
    points = np.tile(record, (20, 1))
    if ending == "npy":
        np.save(file, points)
    else:
        np.savetxt(file, points, delimiter=",", header="a,b,c"[: 2 * len(record) - 1], comments="")
    budget = ["--epsilon", 20, "--mechanism", "laplace", "--out", plan]
    run("plan", "--space", "sphere:2", "--radius", 0.5, "--n", 20, *options, *budget)
    run("release", plan, file, "--out", out)
    run("verify", out, "--plan", plan)
