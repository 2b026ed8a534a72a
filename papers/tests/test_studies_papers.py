"""Every study runs, quickly, through the command; and its verdicts turn when the table does."""

import json

import pytest
from typer.testing import CliRunner

from geomdp.cli import app
from geomdp_papers.studies import STUDIES, Table

VERDICTS = {"reproduced", "better", "differs"}


def judged(name, rows):
    return [claim.verdict for claim in STUDIES[name].judge(Table(rows))]


#: Quick ones that take a second or two; the others wait for the slow tests.
QUICKEST = {"ambient-dimension", "sphere-sensitivity", "spd-sensitivity"}


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=[] if n in QUICKEST else pytest.mark.slow) for n in STUDIES],
)
def test_each_study_runs_quickly_and_says_what_it_found(name, tmp_path):
    ran = CliRunner().invoke(app, ["study", name, "--quick", "--out", str(tmp_path)])
    assert ran.exit_code == 0, ran.output
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


def test_verdicts_on_sensitivities_turn():
    assert judged("sphere-sensitivity", [SENSITIVITY | {"largest": 0.9}]) == [
        "reproduced",
        "better",
    ]
    above = [SENSITIVITY | {"largest": 1.2}]
    assert judged("sphere-sensitivity", above) == ["reproduced", "differs"]
    assert judged("sphere-sensitivity", [SENSITIVITY | {"largest": 1.6}]) == ["differs"] * 2


def utility(manifold, euclidean, ours=None, outside=0.25):
    methods = {
        "manifold": manifold,
        "euclidean": euclidean,
        "manifold, our bound": manifold if ours is None else ours,
    }
    return [
        {"n": 20, "method": name, "mean": mean, "error": 0.001, "outside": outside}
        for name, mean in methods.items()
    ]


def test_verdicts_on_utility_turn():
    assert judged("sphere-utility", utility(0.85, 1.0)) == ["reproduced"] * 3
    assert judged("sphere-utility", utility(1.2, 1.0, ours=0.9)) == [
        "differs",
        "differs",
        "better",
    ]
    assert judged("spd-utility", utility(0.5, 1.0, outside=0.6))[1] == "differs"
