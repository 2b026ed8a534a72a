"""How a release and its ledger meet: pay, draw, write, mark; and what a crash leaves behind."""

import json
import logging
import shutil

import numpy as np
import pytest
from ledger_tools import debit, line_plan, line_records

import geomdp as dp
import geomdp.ledger.paying
from geomdp.errors import BudgetSpentError, GeomdpError, LedgerError
from geomdp.ledger.receipts import folder_hash, receipt_problem, release_hash
from geomdp.noise.entropy import SystemEntropy
from geomdp.plans.release import MANIFEST
from geomdp.privacy import Pure
from geomdp.releases.verification import verify


class CrashError(BaseException):
    """Nothing catches it: the process is gone."""


def paid_release(ledger, folder=None, which=0, **options):
    plan = line_plan(**options)
    return plan.release(line_records(which), ledger=ledger, dataset="study", folder=folder)


def states(ledger):
    return [s.state for s in ledger.account("study").spendings]


def test_the_manifest_holds_the_head_of_its_debit(ledger, tmp_path):
    made = paid_release(ledger, tmp_path / "out")
    stated = json.loads((tmp_path / "out" / MANIFEST).read_text())["ledger"]
    spending = ledger.account("study").spendings[0]
    assert stated == made.manifest["ledger"]
    assert stated == {
        "entry": 2,
        "head": spending.entry.link,
        "commitment": spending.entry.body["commitment"],
    }
    assert spending.state == "published"
    assert spending.content == folder_hash(tmp_path / "out") == release_hash(made)


def test_a_release_in_memory_is_published_and_recognised_once_it_is_saved(ledger, tmp_path):
    made = paid_release(ledger)
    assert states(ledger) == ["published"]
    made.save(tmp_path / "out")
    verdict = verify(tmp_path / "out", ledger=ledger)
    assert verdict.verified
    assert verdict.paid
    assert not verdict.remarks


@pytest.mark.parametrize("shape", ["groups", "stages", "summary"])
def test_every_shape_of_plan_is_paid_for_and_verified(ledger, tmp_path, shape):
    if shape == "groups":
        plan = line_plan(n={"a": 2, "b": 2})
        records = dp.Records(line_records(), group=["a", "b", "a", "b"])
    elif shape == "stages":
        ball = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=1.0)
        plan = dp.plan(dp.Refined(dp.FrechetMean(ball)), n=500, budget=Pure(1))
        records = np.tile([0.0, 0.0, 1.0], (500, 1))
    else:
        plan = dp.plan(dp.Summary(dp.Sphere(2), 0.01), budget=Pure(1), mechanism="laplace")
        records = np.array([0.0, 0.0, 1.0])
    plan.release(records, ledger=ledger, dataset="study", folder=tmp_path / "out")
    account = ledger.account("study")
    assert account.costs == (plan.cost,)
    assert account.spent == Pure(1)
    verdict = verify(tmp_path / "out", ledger=ledger)
    assert [str(p) for p in verdict.problems] == []
    assert verdict.paid


def test_a_folder_that_exists_costs_nothing(ledger, tmp_path):
    (tmp_path / "out").mkdir()
    with pytest.raises(GeomdpError, match="exists"):
        paid_release(ledger, tmp_path / "out")
    with pytest.raises(GeomdpError, match="for 4 records"):
        line_plan().release(line_records(n=3), ledger=ledger, dataset="study")
    assert states(ledger) == []


def test_the_debit_stands_before_the_first_bit_is_drawn(ledger, monkeypatch):
    seen = []
    real = SystemEntropy.take

    def watched(self, *arguments):
        seen.append(states(ledger))
        return real(self, *arguments)

    monkeypatch.setattr(SystemEntropy, "take", watched)
    paid_release(ledger)
    assert seen
    assert all(found == ["unpublished"] for found in seen)


def test_a_crash_before_the_value_leaves_a_spent_entry_that_can_be_abandoned(ledger, monkeypatch):
    def crash(*_):
        raise CrashError

    with monkeypatch.context() as patch:
        patch.setattr(SystemEntropy, "take", crash)
        with pytest.raises(CrashError):
            paid_release(ledger)
    assert states(ledger) == ["unpublished"]
    assert ledger.account("study").unpublished == (2,)
    ledger.abandon(2)
    assert states(ledger) == ["abandoned"]
    assert ledger.account("study").spent == Pure(1)
    with pytest.raises(LedgerError, match="abandoned already"):
        ledger.abandon(2)


def test_a_crash_after_the_value_is_completed_by_its_folder(ledger, tmp_path, monkeypatch):
    def crash(*_):
        raise CrashError

    with monkeypatch.context() as patch:
        patch.setattr(geomdp.ledger.paying, "release_hash", crash)
        with pytest.raises(CrashError):
            paid_release(ledger, tmp_path / "out")
    remarks = verify(tmp_path / "out", ledger=ledger).remarks
    assert "not marked as published" in str(remarks[-1])
    monkeypatch.setattr(SystemEntropy, "take", None)  # nothing is drawn again
    ledger.attach(2, tmp_path / "out")
    assert ledger.account("study").spendings[0].content == folder_hash(tmp_path / "out")
    with pytest.raises(LedgerError, match="published already"):
        ledger.attach(2, tmp_path / "out")
    assert ledger.account("study").spent == Pure(1)


def test_only_the_release_of_a_debit_completes_it(ledger, tmp_path):
    paid_release(ledger, tmp_path / "paid")
    line_plan().release(line_records(1), folder=tmp_path / "unpaid")
    open_entry = debit(ledger, 1).entry
    with pytest.raises(LedgerError, match="its receipt is another one"):
        ledger.attach(open_entry, tmp_path / "paid")
    with pytest.raises(LedgerError, match="names no ledger"):
        ledger.attach(open_entry, tmp_path / "unpaid")
    with pytest.raises(LedgerError, match="no debit"):
        ledger.attach(1, tmp_path / "paid")
    with pytest.raises(GeomdpError, match="cannot be read"):
        ledger.attach(open_entry, tmp_path / "nothing")


def test_a_ledger_that_fails_after_the_draw_does_not_lose_the_release(ledger, caplog, monkeypatch):
    def gone(*_):
        raise LedgerError("the network is gone")

    monkeypatch.setattr(type(ledger), "publish", gone)
    with caplog.at_level(logging.WARNING):
        made = paid_release(ledger)
    assert made.value.shape == (1,)
    assert "ledger resolve LEDGER 2" in caplog.text
    assert states(ledger) == ["unpublished"]


def test_a_second_draw_of_one_prepared_release_is_paid_for_or_refused(ledger):
    plan, records = line_plan(Pure(2)), line_records()
    ready = ledger.pay(plan.prepare(records), plan, records, "study", again=True)
    ready.draw()
    with pytest.raises(BudgetSpentError):
        ready.draw()


@pytest.fixture
def folder(ledger, tmp_path):
    paid_release(ledger, tmp_path / "out")
    return tmp_path / "out"


def change(folder, edit):
    document = json.loads((folder / MANIFEST).read_text())
    edit(document)
    (folder / MANIFEST).write_text(json.dumps(document))


@pytest.mark.parametrize(
    ("field", "value"), [("entry", 1), ("entry", 77), ("head", "0" * 64), ("commitment", "0" * 64)]
)
def test_a_receipt_that_is_not_the_ledgers_is_found(ledger, folder, field, value):
    change(folder, lambda document: document["ledger"].update({field: value}))
    verdict = verify(folder, ledger=ledger)
    assert [problem.field.split(".")[0] for problem in verdict.problems] == ["ledger"]
    assert not verdict.paid
    assert verify(folder).verified  # without the ledger nobody can tell


def test_a_release_that_nobody_paid_for_is_found(ledger, folder, tmp_path):
    change(folder, lambda document: document.pop("ledger"))
    assert "nobody paid" in str(verify(folder, ledger=ledger).problems[0])


def test_a_cheaper_plan_than_the_released_is_found(ledger, tmp_path):
    """A receipt of another debit, put into the manifest of a dearer release."""
    cheap = debit(ledger, budget=Pure("0.1"))
    line_plan(Pure(2)).release(line_records(), folder=tmp_path / "out")
    change(tmp_path / "out", lambda document: document.update(ledger=cheap.to_json()))
    assert "another plan was paid for" in str(verify(tmp_path / "out", ledger=ledger).problems[0])


def test_another_cost_than_the_released_is_found(ledger, folder):
    """The same plan, calibrated by a version that knew a lower cost."""
    spending = ledger.account("study").spendings[0]
    manifest = json.loads((folder / MANIFEST).read_text())
    manifest["plan"] = line_plan().to_json()
    assert receipt_problem(spending.entry, manifest) is None
    manifest["plan"]["derived"]["cost"]["epsilon"] = "2"
    assert receipt_problem(spending.entry, manifest) == "another cost was paid for"


def test_a_second_draw_under_one_receipt_is_found(ledger, folder, tmp_path):
    """The published value exchanged for another draw of the same plan."""
    receipt = json.loads((folder / MANIFEST).read_text())["ledger"]
    line_plan().release(line_records(), folder=tmp_path / "other")
    change(tmp_path / "other", lambda document: document.update(ledger=receipt))
    verdict = verify(tmp_path / "other", ledger=ledger)
    assert "published with another value" in str(verdict.problems[0])


def test_a_release_of_an_abandoned_entry_is_found(ledger, tmp_path, monkeypatch):
    monkeypatch.setattr(type(ledger), "publish", lambda *_: None)
    paid_release(ledger, tmp_path / "out")
    ledger.abandon(2)
    assert "abandoned" in str(verify(tmp_path / "out", ledger=ledger).problems[0])


def test_an_altered_ledger_shows_nothing(ledger, folder, sqlite_place):
    sqlite_place.execute("UPDATE geomdp_entries SET body = replace(body, '4', '5')")
    verdict = verify(folder, ledger=ledger)
    assert not verdict.paid
    assert "not intact" in str(verdict.problems[0])


def test_a_copy_of_the_folder_is_the_same_release(ledger, folder, tmp_path):
    shutil.copytree(folder, tmp_path / "copy")
    assert verify(tmp_path / "copy", ledger=ledger).paid
