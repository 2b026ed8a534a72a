"""Nobody spends the last epsilon twice, and a kill at any moment loses no debit."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import geomdp as dp
from geomdp.ledger.receipts import folder_hash
from geomdp.plans import load_release
from geomdp.plans.release import MANIFEST, VALUE, write_pages
from geomdp.releases.verification import verify

CROWD = Path(__file__).with_name("ledger_crowd.py")
SMALL, FULL = (24, 6), pytest.param((200, 50), marks=pytest.mark.slow)
FEW, MANY = 20, pytest.param(1000, marks=pytest.mark.slow)


def crowd(what, place, *arguments):
    command = [sys.executable, CROWD, what, place.where, place.key, *map(str, arguments)]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


@pytest.mark.parametrize("numbers", [SMALL, FULL], ids=str)
def test_exactly_as_many_as_the_budget_allows_win_a_race(place, numbers):
    count, allowed = numbers
    place.open().grant("study", dp.Pure(allowed))
    codes, said = crowd("race", place, count)
    assert codes == {"paid": allowed, "refused": count - allowed, "broken": 0}, said
    account = place.open().account("study")
    assert [s.state for s in account.spendings] == ["published"] * allowed
    assert account.remaining == dp.Pure(0)


@pytest.mark.system
def test_without_the_lock_the_unique_number_keeps_the_order(postgres_place):
    """The database refuses a number that is taken, and the writer reads and decides again."""
    postgres_place.open().grant("study", dp.Pure(3))
    codes, said = crowd("race_unlocked", postgres_place, 12)
    assert codes == {"paid": 3, "refused": 9, "broken": 0}, said
    assert postgres_place.open().problems() == []


@pytest.mark.parametrize("kills", [FEW, MANY])
def test_a_kill_loses_no_debit_and_publishes_nothing_unpaid(place, tmp_path, kills):
    place.open().grant("study", dp.Pure(2 * kills))
    out = tmp_path / "out"
    out.mkdir()
    codes, said = crowd("kill", place, kills, out, 5)
    assert codes["broken"] == 0, said
    ledger = place.open()
    assert ledger.problems() == []
    spendings = {s.entry.number: s for s in ledger.account("study").spendings}
    lines = (line.split() for line in (out / "debited.txt").read_text().splitlines())
    noted = {which: int(entry) for which, entry in lines}
    assert set(noted.values()) <= spendings.keys()
    drawn = {file.relative_to(out).parts[0] for file in out.rglob(VALUE)}
    assert drawn <= noted.keys()
    published = {which for which in drawn if (out / which / "release").exists()}
    for which in published:
        receipt = json.loads((out / which / "release" / MANIFEST).read_text())["ledger"]
        spending = spendings[receipt["entry"]]
        assert receipt["head"] == spending.entry.link
        assert spending.content in (None, folder_hash(out / which / "release"))
    complete = [s for s in spendings.values() if s.state == "published"]
    assert len(complete) <= len(published) <= len(spendings) <= kills + 1
    if kills > FEW:  # so many moments hit every stage
        assert len(complete) < len(published) < len(spendings) < kills
    assert set(left_behind(out)) <= {"unfinished"}
    for which in published:
        folder = out / which / "release"
        assert verify(folder).problems == ()
        if not (folder / "report.html").exists():
            write_pages(load_release(folder), folder)
            # A kill in the middle of a page leaves its unfinished file, which is no part of it.
            left = [str(remark) for remark in verify(folder).remarks]
            assert all("left by a page that was stopped" in remark for remark in left)
    resolve_all(ledger, out, {noted[which]: which for which in published})
    assert ledger.account("study").spent == dp.Pure(len(spendings))


def left_behind(out):
    """Names of the folders of values that a kill left under another name than theirs."""
    values = (file.parent for file in out.rglob(VALUE))
    return [folder.name for folder in values if folder.parent.name.startswith(".partial-")]


def resolve_all(ledger, out, folders):
    """Complete what was written, abandon the rest; all of it stays spent."""
    for number in ledger.account("study").unpublished:
        if number in folders:
            ledger.attach(number, out / folders[number] / "release")
        else:
            ledger.abandon(number)
    assert ledger.account("study").unpublished == ()
