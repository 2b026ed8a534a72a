"""Killed at any moment: nothing opens twice, and a rerun brings back what was lost."""

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.consortia.consortia_tools import make_group, records, usual_plan

import geomdp as dp
from geomdp.consortia import Payer, add, answer, list_boxes
from geomdp.consortia.keeping import hand_out
from geomdp.errors import GeomdpError, LedgerError
from geomdp.ledger.store import Store


class Killed(BaseException):
    """The end of a process, as far as a test can have it in its own."""


class Killer:
    """Ends the work at its k-th step; steps are what the disk and the ledger are asked."""

    STEPS = ((os, "open"), (os, "fsync"), (os, "link"), (Store, "append"))

    def __init__(self, patch, at):
        self.left = at
        for place, name in self.STEPS:
            patch.setattr(place, name, self.counted(getattr(place, name)))

    def counted(self, step):
        def run(*args, **kwargs):
            self.strike()
            done = step(*args, **kwargs)
            self.strike()  # after it too: done, and nobody was told
            return done

        return run

    def strike(self):
        self.left -= 1
        if self.left == 0:
            raise Killed


def killed_at(at, work):
    """Run some work and end it at its k-th step; True if it came to its end before."""
    with pytest.MonkeyPatch.context() as patch:
        Killer(patch, at)
        try:
            work()
        except Killed:
            return False
    return True


def ledger(folder):
    book = dp.Ledger.create(folder / "site.db", key=folder / "site.ledger-key")
    book.grant("patients", dp.GDP(3))
    return book


def debits(book, dataset="patients"):
    return [one.state for one in book.account(dataset).spendings]


def test_a_site_killed_at_any_step_debits_once_and_answers_once(tmp_path):
    group, book = make_group(tmp_path, sites=4, hubs=2, roster=4), ledger(tmp_path)
    kept = group.sites["site0"].kept / f"{group.plan.hash}-1.box"
    at, done = 0, False
    while not done:
        at += 1
        kept.unlink(missing_ok=True)
        data, out = records(8, seed=at), tmp_path / f"{at}.box"
        book.grant(f"patients {at}", dp.GDP(1))

        def work(at=at, data=data, out=out):
            payer = Payer(book, f"patients {at}")
            hand_out(answer(group.plan, data, group.sites["site0"], payer), out)

        done = killed_at(at, work)
        left = out.read_text() if out.exists() else None
        work()
        assert left in (None, out.read_text()), at
        assert debits(book, f"patients {at}") == ["published"], at
    assert at > 10  # many moments were tried
    assert not list(kept.parent.glob("*.partial"))


def test_an_aggregator_killed_at_any_step_publishes_one_total(tmp_path):
    group = make_group(tmp_path, sites=4, hubs=2, roster=3)
    boxes = group.boxes()
    lists = [
        group.file(f"{name}.list", list_boxes(group.plan, boxes[:3], key))
        for name, key in group.hubs.items()
    ]
    at, done = 0, False
    kept = group.hubs["hub0"].kept / f"{group.plan.hash}-1.total"
    while not done:
        at += 1
        kept.unlink(missing_ok=True)
        out = tmp_path / f"{at}.total"

        def work(files=boxes, agreed=(), out=out):
            hand_out(add(group.plan, files, group.hubs["hub0"], agreed), out)

        done = killed_at(at, work)
        if kept.exists():  # nothing else can be opened then
            with pytest.raises(GeomdpError, match="opened already"):
                work(boxes[:3], lists, tmp_path / f"{at}.other")
        work()
        assert out.read_text() == kept.read_text()
    assert at > 5


def test_noise_is_not_drawn_before_the_debit(tmp_path, monkeypatch):
    group = make_group(tmp_path, sites=4, hubs=2, roster=4)
    book = dp.Ledger.create(tmp_path / "poor.db", key=tmp_path / "poor.key")
    book.grant("patients", dp.GDP(0.5))
    monkeypatch.setattr(type(group.plan.noise), "draw", lambda *_: pytest.fail("drawn"))
    with pytest.raises(LedgerError, match="Not enough is left"):
        answer(group.plan, records(8), group.sites["site0"], Payer(book, "patients"))
    # Nor is anything debited where records are refused.
    bad = np.full((3, 2, 2), np.nan)
    with pytest.raises(GeomdpError):
        answer(group.plan, bad, group.sites["site1"], Payer(book, "patients"))
    assert debits(book) == []


def test_an_answer_whose_kept_box_is_gone_is_not_drawn_again(tmp_path):
    """The ledger remembers what a key's folder lost."""
    group = make_group(tmp_path, sites=4, hubs=2, roster=4)
    payer = Payer(ledger(tmp_path), "patients")
    answer(group.plan, records(8), group.sites["site0"], payer)
    (group.sites["site0"].kept / f"{group.plan.hash}-1.box").unlink()
    with pytest.raises(LedgerError, match="says that this site answered"):
        answer(group.plan, records(9), group.sites["site0"], payer)


def test_a_message_is_never_written_over_another_file(tmp_path):
    out = tmp_path / "notes.box"
    out.write_text("mine")
    with pytest.raises(GeomdpError, match="something else"):
        hand_out("box", out)
    assert out.read_text() == "mine"


def geomdp(*words):
    return subprocess.Popen(
        [sys.executable, "-m", "geomdp", "consortium", *map(str, words)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


@pytest.mark.slow
def test_17_sites_and_3_aggregators_killed_200_times(tmp_path):
    """As processes of the command, ended at random moments by a signal that nobody can catch."""
    kills, chance = 200, random.Random(1)
    left = kills
    turn = 0
    while left > 0:
        turn += 1
        left -= round_with_kills(tmp_path / str(turn), left, chance)
    assert left == 0


def round_with_kills(folder: Path, most: int, chance) -> int:
    """Live a round of 20 processes, ten of each killed at most; return how many were killed."""
    group = make_group(folder, usual_plan(), sites=17, hubs=3, roster=12)
    group.plan.save(folder / "consortium.json")
    for name, part in group.parts().items():
        np.save(folder / f"{name}.npy", part)
    killed = 0
    seen: dict[str, set[str]] = {}

    def until_done(name, *words):
        nonlocal killed
        out = folder / words[-1]
        for attempt in range(100):
            process = geomdp(*words[:-1], out)
            if killed < most and attempt < 10:
                try:
                    process.wait(timeout=chance.uniform(0.2, 1.8))
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)
                    killed += 1
            _, said = process.communicate()
            if out.exists():
                seen.setdefault(name, set()).add(out.read_text())
            if process.returncode == 0:
                return
            assert process.returncode == -signal.SIGKILL, said
        pytest.fail("never done")

    plan = folder / "consortium.json"
    for name in group.sites:
        key = ("--key", folder / f"{name}.key", "--out")
        until_done(name, "answer", plan, folder / f"{name}.npy", *key, f"{name}.box")
    boxes = [folder / f"{name}.box" for name in group.sites]
    for name in group.hubs:
        key = ("--key", folder / f"{name}.key", "--out")
        until_done(name, "add", plan, *boxes, *key, f"{name}.total")
    assert {len(texts) for texts in seen.values()} == {1}  # nothing was handed out in two forms
    release = group.release([folder / f"{name}.total" for name in group.hubs])
    assert release.plan.n == len(records())
    return killed
