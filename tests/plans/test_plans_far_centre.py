"""Balls found on compact spaces, wherever the records lie: no cut locus, and honest forecasts."""

import json

import numpy as np
import pytest
from plans_costs import spends_at_most

import geomdp as dp
from geomdp.audit import Settings, audit_all
from geomdp.audit.floats import replayed
from geomdp.errors import MechanismRefusedError
from geomdp.plans import ball_shares
from geomdp.plans.ball_stages import BallStages
from geomdp.plans.release import Release
from geomdp.statistics import ExtrinsicMean

PAIR = dp.Product(dp.Sphere(2), dp.Rotations())
SPACES = [dp.Sphere(2), dp.Sphere(9), dp.Rotations(), dp.PlanarShapes(6), PAIR]
BUDGETS = [dp.GDP(1), dp.Pure(1)]
N = 1000


def place(space, away, rng):
    """A point away from the origin, in parts of the farthest distance."""
    if isinstance(space, dp.Product):
        return space.join(*(place(factor, away, rng) for factor in space.factors))
    v = rng.standard_normal(space.dim)
    v *= away * space.farthest / np.linalg.norm(v)
    return np.asarray(space.canonical(space.frame_exp(space.origin(np.zeros(1)), v)))


def records_at(space, center, radius, n, rng):
    """Records about a centre, nearly all within the radius."""
    v = rng.standard_normal((n, space.dim))
    v *= radius / np.quantile(np.linalg.norm(v, axis=1), 0.98)
    return np.asarray(space.canonical(space.frame_exp(center, v)))


def planned(space, budget=BUDGETS[0], n=N, asked=dp.FrechetMean, **more):
    return dp.plan(dp.Refined(asked(dp.Ball.whole(space))), n=n, budget=budget, **more)


@pytest.mark.parametrize("away", [1.0, 0.97, 0.5], ids=lambda away: f"{away:g}")
@pytest.mark.parametrize("budget", BUDGETS, ids=repr)
@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.spec)
def test_records_anywhere_are_found_as_forecast(space, budget, away):
    """Formerly those near the cut locus of the prior's centre came out 1 to 4 rad off."""
    rng, plan = np.random.default_rng(5), planned(space, budget)
    law = plan.rule.forecasts()["if records spread over a 30th"]
    for seed in range(5):
        center = place(space, away, rng)
        points = records_at(space, center, plan.rule.prior.radius / 30, N, rng)
        with replayed(seed):
            value = plan.release(points).value
        mean = dp.frechet_mean(space, points, start=center).point
        assert float(space.dist(mean, value)) < law.quantile(0.999)


@pytest.mark.parametrize("budget", BUDGETS, ids=repr)
def test_subspaces_at_right_angles_to_the_origin_are_found(budget):
    """Formerly the ball was sought by logs at the origin, which point everywhere there."""
    space, rng = dp.Grassmannian(2, 4), np.random.default_rng(8)
    plan = planned(space, budget, asked=dp.TangentMean)
    center = space.canonical(np.diag([0.0, 0.0, 1.0, 1.0]))  # all principal angles are right ones
    points = records_at(space, center, plan.rule.prior.radius / 30, N, rng)
    law = plan.rule.forecasts()["if records spread over a 30th"]
    for seed in range(5):
        with replayed(seed):
            value = plan.release(points).value
        assert float(space.dist(center, value)) < law.quantile(0.999)


def test_forecasts_are_as_large_as_errors():
    """The centre's noise and the radius that is drawn count."""
    rng, plan, errors = np.random.default_rng(6), planned(dp.Sphere(2), dp.GDP(1), n=200), []
    laws = plan.rule.forecasts()
    for seed in range(60):
        center = place(dp.Sphere(2), rng.uniform(), rng)
        points = records_at(dp.Sphere(2), center, np.pi / 30, 200, rng)
        mean = dp.frechet_mean(dp.Sphere(2), points, start=center).point
        with replayed(seed):
            errors.append(float(dp.Sphere(2).dist(mean, plan.release(points).value)))
    law = laws["if records spread over a 30th"]
    assert 0.6 < np.mean(errors) / law.expected < 1.2
    assert np.quantile(errors, 0.9) < law.quantile(0.95)


def test_real_directions_that_point_up_are_found():
    """Formerly directions of a mean inclination of -78 came out 47 to 64 degrees off."""
    told = dp.datasets.load_directions()
    points = told.records * np.where(told.public_center[2] > 0, -1.0, 1.0)
    mean = dp.frechet_mean(dp.Sphere(2), points, start=points[0]).point
    assert mean[2] < -0.5
    plan = planned(dp.Sphere(2), dp.GDP(1), n=len(points), asked=dp.TangentMean)
    for seed in range(6):
        with replayed(seed):
            value = plan.release(points).value
        assert np.degrees(float(dp.Sphere(2).dist(mean, value))) < 8


@pytest.mark.parametrize("asked", [dp.FrechetMean, dp.TangentMean, dp.Moments])
def test_dispersed_records_end_in_a_ball_and_the_plan_says_so(asked):
    points = np.random.default_rng(7).standard_normal((N, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    plan = planned(dp.Sphere(2), asked=asked)
    release = plan.release(points)
    ball = dp.ball_of(release)
    assert ball.radius > 1.0
    told = str(plan)
    assert "records without a middle" in told
    assert ("farther than 0.785 from the centre found" in told) == (asked is dp.FrechetMean)
    assert plan.rule.plan(list(release.parts.values())[:-1]).statistic.ball.radius <= (
        0.7854 if asked is dp.FrechetMean else np.pi
    )


def test_a_ball_alone_is_found_by_the_antipode():
    rng = np.random.default_rng(8)
    points = records_at(dp.Sphere(2), np.array([0.0, 0.0, -1.0]), 0.1, N, rng)
    for rounds, stages in ((1, 2), (2, 4)):
        asked = dp.PrivateBall(dp.Ball.whole(dp.Sphere(2)), rounds)
        with replayed(rounds):
            release = dp.plan(asked, n=N, budget=dp.GDP(1)).release(points)
        ball = dp.ball_of(release)
        assert len(release.parts) == stages
        assert float(dp.Sphere(2).dist(ball.center, [0.0, 0.0, -1.0])) < 0.05
        assert ball.radius < 0.5


def test_a_centre_at_the_antipode_stays_where_it_was_found():
    rule, antipode = planned(dp.Sphere(2)).rule, np.array([0.0, 0.0, -1.0])
    first = Release(rule.plan(()), antipode, {})
    np.testing.assert_array_equal(rule.plan([first]).statistic.center, antipode)
    for hostile in (np.full(3, np.nan), np.zeros(3), np.full(3, np.inf)):
        found = rule.plan([Release(rule.plan(()), hostile, {})]).statistic.center
        np.testing.assert_array_equal(found, rule.prior.center)


@pytest.mark.parametrize("budget", [*BUDGETS, dp.ZCDP(0.5)], ids=repr)
@pytest.mark.parametrize("rounds", [1, 2])
def test_no_stage_spends_more_than_was_said_whatever_came_before(budget, rounds):
    whole = dp.Ball.whole(dp.Sphere(2))
    rule = dp.plan(dp.Refined(dp.TangentMean(whole), rounds), n=N, budget=budget).rule
    assert [stage.asks for stage in rule.stages] == ["centre", "radius"] * rounds + ["answer"]
    released = []
    for number, cost in enumerate(rule.costs):
        plan = rule.plan(released)
        assert spends_at_most(plan, cost)
        last = rule._last_centers.get(number, plan)
        assert spends_at_most(last, cost)  # the last resort too
        released.append(Release(plan, plan.statistic.public_value, {}))


def test_persons_by_the_antipode_are_found():
    rng = np.random.default_rng(9)
    space, n = dp.Sphere(2), 300
    middle = records_at(space, np.array([0.0, 0.0, -1.0]), 0.1, n, rng)
    points = np.concatenate([records_at(space, one, 0.2, 4, rng) for one in middle])
    who = np.repeat(np.arange(n), 4)
    plan = planned(space, dp.GDP(1), n=n, unit=dp.Unit.person())
    with replayed(2):
        value = plan.release(dp.Records(points, person=who)).value
    assert float(space.dist(value, [0.0, 0.0, -1.0])) < 0.1


def test_where_an_embedding_is_too_dear_a_centre_must_be_typed():
    space = dp.PlanarShapes(50)
    with pytest.raises(MechanismRefusedError, match="give a centre that is known"):
        planned(space, dp.Pure(1), n=647)
    template = np.exp(2j * np.pi * np.arange(50) / 50)
    typed = dp.Ball(space, template, 1.5, wide=True)
    plan = dp.plan(dp.Refined(dp.TangentMean(typed)), n=647, budget=dp.Pure(1))
    assert not plan.rule.embedded
    told = plan.rule.forecasts()["if records lie by the cut locus of the prior's centre"]
    assert told.quantile(0.5) == space.farthest
    assert "cut locus" in str(plan)
    near = dp.Ball(space, template, 1.0, wide=True)
    plan = dp.plan(dp.Refined(dp.TangentMean(near)), n=647, budget=dp.Pure(1))
    assert "cut locus" not in str(plan)


def test_a_compact_space_without_an_embedding_needs_a_typed_centre(monkeypatch):
    monkeypatch.setattr(dp.Sphere, "embedding", None)
    with pytest.raises(MechanismRefusedError, match="no centre can be found privately"):
        planned(dp.Sphere(2))
    typed = dp.Ball(dp.Sphere(2), [0, 0, 1], 2.3, wide=True)
    assert not dp.plan(dp.Refined(dp.TangentMean(typed)), n=N, budget=dp.GDP(1)).rule.embedded


@pytest.mark.parametrize("space", [*SPACES, dp.Grassmannian(2, 4)], ids=lambda space: space.spec)
def test_the_road_is_chosen_by_the_prior(space):
    inj = space.injectivity_radius
    origin = np.asarray(space.canonical(space.origin(np.zeros(1))))
    for part, embedded in ((0.7, False), (0.8, True)):
        prior = dp.Ball(space, origin, part * inj, wide=True)
        rule = dp.plan(dp.Refined(dp.TangentMean(prior)), n=4000, budget=dp.GDP(1)).rule
        assert rule.embedded == embedded
        first = rule.plan(()).statistic
        assert isinstance(first, ExtrinsicMean) == embedded
    assert first.cap is prior


def test_plans_of_earlier_versions_keep_their_road():
    plan = planned(dp.Sphere(2))
    document = json.loads(json.dumps(plan.rule.to_json()))
    assert BallStages.from_json(document).embedded
    del document["embedded"]
    old = BallStages.from_json(document)
    assert [stage.asks for stage in old.stages] == ["radius", "centre", "radius", "answer"]
    assert "if records lie by the cut locus of the prior's centre" in old.forecasts()
    assert ball_shares.is_whole(old.prior)


@pytest.mark.parametrize("budget", BUDGETS, ids=repr)
def test_every_stage_of_a_whole_space_can_be_audited(budget):
    plan = planned(dp.Rotations(), budget, n=400, asked=dp.TangentMean)
    checks = ["calibration", "likelihood"]
    found = audit_all(plan, Settings(draws=1000, exact=20), checks=checks)
    assert all(one.passed for one in found)
    assert len(found) == 1 + len(plan.rule.stages)
