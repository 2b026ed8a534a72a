"""A tau found privately for mean functions and surfaces, or taken from public curves."""

import re
import shutil
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from plans_costs import spends_at_most

import geomdp as dp
from geomdp.audit.floats import replayed
from geomdp.curves import FunctionMean, Matern, suggest_tau
from geomdp.curves.datasets import growth_curves
from geomdp.errors import GeomdpError, MachinesError, MechanismRefusedError
from geomdp.plans import tau_of
from geomdp.plans.tau_stages import TauStages
from geomdp.privacy import total
from geomdp.report.plan_words import error_rows
from geomdp.statistics.cover_radius import CoverLength

N = 1000
FAMILY = growth_curves(N, seed=1)
#: Ten times too wide: children are 7 cm from the chart, root mean square.
WIDE = FunctionMean(FAMILY.template, 250.0, Matern(8.0), grid=FAMILY.grid)


def error(value):
    off = value - FAMILY.records.mean(axis=0)
    return float(np.sqrt(np.sum(FAMILY.grid.weights * off**2)))


@pytest.mark.parametrize("budget", [dp.GDP(1), dp.Pure(1), dp.ZCDP(0.5), dp.Approximate(2, 1e-6)])
def test_a_wide_prior_costs_little(budget):
    made = dp.plan(dp.Refined(WIDE), n=N, budget=budget)
    with replayed(1):  # a wide draw is rare, not impossible
        release = made.release(FAMILY.records)
    lengths = WIDE.lengths(FAMILY.records).records
    assert np.quantile(lengths, 0.5) < tau_of(release) < 40
    known = dp.plan(replace(WIDE, tau=25.0), n=N, budget=budget)
    assert error(release.value) < 4 * known.expected_error
    assert made.expected_error > 4 * known.expected_error  # what the prior alone would give
    assert release.parts["stage 2"].plan.statistic.tau == tau_of(release)


def test_records_that_count_as_the_template_do_not_draw_tau_to_nothing():
    """As scans that cannot be registered do."""
    records = FAMILY.records.copy()
    records[: N // 2] = FAMILY.template
    release = dp.plan(dp.Refined(WIDE), n=N, budget=dp.GDP(1)).release(records)
    assert tau_of(release) > np.quantile(WIDE.lengths(records).records, 0.75)


def test_the_stages_compose_to_the_budget():
    made = dp.plan(dp.Refined(WIDE), n=N, budget=dp.GDP(1))
    assert made.cost.fits(dp.GDP(1))
    assert made.gdp.mu > 0.999
    assert sum(dp.plan(dp.Refined(WIDE), n=N, budget=dp.Pure(1)).rule.budgets) == dp.Pure(1)


@pytest.mark.parametrize("unit", [dp.Unit.record(), dp.Unit.person(max_records=2)], ids=str)
@pytest.mark.parametrize("budget", [dp.GDP(1), dp.Pure(1), dp.ZCDP(0.5), dp.Approximate(2, 1e-6)])
def test_no_stage_spends_more_than_its_share(budget, unit):
    made = dp.plan(dp.Refined(WIDE), n=N, budget=budget, unit=unit)
    first, costs = made.rule.plan(()), made.rule.costs
    assert spends_at_most(first, costs[0])
    assert costs[0].largest_loss() <= Fraction(1, 4)  # most is left for the answer
    for radius in first.statistic.radii[[0, -1]]:
        answer = made.rule.plan([SimpleNamespace(value=np.array([radius]))])
        assert spends_at_most(answer, costs[1])
        both = total([first.cost, answer.cost])
        assert both.fits(budget)


def test_a_length_that_takes_the_whole_budget_is_refused_before_anything_is_spent(monkeypatch):
    class Greedy(TauStages):
        def _for(self, statistic, budget):
            asked = self.request.budget if isinstance(statistic, CoverLength) else budget
            return super()._for(statistic, asked)

    monkeypatch.setattr("geomdp.plans.refined.TauStages", Greedy)
    with pytest.raises(GeomdpError, match="first stage has another budget"):
        dp.plan(dp.Refined(WIDE), n=N, budget=dp.Pure(1))


def test_plan_and_release_come_back(tmp_path):
    for offset in (None, 3.0):
        made = dp.plan(dp.Refined(replace(WIDE, offset=offset)), n=N, budget=dp.GDP(1))
        made.save(tmp_path / f"plan {offset}.json")
        again = dp.load_plan(tmp_path / f"plan {offset}.json")
        assert again.to_json() == made.to_json()
    release = again.release(FAMILY.records, folder=tmp_path / "release")
    assert tau_of(dp.load_release(tmp_path / "release")) == tau_of(release)


def test_the_penalty_belongs_to_the_tau_that_is_found():
    stated = replace(WIDE, offset=3.0)
    rule = dp.plan(dp.Refined(stated), n=N, budget=dp.GDP(1)).rule
    wide, narrow = (rule._answer(tau).statistic.phi for tau in (250.0, 25.0))
    assert wide == pytest.approx(100 * narrow, rel=0.01)


def test_every_length_that_can_be_released_has_an_answer():
    rule = dp.plan(dp.Refined(WIDE), n=N, budget=dp.Pure(1)).rule
    for radius in rule.plan(()).statistic.radii[::5]:
        assert rule._answer(float(radius)).statistic.tau == radius


def test_replacing_a_record_moves_all_scores_the_same_way_by_at_most_one():
    asked = CoverLength(WIDE, top=250.0, steps=20, outside=10)
    rng = np.random.default_rng(0)
    before = np.array(asked.shortfalls(asked.encode(FAMILY.records)))
    for scale in rng.choice([0.0, 1.0, 100.0, 1e9], 20):
        records = FAMILY.records.copy()
        records[rng.integers(N)] = FAMILY.template + scale
        moved = np.array(asked.shortfalls(asked.encode(records))) - before
        assert np.abs(moved).max() <= 1
        assert not (np.any(moved > 0) and np.any(moved < 0))


def test_a_page_tells_each_case_once():
    cases = [row.what for row in error_rows(dp.plan(dp.Refined(WIDE), n=N, budget=dp.GDP(1)))]
    assert cases == [
        f"if records need {part}" for part in ("all of tau", "a third of it", "a tenth")
    ]


def test_a_check_foretells_tau_and_what_it_clips():
    made = dp.plan(dp.Refined(WIDE), n=N, budget=dp.GDP(1))
    records = FAMILY.records.copy()
    records[0] = np.nan
    (told,) = made.check(records).facts[1:]
    found = re.fullmatch(
        r"a tau of (.*) to (.*) in 90 of 100 releases; at (.*), (\d+) of 1000 records .* clipped",
        told,
    )
    narrow, wide, middle = (float(number) for number in found.groups()[:3])
    assert narrow <= middle <= wide < 40
    lengths = WIDE.lengths(records).records
    assert int(found[4]) == pytest.approx(np.sum(lengths > middle), abs=2)  # middle is rounded
    drawn = []
    for seed in range(40):
        with replayed(seed):
            drawn.append(made.rule.plan(()).release(FAMILY.records).value[0])
    inside = np.mean((np.array(drawn) >= 0.99 * narrow) & (np.array(drawn) <= 1.01 * wide))
    assert inside > 0.75


def test_no_tau_is_foretold_where_some_records_may_not_count():
    whole = dp.plan(dp.Refined(WIDE), n=N, budget=dp.GDP(1))
    assert len(whole.check(FAMILY.records[:-1]).facts) == 1
    unit = dp.Unit.person(max_records=2)
    made = dp.plan(dp.Refined(WIDE), n=N, budget=dp.GDP(4), unit=unit)
    facts = made.check(dp.Records(FAMILY.records, person=["one"] * N)).facts
    assert not any("a tau of" in fact for fact in facts)


class Fading:
    """Records that can be read so many times, and then no more."""

    def __init__(self, times):
        self.times = times

    def __len__(self):
        return N

    def __getitem__(self, rows):
        self.times -= 1
        if self.times < 0:
            raise OSError("the disk is gone")
        return FAMILY.records[rows]


def test_what_fails_between_the_stages_says_that_something_was_drawn():
    made = dp.plan(dp.Refined(WIDE), n=N, budget=dp.GDP(1))
    said = []
    for times in range(4):
        try:
            made.release(Fading(times))
        except (MachinesError, OSError) as error:
            said.append(str(error))
    assert said[:2] == ["the disk is gone"] * 2  # before anything is drawn
    assert "after a first stage was drawn" in said[2]
    assert "the disk is gone" in said[2]
    assert len(said) == 3


def test_a_tau_of_stages_that_are_not_there_is_none(tmp_path):
    made = dp.plan(dp.Refined(WIDE), n=N, budget=dp.GDP(1))
    for name in ("one", "other"):
        made.release(FAMILY.records, folder=tmp_path / name)
    one = dp.load_release(tmp_path / "one")
    swapped = dict(zip(one.parts, reversed(one.parts.values()), strict=True))
    for parts in ({}, swapped):
        with pytest.raises(GeomdpError, match="found a tau"):
            tau_of(replace(one, parts=parts))
    shutil.rmtree(tmp_path / "one" / "2-stage-2")
    shutil.copytree(tmp_path / "other" / "2-stage-2", tmp_path / "one" / "2-stage-2")
    with pytest.raises(GeomdpError, match="is not the part that"):
        dp.load_release(tmp_path / "one")


@pytest.mark.parametrize("budget", [dp.GDP(1), dp.Pure(1)])
def test_plans_take_no_room_for_records(budget):
    assert dp.plan(dp.Refined(WIDE), n=10**15, budget=budget).shape == "staged"


def test_lengths_are_what_tau_bounds():
    lengths = WIDE.lengths(FAMILY.records).records
    np.testing.assert_allclose(np.linalg.norm(WIDE.encode(FAMILY.records), axis=1), lengths)
    hostile = np.array([[1e308] * 17, [np.nan] * 17, [1.0] * 17])
    found = WIDE.lengths(hostile)
    assert np.all(np.isfinite(found.records))
    assert list(found.invalid) == [1]


def test_tau_from_public_curves_keeps_the_part_asked_for():
    public = growth_curves(500, seed=77).records
    tau = suggest_tau(WIDE, public, part=0.9)
    kept = np.mean(WIDE.lengths(public).records <= tau)
    assert 0.9 <= kept < 0.97
    assert tau == suggest_tau(replace(WIDE, tau=1.0), public, part=0.9)
    with pytest.raises(GeomdpError, match="between 0 and 1"):
        suggest_tau(WIDE, public, part=99)


def test_what_cannot_be_planned_is_said():
    with pytest.raises(MechanismRefusedError, match="too few"):
        dp.plan(dp.Refined(WIDE), n=20, budget=dp.GDP(1))
    with pytest.raises(MechanismRefusedError, match="comparison"):
        dp.plan(dp.Refined(WIDE), n=N, budget=dp.GDP(1), mechanism="pointwise-gaussian")
    other = dp.Summary(dp.Sphere(2), 0.1).to_json()
    with pytest.raises(GeomdpError, match="FunctionMean and SurfaceMean"):
        CoverLength.from_json({"statistic": other, "top": 1.0, "steps": 4, "outside": 1})
    request = dp.plan(WIDE, n=N, budget=dp.GDP(1)).calibration.request
    with pytest.raises(GeomdpError, match="FunctionMean and SurfaceMean"):
        TauStages(replace(request, statistic=dp.Summary(dp.Sphere(2), 0.1)), "auto")
    with pytest.raises(GeomdpError, match="found a tau"):
        tau_of(dp.plan(WIDE, n=N, budget=dp.GDP(1)).release(FAMILY.records))
