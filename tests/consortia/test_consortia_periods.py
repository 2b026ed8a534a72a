"""Running totals of sites: a round a period, from records that stay as they entered."""

import json
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.stats import norm
from tests.consortia.consortia_tools import make_group
from tests.consortia.test_consortia_splitting import law, shifted
from typer.testing import CliRunner

import geomdp as dp
from geomdp.cli.app import app
from geomdp.consortia import Payer, add, answer, list_boxes, open_release, read_totals
from geomdp.consortia.period_noise import FINE, period_noise, shares_of_periods
from geomdp.consortia.splitting import root_above
from geomdp.errors import GeomdpError, LedgerError, MechanismRefusedError
from geomdp.mechanisms.running_totals import Scheme, square_root

BALL = dp.Ball(dp.Euclidean(2), center=np.zeros(2), radius=1.0)
PERIODS, EACH, SITES = 3, 8, 4
NAMES = tuple(str(t + 1) for t in range(PERIODS))


def over_time(mu=1000, changes="refused", **words):
    asked = dp.OverTime(dp.TangentMean(BALL), PERIODS, changes)
    return dp.plan(asked, n=SITES * EACH * PERIODS, budget=dp.GDP(mu), **words)


def site_records(seed):
    rng = np.random.default_rng(seed)
    points = 0.4 * rng.normal(size=(EACH * PERIODS, 2)) + rng.normal(size=2) / 5
    return dp.Records(points, period=np.repeat(NAMES, EACH))


def clipped(points):
    lengths = np.linalg.norm(points, axis=1, keepdims=True)
    return points / np.maximum(lengths, 1)


class Life:
    """Sites of a plan over time, period by period."""

    def __init__(self, folder, plan=None, roster=SITES):
        self.group = make_group(folder, plan or over_time(), sites=SITES, hubs=2, roster=roster)
        self.plan, self.folder, self.earlier = self.group.plan, folder, []
        self.parts = {name: site_records(i) for i, name in enumerate(self.group.sites)}

    @property
    def period(self):
        return self.plan.following(self.earlier)

    def boxes(self, names=None):
        found = []
        for name in names or self.parts:
            text = answer(self.period, self.parts[name], self.group.sites[name])
            found.append(self.group.file(f"{name}-{len(self.earlier)}.box", text))
        return found

    def opened(self, boxes, lists=()):
        totals = [
            self.group.file(
                f"{name}-{len(self.earlier)}.total", add(self.period, boxes, key, lists)
            )
            for name, key in self.group.hubs.items()
        ]
        self.earlier.append(open_release(self.period, read_totals(self.period, totals)))
        return self.earlier[-1]

    def lists(self, boxes):
        return [
            self.group.file(f"{name}.list", list_boxes(self.period, boxes, key))
            for name, key in self.group.hubs.items()
        ]

    def mean_after(self, period, names=None):
        rows = [clipped(self.parts[name].points[: EACH * period]) for name in names or self.parts]
        return np.concatenate(rows).mean(axis=0)


@pytest.fixture(scope="module")
def lived(tmp_path_factory):
    life = Life(tmp_path_factory.mktemp("periods"))
    for _ in range(PERIODS):
        life.opened(life.boxes())
    return life


def test_each_period_opens_the_running_mean_of_all_sites_and_verifies(lived, tmp_path):
    lived.plan.save(tmp_path / "plan.json")
    for period, one in enumerate(lived.earlier, start=1):
        assert one.plan.n == SITES * EACH * period
        assert np.max(np.abs(one.value - lived.mean_after(period))) < 6 * one.plan.scale < 0.01
        one.save(tmp_path / str(period))
        verdict = dp.verify(tmp_path / str(period), plan=tmp_path / "plan.json")
        assert verdict.verified, str(verdict)
    again = dp.load_release(tmp_path / "3")
    assert np.array_equal(again.value, lived.earlier[-1].value)


def test_another_total_of_an_earlier_period_does_not_verify(lived, tmp_path):
    lived.earlier[-1].save(tmp_path / "out")
    file = tmp_path / "out" / "manifest.json"
    document = json.loads(file.read_text())
    totals = document["plan"]["before"][0]["totals"]
    totals["hub0"], totals["hub1"] = totals["hub1"], totals["hub0"]
    file.write_text(json.dumps(document))
    assert not dp.verify(tmp_path / "out").verified


def test_the_noise_is_that_of_the_forecast():
    """Sums of sites' noise, read off as totals are: its spread is the plan's scale."""
    plan = over_time(1)
    noise = period_noise(plan.asked, plan.scheme, 3).each
    rng, steps = np.random.default_rng(1), PERIODS
    drawn = rng.normal(size=(4000, steps, 3)).sum(axis=2) * noise.spreads[0]
    totals = np.stack([plan.scheme.totals(one[:, None])[:, 0] for one in drawn])
    units = noise.scale / noise.spreads[0]
    expected = noise.scale * np.sqrt(3) * plan.scheme.lengths
    assert np.allclose(totals.std(axis=0) * units / expected, 1, atol=0.04)
    alone = plan.outlook.scale * plan.n
    assert abs(expected[-1] / alone - 1) < 1e-9  # three honest of three: one curator's


def test_all_periods_cost_what_was_promised_and_no_record_more(lived):
    costs = [one.plan.cost.mu_squared() for one in lived.earlier]
    assert sum(costs) == 10**6
    assert lived.plan.known_cost.fits(dp.GDP(1000))
    assert [lived.plan.debit(t + 1).mu_squared() for t in range(PERIODS)] == costs
    noise = period_noise(lived.plan.asked, lived.plan.scheme, 3)
    for entered in range(PERIODS):  # a record of a later period spends a part of what was debited
        for now in range(entered, PERIODS):
            assert sum(noise.squares[: now - entered + 1]) <= sum(noise.squares[: now + 1])


# --- exact laws: one coordinate, all periods together -------------------------------------------


#: A change in whole steps in each period, by the periods' weights; ones where changes are charged.
SHIFTS = ((2, 1), (4, 2), (1, 1), (1, 1, 1))
#: Logarithms of likelihood ratios at which curves are compared.
GRID = np.linspace(-8, 8, 81)


def over_periods(sites, spread, shifts):
    """Laws of what is opened in all periods, without and with a change."""
    one = law(sites, spread, int(9 * spread) + 2)
    likely = np.flatnonzero(one > 1e-17)
    one = one[likely[0] : likely[-1] + 1]
    p = q = np.ones(1)
    for k in shifts:
        before, after = shifted(one, k)
        p, q = np.outer(p, before).ravel(), np.outer(q, after).ravel()
    return p, q


def exceeds(pair, mu):
    """Most by which laws exceed mu-GDP on the grid."""
    p, q = pair
    delta = np.array([np.sum(np.maximum(q - np.exp(e) * p, 0)) for e in GRID])
    allowed = norm.cdf(mu / 2 - GRID / mu) - np.exp(GRID) * norm.cdf(-mu / 2 - GRID / mu)
    return float(np.max(delta - allowed))


def claimed(sites, spread, shifts, times):
    """Mu by which periods are calibrated; ``times`` that rounding counts, else a mutant."""
    changes = Fraction(sum(k * k for k in shifts), sites)
    return float(changes + times * Fraction(sites, 4)) ** 0.5 / spread


@pytest.mark.parametrize("sites", [1, 2, 3, 5])
def test_no_exact_law_of_all_periods_exceeds_the_claim(sites):
    for spread, shifts in product((0.25, 0.3, 0.7), SHIFTS):
        mu = claimed(sites, spread, shifts, len(shifts))
        assert exceeds(over_periods(sites, spread, shifts), mu) < 1e-10, (spread, shifts)


def test_without_rounding_in_every_period_some_laws_exceed_the_claim():
    cells = list(product((3, 5), (0.25, 0.3), SHIFTS))
    found = [exceeds(over_periods(*cell), claimed(*cell, 0)) for cell in cells]
    assert max(found) > 0.1
    assert sum(one > 1e-6 for one in found) > 5


@pytest.mark.parametrize("sites", [5, 8])
def test_rounding_that_counts_once_for_many_periods_is_too_little(sites):
    """What is mu-GDP has a mean log likelihood ratio of at most mu^2 / 2; periods add theirs."""
    p, q = shifted(law(sites, 0.2, 12), 1)
    seen = (p > 1e-290) & (q > 1e-290)
    lost = 52 * 2 * np.sum(p[seen] * np.log(p[seen] / q[seen]))
    ones = (1,) * 52
    assert claimed(sites, 0.2, ones, 1) ** 2 < lost < claimed(sites, 0.2, ones, 52) ** 2


@pytest.mark.parametrize("honest", [1, 3, 1000])
def test_the_scale_keeps_the_promise_with_rounding_in_every_period(honest):
    plan = over_time(1)
    scheme = Scheme(square_root(12))
    found = period_noise(plan.asked, scheme, honest)
    spread = Fraction(found.each.spreads[0])
    diameter = 2 * Fraction(2) ** 29 * FINE  # in a site's integers: two ends of the ball
    spent = [
        (c * c * diameter**2 / honest + Fraction(2 * honest, 4)) / spread**2
        for c in scheme.coefficients
    ]
    for most, claimed in zip(spent, found.squares, strict=True):
        assert most <= claimed * (1 + Fraction(1, 10**8))
    assert sum(found.squares) == 1
    assert 1 - float(sum(spent)) < 1e-6


def test_the_shares_of_periods_keep_exact_laws_of_plain_counts():
    """Where a step is a whole record rounding is no small thing."""
    for sites, shifts in product((2, 3), ((2, 1), (4, 2))):
        diameter = Fraction(shifts[0])
        changes = [(Fraction(k) / diameter) ** 2 for k in shifts]
        shares = shares_of_periods(changes, diameter, [Fraction(1)], sites)
        spread = float(root_above(diameter**2 * sum(shares) / sites))
        assert exceeds(over_periods(sites, spread, shifts), 1.0) < 1e-10
        least = sum(changes) + len(shifts) * Fraction(sites**2, 4) / diameter**2
        assert sum(shares) >= least  # rounding in each


# --- what is refused -----------------------------------------------------------------------------


def test_a_record_that_changed_is_refused_before_anything_is_debited(tmp_path):
    life = Life(tmp_path)
    life.opened(life.boxes())
    book = dp.Ledger.create(tmp_path / "site.db", key=tmp_path / "site.ledger-key")
    book.grant("patients", dp.GDP(2000))
    points = life.parts["site0"].points.copy()
    points[0] += 0.1
    changed = dp.Records(points, period=life.parts["site0"].period)
    payer = Payer(book, "patients")
    with pytest.raises(GeomdpError, match="entered in 1 were changed"):
        answer(life.period, changed, life.group.sites["site0"], payer)
    assert not book.account("patients").spendings
    shuffled = life.parts["site0"].rows(np.arange(EACH * PERIODS)[::-1])
    answer(life.period, shuffled, life.group.sites["site0"], payer)  # their order is nothing
    (spent,) = book.account("patients").spendings
    assert spent.state == "published"
    assert book.account("patients").spent == life.period.cost.budget


def test_changes_that_are_charged_take_all_records_anew(tmp_path):
    life = Life(tmp_path, over_time(changes="charged"), roster=3)
    life.opened(life.boxes())
    for name, part in life.parts.items():
        life.parts[name] = dp.Records(part.points[::-1].copy(), period=part.period)
    names = list(life.parts)[:3]  # another roster: each total stands by itself
    boxes = life.boxes(names)
    release = life.opened(boxes, life.lists(boxes))
    assert np.max(np.abs(release.value - life.mean_after(2, names))) < 0.01


def test_running_totals_need_the_same_sites_in_every_period(tmp_path):
    life = Life(tmp_path, roster=3)
    life.opened(life.boxes())
    boxes = life.boxes(list(life.parts)[:3])
    with pytest.raises(GeomdpError, match="the same sites in every period"):
        add(life.period, boxes, life.group.hubs["hub0"], life.lists(boxes))


def test_a_site_without_records_yet_answers_too(tmp_path):
    life = Life(tmp_path)
    late = life.parts["site3"]
    life.parts["site3"] = late.rows(np.flatnonzero(late.period != "1"))
    assert life.opened(life.boxes()).plan.n == (SITES - 1) * EACH
    assert life.opened(life.boxes()).plan.n == (2 * SITES - 1) * EACH


def test_a_site_answers_each_period_once_and_in_order(tmp_path):
    life = Life(tmp_path)
    first = answer(life.period, life.parts["site0"], life.group.sites["site0"])
    assert answer(life.period, None, life.group.sites["site0"]) == first
    life.opened(life.boxes())
    for note in life.group.sites["site0"].kept.glob("*.records"):
        note.unlink()
    with pytest.raises(GeomdpError, match="was not answered with this key"):
        answer(life.period, life.parts["site0"], life.group.sites["site0"])


def test_a_ledger_pays_for_a_period_once_whatever_the_records_are(tmp_path):
    life = Life(tmp_path)
    book = dp.Ledger.create(tmp_path / "site.db", key=tmp_path / "site.ledger-key")
    book.grant("patients", dp.GDP(2000))
    payer, site = Payer(book, "patients"), life.group.sites["site0"]
    answer(life.period, life.parts["site0"], site, payer)
    next(site.kept.glob("*.box")).unlink()
    with pytest.raises(LedgerError, match="says that this site answered"):
        answer(life.period, site_records(99), site, payer)


def test_a_ledger_pays_each_period_its_part(tmp_path):
    life = Life(tmp_path)
    book = dp.Ledger.create(tmp_path / "site.db", key=tmp_path / "site.ledger-key")
    book.grant("patients", dp.GDP(1000))
    payer, site = Payer(book, "patients"), life.group.sites["site0"]
    for _ in range(PERIODS):
        answer(life.period, life.parts["site0"], site, payer)
        life.opened(life.boxes())
    spent = book.account("patients")
    assert [one.state for one in spent.spendings] == ["published"] * PERIODS
    assert spent.spent == dp.GDP(1000)  # all of it, and exactly


def test_persons_over_time_are_refused_with_the_way_out(tmp_path):
    with pytest.raises(MechanismRefusedError, match="plan for records"):
        make_group(tmp_path, over_time(unit=dp.Unit.person()))


def test_nothing_is_released_where_all_records_lie(lived):
    for attempt in (
        lambda: lived.plan.release(site_records(1), period="1"),
        lambda: lived.plan.prepare(site_records(1)),
    ):
        with pytest.raises(GeomdpError, match="never in one place"):
            attempt()
    assert lived.plan.check(site_records(1)).passed
    with pytest.raises(GeomdpError, match="All periods are released"):
        lived.plan.following(lived.earlier)


def test_a_board_reads_what_periods_tell(lived, with_reports):
    assert "same sites in all of them" in str(lived.plan)
    assert "in each of 3 periods" in lived.plan.further_chapters()["What leaves each house"][-1]
    assert dp.report.plan_page.plan_html(lived.plan)
    assert dp.report.report_html(lived.earlier[1])


# --- by the command ------------------------------------------------------------------------------


def run(*words):
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == 0, done.output
    return done.output


def test_two_periods_by_the_command(tmp_path):
    plan = ("plan", "--space", "euclidean:2", "--center", "origin", "--radius", 1, "--n", 96)
    asked = ("--statistic", "tangent-mean", "--periods", 3, "--mu", 1000)
    run(*plan, *asked, "--out", tmp_path / "plan.json")
    group = make_group(tmp_path, dp.load_plan(tmp_path / "plan.json"), hubs=2, sites=4)
    made = tmp_path / "consortium.json"
    group.plan.save(made)
    assert "in each of 3 periods" in run("show", made)
    for number, site in enumerate(group.sites):
        part = site_records(number)
        table = [f"{x},{y},{p}" for (x, y), p in zip(part.points, part.period, strict=True)]
        (tmp_path / f"{site}.csv").write_text("\n".join(["x,y,period", *table]) + "\n")
    earlier = ()
    for period in (1, 2):
        boxes = [tmp_path / f"{site}-{period}.box" for site in group.sites]
        for site, box in zip(group.sites, boxes, strict=True):
            key = ("--key", tmp_path / f"{site}.key", "--out", box)
            run("consortium", "answer", made, tmp_path / f"{site}.csv", *key, *earlier)
        totals = [tmp_path / f"{hub}-{period}.total" for hub in group.hubs]
        for hub, total in zip(group.hubs, totals, strict=True):
            key = ("--key", tmp_path / f"{hub}.key", "--out", total)
            run("consortium", "add", made, *boxes, *key, *earlier)
        out = tmp_path / f"period{period}"
        run("consortium", "release", made, *totals, "--out", out, *earlier)
        run("verify", out, "--plan", made)
        earlier = ("--earlier", out)
    assert dp.load_release(out).plan.n == 4 * 2 * EACH
