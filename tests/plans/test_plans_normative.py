"""Normative regions: two drawn halves for the price of one, and how many new people lie inside."""

import re
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import GeomdpError, InvalidRecordError, MechanismRefusedError
from geomdp.noise.discrete_exponential import probabilities
from geomdp.noise.entropy import Entropy, SeededEntropy
from geomdp.plans import load_plan, load_release
from geomdp.plans.normative_stages import NormativeStages, divided, drawn_half, epsilon_of
from geomdp.plans.release import Release
from geomdp.privacy import PureCost, parallel, total
from geomdp.statistics.cover_radius import CoverRadius
from geomdp.statistics.normative import WhitenedRadius
from geomdp.statistics.whitening import whitening

N = 400


def line(radius=4.0, dim=1):
    return dp.Ball(dp.Euclidean(dim), np.zeros(dim), radius)


def planned(dim=1, n=N, budget=None, **more):
    asked = dp.NormativeRegion(line(dim=dim))
    return dp.plan(asked, n=n, budget=dp.GDP(1) if budget is None else budget, **more)


def people(n=N, dim=1, seed=0):
    return np.random.default_rng(seed).standard_normal((n, dim)) / np.sqrt(dim)


# --- the price of two halves


EPSILON = Fraction(1)
#: Half of them far out: whoever is told who is in which half is told much.
VALUES = {"b": 0.1, "c": 7.0, "d": 0.1, "e": 7.0, "f": 0.1, "g": 7.0}


def law_of_both(values, masks):
    """The exact law of two radii, one of each half, over halves that are drawn from these masks."""
    asked = CoverRadius(dp.Euclidean(1), np.zeros(1), 8.0, 12, outside=0)
    records = dp.Records(np.array([[v] for v in values.values()]), person=list(values))
    law = 0.0
    for mask in masks:
        halves = divided(records, np.array(mask), by_person=True)
        encoded = [asked.admit(np.asarray(half.points)).records for half in halves]
        laws = [probabilities(asked.weights(one, EPSILON)) for one in encoded]
        law = law + np.outer(*laws)
    return law / len(masks)


def replaced(old, new, value):
    """The same people but one, whose name is another's: places in the order of names move."""
    return {name: v for name, v in VALUES.items() if name != old} | {new: value}


def loss(first, second, masks):
    pair = [np.log(law_of_both(values, masks)) for values in (first, second)]
    return float(np.max(np.abs(pair[0] - pair[1])))


EVERY = [[i in some for i in range(6)] for some in combinations(range(6), 3)]
ODD = [[i % 2 == 0 for i in range(6)]]
NEIGHBOURS = [("g", "a", 0.1), ("g", "a", 7.0), ("b", "z", 7.0), ("d", "d", 7.0), ("c", "ee", 0.1)]


@pytest.mark.parametrize("change", NEIGHBOURS)
def test_two_drawn_halves_cost_what_the_dearer_does(change):
    assert loss(VALUES, replaced(*change), EVERY) <= float(EPSILON) * (1 + 1e-9)


def test_persons_numbered_by_sorted_names_would_break_the_promise():
    # A new first name moves everybody into the other half.
    assert loss(VALUES, replaced("g", "a", 0.1), ODD) > 2.5 * float(EPSILON)
    # With places that nobody's name can change, the same split keeps it.
    assert loss(VALUES, VALUES | {"d": 7.0}, ODD) <= float(EPSILON) * (1 + 1e-9)


def test_all_halves_are_alike():
    entropy = SeededEntropy(1)
    drawn = [tuple(drawn_half(4, entropy)) for _ in range(6000)]
    counts = {half: drawn.count(half) for half in set(drawn)}
    assert len(counts) == 6
    assert all(sum(half) == 2 for half in counts)
    assert max(abs(count - 1000) for count in counts.values()) < 130  # 4.5 deviations
    assert drawn_half(7, entropy).sum() == 3


def test_equal_keys_are_drawn_again():
    class Tied(Entropy):
        def __init__(self):
            self.words = [np.zeros(4, np.uint64), np.array([3, 1, 2, 0], np.uint64)]

        def take(self, count):
            return self.words.pop(0).tobytes()

    assert drawn_half(4, Tied()).tolist() == [False, True, False, True]


def test_a_release_draws_other_halves_each_time_and_uses_each_record_once():
    plan, records = planned(), dp.Records(people())
    (first, second, again), (other, _, _) = (plan.rule.seen(records) for _ in range(2))
    assert second is again
    together = np.sort(np.concatenate([first.points, second.points])[:, 0])
    assert np.array_equal(together, np.sort(records.points[:, 0]))
    assert not np.array_equal(first.points, other.points)


BUDGETS = [dp.Pure(4), dp.GDP(1), dp.GDP(40), dp.ZCDP(1), dp.Approximate(4, "1e-6"), dp.GDP(2000)]


@pytest.mark.parametrize("budget", BUDGETS, ids=repr)
def test_the_whole_costs_the_dearer_half_in_every_currency(budget):
    plan = planned(budget=budget)
    moments, *radii = plan.rule.costs
    assert plan.cost == parallel((moments, total(radii)))
    assert plan.cost.fits(budget)
    assert not total(plan.rule.costs).fits(budget)
    assert plan.n == N
    assert [plan.rule.plan(()).n, plan.rule.outlook().n] == [N // 2, N // 2]
    share = 0.99 * float(moments.mu_squared())
    assert budget.is_pure or budget.parts[0] > 1000 or total(radii).mu_squared() < share / 0.98


def test_records_up_to_a_maximum_lie_in_both_halves_which_are_both_charged():
    plan = planned(n=2000, budget=dp.GDP(2), unit=dp.Unit.person(max_records=2))
    assert plan.cost == total(plan.rule.costs)
    assert plan.cost.fits(dp.GDP(2))
    assert "both are charged" in str(plan)
    # The dearer half alone would promise too much: someone with a record in each changes both.
    assert not parallel(plan.rule.costs).mu_squared() >= plan.cost.mu_squared()


def test_the_epsilon_of_a_radius_costs_no_more_than_mu():
    for mu in (0.01, 0.3, 1.0, 3.0, 20.0, 500.0):
        cost = PureCost(Fraction(0.999 * epsilon_of(mu)), bounded_range=True)
        assert cost.mu_squared() <= Fraction(mu) ** 2
        assert cost.rho() <= Fraction(mu) ** 2 / 2


# --- what a region holds


def coverage(plan, dim, n, reps=12, spread=None):
    rng, scale = np.random.default_rng(3), np.ones(dim) if spread is None else spread
    found = []
    for _ in range(reps):
        records, new = (rng.standard_normal((m, dim)) * scale for m in (n, 2000))
        found.append(np.mean(dp.normative_of(plan.release(records)).contains(new)))
    return float(np.mean(found))


@pytest.mark.parametrize(("dim", "n"), [(1, 300), (7, 300), (7, 1500), (60, 300)])
def test_new_people_lie_inside_as_often_as_was_said(dim, n):
    plan = dp.plan(dp.NormativeRegion(line(3.0, dim)), n=n, budget=dp.GDP(1))
    assert 0.93 <= coverage(plan, dim, n, spread=np.full(dim, dim**-0.5)) <= 0.993


def test_radii_from_the_records_of_the_moments_would_hold_far_fewer(monkeypatch):
    dim, n, budget = 60, 300, dp.GDP(1000)
    plan = dp.plan(dp.NormativeRegion(line(3.0, dim)), n=n, budget=budget)
    spread = np.full(dim, dim**-0.5)
    assert coverage(plan, dim, n, 4, spread) > 0.9

    def same(rule, records, project=False):
        half = records.rows(slice(0, n // 2))
        return (half, half, half)

    monkeypatch.setattr(NormativeStages, "seen", same)
    assert coverage(plan, dim, n, 4, spread) < 0.5


def test_what_is_promised_on_average_holds_whatever_the_records_are():
    rng, epsilon = np.random.default_rng(0), Fraction(3, 2)
    asked = WhitenedRadius(line(), np.zeros(1), np.eye(1), 0.95, 0.0, 8.0, 30, outside=7)
    n = 150
    promised = asked.promised(n, float(epsilon))
    assert 0.8 < promised < 0.95
    sets = [rng.standard_normal(n) * size for size in (0.01, 0.5, 1.0, 4.0, 100.0)]
    sets += [np.geomspace(1e-3, 9.0, n), np.zeros(n), np.full(n, 8.0)]
    for values in sets:
        depths = asked.admit(values[:, None]).records
        held = np.array([int(np.sum(depths >= j)) for j in range(asked.steps + 1)])
        law = probabilities(asked.weights(depths, epsilon))
        # A new person lies among the n + 1 anywhere.
        assert law @ held / (n + 1) >= promised


def test_no_more_is_promised_than_records_leave_whose_radii_all_weigh_alike():
    """The worst records: each narrower radius weighs twice as much, and falls as much shorter."""
    epsilon, n, slope = Fraction(3, 2), 150, np.log(2) / 1.5
    asked = WhitenedRadius(line(), np.zeros(1), np.eye(1), 0.95, 0.0, 8.0, 30, outside=7)
    found = []
    for rate in np.linspace(0.5, 1.1, 25):
        held = n - 7 - np.floor(rate * slope * np.arange(asked.steps + 1)).astype(int)
        held[0] = n
        depths = np.repeat(np.arange(asked.steps + 1), held - np.append(held[1:], 0))
        assert [np.sum(depths >= j) for j in range(asked.steps + 1)] == held.tolist()
        found.append(float(probabilities(asked.weights(depths, epsilon)) @ held) / (n + 1))
    promised = asked.promised(n, float(epsilon))
    assert promised <= min(found) < promised + 0.065
    # Less slack than the bound has, by so many records, would promise too much.
    assert min(found) < (n - 7 - 6) / (n + 1)


def test_the_widest_radius_holds_everybody_so_that_one_always_serves():
    asked = WhitenedRadius(line(), np.zeros(1), np.eye(1), 0.95, 0.0, 8.0, 8, outside=0)
    assert asked.admit(np.array([[1e300], [0.1]])).records.tolist() == [0, 8]
    assert asked.shortfalls(asked.encode(np.array([[1e300], [0.1]])))[0] == 0


@pytest.mark.parametrize("budget", [dp.GDP(1), dp.Pure(4)], ids=repr)
@pytest.mark.parametrize("size", [0.0, 1e-9, -50.0, 1e160, 1e300])
def test_stages_go_on_whatever_was_released(budget, size):
    rule = planned(2, budget=budget).rule
    first = rule.plan(())
    released = [Release(first, np.full_like(first.statistic.public_value, size), {})]
    second = rule.plan(released)
    released.append(Release(second, second.statistic.radii[[-1]], {}))
    third = rule.plan(released)
    for stage in (second, third):
        assert np.all(np.isfinite(stage.statistic.root))
        assert stage.guarantee.budget == rule.budgets[len(released) - (stage is second)]


def test_whitening_makes_records_alike_in_all_directions_where_noise_is_small():
    rng = np.random.default_rng(0)
    spread, form = np.diag([0.5, 0.1]), np.diag([1.0, 0.05])
    for ball in (line(3.0, 2), replace(line(3.0, 2), form=form, wide=True)):
        asked = dp.NormativeRegion(ball)
        points = rng.standard_normal((4000, 2)) @ spread + 0.2
        plan = dp.plan(asked, n=4000, budget=dp.GDP(50))
        release = plan.release(points).parts["stage 1"]
        seen = whitening(asked.ball, release.value, release.plan.noise_deviation)
        white = (points - seen.mean) @ seen.root
        assert np.allclose(np.cov(white.T), np.eye(2), atol=0.15)


# --- scores


def test_scores_are_centiles_calibrated_at_the_median_and_the_level():
    plan, new = planned(2, n=3000, budget=dp.GDP(2)), people(4000, 2, seed=9)
    releases = [plan.release(people(3000, 2)) for _ in range(8)]
    every = np.concatenate([release.score(new) for release in releases])
    for centile, slack in ((50, 0.08), (95, 0.03), (75, 0.08)):
        assert abs(np.mean(every <= centile) - centile / 100) < slack
    release = releases[-1]
    found, scores = dp.normative_of(release), release.score(new)
    assert np.array_equal(scores <= 95 + 1e-9, found.contains(new))
    assert found.centiles(found.radius_at(30.0)) == pytest.approx(30.0)
    assert found.centiles(found.radius) == pytest.approx(95.0)
    assert np.isnan(release.score([[np.nan, 0.0]])).tolist() == [True]
    assert np.all(found.region(95.0).contains(found.region(94.0).boundary()))
    with pytest.raises(GeomdpError, match="centile"):
        found.radius_at(100)
    with pytest.raises(GeomdpError, match="NormativeRegion"):
        release.parts["stage 2"].score(new)


def test_records_that_no_narrow_radius_holds_are_told_and_nobody_is_outside():
    plan = dp.plan(dp.NormativeRegion(line(0.01)), n=N, budget=dp.GDP(1))
    found = dp.normative_of(plan.release(people() * 100))
    assert found.whole
    assert "too small" in found.describe()
    assert found.contains([[1e9]]).all()


def test_raw_people_are_scored_as_the_plan_reads_them():
    from geomdp.readings import Directions

    reading = Directions("dec-inc")
    ball = dp.Ball(dp.Sphere(2), reading.points(np.array([[30.0, -60.0]]))[0], 0.5)
    plan = dp.plan(dp.NormativeRegion(ball), n=N, budget=dp.GDP(1), reading=reading)
    raw = np.array([30.0, -60.0]) + 4 * np.random.default_rng(0).standard_normal((N, 2))
    near, far = plan.release(raw).score([[30.0, -60.0], [200.0, 60.0]])
    assert near < 50
    assert far > 99


# --- a whole life


def test_it_is_saved_released_verified_and_read_back(tmp_path):
    plan = planned()
    plan.save(tmp_path / "plan.json")
    again = load_plan(tmp_path / "plan.json")
    assert again.hash == plan.hash
    release = again.release(people(), folder=tmp_path / "folder")
    assert dp.verify(tmp_path / "folder").verified
    back = load_release(tmp_path / "folder")
    assert back.score([[0.3]]) == release.score([[0.3]])
    assert '"centiles"' in (tmp_path / "folder" / "normative.json").read_text()


def test_a_changed_centile_is_noticed(tmp_path):
    planned().release(people(), folder=tmp_path / "folder")
    file = tmp_path / "folder" / "normative.json"
    file.write_text(file.read_text().replace('"level": 0.95', '"level": 0.99'))
    assert not dp.verify(tmp_path / "folder").verified


def test_persons_and_dask_arrays_take_the_same_road():
    dask = pytest.importorskip("dask.array")
    values = people(900)
    plan = planned(n=N, unit=dp.Unit.person())
    names = [f"p{i % (N - 1)}" for i in range(900)]  # one of the roster has none
    for points in (values, dask.from_array(values, chunks=(250, 1))):
        release = plan.release(dp.Records(points, person=names))
        assert release.score([[0.0]]) < 60


def test_an_invalid_record_is_named_by_its_row_and_refused_before_any_draw():
    records = people()
    records[317] = np.nan
    with pytest.raises(InvalidRecordError, match="318"):
        planned().release(records)
    assert planned(invalid="public").release(records).score([[0.0]]) < 60


def test_what_cannot_be_planned_is_refused_in_a_sentence():
    with pytest.raises(MechanismRefusedError, match="too few"):
        planned(n=60)
    with pytest.raises(GeomdpError, match="level between"):
        dp.NormativeRegion(line(), level=0.4)
    with pytest.raises(GeomdpError, match="by group"):
        planned(n={"a": N, "b": N})
    with pytest.raises(GeomdpError, match="stages of its own"):
        dp.plan(dp.Refined(dp.NormativeRegion(line())), n=N, budget=dp.GDP(1))
    with pytest.raises(GeomdpError, match="leave mechanism out"):
        planned(mechanism="laplace")
    with pytest.raises(GeomdpError, match="in stages"):
        dp.NormativeRegion(line()).estimate(None)


# --- charts over age


def grown(n, seed, low=2.0, high=18.0):
    """Ages and heights, of which the mean grows and the spread is 4."""
    rng = np.random.default_rng(seed)
    age = rng.uniform(low, high, n)
    heights = (80 + 5.5 * age + 4 * rng.standard_normal(n))[:, None]
    return dp.Records(heights, covariates={"age": age})


def chart(budget=None, **more):
    ball = dp.Ball(dp.Euclidean(1), [130.0], radius=60.0)
    asked = dp.NormativeRegion(ball, covariates={"age": (2, 18)})
    return dp.plan(asked, n=1500, budget=dp.GDP(2) if budget is None else budget, **more)


@pytest.mark.parametrize("budget", [dp.GDP(2), dp.Pure(4)], ids=repr)
def test_a_chart_over_age_holds_children_of_all_ages(budget):
    release = chart(budget).release(grown(1500, 0))
    found = dp.normative_of(release)
    for low, high in ((2, 6), (8, 12), (14, 18)):
        new = grown(3000, 5, low, high)
        assert 0.9 < np.mean(found.contains(new)) <= 1
    ages, curves = found.curves("age", 5)
    assert np.allclose(curves[50], 80 + 5.5 * ages, atol=3)
    assert list(curves) == sorted(curves)
    assert np.all(np.diff(np.array(list(curves.values())), axis=0) > 0)
    # A region for all ages together would be 4 times as wide.
    assert np.all(curves[97] - curves[3] < 30)
    tall, usual = release.score(dp.Records([[150.0], [102.0]], covariates={"age": [4, 4]}))
    assert usual < 60
    assert tall > 99
    assert found.at(age=10).mean[0] == pytest.approx(135, abs=3)


def by_sex(n, seed, only=None):
    """Ages, sexes and heights: girls are 12 smaller."""
    data = grown(n, seed)
    sex = np.where(np.random.default_rng(seed + 100).random(n) < 0.4, "f", "m")
    sex = sex if only is None else np.full(n, only)
    points = data.points - 12.0 * (sex == "f")[:, None]
    return dp.Records(points, covariates={**data.covariates, "sex": sex})


def test_groups_are_levels_with_a_chart_of_their_own(tmp_path, with_reports):
    ball = dp.Ball(dp.Euclidean(1), [130.0], radius=60.0)
    asked = dp.NormativeRegion(ball, covariates={"age": (2, 18), "sex": ("f", "m")})
    plan = dp.plan(asked, n=1500, budget=dp.GDP(2))
    release = plan.release(by_sex(1500, 0), folder=tmp_path / "folder")
    found = dp.normative_of(release)
    for sex in ("f", "m"):
        assert 0.9 < np.mean(found.contains(by_sex(3000, 5, sex))) <= 1
    girls, boys = (found.curves("age", 5, sex=sex)[1][50] for sex in ("f", "m"))
    assert np.allclose(boys - girls, 12, atol=2)
    np.testing.assert_array_equal(found.curves("age", 5)[1][50], girls)
    assert found.groups() == [{"sex": "f"}, {"sex": "m"}]
    page = (tmp_path / "folder" / "report.html").read_text()
    assert "along age, sex f." in page
    assert "along age, sex m." in page
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert dp.verify(tmp_path / "folder").verified
    with pytest.raises(GeomdpError, match="levels of a covariate"):
        dp.plan(dp.NormativeRegion(ball), n={"f": 900, "m": 900}, budget=dp.GDP(2))


def test_a_chart_is_saved_shown_and_verified(tmp_path):
    plan = chart()
    plan.save(tmp_path / "plan.json")
    release = load_plan(tmp_path / "plan.json").release(grown(1500, 0), folder=tmp_path / "folder")
    assert dp.verify(tmp_path / "folder").verified
    back = load_release(tmp_path / "folder")
    new = grown(5, 3)
    assert np.array_equal(back.score(new), release.score(new))
    assert '"slopes"' in (tmp_path / "folder" / "normative.json").read_text()


def test_somebody_without_an_age_has_no_centile_and_is_refused():
    release = chart().release(grown(1500, 0))
    new = dp.Records([[100.0], [100.0]], covariates={"age": [4, float("nan")]})
    assert np.isnan(release.score(new)).tolist() == [False, True]
    records = grown(1500, 0)
    records.covariates["age"][12] = np.nan
    with pytest.raises(InvalidRecordError, match="13"):
        chart().release(records)
    assert chart(invalid="public").release(records).score(new)[0] < 100
    with pytest.raises(GeomdpError, match="without covariates"):
        dp.normative_of(planned().release(people())).at(age=3)


def test_regions_on_a_sphere_move_with_age_and_by_person():
    rng = np.random.default_rng(0)
    age = rng.uniform(0, 1, 900)
    ball = dp.Ball(dp.Sphere(2), [0.0, 0.0, 1.0], 0.8)
    logs = np.stack([0.8 * (age - 0.5), np.zeros(900)], axis=1)
    points = ball.space.frame_exp(ball.center, logs + 0.05 * rng.standard_normal((900, 2)))
    asked = dp.NormativeRegion(ball, covariates={"age": (0, 1), "sex": ("f", "m")})
    plan = dp.plan(asked, n=450, budget=dp.GDP(10), unit=dp.Unit.person())
    beside = {"age": np.repeat(age[::2], 2), "sex": ["f", "m"] * 450}
    points = np.repeat(np.asarray(points)[::2], 2, axis=0)
    names = [f"p{i // 2}" for i in range(900)]
    found = dp.normative_of(plan.release(dp.Records(points, person=names, covariates=beside)))
    ends = [found.at(age=a, sex="f").mean for a in (0, 1)]
    assert ball.space.dist(*ends) == pytest.approx(0.8, abs=0.1)
    assert [label for label, _ in found.along("sex")] == ["sex f", "sex m"]
    with pytest.raises(GeomdpError, match="one number"):
        found.curves("age")


@pytest.mark.parametrize("unit", [dp.Unit.person(), dp.Unit.person(max_records=2)], ids=repr)
def test_whoever_does_not_count_has_the_centre_at_the_middle_of_the_ages(unit):
    records = grown(1500, 0)
    names = [f"p{max(i, 3)}" for i in range(1500)]  # one person has four records
    data = dp.Records(records.points, person=names, covariates=records.covariates)
    n = 1500
    found = dp.normative_of(chart(unit=unit, budget=dp.GDP(4)).release(data))
    assert found.n == n // 2
    assert found.asked.public_row == found.asked.encode_public(found.asked.public_record)[0]


@pytest.mark.slow
def test_an_audit_finds_nothing_in_any_stage_of_a_chart():
    from geomdp.audit import audit_all

    for plan in (chart(), planned(2)):
        assert all(audit.passed for audit in audit_all(plan))
