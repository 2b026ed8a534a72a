"""The walk of one file through the house is counted, and builds each plan about once."""

import numpy as np
import pytest
from tools.walk import directions, staged, walk

import geomdp as dp
from geomdp.curves import Matern


def test_a_csv_file_is_walked_through_the_spine(tmp_path):
    file = tmp_path / "records.csv"
    steps = {step.name: step for step in walk(directions(file), file, tmp_path / "out")}
    assert list(steps) == ["plan", "prepare", "release", "save", "load", "verify"]
    assert "io" in steps["prepare"].folders
    assert "io/csv_files.py" in steps["prepare"].modules
    assert max(steps["plan"].calibrated.values()) == 1
    for name in ("prepare", "release", "save"):  # what was planned is not planned again
        assert not steps[name].calibrated
    assert max(steps["load"].calibrated.values()) == 1
    assert next(steps["plan"].lines(0)).startswith("plan ")


def curves(file):
    """Write curves to a csv file; the plan finds the bound to which they are clipped."""
    rows = 0.1 * np.random.default_rng(0).normal(size=(400, 8))
    np.savetxt(file, rows, delimiter=",", header=",".join("abcdefgh"), comments="")
    wide = dp.FunctionMean(np.zeros(8), tau=8.0, kernel=Matern(0.5))
    return lambda: dp.plan(dp.Refined(wide), n=400, budget=dp.GDP(mu=1))


@pytest.mark.parametrize("example", [directions, staged, curves])
def test_no_request_is_calibrated_twice_on_a_step(example, tmp_path):
    file = tmp_path / "records.csv"
    steps = {step.name: step for step in walk(example(file), file, tmp_path / "out")}
    assert all(step.calibrated.total() == len(step.calibrated) for step in steps.values())
    # A reader calibrates what the curator did, and nothing else.
    made = steps["plan"].calibrated.total() + steps["release"].calibrated.total()
    assert steps["load"].calibrated.total() == steps["verify"].calibrated.total() <= made
