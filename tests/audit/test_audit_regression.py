"""Audits of stacks: moments and regressions reach their claim, and broken ones are caught."""

import numpy as np
import pytest

import geomdp as dp
from geomdp.audit import Settings, audit_plan
from geomdp.audit.hostile import hostile
from geomdp.audit.suspects import Suspects
from geomdp.sources.records import Records

QUICK = Settings(draws=4000, exact=40, records=40, confidence=1 - 1e-6)
BALL = dp.Ball(dp.Sphere(2), [0.0, 0.0, 1.0], 0.4)
COVARIATES = {"age": (20, 90), "site": ("a", "b", "c")}
ASKED = {
    "regression": dp.Regression(BALL, COVARIATES),
    "moments": dp.Moments(BALL),
}


def planned(name, budget):
    return dp.plan(ASKED[name], n=20, budget=budget)


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("budget", [dp.GDP(1), dp.Pure(1)], ids=repr)
def test_the_search_finds_the_worst_pair(name, budget):
    suspects = Suspects(planned(name, budget), QUICK)
    assert max(suspects.losses) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("name", ASKED)
def test_plans_pass(name):
    found = audit_plan(planned(name, dp.GDP(1)), QUICK)
    assert found.passed, [f for f in found.findings if f.verdict == "fail"]
    movement = next(f for f in found.findings if f.check == "records")
    assert movement.numbers["ratio"] > 0.5  # hostile records do move it


def test_broken_stacks_are_caught():
    plan = dp.plan(dp.Regression(BALL, COVARIATES), n=20, budget=dp.GDP(1))
    statistic = plan.statistic
    statistic.__dict__["shrinkage"] = 1.3 * statistic.shrinkage
    found = audit_plan(plan, QUICK, checks=("likelihood",))
    assert next(f for f in found.findings if f.check == "loss of the worst pair").verdict == "fail"


def test_hostile_covariates_are_sent():
    sent = hostile(ASKED["regression"], 300, np.random.default_rng(0))
    assert isinstance(sent, Records)
    invalid = ASKED["regression"].admit(sent).invalid
    assert 50 < len(invalid) < 250
    assert any("'age'" in reason for reason in invalid.values())
    assert any("'site'" in reason for reason in invalid.values())
