"""What must be refused, each with the attack that it would open: docs/theory/consortium.md, 3."""

import base64
import json

import numpy as np
import pytest
from tests.consortia.consortia_tools import BALL, make_group, records

import geomdp as dp
from geomdp.consortia import add, answer, consortium, list_boxes, make_identity, messages, opening
from geomdp.consortia.keys import PublicKey
from geomdp.consortia.messages import BOX, LIST, TOTAL, Round
from geomdp.curves import FunctionMean, PoweredExponential
from geomdp.errors import GeomdpError


@pytest.fixture
def group(tmp_path):
    return make_group(tmp_path)


def test_a_site_answers_once_whatever_its_data_then_say(group):
    first = answer(group.plan, group.parts()["site0"], group.sites["site0"])

    def unread():
        raise AssertionError("no record is read again")

    assert answer(group.plan, unread, group.sites["site0"]) == first
    assert answer(group.plan, records(3), group.sites["site0"]) == first


def test_an_unsigned_or_altered_box_is_refused(group):
    boxes = group.boxes()
    shares = json.loads(boxes[0].read_text())["shares"]
    for changes in ({"signature": "0" * 128}, {"shares": {**shares, "hub0": shares["hub1"]}}):
        bad = group.changed(boxes[0], BOX, **changes)
        with pytest.raises(GeomdpError, match="not signed by 'site0'"):
            add(group.plan, [bad, *boxes[1:]], group.hubs["hub0"])


def test_sites_that_do_not_exist_are_refused(group):
    """Sybil sites would count as honest."""
    boxes, stranger = group.boxes(), make_identity(group.folder / "stranger")
    bad = group.changed(boxes[0], BOX, stranger, site="site9")
    with pytest.raises(GeomdpError, match="no site of the plan"):
        add(group.plan, [bad, *boxes], group.hubs["hub0"])
    with pytest.raises(GeomdpError, match="key of no site"):
        answer(group.plan, records(3), stranger)


def test_swapped_keys_are_refused(group):
    boxes = group.boxes()
    bad = group.changed(boxes[0], BOX, group.sites["site1"])
    with pytest.raises(GeomdpError, match="not signed by 'site0'"):
        add(group.plan, [bad, *boxes[1:]], group.hubs["hub0"])
    with pytest.raises(GeomdpError, match="key of no aggregator"):
        add(group.plan, boxes, group.sites["site0"])


def test_a_message_counted_twice_is_refused(group):
    boxes = group.boxes()
    again = group.file("again.box", boxes[0].read_text())
    once = add(group.plan, [*boxes, again], group.hubs["hub0"])  # the same one counts once
    assert once == add(group.plan, boxes, group.hubs["hub0"])
    other = group.changed(boxes[0], BOX, group.sites["site0"], shares={})
    with pytest.raises(GeomdpError, match="two boxes that differ"):
        add(group.plan, [*boxes, other], group.hubs["hub1"])


def test_a_colluding_site_cannot_hand_in_an_honest_ones_share_as_its_own(group):
    """Its change would count twice: the seal names its site."""
    boxes = group.boxes()
    stolen = json.loads(boxes[0].read_text())["shares"]
    bad = group.changed(boxes[1], BOX, group.sites["site1"], shares=stolen)
    files = [boxes[0], bad, *boxes[2:]]
    with pytest.raises(GeomdpError, match="sealed by another site"):
        add(group.plan, files, group.hubs["hub0"])


def test_without_the_name_inside_the_seal_the_change_would_count_twice(group, monkeypatch):
    monkeypatch.setattr(messages, "_binding", lambda *of: bytes(32))
    boxes = group.boxes()
    stolen = json.loads(boxes[0].read_text())["shares"]
    bad = group.changed(boxes[1], BOX, group.sites["site1"], shares=stolen)
    twice = group.release(group.totals([boxes[0], bad, *boxes[2:]]))
    parts = group.parts()
    assert twice.plan.n == len(records()) - len(parts["site1"]) + len(parts["site0"])


def test_messages_of_another_plan_or_stage_are_refused(group, tmp_path):
    boxes = group.boxes()
    asked = dp.plan(dp.TangentMean(BALL), n=60, budget=dp.GDP(2))
    other = consortium(
        asked,
        sites={name: key.public for name, key in group.sites.items()},
        aggregators={name: key.public for name, key in group.hubs.items()},
        colluding=1,
        roster=4,
    )
    with pytest.raises(GeomdpError, match="another plan"):
        add(other, boxes, group.hubs["hub0"])
    for stage in (2, True, "1"):
        late = group.changed(boxes[0], BOX, group.sites["site0"], stage=stage)
        with pytest.raises(GeomdpError, match="another stage"):
            add(group.plan, [late, *boxes[1:]], group.hubs["hub0"])
    # Signed anew, a box of another plan still has its shares sealed for that one.
    moved = group.changed(boxes[0], BOX, group.sites["site0"], plan=other.hash)
    with pytest.raises(GeomdpError, match="for another plan or stage"):
        messages.share_in(
            json.loads(moved.read_text()), other.round, "hub0", group.hubs["hub0"], 32
        )


def test_a_short_roster_is_refused(group):
    boxes = group.boxes()[:3]
    lists = [
        group.file(f"{name}.list", list_boxes(group.plan, boxes, key))
        for name, key in group.hubs.items()
    ]
    with pytest.raises(GeomdpError, match="opens none below 4"):
        add(group.plan, boxes, group.hubs["hub0"], lists)


def test_a_roster_with_sites_missing_is_agreed_by_all_lists(group):
    boxes = group.boxes()
    held = {"hub0": boxes, "hub1": boxes[:4], "hub2": boxes}
    with pytest.raises(GeomdpError, match="1 of 5 sites are missing, 'site4'"):
        add(group.plan, boxes[:4], group.hubs["hub0"])
    lists = [
        group.file(f"{name}.list", list_boxes(group.plan, held[name], key))
        for name, key in group.hubs.items()
    ]
    with pytest.raises(GeomdpError, match="list of 'hub2' is missing"):
        add(group.plan, boxes, group.hubs["hub0"], lists[:2])
    forged = group.changed(lists[1], LIST, group.hubs["hub0"], aggregator="hub1")
    with pytest.raises(GeomdpError, match="not signed by 'hub1'"):
        add(group.plan, boxes, group.hubs["hub0"], [lists[0], forged, lists[2]])
    with pytest.raises(GeomdpError, match="not among these files"):
        add(group.plan, boxes[1:], group.hubs["hub0"], lists)
    release = group.release(group.totals(boxes, lists))
    assert release.manifest["consortium"]["roster"] == ["site0", "site1", "site2", "site3"]
    assert release.plan.n == sum(len(group.parts()[f"site{i}"]) for i in range(4))
    # The noise of four sites, not of five, and divided by the opened number.
    expected = group.plan.noise.scale * 2 / release.plan.n
    assert release.plan.scale == pytest.approx(expected)


def test_a_second_opening_with_another_roster_is_refused(group):
    """The difference of two totals is one site's sum with one site's noise."""
    boxes = group.boxes()
    first = add(group.plan, boxes, group.hubs["hub0"])
    lists = [
        group.file(f"{name}.list", list_boxes(group.plan, boxes[:4], key))
        for name, key in group.hubs.items()
    ]
    with pytest.raises(GeomdpError, match=r"opened already, with 5 sites, and 'site4'"):
        add(group.plan, boxes[:4], group.hubs["hub0"], lists)
    assert add(group.plan, boxes, group.hubs["hub0"]) == first


def test_the_same_roster_with_another_box_is_a_second_opening(group):
    boxes = group.boxes()
    add(group.plan, boxes, group.hubs["hub0"])
    (group.sites["site0"].kept / f"{group.plan.hash}-1.box").unlink()  # a site that forgets
    other = group.file("other.box", answer(group.plan, records(9), group.sites["site0"]))
    with pytest.raises(GeomdpError, match="box is another one"):
        add(group.plan, [other, *boxes[1:]], group.hubs["hub0"])


def test_one_share_is_no_box_of_another_aggregator(group):
    boxes = group.boxes()
    shares = json.loads(boxes[0].read_text())["shares"]
    mixed = {**shares, "hub0": shares["hub1"]}
    bad = group.changed(boxes[0], BOX, group.sites["site0"], shares=mixed)
    with pytest.raises(GeomdpError, match="not sealed to the key of 'hub0'"):
        add(group.plan, [bad, *boxes[1:]], group.hubs["hub0"])


def test_a_share_of_another_length_is_refused(group):
    boxes, of = group.boxes(), group.plan.round
    text = messages.box(of, "site0", group.sites["site0"], [bytes(8)] * 3, group.plan.aggregators)
    bad = group.file("short.box", text)
    with pytest.raises(GeomdpError, match="8 bytes where the plan has 32"):
        add(group.plan, [bad, *boxes[1:]], group.hubs["hub0"])


def test_totals_that_do_not_belong_together_are_refused(group):
    totals = group.totals(group.boxes())
    with pytest.raises(GeomdpError, match="ask whoever is missing"):
        group.release(totals[:2])
    roster = [f"site{i}" for i in range(4)]
    other = group.changed(totals[0], TOTAL, group.hubs["hub0"], roster=roster)
    with pytest.raises(GeomdpError, match="added other sites: 'site4'"):
        group.release([other, *totals[1:]])
    with pytest.raises(GeomdpError, match="opened twice"):
        group.release([*totals, other])
    equivocal = group.changed(totals[0], TOTAL, group.hubs["hub0"], messages="0" * 64)
    with pytest.raises(GeomdpError, match="different boxes"):
        group.release([equivocal, *totals[1:]])
    with pytest.raises(GeomdpError, match="not signed by 'hub0'"):
        group.release([group.changed(totals[0], TOTAL, total="AAAA"), *totals[1:]])


def test_a_total_with_a_short_roster_is_refused_by_readers_too(group):
    totals = [
        group.changed(file, TOTAL, group.hubs[name], roster=["site0", "site1"])
        for name, file in zip(group.hubs, group.totals(group.boxes()), strict=True)
    ]
    with pytest.raises(GeomdpError, match="Only 2 sites"):
        group.release(totals)


def test_a_liar_sets_the_total_and_an_absurd_number_is_told(group):
    boxes = group.boxes()
    modulus, plan = group.plan.noise.modulus, group.plan
    from geomdp.noise.entropy import SeededEntropy

    lie = modulus.split([0, 0, 0, 10**6], 3, SeededEntropy(0))
    text = messages.box(plan.round, "site0", group.sites["site0"], lie, plan.aggregators)
    totals = group.totals([group.file("lie.box", text), *boxes[1:]])
    with pytest.raises(GeomdpError, match="lied, or the plan's n is far off"):
        group.release(totals)


def test_one_key_for_two_and_too_few_honest_ones_are_refused(group):
    sites = {name: key.public for name, key in group.sites.items()}
    hubs = {name: key.public for name, key in group.hubs.items()}
    asked = group.plan.asked

    def planned(**changes):
        told = {"sites": sites, "aggregators": hubs, "colluding": 1, "roster": 4, **changes}
        return consortium(asked, **told)

    for changes, said in (
        ({"sites": {**sites, "twin": sites["site0"]}}, "One key stands for two sites"),
        ({"aggregators": {**hubs, "twin": hubs["hub0"]}}, "One key stands for two aggregators"),
        ({"aggregators": {"hub0": hubs["hub0"]}}, "name two or more"),
        ({"roster": 6}, "can never answer"),
        ({"colluding": 0}, "own noise off"),
        ({"colluding": 4}, "no honest one left"),
        ({"aggregators": {**hubs, "a": sites["site0"], "b": sites["site1"]}}, "sites too"),
        ({"sites": {**sites, "": hubs["hub0"]}}, "no name of a site"),
    ):
        with pytest.raises(GeomdpError, match=said):
            planned(**changes)
    planned(aggregators={**hubs, "a": sites["site0"]})  # which counts among the colluding


FLAT = dp.TangentMean(dp.Ball(dp.Euclidean(1), [0.0], 1.0))


def test_what_is_not_opened_together_is_refused_with_the_way_out(group):
    sizes = {"a": 30, "b": 30}
    curves = FunctionMean(np.zeros(20), tau=1.0, kernel=PoweredExponential(1.0), phi=0.01)
    far = dp.Refined(dp.TangentMean(BALL))
    for asked, said in (
        (dp.plan(FLAT, n=sizes, budget=dp.GDP(1)), "plan each by itself"),
        (dp.plan(dp.Refined(curves), n=6000, budget=dp.GDP(1)), "plan each by itself"),
        (dp.plan(dp.PrivateBall(BALL), n=6000, budget=dp.GDP(1)), "plan each by itself"),
        (dp.plan(far, n=6000, budget=dp.Pure(1)), "Stages of sites are Gaussian"),
    ):
        with pytest.raises(GeomdpError, match=said):
            make_group(group.folder / str(len(list(group.folder.iterdir()))), asked)


def test_what_is_sent_is_random_alone(group):
    """All shares but one are uniform: bits of many shares are balanced, whatever the sums."""
    from geomdp.noise.entropy import SeededEntropy

    modulus = group.plan.noise.modulus
    shares = [modulus.split([5, -7], 3, SeededEntropy(i)) for i in range(500)]
    for k in range(3):
        bits = np.unpackbits(np.frombuffer(b"".join(s[k] for s in shares), dtype=np.uint8))
        assert abs(bits.mean() - 0.5) < 0.01


def test_a_public_key_put_together_of_two_is_refused(group):
    mine, theirs = (group.folder / f"site{i}.pub" for i in (0, 1))
    mixed = {**json.loads(mine.read_text()), "seal": json.loads(theirs.read_text())["seal"]}
    bad = group.file("mixed.pub", json.dumps(mixed))
    from geomdp.consortia import read_identity, read_public

    with pytest.raises(GeomdpError, match="altered, or put together of two"):
        read_public(bad)
    with pytest.raises(GeomdpError, match="no private key"):
        read_identity(mine)
    with pytest.raises(GeomdpError, match="no public key"):
        read_public(group.folder / "site0.key")
    assert isinstance(read_public(mine), PublicKey)


def test_a_private_key_is_its_owners_alone(group):
    from geomdp.consortia import read_identity

    key = group.folder / "site0.key"
    assert key.stat().st_mode & 0o777 == 0o600
    key.chmod(0o644)
    with pytest.raises(GeomdpError, match="chmod 600"):
        read_identity(key)
    with pytest.raises(GeomdpError, match="exists"):
        make_identity(group.folder / "site1")
    answer(group.plan, group.parts()["site1"], group.sites["site1"])
    kept = group.sites["site1"].kept
    assert kept.stat().st_mode & 0o777 == 0o700
    assert all(file.stat().st_mode & 0o077 == 0 for file in kept.glob("*.box"))


def test_what_lies_in_the_open_holds_no_sum(group):
    """No file of a site holds a share in the clear: shares lie in its box sealed alone."""
    drawn = []
    modulus = group.plan.noise.modulus
    original = type(modulus).split

    def spied(self, values, parts, entropy):
        drawn.extend(original(self, values, parts, entropy))
        return drawn[-parts:]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(modulus), "split", spied)
        group.boxes(["site0"])
    files = [file for file in group.folder.rglob("*") if file.is_file()]
    held = b"".join(file.read_bytes() for file in files)
    assert len(drawn) == 3
    for share in drawn:
        assert share not in held
        assert base64.b64encode(share)[:-4] not in held


def test_rounds_are_told_apart():
    assert Round("a", 1) != Round("a", 2)
    body = opening.total_body(Round("a", 1), "hub", ["s"], "m", "t")
    assert (body["plan"], body["stage"], body["roster"]) == ("a", 1, ["s"])
