"""The walk of one file through the house is counted, and builds each plan about once."""

import pytest
from tools.walk import directions, staged, walk


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


@pytest.mark.parametrize("example", [directions, staged])
def test_no_request_is_calibrated_twice_on_a_step(example, tmp_path):
    file = tmp_path / "records.csv"
    steps = {step.name: step for step in walk(example(file), file, tmp_path / "out")}
    assert all(step.calibrated.total() == len(step.calibrated) for step in steps.values())
    # A reader calibrates what the curator did, and nothing else.
    made = steps["plan"].calibrated.total() + steps["release"].calibrated.total()
    assert steps["load"].calibrated.total() == steps["verify"].calibrated.total() <= made
