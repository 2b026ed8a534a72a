"""A ball found privately: the exact law of its radii, its price, and that nothing refuses later."""

import json
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import chisquare

import geomdp as dp
from geomdp.errors import GeomdpError, InvalidBallError, MechanismRefusedError
from geomdp.mechanisms import MECHANISMS, Request
from geomdp.mechanisms.exponential import largest_steps
from geomdp.noise.discrete_exponential import probabilities
from geomdp.noise.entropy import SeededEntropy
from geomdp.plans import ball_shares
from geomdp.plans.ball_stages import BallStages
from geomdp.plans.refined import fingerprint
from geomdp.privacy import GDP, ZCDP, Approximate, Pure, PureCost
from geomdp.releases.verification import verify
from geomdp.statistics import CoverRadius
from geomdp.statistics.encoded import Encoded

EPSILON = Fraction(1, 2)
LINE = dp.Euclidean(1)
BUDGETS = [Pure(1), GDP(1), ZCDP("0.5"), Approximate(1, 1e-6)]
SPACES = [dp.Sphere(2), dp.SPD(2), dp.PlanarShapes(5), dp.Euclidean(3), dp.Hyperbolic(2)]


def line(top=8.0, steps=20, outside=2):
    return CoverRadius(LINE, np.zeros(1), top, steps, outside)


def log_law(asked, depths):
    return np.log(probabilities(asked.weights(depths, EPSILON)))


def neighbours(rng, asked, n):
    """Two data sets, as places on the grid, that differ in one record."""
    depths = rng.integers(-1, asked.steps + 1, n)
    if rng.random() < 0.5:  # clusters are worse than spread-out records
        depths[:] = np.where(rng.random(n) < 0.5, depths[0], depths[-1])
    other = depths.copy()
    other[rng.integers(n)] = rng.integers(-1, asked.steps + 1)
    return depths, other


def worst_loss_and_range(pairs, seed=0):
    rng = np.random.default_rng(seed)
    loss = spread = 0.0
    for _ in range(pairs):
        asked = line(steps=int(rng.integers(4, 24)), outside=int(rng.integers(0, 3)))
        depths, other = neighbours(rng, asked, int(rng.integers(4, 24)))
        ratios = log_law(asked, depths) - log_law(asked, other)
        loss = max(loss, float(np.max(np.abs(ratios))))
        spread = max(spread, float(np.ptp(ratios)))
    return loss, spread


def released(*values):
    return [SimpleNamespace(value=np.asarray(value)) for value in values]


def cloud(space, away, spread, n, seed=0):
    """Points about one that is away from the origin."""
    rng = np.random.default_rng(seed)
    origin = space.origin(np.zeros(space.dim))
    center = np.asarray(space.frame_exp(origin, np.r_[away, np.zeros(space.dim - 1)]))
    noise = spread * rng.standard_normal((n, space.dim)) / np.sqrt(space.dim)
    return np.asarray(space.frame_exp(center, noise))


# --- the radius stage ---------------------------------------------------------------------------


def test_exact_laws_of_neighbours_stay_within_epsilon_with_a_bounded_range():
    loss, spread = worst_loss_and_range(10_000)
    assert loss <= float(EPSILON) * (1 + 1e-9)
    assert spread <= float(EPSILON) * (1 + 1e-9)
    assert spread > 0.999 * float(EPSILON)  # the bound on the range is attained


def test_the_symmetric_score_would_break_the_promise(monkeypatch):
    def symmetric(self, encoded):
        depths = np.asarray(encoded)
        held = [int(np.sum(depths >= j)) for j in range(self.steps + 1)]
        return [abs(len(depths) - self.outside - count) for count in held]

    monkeypatch.setattr(CoverRadius, "shortfalls", symmetric)
    _, spread = worst_loss_and_range(300)
    assert spread > 1.5 * float(EPSILON)


def test_a_grid_whose_top_comes_from_the_data_would_break_the_promise():
    near, far = np.array([[0.1], [0.2], [1.0]]), np.array([[0.1], [0.2], [5.0]])
    tops = [CoverRadius(LINE, np.zeros(1), float(np.max(x)), 8, 0).radii for x in (near, far)]
    assert not set(tops[0]) & set(tops[1])  # no radius is possible under both
    plan = dp.plan(dp.Refined(dp.TangentMean(dp.Ball(LINE, [0.0], 9.0))), n=100, budget=Pure(5))
    assert plan.rule.plan(()).statistic.top == 9.0
    second = plan.rule.plan(released([1.0], [2.0]))
    assert second.statistic.top == 11.0


def test_a_centre_that_is_the_raw_mean_would_break_the_promise():
    plan = dp.plan(dp.Refined(dp.TangentMean(dp.Ball(LINE, [0.0], 8.0))), n=100, budget=Pure(5))
    near, far = np.zeros((100, 1)), np.zeros((100, 1))
    far[0] = 4.0
    raw = [plan.rule.plan(released([1.0], x.mean(axis=0))).statistic for x in (near, far)]
    assert not set(raw[0].radii) & set(raw[1].radii)  # no radius is possible under both
    # As it is, a centre's law has the same support under both: its noise covers what may change.
    center = plan.rule.plan(released([1.0]))
    sums = [float(np.mean(center.statistic.encode(x))) for x in (near, far)]
    assert abs(sums[1] - sums[0]) <= center.sensitivity.value
    assert center.scale >= center.sensitivity.value / float(plan.rule.budgets[1].epsilon)


def test_draws_follow_the_law():
    asked = line(steps=12)
    request = Request(asked, 40, Pure(EPSILON))
    mechanism = MECHANISMS["exponential"]
    depths = np.random.default_rng(1).integers(2, 9, 40)
    calibration = mechanism.calibrate(request)
    encoded, entropy = Encoded.of(depths), SeededEntropy(5, exact=True)
    drawn = mechanism.draw(calibration, encoded, entropy, size=3000)
    assert drawn.shape == (3000, 1)
    counts = [int(np.sum(drawn == radius)) for radius in asked.radii]
    law = probabilities(asked.weights(depths, EPSILON))
    common = law > 1e-3
    assert sum(counts) == 3000
    kept = np.array(counts)[common]
    assert chisquare(kept, kept.sum() * law[common] / law[common].sum()).pvalue > 1e-3
    assert calibration.cost == PureCost(EPSILON, bounded_range=True)


def test_the_radius_seldom_exceeds_the_smallest_that_serves():
    rng = np.random.default_rng(2)
    asked = line(steps=40, outside=3)
    for _ in range(200):
        depths = rng.integers(0, 41, 60)
        law = probabilities(asked.weights(depths, EPSILON))
        best = int(np.flatnonzero(asked.radii == asked.estimate(depths))[0])
        wider = np.cumsum(law)
        for i in range(1, best + 1):
            assert wider[best - i] - law[best - i] <= 2.0**-i + 1e-12
        assert np.all(wider[: best + 1][::-1][1:] <= 2.0 ** -np.arange(1, best + 1) + 1e-12)


def test_the_floor_of_the_grid_keeps_empty_balls_improbable():
    n, outside, beta = 200, 10, 1e-3
    steps = largest_steps(Fraction(1, 5), n - outside, beta)
    asked = line(steps=min(160, steps), outside=outside)
    law = probabilities(asked.weights(np.zeros(n, dtype=int), Fraction(1, 5)))
    assert steps > 20
    assert np.sum(law[1:]) <= beta
    longer = line(steps=160, outside=outside)
    collapsed = probabilities(longer.weights(np.zeros(n, dtype=int), Fraction(1, 5)))
    assert np.sum(collapsed[1:]) > 0.5  # without the floor radii collapse


def test_records_that_do_not_count_draw_no_ball_that_holds_them_alone():
    """A third of the records, beyond their persons' limit, lie at the prior's centre."""
    ball = dp.Ball(dp.Euclidean(2), np.zeros(2), 64.0)
    unit = dp.Unit.person(max_records=2)
    plan = dp.plan(dp.Refined(dp.TangentMean(ball)), n=240, budget=Pure(40), unit=unit)
    asked, stage = plan.rule.plan(()).statistic, plan.rule.stages[0]
    steps = ball_shares.grid_steps(plan.rule.request, stage, plan.rule.outside)
    assert asked.steps == steps
    epsilon = unit.record_budget(stage.budget).parts[0]
    depths = asked.depths(np.r_[np.zeros(80), np.ones(160)])  # others at a 64th
    alone = asked.radii < 1
    assert np.sum(probabilities(asked.weights(depths, epsilon))[alone]) < 1e-3
    longest = min(160, largest_steps(epsilon, 240 - plan.rule.outside, 1e-3))
    longer = CoverRadius(asked.space, asked.center, asked.top, longest, asked.outside)
    depths = longer.depths(np.r_[np.zeros(80), np.ones(160)])
    law = probabilities(longer.weights(depths, epsilon))
    assert np.sum(law[longer.radii < 1]) > 0.99  # as long as an empty ball alone would allow


def test_depths_are_those_of_the_distances():
    asked = line(top=8.0, steps=8)
    rows = asked.admit([[8.0], [8.1], [4.0], [4.01], [0.0], [-2.0], [np.nan]])
    assert rows.records.tolist() == [0, -1, 4, 3, 8, 8, 8]
    assert list(rows.invalid) == [6]
    assert asked.depths(np.array([np.nan, np.inf])).tolist() == [-1, -1]
    with pytest.raises(GeomdpError, match="radius is sought"):
        line(steps=161)


def test_a_chart_says_which_questions_it_serves():
    space = dp.SizeAndShape(4, 3)
    ball = dp.Ball(space, space.canonical(np.random.default_rng(0).normal(size=(4, 3))), 1.0)
    with pytest.raises(GeomdpError, match="a chart without a bound on its curvature"):
        dp.plan(dp.Refined(dp.FrechetMean(ball)), n=400, budget=dp.Pure(5))
    assert dp.plan(dp.Refined(dp.TangentMean(ball)), n=400, budget=dp.Pure(5)).n == 400


# --- budgets ------------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", [dp.Unit.record(), dp.Unit.person(max_records=2)], ids=str)
@pytest.mark.parametrize("budget", BUDGETS, ids=repr)
@pytest.mark.parametrize("rounds", [1, 2])
def test_stages_cost_what_was_asked_and_no_more(budget, rounds, unit):
    prior = dp.Ball(dp.Sphere(2), [0, 0, 1], 1.0)
    for asked in (dp.Refined(dp.TangentMean(prior), rounds), dp.PrivateBall(prior, rounds)):
        plan = dp.plan(asked, n=3000, budget=budget, unit=unit)
        assert plan.cost.fits(budget)
        if isinstance(budget, Pure):
            assert plan.cost.price(Pure) == budget
        if isinstance(budget, GDP):
            assert plan.cost.price(GDP) == budget
        if isinstance(budget, ZCDP):
            # Radii are divided by Hoeffding's round number, a little above their cost.
            assert 0.999 * budget.rho < plan.cost.price(ZCDP).rho <= budget.rho
        who = None if unit.of == "record" else np.arange(3000) // 2
        parts = plan.release(dp.Records(cloud(dp.Sphere(2), 0.3, 0.1, 3000), person=who)).parts
        for part, cost in zip(parts.values(), plan.rule.costs, strict=True):
            spent = part.plan.cost
            assert spent.mu_squared() <= cost.mu_squared()
            assert spent.rho() <= cost.rho()
            bound = cost.largest_loss()
            assert bound is None or spent.largest_loss() <= bound


def test_radius_stages_scale_with_mu():
    prior = dp.Ball(dp.Sphere(2), [0, 0, 1], 1.0)
    small, large = (
        dp.plan(dp.Refined(dp.TangentMean(prior)), n=10**5, budget=GDP(mu)).rule.budgets
        for mu in (0.1, 1)
    )
    assert small[0].epsilon == pytest.approx(large[0].epsilon / 10)
    assert small[2].epsilon == pytest.approx(large[2].epsilon / 10)


def test_too_few_records_are_refused_before_anything_is_spent():
    prior = dp.Ball(dp.Sphere(2), [0, 0, 1], 1.0)
    with pytest.raises(MechanismRefusedError, match="too few to find a ball") as refusal:
        dp.plan(dp.Refined(dp.FrechetMean(prior)), n=40, budget=Pure(1))
    needed = int(str(refusal.value).split("about ")[1].split(",")[0])
    assert dp.plan(dp.Refined(dp.FrechetMean(prior)), n=needed, budget=Pure(1)).n == needed


# --- the rule -----------------------------------------------------------------------------------


@pytest.mark.parametrize("budget", [Pure(1), GDP(1)], ids=repr)
@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.spec)
def test_nothing_refuses_after_the_first_stage(space, budget):
    origin = space.origin(np.zeros(space.dim))
    prior = dp.Ball(space, origin, min(1.0, 0.9 * space.injectivity_radius), wide=True)
    rule = dp.plan(dp.Refined(dp.FrechetMean(prior)), n=1000, budget=budget).rule
    tiny, top = float(rule.plan(()).statistic.radii[-1]), prior.radius
    hostile = [origin, np.full_like(origin, np.nan), np.full_like(origin, 1e300), 0 * origin]
    hostile.append(np.asarray(space.frame_exp(origin, np.full(space.dim, 3.0))))
    for first in (tiny, top):
        assert rule.plan(released([first])).statistic.ball.radius > 0
    for i, center in enumerate(hostile):
        third = rule.plan(released([tiny], center))
        assert top <= third.statistic.top <= 2 * top
        assert space.contains(third.statistic.center)
        last = (third.statistic.top, third.statistic.radii[-1], 1e-40)[i % 3]
        answer = rule.plan(released([tiny], center, [last]))
        assert isinstance(answer.statistic, dp.FrechetMean)
        assert not answer.statistic.ball.is_wide
        assert answer.cost.price(type(budget)) <= rule.budgets[-1]


def test_the_final_radius_is_capped_where_the_theorems_end():
    whole = dp.Ball.whole(dp.Sphere(2))
    mean = dp.plan(dp.Refined(dp.FrechetMean(whole)), n=1000, budget=Pure(1)).rule
    tangent = dp.plan(dp.Refined(dp.TangentMean(whole)), n=1000, budget=Pure(1)).rule
    found = released([0.0, 0.6, 0.8], [3.0])
    assert mean.plan(found).statistic.ball.radius == pytest.approx(0.999 * np.pi / 4)
    assert tangent.plan(found).statistic.ball.radius == 3.0


def test_every_stage_clips_the_original_records():
    plan = dp.plan(dp.Refined(dp.TangentMean(dp.Ball(LINE, [0.0], 8.0))), n=100, budget=Pure(5))
    center = plan.rule.plan(released([0.5]))
    near, far = np.zeros((100, 1)), np.zeros((100, 1))
    far[0] = 1e6
    means = [float(np.mean(center.statistic.encode(x))) for x in (near, far)]
    assert means[1] - means[0] == pytest.approx(0.5 / 100)  # a raw mean would move by 10^4
    assert center.sensitivity.value == pytest.approx(2 * 0.5 / 100)


def test_a_mechanism_asked_for_by_name_is_taken_and_its_caveats_are_stated():
    prior = dp.Ball(dp.Sphere(2), [0, 0, 1], 0.7)
    plan = dp.plan(dp.Refined(dp.FrechetMean(prior)), n=1000, budget=Pure(1), mechanism="kng")
    assert plan.guarantee.caveats == ("the time a release takes depends on the data",)
    assert plan.rule.plan(released([0.5], prior.center, [0.3])).mechanism == "kng"
    plan.rule.__dict__["caveats"] = ()  # what was not said before is not left out later
    assert plan.rule.plan(released([0.5], prior.center, [0.3])).mechanism == "laplace"
    plain = dp.plan(dp.Refined(dp.FrechetMean(prior)), n=1000, budget=Pure(1))
    assert plain.guarantee.caveats == ()
    with pytest.raises(MechanismRefusedError, match="comparison"):
        dp.plan(
            dp.Refined(dp.FrechetMean(prior)), n=1000, budget=Pure(1), mechanism="kng-metropolis"
        )


def test_a_fallback_is_taken_where_the_law_does_not_exist(monkeypatch):
    monkeypatch.setattr(type(dp.SPD(3)), "laplace_rate_limit", 20.0)
    prior = dp.Ball(dp.SPD(3), np.eye(3), 3.0)
    rule = dp.plan(dp.Refined(dp.FrechetMean(prior)), n=200, budget=Pure(1)).rule
    found = [released([3.0], np.eye(3), [radius]) for radius in (3.0, 0.1)]
    assert [rule.plan(values).mechanism for values in found] == ["wrapped-laplace", "laplace"]


def test_invalid_records_and_projections_are_refused_before_spending():
    prior = dp.Ball(dp.Sphere(2), [0, 0, 1], 1.0)
    bad = cloud(dp.Sphere(2), 0.3, 0.1, 500)
    bad[7] = np.nan
    with pytest.raises(GeomdpError, match="Record 8"):
        dp.plan(dp.Refined(dp.FrechetMean(prior)), n=500, budget=Pure(1)).prepare(bad)
    plan, good = dp.plan(dp.PrivateBall(prior), n=500, budget=Pure(1)), np.delete(bad, 7, axis=0)
    with pytest.raises(GeomdpError, match="projected"):
        plan.prepare(np.concatenate([good, good[:1]]), project=True)


# --- releases -----------------------------------------------------------------------------------


@pytest.mark.parametrize("space", [dp.Sphere(2), dp.SPD(2), dp.PlanarShapes(5)], ids=str)
def test_a_wide_prior_costs_little(space):
    points = cloud(space, 0.3, 0.02, 4000)
    prior = dp.Ball(space, space.origin(np.zeros(space.dim)), 0.7, wide=True)
    release = dp.plan(dp.Refined(dp.FrechetMean(prior)), n=4000, budget=GDP(1)).release(points)
    ball = dp.ball_of(release)
    inside = float(np.mean(space.dist(ball.center, points) <= ball.radius))
    assert ball.radius < 0.35
    assert inside > 0.9
    error = float(space.dist(dp.frechet_mean(space, points).point, release.value))
    assert error < 0.01


def test_the_ball_serves_later_plans_which_name_the_release(tmp_path):
    points = cloud(dp.Sphere(2), 0.4, 0.05, 800)
    plan = dp.plan(dp.PrivateBall(dp.Ball.whole(dp.Sphere(2))), n=800, budget=GDP(1))
    plan.save(tmp_path / "plan.json")
    release = dp.load_plan(tmp_path / "plan.json").release(points, folder=tmp_path / "ball")
    ball, again = dp.ball_of(release), dp.ball_of(dp.load_release(tmp_path / "ball"))
    assert ball.origin == again.origin != dp.ball_of(plan.release(points)).origin
    later = dp.plan(dp.TangentMean(again), n=800, budget=GDP(1))
    assert later.to_json()["statistic"]["origin"] == ball.origin
    later.release(points, folder=tmp_path / "mean")
    assert verify(tmp_path / "ball").problems == ()
    verdict = verify(tmp_path / "mean")
    assert verdict.problems == ()
    assert any("release in ball" in str(remark) for remark in verdict.remarks)
    assert any("GDP(mu='sqrt(2)')" in str(remark) for remark in verdict.remarks)  # both together
    with pytest.raises(GeomdpError, match="has found a ball"):
        dp.ball_of(dp.load_release(tmp_path / "mean"))


def test_verify_follows_the_chain_of_balls(tmp_path):
    points = cloud(dp.Sphere(2), 0.4, 0.05, 800)
    first = dp.plan(dp.PrivateBall(dp.Ball.whole(dp.Sphere(2))), n=800, budget=GDP(1))
    ball = dp.ball_of(first.release(points, folder=tmp_path / "elsewhere" / "ball"))
    again = dp.plan(dp.PrivateBall(ball), n=800, budget=GDP(1))
    second = dp.ball_of(again.release(points, folder=tmp_path / "second"))
    dp.plan(dp.TangentMean(second), n=800, budget=GDP(1)).release(points, folder=tmp_path / "mean")
    verdict = verify(tmp_path / "mean")
    assert verdict.problems == ()
    texts = [str(remark) for remark in verdict.remarks]
    assert any("second" in text and "followed" in text for text in texts)
    assert any("not beside" in text and ball.origin in text for text in texts)
    whole = verify(tmp_path / "mean", origins=[tmp_path / "elsewhere" / "ball"])
    assert not any("not beside" in str(remark) for remark in whole.remarks)
    # What was changed in an earlier folder is found from the last one.
    (tmp_path / "elsewhere" / "ball" / "report.html").write_text("other")
    wrong = verify(tmp_path / "mean", origins=[tmp_path / "elsewhere" / "ball"]).problems
    assert [problem.field for problem in wrong] == ["second/ball/report.html"]


def test_an_origin_that_was_altered_or_is_another_release_is_found(tmp_path):
    points = cloud(dp.Sphere(2), 0.4, 0.05, 800)
    plan = dp.plan(dp.PrivateBall(dp.Ball.whole(dp.Sphere(2))), n=800, budget=GDP(1))
    release = plan.release(points)
    other = plan.release(points, folder=tmp_path / "away" / "other")
    assert fingerprint(other) != fingerprint(release)
    dp.plan(dp.TangentMean(dp.ball_of(release)), n=800, budget=GDP(1)).release(
        points, folder=tmp_path / "mean"
    )
    release.save(tmp_path / "away" / "ball")
    assert verify(tmp_path / "mean", origins=[tmp_path / "away" / "ball"]).problems == ()
    (wrong,) = verify(tmp_path / "mean", origins=[tmp_path / "away" / "other"]).problems
    assert "no ball names it" in wrong.reason
    manifest = tmp_path / "away" / "ball" / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"n": 800', '"n": 801'))
    (wrong,) = verify(tmp_path / "mean", origins=[manifest.parent]).problems
    assert "was altered" in wrong.reason


def test_a_centre_that_the_release_did_not_find_is_found(tmp_path):
    points = cloud(dp.Sphere(2), 0.4, 0.05, 800)
    plan = dp.plan(dp.PrivateBall(dp.Ball.whole(dp.Sphere(2))), n=800, budget=GDP(1))
    ball = dp.ball_of(plan.release(points, folder=tmp_path / "ball"))
    for number, (center, radius) in enumerate(
        (([0.0, 0.6, 0.8], ball.radius), (ball.center, 0.9 * ball.radius))
    ):
        used = dp.Ball(ball.space, center, radius, origin=ball.origin, wide=True)
        out = tmp_path / str(number)
        dp.plan(dp.TangentMean(used), n=800, budget=GDP(1)).release(points, folder=out)
    (wrong,) = verify(tmp_path / "0").problems
    assert "not the one that the release found" in wrong.reason
    narrower = verify(tmp_path / "1")
    assert narrower.problems == ()
    assert any("was used" in str(remark) for remark in narrower.remarks)


def test_a_radius_that_was_changed_afterwards_is_found(tmp_path):
    plan = dp.plan(dp.PrivateBall(dp.Ball.whole(dp.Sphere(2))), n=800, budget=GDP(1))
    release = plan.release(cloud(dp.Sphere(2), 0.4, 0.05, 800))
    part = release.parts["stage 2"]
    from geomdp.plans.release import Release
    from geomdp.serial import array_to_json

    value = part.value * 1.01
    forged = Release(part.plan, value, {**part.manifest, "value": array_to_json(value)})
    forged.save(tmp_path / "forged")
    assert any("no radius" in str(p) for p in verify(tmp_path / "forged").problems)


def test_forecasts_over_the_spread_are_made_before_spending():
    prior = dp.Ball(dp.Sphere(2), [0, 0, 1], 0.7)
    plan = dp.plan(dp.Refined(dp.FrechetMean(prior)), n=2000, budget=Pure(1))
    *errors, far = [f.expected for f in plan.rule.forecasts().values()]
    assert len(errors) == 4
    assert errors == sorted(errors, reverse=True)
    assert errors[0] > 8 * errors[2]
    assert far > 1.5 * errors[-1]  # the centre is less certain there
    assert "if records spread over a 30th, far from the prior's centre" in str(plan)
    assert "if records spread over a 30th" in str(plan)
    assert "known ball" not in str(plan)
    high = dp.Refined(dp.FrechetMean(dp.Ball(dp.Euclidean(50), np.zeros(50), 0.7)))
    assert "known ball" in str(dp.plan(high, n=200, budget=Pure(1)))
    document = plan.to_json()
    assert json.loads(json.dumps(document)) == document
    assert isinstance(BallStages.from_json(document["stages"]), BallStages)


# --- wide balls ---------------------------------------------------------------------------------


def test_no_mechanism_takes_a_frechet_mean_on_a_wide_ball():
    for space in (dp.Sphere(2), dp.Sphere(1), dp.PlanarShapes(5)):
        ball = dp.Ball.whole(space)
        for name in (m.name for m in MECHANISMS.values() if not m.comparison):
            for budget in (Pure(1), GDP(1)):
                with pytest.raises(GeomdpError):
                    dp.plan(dp.FrechetMean(ball), n=100, budget=budget, mechanism=name)
        wide = dp.plan(dp.TangentMean(ball), n=100, budget=GDP(1))
        assert wide.expected_error < space.injectivity_radius


def test_wide_balls_need_the_word_and_a_compact_space():
    with pytest.raises(InvalidBallError, match="stay below"):
        dp.Ball(dp.Sphere(2), [0, 0, 1], 2.0)
    assert dp.Ball(dp.Sphere(2), [0, 0, 1], 2.0, wide=True).is_wide
    with pytest.raises(InvalidBallError, match=r"at most 3\.14159265359"):
        dp.Ball(dp.Sphere(2), [0, 0, 1], 3.2, wide=True)
    with pytest.raises(InvalidBallError, match="unbounded"):
        dp.Ball.whole(dp.SPD(2))


def test_a_wide_ball_holds_every_record():
    space = dp.Sphere(2)
    ball = dp.Ball.whole(space)
    rng = np.random.default_rng(0)
    points = rng.standard_normal((500, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    points[0] = [0.0, 0.0, -1.0]  # the antipode has no direction
    assert np.allclose(ball.clip(points)[1:], points[1:], rtol=0, atol=1e-15)
    logs = dp.TangentMean(ball).encode(points)
    assert np.all(np.linalg.norm(logs, axis=1) <= np.pi * (1 + 1e-12))


def test_the_command_finds_a_ball(tmp_path):
    from typer.testing import CliRunner

    from geomdp.cli.app import app

    words = ["plan", "--space", "sphere:2", "--find-ball", "--n", "1000", "--mu", "1"]
    file = tmp_path / "plan.json"
    done = CliRunner().invoke(app, [*words, "--out", str(file)])
    assert done.exit_code == 0, done.output
    assert "if records spread over a tenth" in done.output
    points = cloud(dp.Sphere(2), 1.2, 0.1, 1000)
    np.save(tmp_path / "points.npy", points)
    out = str(tmp_path / "mean")
    done = CliRunner().invoke(
        app, ["release", str(file), str(tmp_path / "points.npy"), "--out", out]
    )
    assert done.exit_code == 0, done.output
    assert verify(out).problems == ()
    done = CliRunner().invoke(app, [*words, "--table"])
    assert done.exit_code == 2
