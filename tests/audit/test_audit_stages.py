"""Audits of stages and groups: each part is held to what was fixed for it, and all together."""

from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest
from typer.testing import CliRunner

import geomdp as dp
from geomdp.audit import Settings, audit_all, audit_plan
from geomdp.audit.records import quiet_copy
from geomdp.audit.stages import groups_audit, stage_plans
from geomdp.cli.app import app
from geomdp.curves import Matern
from geomdp.errors import GeomdpError
from geomdp.mechanisms import Mechanism, PairLaw
from geomdp.mechanisms.laplace import Laplace
from geomdp.plans import SinglePlan
from geomdp.plans.choosing import choose
from geomdp.plans.staged import StagedPlan
from geomdp.statistics.moments import MeanAndDispersion

QUICK = Settings(draws=4000, exact=40, records=20, confidence=1 - 1e-6)
WIDE = dp.FunctionMean(np.zeros(8), tau=8.0, kernel=Matern(0.5))


def staged(budget):
    return dp.plan(dp.Refined(WIDE), n=1000, budget=budget)


def first_with_all(plan):
    """Let the length stage draw with the whole budget."""
    given = plan.rule.plan(()).calibration.request
    whole = plan.budget if isinstance(plan.budget, dp.Pure) else dp.Pure(1)
    plan.rule.__dict__["_length_plan"] = choose(replace(given, budget=whole), "exponential")
    plan.rule.__dict__.pop("first", None)  # kept from before


def last_with_all(plan):
    """Let the answer draw with the whole budget."""
    answer = type(plan.rule)._answer

    def whole(tau):
        made = answer(plan.rule, tau)
        return choose(replace(made.calibration.request, budget=plan.budget), made.mechanism)

    plan.rule.__dict__["_answer"] = whole


@pytest.mark.parametrize("budget", [dp.Pure(1), dp.GDP(1)], ids=repr)
@pytest.mark.parametrize(("stage", "mistake"), [(1, first_with_all), (2, last_with_all)])
def test_a_stage_that_takes_the_whole_budget_is_caught(budget, stage, mistake):
    """Formerly only mu and rho were compared, and every stage was held to its own claim."""
    plan = staged(budget)
    whole, *stages = audit_all(plan, QUICK, checks=["likelihood"])
    assert whole.passed
    assert all(one.passed for one in stages)
    mistake(plan)
    whole, *stages = audit_all(plan, QUICK, checks=["likelihood"])
    assert {f.check for f in whole.failures()} == {"budgets", "stages"}
    assert all(f.found.endswith(f"stage {stage}") for f in whole.failures())
    assert [one.passed for one in stages] == [stage != 1, stage != 2]
    assert "loss of the worst pair" in {f.check for f in stages[stage - 1].failures()}


def test_such_a_first_stage_is_not_even_planned():
    plan = staged(dp.Pure(1))
    first_with_all(plan)
    with pytest.raises(GeomdpError, match="fixed in advance"):
        StagedPlan(plan.rule, plan.budget)


def test_stages_on_matrices_are_audited_to_the_end(tmp_path):
    """Formerly the copy with little noise was refused, and the command ended with 1."""
    prior = dp.Ball(dp.SPD(3), np.eye(3), 6.0)
    plan = dp.plan(dp.Refined(dp.FrechetMean(prior)), n=2000, budget=dp.GDP(1))
    plan.save(tmp_path / "plan.json")
    words = ["audit", str(tmp_path / "plan.json"), "--draws", "400", "--exact", "20"]
    done = CliRunner().invoke(app, [*words, "--records", "20"])
    assert done.exit_code == 0, done.output
    last = stage_plans(plan)[-1]
    assert last.sensitivity.value / quiet_copy(last).scale >= 10


class Foreign(Mechanism):
    """A mechanism of another package, which states nothing of its law."""

    name: ClassVar[str] = "foreign"

    def calibrate(self, request):
        return Laplace().calibrate(request)

    def forecast(self, calibration):
        return Laplace().forecast(calibration)

    def draw(self, calibration, encoded, entropy, size=1):
        return Laplace().draw(calibration, encoded, entropy, size)


class Told(Foreign):
    """The same, which does."""

    name: ClassVar[str] = "told"

    def pair_law(self, calibration, first, second):
        space = calibration.space
        here, there = (calibration.estimate(data) for data in (first, second))

        def ratio(values):
            return (space.dist(there, values) - space.dist(here, values)) / calibration.scale

        return PairLaw(ratio)


def drawn_by(mechanism):
    ball = dp.Ball(dp.Sphere(2), [0.0, 0.0, 1.0], 0.4)
    made = dp.plan(dp.FrechetMean(ball), n=40, budget=dp.Pure(1), mechanism="laplace")
    return SinglePlan(mechanism, replace(made.calibration, facts={}), made.forecast)


def test_no_formula_is_stated_for_mechanisms_that_are_not_known():
    audit = audit_plan(drawn_by(Foreign()), QUICK, checks=["calibration", "likelihood", "blind"])
    found = {f.check: f for f in audit.findings}
    assert found["scale"].found == found["loss of the worst pair"].found == "no formula"
    assert "likelihood ratio" not in found
    assert found["blind attack"].numbers["bound"] > 0.2  # draws speak for themselves
    assert audit.passed


def test_a_mechanism_may_state_its_law():
    audit = audit_plan(drawn_by(Told()), QUICK, checks=["likelihood"])
    found = {f.check: f.numbers for f in audit.findings}
    assert 0.8 < found["loss of the worst pair"]["loss"] < 1.1
    assert found["likelihood ratio"]["bound"] > 0.3
    assert audit.passed


SPHERE = dp.Ball(dp.Sphere(2), [0.0, 0.0, 1.0], 0.4)
UNITS = [
    dp.Unit.record(labels="public"),
    dp.Unit.record(labels="private"),
    dp.Unit.person(),
    dp.Unit.person(groups=2),
]


@pytest.mark.parametrize("unit", UNITS, ids=str)
@pytest.mark.parametrize("statistic", [dp.TangentMean, dp.Moments, dp.FrechetMean])
@pytest.mark.parametrize("budget", [dp.Pure(1), dp.GDP(1)], ids=repr)
def test_all_groups_together_keep_the_promise(statistic, unit, budget):
    plan = dp.plan(statistic(SPHERE), n=dict.fromkeys("abcd", 12), budget=budget, unit=unit)
    composed, joint = groups_audit(plan, QUICK).findings
    assert composed.verdict == joint.verdict == "pass"
    assert joint.numbers["loss"] > (0.45 if statistic is dp.FrechetMean else 0.85)


def test_groups_charged_as_if_nobody_left_are_caught(monkeypatch):
    """The factor is left out: as formerly, Moments at epsilon 1 lose the root of 3."""
    monkeypatch.setattr(MeanAndDispersion, "reach_squared", property(lambda s: s.diameter**2 / 4))
    plan = dp.plan(
        dp.Moments(SPHERE), n={"a": 12, "b": 12}, budget=dp.Pure(1), unit=dp.Unit.person()
    )
    (joint,) = groups_audit(plan, QUICK).failures()
    assert joint.numbers["loss"] == pytest.approx(3**0.5, rel=1e-4)
