"""What clipping does, told privately: counts, excess, and the bound that follows."""

import json

import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import GeomdpError
from geomdp.noise.entropy import SeededEntropy
from geomdp.plans import load_plan
from geomdp.plans.about import share_error
from geomdp.plans.clipping import clipping_in
from geomdp.statistics.clipped_share import ClippedShare
from geomdp.statistics.encoded import Encoded

DIM, N = 6, 400
BUDGETS = (dp.Pure(1), dp.GDP(1), dp.Approximate(1, "1e-6"), dp.ZCDP(0.5))


def mean(radius=1.0):
    return dp.TangentMean(dp.Ball(dp.Euclidean(DIM), np.zeros(DIM), radius))


def points(n=N, size=0.35, seed=0):
    return size * np.random.default_rng(seed).standard_normal((n, DIM)) + 0.1


@pytest.mark.parametrize("budget", BUDGETS, ids=lambda b: b.kind)
@pytest.mark.parametrize("found", [False, True])
def test_the_stages_cost_the_budget_and_the_count_a_few_percent(budget, found):
    asked = dp.Refined(mean()) if found else mean()
    plan = dp.plan(dp.Clipped(asked, outer=4.0), n=N, budget=budget)
    assert plan.cost.fits(budget)
    asks = [stage.asks for stage in plan.rule.stages]
    assert asks[-2:] == ["clipped", "answer"]
    assert asks.count("radius") == 2 * found
    alone = dp.plan(mean(), n=N, budget=plan.rule.budgets[-1])
    if not found:
        assert plan.expected_error == alone.expected_error
    if budget.is_pure:
        assert plan.rule.budgets[-2] == dp.Pure("0.03")


def test_a_record_moves_the_count_by_one_and_the_excess_by_the_cap():
    """No pair of data sets that differ in one record exceeds the sensitivity; one reaches it."""
    far, near = np.full((1, DIM), 50.0), np.zeros((1, DIM))
    counted, excess = ClippedShare(mean(), outer=200.0), ClippedShare(mean(), cap=2.0)
    for asked, most in ((counted, 1.0), (excess, 2.0)):
        rest = points(9)
        values = [
            asked.estimate(asked.encode(np.concatenate([rest, one])))[0] for one in (far, near)
        ]
        assert abs(values[0] - values[1]) == pytest.approx(most / 10)
        assert asked.sensitivity(10).value == pytest.approx(1 / 10)
        rows = asked.admit(np.array([[1e300] * DIM, [np.nan] * DIM, [0.5] * DIM])).records
        assert np.all(np.abs(rows) <= 0.5)


def test_an_excess_without_a_cap_would_break_the_promise():
    """The mutant: one far record moves an uncapped mean by any amount."""
    asked = ClippedShare(mean(), cap=2.0)
    far = np.concatenate([points(9), np.full((1, DIM), 50.0)])
    excess = np.maximum(np.linalg.norm(far, axis=1) - 1.0, 0.0)
    assert np.mean(excess) > 2 * asked.most / len(far)
    assert asked.estimate(asked.encode(far))[0] <= asked.most


def test_the_count_is_that_of_the_clipped_records():
    plan = dp.plan(dp.Clipped(mean(), outer=4.0), n=4000, budget=dp.GDP(50))
    data = points(4000)
    told = plan.release(data).clipping
    clipped = np.sum(np.linalg.norm(data, axis=1) > 1)
    assert told.counted
    assert told.records == pytest.approx(clipped, abs=3)
    assert told.upper * 4000 >= told.records


def test_bounds_hold_as_often_as_they_say():
    """Of the clipped share, over draws of the noise; and of the bias, that of the mean."""
    data = points()
    share = np.mean(np.linalg.norm(data, axis=1) > 1)
    for budget in (dp.Pure(1), dp.GDP(0.3)):
        rule = dp.plan(dp.Clipped(mean(), outer=4.0), n=N, budget=budget).rule
        made = rule.first
        drawn = made._mechanism.draw(
            made.calibration, Encoded.of(made.statistic.encode(data)), SeededEntropy(1), 2000
        )
        held = np.mean([clipping_in(made, float(value[0])).upper >= share for value in drawn])
        assert held == pytest.approx(0.95, abs=0.02)


@pytest.mark.parametrize("space", [dp.Euclidean(3), dp.Sphere(2), dp.Hyperbolic(2), dp.SPD(2)])
@pytest.mark.parametrize("kind", [dp.TangentMean, dp.FrechetMean])
def test_the_bias_of_clipped_means_is_never_larger_than_said(space, kind):
    """Search: records out to the outer radius, many on one side; with and without clipping."""
    center = np.asarray(space.origin(np.zeros(space.dim)))
    inner, outer = 0.3, 1.2
    small, wide = (kind(dp.Ball(space, center, r, wide=True)) for r in (inner, outer))
    if kind is dp.FrechetMean and space.curvature_bounds[1] > 0:
        outer = 1.0
        wide = kind(dp.Ball(space, center, outer))
    rng, worst = np.random.default_rng(5), 0.0
    for trial in range(12):
        side = rng.standard_normal(space.dim) * (trial % 3 == 0)
        logs = rng.standard_normal((30, space.dim)) + 3 * side
        lengths = outer * rng.random((30, 1)) ** 0.2 * (rng.random((30, 1)) < 0.2 + 0.08 * trial)
        logs *= lengths / np.linalg.norm(logs, axis=1, keepdims=True)
        records = np.asarray(space.canonical(space.frame_exp(center, logs)))
        values = [
            np.asarray(one.estimate(one.encode(records), one.tolerance(30)))
            for one in (small, wide)
        ]
        moved = float(space.dist(*values))
        for asked in (ClippedShare(small, outer=outer), ClippedShare(small, cap=outer - inner)):
            value = float(asked.estimate(asked.encode(records))[0])
            assert moved <= asked.bias(value) + 1e-9
            worst = max(worst, moved / max(asked.bias(value), 1e-9))
    assert worst > 0.4  # and the bound is not idle


def test_the_constant_of_a_frechet_mean_is_needed_on_the_sphere():
    """The mutant: without it, as on nonpositive curvature, records on a sphere exceed the bound."""
    space, outer, inner = dp.Sphere(2), 1.25, 0.9
    center = np.asarray(space.origin(np.zeros(2)))
    angle = np.array([[0.0, 1.0], [0.0, -1.0]])
    logs = np.concatenate([np.repeat(inner * angle, 20, axis=0), np.repeat([[outer, 0.0]], 6, 0)])
    records = np.asarray(space.canonical(space.frame_exp(center, logs)))
    small = dp.FrechetMean(dp.Ball(space, center, inner))
    from geomdp.statistics import frechet_mean

    means = [frechet_mean(space, x).point for x in (records, small.ball.clip(records))]
    moved = float(space.dist(*means))
    excess = 6 / 46 * (outer - inner)
    asked = ClippedShare(small, outer=outer)
    assert moved > excess * 1.05
    assert moved <= asked.bias(6 / 46)


def test_an_outer_radius_about_the_prior_reaches_from_the_centre_found():
    """The mutant keeps it, and says too little where the centre moved."""
    plan = dp.plan(dp.Clipped(dp.Refined(mean(3.0)), outer=3.0), n=4000, budget=dp.GDP(2))
    release = plan.release(points(4000, 0.1) + 0.5)
    told = release.clipping.asked
    away = np.linalg.norm(told.statistic.ball.center)
    assert away > 0.5
    assert told.outer == pytest.approx(3.0 + away)


def test_it_is_saved_verified_and_read_back(tmp_path):
    plan = dp.plan(dp.Clipped(dp.Refined(mean()), cap=0.5, share="0.05"), n=N, budget=dp.Pure(4))
    plan.save(tmp_path / "plan.json")
    again = load_plan(tmp_path / "plan.json")
    assert again.cost == plan.cost
    release = again.release(points())
    release.save(tmp_path / "folder")
    assert dp.verify(tmp_path / "folder")
    back = dp.load_release(tmp_path / "folder").clipping
    assert back.bias == release.clipping.bias
    assert not back.counted
    with pytest.raises(GeomdpError, match="mean excess"):
        back.records  # noqa: B018
    document = json.loads((tmp_path / "plan.json").read_text())
    document["stages"]["share"] = "0.01"
    (tmp_path / "other.json").write_text(json.dumps(document))
    with pytest.raises(GeomdpError):
        load_plan(tmp_path / "other.json")


@pytest.mark.parametrize("space", [dp.Euclidean(3), dp.Sphere(2), dp.SPD(2)])
def test_an_audit_can_ask_for_records_on_both_sides(space):
    center = np.asarray(space.origin(np.zeros(space.dim)))
    for asked in ({"outer": 2.0}, {"cap": 0.5}):
        share = ClippedShare(dp.TangentMean(dp.Ball(space, center, 0.5)), **asked)
        rows = share.encode(share.records_at(np.array([[0.5], [-0.5]])))
        np.testing.assert_allclose(rows[:, 0], [0.5, -0.5], atol=1e-9)


def test_persons_count_once():
    data = dp.Records(points(2 * N, 0.5), person=np.repeat(np.arange(N), 2))
    pooled = dp.Clipped(mean(), outer=9.0)
    plan = dp.plan(pooled, n=N, budget=dp.GDP(50), unit=dp.Unit.person())
    means = np.asarray(data.points).reshape(N, 2, DIM).mean(axis=1)
    expected = np.mean(np.linalg.norm(means, axis=1) > 1)
    assert plan.release(data).clipping.estimate == pytest.approx(expected, abs=0.01)


def test_curves_are_counted_too():
    from geomdp.curves import Matern

    curve = dp.FunctionMean(np.zeros(8), tau=0.5, kernel=Matern(0.5))
    plan = dp.plan(dp.Clipped(curve, outer=50.0), n=N, budget=dp.GDP(50))
    data = np.random.default_rng(0).standard_normal((N, 8))
    expected = np.mean(np.asarray(curve.lengths(data).records) > 0.5)
    told = plan.release(data).clipping
    assert told.estimate == pytest.approx(expected, abs=0.01)
    assert 0 < told.bias < 50


def test_plain_releases_say_nothing_of_clipping():
    assert dp.plan(mean(), n=N, budget=dp.Pure(1)).release(points()).clipping is None
    refined = dp.plan(dp.Refined(mean()), n=N, budget=dp.Pure(4)).release(points())
    assert refined.clipping is None


def test_what_cannot_be_bounded_is_refused_while_planning():
    sphere = dp.FrechetMean(dp.Ball(dp.Sphere(2), [0, 0, 1], 0.5))
    for asked in (
        dp.Clipped(sphere, outer=2.0),
        dp.Clipped(mean(), outer=0.5),
        dp.Clipped(mean(), outer=2.0, cap=1.0),
        dp.Clipped(mean(), share=0.9),
        dp.Clipped(dp.Classes(mean().ball, ("a", "b"))),
    ):
        with pytest.raises(GeomdpError):
            dp.plan(asked, n=N, budget=dp.GDP(1))


@pytest.mark.parametrize("budget", [dp.Pure(1), dp.GDP(1), dp.ZCDP(0.5), dp.Approximate(1, "1e-6")])
@pytest.mark.parametrize("unit", [dp.Unit.record(), dp.Unit.person(max_records=2)])
def test_plans_foretell_what_a_count_would_tell(budget, unit):
    """The line of a plan that does not ask is about the stage that would: to its noise."""
    mean = dp.TangentMean(dp.Ball(dp.Sphere(5), np.eye(6)[0], 0.5))
    plan = dp.plan(mean, n=2000, budget=budget, unit=unit)
    stage = dp.plan(dp.Clipped(mean), n=2000, budget=budget, unit=unit).rule.first
    assert share_error(plan) == pytest.approx(clipping_in(stage, 0.0).upper, rel=0.01)
    assert f"to within {100 * share_error(plan):.2g}% of the records" in str(plan)
    few = dp.plan(mean, n=20, budget=budget, unit=unit)
    assert "too little here to say much" in str(few)


def test_who_asks_already_is_not_told_how_to_ask():
    mean = dp.TangentMean(dp.Ball(dp.Sphere(5), np.eye(6)[0], 0.5))
    assert "Clipping " not in str(dp.plan(dp.Clipped(mean), n=2000, budget=dp.GDP(1)))
    wide = dp.plan(dp.ExtrinsicMean(dp.Sphere(2)), n=2000, budget=dp.GDP(1))
    assert "Clipping " not in str(wide)
