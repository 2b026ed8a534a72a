"""Persons with any number of records: one value each, at every stage and in every group."""

import json
from fractions import Fraction

import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.mechanisms.gaussian_noise import exact_mean
from geomdp.plans.pooling import absent_rows, one_record_a_person, uncounted_rows
from geomdp.privacy import GDP, Pure
from geomdp.releases.verification import verify
from geomdp.statistics import CoverRadius
from geomdp.statistics.encoded import Encoded

PERSON = dp.Unit.person()
SPACE = dp.Sphere(2)
BALL = dp.Ball(SPACE, [0.0, 0.0, 1.0], 0.5)


def points_of(rng, count, away=0.2, spread=0.2):
    logs = spread * rng.standard_normal((count, 2)) + [away, 0.0]
    return np.asarray(SPACE.frame_exp(BALL.center, logs))


def study(rng, persons, most=6, away=0.2):
    counts = rng.integers(1, most + 1, persons)
    who = np.repeat([f"P{i:04d}" for i in range(persons)], counts)
    return points_of(rng, len(who), away), who


def sums(points, who, n, statistic=None):
    statistic = statistic or dp.TangentMean(BALL)
    pooled = one_record_a_person(statistic, dp.Records(points, person=who), n, "refuse")
    encoded = Encoded.of(statistic.encode(pooled.points))
    return exact_mean(statistic, encoded, np.asarray)


@pytest.mark.parametrize("count", [0, 1, 7, 10_000])
def test_a_person_moves_the_mean_by_no_more_than_one_record(count):
    rng = np.random.default_rng(count)
    points, who = study(rng, 40)
    mine = who == "P0007"
    here = sums(points, who, 40)
    for away in (3.0, -3.0, 0.0):  # beyond the ball, on either side
        others = points_of(rng, count, away, spread=0.01)
        there = sums(
            np.concatenate([points[~mine], others]), np.r_[who[~mine], ["P0007"] * count], 40
        )
        moved = sum((a - b) ** 2 for a, b in zip(here, there, strict=True))  # exact fractions
        assert moved <= (2 * Fraction(BALL.radius) / 40) ** 2


def test_nobody_elses_records_change_a_persons_value():
    rng = np.random.default_rng(0)
    points, who = study(rng, 30)
    mean = dp.FrechetMean(BALL)
    whole = one_record_a_person(mean, dp.Records(points, person=who), 30, "refuse").points
    order = rng.permutation(len(who))
    order = np.concatenate([order[who[order] != "P0003"], np.flatnonzero(who == "P0003")])
    mixed = dp.Records(points[order], person=who[order])
    assert np.array_equal(one_record_a_person(mean, mixed, 30, "refuse").points[3], whole[3])
    alone = dp.Records(points[who == "P0003"], person=who[who == "P0003"])
    assert np.array_equal(one_record_a_person(mean, alone, 30, "refuse").points[0], whole[3])
    logs = np.asarray(SPACE.frame_log(BALL.center, points[who == "P0003"]))
    own = np.mean(logs, axis=0)
    own *= min(1.0, BALL.radius / np.linalg.norm(own))
    assert SPACE.frame_log(BALL.center, whole[3]) == pytest.approx(own, abs=1e-12)


def test_radius_stages_count_persons_and_not_records():
    asked = CoverRadius(SPACE, BALL.center, 3.0, 20, 1)
    rng = np.random.default_rng(1)
    points, who = study(rng, 20, most=1)
    far = points_of(rng, 10, 1.5, 0.01)
    mine = who == "P0004"
    there = np.concatenate([points[~mine], far]), np.r_[who[~mine], ["P0004"] * 10]

    def shortfalls(points, who):
        pooled = one_record_a_person(asked, dp.Records(points, person=who), 20, "refuse").points
        return np.array(asked.shortfalls(asked.encode(pooled)))

    moved = shortfalls(*there) - shortfalls(points, who)
    assert set(moved.tolist()) == {0, 1}
    run_on_records = np.array(asked.shortfalls(asked.encode(there[0])))
    assert np.max(np.abs(run_on_records - asked.shortfalls(asked.encode(points)))) > 1  # a mutant


def test_a_mean_log_beyond_the_top_counts_as_outside():
    asked = CoverRadius(dp.Euclidean(1), np.zeros(1), 1.0, 8, 0)
    records = dp.Records([[5.0], [1.5], [0.5], [0.1]], person=["a", "b", "b", "c"])
    pooled = one_record_a_person(asked, records, 4, "refuse").points
    assert asked.encode(pooled).tolist() == [-1, 0, 8, 8]


@pytest.mark.parametrize("statistic", [dp.FrechetMean, dp.TangentMean, dp.Moments])
def test_releases_hide_how_many_records_there_are(statistic, tmp_path):
    rng = np.random.default_rng(2)
    plan = dp.plan(statistic(BALL), n=60, budget=GDP(1), unit=PERSON)
    plan.save(tmp_path / "plan.json")
    plan = dp.load_plan(tmp_path / "plan.json")
    assert plan.cost.fits(GDP(1))
    manifests = []
    for persons in (60, 50):  # ten of the roster have no records
        points, who = study(rng, persons)
        release = plan.release(dp.Records(points, person=who), folder=tmp_path / str(persons))
        assert verify(tmp_path / str(persons)).problems == ()
        manifests.append({k: v for k, v in release.manifest.items() if k != "value"})
    assert json.dumps(manifests[0]) == json.dumps(manifests[1])


def test_the_mechanisms_of_points_serve_persons_too():
    points, who = study(np.random.default_rng(3), 80)
    for name in ("laplace", "kng", "wrapped-laplace"):
        plan = dp.plan(dp.FrechetMean(BALL), n=80, budget=Pure(4), unit=PERSON, mechanism=name)
        value = plan.release(dp.Records(points, person=who)).value
        assert SPACE.dist(value, points_of(np.random.default_rng(0), 1, 0.2, 0.0)[0]) < 0.5


def test_noise_is_smaller_than_with_a_maximum():
    pooled = dp.plan(dp.TangentMean(BALL), n=100, budget=GDP(1), unit=PERSON)
    most = dp.plan(dp.TangentMean(BALL), n=3200, budget=GDP(1), unit=dp.Unit.person(max_records=60))
    assert most.scale / pooled.scale == pytest.approx(60 / 32, rel=1e-6)  # 32 records on average


def test_a_ball_is_found_for_persons():
    points, who = study(np.random.default_rng(4), 600, away=1.0)
    asked = dp.Refined(dp.FrechetMean(dp.Ball.whole(SPACE)))
    release = dp.plan(asked, n=600, budget=GDP(1), unit=PERSON).release(
        dp.Records(points, person=who)
    )
    target = points_of(np.random.default_rng(0), 1, 1.0, 0.0)[0]
    assert SPACE.dist(release.value, target) < 0.1


def test_groups_are_groups_of_persons():
    rng = np.random.default_rng(5)
    points, who = study(rng, 50)
    group = np.where(who < "P0030", "a", "b")
    plan = dp.plan(dp.TangentMean(BALL), n={"a": 30, "b": 25}, budget=GDP(1), unit=PERSON)
    assert plan.cost.price(GDP) == GDP(1)
    release = plan.release(dp.Records(points, group=group, person=who))
    assert set(release.value) == {"a", "b"}
    twice = dp.Unit.person(groups=2)
    both = dp.plan(dp.TangentMean(BALL), n={"a": 30, "b": 25}, budget=GDP(1), unit=twice)
    assert 0.999 < both.cost.price(GDP).mu <= 1
    assert both.plans["a"].scale == pytest.approx(np.sqrt(2) * plan.plans["a"].scale)


def test_persons_are_charged_in_the_groups_before_and_after():
    sizes = {"a": 20, "b": 20, "c": 20}
    plans = {
        (groups, labels): dp.plan(
            dp.TangentMean(BALL),
            n=sizes,
            budget=GDP(1),
            unit=dp.Unit.person(groups=groups, labels=labels),
        )
        for groups in (1, 2)
        for labels in ("public", "private")
    }
    scale = plans[1, "public"].plans["a"].scale
    for (groups, _labels), plan in plans.items():
        assert plan.plans["a"].scale == pytest.approx(np.sqrt(groups) * scale)
        assert plan.cost.price(GDP).mu <= 1
        assert "who is in which is not" in plan.guarantee.unit.neighbours()
    # Moving between groups changes one value in each, and nothing elsewhere.
    rng = np.random.default_rng(9)
    points, who = study(rng, 45, most=3)
    group = np.array(["a", "b", "c"])[[int(name[1:]) % 3 for name in who]]
    moved = np.where(who == "P0000", "b", group)
    private = plans[1, "private"]
    sums = [
        {
            label: exact_mean(dp.TangentMean(BALL), ready.encoded, np.asarray)
            for label, ready in private.prepare(
                dp.Records(points, group=labels, person=who)
            ).ready.items()
        }
        for labels in (group, moved)
    ]
    assert sums[0]["c"] == sums[1]["c"]
    for label in "ab":
        change = sum((x - y) ** 2 for x, y in zip(sums[0][label], sums[1][label], strict=True))
        assert 0 < change <= (2 * Fraction(BALL.radius) / 20) ** 2


def test_the_command_states_groups_a_person_and_private_labels(tmp_path):
    from typer.testing import CliRunner

    from geomdp.cli.app import app

    words = ["plan", "--space", "sphere:2", "--center", "0,0,1", "--radius", "0.5", "--mu", "1"]
    groups = ["--group", "a=20", "--group", "b=20", "--unit", "person", "--groups-per-person", "2"]
    file = tmp_path / "plan.json"
    done = CliRunner().invoke(app, [*words, *groups, "--private-labels", "--out", str(file)])
    assert done.exit_code == 0, done.output
    assert dp.load_plan(file).unit.changed_groups == 4
    done = CliRunner().invoke(app, [*words, "--n", "20", "--groups-per-person", "2"])
    assert done.exit_code == 2
    assert "--unit person" in done.output


def test_a_maximum_of_records_weighs_records_equally():
    rng = np.random.default_rng(10)
    near, far = points_of(rng, 30, 0.0, 0.001), points_of(rng, 10, 0.4, 0.001)
    who = np.r_[np.repeat("one", 30), [f"P{i}" for i in range(10)]]
    points = np.concatenate([near, far])
    data = dp.Records(points, person=who)
    pooled = dp.plan(dp.TangentMean(BALL), n=11, budget=GDP(1000), unit=PERSON).release(data)
    most = dp.Unit.person(max_records=30)
    equal = dp.plan(dp.TangentMean(BALL), n=40, budget=GDP(30_000), unit=most).release(data)
    lengths = [float(SPACE.dist(BALL.center, r.value)) for r in (pooled, equal)]
    assert lengths == pytest.approx([0.4 * 10 / 11, 0.4 * 10 / 40], abs=0.01)


def test_a_person_in_more_groups_than_stated_counts_in_the_first():
    rng = np.random.default_rng(6)
    points = points_of(rng, 40, 0.3, 0.01)
    who = np.r_[[f"P{i}" for i in range(20)], [f"P{i}" for i in range(20)]]
    group = np.repeat(["a", "b"], 20)
    plan = dp.plan(dp.TangentMean(BALL), n={"a": 20, "b": 20}, budget=GDP(100), unit=PERSON)
    release = plan.release(dp.Records(points, group=group, person=who))
    assert SPACE.dist(BALL.center, release.value["a"]) > 0.25
    assert SPACE.dist(BALL.center, release.value["b"]) < 0.05  # nobody is left in b


def test_what_persons_cannot_have_is_refused():
    points, who = study(np.random.default_rng(7), 20)
    plan = dp.plan(dp.TangentMean(BALL), n=10, budget=GDP(1), unit=PERSON)
    with pytest.raises(InvalidRecordError, match="for 10 persons, but there are 20"):
        plan.prepare(dp.Records(points, person=who))
    with pytest.raises(GeomdpError, match="say who"):
        plan.prepare(points)
    with pytest.raises(InvalidRecordError, match="no person"):
        plan.prepare(dp.Records(points, person=np.where(who == "P0003", " ", who)))
    points[3] = np.nan
    wide = dp.plan(dp.TangentMean(BALL), n=20, budget=GDP(1), unit=PERSON)
    with pytest.raises(InvalidRecordError, match="Record 4"):
        wide.prepare(dp.Records(points, person=who))
    public = dp.plan(dp.TangentMean(BALL), n=20, budget=GDP(1), unit=PERSON, invalid="public")
    assert SPACE.contains(public.release(dp.Records(points, person=who)).value)
    with pytest.raises(GeomdpError, match="public ball"):
        dp.plan(dp.Summary(SPACE, 0.1), budget=Pure(1), unit=PERSON)


@pytest.mark.parametrize("gap", [None, np.nan, "", " ", "NA", "nan", "?", np.datetime64("NaT")])
def test_records_without_a_person_are_not_pooled_into_one(gap):
    """Formerly whoever had no id was one person, called None or nan, and somebody else as well."""
    points, who = study(np.random.default_rng(11), 20)
    named = [gap if name == "P0003" else name for name in who.tolist()]
    for unit in (PERSON, dp.Unit.person(max_records=6)):
        plan = dp.plan(dp.TangentMean(BALL), n=len(who), budget=GDP(1), unit=unit)
        with pytest.raises(InvalidRecordError, match="no person"):
            plan.prepare(dp.Records(points, person=named))


def test_one_odd_id_does_not_change_the_others():
    """Formerly a float among whole numbers made floats of all, and two persons one."""
    ids = [2**53 + 1, 2**53, 0.5]
    person = dp.Records(np.zeros((3, 1)), person=ids).person.tolist()
    assert person == [str(2**53 + 1), str(2**53), "0.5"]


def test_the_command_plans_for_persons(tmp_path):
    from typer.testing import CliRunner

    from geomdp.cli.app import app

    words = ["plan", "--space", "sphere:2", "--center", "0,0,1", "--radius", "0.5", "--mu", "1"]
    file = tmp_path / "plan.json"
    done = CliRunner().invoke(app, [*words, "--n", "30", "--unit", "person", "--out", str(file)])
    assert done.exit_code == 0, done.output
    points, who = study(np.random.default_rng(8), 30)
    rows = ["x,y,z,who", *(f"{x},{y},{z},{w}" for (x, y, z), w in zip(points, who, strict=True))]
    table = tmp_path / "study.csv"
    table.write_text("\n".join(rows) + "\n")
    out = tmp_path / "mean"
    done = CliRunner().invoke(
        app, ["release", str(file), str(table), "--person", "who", "--out", str(out)]
    )
    assert done.exit_code == 0, done.output
    assert verify(out).problems == ()


def test_absent_persons_are_the_public_row():
    """Without a record there is no covariate either: neither 0 nor the first level."""
    asked = dp.Regression(BALL, covariates={"age": (20, 90), "sex": ("f", "m")})
    plan = dp.plan(asked, n=4, budget=GDP(1), unit=PERSON)
    data = dp.Records(
        points_of(np.random.default_rng(12), 3),
        person=["q", "p", "q"],
        covariates={"age": [80, 80, 80], "sex": ["m", "m", "m"]},
    )
    rows = np.asarray(plan.prepare(data).encoded)
    assert np.all(np.any(rows[:2] != 0, axis=1))
    assert not np.any(rows[2:])


def test_rows_without_records_and_beyond_the_maximum_do_not_count():
    assert absent_rows(dp.Records(np.zeros((3, 1)), person=["p", "q", "p"]), 4).tolist() == [2, 3]
    records = dp.Records(np.zeros((4, 2)), person=["p", "q", "p ", "p"])
    assert uncounted_rows(dp.Unit.person(max_records=2), records).tolist() == [3]
