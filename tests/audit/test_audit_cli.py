"""``geomdp audit`` as a person types it."""

import json
from unittest import mock

import numpy as np
import pytest
from typer.testing import CliRunner

import geomdp as dp
from geomdp.audit import Audit, Finding, mutants
from geomdp.audit.stages import composition_audit
from geomdp.cli import app
from geomdp.cli.audit import CLAIM_EXCEEDED
from geomdp.privacy import PureCost

QUICK = ["--draws", "1000", "--exact", "20", "--records", "20"]
MEAN = dp.TangentMean(dp.Ball(dp.Euclidean(2), np.zeros(2), 1.0))


def run(*arguments, code=0):
    result = CliRunner().invoke(app, ["audit", *(str(argument) for argument in arguments)])
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture
def plan_file(tmp_path):
    file = tmp_path / "plan.json"
    dp.plan(MEAN, n=20, budget=dp.GDP(1), mechanism="tangent-gaussian").save(file)
    return file


def test_table_json_and_page(plan_file, tmp_path):
    page = tmp_path / "audit.html"
    text = run(plan_file, *QUICK, "--html", page)
    assert "tangent-gaussian" in text
    assert ">grid</td>" in page.read_text("utf-8")
    document = json.loads(run(plan_file, *QUICK, "--json"))
    assert document["passed"] is True
    checks = [finding["check"] for finding in document["audits"][0]["findings"]]
    assert {"records", "likelihood ratio", "timing", "blind attack"} <= set(checks)


def test_every_group_is_audited(tmp_path):
    file = tmp_path / "groups.json"
    dp.plan(MEAN, n={"a": 10, "b": 20}, budget=dp.GDP(1)).save(file)
    together, *each = json.loads(run(file, *QUICK, "--json"))["audits"]
    assert together["plan"].startswith("all groups")
    assert len(each) == 2


def test_every_stage_is_audited_and_what_they_cost_together(tmp_path):
    file = tmp_path / "stages.json"
    prior = dp.Ball(dp.Sphere(2), [0.0, 0.0, 1.0], 1.0)
    dp.plan(dp.Refined(dp.Moments(prior)), n=200, budget=dp.GDP(1), unit=dp.Unit.person()).save(
        file
    )
    document = json.loads(run(file, *QUICK, "--json"))
    assert document["passed"]
    first, *stages = document["audits"]
    assert [finding["check"] for finding in first["findings"]] == [
        *("composition", "budgets", "stages"),
    ]
    assert [stage["plan"].split(":")[0] for stage in stages] == [
        "exponential",
        "tangent-gaussian",
        "exponential",
        "tangent-gaussian",
    ]


def test_a_stage_dearer_than_stated_is_found():
    prior = dp.Ball(dp.Sphere(2), [0.0, 0.0, 1.0], 1.0)
    plan = dp.plan(dp.PrivateBall(prior), n=200, budget=dp.GDP(1))
    cheap = (*plan.rule.costs[:-1], PureCost("0.001"))
    stated = mock.PropertyMock(return_value=cheap)
    with mock.patch.object(type(plan.rule), "costs", stated):
        found = composition_audit(plan)
    assert [finding.verdict for finding in found.findings] == ["pass", "pass", "fail"]
    assert "3" in found.findings[2].found


def test_exit_code_when_a_claim_is_exceeded(plan_file, monkeypatch):
    failed = Audit("p", "c", (Finding("grid", "a", "b", "fail"),))
    monkeypatch.setattr("geomdp.audit.audit_all", lambda *args, **options: [failed])
    assert "fail" in run(plan_file, code=CLAIM_EXCEEDED)


def test_self_test_needs_no_plan(monkeypatch):
    monkeypatch.setattr(mutants, "MUTANTS", mutants.MUTANTS[-2:])
    monkeypatch.setattr(mutants, "SOUND", {})
    assert "mutant" in run("--self-test", *QUICK)


def test_a_mutant_that_escapes_is_an_error(monkeypatch):
    sound = mutants.SOUND["laplace on a flat space"]
    escaped = mutants.Mutant("none", "no mistake", sound, "calibration")
    monkeypatch.setattr(mutants, "MUTANTS", (escaped,))
    monkeypatch.setattr(mutants, "SOUND", {})
    assert "NOT caught" in run("--self-test", *QUICK, code=CLAIM_EXCEEDED)


def test_without_a_plan_one_sentence_says_what_to_give():
    assert "Give a plan's file" in run(code=1)
