"""Sites that find a ball together and answer in it: docs/theory/consortium.md, section 6."""

import base64
import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from tests.consortia.consortia_tools import make_group
from tests.consortia.test_consortia_splitting import excess, law, shifted
from typer.testing import CliRunner

import geomdp as dp
from geomdp.audit.stages import composition_audit
from geomdp.cli.app import app
from geomdp.consortia import (
    Payer,
    add,
    answer,
    list_boxes,
    make_identity,
    open_release,
    read_totals,
    site_noise,
)
from geomdp.consortia.messages import BOX, Round
from geomdp.consortia.plan import Parties
from geomdp.consortia.site import answer_there
from geomdp.consortia.splitting import loss_squared
from geomdp.consortia.stage_shares import steps_of
from geomdp.errors import GeomdpError, MechanismRefusedError
from geomdp.statistics import DistanceHistogram

PRIOR = dp.Ball(dp.Euclidean(2), center=np.zeros(2), radius=4.0)
N = 600


def planned(budget=None):
    asked = dp.Refined(dp.TangentMean(PRIOR))
    return dp.plan(asked, n=N, budget=dp.GDP(1) if budget is None else budget)


def far_records(seed=0):
    """Records a tenth as wide as the prior, away from its centre."""
    return np.array([0.9, 0.3]) + 0.1 * np.random.default_rng(seed).normal(size=(N, 2))


class Life:
    """A group that opens one stage after the other."""

    def __init__(self, folder, asked=None, **sizes):
        told = {"sites": 4, "hubs": 2, "roster": 3, **sizes}
        self.group = make_group(folder, planned() if asked is None else asked, **told)
        self.plan = self.group.plan
        self.parts = dict(zip(self.group.sites, np.array_split(far_records(), 4), strict=True))
        self.earlier = []

    @property
    def stage(self):
        return self.plan.following(self.earlier)

    def boxes(self, names=None):
        stage = self.stage
        return [
            self.group.file(
                f"{name}-{stage.round.stage}.box",
                answer(stage, self.parts[name], self.group.sites[name]),
            )
            for name in names or self.group.sites
        ]

    def totals(self, boxes, lists=()):
        return [
            self.group.file(
                f"{name}-{self.stage.round.stage}.total", add(self.stage, boxes, key, lists)
            )
            for name, key in self.group.hubs.items()
        ]

    def opened(self, boxes, lists=()):
        totals = self.totals(boxes, lists)
        release = open_release(self.stage, read_totals(self.stage, totals))
        whole = self.plan.finished(self.earlier, release)
        self.earlier.append(release)
        return whole

    def lived(self, stages):
        for _ in range(stages):
            release = self.opened(self.boxes())
        return release


@pytest.fixture(scope="module")
def lived(tmp_path_factory):
    life = Life(tmp_path_factory.mktemp("stages"))
    life.lived(4)
    return life


def test_a_ball_is_found_and_answered_in_and_all_of_it_verifies(lived, tmp_path):
    whole = lived.plan.finished(lived.earlier[:3], lived.earlier[3])
    assert list(whole.parts) == ["stage 1", "stage 2", "stage 3", "stage 4"]
    ball = whole.answer.plan.statistic.public_ball
    assert ball.radius < 1 < PRIOR.radius
    away = np.linalg.norm(whole.value - far_records().mean(axis=0))
    assert away < 6 * whole.answer.plan.expected_error < lived.plan.expected_error
    whole.save(tmp_path / "whole")
    lived.plan.save(tmp_path / "plan.json")
    verdict = dp.verify(tmp_path / "whole", plan=tmp_path / "plan.json")
    assert verdict.verified, str(verdict)
    again = dp.load_release(tmp_path / "whole")
    assert np.array_equal(again.value, whole.value)


def test_another_total_of_any_stage_does_not_verify(lived, tmp_path):
    whole = lived.plan.finished(lived.earlier[:3], lived.earlier[3])
    for number in range(1, 5):
        folder = tmp_path / str(number)
        whole.save(folder)
        file = next(folder.glob(f"{number}-*")) / "manifest.json"
        document = json.loads(file.read_text())
        totals = document["consortium"]["totals"]
        totals["hub0"], totals["hub1"] = totals["hub1"], totals["hub0"]
        file.write_text(json.dumps(document))
        assert not dp.verify(folder).verified, number


def test_stages_of_one_plan_cost_what_was_promised(lived):
    costs = [one.plan.cost for one in lived.earlier]
    assert lived.plan.cost.fits(dp.GDP(1))
    for cost, stated in zip(costs, lived.plan.rule.costs, strict=True):
        assert cost.mu_squared() <= stated.mu_squared()
    assert sum(cost.mu_squared() for cost in costs) <= 1
    assert "fail" not in str(composition_audit(lived.plan))


def test_a_box_is_bound_to_its_stage_and_to_what_was_opened_before(lived):
    first, second = (lived.plan.following(lived.earlier[:k]) for k in (0, 1))
    boxes = [lived.group.folder / f"{name}-1.box" for name in lived.group.sites]
    with pytest.raises(GeomdpError, match="of another stage"):
        add(second, boxes, lived.group.hubs["hub0"])
    moved = lived.group.changed(
        boxes[0], BOX, lived.group.sites["site0"], stage=2, opening=second.round.opening
    )
    rest = [lived.group.folder / f"{name}-2.box" for name in list(lived.group.sites)[1:]]
    hub = make_identity(lived.group.folder / "hub")  # has published nothing yet
    forgetful = replace(lived.group.hubs["hub0"], file=hub.file)
    with pytest.raises(GeomdpError, match="for another plan or stage"):
        add(second, [moved, *rest], forgetful)
    assert first.round.opening == "" != second.round.opening


@pytest.fixture
def two_openings(tmp_path):
    """The last aggregator to publish lies twice: two openings of stage 1, both signed by all."""
    life = Life(tmp_path)
    totals = life.totals(life.boxes())
    openings = []
    for number, lie in enumerate((b"\x00", b"\x07")):
        document = json.loads(totals[1].read_text())
        total = bytearray(base64.b64decode(document["total"]))
        total[5] ^= lie[0]
        lying = life.group.changed(
            totals[1],
            "consortium total 1",
            life.group.hubs["hub1"],
            total=base64.b64encode(bytes(total)).decode(),
        )
        lying = lying.rename(tmp_path / f"lie{number}.total")
        openings.append(open_release(life.stage, read_totals(life.stage, [totals[0], lying])))
    return life, openings


def test_a_site_that_is_shown_two_openings_answers_one(two_openings):
    life, (one, other) = two_openings
    life.earlier = [one]
    first = answer(life.stage, life.parts["site0"], life.group.sites["site0"])
    assert answer(life.stage, lambda: pytest.fail("read again"), life.group.sites["site0"]) == first
    life.earlier = [other]
    with pytest.raises(GeomdpError, match="somebody showed two"):
        answer(life.stage, life.parts["site0"], life.group.sites["site0"])


def test_boxes_after_two_openings_are_not_added_together(two_openings):
    life, (one, other) = two_openings
    life.earlier = [other]
    stray = life.boxes(["site3"])
    life.earlier = [one]
    boxes = life.boxes(["site0", "site1", "site2"])
    with pytest.raises(GeomdpError, match="of another opening"):
        add(life.stage, [*boxes, *stray], life.group.hubs["hub0"])


def test_an_aggregator_opens_a_stage_once_whatever_was_opened_before(two_openings):
    life, (one, other) = two_openings
    life.earlier = [one]
    kept = add(life.stage, life.boxes(), life.group.hubs["hub0"])
    life.earlier = [other]
    for identity in life.group.sites.values():  # sites that forget, and collude
        for box in identity.kept.glob("*-2.box"):
            box.unlink()
    with pytest.raises(GeomdpError, match="opened already"):
        add(life.stage, life.boxes(), life.group.hubs["hub0"])
    life.earlier = [one]
    kept_file = life.group.hubs["hub0"].kept / f"{life.stage.round.name}.total"
    assert kept_file.read_text() == kept


def test_rosters_may_differ_between_stages(tmp_path):
    life = Life(tmp_path)
    life.opened(life.boxes())
    boxes = life.boxes(["site0", "site1", "site3"])
    lists = [
        life.group.file(f"{name}.list", list_boxes(life.stage, boxes, key))
        for name, key in life.group.hubs.items()
    ]
    life.opened(boxes, lists)
    whole = life.lived(2)
    assert [len(one.manifest["consortium"]["roster"]) for one in life.earlier] == [4, 3, 4, 4]
    whole.save(tmp_path / "whole")
    assert dp.verify(tmp_path / "whole").verified


def test_a_stage_that_was_read_by_itself_is_not_answered(lived, tmp_path):
    """Whoever writes its file could have messages of one plan counted in another."""
    document = lived.plan.following([]).to_json()
    (tmp_path / "stage.json").write_text(json.dumps(document))
    read = dp.load_plan(tmp_path / "stage.json")
    assert read.round == lived.plan.following([]).round
    hub = lived.group.hubs["hub0"]
    box = lived.group.folder / "site0-1.box"
    for attempt in (
        lambda: answer(read, lived.parts["site0"], lived.group.sites["site0"]),
        lambda: add(read, [box], hub),
        lambda: list_boxes(read, [box], hub),
        lambda: read.following([]),
    ):
        with pytest.raises(GeomdpError, match="give the plan that it is a stage of"):
            attempt()


def test_a_worker_answers_a_later_stage_by_the_same_function(lived):
    opened = [one.manifest["consortium"] for one in lived.earlier[:2]]
    key = lived.group.folder / "site0.key"
    text = answer_there(lived.plan.to_json(), lambda: pytest.fail("read again"), key, opened)
    assert text == (lived.group.folder / "site0-3.box").read_text()


def test_stages_are_given_in_order_and_each_once(lived):
    with pytest.raises(GeomdpError, match="release of stage 1 is missing"):
        lived.plan.following(lived.earlier[1:2])
    with pytest.raises(GeomdpError, match="All stages are released"):
        lived.plan.following(lived.earlier)
    with pytest.raises(GeomdpError, match="never in one place"):
        lived.plan.release(far_records())
    assert lived.plan.check(lived.parts["site0"]).passed


def test_a_stage_believes_signed_totals_alone(lived):
    """A release whose value somebody changed leads to the plan that its totals lead to."""
    altered = replace(lived.earlier[0], value=lived.earlier[0].value[::-1].copy())
    honest, fooled = (
        lived.plan.following([first, *lived.earlier[1:3]]) for first in (lived.earlier[0], altered)
    )
    assert honest.round == fooled.round
    assert honest.statistic.radius == fooled.statistic.radius


def test_every_stage_is_debited_before_it_is_answered(tmp_path):
    life = Life(tmp_path)
    book = dp.Ledger.create(tmp_path / "site.db", key=tmp_path / "site.ledger-key")
    book.grant("patients", dp.GDP(1))
    payer = Payer(book, "patients")
    for number in range(1, 5):
        text = answer(life.stage, life.parts["site0"], life.group.sites["site0"], payer)
        spent = book.account("patients").spendings
        assert [one.state for one in spent] == ["published"] * number
        assert answer(life.stage, far_records(1), life.group.sites["site0"], payer) == text
        life.opened(life.boxes())
    assert len(book.account("patients").spendings) == 4
    assert book.account("patients").spent.mu <= 1


def test_what_a_board_reads_says_that_there_are_stages(lived):
    said = str(lived.plan)
    assert "Stage 4" in said
    assert "difference of the opened numbers" in said
    chapters = lived.plan.further_chapters()
    assert "in each of 4 stages" in chapters["What leaves each house"][-1]


def test_rounds_of_stages_have_one_name_whatever_was_opened():
    assert Round("a", 2, "x").name == Round("a", 2, "y").name
    assert Round("a", 2, "x").to_json() != Round("a", 2, "y").to_json()
    assert Round.from_json(Round("a", 2, "x").to_json()) == Round("a", 2, "x")


def test_a_histogram_that_would_be_noise_is_refused_while_planning():
    request = planned(dp.GDP(0.5)).rule.request
    few = Parties({str(i): "" for i in range(4)}, {}, 1, 3)
    assert steps_of(request, few) > 10
    many = Parties({str(i): "" for i in range(900)}, {}, 1, 2)  # one honest site of 900
    with pytest.raises(MechanismRefusedError, match="too few for sites to find a ball"):
        steps_of(request, many)


# --- the histogram ------------------------------------------------------------------------------


ASKED = DistanceHistogram(dp.Euclidean(2), np.zeros(2), top=4.0, steps=12)


def test_a_record_is_one_entry_and_two_change():
    rows = ASKED.encode(far_records()[:50])
    assert np.array_equal(np.sum(rows, axis=1), np.ones(50))
    assert set(np.unique(rows)) == {0.0, 1.0}
    apart = rows[0] - ASKED.public_row
    assert np.sum(np.abs(apart)) in (0.0, 2.0)
    assert 2 <= ASKED.diameter**2 < 2 + Fraction(1, 2**100)
    # From the farthest inwards: beyond the top, and the centre itself.
    assert ASKED.encode(np.array([[9.0, 0.0]]))[0, 0] == 1
    assert ASKED.public_row[-1] == 1
    assert np.array_equal(ASKED.encode(ASKED.records_at(np.eye(14))), np.eye(14))


def test_a_histogram_says_which_radius_holds_most():
    shares = ASKED.estimate(ASKED.encode(far_records()))
    radius = ASKED.radius_in(shares, outside=0.02, deviation=0.0)
    lengths = np.linalg.norm(far_records(), axis=1)
    assert np.mean(lengths > radius) <= 0.02
    assert radius < 2 * np.max(lengths)
    for hostile in (np.full(14, np.nan), np.full(14, -1e9), np.full(14, 1e9)):
        assert ASKED.radius_in(hostile, 0.02, 0.1) in ASKED.radii


def test_all_machines_read_the_same_radii():
    """24 digits: what differs in the last of 53 is the same."""
    other = DistanceHistogram(dp.Euclidean(2), np.zeros(2), top=np.nextafter(4.0, 5), steps=12)
    assert np.array_equal(ASKED.radii, other.radii)


@pytest.mark.parametrize("sites", [1, 2, 3])
def test_no_exact_law_of_two_entries_exceeds_the_claim(sites):
    """Plain counts too, with the term for rounding; without it some exceed."""
    for spread in (0.3, 0.7):
        mu = float(loss_squared([1, -1], [Fraction(spread)] * 2, sites)) ** 0.5
        assert excess(*moved(sites, spread), mu) < 1e-11
    assert excess(*moved(3, 0.3), (2 / 3) ** 0.5 / 0.3) > 1e-3


def moved(sites, spread):
    """Laws of two entries of the opened histogram: a record is in the one or in the other."""
    p, q = shifted(law(sites, spread, 9), 1)
    return np.outer(p, q).ravel(), np.outer(q, p).ravel()


def test_plain_counts_would_pay_dearly_and_scaled_ones_do_not():
    plan = dp.plan(ASKED, n=N, budget=dp.GDP(0.1))
    for honest in (7, 1000):
        ours = site_noise(plan, honest).scale ** 2 * honest
        assert ours * 0.1**2 / 2 - 1 < 1e-6
        plain = (2 / honest + 2 * honest / 4) * honest
        assert plain / 2 > (10 if honest == 7 else 1e5)


# --- by the command -----------------------------------------------------------------------------


def run(*words, code=0):
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == code, done.output
    return done.output


@pytest.mark.parametrize("stages", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_a_life_in_stages_by_the_command(tmp_path, stages):
    for name in ("site0", "site1", "site2", "hub", "uni"):
        run("consortium", "key", "--out", tmp_path / name)
    for name, part in zip(
        ("site0", "site1", "site2"), np.array_split(far_records(), 3), strict=True
    ):
        np.save(tmp_path / f"{name}.npy", part)
    hubs = ("hub", "uni")
    plan = ("plan", "--space", "euclidean:2", "--center", "origin", "--radius", 4, "--n", N)
    asked = ("--statistic", "tangent-mean", "--find-ball", "--mu", 1)
    run(*plan, *asked, "--out", tmp_path / "plan.json")
    keys = [w for i in range(3) for w in ("--site", f"site{i}={tmp_path / f'site{i}.pub'}")]
    keys += [w for name in hubs for w in ("--aggregator", f"{name}={tmp_path / name}.pub")]
    made = tmp_path / "consortium.json"
    who = (*keys, "--colluding", 1, "--roster", 3)
    run("consortium", "plan", tmp_path / "plan.json", *who, "--out", made)
    assert "in each of 4 stages" in run("show", made)
    earlier = []
    for stage in range(1, stages + 1):
        before = [w for folder in earlier for w in ("--earlier", folder)]
        boxes = [tmp_path / f"site{i}-{stage}.box" for i in range(3)]
        for i, box in enumerate(boxes):
            key = ("--key", tmp_path / f"site{i}.key", "--out", box)
            run("consortium", "answer", made, tmp_path / f"site{i}.npy", *key, *before)
        totals = [tmp_path / f"{name}-{stage}.total" for name in hubs]
        for name, total in zip(hubs, totals, strict=True):
            key = ("--key", tmp_path / f"{name}.key", "--out", total)
            run("consortium", "add", made, *boxes, *key, *before)
        out = tmp_path / f"stage{stage}"
        said = run("consortium", "release", made, *totals, *before, "--out", out)
        assert "Released" in said
        run("verify", out, *(() if stage < 4 else ("--plan", made)))
        earlier.append(out)
    parts = list(dp.load_release(earlier[-1]).parts)
    assert parts == ([] if stages < 4 else [f"stage {i}" for i in range(1, 5)])
