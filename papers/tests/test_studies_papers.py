"""Every study runs, quickly, through the command; and its verdicts turn when the table does."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from geomdp.cli import app
from geomdp_papers.studies import STUDIES

VERDICTS = {"reproduced", "better", "differs", "not tested"}


#: Quick ones that take a second or two; the others wait for the slow tests.
QUICKEST = {"ambient-dimension", "circle", "sphere-sensitivity"}


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=[] if n in QUICKEST else pytest.mark.slow) for n in STUDIES],
)
def test_each_study_runs_quickly_and_says_what_it_found(name, tmp_path):
    ran = CliRunner().invoke(app, ["study", name, "--quick", "--out", str(tmp_path)])
    assert ran.exit_code == 0, ran.output
    assert "Verdicts are those of full runs only" in " ".join(ran.output.split())
    kept = json.loads((tmp_path / f"{name}.json").read_text())
    assert kept["claims"]
    for claim in kept["claims"]:
        assert claim["verdict"] in VERDICTS
        assert claim["rule"]
        assert claim["because"] or claim["verdict"] == "reproduced"


@pytest.mark.parametrize("arguments", [[], ["sphere-utility", "--all"]])
def test_one_study_or_all(arguments):
    ran = CliRunner().invoke(app, ["study", *arguments])
    assert ran.exit_code == 1
    assert "--list" in ran.output


def test_a_study_that_does_not_exist_is_a_sentence():
    ran = CliRunner().invoke(app, ["study", "no-such"])
    assert ran.exit_code == 1
    assert "There is no study 'no-such'" in ran.output


SENSITIVITY = {"kind": "sampled", "n": 10, "sharp bound": 1.0, "paper bound": 1.5, "mean": 0.5}


def test_verdicts_on_sensitivities_turn(judged):
    assert judged("sphere-sensitivity", [SENSITIVITY | {"largest": 0.9}]) == [
        "reproduced",
        "better",
    ]
    above = [SENSITIVITY | {"largest": 1.2}]
    assert judged("sphere-sensitivity", above) == ["reproduced", "differs"]
    assert judged("sphere-sensitivity", [SENSITIVITY | {"largest": 1.6}]) == ["differs"] * 2


def utility(manifold, euclidean, ours=None, scale=1.0, outside=0.25):
    methods = {
        "manifold": manifold,
        "manifold, our bound": manifold if ours is None else ours,
        "euclidean, proved bound": euclidean,
        "euclidean, 2 (e^r - 1)/n": euclidean,
        "euclidean, 4 (e^r - 1)/n": euclidean,
        "euclidean, 2r(2 - h)/n": euclidean,
    }
    kept = {"error": 0.001, "outside": outside, "repeats": 1000}
    return [
        {"n": n, "method": name, "mean": mean, "scale": scale if "our" in name else 1.0, **kept}
        for n in (20, 100)
        for name, mean in methods.items()
    ]


def test_verdicts_on_utility_turn(judged):
    assert judged("sphere-utility", utility(0.85, 1.0)) == ["reproduced"] * 3
    wide = utility(1.2, 1.0, ours=1.08, scale=0.9)
    assert judged("sphere-utility", wide) == ["differs", "differs", "better"]
    # Noise that is not what its scale says: neither better nor reproduced.
    assert judged("sphere-utility", utility(0.85, 1.0, ours=0.6, scale=0.9))[2] == "differs"
    assert judged("spd-utility", utility(0.5, 1.0)) == ["reproduced"] * 3
    assert judged("spd-utility", utility(0.5, 1.0, outside=0.6))[1] == "differs"


def test_a_circle_moves_its_mean_by_what_is_found(judged):
    rows = [
        {"n": n, "even": 1, "unique": 1, "off": 0.0, "moved": np.pi * (n - 2) / (n - 1)}
        for n in (4, 100)
    ]
    assert judged("circle", rows) == ["reproduced", "differs"]
    assert judged("circle", [row | {"moved": np.pi} for row in rows]) == ["reproduced"] * 2
    assert judged("circle", [row | {"moved": 1 / row["n"]} for row in rows]) == ["differs"] * 2
