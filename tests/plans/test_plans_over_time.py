"""Releases over time: what they cost, what they refuse, what may go wrong between two of them."""

import json
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest

import geomdp as dp
from geomdp.audit import Settings
from geomdp.audit.run import audit_all
from geomdp.audit.stages import course_loss
from geomdp.errors import AlreadyReleasedError, BudgetSpentError, GeomdpError
from geomdp.mechanisms.running_totals import RUNNING_TOTALS, Scheme, square_root
from geomdp.noise.entropy import SeededEntropy
from geomdp.plans import OverTimePlan, course_of
from geomdp.plans.kept import Kept
from geomdp.privacy import GDP, GaussianCost, total
from geomdp.serial import array_from_json, array_to_json
from geomdp.statistics.encoded import Encoded
from geomdp.surfaces import SurfaceMean, make_template, procedural_face, template_face

BALL = dp.Ball(dp.Euclidean(2), center=[0.0, 0.0], radius=1.0)
MEAN = dp.FrechetMean(BALL)
SIZE = 20


def planned(periods=4, changes="refused", statistic=MEAN, budget=None, unit=None) -> OverTimePlan:
    asked = dp.OverTime(statistic, periods=periods, changes=changes)
    return dp.plan(asked, n=80, budget=budget or dp.GDP(1), unit=unit)


def registry(periods=4, seed=0, **beside) -> dp.Records:
    points = 0.2 * np.random.default_rng(seed).standard_normal((SIZE * periods, 2))
    labels = np.repeat(np.arange(1, periods + 1), SIZE)
    return dp.Records(points, period=labels, **beside)


def changed(data: dp.Records, **columns) -> dp.Records:
    kept = {"points": data.points, "period": data.period, "person": data.person}
    return dp.Records(**{**kept, **columns})


# --- what it costs ---------------------------------------------------------------------------


@pytest.mark.parametrize("periods", [2, 12, 52])
def test_debits_of_all_periods_add_up_to_the_promise(periods):
    made = planned(periods)
    debits = [made.debit(step) for step in range(1, periods + 1)]
    assert total(debits) == made.cost
    assert made.cost == GaussianCost(1)


@pytest.mark.parametrize("budget", [dp.GDP(0.3), dp.ZCDP(0.02)])
def test_the_cost_is_within_the_budget_and_hardly_below(budget):
    made = planned(12, budget=budget)
    assert made.cost.fits(budget)
    assert not made.cost.fits(budget.scaled(Fraction(999, 1000)))


@pytest.mark.parametrize("budget", [dp.Pure(1), dp.Approximate(1, 1e-6)])
def test_other_budgets_are_refused(budget):
    with pytest.raises(GeomdpError, match=r"GDP\(mu\) or ZCDP\(rho\)"):
        planned(budget=budget)


def test_at_each_step_the_ledger_has_charged_what_any_record_spent():
    """A record of step s spends c_0, c_1, ...: never more than one of the first step by then."""
    squares = [c**2 for c in square_root(12)]
    for entered in range(12):
        for now in range(entered, 12):
            assert sum(squares[: now - entered + 1]) <= sum(squares[: now + 1])


def test_a_second_draw_at_the_price_of_its_step_would_undercharge():
    """MUTANT: a lost draw paid for by its own c again, where a new record spends c_0 twice."""
    squares = [c**2 for c in square_root(12)]
    spent_by_a_new_record = 2 * squares[0]
    assert squares[0] + 2 * squares[1] < spent_by_a_new_record <= squares[0] + squares[1] + 1


def means_of(made: OverTimePlan, entered: list[list[np.ndarray]]) -> np.ndarray:
    """What noise is added to in each step, in its units (T, D): as a release makes it."""
    spreads, _ = RUNNING_TOTALS.steps_of(made.asked, made.scheme)
    rows = []
    for step in range(1, len(made.periods) + 1):
        sums = []
        for points in entered[step - 1][:step]:
            encoded = Encoded.of(made.statistic.encode(points)) if len(points) else None
            sums.append(RUNNING_TOTALS.sums(made.asked, encoded))
        rows.append(np.array([float(x) for x in made.scheme.mixed(sums)]) / spreads)
    return np.array(rows)


def loss(made: OverTimePlan, one, other) -> float:
    """mu between two registries: lists over steps of what has entered in each step by then."""
    return float(np.linalg.norm(means_of(made, one) - means_of(made, other)))


def still(entered: list) -> list:
    """A registry whose records stay as they entered."""
    return [entered] * len(entered)


def test_no_change_of_a_record_costs_more_than_stated_and_the_worst_reaches_it():
    made, rng, found = planned(5), np.random.default_rng(1), []
    for _ in range(60):
        entered = [rng.standard_normal((3, 2)) for _ in range(5)]
        step, far = rng.integers(5), 10 * rng.standard_normal((2, 2))
        far[1] = -far[0] if rng.random() < 0.5 else far[1]
        sides = [
            [*entered[:step], np.vstack([entered[step], one]), *entered[step + 1 :]] for one in far
        ]
        found.append(loss(made, *map(still, sides)))
    claim = made.cost.price(GDP).mu
    assert max(found) <= claim * (1 + 1e-9)
    assert max(found) > 0.99 * claim
    assert course_loss(made) == pytest.approx(claim, rel=1e-8)


NONE = np.empty((0, 2))
ENDS = np.array([[1.0, 0.0]]), np.array([[-1.0, 0.0]])


def dated_anew(point, periods):
    """A record that says in every period that it entered just now."""
    return [[NONE] * now + [point] for now in range(periods)]


def in_every_period(point, periods):
    """Somebody with a new record in each period."""
    return still([point] * periods)


@pytest.mark.parametrize("history", [dated_anew, in_every_period])
def test_a_record_that_enters_more_than_once_would_cost_more_than_stated(history):
    """MUTANTS: EACH RECORD ENTERS IN ONE PERIOD; ALL RECORDS OF A PERSON ENTER IN ONE."""
    made = planned(5)
    assert loss(made, *(history(end, 5) for end in ENDS)) > 1.5 * made.cost.price(GDP).mu


@pytest.mark.parametrize("history", [dated_anew, lambda end, n: [[end]] * n])
def test_charged_changes_cover_records_that_change_in_every_period(history):
    made = planned(5, "charged")
    sides = []
    for sign in (0, 1):
        states = history(ENDS[sign], 5)
        sides.append([[np.vstack([x for x in now if len(x)])] for now in states])
    spreads, _ = RUNNING_TOTALS.steps_of(made.asked, made.scheme)
    rows = [
        [
            np.array(
                [
                    float(x)
                    for x in RUNNING_TOTALS.sums(
                        made.asked, Encoded.of(made.statistic.encode(now[0]))
                    )
                ]
            )
            / spreads
            for now in side
        ]
        for side in sides
    ]
    worst = float(np.linalg.norm(np.subtract(*rows)))
    assert worst == pytest.approx(made.cost.price(GDP).mu, rel=1e-6)


def noise_of(made: OverTimePlan, kept: Path) -> np.ndarray:
    """What three periods of records at the centre publish: noise alone."""
    empty, before = dp.Records(np.zeros((6, 2)), period=[1, 1, 2, 2, 3, 3]), None
    for period in (1, 2, 3):
        before = made.release(empty, period=period, after=before, kept=kept)
    return array_from_json(before.manifest["published"])


def test_noise_is_fresh_in_each_period(tmp_path):
    """MUTANT: the noise of a period again in the next would tell what entered without any."""
    made = planned(3)
    drawn = noise_of(made, tmp_path / "fresh")
    assert len(np.unique(drawn)) == drawn.size
    with (
        patch("geomdp.plans.periods.SystemEntropy", lambda: SeededEntropy(7)),
        patch("geomdp.plans.periods.PeriodPlan.problems", return_value=()),
    ):
        again = noise_of(made, tmp_path / "again")
    assert np.ptp(again, axis=0).tolist() == [0, 0]


def test_an_audit_passes_and_notices_debits_that_are_too_small():
    made = planned(3)
    quick = Settings(draws=1000, exact=20, records=1)
    assert all(one.passed for one in audit_all(made, quick, checks=["calibration"]))
    with patch.object(RUNNING_TOTALS, "noise", lambda *_: 0.9 * 2 / np.sqrt(1 / 1.390625)):
        assert not audit_all(planned(3), quick, checks=[])[0].passed


# --- errors follow the law -------------------------------------------------------------------


@pytest.mark.parametrize(("periods", "largest", "rms"), [(12, 1.85, 1.71), (52, 2.32, 2.16)])
def test_errors_are_those_of_the_square_root_scheme(periods, largest, rms):
    scheme = Scheme(square_root(periods))
    assert scheme.largest_error == pytest.approx(largest, rel=0.005)
    assert scheme.rms_error == pytest.approx(rms, rel=0.005)
    alone = Scheme(square_root(1) * periods)
    assert alone.largest_error == pytest.approx(np.sqrt(periods))


def test_totals_are_those_of_the_records_where_there_is_no_noise():
    rng, scheme = np.random.default_rng(0), Scheme(square_root(9))
    entered = rng.standard_normal((9, 3))
    exact = [[Fraction(x) for x in row] for row in entered.tolist()]
    published = np.array([[float(x) for x in scheme.mixed(exact[: t + 1])] for t in range(9)])
    assert np.allclose(scheme.totals(published), np.cumsum(entered, axis=0), atol=1e-12)


@pytest.mark.slow
def test_forecasts_are_met(tmp_path):
    made, data = planned(3, budget=dp.GDP(3)), registry(3)
    truth = np.mean(np.asarray(data.points), axis=0)
    errors = []
    for number in range(120):
        before = None
        for period in (1, 2, 3):
            before = made.release(data, period=period, after=before, kept=tmp_path / str(number))
        errors.append(np.linalg.norm(before.value - truth))
    assert np.mean(errors) == pytest.approx(before.plan.expected_error, rel=0.2)


# --- a course --------------------------------------------------------------------------------


def released(made, data, folder: Path, periods, **how):
    before = None
    for period in periods:
        out = folder / f"m{period}"
        made.release(data, period=period, after=before, kept=folder / "kept", folder=out, **how)
        before = out
    return before


def test_a_period_is_left_out_and_its_records_enter_with_the_next(tmp_path):
    made, data = planned(budget=dp.GDP(1000)), registry()
    last = dp.load_release(released(made, data, tmp_path, [1, 4]))
    assert (last.plan.steps, last.plan.counts) == (("1", "4"), (SIZE, 4 * SIZE))
    assert np.linalg.norm(last.value - np.mean(np.asarray(data.points), axis=0)) < 0.01
    course = course_of(last)
    assert course.values[-1] == pytest.approx(last.value)
    assert course.values[0] == pytest.approx(dp.load_release(tmp_path / "m1").value)
    assert dp.verify(tmp_path / "m4").verified


def test_nothing_kept_is_published(tmp_path):
    released(planned(), registry(), tmp_path, [1, 2])
    secrets = [
        text
        for noted in tmp_path.glob("kept/*/*.json")
        for text in json.loads(noted.read_text())["digests"]
    ] + [(next(tmp_path.glob("kept/*/key"))).read_text()]
    assert len(secrets) == 4
    for file in [*tmp_path.glob("m*/*")]:
        content = file.read_bytes()
        assert not any(secret.encode() in content for secret in secrets)


def test_a_plan_is_read_again_as_it_was_and_draws_nothing_from_a_folder(tmp_path):
    made = planned()
    made.save(tmp_path / "plan.json")
    assert dp.load_plan(tmp_path / "plan.json").hash == made.hash
    released(made, registry(), tmp_path, [1])
    read = dp.load_release(tmp_path / "m1").plan
    with pytest.raises(GeomdpError, match="draws nothing"):
        read.release(registry())
    with pytest.raises(GeomdpError, match="say which period"):
        made.prepare(registry())


def test_late_changed_moved_and_withdrawn_records_are_refused(tmp_path):
    made, data = planned(), registry()
    before = released(made, data, tmp_path, [1])
    points, period = np.array(data.points), data.period.copy()
    other = points.copy()
    other[3] += 1e-9
    swapped = period.copy()
    swapped[3], swapped[SIZE + 3] = "2", "1"
    for wrong in (changed(data, points=other), changed(data, period=swapped)):
        with pytest.raises(GeomdpError, match="release 1 were changed, moved or withdrawn"):
            made.release(wrong, period=2, after=before, kept=tmp_path / "kept")
    late = period.copy()
    late[SIZE + 1] = "1"
    for wrong in (changed(data, period=late), data.rows(np.arange(4 * SIZE) != 3)):
        with pytest.raises(GeomdpError, match="comes late enters in the period"):
            made.release(wrong, period=2, after=before, kept=tmp_path / "kept")
    order = np.random.default_rng(0).permutation(4 * SIZE)
    made.release(data.rows(order), period=2, after=before, kept=tmp_path / "kept")


def test_changes_that_are_charged_are_taken(tmp_path):
    made, data = planned(changes="charged"), registry()
    before = released(made, data, tmp_path, [1])
    moved = changed(data, points=np.array(data.points) + 0.1).rows(np.arange(4 * SIZE) != 3)
    one = made.release(moved, period=2, after=before, kept=tmp_path / "kept")
    assert one.plan.counts == (SIZE, 2 * SIZE - 1)
    assert [made.debit(step) for step in (1, 4)] == [GaussianCost(0.5)] * 2


def test_a_step_is_released_once_whatever_the_records_are(tmp_path):
    made, data = planned(), registry()
    before = released(made, data, tmp_path, [1])
    for period, records, after in ((1, registry(seed=1), None), (1, data, None)):
        with pytest.raises(AlreadyReleasedError, match="was begun before"):
            made.release(records, period=period, after=after, kept=tmp_path / "kept")
    made.release(data, period=2, after=before, kept=tmp_path / "kept")
    with pytest.raises(AlreadyReleasedError):  # another period in the same place
        made.release(data, period=3, after=before, kept=tmp_path / "kept")


def test_of_two_processes_one_draws(tmp_path):
    made, data = planned(), registry()
    before = made.release(data, period=1, kept=tmp_path / "kept")
    both = [made.at(data, 2, before, kept=tmp_path / "kept") for _ in range(2)]
    first, second = (one.prepare(these) for one, these in both)
    first.draw()
    with (
        patch("geomdp.plans.periods.draw_around", side_effect=AssertionError("drew")),
        pytest.raises(AlreadyReleasedError),
    ):
        second.draw()


def test_two_processes_that_begin_a_plan_together_do_not_both_draw(tmp_path):
    plans = [planned().at(registry(seed=seed), 1, kept=tmp_path / "kept") for seed in (0, 1)]
    first, second = (one.prepare(data) for one, data in plans)
    first.draw()
    with pytest.raises(AlreadyReleasedError):
        second.draw()


def test_what_stands_beside_a_record_is_remembered_too(tmp_path):
    """MUTANT: a digest of the points alone would let persons change places."""
    kept = Kept(tmp_path / "kept")
    people = np.arange(4 * SIZE).astype(str)
    data = registry(person=people)
    other = changed(data, person=people[::-1].copy())
    renamed = dp.Records(data.points, group=people)
    covered = [dp.Records(data.points, covariates={"age": np.arange(4 * SIZE) + x}) for x in (0, 1)]
    found = kept.digests([data, other, renamed, *covered, registry(person=people)])
    assert len(set(found)) == 5
    assert found[0] == found[-1]


def test_a_race_for_a_step_has_one_winner(tmp_path):
    def begin(number: int) -> bool:
        try:
            kept.begin(1, [], again=False)
        except AlreadyReleasedError:
            return False
        return True

    kept = Kept(tmp_path / "kept")
    assert kept.key
    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(begin, range(32))) == 1


@pytest.fixture
def book(tmp_path):
    made = dp.Ledger.create(tmp_path / "study.db", tmp_path / "study.key")
    made.grant("study", dp.GDP(2))
    return made


def test_a_step_that_was_killed_is_drawn_again_at_the_price_of_a_whole_release(tmp_path, book):
    made, data, how = planned(), registry(), {"kept": tmp_path / "kept", "dataset": "study"}
    before = made.release(data, period=1, ledger=book, **how)
    with (
        patch("geomdp.plans.periods.draw_around", side_effect=KeyboardInterrupt),
        pytest.raises(KeyboardInterrupt),
    ):
        made.release(data, period=2, after=before, ledger=book, **how)
    for again in ({}, {"after": before}):
        with pytest.raises(AlreadyReleasedError):
            made.release(data, **{"period": 2, "after": before, **again}, ledger=book, **how)
    with pytest.raises(GeomdpError, match="needs a ledger"):
        made.release(data, period=2, after=before, again=True, kept=tmp_path / "kept")
    made.release(
        data, period=2, after=before, again=True, ledger=book, **how, folder=tmp_path / "m2"
    )
    costs = book.account("study").costs
    assert costs == (made.debit(1), made.debit(2), made.debit(1))
    verdict = dp.verify(tmp_path / "m2", ledger=book)
    assert (verdict.verified, verdict.payment) == (True, "yes")


def test_a_ledger_pays_for_a_step_once_also_where_nothing_is_kept(tmp_path, book):
    made, data = planned(), registry()
    made.release(data, period=1, kept=tmp_path / "here", ledger=book, dataset="study")
    for records in (data, registry(seed=1)):
        with pytest.raises(
            AlreadyReleasedError, match=r"step of the plan was charged before|same plan"
        ):
            made.release(records, period=1, kept=tmp_path / "there", ledger=book, dataset="study")
    assert len(book.account("study").costs) == 1


def test_a_budget_that_is_too_small_leaves_the_step_free(tmp_path, book):
    made, data = planned(budget=dp.GDP(3)), registry()
    with pytest.raises(BudgetSpentError):
        made.release(data, period=1, kept=tmp_path / "kept", ledger=book, dataset="study")
    made.release(data, period=1, kept=tmp_path / "kept")


# --- folders that lie ------------------------------------------------------------------------


def test_the_folder_of_another_plan_is_refused(tmp_path):
    data, other = registry(), planned(budget=dp.GDP(2))
    folder = released(other, data, tmp_path, [1])
    alone = dp.plan(MEAN, n=80, budget=dp.GDP(1)).release(np.array(data.points))
    for after in (folder, alone):
        with pytest.raises(GeomdpError, match="is of another plan"):
            planned().release(data, period=2, after=after, kept=tmp_path / "kept")


def forged(folder: Path, release: dp.Release, shift: float, out: Path) -> None:
    """Write a release with another history that agrees with itself."""
    made = release.plan
    published = array_from_json(release.manifest["published"]).copy()
    _, grid = RUNNING_TOTALS.steps_of(made.request, made.of.scheme)
    published[0] += np.rint(shift / grid) * grid
    value = made.value_of(published)
    stated = {
        "published": array_to_json(published),
        "value": array_to_json(value),
    }
    dp.Release(made, value, {**release.manifest, **stated}).save(out)


def test_a_history_that_was_changed_is_noticed(tmp_path):
    made, data = planned(), registry()
    released(made, data, tmp_path, [1, 2])
    forged(tmp_path / "m2", dp.load_release(tmp_path / "m2"), 1.0, tmp_path / "forged")
    verdict = dp.verify(tmp_path / "forged")
    assert "it is not what the release before published" in str(verdict)
    with pytest.raises(GeomdpError, match="is not what was noted when it was drawn"):
        made.release(data, period=3, after=tmp_path / "forged", kept=tmp_path / "kept")


def test_values_and_sums_that_do_not_follow_are_named(tmp_path):
    made, data = planned(), registry()
    released(made, data, tmp_path, [1])
    true = dp.load_release(tmp_path / "m1")
    other = array_to_json(true.value + 0.1)
    off = array_from_json(true.manifest["published"]) * (1 + 2.0**-40)
    for fields, said in (
        ({"value": other}, "value: it does not follow"),
        ({"published": array_to_json(off)}, "lie on the stated lattice"),
    ):
        out = tmp_path / next(iter(fields))
        value = array_from_json(fields.get("value", true.manifest["value"]))
        dp.Release(true.plan, value, {**true.manifest, **fields}).save(out)
        assert said in str(dp.verify(out))
        with pytest.raises(GeomdpError, match="not in order"):
            made.release(data, period=2, after=out, kept=tmp_path / "kept")


# --- persons ---------------------------------------------------------------------------------


def test_persons_enter_in_one_period_and_their_number_is_declared(tmp_path):
    made = planned(unit=dp.Unit.person())
    once = registry(person=np.arange(4 * SIZE) // 2)
    with pytest.raises(GeomdpError, match="how many persons entered"):
        made.release(once, period=1, kept=tmp_path / "kept")
    first = made.release(once, period=1, size=12, kept=tmp_path / "kept")
    second = made.release(once, period=2, after=first, size=10, kept=tmp_path / "kept")
    assert second.plan.counts == (12, 22)
    twice = registry(person=np.arange(4 * SIZE) % SIZE)
    with pytest.raises(GeomdpError, match="records in several periods"):
        released(
            planned(unit=dp.Unit.person(), budget=dp.GDP(2)), twice, tmp_path, [1, 2], size=SIZE
        )


def test_a_maximum_of_records_counts_over_all_periods_together(tmp_path):
    """MUTANT: counted period by period, somebody would have the maximum in each."""
    made = planned(unit=dp.Unit.person(max_records=2), budget=dp.GDP(1e4))
    points = np.tile([[0.5, 0.0]], (8, 1))
    data = dp.Records(points, period=np.repeat([1, 2, 3, 4], 2), person=["a"] * 8)
    last = dp.load_release(released(made, data, tmp_path, [1, 2, 3, 4]))
    assert last.value == pytest.approx([2 * 0.5 / 8, 0.0], abs=1e-3)
    assert made.cost.fits(dp.GDP(1e4))
    assert made.debit(1).price(GDP).mu == pytest.approx(
        2 * RUNNING_TOTALS.calibrated(made.asked, made.scheme, 1).cost.price(GDP).mu
    )


# --- what is asked ---------------------------------------------------------------------------


@pytest.mark.parametrize("periods", [1, 0, 2000, "12", ("a", "a"), ("a", " ")])
def test_periods_are_public_names_that_differ(periods):
    with pytest.raises(GeomdpError, match="Periods are"):
        dp.OverTime(MEAN, periods=periods)


def test_periods_may_have_names_and_records_must_say_theirs(tmp_path):
    made = planned(("winter", "spring"))
    with pytest.raises(GeomdpError, match="in which period"):
        made.release(np.zeros((4, 2)), period="winter", kept=tmp_path)
    data = dp.Records(np.zeros((4, 2)), period=["winter", "winter", "spring", "june"])
    with pytest.raises(GeomdpError, match="'june' is not in the plan"):
        made.release(data, period="winter", kept=tmp_path)
    good = dp.Records(np.zeros((3, 2)), period=["winter", "winter", "spring"])
    with pytest.raises(GeomdpError, match="is no period of the plan"):
        made.release(good, period=1, kept=tmp_path)
    first = made.release(good, period="winter", kept=tmp_path)
    for period in ("winter", "summer"):
        with pytest.raises(GeomdpError, match=r"does not come after|is no period"):
            made.release(good, period=period, after=first, kept=tmp_path)


def test_what_is_not_linear_is_refused():
    ball = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)
    with pytest.raises(GeomdpError, match="need a linear statistic"):
        planned(statistic=dp.FrechetMean(ball))
    with pytest.raises(GeomdpError, match="by group"):
        dp.plan(dp.OverTime(MEAN), n={"a": 20, "b": 20}, budget=dp.GDP(1))


SPHERE = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)
DISTRIBUTIONS = dp.DistributionMean(0, 1, 20)


@pytest.mark.parametrize(
    "statistic",
    [
        dp.TangentMean(SPHERE),
        dp.Moments(SPHERE),
        dp.Classes(SPHERE, labels=("a", "b")),
        dp.ExtrinsicMean(dp.Sphere(2)),
        dp.Regression(SPHERE, {"age": (0, 1)}),
    ],
    ids=lambda one: one.tag,
)
def test_linear_statistics_are_released_over_time(statistic, tmp_path):
    made = dp.plan(dp.OverTime(statistic, periods=2), n=400, budget=dp.GDP(30))
    points = dp.datasets.polar_sphere(400, radius=0.3, seed=0)
    beside = {"group": np.tile(["a", "b"], 200)} if statistic.labelled else {}
    if statistic.covariate_names == ("age",):
        beside = {"covariates": {"age": np.linspace(0, 1, 400)}}
    data = dp.Records(points, period=np.repeat([1, 2], 200), **beside)
    last = dp.load_release(released(made, data, tmp_path, [1, 2]))
    whole = dp.plan(statistic, n=400, budget=dp.GDP(1e4)).release(dp.Records(points, **beside))
    assert np.max(np.abs(last.value - whole.value)) < 0.1
    verdict = dp.verify(tmp_path / "m2")
    assert verdict.verified, str(verdict)


def test_surfaces_and_distributions_are_released_over_time(tmp_path):
    template = make_template(template_face(), center=0)
    mean = SurfaceMean(template, 6, 16, phi=1e-4, tau=0.05, registration="homologous")
    faces = mean.prepare([procedural_face(seed) for seed in range(2)], workers=1).curves
    readings = np.random.default_rng(0).beta(2, 3, (8, 30))
    asked = {"faces": (mean, np.tile(faces, (4, 1, 1, 1))), "readings": (DISTRIBUTIONS, readings)}
    for name, (statistic, records) in asked.items():
        made = dp.plan(dp.OverTime(statistic, periods=2), n=8, budget=dp.GDP(1000))
        folder = tmp_path / name
        data = dp.Records(records, period=np.repeat([1, 2], 4))
        last = dp.load_release(released(made, data, folder, [1, 2]))
        whole = dp.plan(statistic, n=8, budget=dp.GDP(1e4)).release(records)
        assert np.max(np.abs(last.value - whole.value)) < 0.02
        verdict = dp.verify(folder / "m2")
        assert verdict.verified, str(verdict)
