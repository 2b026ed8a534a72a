"""The walk of one file through the house is counted, and builds each plan about once."""

from tools.walk import directions, walk


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
