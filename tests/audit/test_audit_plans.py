"""Audits of whole plans: what they reach, what they say, and what they leave alone."""

import numpy as np
import pytest

import geomdp as dp
from geomdp.audit import Finding, Settings, audit_plan, law_of
from geomdp.audit.findings import Audit
from geomdp.audit.neighbours import pairs
from geomdp.audit.page import audit_html
from geomdp.audit.stages import composition_audit
from geomdp.audit.suspects import Suspects
from geomdp.curves import FunctionMean, PoweredExponential
from geomdp_papers.point_mean import PointMean

# So sure that these tests do not fail by chance.
QUICK = Settings(draws=20_000, exact=40, records=40, confidence=1 - 1e-6)
SPHERE = dp.Ball(dp.Sphere(2), [0.0, 0.0, 1.0], 0.4)
MATRICES = dp.Ball(dp.SPD(2), np.eye(2), 1.0)
FLAT = dp.Ball(dp.SPD(2, metric="log-euclidean"), np.eye(2), 1.0)

PLANS = {
    "laplace": lambda: dp.plan(
        dp.FrechetMean(MATRICES), n=40, budget=dp.Pure(1), mechanism="laplace"
    ),
    "wrapped-laplace": lambda: dp.plan(
        dp.FrechetMean(SPHERE), n=40, budget=dp.Pure(1), mechanism="wrapped-laplace"
    ),
    "flat laplace": lambda: dp.plan(
        dp.FrechetMean(FLAT), n=40, budget=dp.Pure(1), mechanism="laplace"
    ),
    "kng": lambda: dp.plan(dp.FrechetMean(SPHERE), n=8, budget=dp.Pure(1), mechanism="kng"),
    "wrapped-gaussian": lambda: dp.plan(
        dp.FrechetMean(MATRICES), n=40, budget=dp.GDP(1), mechanism="wrapped-gaussian"
    ),
    "riemannian-gaussian": lambda: dp.plan(
        dp.FrechetMean(SPHERE), n=40, budget=dp.GDP(1), mechanism="riemannian-gaussian"
    ),
    "tangent-gaussian": lambda: dp.plan(dp.TangentMean(MATRICES), n=40, budget=dp.ZCDP(0.5)),
    "functions": lambda: dp.plan(
        FunctionMean(np.zeros(24), 0.1, PoweredExponential(1.0), 0.01), n=40, budget=dp.GDP(1)
    ),
    "pure functions": lambda: dp.plan(
        FunctionMean(np.zeros(24), 0.1, PoweredExponential(1.0), 0.01, terms=5),
        n=40,
        budget=dp.Pure(1),
    ),
    "moments": lambda: dp.plan(dp.Moments(SPHERE), n=40, budget=dp.GDP(1)),
    "dispersion": lambda: dp.plan(dp.Moments(SPHERE), n=40, budget=dp.Pure(1)),
    "shaped": lambda: dp.plan(
        dp.TangentMean(dp.Ball(SPHERE.space, SPHERE.center, 0.4, form=np.diag([1.5, 0.5]))),
        n=40,
        budget=dp.GDP(1),
    ),
    "distributions": lambda: dp.plan(dp.DistributionMean(40, 400, 20), n=40, budget=dp.GDP(1)),
    "radius": lambda: dp.plan(
        dp.statistics.CoverRadius(SPHERE.space, SPHERE.center, 3.0, 12, 2), n=40, budget=dp.Pure(1)
    ),
    "points": lambda: dp.plan(PointMean(np.zeros((6, 2)), 0.5), n=40, budget=dp.GDP(1)),
}


@pytest.mark.parametrize("name", PLANS)
def test_draws_come_near_the_claim_and_stay_below(name):
    plan = PLANS[name]()
    audit = audit_plan(plan, QUICK, checks=["calibration", "likelihood"])
    assert audit.passed, audit
    by_name = {finding.check: finding.numbers for finding in audit.findings}
    loss = by_name["loss of the worst pair"]["loss"]
    assert 0.4 < loss <= 1 + 1e-6  # up to the rounding of the formula
    # The events of a restricted law, such as KNG's, are rarer.
    assert by_name["likelihood ratio"]["bound"] > loss / (20.0 if name == "kng" else 3.0)


@pytest.mark.parametrize(
    "name", ["functions", "points", "tangent-gaussian", "moments", "dispersion", "shaped", "radius"]
)
def test_records_of_linear_statistics_keep_their_bound(name):
    audit = audit_plan(PLANS[name](), QUICK, checks=["records", "floats"])
    assert audit.passed, audit
    (movement,) = (f for f in audit.findings if f.check == "records")
    assert movement.numbers["ratio"] > 0.3  # the attack does move the release


def test_a_summary_is_audited_at_the_sensitivity_its_curator_states():
    plan = dp.plan(dp.Summary(dp.Sphere(2), 0.05), budget=dp.Pure(1), mechanism="laplace")
    audit = audit_plan(plan, QUICK)
    assert audit.passed, audit
    (records,) = (f for f in audit.findings if f.check == "records")
    assert records.verdict == "report"


@pytest.mark.parametrize("name", ["ambient-laplace", "laplace-metropolis"])
def test_comparisons_are_named_and_not_audited_as_private(name):
    audit = audit_plan(
        dp.plan(dp.FrechetMean(SPHERE), n=40, budget=dp.Pure(1), mechanism=name), QUICK
    )
    assert [f.verdict for f in audit.findings] == ["report"]
    assert "comparison" in audit.findings[0].note


def test_timing_is_reported_and_decides_nothing():
    plan = dp.plan(dp.FrechetMean(SPHERE), n=10, budget=dp.Pure(1), mechanism="laplace-ball")
    (finding,) = audit_plan(plan, QUICK, checks=["timing"]).findings
    assert finding.verdict == "report"
    assert "depends on where the mean lies" in finding.claim


def test_laws_know_the_loss_at_the_means():
    """At its own mean, a Laplace law beats its neighbour's by the whole distance."""
    suspects = Suspects(PLANS["laplace"](), QUICK)
    plan, pair = suspects.plan, suspects.pairs[0]
    law = law_of(plan, pair)
    means = np.stack([plan.calibration.estimate(d) for d in pair.sets])
    assert law.log_ratio(means) == pytest.approx([law.size, -law.size], rel=1e-6)


def test_outputs_name_every_finding():
    audit = Audit("p < q", "Pure(epsilon=1)", (Finding("grid & co", "a", "b", "fail", "n"),))
    assert not audit.passed
    assert "grid &amp; co" in audit_html([audit])
    assert "p &lt; q" in audit_html([audit])
    assert "A CLAIM WAS EXCEEDED" in audit_html([audit])
    assert audit.to_json()["findings"][0]["check"] == "grid & co"
    assert "fail" in str(audit)


def test_pages_say_spaces_in_words_and_the_command_as_it_is_told_them():
    prior = dp.Ball(dp.Sphere(2), [0.0, 0.0, 1.0], 1.0)
    staged = dp.plan(dp.Refined(dp.Moments(prior)), n=500, budget=dp.GDP(1))
    single = audit_plan(PLANS["kng"](), QUICK, checks=[])
    for audit in (single, composition_audit(staged)):
        assert "on sphere:2" in str(audit)
        page = audit_html([audit])
        assert "on the sphere S²" in page
        assert "sphere:2" not in page


def test_the_law_on_rotations_is_that_of_a_compact_space():
    """Formerly it was that of a hyperbolic space of the same curvature, turned around."""
    ball = dp.Ball(dp.Rotations(), np.eye(3), 1.0)
    plan = dp.plan(dp.FrechetMean(ball), n=40, budget=dp.GDP(1), mechanism="riemannian-gaussian")
    sizes = [law_of(plan, pair).size for pair in pairs(plan)]
    assert 0.5 < max(sizes) <= 1
